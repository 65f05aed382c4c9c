/* Which part of an archive is loaded (load_part): ranks by their locations, a window of time by the
 * clock of each. */
#include <math.h>

#include "model/otf2/otf2_archive.h"

bool otf2_part_has(const struct otf2_archive *a, const struct otf2_place *place)
{
	return load_part_has_rank(&a->options->part, place->rank);
}

/* The offset at a local time, along the line through the two measurements nearest to it; roughly, for
 * a window that is wide enough anyway. */
static double offset_at(const struct otf2_place *place, double time)
{
	const struct offset *o = place->offsets.data;
	const size_t n = place->offsets.n;
	double run;
	size_t k = 0;

	if (n == 1)
		return (double)o[0].offset;
	while (k + 2 < n && (double)o[k + 1].time < time)
		k++;
	run = (double)(o[k + 1].time - o[k].time);
	if (run <= 0)
		return (double)o[k].offset;
	return (double)o[k].offset +
	       (double)(o[k + 1].offset - o[k].offset) * ((time - (double)o[k].time) / run);
}

/* The local time of a time in nanoseconds on the reference clock. */
static int64_t local_time(const struct otf2_archive *a, const struct otf2_place *place,
			  int64_t nanoseconds, double slack)
{
	const double most = (double)(INT64_MAX / 4);
	double reference, local;

	if (nanoseconds == INT64_MIN || nanoseconds == INT64_MAX)
		return nanoseconds;
	reference = (double)nanoseconds * ((double)a->scale.per_second / 1e9);
	local = reference;
	if (place->offsets.n)
		for (int i = 0; i < 4; i++)
			local = reference - offset_at(place, local);
	local += slack;
	if (!(fabs(local) < most))
		return local < 0 ? INT64_MIN : INT64_MAX;
	return (int64_t)local;
}

bool otf2_part_window(const struct otf2_archive *a, const struct otf2_place *place, int64_t *from,
		      int64_t *until)
{
	const struct load_part *part = &a->options->part;
	/* A millisecond more on both sides: what is asked for is exact only later. */
	const double slack = (double)a->scale.per_second / 1000;

	if (!part->timed)
		return false;
	*from = local_time(a, place, part->t0, -slack);
	*until = local_time(a, place, part->t1, slack);
	return true;
}

static void add_time(int64_t nanoseconds, struct str *out)
{
	static const struct timescale scale = { 1000000000, 9 };

	if (nanoseconds != INT64_MIN && nanoseconds != INT64_MAX)
		units_human_time(out, nanoseconds, &scale, 4);
}

void otf2_part_tell(const struct otf2_archive *a)
{
	const struct load_part *part = &a->options->part;
	struct str text = STR_INIT;

	for (size_t i = 0; i < part->n_ranks && text.n < 60; i++) {
		str_add_fmt(&text, "%s%d", i ? "," : "ranks ", part->ranks[i][0]);
		if (part->ranks[i][1] != part->ranks[i][0])
			str_add_fmt(&text, "-%d", part->ranks[i][1]);
	}
	if (text.n)
		builder_partial(a->builder, text.text);
	str_clear(&text);
	if (part->timed) {
		add_time(part->t0, &text);
		str_add(&text, " to ");
		add_time(part->t1, &text);
		builder_partial(a->builder, text.text);
	}
	str_fini(&text);
}
