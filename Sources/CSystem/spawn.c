#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child, between fork and exec: only async-signal-safe calls. Returns the errno that stopped it. */
static int become_program(const char *program, char *const argv[], int ready_fd, int error_fd, pid_t parent) {
    if (setpgid(0, 0) < 0 || prctl(PR_SET_PDEATHSIG, SIGTERM) < 0) {
        return errno;
    }
    if (getppid() != parent) {
        return ESRCH; /* it died before the line above could tell the kernel */
    }
    for (int number = 1; number < NSIG; number++) {
        signal(number, SIG_DFL); /* fails for KILL, STOP and glibc's own, which is right */
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);

    int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null_fd < 0 || dup2(null_fd, 0) < 0 || dup2(null_fd, 1) < 0) {
        return errno;
    }
    if (error_fd >= 0 && dup2(error_fd, 2) < 0) {
        return errno;
    }
    /* dup2 onto itself would keep close-on-exec, so that case clears the flag instead. */
    if (ready_fd == 3 ? fcntl(3, F_SETFD, 0) < 0 : dup2(ready_fd, 3) < 0) {
        return errno;
    }
    /* What a service manager told the parent is not meant for a daemon of its own. One thread: safe here. */
    unsetenv("NOTIFY_SOCKET");
    unsetenv("LISTEN_PID");
    unsetenv("WATCHDOG_USEC");
    execv(program, argv);
    return errno;
}

pid_t csystem_spawn_bound_to_parent(const char *program, char *const argv[], int ready_fd, int error_fd) {
    /* The exec's outcome comes back through a pipe that a successful exec closes. */
    int outcome[2];
    if (pipe2(outcome, O_CLOEXEC) < 0) {
        return -errno;
    }
    /* Descriptor 3 is about to be overwritten in the child; the outcome pipe must not lie there. */
    if (outcome[1] == 3) {
        int higher = fcntl(outcome[1], F_DUPFD_CLOEXEC, 4);
        if (higher < 0) {
            int error = errno;
            close(outcome[0]);
            close(outcome[1]);
            return -error;
        }
        close(outcome[1]);
        outcome[1] = higher;
    }
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        int error = become_program(program, argv, ready_fd, error_fd, parent);
        ssize_t ignored = write(outcome[1], &error, sizeof error);
        (void)ignored;
        _exit(127);
    }
    int error = child < 0 ? errno : 0;
    close(outcome[1]);
    if (child > 0) {
        ssize_t count;
        do {
            count = read(outcome[0], &error, sizeof error);
        } while (count < 0 && errno == EINTR);
        if (count <= 0) {
            error = 0;
        } else {
            waitpid(child, NULL, 0);
        }
    }
    close(outcome[0]);
    return error != 0 ? -error : child;
}

int csystem_pidfd(pid_t child) {
    return (int)syscall(SYS_pidfd_open, child, 0);
}
