/* report_rollcall: the section of a report on a run that did not end. */
#include "views/facts/rollcall_text.h"
#include "views/query/view_common.h"
#include "views/report/report_parts.h"

/* `since` is a time of the run: of a job that runs the page says for how long. */
static const struct report_column columns[] = {
	{ "ranks", "ranks", REPORT_TEXT },    { "count", "count", REPORT_COUNT },
	{ "state", "state", REPORT_TEXT },    { "callpath", "call path", REPORT_TEXT },
	{ "since", "since", REPORT_SECONDS }, { "odd", NULL, REPORT_FLAG },
}, live_columns[] = {
	{ "ranks", "ranks", REPORT_TEXT }, { "count", "count", REPORT_COUNT },
	{ "state", "state", REPORT_TEXT }, { "callpath", "call path", REPORT_TEXT },
	{ "since", NULL, REPORT_SECONDS }, { "odd", NULL, REPORT_FLAG },
	{ "for", "for", REPORT_SECONDS },
};

/* The overview has room for the causes and for the largest group of ranks that have not ended. */
struct sentences {
	struct report_section *section;
	bool grouped; /* that group has been added */
};

static void add_sentence(void *context, const struct roll_group *group, bool warning,
			 const char *text)
{
	struct sentences *s = context;
	const bool first = group && group->path && !s->grouped;

	report_line(s->section, warning ? TEXT_ERROR : TEXT_WARNING, "timeline", text)->page_only =
		!warning && !first;
	s->grouped |= first;
}

static void add_group(const struct report_writer *w, const struct rollcall *roll, uint32_t g)
{
	const struct trace *trace = w->query->trace;
	const struct roll_group *group = &roll->groups[g];
	int64_t since = INT64_MAX;
	OWNED_STR s = STR_INIT;

	for (uint32_t i = 0; i < group->n; i++)
		if (roll->rolls[roll->order[group->first + i]].since < since)
			since = roll->rolls[roll->order[group->first + i]].since;
	rollcall_add_ranks(trace, &roll->order[group->first], group->n, UINT32_MAX, &s);
	report_cell_text(w->section, s.text);
	report_cell_real(w->section, group->n);
	report_cell_text(w->section, roll_state_name(group->state));
	str_clear(&s);
	if (group->path)
		trace_callpath_text(trace, group->path, &s);
	report_cell_text(w->section, s.text);
	report_cell_seconds(w, group->state != ROLL_UNKNOWN, (double)since);
	report_cell_real(w->section, g == roll->odd);
	if (trace_live(trace))
		report_cell_seconds(w, group->state != ROLL_UNKNOWN, (double)(roll->last - since));
}

void report_rollcall(struct report_writer *w)
{
	enum { GROUPS = 100 };
	struct rollcall roll;
	OWNED_STR cycle = STR_INIT;

	w->section = report_section(w->report, "rollcall",
				    trace_live(w->query->trace)
					    ? "Where the ranks are"
					    : "Where the ranks were when the trace ended");
	if (rollcall_make(&roll, w->query->trace, w->query->base, w->query->progress)) {
		w->rollcalled = true;
		w->hung = roll.n_cycle || roll.n_blamed;
		report_put_real(w->section, "last", REPORT_SECONDS,
				report_seconds(w, (double)roll.last));
		for (uint32_t i = 0; i < roll.n_cycle; i++) {
			str_add(&cycle, i ? "," : "");
			str_add_int(&cycle, trace_location(w->query->trace, roll.cycle[i])->rank);
		}
		report_put_text(w->section, "cycle", cycle.text);
		rollcall_sentences(&roll, w->query->trace, add_sentence,
				   &(struct sentences){ .section = w->section });
		report_columns(w->section, trace_live(w->query->trace) ? live_columns : columns,
			       trace_live(w->query->trace) ? ARRAY_SIZE(live_columns)
							   : ARRAY_SIZE(columns));
		for (uint32_t g = 0; g < roll.n_groups && g < GROUPS; g++)
			add_group(w, &roll, g);
	}
	rollcall_fini(&roll);
}
