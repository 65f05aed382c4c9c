/* command_words: the words of a command line, quoted for a shell where they must be. Each function
 * appends to `out`, after a blank if something is there. */
#pragma once

#include "base/str.h"
#include "base/units.h"
#include "views/query/view.h"

void words_add(struct str *out, const char *word);
/* "--NAME VALUE"; without a value (NULL, "") the name alone. */
void words_option(struct str *out, const char *name, const char *value);
/* "-c COMMAND". */
void words_command(struct str *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The path of a trace, good in any folder. */
void words_trace(struct str *out, const char *path);

/* Parts of words. A time is read back to the same tick, with as few digits as that needs. */
void words_time(struct str *out, int64_t t, const struct timescale *scale);
void words_span(struct str *out, struct span span, const char *between,
		const struct timescale *scale);
