#define _GNU_SOURCE
#include "CSeamBench.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int64_t bench_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int bench_pin(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) < 0 ? -errno : 0;
}

int bench_processors(int *first, int *last) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) < 0) return -errno;
    int count = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET((size_t)cpu, &set)) continue;
        if (count++ == 0) *first = cpu;
        *last = cpu;
    }
    return count;
}

pid_t bench_spawn(const char *program, char *const argv[], int cpu, int log_fd) {
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid < 0) return -errno;
    if (pid > 0) return pid;
    /* In the child: nothing that allocates. posix_spawn has no place for the first line, without which a bench that
     * is killed leaves its servers behind. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    /* Its own group: a Ctrl-C is for the bench, which then ends it. */
    setpgid(0, 0);
    int empty = open("/dev/null", O_RDWR);
    dup2(empty, 0);
    dup2(log_fd, 1);
    dup2(log_fd, 2);
    if (syscall(SYS_close_range, 3u, ~0u, 0u) < 0)
        for (int fd = 3; fd < 1024; fd++) close(fd);
    if (cpu >= 0) bench_pin(cpu);
    execvp(program, argv);
    _exit(127);
}

int bench_wait(pid_t pid, int milliseconds) {
    int64_t end = bench_now() + (int64_t)milliseconds * 1000000;
    for (;;) {
        int status = 0;
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid) return status;
        if (ended < 0) return -errno;
        if (bench_now() >= end) return -ETIMEDOUT;
        poll(NULL, 0, 1);
    }
}

static int64_t read_clock(clockid_t clock) {
    struct timespec time;
    if (clock_gettime(clock, &time) < 0) return -errno;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t bench_process_time(pid_t pid) {
    clockid_t clock;
    int status = clock_getcpuclockid(pid, &clock);
    return status != 0 ? -status : read_clock(clock);
}

int64_t bench_own_time(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

int bench_memory(pid_t pid, int64_t *resident, int64_t *peak) {
    char line[256];
    snprintf(line, sizeof line, "/proc/%d/status", (int)pid);
    FILE *file = fopen(line, "re");
    if (!file) return -errno;
    long long value;
    *resident = 0;
    *peak = 0;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "VmRSS: %lld", &value) == 1) *resident = value * 1024;
        if (sscanf(line, "VmHWM: %lld", &value) == 1) *peak = value * 1024;
    }
    fclose(file);
    return 0;
}

int bench_reset_peak(pid_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/clear_refs", (int)pid);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return -errno;
    int status = write(fd, "5", 1) < 0 ? -errno : 0;
    close(fd);
    return status;
}

/* What the servers make in the folder of a run. */
static const char *const leftovers[] = {
    "seam.sock", "seam.sock.lock", "redis.sock", "in.sock", "out.sock", "log",
};
static int folder_fd = -1;
static char folder_path[512];

static void clean_up(int number) {
    /* Only what a signal handler may call. */
    for (size_t index = 0; index < sizeof leftovers / sizeof leftovers[0]; index++)
        unlinkat(folder_fd, leftovers[index], 0);
    rmdir(folder_path);
    signal(number, SIG_DFL);
    raise(number);
}

int bench_clean_up_on_signal(const char *folder) {
    if (strlen(folder) >= sizeof folder_path) return -ENAMETOOLONG;
    strcpy(folder_path, folder);
    folder_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder_fd < 0) return -errno;
    struct sigaction action = {.sa_handler = clean_up, .sa_flags = SA_NODEFER};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    return 0;
}
