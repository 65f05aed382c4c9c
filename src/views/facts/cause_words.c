#include "views/facts/cause_words.h"

#include <math.h>

#include "views/facts/place_words.h"

#define NAMED_ENOUGH 0.8 /* of the waiting: the rest need not be mentioned */

/* "12 times", "1.5 times", "once". */
static const char *times(struct phrases *p, double n)
{
	if (fabs(n - 1) < 0.005)
		return "once";
	if (fabs(n - round(n)) < 0.005 && n < 1e15)
		return phrase(p, "%s times", phrase_number(p, (uint64_t)round(n)));
	return phrase(p, "%.3g times", n);
}

static const char *each(struct phrases *p, double time, double calls)
{
	return calls > 0 ? phrase_time(p, time / calls) : "nothing";
}

static const char *per_iteration(const struct cause_names *names)
{
	return names->iterations ? " per iteration" : "";
}

/* "100 MB/s". */
static const char *speed(struct phrases *p, double bytes, double ticks)
{
	const double seconds = ticks / (double)trace_scale(p->trace)->per_second;

	return seconds > 0 ? phrase(p, "%s/s", phrase_bytes(p, (uint64_t)(bytes / seconds)))
			   : "once";
}

/* "2nd", "11th", "21st". */
static const char *ordinal(struct phrases *p, uint32_t n)
{
	const uint32_t last = n % 100 / 10 == 1 ? 0 : n % 10;

	return phrase(p, "%u%s", n, last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

/* "before the first iteration", "in iteration 18 of 40", as the run counts them, "in 12 of 40
 * iterations" of those that were compared. */
static const char *when(struct phrases *p, const struct cause_names *names,
			const struct named_cause *c)
{
	if (c->every)
		return phrase(p, "in every %s iteration", ordinal(p, c->every));
	if (c->hits > 1)
		return phrase(p, "in %u of %u iterations", c->hits, names->iterations);
	if (c->first == 0)
		return names->before ? phrase(p, "before iteration %u", names->before + 1)
				     : "before the first iteration";
	if (c->first > names->iterations)
		return names->before + names->iterations < names->of_run
			       ? phrase(p, "after iteration %u", names->before + names->iterations)
			       : "after the last iteration";
	return phrase(p, "in iteration %u of %u", names->before + c->first, names->of_run);
}

static const char *others(struct phrases *p, const struct named_cause *c)
{
	return c->other == UINT32_MAX ? "the others" : phrase_location(p, c->other);
}

/* "the others do not": call it there. */
static const char *others_do_not(struct phrases *p, const struct named_cause *c)
{
	if (c->other != UINT32_MAX)
		return phrase(p, "%s does not", others(p, c));
	return c->some ? "most others do not" : "the others do not";
}

static const char *transfer_sentence(struct phrases *p, const struct cause_names *names,
				     const struct named_cause *c, const char *who,
				     const char *where)
{
	const char *per = per_iteration(names);
	const char *bytes = phrase_bytes(p, (uint64_t)c->bytes);

	if (c->kind == CAUSE_MORE_BYTES)
		return phrase(p, "%s transfers %s%s in %s, %s %s", who, bytes, per, where,
			      others(p, c), phrase_bytes(p, (uint64_t)c->others_bytes));
	if (c->others_bytes <= 0)
		return phrase(p, "%s transfers %s%s in %s at %s", who, bytes, per, where,
			      speed(p, c->bytes, c->time));
	return phrase(p, "%s transfers %s%s in %s at %s, %s at %s", who, bytes, per, where,
		      speed(p, c->bytes, c->time), others(p, c),
		      speed(p, c->others_bytes, c->others_time));
}

static const char *work_sentence(struct phrases *p, const struct cause_names *names,
				 const struct named_cause *c, const char *who, const char *where)
{
	const char *per = per_iteration(names);

	switch ((enum cause_kind)c->kind) {
	case CAUSE_MORE_CALLS:
		return phrase(p, "%s calls %s %s%s, %s %s, %s each", who, where, times(p, c->calls),
			      per, others(p, c), times(p, c->others_calls),
			      each(p, c->time, c->calls));
	case CAUSE_LONGER_CALLS:
		if (c->calls <= 0)
			return phrase(p, "%s takes %s%s in %s, %s %s", who, phrase_time(p, c->time),
				      per, where, others(p, c), phrase_time(p, c->others_time));
		return phrase(p, "%s takes %s per call of %s, %s %s; it calls it %s%s", who,
			      each(p, c->time, c->calls), where, others(p, c),
			      each(p, c->others_time, c->others_calls), times(p, c->calls), per);
	case CAUSE_MORE_AND_LONGER:
		return phrase(p, "%s calls %s %s%s and takes %s each, %s %s and %s", who, where,
			      times(p, c->calls), per, each(p, c->time, c->calls), others(p, c),
			      times(p, c->others_calls), each(p, c->others_time, c->others_calls));
	default:
		if (c->hits)
			return phrase(p, "%s calls %s %s, %s each time; %s call it there", who,
				      where, when(p, names, c), phrase_time(p, c->time),
				      others_do_not(p, c));
		return phrase(p, "%s calls %s, %s%s; %s call it there", who, where,
			      phrase_time(p, c->time), per, others_do_not(p, c));
	}
}

/* Where the work is not on the stream that is late, its rank is named. */
static const char *doer(struct phrases *p, const struct named_cause *c)
{
	uint32_t host;

	if (c->location == UINT32_MAX)
		return "another rank each time";
	host = trace_location_of_rank(p->trace, trace_location(p->trace, c->location)->rank);
	if (c->place == CAUSE_HERE || host == UINT32_MAX)
		return phrase_location(p, c->location);
	return phrase(p,
		      c->place == CAUSE_ON_HOST
			      ? "%s launches late: it"
			      : "%s comes late to collective operations of its device: it",
		      phrase_location(p, host));
}

const char *cause_sentence(struct phrases *p, const struct cause_names *names, uint32_t i)
{
	const struct named_cause *c = &names->of[i];
	const char *where = phrase_path(p, c->path);
	const char *who = doer(p, c);

	switch ((enum cause_kind)c->kind) {
	case CAUSE_MORE_BYTES:
	case CAUSE_FEWER_BYTES: return transfer_sentence(p, names, c, who, where);
	case CAUSE_FEW_ITERATIONS:
		return phrase(p, "%s %s takes %s in %s instead of %s", when(p, names, c), who,
			      phrase_time(p, c->time), where, phrase_time(p, c->others_time));
	case CAUSE_LATE_START:
		return phrase(p, "%s starts %s late: %s %s", who,
			      phrase_time(p, c->time - c->others_time), where, when(p, names, c));
	case CAUSE_ROTATING:
		return phrase(p, "%s takes %s instead of %s in %s", who, phrase_time(p, c->time),
			      phrase_time(p, c->others_time), where);
	case CAUSE_SERIALISATION:
		return phrase(p, "the ranks take turns in %s, one after the other", where);
	case CAUSE_NO_PROGRESS:
		return phrase(p, "%s leaves its messages%s alone while it computes in %s: %s%s",
			      who,
			      c->bytes > 0
				      ? phrase(p, " of %s", phrase_bytes(p, (uint64_t)c->bytes))
				      : "",
			      where, phrase_time(p, c->time), per_iteration(names));
	case CAUSE_MACHINE:
		return c->time >= 0.9 * c->cost ? "ranks wait for a core while they work"
		       : c->time >= 0.1 * c->cost
			       ? "ranks wait for a core, messages are delivered late and "
				 "collective operations end late, on another rank each time"
			       : "messages are delivered late and collective operations end late, "
				 "on another rank each time";
	case CAUSE_WRONG_ORDER:
		return phrase(p,
			      "%s waits in %s although another message, sent earlier, is there to "
			      "be received",
			      who, where);
	default: return work_sentence(p, names, c, who, where);
	}
}

/* Whether another rank is named each time: it may have waited for a core each time. */
static bool has_several(const struct cause_names *names)
{
	for (uint32_t i = 0; i < names->n; i++)
		if (names->of[i].location == UINT32_MAX)
			return true;
	return false;
}

const char *cause_rest(struct phrases *p, const struct cause_names *names)
{
	double left = 1;
	const char *crowd, *rest = "";

	for (uint32_t i = 0; i < names->n; i++)
		left -= names->of[i].share;
	if (names->quiet)
		return "";
	if (left > 1 - NAMED_ENOUGH && names->n)
		rest = phrase(p, "The rest of the waiting, %.0f %%, has no single cause.",
			      100 * left);
	else if (left > 1 - NAMED_ENOUGH)
		rest = phrase(p,
			      "No rank and no function differs much from the others. Of the "
			      "waiting %.0f %% is charged to time inside MPI, the rest is spread "
			      "over %s.",
			      100 * fmin(names->inside / names->waiting, 1),
			      phrase_count(p, names->others, "call path", "call paths"));
	crowd = names->n == 0 || has_several(names) ? phrase_crowd(p, CROWD_TIMES) : "";
	return *rest && *crowd ? phrase(p, "%s %s", rest, crowd) : *rest ? rest : crowd;
}

void words_cause_end(const struct trace *trace, const struct cause_end *end, struct str *out)
{
	if (end->kind != CAUSE_END_WORK && end->kind != CAUSE_END_WAIT) {
		str_add(out, "unknown");
		return;
	}
	words_location(trace, end->location, false, out);
	str_add(out, end->kind == CAUSE_END_WAIT ? " waited in "
		     : end->path && region_class_is_mpi(trace_callpath_class(trace, end->path))
			     ? " inside "
			     : ": ");
	words_path(trace, end->path, out);
}
