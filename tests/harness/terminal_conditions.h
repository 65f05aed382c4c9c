/* terminal_conditions: what a screen can show, as conditions for terminal_wait(). */
#pragma once

#include "harness/terminal.h"

/* Of terminal_row_shows(): a row, from 1, and a text in it. */
struct in_row {
	int row;
	const char *text;
};

/* Of terminal_text_looks(): a text, and what its first cell looks like: words as those of `look` in
 * harness/screenplay.h. */
struct with_look {
	char *text;
	const char *words;
};

/* A text (context) stands nowhere. */
bool terminal_shows_not(struct terminal *t, void *text);
/* The clipboard has a text (context) in it. */
bool terminal_was_copied(struct terminal *t, void *text);
bool terminal_row_shows(struct terminal *t, void *in_row);
bool terminal_text_looks(struct terminal *t, void *with_look);
/* No cell has a colour of its own; the context is not used. */
bool terminal_has_no_colour(struct terminal *t, void *context);
/* No character but ASCII is shown; the context is not used. */
bool terminal_is_ascii(struct terminal *t, void *context);
