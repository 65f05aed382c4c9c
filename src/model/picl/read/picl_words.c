#include "model/picl/read/picl_words.h"

#include "model/picl/picl_text.h"

int64_t picl_next_integer(struct picl_words *w)
{
	bool is_float, saturated;
	int64_t value = 0;
	size_t n;

	w->p = picl_skip_blanks(w->p, w->end);
	n = descriptor_integer(w->p, w->end, &value, &is_float, &saturated);
	if (!n || is_float || saturated)
		w->ok = false;
	w->p += n;
	return value;
}

int64_t picl_next_within(struct picl_words *w, int64_t least, int64_t most)
{
	const int64_t value = picl_next_integer(w);

	w->ok = w->ok && value >= least && value <= most;
	return value;
}

int32_t picl_next_int32(struct picl_words *w)
{
	return (int32_t)picl_next_within(w, INT32_MIN, INT32_MAX);
}

const char *picl_next_word(struct picl_words *w, size_t *n)
{
	const char *start = picl_skip_blanks(w->p, w->end);

	w->p = picl_skip_word(start, w->end);
	*n = (size_t)(w->p - start);
	w->ok = w->ok && *n;
	return start;
}

const char *picl_rest(struct picl_words *w, size_t *n)
{
	const char *start = w->p + (w->p < w->end);

	*n = (size_t)(w->end - start);
	return start;
}

int64_t picl_next_time(struct picl_words *w)
{
	size_t n;
	const char *word = picl_next_word(w, &n);
	int64_t ticks = 0;
	const enum picl_time_form form = picl_time_read(word, n, &w->r->clock, &ticks);

	w->ok = w->ok && form != TIME_INVALID && form != TIME_RANGE;
	return ticks;
}
