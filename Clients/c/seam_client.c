/* seam_client.c - see seam_client.h. Valid as C99 and as C++11, hence the casts. */
#if !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include "seam_client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
    NAME_BYTES = 128,                   /* the daemon's limits: protocol.md, Limits */
    VALUE_BYTES = 64 << 10,
    LINE_BYTES = 1 << 20,
    QUEUED_BYTES = 1 << 20,             /* what waits for a slow daemon as lines, before it waits as values */
    REPLY_BYTES = 128 << 10,            /* a reply to a report has a hundredth of that */
    KEPT_BYTES = (16 << 20) + (1 << 20) /* event lines kept for seam_next_line, or one longest reply */
};

typedef enum seam_client_status status_t;

/* ---- Errors ---- */

static status_t fail(
    struct seam_client_error *error, status_t status, int code, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

static status_t fail(struct seam_client_error *error, status_t status, int code, const char *format, ...)
{
    if (error != NULL) {
        va_list arguments;
        error->status = status;
        error->code = code;
        error->kind[0] = 0;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}

static status_t fail_memory(struct seam_client_error *error)
{
    return fail(error, SEAM_CLIENT_MEMORY, ENOMEM, "there is no memory left");
}

static status_t fine(struct seam_client_error *error)
{
    if (error != NULL)
        memset(error, 0, sizeof *error);
    return SEAM_CLIENT_OK;
}

/* ---- Time ---- */

static long long now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* -1 is never. */
static long long deadline_in(int timeout_ms) { return timeout_ms < 0 ? -1 : now_ms() + timeout_ms; }

/* For poll(). */
static int left_until(long long deadline)
{
    long long left;
    if (deadline < 0)
        return -1;
    left = deadline - now_ms();
    return left < 0 ? 0 : (int)left;
}

/* ---- UTF-8 and JSON ---- */

/* How many bytes the character at `text` takes; 0 if it is none. */
static size_t character(const unsigned char *text, size_t left)
{
    unsigned char first = text[0];
    size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    size_t i;
    if (length == 0 || length > left)
        return 0;
    for (i = 1; i < length; i++)
        if ((text[i] & 0xC0) != 0x80)
            return 0;
    if ((first == 0xE0 && text[1] < 0xA0) || (first == 0xF0 && text[1] < 0x90) /* too long for what they say */
        || (first == 0xED && text[1] > 0x9F) || (first == 0xF4 && text[1] > 0x8F)) /* a surrogate, no character */
        return 0;
    return length;
}

/* The bytes of `text` with U+FFFD for what is no UTF-8; written only if `into` is there. */
static size_t repaired(const char *text, char *into)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t left = strlen(text), count = 0;
    while (left > 0) {
        size_t length = character(bytes, left);
        const void *from = length > 0 ? (const void *)bytes : (const void *)"\xEF\xBF\xBD";
        size_t bytes_out = length > 0 ? length : 3;
        if (into != NULL)
            memcpy(into + count, from, bytes_out);
        count += bytes_out;
        if (length == 0)
            length = 1;
        bytes += length;
        left -= length;
    }
    return count;
}

/* Writes a JSON string of valid UTF-8 and gives its end. At most 6 bytes for each of the text, and the quotes. */
static char *quoted(char *into, const char *text, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    size_t i;
    *into++ = '"';
    for (i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte == '"' || byte == '\\') {
            *into++ = '\\';
            *into++ = (char)byte;
        } else if (byte < 0x20 || byte == 0x7F) {
            memcpy(into, "\\u00", 4);
            into[4] = digits[byte >> 4];
            into[5] = digits[byte & 15];
            into += 6;
        } else {
            *into++ = (char)byte;
        }
    }
    *into++ = '"';
    return into;
}

long seam_json_quote(const char *text, char *into, size_t size)
{
    size_t length, count;
    char *valid, *whole;
    if (text == NULL || (into == NULL && size > 0))
        return -1;
    length = repaired(text, NULL);
    valid = (char *)malloc(length + 1);
    whole = (char *)malloc(length * 6 + 3);
    if (valid == NULL || whole == NULL) {
        free(valid);
        free(whole);
        return -1;
    }
    repaired(text, valid);
    count = (size_t)(quoted(whole, valid, length) - whole);
    if (size > 0) {
        size_t fits = count < size ? count : size - 1;
        memcpy(into, whole, fits);
        into[fits] = 0;
    }
    free(valid);
    free(whole);
    return (long)count;
}

static const char *past_spaces(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
        at++;
    return at;
}

/* The end of the value that begins at `at`, or NULL. Trusts the daemon with the grammar, not with the bounds. */
static const char *past_value(const char *at, const char *end)
{
    size_t depth = 0;
    if (at >= end)
        return NULL;
    do {
        if (*at == '"') {
            for (at++; at < end && *at != '"'; at++)
                if (*at == '\\' && at + 1 < end)
                    at++;
            if (at == end)
                return NULL;
            at++;
        } else if (*at == '{' || *at == '[') {
            depth++;
            at++;
        } else if (*at == '}' || *at == ']') {
            if (depth == 0)
                return NULL;
            depth--;
            at++;
        } else if (depth > 0) {
            at++;
        } else {
            while (at < end && strchr(",]} \t\r\n", *at) == NULL)
                at++;
        }
    } while (depth > 0 && at < end);
    return depth == 0 ? at : NULL;
}

static struct seam_json part(const char *bytes, const char *end)
{
    struct seam_json json;
    json.bytes = end == NULL ? NULL : bytes;
    json.length = end == NULL ? 0 : (size_t)(end - bytes);
    return json;
}

