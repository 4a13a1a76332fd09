#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <limits.h>
#include <locale.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "CSeamCheck.h"

extern char **environ;

// libdispatch exports these for whoever runs the main queue on a loop of its own, as CFRunLoop does; no header has them.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *ignored);

int check_begin(int results) {
    // A plug-in may ignore SIGTERM; nobody ignores this one.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    int moved = fcntl(results, F_DUPFD_CLOEXEC, 500);
    if (moved < 0) moved = fcntl(results, F_DUPFD_CLOEXEC, results + 1);
    if (moved >= 0) close(results);
    return moved;
}

bool check_run_main_queue(int milliseconds) {
    struct pollfd handle = {.fd = _dispatch_get_main_queue_handle_4CF(), .events = POLLIN};
    if (poll(&handle, 1, milliseconds) != 1) return false;
    uint64_t count;
    if (read(handle.fd, &count, sizeof count) < 0) return false;
    _dispatch_main_queue_callback_4CF(NULL);
    return true;
}

size_t check_heap_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static int count_entries(const char *folder) {
    DIR *listing = opendir(folder);
    if (listing == NULL) return -1;
    int count = 0;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) count += entry->d_name[0] != '.';
    closedir(listing);
    return count;
}

// Less the one that the listing itself holds.
int check_descriptor_count(void) { return count_entries("/proc/self/fd") - 1; }

int check_thread_count(void) { return count_entries("/proc/self/task"); }

void check_let_pass(int milliseconds) { poll(NULL, 0, milliseconds); }

// MARK: Surroundings

enum { SIGNALS = 65 };

// The modes of the floating-point unit without its status flags.
static uint64_t float_modes(void) {
#if defined(__x86_64__)
    return __builtin_ia32_stmxcsr() & 0xffc0u;
#elif defined(__aarch64__)
    uint64_t modes;
    __asm__("mrs %0, fpcr" : "=r"(modes));
    return modes;
#else
    return 0;
#endif
}

static struct {
    struct sigaction actions[SIGNALS];
    sigset_t mask;
    char locale[512];
    locale_t thread_locale;
    mode_t umask;
    char folder[PATH_MAX];
    int rounding;
    uint64_t float_modes;
    char **environment;
    int descriptors;
    int threads;
    int output;
} noted;

static mode_t current_umask(void) {
    mode_t mask = umask(0);
    umask(mask);
    return mask;
}

static void copy_locale(char *into, size_t size) {
    const char *name = setlocale(LC_ALL, NULL);
    snprintf(into, size, "%s", name ? name : "");
}

void check_surroundings_note(void) {
    memset(&noted, 0, sizeof noted);
    for (int number = 1; number < SIGNALS; number++) sigaction(number, NULL, &noted.actions[number]);
    pthread_sigmask(SIG_SETMASK, NULL, &noted.mask);
    copy_locale(noted.locale, sizeof noted.locale);
    noted.thread_locale = uselocale((locale_t)0);
    noted.umask = current_umask();
    if (getcwd(noted.folder, sizeof noted.folder) == NULL) noted.folder[0] = 0;
    noted.rounding = fegetround();
    noted.float_modes = float_modes();
    size_t count = 0;
    while (environ != NULL && environ[count] != NULL) count++;
    noted.environment = calloc(count + 1, sizeof *noted.environment);
    for (size_t i = 0; noted.environment != NULL && i < count; i++) noted.environment[i] = strdup(environ[i]);
    noted.output = memfd_create("standard output", MFD_CLOEXEC);
    if (noted.output >= 0) dup2(noted.output, STDOUT_FILENO);
    _dispatch_get_main_queue_handle_4CF();  // the daemon has it before the first plug-in
    noted.descriptors = check_descriptor_count();
    noted.threads = check_thread_count();
}

struct text {
    char *bytes;
    size_t size, length;
};

static void say(struct text *text, const char *format, ...) {
    if (text->length + 1 >= text->size) return;
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(text->bytes + text->length, text->size - text->length, format, arguments);
    va_end(arguments);
    if (count > 0) text->length += (size_t)count;
    if (text->length >= text->size) text->length = text->size - 1;
}

static bool is_in(char **list, const char *entry) {
    for (size_t i = 0; list != NULL && list[i] != NULL; i++)
        if (strcmp(list[i], entry) == 0) return true;
    return false;
}

size_t check_surroundings_changes(char *into, size_t size) {
    struct text text = {into, size, 0};
    into[0] = 0;
    for (int number = 1; number < SIGNALS; number++) {
        struct sigaction now;
        memset(&now, 0, sizeof now);
        if (sigaction(number, NULL, &now) != 0) continue;
        if (now.sa_handler != noted.actions[number].sa_handler || now.sa_flags != noted.actions[number].sa_flags) {
            const char *name = sigabbrev_np(number);
            say(&text, "the action of signal %d (SIG%s)\n", number, name ? name : "?");
        }
    }
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    for (int number = 1; number < SIGNALS; number++)
        if (sigismember(&mask, number) != sigismember(&noted.mask, number)) {
            say(&text, "the signal mask\n");
            break;
        }
    char locale[sizeof noted.locale];
    copy_locale(locale, sizeof locale);
    if (strcmp(locale, noted.locale) != 0) say(&text, "the locale, from %s to %s\n", noted.locale, locale);
    if (uselocale((locale_t)0) != noted.thread_locale) say(&text, "the thread's locale (uselocale)\n");
    mode_t mode = current_umask();
    if (mode != noted.umask) say(&text, "the umask, from %03o to %03o\n", noted.umask, mode);
    char folder[PATH_MAX];
    if (getcwd(folder, sizeof folder) == NULL) folder[0] = 0;
    if (strcmp(folder, noted.folder) != 0) say(&text, "the working folder, to %.200s\n", folder);
    if (fegetround() != noted.rounding || float_modes() != noted.float_modes)
        say(&text, "the modes of the floating-point unit\n");
    for (size_t i = 0; environ != NULL && environ[i] != NULL; i++)
        if (!is_in(noted.environment, environ[i]))
            say(&text, "the environment variable %.*s\n", (int)strnlen(environ[i], strcspn(environ[i], "=")), environ[i]);
    size_t now = 0, before = 0;
    while (environ != NULL && environ[now] != NULL) now++;
    while (noted.environment != NULL && noted.environment[before] != NULL) before++;
    if (now < before) say(&text, "the environment, which has %zu variables less\n", before - now);
    int threads = check_thread_count();
    if (threads > noted.threads) say(&text, "the number of threads: %d started\n", threads - noted.threads);
    int descriptors = check_descriptor_count();
    if (descriptors != noted.descriptors)
        say(&text, "the open descriptors, from %d to %d\n", noted.descriptors, descriptors);
    // What was printed may still lie in stdio's buffer.
    fflush(NULL);
    struct stat output, written;
    if (noted.output >= 0 && fstat(STDOUT_FILENO, &output) == 0 && fstat(noted.output, &written) == 0) {
        if (output.st_ino != written.st_ino || output.st_dev != written.st_dev)
            say(&text, "what standard output leads to\n");
        else if (written.st_size > 0)
            say(&text, "standard output: it printed %lld bytes\n", (long long)written.st_size);
    } else if (noted.output >= 0) {
        say(&text, "standard output: it is closed\n");
    }
    return text.length;
}
