/* seam_client.h - reports what a program shows to a Seam daemon, from C99 or C++11.
 *
 *     cc -c seam_client.c          add -pthread with a C library older than glibc 2.34
 *
 * Copy the two files into the program. They need POSIX and nothing else.
 *
 * The reporting half, seam_live_*, is made for a program that has other things to do:
 *   - No call waits, but seam_live_flush and seam_live_close, which say how long at most.
 *   - No call ends the program: no SIGPIPE, no exit, no assertion. Every function takes NULL for the
 *     connection and then does nothing.
 *   - No daemon is no error. What was last reported is kept, and reported when there is one; after a daemon was
 *     lost it is reported anew, the model first, so that fields come up with the verdict that they have now.
 *   - A value that is overtaken by a newer one before the daemon took it is left out, and counted. What is kept
 *     has a bound; beyond it a report is refused, and counted.
 *   - Any thread may report. There is no thread behind it: each call also moves what still waits. A program
 *     that may fall silent calls seam_live_poll from its loop.
 *   - After fork() the connection belongs to the parent; in the child every call does nothing.
 *
 * The general half, seam_connect and on, waits for replies and belongs to one thread at a time.
 */
#ifndef SEAM_CLIENT_H
#define SEAM_CLIENT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum seam_client_status {
    SEAM_CLIENT_OK = 0,
    SEAM_CLIENT_MISUSE,    /* NULL, or the child of a fork */
    SEAM_CLIENT_BAD_NAME,  /* a name is empty, too long, or holds what a name cannot hold */
    SEAM_CLIENT_TOO_LARGE, /* a value over 64 KiB, a line over 1 MiB, a reply over 16 MiB */
    SEAM_CLIENT_FULL,      /* the bound of what is kept */
    SEAM_CLIENT_MEMORY,    /* none left */
    SEAM_CLIENT_NO_SOCKET, /* no rule gives a path, or the path is too long */
    SEAM_CLIENT_NO_DAEMON, /* nobody answers there */
    SEAM_CLIENT_LOST,      /* the daemon closed the connection */
    SEAM_CLIENT_TIMEOUT,
    SEAM_CLIENT_REFUSED,   /* the daemon said no: code and kind say why */
    SEAM_CLIENT_PROTOCOL   /* what answers there is no Seam daemon */
};

struct seam_client_error {
    enum seam_client_status status;
    int code;       /* of the daemon's error, or errno; else 0 */
    char kind[32];  /* the stable name of the daemon's error, as "unknown-sim"; else "" */
    char text[512]; /* one sentence for a person */
};

/* ---- Reporting ---- */

struct seam_live;

/* Zero means the default everywhere, so `struct seam_live_options options = {0}` does. */
struct seam_live_options {
    const char *sim;        /* the simulation's id; default "live-" and the process id */
    const char *socket;     /* default: $SEAM_SOCKET, else seam/seam.sock in $XDG_RUNTIME_DIR or /run/user/UID */
    int keeps;              /* the simulation outlives this connection; else it ends with it */
    unsigned retry_ms;      /* between two tries to connect; default 1000 */
    size_t max_fields;      /* model values and screen fields kept; default 4096 */
    size_t max_value_bytes; /* of all of them together; default 16 MiB */
};

/* What has become of the reports so far. */
struct seam_live_state {
    int connected;
    unsigned long long sent;        /* reports given to a daemon, anew after each reconnect */
    unsigned long long answered;    /* of these, carried out or refused by it */
    unsigned long long merged;      /* values left out, since a newer one came before they could be sent */
    unsigned long long refused;     /* reports refused, by this file or by the daemon */
    unsigned long long connections; /* made so far */
    size_t waiting;                 /* values not given to a daemon yet */
    struct seam_client_error last;  /* the last thing that went wrong */
};

/* A simulation of that name is joined if there is one, else made from the scenario "live". NULL when the options
 * cannot work or memory is out; `error`, which may be NULL, then says why. That no daemon runs is no reason. */
struct seam_live *seam_live_open(const struct seam_live_options *options, struct seam_client_error *error);

/* What the model says, and what a screen shows; NULL for `text` is none, which is not "". Both take 0-terminated
 * UTF-8; bytes that are none become U+FFFD. A value equal to the one reported last is not sent. OK says that the
 * report is kept, not that a daemon has it. A refused report leaves what was reported before. */
enum seam_client_status seam_live_model(struct seam_live *live, const char *key, const char *text);
enum seam_client_status seam_live_set(
    struct seam_live *live, const char *screen, const char *field, const char *text);

/* The screen shows nothing any more: none for each of its fields. NULL for every screen. */
enum seam_client_status seam_live_clear(struct seam_live *live, const char *screen);

/* Connects, sends and reads whatever can be without waiting. */
enum seam_client_status seam_live_poll(struct seam_live *live);

/* Waits until a daemon has carried out all that was reported, at most so long: OK, or TIMEOUT. Other threads
 * may report meanwhile. */
enum seam_client_status seam_live_flush(struct seam_live *live, int timeout_ms);

enum seam_client_status seam_live_state(struct seam_live *live, struct seam_live_state *state);

/* Flushes for at most 200 ms and frees everything. No other thread may be using it. */
void seam_live_close(struct seam_live *live);

/* ---- Calling ---- */

struct seam_client;

/* `socket` NULL: as above. A negative timeout waits for ever; this holds for all that follows. */
struct seam_client *seam_connect(const char *socket, int timeout_ms, struct seam_client_error *error);
void seam_disconnect(struct seam_client *client);

/* One request and its reply. `params` is JSON, or NULL for none. `*result` gets the JSON of the result, valid until
 * the next call with this client; it may be NULL. Event lines that come meanwhile stay for seam_next_line: up to
 * 16 MiB, then this is FULL. */
enum seam_client_status seam_call(
    struct seam_client *client, const char *method, const char *params, int timeout_ms, const char **result,
    struct seam_client_error *error);

/* One line, as it stands; its reply comes from seam_next_line. */
enum seam_client_status seam_send_line(
    struct seam_client *client, const char *line, int timeout_ms, struct seam_client_error *error);

/* The next line without its LF, 0-terminated, valid until the next call with this client. */
enum seam_client_status seam_next_line(
    struct seam_client *client, int timeout_ms, const char **line, size_t *length,
    struct seam_client_error *error);

/* ---- JSON, as much as this takes ---- */

/* A part of a text; `bytes` is NULL when there is no such part. */
struct seam_json {
    const char *bytes;
    size_t length;
};

struct seam_json seam_json_of(const char *text);
struct seam_json seam_json_member(struct seam_json object, const char *name);
struct seam_json seam_json_element(struct seam_json array, size_t index);

/* Both give the bytes of the whole without its 0, like snprintf, and write what fits. The first decodes a string and
 * gives -1 for anything else; the second writes a text as a JSON string with its quotes. */
long seam_json_text(struct seam_json string, char *into, size_t size);
long seam_json_quote(const char *text, char *into, size_t size);

#ifdef __cplusplus
}
#endif
#endif