struct seam_json seam_json_of(const char *text)
{
    const char *end;
    if (text == NULL)
        return part(NULL, NULL);
    end = text + strlen(text);
    text = past_spaces(text, end);
    return part(text, past_value(text, end));
}

struct seam_json seam_json_member(struct seam_json object, const char *name)
{
    const char *at = object.bytes, *end = object.bytes + object.length, *key, *value;
    if (at == NULL || name == NULL || object.length < 2 || *at != '{')
        return part(NULL, NULL);
    at = past_spaces(at + 1, end);
    while (at < end && *at == '"') {
        key = at;
        at = past_value(at, end);
        if (at == NULL)
            break;
        value = past_spaces(at, end);
        if (value == end || *value != ':')
            break;
        value = past_spaces(value + 1, end);
        if ((size_t)(at - key) == strlen(name) + 2 && memcmp(key + 1, name, strlen(name)) == 0)
            return part(value, past_value(value, end));
        at = past_value(value, end);
        if (at == NULL)
            break;
        at = past_spaces(at, end);
        if (at < end && *at == ',')
            at = past_spaces(at + 1, end);
    }
    return part(NULL, NULL);
}

struct seam_json seam_json_element(struct seam_json array, size_t index)
{
    const char *at = array.bytes, *end = array.bytes + array.length, *value;
    if (at == NULL || array.length < 2 || *at != '[')
        return part(NULL, NULL);
    at = past_spaces(at + 1, end);
    while (at < end && *at != ']') {
        value = at;
        at = past_value(at, end);
        if (at == NULL || at == value)
            break;
        if (index-- == 0)
            return part(value, at);
        at = past_spaces(at, end);
        if (at < end && *at == ',')
            at = past_spaces(at + 1, end);
    }
    return part(NULL, NULL);
}

static int hex(const char *at, unsigned *unit)
{
    int i;
    *unit = 0;
    for (i = 0; i < 4; i++) {
        char c = at[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                : 16;
        if (digit == 16)
            return 0;
        *unit = *unit * 16 + digit;
    }
    return 1;
}

long seam_json_text(struct seam_json string, char *into, size_t size)
{
    const char *at = string.bytes, *end;
    size_t count = 0;
    if (at == NULL || string.length < 2 || *at != '"' || (into == NULL && size > 0))
        return -1;
    end = at + string.length - 1;
    for (at++; at < end;) {
        char piece[4];
        size_t length = 1, i;
        if (*at != '\\') {
            piece[0] = *at++;
        } else if (at + 1 < end && at[1] != 'u') {
            static const char names[] = "bfnrt", bytes[] = "\b\f\n\r\t";
            const char *name = (const char *)memchr(names, at[1], 5);
            piece[0] = name == NULL ? at[1] : bytes[name - names];
            at += 2;
        } else {
            unsigned unit, low;
            if (end - at < 6 || !hex(at + 2, &unit))
                return -1;
            at += 6;
            if (unit >= 0xD800 && unit < 0xDC00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u'
                && hex(at + 2, &low) && low >= 0xDC00 && low < 0xE000) {
                unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                at += 6;
            } else if (unit >= 0xD800 && unit < 0xE000) {
                unit = 0xFFFD;
            }
            if (unit < 0x80) {
                piece[0] = (char)unit;
            } else {
                static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
                length = unit < 0x800 ? 2 : unit < 0x10000 ? 3 : 4;
                for (i = length; --i > 0; unit >>= 6)
                    piece[i] = (char)(0x80 | (unit & 0x3F));
                piece[0] = (char)(leads[length] | unit);
            }
        }
        for (i = 0; i < length; i++, count++)
            if (count + 1 < size)
                into[count] = piece[i];
    }
    if (size > 0)
        into[count < size ? count : size - 1] = 0;
    return (long)count;
}

/* ---- Buffers ---- */

/* Bytes from `start` up to `end`; what was taken lies before them until room is needed. */
struct buffer {
    char *bytes;
    size_t start, end, capacity;
};

static size_t held(const struct buffer *buffer) { return buffer->end - buffer->start; }

/* Room for so many more bytes behind `end`; NULL without memory. */
static char *room(struct buffer *buffer, size_t count)
{
    size_t capacity = buffer->capacity == 0 ? 4096 : buffer->capacity;
    char *bytes;
    if (buffer->capacity - buffer->end >= count)
        return buffer->bytes + buffer->end;
    if (buffer->start > 0) {
        memmove(buffer->bytes, buffer->bytes + buffer->start, held(buffer));
        buffer->end -= buffer->start;
        buffer->start = 0;
    }
    while (capacity - buffer->end < count)
        capacity *= 2;
    if (capacity != buffer->capacity) {
        bytes = (char *)realloc(buffer->bytes, capacity);
        if (bytes == NULL)
            return NULL;
        buffer->bytes = bytes;
        buffer->capacity = capacity;
    }
    return buffer->bytes + buffer->end;
}

static void empty(struct buffer *buffer) { buffer->start = buffer->end = 0; }

/* ---- The wire: a socket that never waits ---- */

struct wire {
    int descriptor; /* -1: not connected */
    struct buffer in, out;
};

/* By the rules of seamd and seam: the first that applies decides, whether or not somebody listens there. */
static status_t socket_path(
    const char *given, char *path, size_t size, struct seam_client_error *error)
{
    const char *folder = getenv("XDG_RUNTIME_DIR");
    char user_folder[48];
    struct stat info;
    int length;
    if (given == NULL || *given == 0)
        given = getenv("SEAM_SOCKET");
    snprintf(user_folder, sizeof user_folder, "/run/user/%lu", (unsigned long)geteuid());
    if (given != NULL && *given != 0)
        length = snprintf(path, size, "%s", given);
    else if (folder != NULL && *folder == '/')
        length = snprintf(path, size, "%s/seam/seam.sock", folder);
    else if (stat(user_folder, &info) == 0 && S_ISDIR(info.st_mode))
        length = snprintf(path, size, "%s/seam/seam.sock", user_folder);
    else
        return fail(
            error, SEAM_CLIENT_NO_SOCKET, 0,
            "no socket path: $SEAM_SOCKET and $XDG_RUNTIME_DIR are not set, and %s does not exist",
            user_folder);
    if (length < 0 || (size_t)length >= size)
        return fail(
            error, SEAM_CLIENT_NO_SOCKET, 0, "the socket path has %d bytes, the system allows %lu", length,
            (unsigned long)size - 1);
    return SEAM_CLIENT_OK;
}

/* Connects without waiting; a daemon that is too busy to take the connection counts as none. */
static status_t wire_open(struct wire *wire, const char *path, struct seam_client_error *error)
{
    struct sockaddr_un address;
    int descriptor, number;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    memcpy(address.sun_path, path, strlen(path));
    descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    if (descriptor < 0)
        return fail(error, SEAM_CLIENT_NO_DAEMON, errno, "no socket can be made: %s", strerror(errno));
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    fcntl(descriptor, F_SETFL, O_NONBLOCK);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        number = errno;
        close(descriptor);
        return fail(
            error, SEAM_CLIENT_NO_DAEMON, number, "no daemon answers at %s: %s; start one with: seamd --socket %s",
            path, strerror(number), path);
    }
    wire->descriptor = descriptor;
    empty(&wire->in);
    empty(&wire->out);
    return SEAM_CLIENT_OK;
}

