#include "views/report/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/picl/read/picl_stats.h"
#include "model/trace/program.h"
#include "views/facts/corrections_facts.h"
#include "views/facts/rollcall_text.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

static void count_of(struct str *out, uint64_t n, const char *one, const char *many)
{
	units_count(out, n);
	str_add_fmt(out, " %s", n == 1 ? one : many);
}

bool check_damage_line(const struct trace *trace, struct str *out)
{
	uint64_t n = 0, first = 0;

	for (size_t i = 0; i < trace_finding_count(trace); i++) {
		const struct finding *f = trace_finding(trace, i);
		if (f->kind != FINDING_DAMAGE)
			continue;
		n += f->count;
		if (f->lines[0] && (!first || f->lines[0] < first))
			first = f->lines[0];
	}
	if (!n)
		return false;
	str_add_clean(out, trace_path(trace), strlen(trace_path(trace)));
	str_add(out, ": ");
	count_of(out, n, "record", "records");
	str_add(out, " could not be read");
	if (first)
		str_add_fmt(out, " (first at line %llu)", (unsigned long long)first);
	str_add(out, "; see tview check");
	return true;
}

static void headline(const struct query *query, struct str *out)
{
	const struct trace *trace = query->trace;
	int64_t t0, t1;

	trace_span(trace, query->base, &t0, &t1);
	str_add_clean(out, trace_path(trace), strlen(trace_path(trace)));
	str_add(out, ": ");
	count_of(out, trace_event_count(trace), "event", "events");
	str_add(out, " of ");
	count_of(out, trace_location_count(trace), "location", "locations");
	str_add(out, " in ");
	units_human_time(out, t1 - t0, trace_scale(trace), 4);
	str_add(out, "; ");
	count_of(out, trace_message_count(trace), "message", "messages");
	str_add(out, ", ");
	count_of(out, trace_collective_count(trace), "collective", "collectives");
	if (trace_statement_count(trace)) {
		str_add(out, "; ");
		count_of(out, trace_statement_count(trace), "statement", "statements");
		str_add(out, ", ");
		count_of(out, trace_statement_record_count(trace), "record of them",
			 "records of them");
	}
	str_add(out, "\n");
	if (trace_partial(trace)->is)
		str_add_fmt(out, "This is a part of the trace: %s.\n", trace_partial(trace)->text);
}

/* "damage  bad-record  3  lines 17 20 33: a record could not be read", one sort a line. */
static void finding_line(struct table *table, uint64_t row, struct str *out)
{
	struct value v[TABLE_COLUMNS];
	const size_t start = out->n;

	table_cells(table, row, v);
	str_add_fmt(out, "  %-7s ", v[0].text);
	str_add_clean(out, v[1].text, strlen(v[1].text));
	while (out->n - start < 36)
		str_add_char(out, ' ');
	units_count(out, (uint64_t)v[2].integer);
	while (out->n - start < 46)
		str_add_char(out, ' ');
	str_add_clean(out, v[4].text, strlen(v[4].text));
	if (v[3].known)
		str_add_fmt(out, " (line %s)", v[3].text);
	str_add_char(out, '\n');
}

static void findings(const struct query *query, struct str *out)
{
	struct table *table = findings_table_new(query, NULL);

	if (!table->rows)
		str_add(out, "Nothing was damaged, guessed or odd.\n");
	for (uint64_t row = table_first(table); row != ROW_NONE; row = table_next(table, row))
		finding_line(table, row, out);
	table_free(table);
}

/* What the trace's own statistics say, against its events: how many agree, and the first that do
 * not. */
static void statistics(const struct trace *trace, struct str *out)
{
	enum { SHOWN = 10 };
	struct statistic *list = NULL;
	const size_t n = picl_check_statistics(trace, &list);
	struct str text = STR_INIT;
	size_t wrong = 0;

	for (size_t i = 0; i < n; i++) {
		if (list[i].agrees || wrong++ >= SHOWN)
			continue;
		str_clear(&text);
		statistic_text(trace, &list[i], &text);
		str_add(out, "  ");
		str_add_clean(out, text.text, text.n);
		str_add_char(out, '\n');
	}
	if (wrong) {
		count_of(out, wrong, "number", "numbers");
		str_add(out, " of the trace's own statistics, of ");
		units_count(out, n);
		str_add(out, ", do not agree with its events.\n");
	} else if (n) {
		str_add(out, "The trace's own statistics agree with its events (");
		count_of(out, n, "number", "numbers");
		str_add(out, ").\n");
	}
	str_fini(&text);
	free(list);
}

/* The clock condition before and after. */
static void clock_condition(const struct query *query, struct str *out)
{
	const struct corrected facts = corrected_of(query->trace, query->corrections);
	const struct check_sum *before, *after;

	if (!facts.check_before || !facts.check_before->all.messages)
		return;
	before = &facts.check_before->all;
	str_add_fmt(out, "Clocks, %s times: of ", time_base_name(facts.before));
	count_of(out, before->messages, "message", "messages");
	str_add(out, " (of collectives, too) ");
	units_count(out, before->reversed);
	str_add(out, " received before sent");
	if (before->reversed) {
		str_add(out, " by up to ");
		units_human_time(out, before->worst, trace_scale(query->trace), 4);
	}
	str_add(out, ", ");
	units_count(out, before->violating);
	str_add(out, " too early.\n");
	if (facts.after == facts.before || !facts.check_after)
		return;
	after = &facts.check_after->all;
	str_add_fmt(out, "Corrected, %s times: ", time_base_name(facts.after));
	units_count(out, after->reversed);
	str_add(out, " received before sent, ");
	units_count(out, after->violating);
	str_add(out, " too early.\n");
}

static void add_sentence(void *context, bool warning, const char *sentence)
{
	(void)warning;
	str_add_fmt(context, "  %s\n", sentence);
}

static void rollcall(const struct query *query, struct str *out)
{
	struct rollcall roll;

	if (rollcall_make(&roll, query->trace, query->base, NULL)) {
		str_add(out, "Calls were open when it ended:\n");
		rollcall_sentences(&roll, query->trace, add_sentence, out);
	}
	rollcall_fini(&roll);
}

bool check_report(const struct query *query, FILE *out)
{
	const uint64_t damage = trace_finding_sum(query->trace, FINDING_DAMAGE);
	struct str text = STR_INIT;

	headline(query, &text);
	findings(query, &text);
	clock_condition(query, &text);
	statistics(query->trace, &text);
	rollcall(query, &text);
	if (damage) {
		str_add(&text, "Damaged: ");
		count_of(&text, damage, "record was", "records were");
		str_add(&text, " passed over.\n");
	}
	fwrite(text.text, 1, text.n, out);
	str_fini(&text);
	return !damage;
}
