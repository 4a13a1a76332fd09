/* libuv for Swift, and the few system calls that Swift on Linux cannot spell.
 *
 * Swift sees no `struct ucred`, cannot fill `sockaddr_un.sun_path` without pointer tricks, and knows nothing of
 * the two functions by which Dispatch lends its main queue to another loop. Each of them is one small function
 * here. What fails answers a negative errno, as libuv does. */
#ifndef SEAM_CLIBUV_H
#define SEAM_CLIBUV_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

/* Dispatch's main queue, lent to a loop of our own: an eventfd that is readable when blocks wait, and the
 * function that runs what the queue held when it was called. CFRunLoop uses the same two. Main thread only. */
int seam_main_queue_handle(void);
void seam_main_queue_run(void);

/* 0 when the eventfd surely has nothing to read. What is answered with 1 is to be read: it is not answered twice. */
int seam_main_queue_may_hold(void);

/* Binds a stream socket at `path` (at most 107 bytes; longer is -ENAMETOOLONG) with mode 0600 from birth:
 * the umask is set before bind, since a chmod afterwards leaves a moment for others. Does not listen.
 * The umask belongs to the process: call this while it has no other thread that makes files. */
int seam_bind(const char *path);

/* Connects to `path` without waiting. The descriptor, or -errno: -ECONNREFUSED is a stale socket,
 * -EAGAIN a live one whose backlog is full. */
int seam_connect(const char *path);

/* Who is at the other end of a connected Unix socket, as the kernel noted it at connect. */
int seam_peer(int fd, uint32_t *uid, uint32_t *gid, int32_t *pid);

/* Whether that peer is a member of the group `gid`: 1 or 0. */
int seam_peer_has_group(int fd, uint32_t gid);

/* Whether `fd` is a listening Unix stream socket: 1 or 0. */
int seam_is_listener(int fd);

/* Whether the peer has closed both directions: half a close is no hang-up. */
int seam_is_hung_up(int fd);

/* Whether one more descriptor could be opened. */
int seam_has_descriptor(void);

/* Opens /dev/null for each of the descriptors 0, 1, 2 that is closed, so that no socket takes their number
 * and is written to by whoever prints. */
int seam_reopen_standard_descriptors(void);

/* Sends one datagram to the socket `path` (a leading '@' is the abstract namespace): sd_notify by hand. */
int seam_notify(const char *path, const char *text);

/* Asks for large pages for what the heap has grown by since the last call, once it is large. With nothing to ask for it
 * takes a few nanoseconds. */
void seam_heap_advise(void);

#endif