static void wire_close(struct wire *wire)
{
    if (wire->descriptor >= 0)
        close(wire->descriptor);
    wire->descriptor = -1;
    empty(&wire->in);
    empty(&wire->out);
}

static void wire_free(struct wire *wire)
{
    wire_close(wire);
    free(wire->in.bytes);
    free(wire->out.bytes);
}

/* Sends what the socket takes. A peer that has gone is told by the next read, behind its last words. */
static void wire_send(struct wire *wire)
{
    while (held(&wire->out) > 0) {
        ssize_t count = send(
            wire->descriptor, wire->out.bytes + wire->out.start, held(&wire->out), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count > 0)
            wire->out.start += (size_t)count;
        else if (errno != EINTR) {
            if (errno != EAGAIN && errno != EWOULDBLOCK)
                empty(&wire->out);
            return;
        }
    }
    empty(&wire->out);
}

/* Reads once: 1 if something came, 0 if nothing is there, -1 at the end, -2 without memory. */
static int wire_receive(struct wire *wire)
{
    char *into = room(&wire->in, 16 << 10);
    ssize_t count;
    if (into == NULL)
        return -2;
    do
        count = recv(wire->descriptor, into, 16 << 10, MSG_DONTWAIT);
    while (count < 0 && errno == EINTR);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return 0;
    if (count <= 0)
        return -1;
    wire->in.end += (size_t)count;
    return 1;
}

/* What an error line says, into `error`. */
static status_t refusal(struct seam_json said, struct seam_client_error *error)
{
    struct seam_json code = seam_json_member(said, "code");
    long number = code.bytes == NULL ? 0 : strtol(code.bytes, NULL, 10); /* a `,` or `}` follows it */
    fail(error, SEAM_CLIENT_REFUSED, (int)number, "the daemon refused without a reason");
    if (error != NULL) {
        seam_json_text(seam_json_member(said, "message"), error->text, sizeof error->text);
        seam_json_text(
            seam_json_member(seam_json_member(said, "data"), "kind"), error->kind, sizeof error->kind);
    }
    return SEAM_CLIENT_REFUSED;
}

/* The number in `id`; -1 when it is null or not one of ours. */
static long long id_of(struct seam_json reply)
{
    struct seam_json id = seam_json_member(reply, "id");
    if (id.bytes == NULL || *id.bytes < '0' || *id.bytes > '9')
        return -1;
    return strtoll(id.bytes, NULL, 10);
}

/* ---- Reporting: the state is the queue ---- */

/* One value of the model, or one field of a screen, as it was reported last. */
struct entry {
    struct entry *next_in_bucket;
    struct entry *next_waiting;
    char *screen; /* NULL: the model */
    char *key;
    char *value; /* valid UTF-8; NULL: none */
    size_t length;
    int waits; /* in the list of what no daemon has been given yet */
};

enum { BUCKETS = 1024 };

struct seam_live {
    pthread_mutex_t lock;
    pid_t process;
    struct wire wire;
    char path[sizeof ((struct sockaddr_un *)0)->sun_path];
    char sim[NAME_BYTES + 1];
    int keeps;
    unsigned retry_ms;
    size_t max_fields, max_value_bytes;

    struct entry **entries; /* in the order of their first report, which is that of the next daemon's too */
    size_t count, capacity, value_bytes;
    struct entry *buckets[BUCKETS];
    struct entry *first_waiting, *last_waiting;

