#include "views/facts/recent_facts.h"

#include "base/mem.h"
#include "model/trace/program.h"
#include "patterns/analysis/rollcall.h"
#include "views/facts/lacks.h"
#include "views/facts/overview_facts.h"
#include "views/query/analyses.h"
#include "views/query/view_common.h"

static double communication(const struct overview_facts *f)
{
	return (double)(f->by_class[CLASS_P2P] + f->by_class[CLASS_COLLECTIVE] +
			f->by_class[CLASS_SYNC] + f->by_class[CLASS_RMA]);
}

/* Ranks have no part in the time before they begin, before the first events of a look, and after
 * they end. */
static double recorded(const struct overview_facts *f)
{
	return (double)(f->whole - f->by_class[CLASS_OUTSIDE]);
}

static double lives(const struct query *query)
{
	double all = 0;

	for (uint32_t i = 0; i < query_location_count(query); i++) {
		const struct location *l = trace_location(query->trace, query_location(query, i));
		all += (double)(l->end - l->begin);
	}
	return all;
}

static void add_records(struct recent_facts *facts, const struct trace *trace)
{
	for (size_t i = 0; i < trace_statement_record_count(trace); i++) {
		const struct statement_record *r = trace_statement_record(trace, i);
		if (trace_statement(trace, r->statement)->kind != STATEMENT_COMMUNICATION)
			continue;
		facts->calls += r->count;
		facts->sent += r->sent;
		facts->all_waits += (double)r->sync;
	}
}

void recent_facts_make(struct recent_facts *facts, const struct query *query, int seconds)
{
	const int64_t second = trace_scale(query->trace)->per_second, span = seconds * second;
	const bool alone = trace_records_alone(query->trace);
	struct query window = *query;
	struct overview_facts whole, last;

	window.t0 = INT64_MIN;
	window.t1 = INT64_MAX;
	overview_facts_make(&whole, &window);
	window.t0 = whole.t1 - whole.t0 > span ? whole.t1 - span : whole.t0;
	overview_facts_make(&last, &window);
	*facts = (struct recent_facts){
		.begin = last.t0,
		.end = whole.t1,
		.seconds = (double)(last.t1 - last.t0) / (double)second,
		.messages = last.messages,
		.bytes = last.bytes,
		.waits = communication(&last),
		.all = alone ? 0 : recorded(&last),
		.all_waits = communication(&whole),
		.whole = alone ? lives(query) : recorded(&whole),
		.alone = alone,
		.waiting = alone,
		.cut = lacks_kind(query->trace, LACK_EARLIER),
	};
	if (alone)
		add_records(facts, query->trace);
}

bool recent_facts_of_look(struct recent_facts *facts, struct trace *trace)
{
	const struct query query = {
		.trace = trace, .base = trace_default_base(trace), .t0 = INT64_MIN, .t1 = INT64_MAX
	};

	if (!trace_live(trace) || !trace_records_alone(trace) ||
	    !trace_base_make(trace, query.base, NULL, NULL))
		return false;
	recent_facts_make(facts, &query, RECENT_SECONDS);
	return true;
}

/* ---- waits ---- */

static uint64_t sum_of(const uint64_t *values, unsigned n)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

/* Before and after the begin of the recent past. */
static void add_ended(struct recent_facts *facts, const struct query *query,
		      const struct wait_sums *sums)
{
	const int64_t edges[] = { INT64_MIN, facts->begin, facts->end };
	const unsigned slots = wait_sums_slots(sums, NULL);
	OWNED uint64_t *out = xcalloc(2 * (size_t)slots + 1, sizeof *out);

	for (uint32_t i = 0; i < query_location_count(query); i++)
		wait_sums_add(sums, query_location(query, i), edges, 2, out);
	facts->waits = (double)sum_of(out + slots, slots);
	facts->all_waits = (double)sum_of(out, slots) + facts->waits;
}

/* Of a call that any message can end it is not known what is missing: all of it counts. */
static bool is_waiting(const struct roll *roll)
{
	return roll->state == ROLL_RECV || roll->state == ROLL_WAIT ||
	       ((roll->state == ROLL_SEND || roll->state == ROLL_COLLECTIVE) && roll->pending);
}

/* Calls that go on have no wait states yet. */
static void add_open(struct recent_facts *facts, const struct query *query)
{
	struct rollcall roll;

	if (rollcall_make(&roll, query->trace, query->base, query->progress))
		for (uint32_t i = 0; i < query_location_count(query); i++) {
			const struct roll *r = &roll.rolls[query_location(query, i)];
			const int64_t since = r->since > facts->begin ? r->since : facts->begin;
			if (!is_waiting(r) || r->since >= facts->end)
				continue;
			facts->waits += (double)(facts->end - since);
			facts->all_waits += (double)(facts->end - r->since);
		}
	rollcall_fini(&roll);
}

bool recent_facts_add_waits(struct recent_facts *facts, const struct query *query)
{
	const struct wait_sums *sums;

	if (facts->waiting)
		return true;
	sums = query->analyses ? analyses_wait_sums(query->analyses, query->base) : NULL;
	if (!sums)
		return false;
	add_ended(facts, query, sums);
	add_open(facts, query);
	facts->waiting = true;
	return true;
}

/* ---- rates ---- */

static double limited(double share)
{
	return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* Both grow: a call that was under way may turn out not to have waited, which is less than it was
 * counted for. */
static bool rates_alone(const struct recent_facts *now, const struct recent_facts *then,
			int64_t second, struct recent_rates *rates)
{
	const double seconds = then ? (double)(now->end - then->end) / (double)second : 0;

	if (!then || !then->alone || then->end >= now->end || then->whole >= now->whole ||
	    then->calls > now->calls || then->sent > now->sent)
		return false;
	*rates = (struct recent_rates){
		.seconds = seconds,
		.units = (double)(now->calls - then->calls) / seconds,
		.bytes = (double)(now->sent - then->sent) / seconds,
		.recent = limited((now->all_waits - then->all_waits) / (now->whole - then->whole)),
		.all = limited(now->all_waits / now->whole),
		.what = "waiting",
		.span = "run",
	};
	return true;
}

bool recent_facts_rates(const struct recent_facts *facts, const struct recent_facts *earlier,
			int64_t second, struct recent_rates *rates)
{
	if (facts->alone)
		return rates_alone(facts, earlier, second, rates);
	if (facts->seconds <= 0 || facts->all <= 0)
		return false;
	*rates = (struct recent_rates){
		.seconds = facts->seconds,
		.units = (double)facts->messages / facts->seconds,
		.bytes = (double)facts->bytes / facts->seconds,
		.recent = limited(facts->waits / facts->all),
		.all = limited(facts->all_waits / facts->whole),
		.what = facts->waiting ? "waiting" : "communication",
		.span = facts->cut ? "look" : "run",
	};
	return true;
}

void recent_facts_text(const struct recent_facts *facts, const struct recent_facts *earlier,
		       int64_t second, struct str *out)
{
	struct recent_rates r;

	if (!recent_facts_rates(facts, earlier, second, &r))
		return;
	str_add_fmt(out, "last %.0f s: ", r.seconds < 1 ? 1 : r.seconds);
	units_count(out, (uint64_t)r.units);
	str_add_fmt(out, " %s/s, ", facts->alone ? "calls" : "messages");
	units_bytes(out, (uint64_t)r.bytes);
	str_add_fmt(out, "/s, %s ", r.what);
	units_share(out, r.recent);
	str_add_fmt(out, " (%s ", r.span);
	units_share(out, r.all);
	str_add(out, ")");
}
