/* The parts of the benchmark that must cost next to nothing, or that Swift cannot spell.
 *
 * The client is the same code for every server: bytes that were made before the clock started go out, line feeds
 * are counted as they come in, and nothing is parsed. One thread drives the publisher, the subscribers and the
 * probe, so that the client needs one core and no locks. What fails answers a negative errno. */
#ifndef SEAM_CSEAMBENCH_H
#define SEAM_CSEAMBENCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* MARK: processes */

/* Starts `program` on the processor `cpu` (-1: any), its output going to the descriptor `log_fd`. It is killed when
 * this process ends, however that happens. The process id, or -errno; a program that cannot be executed exits 127. */
pid_t bench_spawn(const char *program, char *const argv[], int cpu, int log_fd);

/* Waits until the process has ended, `milliseconds` at most. Its wait status, -ETIMEDOUT or -errno. */
int bench_wait(pid_t pid, int milliseconds);

/* The same thread goes on on `cpu` alone. */
int bench_pin(int cpu);

/* The first and the last processor this process may use. Their number. */
int bench_processors(int *first, int *last);

/* Processor time of a whole process, or of the calling thread, in nanoseconds. */
int64_t bench_process_time(pid_t pid);
int64_t bench_own_time(void);

/* Bytes resident, and the most there were since bench_reset_peak. */
int bench_memory(pid_t pid, int64_t *resident, int64_t *peak);
int bench_reset_peak(pid_t pid);

/* Nanoseconds of the monotonic clock. */
int64_t bench_now(void);

/* On SIGINT, SIGTERM and SIGHUP the folder goes, with the files that the servers make in it, and then this
 * process. One folder; its name is copied. */
int bench_clean_up_on_signal(const char *folder);

/* MARK: sockets */

/* A connection that never waits, or -errno. */
int bench_connect(const char *path);

/* Sends all bytes and then reads until `line_feeds` have come, keeping up to `capacity` bytes of the answer. The
 * length of what was kept, or -errno; -ETIMEDOUT after ten seconds in which nothing moved. */
int64_t bench_exchange(
    int fd, const char *bytes, size_t length, int64_t line_feeds, char *answer, size_t capacity);

/* Reads what is there until nothing came for `milliseconds`, keeping up to `capacity` bytes: how many, or -errno. */
int64_t bench_read_quiet(int fd, int milliseconds, char *bytes, size_t capacity);

/* MARK: load */

/* Requests in one block: request `i` begins at `offsets[i]` and ends at `offsets[i + 1]`. After the last comes the
 * first again. */
typedef struct bench_requests {
    const char *bytes;
    const uint32_t *offsets;
    size_t count;
    size_t next; /* the one to begin with; afterwards the one to go on with, since a repeated one would change nothing */
} bench_requests;

/* Somebody who sends one request, reads its `line_feeds`, waits, and sends the next, while the load runs. */
typedef struct bench_probe {
    int fd; /* -1: nobody */
    bench_requests requests;
    int64_t line_feeds;
    int64_t pause;    /* ns between an answer and the next request */
    int64_t *samples; /* ns; filled */
    size_t capacity;
    size_t count; /* filled */
} bench_probe;

enum { BENCH_TAIL = 1024 };

/* One reading end. */
typedef struct bench_subscriber {
    int fd;
    int64_t line_feeds;    /* filled */
    char tail[BENCH_TAIL]; /* filled: the last bytes that came */
    size_t tail_length;
} bench_subscriber;

/* `tail`, for Swift, to which an array in a struct is a tuple. */
const char *bench_tail(const bench_subscriber *subscriber);

typedef struct bench_load {
    int publisher;
    bench_requests requests;
    int64_t events;   /* how many to send; 0: until `duration` is over */
    int64_t duration; /* ns */
    int64_t window;   /* the publisher is never further ahead of the slowest subscriber, in events */
    int64_t line_feeds_per_event; /* at a subscriber */
    int64_t line_feeds_per_reply; /* at the publisher; 0: there are none */
    bench_subscriber *subscribers;
    size_t subscriber_count;
    size_t bystander_count; /* so many of the last subscribers are read, but neither waited for nor counted */
    bench_probe probe;
    /* Filled: */
    int64_t sent;       /* events */
    int64_t elapsed;    /* ns from the first byte out to the last line and reply in */
    int64_t client_time; /* ns of processor time of this thread */
} bench_load;

/* Runs the load to its end: every line and reply of what was sent is read. 0, -ETIMEDOUT after ten seconds in which
 * nothing moved, -ECONNRESET when the server closed, -EPROTO when more came than was to come. */
int bench_run(bench_load *load);

/* One event at a time: sends, waits for its line, then for its reply. `samples` gets the nanoseconds from before
 * the send to the line. */
int bench_latency(bench_load *load, int64_t *samples);

/* MARK: the floor */

/* A libuv relay: whatever comes in at the socket `in` goes out to everyone connected to `out`, unparsed. Returns
 * only when it cannot serve. */
int bench_relay(const char *in, const char *out);

/* MARK: the guard */

/* Call `body`. callgrind counts only inside of the one that it is told the name of. */
void bench_guard_wire(void (*body)(void *), void *context);
void bench_guard_kernel(void (*body)(void *), void *context);
void bench_guard_encoder(void (*body)(void *), void *context);

/* What this processor, or the one that valgrind plays, says it can: words with spaces between them. */
size_t bench_processor_features(char *text, size_t capacity);

#endif
