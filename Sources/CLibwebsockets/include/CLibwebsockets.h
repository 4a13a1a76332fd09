/* libwebsockets for Swift, and what its macros and variadic functions keep from Swift.
 *
 * seam-gate runs it on a libuv loop of its own, so CLibuv comes along: both modules include uv.h. */
#ifndef SEAM_CLIBWEBSOCKETS_H
#define SEAM_CLIBWEBSOCKETS_H

#include <CLibuv.h>
#include <libwebsockets.h>
#include <stddef.h>
#include <stdint.h>

/* So many bytes in front of what lws_write() is given must be writable. */
static inline size_t seam_lws_pre(void) { return LWS_PRE; }

/* Keeps what the kernel holds for a reader that has stopped reading to about `bytes`: left alone it grows to megabytes
 * for each. Answers 0 or -errno. */
int seam_bound_send_buffer(int fd, int bytes);

/* Whether the other side has sent its end: 1 or 0. What it sent before that stays to be read. */
int seam_has_ended(int fd);

/* `count` bytes that nobody can guess. Answers 0 or -errno. */
int seam_random(void *bytes, size_t count);

/* Milliseconds of the wall clock, and of the monotonic one. */
int64_t seam_wall_milliseconds(void);
int64_t seam_monotonic_milliseconds(void);

#endif
