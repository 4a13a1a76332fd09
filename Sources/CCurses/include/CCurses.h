/*
 * ncurses with wide characters for Swift, which sees neither its macros nor its functions with variable arguments, and
 * takes its globals for shared between threads: one screen, in whole lines of code points.
 *
 * Everything here belongs to one thread. No function may be called but between ccurses_open and ccurses_close, unless
 * it says so.
 */
#ifndef SEAM_CCURSES_H
#define SEAM_CCURSES_H

#include <stdint.h>

/* How a piece of text looks: a colour (0 is the terminal's own) and attributes. */
enum {
    CCURSES_RED = 1,
    CCURSES_GREEN,
    CCURSES_YELLOW,
    CCURSES_MAGENTA,
    CCURSES_CYAN,
    CCURSES_COLORS = 0x0f,
    CCURSES_BOLD = 0x10,
    CCURSES_DIM = 0x20,
    CCURSES_REVERSE = 0x40,
    CCURSES_UNDERLINE = 0x80
};

/* What a key is; below 0x110000 it is the character that was typed. */
enum {
    CCURSES_NONE = -1,
    CCURSES_UP = 0x110000,
    CCURSES_DOWN,
    CCURSES_LEFT,
    CCURSES_RIGHT,
    CCURSES_PAGE_UP,
    CCURSES_PAGE_DOWN,
    CCURSES_HOME,
    CCURSES_END,
    CCURSES_ENTER,
    CCURSES_BACKSPACE,
    CCURSES_ESCAPE,
    CCURSES_OTHER
};

/* Why there is no screen. */
enum { CCURSES_UNKNOWN_TERMINAL = -1, CCURSES_POOR_TERMINAL = -2 };

/* Takes the process's locale from the environment; where its character set is UTF-8 but the locale is not installed,
 * C.UTF-8. Whether text may be UTF-8. Callable at any time, first of all. */
int ccurses_locale(void);

/* Takes the terminal over. SIGTSTP, SIGCONT and SIGWINCH are blocked from here on and come out of the descriptor
 * ccurses_events. 0, or why not; then nothing has changed. */
int ccurses_open(int with_colors);

/* Gives the terminal back as it was. Callable at any time, and twice. */
void ccurses_close(void);

/* Can be read when a key was pressed, or when one of the three signals came. */
int ccurses_events(void);

/* Whether the terminal is still there: a window that was closed could otherwise be read from for ever. */
int ccurses_is_there(void);

/* Whether the terminal would take output at once. */
int ccurses_is_writable(void);

/* Deals with signals that came: takes a new size over, or stops this program until it is continued. Whether the screen
 * has to be drawn anew. */
int ccurses_take_signals(void);

int ccurses_rows(void);
int ccurses_columns(void);

/* The next key that was pressed, without waiting. */
int32_t ccurses_key(void);

/* An empty screen, pieces of text on it, and all of it to the terminal: only what has changed is written. */
void ccurses_erase(void);
/* As if nothing were on the terminal: the next picture is written as a whole. */
void ccurses_forget(void);
void ccurses_put(int row, int column, const int32_t *text, int count, unsigned look);
void ccurses_show(int cursor_row, int cursor_column);

/* Columns that a code point takes, whatever the locale: 0, 1 or 2; -1 for what cannot be shown. Callable at any time. */
int ccurses_width(int32_t code_point);

#endif
