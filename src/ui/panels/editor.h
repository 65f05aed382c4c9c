/* editor: opens a line of a file in the user's editor: $VISUAL, else $EDITOR, else vi, called as
 * EDITOR +LINE PATH.
 *
 * No shell is run: the variable is split into words as a shell splits them (blanks, quotes,
 * backslashes), and the path is one word whatever it contains. The caller has given the terminal
 * back before (screen_leave()) and takes it again afterwards. If the editor is stopped (Ctrl-z)
 * this program stops, too, and both continue together. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct editor_words {
	VEC(char *) words; /* owned */
};

/* The words of $VISUAL or $EDITOR; "vi" without. False with err if a quote is not closed. */
bool editor_words(struct editor_words *words, struct err *err);
bool editor_split(struct editor_words *words, const char *text, struct err *err);
void editor_words_fini(struct editor_words *words);

/* Waits until the editor has ended. `tty` becomes its stdin. `path` must not begin with '-'; line
 * 0: the beginning. False with err, a sentence: it could not be started, or ended with a
 * failure. */
bool editor_run(const struct editor_words *words, const char *path, uint32_t line, int tty,
		struct err *err);
