#include "views/report/check.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/order.h"
#include "model/formats/load.h"
#include "model/picl/read/picl_stats.h"
#include "model/trace/halo.h"
#include "model/trace/program.h"
#include "views/facts/clock_bounds.h"
#include "views/facts/collective_facts.h"
#include "views/facts/corrections_facts.h"
#include "views/facts/lacks.h"
#include "views/facts/rollcall_text.h"
#include "views/facts/virtual_text.h"

/* "2 ranks have no end: ...": the parts that were not recorded to their end, each sort once. */
static void add_missing(struct phrases *p, struct str *out)
{
	const char *separator = "";

	for (size_t i = 0; i < trace_finding_count(p->trace); i++) {
		const struct finding *f = trace_finding(p->trace, i);
		if (f->kind != FINDING_MISSING)
			continue;
		str_add(out, separator);
		separator = "; ";
		if (strcmp(f->code, "not-finalised") == 0)
			str_add_fmt(out, "%s no end: killed, or ended without MPI_Finalize",
				    phrase_count(p, f->count, "rank has", "ranks have"));
		else
			str_add_clean(out, f->text, strlen(f->text));
	}
}

bool check_events_line(const struct trace *trace, struct str *out)
{
	OWNED_STR path = STR_INIT;

	if (!trace_records_alone(trace))
		return false;
	str_add_clean(&path, trace_path(trace), strlen(trace_path(trace)));
	str_add_fmt(out,
		    "warning: %s has statistics only, no events of calls and messages (record them "
		    "without --statistics); use: tview export graph %s",
		    path.text, path.text);
	return true;
}

/* Sums up damage and what is missing in one line: the trace, how much, where first. False: there is
 * none. */
bool check_damage_line(const struct trace *trace, struct str *out)
{
	ENDED_BY(phrases_fini) struct phrases p = { .trace = trace };
	const uint64_t missing = trace_finding_sum(trace, FINDING_MISSING);
	uint64_t n = 0, first = 0;
	bool changed = false;

	for (size_t i = 0; i < trace_finding_count(trace); i++) {
		const struct finding *f = trace_finding(trace, i);
		if (f->kind != FINDING_DAMAGE)
			continue;
		if (strcmp(f->code, LOAD_CHANGED) == 0) {
			changed = true;
			continue;
		}
		n += f->count;
		if (f->lines[0] && (!first || f->lines[0] < first))
			first = f->lines[0];
	}
	if (!n && !missing && !changed)
		return false;
	trace_add_path(trace, out);
	str_add(out, ": ");
	if (changed)
		str_add_fmt(out, "written to while it was read%s", n || missing ? "; " : "");
	if (n)
		str_add_fmt(out, "%s could not be read", phrase_count(&p, n, "record", "records"));
	if (first)
		str_add_fmt(out, " (first at line %llu)", (unsigned long long)first);
	str_add(out, n && missing ? "; " : "");
	add_missing(&p, out);
	str_add(out, "; see tview check");
	return true;
}

/* A cancelled receive is not a message. */
static uint64_t count_messages(const struct trace *trace)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < trace_message_count(trace); i++)
		n += !(trace_message(trace, i)->flags & MSG_CANCELLED) &&
		     !trace_message_is_far(trace, i);
	return exchange_count(trace_exchange(trace), n);
}

/* Those with members in several processes are counted by their homes. */
static uint64_t count_collectives(const struct query *query)
{
	const struct query whole = {
		.trace = query->trace, .base = query->base, .t0 = INT64_MIN, .t1 = INT64_MAX
	};
	struct exchange *x = trace_exchange(query->trace);
	struct collective_list shared = { 0 };
	uint64_t n = trace_collective_count(query->trace);

	if (!x)
		return n;
	collective_facts_share(&whole, &shared);
	n = exchange_count(x, trace_first_turn(query->trace) + shared.n);
	free(shared.data);
	return n;
}

static void headline(const struct query *query, struct phrases *p, struct str *out)
{
	const struct trace *trace = query->trace;
	int64_t t0, t1;

	trace_span(trace, query->base, &t0, &t1);
	trace_add_path(trace, out);
	str_add_fmt(out, ": %s of %s in %s; %s, %s",
		    phrase_count(p, trace_event_count(trace), "event", "events"),
		    phrase_members(p, NULL, trace_location_count(trace)),
		    phrase_time(p, (double)(t1 - t0)),
		    phrase_count(p, count_messages(trace), "message", "messages"),
		    phrase_count(p, count_collectives(query), "collective", "collectives"));
	if (trace_statement_count(trace))
		str_add_fmt(out, "; %s, %s",
			    phrase_count(p, trace_statement_count(trace), "statement",
					 "statements"),
			    phrase_count(p, trace_statement_record_count(trace), "statement record",
					 "statement records"));
	str_add(out, "\n");
	if (trace_partial(trace)->is)
		str_add_fmt(out, "This is a part of the trace: %s.\n", trace_partial(trace)->text);
}

