/* words: lists of words as command lines have them: split from text, joined into it, response files
 * opened.
 *
 * Text is split as GCC splits response files (buildargv() of libiberty): at blanks and line breaks;
 * '...' and "..." keep them; a backslash takes the next character as it is, within quotes, too.
 * words_join() writes what words_split() reads. A list owns its words and is always NULL-terminated
 * after the last one once something was added. */
#pragma once

#include <stdbool.h>

#include "base/str.h"
#include "base/vec.h"

struct words {
	VEC(char *) list; /* list.n words; list.data[list.n] is NULL */
};

#define WORDS_INIT       \
	{                \
		VEC_INIT \
	}

void words_fini(struct words *words);
void words_add(struct words *words, const char *word);
void words_add_all(struct words *words, char *const *argv); /* NULL-terminated */

/* Appends the words of a text. */
void words_split(struct words *words, const char *text);
/* Appends a word so that words_split() finds it again. */
void words_join(struct str *out, const char *word);

/* Appends argv with every @FILE replaced by the words in that file, nested ones, too. As with GCC
 * an @FILE that cannot be read is a word. */
void words_expand(struct words *words, char *const *argv);

/* Whether a list of words, separated by blanks, has this word, or one that this word begins
 * with. */
bool words_have(const char *list, const char *word);
bool words_begin(const char *list, const char *word);
