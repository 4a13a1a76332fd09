#define _GNU_SOURCE
#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include "CCurses.h"

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

_Static_assert(sizeof(wchar_t) == sizeof(int32_t), "code points are passed on as wide characters");

static SCREEN *screen;
static int events = -1;
static int signals = -1;
static int shows_colors;

int ccurses_locale(void) {
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0) {
        return 1;
    }
    const char *names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
        const char *value = getenv(names[at]);
        if (value == NULL || *value == 0) {
            continue;
        }
        const char *set = strchr(value, '.');
        int is_utf8 = set != NULL && (strcasecmp(set, ".UTF-8") == 0 || strcasecmp(set, ".UTF8") == 0);
        return is_utf8 && setlocale(LC_CTYPE, "C.UTF-8") != NULL;
    }
    return 0;
}

static void signal_set(sigset_t *set) {
    sigemptyset(set);
    sigaddset(set, SIGTSTP);
    sigaddset(set, SIGCONT);
    sigaddset(set, SIGWINCH);
}

/* Text of right-to-left scripts stays in the order of the columns: a terminal that reorders a line would let two
 * columns change places. Terminals that never do pass over it. (ECMA-48, BDSM: explicit.) */
static void say(const char *sequence) {
    ssize_t ignored = write(STDOUT_FILENO, sequence, strlen(sequence));
    (void)ignored;
}

static void reorders(int on) { say(on ? "\033[8h" : "\033[8l"); }

/* How the terminal was, and what gives it back, for the moment in which nothing of ncurses may be called any more. */
static struct termios settings;
static char farewell[128];
static const int deadly[] = {SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
#define DEADLY (sizeof deadly / sizeof *deadly)
static struct sigaction before[DEADLY];

/* This program is about to die: the terminal is not to die with it. Then whatever would have happened happens. */
static void die(int number) {
    ssize_t ignored = write(STDOUT_FILENO, farewell, strlen(farewell));
    (void)ignored;
    tcsetattr(STDIN_FILENO, TCSANOW, &settings);
    for (size_t at = 0; at < DEADLY; at++) {
        sigaction(deadly[at], &before[at], NULL);
    }
    raise(number);
}

static void prepare_for_death(void) {
    const char *parts[] = {"\033[8h\033[m", keypad_local, cursor_normal, exit_ca_mode};
    farewell[0] = 0;
    for (size_t at = 0; at < sizeof parts / sizeof *parts; at++) {
        /* Padding would have to be counted out; terminals that need it have nothing to leave. */
        if (parts[at] != NULL && parts[at] != (char *)-1 && strstr(parts[at], "$<") == NULL &&
            strlen(farewell) + strlen(parts[at]) < sizeof farewell) {
            strcat(farewell, parts[at]);
        }
    }
    struct sigaction dying = {.sa_handler = die};
    sigemptyset(&dying.sa_mask);
    for (size_t at = 0; at < DEADLY; at++) {
        sigaction(deadly[at], &dying, &before[at]);
    }
}

int ccurses_open(int with_colors) {
    tcgetattr(STDIN_FILENO, &settings);
    set_escdelay(25);
    screen = newterm(NULL, stdout, stdin);
    if (screen == NULL) {
        return CCURSES_UNKNOWN_TERMINAL;
    }
    /* endwin() first: newterm has prepared the terminal already. */
    if (cursor_address == NULL || clear_screen == NULL) {
        endwin();
        delscreen(screen);
        screen = NULL;
        return CCURSES_POOR_TERMINAL;
    }
    /* No code of ncurses may run inside a handler: what it has installed for these is taken back. */
    sigset_t watched;
    signal_set(&watched);
    sigprocmask(SIG_BLOCK, &watched, NULL);
    signal(SIGTSTP, SIG_DFL);
    signal(SIGWINCH, SIG_DFL);
    signals = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
    events = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event wanted = {.events = EPOLLIN};
    epoll_ctl(events, EPOLL_CTL_ADD, signals, &wanted);
    epoll_ctl(events, EPOLL_CTL_ADD, STDIN_FILENO, &wanted);

    /* Arrows come in two forms, and not every terminal sends the one that its entry names. */
    const struct {
        const char *sequence;
        int key;
    } keys[] = {
        {"\033[A", KEY_UP},   {"\033OA", KEY_UP},   {"\033[B", KEY_DOWN},  {"\033OB", KEY_DOWN},
        {"\033[C", KEY_RIGHT}, {"\033OC", KEY_RIGHT}, {"\033[D", KEY_LEFT},  {"\033OD", KEY_LEFT},
        {"\033[H", KEY_HOME}, {"\033OH", KEY_HOME}, {"\033[1~", KEY_HOME}, {"\033[F", KEY_END},
        {"\033OF", KEY_END},  {"\033[4~", KEY_END},
    };
    for (size_t at = 0; at < sizeof keys / sizeof *keys; at++) {
        define_key(keys[at].sequence, keys[at].key);
    }
    prepare_for_death();
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    intrflush(stdscr, FALSE);
    leaveok(stdscr, FALSE);
    curs_set(0);
    shows_colors = with_colors && has_colors();
    if (shows_colors) {
        start_color();
        use_default_colors();
        const short colors[] = {COLOR_RED, COLOR_GREEN, COLOR_YELLOW, COLOR_MAGENTA, COLOR_CYAN};
        for (short at = 0; at < 5; at++) {
            init_pair((short)(at + 1), colors[at], -1);
        }
    }
    reorders(0);
    return 0;
}

void ccurses_close(void) {
    if (screen == NULL) {
        return;
    }
    curs_set(1);
    endwin();
    reorders(1);
    delscreen(screen);
    screen = NULL;
    close(events);
    close(signals);
    sigset_t watched;
    signal_set(&watched);
    sigprocmask(SIG_UNBLOCK, &watched, NULL);
    for (size_t at = 0; at < DEADLY; at++) {
        sigaction(deadly[at], &before[at], NULL);
    }
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

int ccurses_events(void) {
    return events;
}

int ccurses_is_there(void) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&input, 1, 0) <= 0 || !(input.revents & (POLLHUP | POLLERR | POLLNVAL));
}