    long long next_try;  /* when to connect, or to make the simulation, next */
    long long asked;     /* id of the last request */
    long long created;   /* id of the last sim.create: replies before it are about an older simulation */
    long long unanswered;
    int simulation_gone; /* somebody has destroyed it */
    int had_last_words;  /* the daemon said why it does not serve this connection */
    struct seam_live_state state;
};

static int is_name(const char *name, int forbids)
{
    size_t length = name == NULL ? 0 : strlen(name), i, step;
    if (length == 0 || length > NAME_BYTES)
        return 0;
    for (i = 0; i < length; i += step) {
        unsigned char byte = (unsigned char)name[i];
        step = character((const unsigned char *)name + i, length - i);
        if (step == 0 || byte < 0x20 || byte == 0x7F || (byte == 0xC2 && (unsigned char)name[i + 1] < 0xA0))
            return 0;
        if (forbids && strchr("./=*", name[i]) != NULL)
            return 0;
    }
    return 1;
}

struct seam_live *seam_live_open(const struct seam_live_options *given, struct seam_client_error *error)
{
    struct seam_live_options options;
    struct seam_live *live;
    fine(error);
    memset(&options, 0, sizeof options);
    if (given != NULL)
        options = *given;
    if (options.sim != NULL && !is_name(options.sim, 1)) {
        fail(
            error, SEAM_CLIENT_BAD_NAME, 0,
            "the simulation's id is no name: it takes 1 to 128 printable bytes of UTF-8 without . / = *");
        return NULL;
    }
    live = (struct seam_live *)calloc(1, sizeof *live);
    if (live == NULL) {
        fail_memory(error);
        return NULL;
    }
    live->wire.descriptor = -1;
    if (socket_path(options.socket, live->path, sizeof live->path, error) != SEAM_CLIENT_OK) {
        free(live);
        return NULL;
    }
    if (pthread_mutex_init(&live->lock, NULL) != 0) {
        free(live);
        fail_memory(error);
        return NULL;
    }
    live->process = getpid();
    if (options.sim != NULL)
        memcpy(live->sim, options.sim, strlen(options.sim));
    else
        snprintf(live->sim, sizeof live->sim, "live-%ld", (long)live->process);
    live->keeps = options.keeps;
    live->retry_ms = options.retry_ms > 0 ? options.retry_ms : 1000;
    live->max_fields = options.max_fields > 0 ? options.max_fields : 4096;
    live->max_value_bytes = options.max_value_bytes > 0 ? options.max_value_bytes : (size_t)16 << 20;
    live->next_try = now_ms();
    return live;
}

/* 0 for NULL and in the child of a fork, where the lock may be held by a thread that is not there. */
static int enter(struct seam_live *live)
{
    if (live == NULL || live->process != getpid())
        return 0;
    pthread_mutex_lock(&live->lock);
    return 1;
}

static status_t leave(struct seam_live *live, status_t status)
{
    pthread_mutex_unlock(&live->lock);
    return status;
}

static void let_wait(struct seam_live *live, struct entry *entry)
{
    if (entry->waits)
        return;
    entry->waits = 1;
    entry->next_waiting = NULL;
    if (live->last_waiting != NULL)
        live->last_waiting->next_waiting = entry;
    else
        live->first_waiting = entry;
    live->last_waiting = entry;
    live->state.waiting++;
}

/* Everything anew, the model first: a field whose two sides both come has its verdict at once. */
static void let_all_wait(struct seam_live *live)
{
    size_t i;
    int screens;
    live->first_waiting = live->last_waiting = NULL;
    live->state.waiting = 0;
    for (i = 0; i < live->count; i++)
        live->entries[i]->waits = 0;
    for (screens = 0; screens < 2; screens++)
        for (i = 0; i < live->count; i++)
            if ((live->entries[i]->screen != NULL) == screens)
                let_wait(live, live->entries[i]);
}

static char *put(char *at, const char *text)
{
    size_t length = strlen(text);
    memcpy(at, text, length);
    return at + length;
}

static char *begun(struct seam_live *live, char *at, const char *method)
{
    at += sprintf(at, "{\"jsonrpc\":\"2.0\",\"id\":%lld,\"method\":\"%s\",\"params\":{", ++live->asked, method);
    live->unanswered++;
    return at;
}

static int queue_create(struct seam_live *live)
{
    char *at = room(&live->wire.out, 256 + 6 * NAME_BYTES);
    if (at == NULL)
        return 0;
    at = put(begun(live, at, "sim.create"), "\"scenario\":\"live\",\"id\":");
    at = quoted(at, live->sim, strlen(live->sim));
    at = put(at, live->keeps ? "}}\n" : ",\"lifetime\":\"connection\"}}\n");
    live->wire.out.end = (size_t)(at - live->wire.out.bytes);
    live->created = live->asked;
    live->simulation_gone = 0;
    return 1;
}

/* 0 when it has to wait on. */
static int queue_entry(struct seam_live *live, const struct entry *entry)
{
    size_t most = 256 + 6 * (3 * NAME_BYTES + entry->length);
    char *at;
    if (held(&live->wire.out) + most > QUEUED_BYTES)
        return 0;
    at = room(&live->wire.out, most);
    if (at == NULL)
        return 0;
    at = put(begun(live, at, entry->screen != NULL ? "screen.set" : "model.set"), "\"sim\":");
    at = quoted(at, live->sim, strlen(live->sim));
    if (entry->screen != NULL) {
        at = put(at, ",\"screen\":");
        at = quoted(at, entry->screen, strlen(entry->screen));
    }
    at = put(at, ",\"values\":{");
    at = quoted(at, entry->key, strlen(entry->key));
    *at++ = ':';
    at = entry->value != NULL ? quoted(at, entry->value, entry->length) : put(at, "null");
    at = put(at, "}}}\n");
    live->wire.out.end = (size_t)(at - live->wire.out.bytes);
    live->state.sent++;
    return 1;
}

