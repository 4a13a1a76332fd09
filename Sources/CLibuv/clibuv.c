#define _GNU_SOURCE
#include "CLibuv.h"

#include <poll.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Exported by libdispatch for CoreFoundation; no public header declares them. */
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *ignored);

extern char _dispatch_main_q;
extern void dispatch_async_f(void *queue, void *context, void (*work)(void *));

/* The bell of the main queue. Dispatch rings it by eventfd_write(3) each time that blocks come where there were none, and
 * finds the one below first, since it is the program's own. So an empty queue is known by a look at `rung`: to ask the
 * eventfd each time took a twelfth of an event that runs Swift code. */
static int bell = -1;
static atomic_bool rung;
/* Whether it is heard at all: another Dispatch might ring in another way. Then the eventfd is asked. */
static int is_heard;

int eventfd_write(int fd, eventfd_t value) {
    ssize_t written = write(fd, &value, sizeof value);
    /* After the write: whoever sees `rung` finds something to read there. */
    if (fd == bell) atomic_store(&rung, 1);
    return written == sizeof value ? 0 : -1;
}

static void nothing(void *context) { (void)context; }

int seam_main_queue_handle(void) {
    if (bell >= 0) return bell;
    bell = _dispatch_get_main_queue_handle_4CF();
    dispatch_async_f(&_dispatch_main_q, NULL, nothing);
    is_heard = atomic_exchange(&rung, 0);
    /* That one is nobody's work: it is gone before anybody asks whether there is any. */
    eventfd_t rings;
    if (eventfd_read(bell, &rings) == 0) _dispatch_main_queue_callback_4CF(NULL);
    return bell;
}

int seam_main_queue_may_hold(void) {
    if (!is_heard) return 1;
    return atomic_load(&rung) && atomic_exchange(&rung, 0);
}

void seam_main_queue_run(void) { _dispatch_main_queue_callback_4CF(NULL); }

static int address(const char *path, struct sockaddr_un *out) {
    size_t length = strlen(path);
    if (length >= sizeof out->sun_path) return -ENAMETOOLONG;
    memset(out, 0, sizeof *out);
    out->sun_family = AF_UNIX;
    memcpy(out->sun_path, path, length + 1);
    return 0;
}

int seam_bind(const char *path) {
    struct sockaddr_un name;
    int status = address(path, &name);
    if (status < 0) return status;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -errno;
    mode_t before = umask(0177);
    status = bind(fd, (struct sockaddr *)&name, sizeof name) < 0 ? -errno : fd;
    umask(before);
    if (status < 0) close(fd);
    return status;
}

int seam_connect(const char *path) {
    struct sockaddr_un name;
    int status = address(path, &name);
    if (status < 0) return status;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -errno;
    status = connect(fd, (struct sockaddr *)&name, sizeof name) < 0 ? -errno : fd;
    if (status < 0) close(fd);
    return status;
}

int seam_peer(int fd, uint32_t *uid, uint32_t *gid, int32_t *pid) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) return -errno;
    *uid = peer.uid;
    *gid = peer.gid;
    *pid = peer.pid;
    return 0;
}

int seam_peer_has_group(int fd, uint32_t gid) {
    gid_t groups[1024];
    socklen_t length = sizeof groups;
    /* More groups than fit are an error, and the peer is then a member of none. */
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &length) < 0) return 0;
    for (size_t index = 0; index < length / sizeof groups[0]; index++)
        if (groups[index] == gid) return 1;
    return 0;
}

int seam_is_hung_up(int fd) {
    struct pollfd asked = {.fd = fd, .events = 0};
    return poll(&asked, 1, 0) == 1 && (asked.revents & POLLHUP) != 0;
}

int seam_has_descriptor(void) {
    /* Standard input is open: the daemon sees to that when it starts. */
    int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) return errno != EMFILE && errno != ENFILE;
    close(fd);
    return 1;
}

int seam_is_listener(int fd) {
    int domain = 0, type = 0, listens = 0;
    socklen_t length = sizeof domain;
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) < 0 || domain != AF_UNIX) return 0;
    length = sizeof type;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) < 0 || type != SOCK_STREAM) return 0;
    length = sizeof listens;
    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens != 0;
}

int seam_reopen_standard_descriptors(void) {
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
        /* The lowest free number is `fd`, for the ones below it are open by now. */
        if (open("/dev/null", O_RDWR) < 0) return -errno;
    }
    return 0;
}

int seam_notify(const char *path, const char *text) {
    struct sockaddr_un name;
    int status = address(path, &name);
    if (status < 0) return status;
    socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
    if (name.sun_path[0] == '@') name.sun_path[0] = 0;
    else length += 1;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    ssize_t sent = sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&name, length);
    status = sent < 0 ? -errno : 0;
    close(fd);
    return status;
}