/* "damage  bad-record  3  a record could not be read (line 17 20 33)", one sort a line. */
static void finding_line(struct table *table, uint64_t row, struct phrases *p, struct str *out)
{
	struct value v[TABLE_COLUMNS];

	table_cells(table, row, v);
	str_add_fmt(out, "  %-7s ", v[0].text);
	str_add_fmt(out, "%-25s %-9s ", v[1].text, phrase_number(p, (uint64_t)v[2].integer));
	str_add_clean(out, v[4].text, strlen(v[4].text));
	if (v[3].known)
		str_add_fmt(out, " (line %s)", v[3].text);
	str_add_char(out, '\n');
}

static void findings(const struct query *query, struct phrases *p, struct str *out)
{
	struct table *table = findings_table_new(query, NULL);
	const char *incomplete = trace_property_value(query->trace, "incomplete");
	const char *first = trace_property_value(query->trace, "ended-first");

	if (!table->rows && !lacks_any(query->trace) && !incomplete && !first)
		str_add(out, "No damage, no guesses, no deviations from the format.\n");
	for (uint64_t row = table_first(table); row != ROW_NONE; row = table_next(table, row))
		finding_line(table, row, p, out);
	if (first) {
		str_add_char(out, (char)toupper((unsigned char)first[0]));
		str_add_clean(out, first + 1, strlen(first + 1));
		str_add(out, ".\n");
	}
	if (incomplete) {
		str_add(out, "Incomplete: ");
		str_add_clean(out, incomplete, strlen(incomplete));
		str_add(out, ".\n");
	}
	table_free(table);
}

static void lacks(struct phrases *p, struct str *out)
{
	if (!lacks_any(p->trace))
		return;
	str_add(out, "Not everything was recorded:\n");
	for (unsigned kind = 0; kind < LACK_KINDS; kind++) {
		const char *sentence = lacks_sentence(p, (enum lack_kind)kind);
		if (*sentence) {
			str_add(out, "  ");
			str_add_clean(out, sentence, strlen(sentence));
			str_add_char(out, '\n');
		}
	}
}

enum { STATISTICS_SHOWN = 10 };

/* One that does not agree with the events. */
struct wrong_statistic {
	uint32_t location, nth; /* of those of its location's process */
	struct statistic is;
};

ORDERING(by_location, struct wrong_statistic, location, nth)

struct wrong_statistics {
	struct wrong_statistic *data;
	size_t n, cap;
};

/* Finds the first ones that do not agree, of all processes; returns how many do not. */
static uint64_t find_wrong(const struct trace *trace, struct wrong_statistics *found, uint64_t *n)
{
	struct exchange *x = trace_exchange(trace);
	OWNED struct statistic *list = NULL;
	const size_t own = picl_check_statistics(trace, &list);
	uint64_t wrong = 0;

	for (size_t i = 0; i < own; i++)
		if (!list[i].agrees && wrong++ < STATISTICS_SHOWN)
			vec_push(found, ((struct wrong_statistic){ list[i].location, (uint32_t)i,
								   list[i] }));
	exchange_rows(x, found);
	vec_sort(found, by_location);
	if (found->n > STATISTICS_SHOWN)
		found->n = STATISTICS_SHOWN;
	*n = exchange_count(x, own);
	return exchange_count(x, wrong);
}

/* Compares the trace's own statistics with its events: how many agree, and the first that do
 * not. */
static void statistics(const struct trace *trace, struct phrases *p, struct str *out)
{
	struct wrong_statistics found = VEC_INIT;
	OWNED_STR wrong_ones = STR_INIT, text = STR_INIT;
	const struct wrong_statistic *w;
	uint64_t n;
	const uint64_t wrong = find_wrong(trace, &found, &n);

	vec_each (w, &found) {
		str_clear(&text);
		statistic_text(trace, &w->is, &text);
		str_add(&wrong_ones, "  ");
		str_add_clean(&wrong_ones, text.text, text.n);
		str_add_char(&wrong_ones, '\n');
	}
	if (wrong)
		str_add_fmt(out, "%s of %s in the file %s its events:\n%s", phrase_number(p, wrong),
			    phrase_count(p, n, "statistic", "statistics"),
			    wrong == 1 ? "contradicts" : "contradict", wrong_ones.text);
	else if (n)
		str_add_fmt(out, "The statistics in the file agree with its events (%s).\n",
			    phrase_count(p, n, "number", "numbers"));
	vec_fini(&found);
}