static void take_reply(struct seam_live *live, const char *line, size_t length)
{
    struct seam_json reply = part(line, line + length), error = seam_json_member(reply, "error");
    struct seam_client_error refused;
    long long id = id_of(reply);
    if (id > 0) {
        live->unanswered--;
        if (id != live->created)
            live->state.answered++;
    }
    if (error.bytes == NULL)
        return;
    refusal(error, &refused);
    if (strcmp(refused.kind, "sim-exists") == 0 && id == live->created)
        return;
    if (strcmp(refused.kind, "unknown-sim") == 0 && id > 0) {
        /* Nothing is lost by this, nor is it worth a word: all is reported again with the next simulation. */
        if (id > live->created)
            live->simulation_gone = 1;
        return;
    }
    if (id < 0)
        live->had_last_words = 1;
    else if (id != live->created)
        live->state.refused++;
    live->state.last = refused;
}

static void lose(struct seam_live *live, status_t status, const char *why)
{
    wire_close(&live->wire);
    live->unanswered = 0;
    live->next_try = now_ms() + live->retry_ms;
    /* What it said as it closed says more than that it closed. */
    if (!live->had_last_words)
        fail(&live->state.last, status, 0, "%s at %s", why, live->path);
    let_all_wait(live);
}

static void take_replies(struct seam_live *live)
{
    /* A daemon sends here what it was asked for; what goes on without end must not hold the caller up. */
    int rounds = 32, came = 0;
    while (rounds-- > 0 && (came = wire_receive(&live->wire)) > 0) {
        struct buffer *in = &live->wire.in;
        char *feed;
        while ((feed = (char *)memchr(in->bytes + in->start, '\n', held(in))) != NULL) {
            if (in->bytes[in->start] != '{') {
                lose(live, SEAM_CLIENT_PROTOCOL, "what came is no reply: there is no Seam daemon");
                return;
            }
            take_reply(live, in->bytes + in->start, (size_t)(feed - in->bytes) - in->start);
            in->start = (size_t)(feed - in->bytes) + 1;
        }
        if (held(in) > REPLY_BYTES) {
            lose(live, SEAM_CLIENT_PROTOCOL, "what came is no reply: there is no Seam daemon");
            return;
        }
    }
    if (came == -1)
        lose(live, SEAM_CLIENT_LOST, "the daemon closed the connection");
}

/* As far as it goes without waiting. */
static void advance(struct seam_live *live)
{
    size_t before;
    if (live->wire.descriptor < 0) {
        if (live->count == 0 || now_ms() < live->next_try)
            return;
        live->next_try = now_ms() + live->retry_ms;
        if (wire_open(&live->wire, live->path, &live->state.last) != SEAM_CLIENT_OK)
            return;
        live->state.connections++;
        live->unanswered = 0;
        live->had_last_words = 0;
        let_all_wait(live);
        if (!queue_create(live)) {
            lose(live, SEAM_CLIENT_MEMORY, "there is no memory left for a request");
            return;
        }
    } else if (live->simulation_gone && now_ms() >= live->next_try) {
        live->next_try = now_ms() + live->retry_ms;
        if (queue_create(live))
            let_all_wait(live);
    }
    do {
        before = live->state.waiting;
        while (live->first_waiting != NULL && !live->simulation_gone && queue_entry(live, live->first_waiting)) {
            struct entry *entry = live->first_waiting;
            live->first_waiting = entry->next_waiting;
            if (live->first_waiting == NULL)
                live->last_waiting = NULL;
            entry->waits = 0;
            live->state.waiting--;
        }
        wire_send(&live->wire);
    } while (live->state.waiting < before && live->first_waiting != NULL);
    take_replies(live);
}

/* ---- The table ---- */

static unsigned bucket(const char *screen, const char *key)
{
    unsigned hash = 2166136261u; /* FNV-1a */
    for (; screen != NULL && *screen != 0; screen++)
        hash = (hash ^ (unsigned char)*screen) * 16777619u;
    for (hash *= 16777619u; *key != 0; key++)
        hash = (hash ^ (unsigned char)*key) * 16777619u;
    return hash % BUCKETS;
}

static int is_same(const char *one, const char *other)
{
    return one == NULL || other == NULL ? one == other : strcmp(one, other) == 0;
}

static struct entry *find(struct seam_live *live, const char *screen, const char *key)
{
    struct entry *entry = live->buckets[bucket(screen, key)];
    while (entry != NULL && !(is_same(entry->screen, screen) && strcmp(entry->key, key) == 0))
        entry = entry->next_in_bucket;
    return entry;
}

static char *copied(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = (char *)malloc(size);
    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}

