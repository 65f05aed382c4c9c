#include "correct/fit/step_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/order.h"
#include "base/units.h"

ORDERING(by_group, struct fit_step, round, group, location)

void steps_by_group(struct fit_step *steps, uint32_t n)
{
	SORT(steps, n, by_group);
}

static bool same_group(const struct fit_step *a, const struct fit_step *b)
{
	return a->round == b->round && a->group == b->group;
}

static void put_name(struct str *out, const struct trace *trace, uint32_t location)
{
	const int32_t rank = trace_location(trace, location)->rank;

	if (rank == RANK_UNKNOWN)
		str_add_fmt(out, "location %" PRIu32, location);
	else
		str_add_fmt(out, "rank %" PRId32, rank);
}

/* "Rank 2's clock was", "The clocks of rank 4 and 3 more were" */
static void put_clocks(struct str *out, const struct trace *trace, const struct fit_step *steps,
		       uint32_t n)
{
	uint32_t locations = 0;
	size_t name;

	for (uint32_t i = 0; i < n; i++)
		locations += steps[i].locations;
	if (n > 1 || locations > 1) {
		str_add(out, n > 1 ? "The clocks of " : "The clock of ");
		put_name(out, trace, steps[0].location);
		str_add_fmt(out, " and %" PRIu32 " more %s", (n > 1 ? n : locations) - 1,
			    n > 1 ? "were" : "was");
		return;
	}
	name = out->n;
	put_name(out, trace, steps[0].location);
	out->text[name] = (char)toupper((unsigned char)out->text[name]);
	str_add(out, "'s clock was");
}

static void put_time(struct str *out, const struct trace *trace, int64_t ticks)
{
	units_human_time(out, ticks, trace_scale(trace), 4);
}

static int64_t magnitude(int64_t x)
{
	return x < 0 ? -x : x;
}

uint32_t step_sentence(struct str *out, const struct trace *trace, const struct fit_step *steps,
		       uint32_t n, bool taken_out)
{
	const struct fit_step *s = &steps[0];
	const int64_t a = magnitude(s->least), b = magnitude(s->most);
	uint32_t of = 1;
	int64_t begin, end;

	while (of < n && same_group(&steps[of], s))
		of++;
	trace_span(trace, BASE_MEASURED, &begin, &end);
	put_clocks(out, trace, steps, of);
	str_add_fmt(out, " set %s by ", s->size > 0 ? "forward" : "back");
	put_time(out, trace, magnitude(s->size));
	str_add(out, " (");
	put_time(out, trace, a < b ? a : b);
	str_add(out, " to ");
	put_time(out, trace, a < b ? b : a);
	str_add(out, ") between ");
	units_seconds(out, s->from - begin, trace_scale(trace), 6);
	str_add(out, " and ");
	units_seconds(out, s->to - begin, trace_scale(trace), 6);
	str_add(out, " s of its time");
	if (s->partner != UINT32_MAX) {
		str_add(out, ", or that of ");
		put_name(out, trace, s->partner);
		str_add(out, s->size > 0 ? " back" : " forward");
	}
	str_add(out, taken_out ? "; the step is taken out." : "; the step is not taken out.");
	if (s->uncertain)
		str_add_fmt(out, " %" PRIu32 " event%s there %s uncertain by it.", s->uncertain,
			    s->uncertain == 1 ? "" : "s", s->uncertain == 1 ? "is" : "are");
	return of;
}
