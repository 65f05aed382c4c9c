/* picl_words: reads the words of a line of tview's header, one after the other. */
#pragma once

#include "model/picl/read/picl_reader.h"

struct picl_words {
	const struct picl_reader *r;
	const char *p, *end;
	bool ok; /* cleared by a word that is not understood */
};

int64_t picl_next_integer(struct picl_words *w);
/* An integer that must be within these limits. */
int64_t picl_next_within(struct picl_words *w, int64_t least, int64_t most);
int32_t picl_next_int32(struct picl_words *w);
const char *picl_next_word(struct picl_words *w, size_t *n);
int64_t picl_next_time(struct picl_words *w);
/* The rest of the line after one blank. */
const char *picl_rest(struct picl_words *w, size_t *n);
