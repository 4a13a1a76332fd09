#define _GNU_SOURCE
#include "CLibwebsockets.h"

#include <errno.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>

int seam_bound_send_buffer(int fd, int bytes) {
    /* The kernel doubles the number, for its own bookkeeping. */
    return setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes) < 0 ? -errno : 0;
}

int seam_has_ended(int fd) {
    char byte;
    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

int seam_random(void *bytes, size_t count) {
    unsigned char *next = bytes;
    while (count > 0) {
        ssize_t got = getrandom(next, count, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return -errno;
        next += got;
        count -= (size_t)got;
    }
    return 0;
}

static int64_t milliseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t seam_wall_milliseconds(void) { return milliseconds(CLOCK_REALTIME); }

int64_t seam_monotonic_milliseconds(void) { return milliseconds(CLOCK_MONOTONIC); }
