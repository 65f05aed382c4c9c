/* Times without measurement overhead: by its model, and as the ranks knew it. */
#include <inttypes.h>

#include "correct/correct_step.h"

/* Compensated times must not reverse messages, in any of the three bases. */
static bool check_compensated(struct correct_step *r)
{
	static const enum time_base bases[] = { BASE_COMPENSATED, BASE_LOWER, BASE_UPPER };
	const uint64_t before = r->out->check[r->best].all.reversed;
	uint64_t most = 0;

	for (int i = 0; i < 3; i++) {
		if (!trace_has_base(r->trace, bases[i]))
			continue;
		if (!correct_check(r, bases[i]))
			return false;
		if (r->out->check[bases[i]].all.reversed > most)
			most = r->out->check[bases[i]].all.reversed;
	}
	if (most <= before)
		return true;
	correct_note(r->out,
		     "Compensated times were discarded: they would reverse %" PRIu64
		     " messages (%" PRIu64 " before).",
		     most, before);
	for (int i = 0; i < 3; i++)
		correct_drop(r, bases[i]);
	r->out->overhead.done = false;
	return true;
}

static bool compensate(struct correct_step *r)
{
	struct corrections *out = r->out;

	if (r->options->want < BASE_COMPENSATED)
		return true;
	if (!overhead_run(&out->overhead, r->trace, r->logical, r->best, &r->options->overhead,
			  r->progress, r->err))
		return false;
	return !out->overhead.done || check_compensated(r);
}

/* As the ranks knew it while they ran. */
static bool take_virtual(struct correct_step *r)
{
	struct corrections *out = r->out;

	if (r->options->want < BASE_COMPENSATED)
		return true;
	if (!virtual_base_make(&out->virtual_time, r->trace, r->best, r->progress, r->err))
		return false;
	if (!out->virtual_time.done)
		return true;
	if (!correct_check(r, BASE_VIRTUAL))
		return false;
	if (out->check[BASE_VIRTUAL].all.reversed > out->check[r->best].all.reversed)
		correct_note(out,
			     "Virtual times reverse %" PRIu64 " messages (%" PRIu64 " before).",
			     out->check[BASE_VIRTUAL].all.reversed,
			     out->check[r->best].all.reversed);
	if (out->virtual_time.without)
		correct_note(out,
			     "%" PRIu32 " locations kept no virtual time: theirs are as measured.",
			     out->virtual_time.without);
	virtual_compare(&out->compared, r->trace);
	return true;
}

bool correct_overhead(struct correct_step *r)
{
	return compensate(r) && take_virtual(r);
}