/* NULL without memory, and nothing has changed. */
static struct entry *add(struct seam_live *live, const char *screen, const char *key)
{
    struct entry *entry, **link;
    if (live->count == live->capacity) {
        size_t capacity = live->capacity == 0 ? 64 : live->capacity * 2;
        struct entry **entries = (struct entry **)realloc(live->entries, capacity * sizeof *entries);
        if (entries == NULL)
            return NULL;
        live->entries = entries;
        live->capacity = capacity;
    }
    entry = (struct entry *)calloc(1, sizeof *entry);
    if (entry == NULL)
        return NULL;
    entry->key = copied(key);
    entry->screen = screen == NULL ? NULL : copied(screen);
    if (entry->key == NULL || (screen != NULL && entry->screen == NULL)) {
        free(entry->key);
        free(entry->screen);
        free(entry);
        return NULL;
    }
    link = &live->buckets[bucket(screen, key)];
    entry->next_in_bucket = *link;
    *link = entry;
    live->entries[live->count++] = entry;
    return entry;
}

/* Notes a refusal and passes it on. */
static status_t refuse(struct seam_live *live, status_t status, const char *what, const char *name)
{
    live->state.refused++;
    return fail(&live->state.last, status, 0, "%s: %.200s", what, name == NULL ? "NULL" : name);
}

static status_t keep(struct seam_live *live, const char *screen, const char *key, const char *text)
{
    struct entry *entry = find(live, screen, key);
    size_t length = text == NULL ? 0 : repaired(text, NULL);
    size_t before = entry == NULL ? 0 : entry->length;
    int is_new = entry == NULL;
    char *value = NULL;
    if (length > VALUE_BYTES)
        return refuse(live, SEAM_CLIENT_TOO_LARGE, "a value has over 65536 bytes and was not reported", key);
    if (live->value_bytes - before + length > live->max_value_bytes)
        return refuse(live, SEAM_CLIENT_FULL, "max_value_bytes are reached, and a value was not reported", key);
    if (is_new && live->count >= live->max_fields)
        return refuse(live, SEAM_CLIENT_FULL, "max_fields are reported already, without this one", key);
    if (text != NULL) {
        value = (char *)malloc(length + 1);
        if (value == NULL)
            return refuse(live, SEAM_CLIENT_MEMORY, "there is no memory left for the value of", key);
        repaired(text, value);
        value[length] = 0;
    }
    if (is_new)
        entry = add(live, screen, key);
    if (entry == NULL) {
        free(value);
        return refuse(live, SEAM_CLIENT_MEMORY, "there is no memory left for", key);
    }
    if (!is_new && is_same(entry->value, value)) {
        free(value);
        return SEAM_CLIENT_OK;
    }
    if (entry->waits)
        live->state.merged++;
    free(entry->value);
    entry->value = value;
    entry->length = length;
    live->value_bytes = live->value_bytes - before + length;
    let_wait(live, entry);
    return SEAM_CLIENT_OK;
}

enum seam_client_status seam_live_model(struct seam_live *live, const char *key, const char *text)
{
    status_t status;
    if (!enter(live))
        return SEAM_CLIENT_MISUSE;
    status = is_name(key, 0) ? keep(live, NULL, key, text)
                             : refuse(live, SEAM_CLIENT_BAD_NAME, "this is no name for a model value", key);
    advance(live);
    return leave(live, status);
}

enum seam_client_status seam_live_set(
    struct seam_live *live, const char *screen, const char *field, const char *text)
{
    status_t status;
    if (!enter(live))
        return SEAM_CLIENT_MISUSE;
    if (!is_name(screen, 1))
        status = refuse(live, SEAM_CLIENT_BAD_NAME, "this is no name for a screen", screen);
    else if (!is_name(field, 0))
        status = refuse(live, SEAM_CLIENT_BAD_NAME, "this is no name for a field", field);
    else
        status = keep(live, screen, field, text);
    advance(live);
    return leave(live, status);
}

enum seam_client_status seam_live_clear(struct seam_live *live, const char *screen)
{
    size_t i;
    if (!enter(live))
        return SEAM_CLIENT_MISUSE;
    for (i = 0; i < live->count; i++) {
        struct entry *entry = live->entries[i];
        if (entry->screen != NULL && (screen == NULL || strcmp(entry->screen, screen) == 0))
            keep(live, entry->screen, entry->key, NULL); /* none takes no memory: this cannot fail */
    }
    advance(live);
    return leave(live, SEAM_CLIENT_OK);
}

enum seam_client_status seam_live_poll(struct seam_live *live)
{
    if (!enter(live))
        return SEAM_CLIENT_MISUSE;
    advance(live);
    return leave(live, SEAM_CLIENT_OK);
}

enum seam_client_status seam_live_flush(struct seam_live *live, int timeout_ms)
{
    long long deadline = deadline_in(timeout_ms);
    for (;;) {
        struct pollfd wanted;
        int wait = 50, left, is_done;
        if (!enter(live))
            return SEAM_CLIENT_MISUSE;
        advance(live);
        is_done = live->count == 0
                  || (live->wire.descriptor >= 0 && live->first_waiting == NULL && !live->simulation_gone
                      && held(&live->wire.out) == 0 && live->unanswered == 0);
        wanted.fd = live->wire.descriptor;
        wanted.events = (short)(POLLIN | (held(&live->wire.out) > 0 ? POLLOUT : 0));
        wanted.revents = 0;
        if (wanted.fd < 0 || live->simulation_gone)
            wait = (int)(live->next_try - now_ms() < 50 ? live->next_try - now_ms() : 50);
        leave(live, SEAM_CLIENT_OK);
        if (is_done)
            return SEAM_CLIENT_OK;
        left = left_until(deadline);
        if (left == 0)
            return SEAM_CLIENT_TIMEOUT;
        /* Without the lock, so that others report on. The descriptor may be closed meanwhile: then this wakes for
         * nothing, or in 50 ms. */
        poll(&wanted, 1, left >= 0 && left < wait ? left : wait < 0 ? 0 : wait);
    }
}

