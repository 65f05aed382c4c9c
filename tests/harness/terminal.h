/* terminal: a program in a pseudo-terminal, and what it shows.
 *
 * The program runs with a fixed environment (TERM as given, LANG=C.UTF-8, TZ=UTC, HOME and the XDG
 * folders in a folder of its own; nothing is inherited but PATH and the sanitizers' options). Its
 * output goes through libvterm; keys go the other way as the emulated terminal would send them.
 *
 * Nothing sleeps for a fixed time. terminal_settle() returns when the program has been quiet for a
 * moment; terminal_wait() when a condition holds. Both give up at a limit that no healthy program
 * comes near.
 *
 *	struct terminal *t = terminal_open("less README.md", &(struct terminal_options){ 0 }, home);
 *	terminal_key(t, "PgDn");
 *	char *text = terminal_text(t);		// caller frees
 *	terminal_close(t);
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct terminal;

struct terminal_options {
	int rows, cols;          /* 24 x 80 where 0 */
	const char *term;        /* "xterm-256color" where NULL */
	const char *path_prefix; /* folder put in front of PATH; may be NULL */
	const char *const *env;  /* further NAME=value, ends with NULL; may be NULL */
};

/* What a cell looks like; colours as "default", a palette number or "#rrggbb". */
struct terminal_look {
	bool bold, underline, italic, reverse, blink;
	char fg[16], bg[16];
};

/* Runs `command` by /bin/sh in the current folder with HOME set to `home`. NULL when the system
 * gives no pseudo-terminal. */
struct terminal *terminal_open(const char *command, const struct terminal_options *options,
			       const char *home);

/* Ends the program, if it still runs, and frees everything. */
void terminal_close(struct terminal *t);

/* Reads what the program writes until it has been quiet for `quiet_ms` or `limit_ms` are over.
 * False when it was never quiet. */
bool terminal_settle(struct terminal *t, int quiet_ms, int limit_ms);

/* Reads until the program has taken what was last sent and has nothing left to do, however long that
 * takes on a busy machine: it is silent, its processor time stands still, all its threads sleep. False
 * where limit_ms are over before. */
bool terminal_rest(struct terminal *t, int limit_ms);

/* What the program last put into the clipboard (OSC 52); "" nothing yet. */
const char *terminal_copied(const struct terminal *t);

/* How many bytes the program has written so far. */
uint64_t terminal_bytes(const struct terminal *t);

/* Reads until holds(t, context) or limit_ms are over; returns what it said last. */
bool terminal_wait(struct terminal *t, bool (*holds)(struct terminal *t, void *context),
		   void *context, int limit_ms);

/* The same until a text is on the screen; until the program has ended (see terminal_ended()). */
bool terminal_wait_text(struct terminal *t, const char *text, int limit_ms);
bool terminal_wait_end(struct terminal *t, int *status, int limit_ms);

/* Sends a key: a character, or Up Down Left Right Home End PgUp PgDn Insert Delete Enter Tab S-Tab
 * Esc Space Backspace F1 .. F12, each with C- (control), M- (alt), S- (shift) in front. False when
 * there is no such key. */
bool terminal_key(struct terminal *t, const char *name);

/* Sends characters as they are. */
void terminal_input(struct terminal *t, const char *text);

/* The same as a text that is pasted: marked as such if the program has asked for it. */
void terminal_paste(struct terminal *t, const char *text);

/* Moves the mouse to a cell (from 0) and presses and releases a button (1-3; 4 and 5 are the
 * wheel). */
void terminal_click(struct terminal *t, int row, int col, int button);
/* With button 1 held from a column to another. */
void terminal_drag(struct terminal *t, int row, int from, int to);

void terminal_resize(struct terminal *t, int rows, int cols);
void terminal_signal(struct terminal *t, int signal);

/* The terminal goes away, as when a window is closed. */
void terminal_hangup(struct terminal *t);

/* The screen as UTF-8: lines without trailing blanks, no empty lines at the end. The caller frees
 * it. */
char *terminal_text(const struct terminal *t);

/* Look of the cell at row, col (from 0). */
struct terminal_look terminal_look(const struct terminal *t, int row, int col);

/* Finds the first place of `text` on one line of the screen; false when it stands nowhere. */
bool terminal_find(const struct terminal *t, const char *text, int *row, int *col);

void terminal_size(const struct terminal *t, int *rows, int *cols);

/* True when the program has ended and all it wrote was taken in; then *status is its exit status,
 * or 128 + signal. */
bool terminal_ended(struct terminal *t, int *status);

/* NULL when the terminal is as it was before the program ran (screen, cursor, mouse, line
 * settings); else what is different. */
const char *terminal_left_over(const struct terminal *t);
