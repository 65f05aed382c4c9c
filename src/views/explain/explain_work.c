/* What one did more that another one waited for, in words that end in work. */
#include "views/explain/explaining.h"

#include "model/trace/gap.h"

#define KIND_PART 0.6 /* of an excess, that its kind explains */

bool explain_is_inside(const struct trace *trace, uint32_t path)
{
	if (!path || path == UINT32_MAX)
		return false;
	switch (trace_callpath_class(trace, path)) {
	case CLASS_P2P:
	case CLASS_COLLECTIVE:
	case CLASS_SYNC:
	case CLASS_RMA:
	case CLASS_MPI_OTHER: return true;
	default: return false;
	}
}

/* ": 12 calls instead of 4": what made the excess; "" where visits are not known. */
static const char *calls_text(struct phrases *p, const struct reason *r)
{
	const double n = (double)r->visits, others = (double)r->others_visits;
	const double time = r->others_time + r->excess;
	const double each = others > 0 ? r->others_time / others : 0;

	if (r->visits <= 0 || r->others_visits < 0)
		return "";
	if (r->others_visits == 0)
		return phrase(p, ": %s instead of none",
			      phrase_count(p, (uint64_t)r->visits, "call", "calls"));
	if ((n - others) * each >= KIND_PART * r->excess)
		return phrase(p, ": %s instead of %s",
			      phrase_count(p, (uint64_t)r->visits, "call", "calls"),
			      phrase_number(p, (uint64_t)r->others_visits));
	if (each > 0 && others * (time / n - each) >= KIND_PART * r->excess)
		return phrase(p, ": %s a call instead of %s", phrase_time(p, time / n),
			      phrase_time(p, each));
	return "";
}

const char *explain_work_text(struct phrases *p, uint32_t waiter, const struct reason *r)
{
	const char *mark = gap_mark(r->estimated, r->excess);

	if (explain_is_inside(p->trace, r->path))
		return phrase(p, "was %s%s longer inside %s, where no wait was found", mark,
			      phrase_time(p, r->excess), phrase_path(p, r->path));
	return phrase(p, "spent %s%s more than %s in %s%s", mark, phrase_time(p, r->excess),
		      explain_who(p, waiter), phrase_path(p, r->path),
		      *mark ? "" : calls_text(p, r));
}