enum seam_client_status seam_live_state(struct seam_live *live, struct seam_live_state *state)
{
    if (state == NULL || !enter(live))
        return SEAM_CLIENT_MISUSE;
    *state = live->state;
    state->connected = live->wire.descriptor >= 0;
    return leave(live, SEAM_CLIENT_OK);
}

void seam_live_close(struct seam_live *live)
{
    size_t i;
    if (live == NULL)
        return;
    seam_live_flush(live, 200); /* nothing in the child of a fork */
    wire_free(&live->wire);
    for (i = 0; i < live->count; i++) {
        free(live->entries[i]->screen);
        free(live->entries[i]->key);
        free(live->entries[i]->value);
        free(live->entries[i]);
    }
    free(live->entries);
    if (live->process == getpid())
        pthread_mutex_destroy(&live->lock);
    free(live);
}

/* ---- Calling ---- */

struct seam_client {
    struct wire wire;
    long long asked;
    size_t scanned; /* bytes of `in`, from its start, that are whole lines kept for seam_next_line */
    char *line;     /* what was handed out last */
};

/* Waits for the socket; TIMEOUT at the deadline. */
static status_t wait_for(struct seam_client *client, short events, long long deadline, struct seam_client_error *error)
{
    struct pollfd wanted;
    int left = left_until(deadline), count;
    wanted.fd = client->wire.descriptor;
    wanted.events = events;
    wanted.revents = 0;
    count = poll(&wanted, 1, left);
    if (count == 0 || (count < 0 && errno == EINTR && left_until(deadline) == 0))
        return fail(error, SEAM_CLIENT_TIMEOUT, 0, "the daemon did not answer in time");
    return SEAM_CLIENT_OK;
}

struct seam_client *seam_connect(const char *socket, int timeout_ms, struct seam_client_error *error)
{
    char path[sizeof ((struct sockaddr_un *)0)->sun_path];
    long long deadline = deadline_in(timeout_ms);
    struct seam_client_error why;
    struct seam_client *client;
    if (socket_path(socket, path, sizeof path, error) != SEAM_CLIENT_OK)
        return NULL;
    client = (struct seam_client *)calloc(1, sizeof *client);
    if (client == NULL) {
        fail_memory(error);
        return NULL;
    }
    /* A daemon with a full backlog gives no sign when it is not full any more: it is asked again. */
    while (wire_open(&client->wire, path, &why) != SEAM_CLIENT_OK) {
        if (why.code != EAGAIN || left_until(deadline) == 0) {
            if (error != NULL)
                *error = why;
            free(client);
            return NULL;
        }
        poll(NULL, 0, 20);
    }
    if (room(&client->wire.in, 4096) == NULL) {
        seam_disconnect(client);
        fail_memory(error);
        return NULL;
    }
    fine(error);
    return client;
}

void seam_disconnect(struct seam_client *client)
{
    if (client == NULL)
        return;
    wire_free(&client->wire);
    free(client->line);
    free(client);
}

static status_t misused(struct seam_client_error *error)
{
    return fail(error, SEAM_CLIENT_MISUSE, 0, "NULL was given where there has to be a connection or a text");
}

static status_t no_line_feed(const char *text, const char *what, struct seam_client_error *error)
{
    if (strchr(text, '\n') != NULL)
        return fail(error, SEAM_CLIENT_MISUSE, 0, "%s holds a line feed, which would end the line", what);
    return SEAM_CLIENT_OK;
}

/* More from the socket. Called when no line is at hand. */
static status_t receive_more(struct seam_client *client, long long deadline, struct seam_client_error *error)
{
    short events = POLLIN;
    status_t status;
    wire_send(&client->wire);
    if (held(&client->wire.in) > KEPT_BYTES) {
        if (client->scanned > 0)
            return fail(
                error, SEAM_CLIENT_FULL, 0, "16 MiB of event lines are kept: take them with seam_next_line");
        return fail(error, SEAM_CLIENT_TOO_LARGE, 0, "the daemon sent a line of over 16 MiB");
    }
    switch (wire_receive(&client->wire)) {
    case 1: return SEAM_CLIENT_OK;
    case -1: return fail(error, SEAM_CLIENT_LOST, 0, "the daemon closed the connection");
    case -2: return fail_memory(error);
    default: break;
    }
    if (held(&client->wire.out) > 0)
        events = POLLIN | POLLOUT;
    status = wait_for(client, events, deadline, error);
    return status;
}

static status_t send_bytes(
    struct seam_client *client, const char *bytes, size_t length, long long deadline,
    struct seam_client_error *error)
{
    char *into;
    if (length > LINE_BYTES)
        return fail(error, SEAM_CLIENT_TOO_LARGE, 0, "the request has over 1 MiB");
    /* What an earlier call did not get rid of goes first, and keeps its bound. */
    while (held(&client->wire.out) > QUEUED_BYTES) {
        status_t status = receive_more(client, deadline, error);
        if (status != SEAM_CLIENT_OK)
            return status;
    }
    into = room(&client->wire.out, length + 1);
    if (into == NULL)
        return fail_memory(error);
    memcpy(into, bytes, length);
    into[length] = '\n';
    client->wire.out.end += length + 1;
    wire_send(&client->wire);
    return SEAM_CLIENT_OK;
}

