// The stall watch: a thread that says which plug-in keeps the daemon from serving. The main thread cannot: it is inside.
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "seam_host.h"

uint32_t seam_stall_watch_sleeps = 0;

static uint64_t limit_ms, period_ms;

static uint64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

// MARK: One look

// One call as it was found; `callback` NULL = the main thread is in no plug-in.
struct look {
    uint64_t calls;
    const char *plugin, *scenario, *callback;
    uint64_t turn;
};

// The count is asked before and after: if the main thread wrote the crumb anew meanwhile, the call that was looked at
// is over, and no call as far as this look goes.
static struct look look(void) {
    struct look found;
    found.calls = __atomic_load_n(&seam_breadcrumb.calls, __ATOMIC_ACQUIRE);
    found.callback = __atomic_load_n(&seam_breadcrumb.callback, __ATOMIC_ACQUIRE);
    found.plugin = __atomic_load_n(&seam_breadcrumb.plugin, __ATOMIC_RELAXED);
    found.scenario = __atomic_load_n(&seam_breadcrumb.scenario, __ATOMIC_RELAXED);
    found.turn = __atomic_load_n(&seam_breadcrumb.turn, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (__atomic_load_n(&seam_breadcrumb.calls, __ATOMIC_RELAXED) != found.calls) found.callback = NULL;
    return found;
}

// MARK: What is said

// A file may be called anything; a record is one line and drives no terminal.
static void say(char *line, size_t size, int length) {
    if (length < 0) return;
    size_t count = (size_t)length < size ? (size_t)length : size - 1;
    for (size_t i = 0; i + 1 < count; i++)
        if ((unsigned char)line[i] < 0x20 || line[i] == 0x7F) line[i] = '?';
    line[count - 1] = '\n';
    // A log that cannot be written is no reason to stop watching.
    ssize_t ignored = write(STDERR_FILENO, line, count);
    (void)ignored;
}

static void say_stalled(const struct look *call, uint64_t ms, const char *again) {
    char line[8192];
    char scenario[256] = "";
    if (call->scenario != NULL)
        snprintf(scenario, sizeof scenario, " of the scenario %s, turn %llu,", call->scenario,
                 (unsigned long long)call->turn);
    say(line, sizeof line,
        snprintf(line, sizeof line,
                 "seamd: warning: %snobody is served: the plug-in %s has been in its callback %s%s for %llu.%llu s\n", again,
                 call->plugin == NULL ? "?" : call->plugin, call->callback, scenario, (unsigned long long)(ms / 1000),
                 (unsigned long long)(ms % 1000 / 100)));
}

static void say_over(const struct look *call, uint64_t ms) {
    char line[8192];
    say(line, sizeof line,
        snprintf(line, sizeof line, "seamd: warning: the plug-in %s came back from its callback %s after at least %llu.%llu s\n",
                 call->plugin == NULL ? "?" : call->plugin, call->callback, (unsigned long long)(ms / 1000),
                 (unsigned long long)(ms % 1000 / 100)));
}

// MARK: The thread

static void nap(uint64_t ms) {
    struct timespec time = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &time, &time) == EINTR) {}
}

// Sleeps until the next call begins. The main thread asks for `sleeps` behind its stores without a fence that would
// cost every call, so that a call may begin unseen in the moment in which this thread lies down. Hence two stages:
// it sleeps for one period first and looks again, when any store of that moment has long arrived.
static void sleep_until_called(uint64_t calls) {
    struct timespec period = {.tv_sec = (time_t)(period_ms / 1000), .tv_nsec = (long)(period_ms % 1000) * 1000000};
    __atomic_store_n(&seam_stall_watch_sleeps, 1, __ATOMIC_SEQ_CST);
    const struct timespec *patience = &period;
    while (__atomic_load_n(&seam_stall_watch_sleeps, __ATOMIC_SEQ_CST) != 0) {
        if (syscall(SYS_futex, &seam_stall_watch_sleeps, FUTEX_WAIT_PRIVATE, 1, patience, NULL, 0) == 0) continue;
        if (errno != ETIMEDOUT) continue;
        if (__atomic_load_n(&seam_breadcrumb.calls, __ATOMIC_ACQUIRE) != calls) break;
        patience = NULL;
    }
    __atomic_store_n(&seam_stall_watch_sleeps, 0, __ATOMIC_SEQ_CST);
}

void seam_stall_watch_wake(void) {
    // Once for each time that it lies down: the flag is down at the next call.
    __atomic_store_n(&seam_stall_watch_sleeps, 0, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &seam_stall_watch_sleeps, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

// A call is known by its count; it began at some time since the look before, so what is said is never too much.
static void *watch(void *ignored) {
    (void)ignored;
    struct look call = {.callback = NULL};
    uint64_t since = 0, next_word = 0;
    int is_told = 0;
    while (1) {
        struct look found = look();
        uint64_t now = now_ms();
        int is_same = found.calls == call.calls && found.callback != NULL && call.callback != NULL;
        if (is_told && !is_same) say_over(&call, now - since);
        if (!is_same) {
            if (found.callback == NULL && found.calls == call.calls) {
                // Nothing was called for a whole period.
                sleep_until_called(found.calls);
                found = look();
                now = now_ms();
            }
            call = found;
            since = now;
            next_word = limit_ms;
            is_told = 0;
        } else if (now - since >= next_word) {
            say_stalled(&call, now - since, is_told ? "still " : "");
            is_told = 1;
            next_word = (now - since) * 2;
        }
        nap(period_ms);
    }
    return NULL;
}

int seam_stall_watch_start(uint64_t milliseconds) {
    limit_ms = milliseconds;
    period_ms = milliseconds / 4;
    if (period_ms < 10) period_ms = 10;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN + 64 * 1024);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    // Signals are for the main thread.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_t thread;
    int status = pthread_create(&thread, &attributes, watch, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (status == 0) pthread_setname_np(thread, "stall watch");
    return status;
}
