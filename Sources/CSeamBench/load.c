/* The client: one thread, one loop, no parsing. */
#define _GNU_SOURCE
#include "CSeamBench.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* One read and one write at most: big enough that calls do not count, small enough that a probe is never kept
 * waiting for long by the copying (some 20 us). */
enum { CHUNK = 128 << 10 };
static const int64_t STALL = 10000000000;

int bench_connect(const char *path) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof name.sun_path) return -ENAMETOOLONG;
    strcpy(name.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -errno;
    if (connect(fd, (struct sockaddr *)&name, sizeof name) == 0) return fd;
    int status = -errno;
    close(fd);
    return status;
}

static int64_t count_line_feeds(const char *bytes, size_t length) {
    int64_t count = 0;
    const char *end = bytes + length;
    while ((bytes = memchr(bytes, '\n', (size_t)(end - bytes)))) {
        count++;
        bytes++;
    }
    return count;
}

/* Bytes read, 0 when there are none now, or -errno. */
static ssize_t take(int fd, char *buffer, size_t capacity) {
    ssize_t count = recv(fd, buffer, capacity, MSG_DONTWAIT);
    if (count > 0) return count;
    if (count == 0) return -ECONNRESET;
    return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

/* Bytes the socket took, 0 when it is full, or -errno. */
static ssize_t give(int fd, const char *bytes, size_t length) {
    ssize_t count = send(fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count >= 0) return count;
    return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

int64_t bench_exchange(
    int fd, const char *bytes, size_t length, int64_t line_feeds, char *answer, size_t capacity) {
    size_t sent = 0, kept = 0;
    int64_t got = 0;
    static char buffer[CHUNK];
    while (sent < length || got < line_feeds) {
        struct pollfd event = {fd, (short)((got < line_feeds ? POLLIN : 0) | (sent < length ? POLLOUT : 0)), 0};
        int ready = poll(&event, 1, (int)(STALL / 1000000));
        if (ready == 0) return -ETIMEDOUT;
        if (ready < 0 && errno != EINTR) return -errno;
        if (sent < length) {
            size_t rest = length - sent;
            ssize_t count = give(fd, bytes + sent, rest < CHUNK ? rest : CHUNK);
            if (count < 0) return count;
            sent += (size_t)count;
        }
        if (got < line_feeds) {
            ssize_t count = take(fd, buffer, sizeof buffer);
            if (count < 0) return count;
            got += count_line_feeds(buffer, (size_t)count);
            size_t room = capacity - kept;
            size_t part = (size_t)count < room ? (size_t)count : room;
            memcpy(answer + kept, buffer, part);
            kept += part;
        }
    }
    return (int64_t)kept;
}

int64_t bench_read_quiet(int fd, int milliseconds, char *bytes, size_t capacity) {
    size_t kept = 0;
    while (kept < capacity) {
        struct pollfd event = {fd, POLLIN, 0};
        int ready = poll(&event, 1, milliseconds);
        if (ready == 0) break;
        if (ready < 0 && errno != EINTR) return -errno;
        ssize_t count = take(fd, bytes + kept, capacity - kept);
        if (count < 0) return count;
        kept += (size_t)count;
    }
    return (int64_t)kept;
}

static void keep_tail(bench_subscriber *subscriber, const char *bytes, size_t length) {
    if (length >= BENCH_TAIL) {
        memcpy(subscriber->tail, bytes + length - BENCH_TAIL, BENCH_TAIL);
        subscriber->tail_length = BENCH_TAIL;
        return;
    }
    size_t old = subscriber->tail_length;
    if (old + length > BENCH_TAIL) {
        size_t excess = old + length - BENCH_TAIL;
        memmove(subscriber->tail, subscriber->tail + excess, old - excess);
        old -= excess;
    }
    memcpy(subscriber->tail + old, bytes, length);
    subscriber->tail_length = old + length;
}

/* The state of one run. */
typedef struct run {
    bench_load *load;
    char *buffer;
    int64_t sent;        /* events of which every byte went out */
    size_t place;        /* of the next byte, in the block of requests; it belongs to requests.next */
    int64_t reply_feeds; /* line feeds of replies */
    int64_t read;        /* events whose lines the slowest subscriber has */
    int64_t limit;       /* events to send; not known yet while there is an `end` */
    int64_t end;         /* when to stop sending, or 0 */
    int epoll;           /* for several subscribers, else -1 */
    /* The probe. */
    int64_t probe_sent; /* when, or 0 */
    int64_t probe_due;
    int64_t probe_feeds;
} run;

/* Sends what the window allows, one write. 1 when something went out. */
static int publish(run *run) {
    bench_load *load = run->load;
    bench_requests *requests = &load->requests;
    int64_t allowed = run->read + load->window - run->sent;
    if (allowed > run->limit - run->sent) allowed = run->limit - run->sent;
    if (allowed <= 0) return 0;
    size_t last = requests->next + (size_t)allowed;
    if (last > requests->count) last = requests->count;
    size_t length = requests->offsets[last] - run->place;
    ssize_t count = give(load->publisher, requests->bytes + run->place, length < CHUNK ? length : CHUNK);
    if (count <= 0) return (int)count;
    run->place += (size_t)count;
    while (requests->next < requests->count && requests->offsets[requests->next + 1] <= run->place) {
        requests->next++;
        run->sent++;
    }
    if (requests->next == requests->count) requests->next = run->place = 0;
    return 1;
}

static int read_replies(run *run) {
    ssize_t count = take(run->load->publisher, run->buffer, CHUNK);
    if (count <= 0) return (int)count;
    run->reply_feeds += count_line_feeds(run->buffer, (size_t)count);
    return 1;
}

static int read_subscriber(run *run, bench_subscriber *subscriber) {
    ssize_t count = take(subscriber->fd, run->buffer, CHUNK);
    if (count <= 0) return (int)count;
    subscriber->line_feeds += count_line_feeds(run->buffer, (size_t)count);
    keep_tail(subscriber, run->buffer, (size_t)count);
    return 1;
}

static int read_subscribers(run *run) {
    bench_load *load = run->load;
    if (run->epoll < 0)
        return load->subscriber_count == 0 ? 0 : read_subscriber(run, &load->subscribers[0]);
    struct epoll_event events[256];
    int ready = epoll_wait(run->epoll, events, 256, 0);
    if (ready < 0) return errno == EINTR ? 0 : -errno;
    for (int index = 0; index < ready; index++) {
        int status = read_subscriber(run, events[index].data.ptr);
        if (status < 0) return status;
    }
    return ready > 0;
}

/* How far the slowest subscriber is. */
static void look(run *run) {
    bench_load *load = run->load;
    size_t counted = load->subscriber_count - load->bystander_count;
    int64_t least = INT64_MAX;
    for (size_t index = 0; index < counted; index++)
        if (load->subscribers[index].line_feeds < least) least = load->subscribers[index].line_feeds;
    run->read = counted == 0 ? run->sent : least / load->line_feeds_per_event;
}

static int ask_probe(run *run, int64_t now) {
    bench_probe *probe = &run->load->probe;
    if (probe->fd < 0) return 0;
    if (run->probe_sent == 0) {
        if (now < run->probe_due || probe->count == probe->capacity) return 0;
        bench_requests *requests = &probe->requests;
        size_t begin = requests->offsets[requests->next];
        size_t length = requests->offsets[requests->next + 1] - begin;
        ssize_t count = give(probe->fd, requests->bytes + begin, length);
        /* One small request on a connection with nothing under way always fits. */
        if (count != (ssize_t)length) return count < 0 ? (int)count : -EPROTO;
        requests->next = (requests->next + 1) % requests->count;
        run->probe_sent = now;
        run->probe_feeds = 0;
        return 1;
    }
    ssize_t count = take(probe->fd, run->buffer, CHUNK);
    if (count <= 0) return (int)count;
    run->probe_feeds += count_line_feeds(run->buffer, (size_t)count);
    if (run->probe_feeds < probe->line_feeds) return 1;
    int64_t came = bench_now();
    probe->samples[probe->count++] = came - run->probe_sent;
    run->probe_sent = 0;
    run->probe_due = came + probe->pause;
    return 1;
}

/* Sleeps until there is something to do. 0, or -ETIMEDOUT. */
static int await(run *run, int wants_out) {
    bench_load *load = run->load;
    struct pollfd events[3];
    nfds_t count = 0;
    short wanted = (short)((load->line_feeds_per_reply > 0 ? POLLIN : 0) | (wants_out ? POLLOUT : 0));
    if (wanted != 0) events[count++] = (struct pollfd){load->publisher, wanted, 0};
    if (run->epoll >= 0) events[count++] = (struct pollfd){run->epoll, POLLIN, 0};
    else if (load->subscriber_count > 0) events[count++] = (struct pollfd){load->subscribers[0].fd, POLLIN, 0};
    int64_t wait = STALL, now = bench_now();
    if (load->probe.fd >= 0) {
        if (run->probe_sent != 0) events[count++] = (struct pollfd){load->probe.fd, POLLIN, 0};
        else if (load->probe.count < load->probe.capacity)
            wait = run->probe_due > now ? run->probe_due - now : 0;
    }
    if (run->end != 0 && run->end > now && run->end - now < wait) wait = run->end - now;
    struct timespec limit = {wait / 1000000000, wait % 1000000000};
    int ready = ppoll(events, count, &limit, NULL);
    if (ready < 0) return errno == EINTR ? 0 : -errno;
    return ready == 0 && wait == STALL ? -ETIMEDOUT : 0;
}

static int drive(run *run) {
    bench_load *load = run->load;
    for (;;) {
        int progress = 0, status;
        int64_t now = load->probe.fd >= 0 || run->end != 0 ? bench_now() : 0;
        if (run->end != 0 && now >= run->end) {
            /* A request of which only a part went out is completed. */
            run->limit = run->sent + (run->place != load->requests.offsets[load->requests.next]);
            run->end = 0;
        }
        int is_sending = run->sent < run->limit;
        if ((status = ask_probe(run, now)) < 0) return status;
        progress |= status;
        if (is_sending) {
            if ((status = publish(run)) < 0) return status;
            progress |= status;
        }
        if (load->line_feeds_per_reply > 0) {
            if ((status = read_replies(run)) < 0) return status;
            progress |= status;
        }
        if ((status = read_subscribers(run)) < 0) return status;
        progress |= status;
        if (status > 0 || load->subscriber_count == load->bystander_count) look(run);
        if (!is_sending && run->read >= run->sent
            && run->reply_feeds >= run->sent * load->line_feeds_per_reply)
            return 0;
        if (!progress) {
            int wants_out = is_sending && run->read + load->window > run->sent;
            if ((status = await(run, wants_out)) < 0) return status;
        }
    }
}

/* Waits for a probe that is under way; more bytes than were due are an error. */
static int finish(run *run) {
    bench_load *load = run->load;
    while (load->probe.fd >= 0 && run->probe_sent != 0) {
        struct pollfd event = {load->probe.fd, POLLIN, 0};
        if (poll(&event, 1, (int)(STALL / 1000000)) == 0) return -ETIMEDOUT;
        int status = ask_probe(run, 0);
        if (status < 0) return status;
    }
    if (run->reply_feeds > run->sent * load->line_feeds_per_reply) return -EPROTO;
    for (size_t index = 0; index < load->subscriber_count - load->bystander_count; index++) {
        bench_subscriber *subscriber = &load->subscribers[index];
        if (subscriber->line_feeds > run->sent * load->line_feeds_per_event) return -EPROTO;
    }
    return 0;
}

int bench_run(bench_load *load) {
    run run = {.load = load, .epoll = -1, .limit = load->events > 0 ? load->events : INT64_MAX};
    run.buffer = malloc(CHUNK);
    if (!run.buffer) return -ENOMEM;
    run.place = load->requests.offsets[load->requests.next];
    int status = 0;
    for (size_t index = 0; index < load->subscriber_count; index++) {
        load->subscribers[index].line_feeds = 0;
        load->subscribers[index].tail_length = 0;
    }
    if (load->subscriber_count > 1) {
        run.epoll = epoll_create1(EPOLL_CLOEXEC);
        for (size_t index = 0; index < load->subscriber_count; index++) {
            struct epoll_event event = {.events = EPOLLIN, .data.ptr = &load->subscribers[index]};
            if (epoll_ctl(run.epoll, EPOLL_CTL_ADD, load->subscribers[index].fd, &event) < 0) status = -errno;
        }
    }
    load->probe.count = 0;
    int64_t spent = bench_own_time(), begin = bench_now();
    if (load->events == 0) run.end = begin + load->duration;
    if (status == 0) status = drive(&run);
    load->elapsed = bench_now() - begin;
    load->client_time = bench_own_time() - spent;
    load->sent = run.sent;
    if (status == 0) status = finish(&run);
    if (run.epoll >= 0) close(run.epoll);
    free(run.buffer);
    return status;
}

const char *bench_tail(const bench_subscriber *subscriber) { return subscriber->tail; }

int bench_latency(bench_load *load, int64_t *samples) {
    run run = {.load = load, .epoll = -1};
    bench_subscriber *subscriber = &load->subscribers[0];
    run.buffer = malloc(CHUNK);
    if (!run.buffer) return -ENOMEM;
    subscriber->line_feeds = 0;
    subscriber->tail_length = 0;
    int status = 0;
    int64_t spent = bench_own_time(), start = bench_now();
    while (run.sent < load->events && status >= 0) {
        bench_requests *requests = &load->requests;
        size_t begin = requests->offsets[requests->next];
        size_t length = requests->offsets[requests->next + 1] - begin;
        int64_t before = bench_now();
        ssize_t count = give(load->publisher, requests->bytes + begin, length);
        if (count != (ssize_t)length) status = count < 0 ? (int)count : -EPROTO;
        requests->next = (requests->next + 1) % requests->count;
        run.sent++;
        int64_t lines = run.sent * load->line_feeds_per_event, replies = run.sent * load->line_feeds_per_reply;
        int has_line = 0;
        while (status >= 0 && (!has_line || run.reply_feeds < replies)) {
            struct pollfd events[2] = {
                {subscriber->fd, POLLIN, 0},
                {load->publisher, POLLIN, 0},
            };
            int ready = poll(events, 2, (int)(STALL / 1000000));
            if (ready == 0) status = -ETIMEDOUT;
            if (ready <= 0) continue;
            if (events[0].revents) status = read_subscriber(&run, subscriber);
            if (!has_line && subscriber->line_feeds >= lines) {
                samples[run.sent - 1] = bench_now() - before;
                has_line = 1;
            }
            if (status >= 0 && events[1].revents) status = read_replies(&run);
        }
    }
    load->elapsed = bench_now() - start;
    load->client_time = bench_own_time() - spent;
    load->sent = run.sent;
    if (status >= 0) status = finish(&run);
    free(run.buffer);
    return status;
}