/* "; 3 more arrive faster than the minimum latency": the violations that are not reversed. */
static const char *too_fast(struct phrases *p, const struct check_sum *sum)
{
	const uint64_t n = sum->violating - sum->reversed;

	return n ? phrase(p, "; %s more %s faster than the minimum latency", phrase_number(p, n),
			  n == 1 ? "arrives" : "arrive")
		 : "";
}

/* The clock condition before and after. */
static void clock_condition(const struct query *query, struct phrases *p, struct str *out)
{
	const struct corrected facts = corrected_of(query->trace, query->corrections);
	const struct check_sum *before, *after;

	if (!facts.check_before || !facts.check_before->all.messages)
		return;
	before = &facts.check_before->all;
	str_add_fmt(out, "%s times: %s of %s (with collectives) %s%s%s.\n",
		    phrase_capital(p, time_base_name(facts.before)),
		    phrase_number(p, before->reversed),
		    phrase_count(p, before->messages, "message", "messages"),
		    before->reversed == 1 ? "arrives before it is sent"
					  : "arrive before they are sent",
		    before->reversed
			    ? phrase(p, ", by up to %s", phrase_time(p, (double)before->worst))
			    : "",
		    too_fast(p, before));
	if (facts.after == facts.before || !facts.check_after)
		return;
	after = &facts.check_after->all;
	str_add_fmt(out, "After correction (%s times): %s of %s%s.\n", time_base_name(facts.after),
		    phrase_number(p, after->reversed), phrase_number(p, after->messages),
		    too_fast(p, after));
	if (facts.one_clock)
		str_add(out, "All ranks share one clock; the measured offsets are noise and not "
			     "used.\n");
}

static void add_island(void *context, const char *sentence, bool unknown)
{
	(void)unknown;
	str_add_fmt(context, "%s\n", sentence);
}

/* How certain clocks are. */
static void clock_bounds(const struct query *query, struct phrases *p, struct str *out)
{
	const char *all = clock_bounds_sentence(p, query->corrections);
	const char *records = clock_bounds_records(p, query->corrections);
	bool exceeded;
	const char *drift = clock_bounds_drift(p, query->corrections, &exceeded);

	if (exceeded)
		str_add_fmt(out, "%s\n", drift);
	if (*all)
		str_add_fmt(out, "%s\n", all);
	clock_bounds_islands(p, query->corrections, add_island, out);
	if (*records)
		str_add_fmt(out, "%s\n", records);
}

static void crowd(struct phrases *p, struct str *out)
{
	const char *sentence = phrase_crowd(p, CROWD_TIMES);

	if (*sentence)
		str_add_fmt(out, "%s\n", sentence);
}

/* Virtual times beside compensated ones. */
static void virtual_times(const struct query *query, struct phrases *p, struct str *out)
{
	const char *sentence = virtual_sentence(p, query->corrections);
	const char *crowd = virtual_crowd(p, query->corrections);

	if (*sentence)
		str_add_fmt(out, "%s\n", sentence);
	if (*crowd)
		str_add_fmt(out, "%s\n", crowd);
}

static void add_sentence(void *context, const struct roll_group *group, bool warning,
			 const char *sentence)
{
	(void)group;
	(void)warning;
	str_add_fmt(context, "  %s\n", sentence);
}

static void rollcall(const struct query *query, struct str *out)
{
	struct rollcall roll;

	if (rollcall_make(&roll, query->trace, query->base, NULL)) {
		str_add(out, "The trace ends inside these calls:\n");
		rollcall_sentences(&roll, query->trace, add_sentence, out);
	}
	rollcall_fini(&roll);
}

bool check_report(const struct query *query, FILE *out)
{
	const uint64_t damage = trace_finding_sum(query->trace, FINDING_DAMAGE);
	ENDED_BY(phrases_fini) struct phrases p = { .trace = query->trace };
	OWNED_STR text = STR_INIT;

	headline(query, &p, &text);
	findings(query, &p, &text);
	lacks(&p, &text);
	clock_condition(query, &p, &text);
	clock_bounds(query, &p, &text);
	crowd(&p, &text);
	virtual_times(query, &p, &text);
	statistics(query->trace, &p, &text);
	rollcall(query, &text);
	if (damage)
		str_add_fmt(&text, "Damaged: %s skipped.\n",
			    phrase_count(&p, damage, "record", "records"));
	if (exchange_process(trace_exchange(query->trace)) == 0)
		fwrite(text.text, 1, text.n, out);
	return !damage && !trace_finding_sum(query->trace, FINDING_MISSING);
}
