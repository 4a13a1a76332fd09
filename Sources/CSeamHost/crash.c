// The crash report. Everything from `report` down runs inside a signal handler: write(2) and plain loops only.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "seam_host.h"

struct seam_breadcrumb seam_breadcrumb;

static const struct {
    int number;
    const char *name;
} signal_names[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"},   {SIGFPE, "SIGFPE"},   {SIGABRT, "SIGABRT"},
    {SIGTRAP, "SIGTRAP"}, {SIGSYS, "SIGSYS"},   {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"},
    {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}, {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"},
    {SIGCHLD, "SIGCHLD"}, {SIGCONT, "SIGCONT"}, {SIGTSTP, "SIGTSTP"}, {SIGTTIN, "SIGTTIN"}, {SIGTTOU, "SIGTTOU"},
    {SIGURG, "SIGURG"},   {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"}, {SIGPROF, "SIGPROF"}, {SIGWINCH, "SIGWINCH"},
    {SIGIO, "SIGIO"},     {SIGPWR, "SIGPWR"},   {SIGVTALRM, "SIGVTALRM"}, {SIGSTKFLT, "SIGSTKFLT"},
};

const char *seam_signal_name(int number) {
    for (size_t i = 0; i < sizeof signal_names / sizeof *signal_names; i++)
        if (signal_names[i].number == number) return signal_names[i].name;
    return NULL;
}

// MARK: The report

enum { CRASH_SIGNALS = 7 };  // the first of signal_names
static struct sigaction previous[CRASH_SIGNALS];

// One buffer, one write: a report is not torn by what other threads print.
struct line {
    char bytes[8192];
    size_t length;
};

static void put(struct line *line, const char *text) {
    if (text == NULL) text = "?";
    while (*text != 0 && line->length < sizeof line->bytes) line->bytes[line->length++] = *text++;
}

static void put_number(struct line *line, uint64_t number) {
    char digits[24];
    size_t at = sizeof digits - 1;
    digits[at] = 0;
    do digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    put(line, &digits[at]);
}

static void put_breadcrumb(struct line *line) {
    put(line, "  plug-in:  ");
    put(line, seam_breadcrumb.plugin);
    put(line, "\n  scenario: ");
    put(line, seam_breadcrumb.scenario);
    put(line, "\n  callback: ");
    put(line, seam_breadcrumb.callback);
    put(line, "\n  turn:     ");
    put_number(line, seam_breadcrumb.turn);
    put(line, "\n");
}

static void put_out(const struct line *line) {
    size_t done = 0;
    while (done < line->length) {
        ssize_t wrote = write(STDERR_FILENO, line->bytes + done, line->length - done);
        if (wrote > 0) done += (size_t)wrote;
        else if (errno != EINTR) return;
    }
}

static void report(int number, siginfo_t *info, void *context) {
    (void)context;
    int saved = errno;
    struct line line = {.length = 0};
    put(&line, "seamd: ");
    put(&line, seam_signal_name(number));
    if (seam_breadcrumb.callback == NULL) {
        put(&line, " outside of every plug-in callback\n");
    } else {
        put(&line, seam_is_main_thread ? " inside a plug-in\n"
                                       : " on another thread, while the main thread was inside a plug-in\n");
        put_breadcrumb(&line);
    }
    put_out(&line);

    size_t index = 0;
    while (signal_names[index].number != number) index++;
    sigaction(number, &previous[index], NULL);
    errno = saved;
    // A fault comes again by itself when the instruction is run again, with its address for the previous action
    // to print. A sent signal (abort) and a trap, which counts as passed, have to be sent again; the signal is
    // blocked in here, so it arrives on return.
    bool repeats = info->si_code > 0 && number != SIGTRAP && number != SIGSYS && number != SIGABRT;
    if (!repeats) raise(number);
}

// MARK: exit() in a plug-in

// The process ends either way. It must not end with the status of the plug-in's choice, 0 perhaps, and in silence.
static void report_exit(void) {
    if (!seam_is_main_thread || seam_breadcrumb.callback == NULL) return;
    struct line line = {.length = 0};
    put(&line, "seamd: exit() called inside a plug-in; a callback has to return\n");
    put_breadcrumb(&line);
    put_out(&line);
    _exit(70);
}

int seam_crash_report_install(void) {
    size_t size = 64 * 1024;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return errno;
    stack_t stack = {.ss_sp = memory, .ss_size = size};
    if (sigaltstack(&stack, NULL) != 0) return errno;

    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = report;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < CRASH_SIGNALS; i++)
        if (sigaction(signal_names[i].number, &action, &previous[i]) != 0) return errno;
    return atexit(report_exit) == 0 ? 0 : ENOMEM;
}

// MARK: Signal actions around a dlopen

enum { SIGNALS = 32 };  // the real-time signals above are the threading library's
static struct sigaction noted[SIGNALS];

void seam_signals_note(void) {
    for (int number = 1; number < SIGNALS; number++) sigaction(number, NULL, &noted[number]);
}

uint64_t seam_signals_restore(void) {
    uint64_t replaced = 0;
    for (int number = 1; number < SIGNALS; number++) {
        struct sigaction now;
        if (sigaction(number, NULL, &now) != 0) continue;
        if (now.sa_sigaction == noted[number].sa_sigaction && now.sa_flags == noted[number].sa_flags) continue;
        if (sigaction(number, &noted[number], NULL) == 0) replaced |= UINT64_C(1) << number;
    }
    return replaced;
}
