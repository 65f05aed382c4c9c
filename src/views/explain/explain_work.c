/* What one did more that another one waited for, in words that end in work. */
#include "model/trace/gap.h"
#include "patterns/causes/naming.h"
#include "views/explain/explaining.h"

static bool is_inside(const struct trace *trace, uint32_t path)
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

/* Both sides, as the rules of named causes compare them. */
static struct named_cause sides_of(const struct reason *r)
{
	return (struct named_cause){ .calls = (double)r->visits,
				     .others_calls = (double)r->others_visits,
				     .time = r->others_time + r->excess,
				     .others_time = r->others_time,
				     .bytes = (double)r->bytes,
				     .others_bytes = (double)r->others_bytes };
}

/* CAUSE_KINDS: none that can be named. */
static enum cause_kind kind_of(const struct trace *trace, const struct reason *r)
{
	const struct named_cause sides = sides_of(r);

	if (r->visits < 0 || r->others_visits < 0)
		return CAUSE_KINDS;
	if (!is_inside(trace, r->path))
		return cause_kind_of_work(&sides);
	if (!cause_moves_bytes(trace, r->path) || sides.calls <= 0)
		return CAUSE_KINDS;
	return cause_kind_of_transfer(&sides);
}

bool explain_is_work(const struct trace *trace, const struct reason *r)
{
	return !is_inside(trace, r->path) || kind_of(trace, r) != CAUSE_KINDS;
}

/* "14.0 MiB/s". */
static const char *speed(struct phrases *p, double bytes, double ticks)
{
	const double seconds = ticks / (double)trace_scale(p->trace)->per_second;

	return phrase(p, "%s/s", phrase_bytes(p, (uint64_t)(seconds > 0 ? bytes / seconds : 0)));
}

/* ": 12 calls instead of 4, 500 us each": what made the excess; "" where that is not known. */
static const char *kind_text(struct phrases *p, enum cause_kind kind, const struct reason *r)
{
	const struct named_cause c = sides_of(r);
	const char *calls = phrase_count(p, (uint64_t)r->visits, "call", "calls");
	const char *others = phrase_number(p, (uint64_t)r->others_visits);
	const char *each = c.calls > 0 ? phrase_time(p, c.time / c.calls) : "";
	const char *others_each =
		c.others_calls > 0 ? phrase_time(p, c.others_time / c.others_calls) : "";

	switch (kind) {
	case CAUSE_OTHER_PATH: return phrase(p, ": %s instead of none", calls);
	case CAUSE_MORE_CALLS:
		return phrase(p, ": %s instead of %s, %s each", calls,
			      r->others_visits ? others : "none", each);
	case CAUSE_LONGER_CALLS:
		if (r->visits == 0 || r->others_visits == 0)
			return "";
		return phrase(p, ": %s a call instead of %s", each, others_each);
	case CAUSE_MORE_AND_LONGER:
		if (r->visits == 0)
			return "";
		return phrase(p, ": %s of %s instead of %s of %s", calls, each, others,
			      others_each);
	case CAUSE_MORE_BYTES:
		return phrase(p, ": it transferred %s instead of %s",
			      phrase_bytes(p, (uint64_t)r->bytes),
			      r->others_bytes ? phrase_bytes(p, (uint64_t)r->others_bytes)
					      : "nothing");
	case CAUSE_FEWER_BYTES:
		return phrase(p, ": it transferred %s at %s%s", phrase_bytes(p, (uint64_t)r->bytes),
			      speed(p, c.bytes, c.time),
			      r->others_bytes > 0 && c.others_time > 0
				      ? phrase(p, " instead of %s",
					       speed(p, c.others_bytes, c.others_time))
				      : "");
	default: return "";
	}
}

double explain_late_share(const struct reason *r)
{
	double sum = 0;

	for (int i = 0; i < REASON_LATES; i++)
		sum += (double)r->late[i];
	return sum < r->excess ? sum / r->excess : r->excess > 0;
}

/* That most of the excess was late inside MPI, "" where it was not: ", where messages were
 * delivered late (4.20 ms)". */
static const char *late_text(struct phrases *p, const struct reason *r)
{
	static const char *const texts[REASON_LATES] = {
		[LATE_NO_PROGRESS] = "messages made no progress while their senders were outside "
				     "of MPI",
		[LATE_DELIVERED] = "messages were delivered late",
		[LATE_RELEASED] = "operations ended late",
	};
	int most = 0;

	for (int i = 1; i < REASON_LATES; i++)
		if (r->late[i] > r->late[most])
			most = i;
	if (explain_late_share(r) < 0.5)
		return "";
	return phrase(p, ", where %s (%s)", texts[most], phrase_time(p, (double)r->late[most]));
}

const char *explain_work_text(struct phrases *p, uint32_t waiter, const struct reason *r)
{
	const char *mark = gap_mark(r->estimated, r->excess);
	const enum cause_kind kind = kind_of(p->trace, r);
	const char *what = *mark || kind == CAUSE_KINDS ? "" : kind_text(p, kind, r);

	if (!is_inside(p->trace, r->path))
		return phrase(p, "spent %s%s more than %s in %s%s", mark, phrase_time(p, r->excess),
			      explain_who(p, waiter), phrase_path(p, r->path), what);
	if (*late_text(p, r))
		what = late_text(p, r);
	else if (kind == CAUSE_KINDS)
		what = ", where no wait was found";
	return phrase(p, "was %s%s longer inside %s%s", mark, phrase_time(p, r->excess),
		      phrase_path(p, r->path), what);
}
