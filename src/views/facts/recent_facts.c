#include "views/facts/recent_facts.h"

#include "model/trace/program.h"
#include "views/facts/lacks.h"
#include "views/facts/overview_facts.h"

/* Waiting or not: only the analysis knows. */
static double communication(const struct overview_facts *f)
{
	return (double)(f->by_class[CLASS_P2P] + f->by_class[CLASS_COLLECTIVE] +
			f->by_class[CLASS_SYNC] + f->by_class[CLASS_RMA]);
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

static bool begins_late(const struct trace *trace)
{
	struct lack lack;

	for (size_t at = 0; lacks_next(trace, &at, &lack);)
		if (lack.kind == LACK_EARLIER)
			return true;
	return false;
}

void recent_facts_make(struct recent_facts *facts, const struct query *query, int seconds)
{
	const int64_t second = trace_scale(query->trace)->per_second, span = seconds * second;
	struct query window = *query;
	struct overview_facts whole, last;

	window.t0 = INT64_MIN;
	window.t1 = INT64_MAX;
	overview_facts_make(&whole, &window);
	window.t0 = whole.t1 - whole.t0 > span ? whole.t1 - span : whole.t0;
	overview_facts_make(&last, &window);
	*facts = (struct recent_facts){
		.end = whole.t1,
		.seconds = (double)(last.t1 - last.t0) / (double)second,
		.messages = last.messages,
		.bytes = last.bytes,
		.waits = communication(&last),
		.all = (double)last.whole,
		.all_waits = communication(&whole),
		.whole = (double)whole.whole,
		.alone = trace_records_alone(query->trace),
		.cut = begins_late(query->trace),
	};
	if (facts->alone)
		add_records(facts, query->trace);
}

static void add_rates(struct str *out, double seconds, uint64_t n, const char *what, uint64_t bytes)
{
	str_add_fmt(out, ", last %.0f s: ", seconds < 1 ? 1 : seconds);
	units_count(out, (uint64_t)((double)n / seconds));
	str_add_fmt(out, " %s/s, ", what);
	units_bytes(out, (uint64_t)((double)bytes / seconds));
	str_add(out, "/s, ");
}

static void add_shares(struct str *out, const char *what, double recent, const char *where,
		       double all)
{
	str_add(out, what);
	units_share(out, recent < 0 ? 0 : recent > 1 ? 1 : recent);
	str_add_fmt(out, " (%s ", where);
	units_share(out, all);
	str_add(out, ")");
}

/* Both grow: a call that was under way may turn out not to have waited, which is less than it was
 * counted for. */
static void add_alone(const struct recent_facts *now, const struct recent_facts *then,
		      int64_t second, struct str *out)
{
	const double seconds = (double)(now->end - then->end) / (double)second;

	add_rates(out, seconds, now->calls - then->calls, "calls", now->sent - then->sent);
	add_shares(out, "waiting ", (now->all_waits - then->all_waits) / (now->whole - then->whole),
		   "run", now->all_waits / now->whole);
}

void recent_facts_text(const struct recent_facts *facts, const struct recent_facts *earlier,
		       int64_t second, struct str *out)
{
	if (facts->alone) {
		if (earlier && earlier->alone && earlier->end < facts->end &&
		    earlier->whole < facts->whole && earlier->calls <= facts->calls &&
		    earlier->sent <= facts->sent)
			add_alone(facts, earlier, second, out);
		return;
	}
	if (facts->seconds <= 0 || facts->all <= 0)
		return;
	add_rates(out, facts->seconds, facts->messages, "messages", facts->bytes);
	add_shares(out, "communication ", facts->waits / facts->all, facts->cut ? "look" : "run",
		   facts->all_waits / facts->whole);
}
