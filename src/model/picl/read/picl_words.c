#include "model/picl/read/picl_words.h"

int64_t picl_next_integer(struct picl_words *w)
{
	bool is_float, saturated;
	int64_t value = 0;
	size_t n;

	while (w->p < w->end && *w->p == ' ')
		w->p++;
	n = descriptor_integer(w->p, w->end, &value, &is_float, &saturated);
	if (!n || is_float || saturated)
		w->ok = false;
	w->p += n;
	return value;
}

int32_t picl_next_int32(struct picl_words *w)
{
	const int64_t value = picl_next_integer(w);

	if (value > INT32_MAX || value < INT32_MIN)
		w->ok = false;
	return (int32_t)value;
}

const char *picl_next_word(struct picl_words *w, size_t *n)
{
	const char *start;

	while (w->p < w->end && *w->p == ' ')
		w->p++;
	start = w->p;
	while (w->p < w->end && *w->p != ' ')
		w->p++;
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

bool picl_next_time(const struct picl_reader *r, struct picl_words *w, int64_t *ticks)
{
	size_t n;
	const char *word = picl_next_word(w, &n);
	const enum picl_time_form form = picl_time_read(word, n, &r->clock, ticks);

	return w->ok && form != TIME_INVALID && form != TIME_RANGE;
}
