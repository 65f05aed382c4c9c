#include "model/build/part.h"

#include "base/str.h"
#include "base/units.h"

/* The offset at a local time, along the line through the measurements nearest to it. */
static long double offset_at(const struct offset *o, size_t n, long double time)
{
	long double run;
	size_t k = 0;

	if (n == 1)
		return (long double)o[0].offset;
	while (k + 2 < n && (long double)o[k + 1].time < time)
		k++;
	run = (long double)o[k + 1].time - (long double)o[k].time;
	if (run <= 0)
		return (long double)o[k].offset;
	return (long double)o[k].offset +
	       ((long double)o[k + 1].offset - (long double)o[k].offset) *
		       ((time - (long double)o[k].time) / run);
}

static int64_t local_time(int64_t nanoseconds, const struct timescale *scale,
			  const struct offset *offsets, size_t n, int slack)
{
	const long double most = (long double)(INT64_MAX / 4);
	const long double rate = (long double)scale->per_second;
	long double reference, local;

	if (nanoseconds == INT64_MIN || nanoseconds == INT64_MAX)
		return nanoseconds;
	reference = (long double)nanoseconds * (rate / 1e9L);
	local = reference;
	for (int i = 0; n && i < 4; i++)
		local = reference - offset_at(offsets, n, local);
	local += slack * (rate / 1000 + 1);
	if (local > most)
		return INT64_MAX;
	return local < -most ? INT64_MIN : (int64_t)local;
}

void part_window(const struct load_part *part, const struct timescale *scale,
		 const struct offset *offsets, size_t n, int64_t *from, int64_t *until)
{
	*from = part->timed ? local_time(part->t0, scale, offsets, n, -1) : INT64_MIN;
	*until = part->timed ? local_time(part->t1, scale, offsets, n, 1) : INT64_MAX;
}

static void add_time(int64_t nanoseconds, struct str *out)
{
	if (nanoseconds != INT64_MIN && nanoseconds != INT64_MAX)
		units_human_time(out, nanoseconds, &units_nanoseconds, 4);
}

void part_tell(struct builder *b, const struct load_part *part)
{
	OWNED_STR text = STR_INIT;

	for (size_t i = 0; i < part->n_ranks && text.n < 60; i++) {
		const struct rank_range range = part->ranks[i];
		str_add(&text, i ? "," : "ranks ");
		if (range.first == RANK_HOST)
			str_add(&text, "host");
		else
			str_add_int(&text, range.first);
		if (range.last != range.first)
			str_add_fmt(&text, "-%d", range.last);
	}
	if (text.n)
		builder_partial(b, text.text);
	str_clear(&text);
	if (part->timed) {
		const bool from = part->t0 != INT64_MIN, to = part->t1 != INT64_MAX;
		str_add(&text, from && to ? "" : from ? "from " : "up to ");
		add_time(part->t0, &text);
		str_add(&text, from && to ? " to " : "");
		add_time(part->t1, &text);
		builder_partial(b, text.text);
	}
}