enum seam_client_status seam_send_line(
    struct seam_client *client, const char *line, int timeout_ms, struct seam_client_error *error)
{
    status_t status;
    fine(error);
    if (client == NULL || line == NULL)
        return misused(error);
    status = no_line_feed(line, "the line", error);
    return status != SEAM_CLIENT_OK
               ? status
               : send_bytes(client, line, strlen(line), deadline_in(timeout_ms), error);
}

/* Takes the line of `in` that begins `offset` bytes behind its start, and ends at `feed`. */
static status_t take_line(
    struct seam_client *client, size_t offset, const char *feed, struct seam_client_error *error)
{
    struct buffer *in = &client->wire.in;
    char *begin = in->bytes + in->start + offset;
    size_t length = (size_t)(feed - begin), rest = in->end - (size_t)(feed + 1 - in->bytes);
    char *line = (char *)realloc(client->line, length + 1);
    if (line == NULL)
        return fail_memory(error);
    memcpy(line, begin, length);
    line[length] = 0;
    client->line = line;
    if (offset == 0) {
        in->start += length + 1;
    } else {
        memmove(begin, feed + 1, rest);
        in->end -= length + 1;
    }
    return SEAM_CLIENT_OK;
}

enum seam_client_status seam_next_line(
    struct seam_client *client, int timeout_ms, const char **line, size_t *length,
    struct seam_client_error *error)
{
    long long deadline = deadline_in(timeout_ms);
    size_t searched = 0;
    status_t status;
    fine(error);
    if (client == NULL || line == NULL)
        return misused(error);
    for (;;) {
        struct buffer *in = &client->wire.in;
        size_t count = held(in);
        char *begin = in->bytes + in->start;
        char *feed = count == searched ? NULL : (char *)memchr(begin + searched, '\n', count - searched);
        if (feed != NULL) {
            size_t taken = (size_t)(feed - begin);
            status = take_line(client, 0, feed, error);
            if (status != SEAM_CLIENT_OK)
                return status;
            client->scanned = client->scanned > taken ? client->scanned - taken - 1 : 0;
            *line = client->line;
            if (length != NULL)
                *length = taken;
            return SEAM_CLIENT_OK;
        }
        searched = count;
        status = receive_more(client, deadline, error);
        if (status != SEAM_CLIENT_OK)
            return status;
    }
}

/* Whether the line answers the request `id`. What is neither an answer nor an event goes to seam_next_line. */
static int answers(struct seam_json line, long long id)
{
    struct seam_json said = seam_json_member(line, "id");
    if (said.bytes == NULL)
        return 0;
    /* Without an id it is about a line that could not be read, and that can only have been this one. */
    return id_of(line) == id || (said.length == 4 && memcmp(said.bytes, "null", 4) == 0);
}

enum seam_client_status seam_call(
    struct seam_client *client, const char *method, const char *params, int timeout_ms, const char **result,
    struct seam_client_error *error)
{
    long long deadline = deadline_in(timeout_ms);
    struct seam_json reply, said;
    size_t searched, size;
    status_t status;
    char *request;
    int length;
    fine(error);
    if (result != NULL)
        *result = NULL;
    if (client == NULL || method == NULL)
        return misused(error);
    if (params == NULL)
        params = "{}";
    status = no_line_feed(params, "params", error);
    if (status != SEAM_CLIENT_OK)
        return status;
    if (!is_name(method, 0) || strchr(method, '"') != NULL || strchr(method, '\\') != NULL)
        return fail(error, SEAM_CLIENT_BAD_NAME, 0, "this is no name of a method: %.200s", method);
    size = strlen(method) + strlen(params) + 96;
    request = (char *)malloc(size);
    if (request == NULL)
        return fail_memory(error);
    length = snprintf(
        request, size, "{\"jsonrpc\":\"2.0\",\"id\":%lld,\"method\":\"%s\",\"params\":%s}", ++client->asked, method,
        params);
    status = send_bytes(client, request, (size_t)length, deadline, error);
    free(request);
    searched = client->scanned;
    while (status == SEAM_CLIENT_OK) {
        struct buffer *in = &client->wire.in;
        char *begin = in->bytes + in->start + client->scanned, *feed;
        size_t behind = held(in) - client->scanned;
        searched = searched > client->scanned ? searched - client->scanned : 0;
        feed = behind == searched ? NULL : (char *)memchr(begin + searched, '\n', behind - searched);
        if (feed == NULL) {
            searched = held(in);
            status = receive_more(client, deadline, error);
            continue;
        }
        reply = part(begin, feed);
        if (!answers(reply, client->asked)) {
            size_t line = (size_t)(feed - begin) + 1;
            long long id = id_of(reply);
            /* The late reply to a call that ran out of time is nobody's. */
            if (id > 0 && id < client->asked)
                status = take_line(client, client->scanned, feed, error);
            else
                client->scanned += line;
            searched = client->scanned;
            continue;
        }
        status = take_line(client, client->scanned, feed, error);
        if (status != SEAM_CLIENT_OK)
            return status;
        reply = seam_json_of(client->line);
        said = seam_json_member(reply, "error");
        if (said.bytes != NULL)
            return refusal(said, error);
        said = seam_json_member(reply, "result");
        if (said.bytes == NULL)
            return fail(
                error, SEAM_CLIENT_PROTOCOL, 0, "there is no Seam daemon: neither a result nor an error came");
        /* The line is this client's own: its end can be cut off. */
        client->line[(size_t)(said.bytes - client->line) + said.length] = 0;
        if (result != NULL)
            *result = said.bytes;
        return SEAM_CLIENT_OK;
    }
    return status;
}