int ccurses_is_writable(void) {
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) > 0;
}

static void take_size(void) {
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
        resize_term(size.ws_row, size.ws_col);
    }
}

static void stop(void) {
    def_prog_mode();
    curs_set(1);
    endwin();
    reorders(1);
    /* Stopped by the signal itself, so that the shell sees what stopped it. */
    sigset_t stopping;
    sigemptyset(&stopping);
    sigaddset(&stopping, SIGTSTP);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stopping, NULL);
    sigprocmask(SIG_BLOCK, &stopping, NULL);
    reset_prog_mode();
    reorders(0);
    take_size();
    curs_set(0);
}

int ccurses_take_signals(void) {
    int is_stale = 0;
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGTSTP) {
            stop();
        } else {
            take_size();
        }
        is_stale = 1;
    }
    if (is_stale) {
        ccurses_forget();
    }
    return is_stale;
}

int ccurses_rows(void) {
    return LINES;
}

int ccurses_columns(void) {
    return COLS;
}

int32_t ccurses_key(void) {
    wint_t key;
    switch (get_wch(&key)) {
    case OK:
        switch (key) {
        case 27: return CCURSES_ESCAPE;
        case '\r':
        case '\n': return CCURSES_ENTER;
        case 8:
        case 127: return CCURSES_BACKSPACE;
        default: return key < 0x110000 ? (int32_t)key : CCURSES_OTHER;
        }
    case KEY_CODE_YES:
        switch (key) {
        case KEY_UP: return CCURSES_UP;
        case KEY_DOWN: return CCURSES_DOWN;
        case KEY_LEFT: return CCURSES_LEFT;
        case KEY_RIGHT: return CCURSES_RIGHT;
        case KEY_PPAGE: return CCURSES_PAGE_UP;
        case KEY_NPAGE: return CCURSES_PAGE_DOWN;
        case KEY_HOME: return CCURSES_HOME;
        case KEY_END: return CCURSES_END;
        case KEY_ENTER: return CCURSES_ENTER;
        case KEY_BACKSPACE: return CCURSES_BACKSPACE;
        default: return CCURSES_OTHER;
        }
    default: return CCURSES_NONE;
    }
}

void ccurses_erase(void) {
    erase();
}

void ccurses_forget(void) {
    clearok(curscr, TRUE);
}

void ccurses_put(int row, int column, const int32_t *text, int count, unsigned look) {
    attr_t attributes = A_NORMAL;
    if (look & CCURSES_BOLD) {
        attributes |= A_BOLD;
    }
    if (look & CCURSES_DIM) {
        attributes |= A_DIM;
    }
    if (look & CCURSES_REVERSE) {
        attributes |= A_REVERSE;
    }
    if (look & CCURSES_UNDERLINE) {
        attributes |= A_UNDERLINE;
    }
    attr_set(attributes, shows_colors ? (short)(look & CCURSES_COLORS) : 0, NULL);
    /* Writing the last cell of the screen "fails", since the cursor cannot go on; it is written all the same. */
    mvaddnwstr(row, column, (const wchar_t *)text, count);
    attr_set(A_NORMAL, 0, NULL);
}

void ccurses_show(int cursor_row, int cursor_column) {
    if (cursor_row >= 0) {
        curs_set(1);
        move(cursor_row, cursor_column);
    } else {
        curs_set(0);
    }
    /* One picture, however many pieces the bytes arrive in (DEC private mode 2026); who does not know the mode passes
     * over it. */
    say("\033[?2026h");
    refresh();
    say("\033[?2026l");
}

int ccurses_width(int32_t code_point) {
    static locale_t unicode;
    if (unicode == (locale_t)0) {
        unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
        if (unicode == (locale_t)0) {
            return code_point >= 0x20 && code_point < 0x7f ? 1 : -1;
        }
    }
    locale_t before = uselocale(unicode);
    int width = wcwidth((wchar_t)code_point);
    uselocale(before);
    return width;
}
