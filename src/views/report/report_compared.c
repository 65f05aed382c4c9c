#include "views/report/report_compared.h"

#include <math.h>
#include <string.h>

#include "views/query/second_trace.h"
#include "views/query/view_common.h"

enum { MOST_ROWS = 10, TOLD = 3, RUNS_ENOUGH = 5 };

/* If one child has this share of a metric's difference, only the child is reported. */
#define CHILD_ALONE 0.98

struct writer {
	struct report *report;
	const struct query *query;
	const struct delta *delta;
};

/* ---- words ---- */

static void add_value(struct str *out, enum cube_metric metric, double value)
{
	const enum cube_unit unit = cube_metric_info(metric)->unit;
	struct report_value shown = { .kind = unit == UNIT_TICKS ? REPORT_SECONDS : REPORT_COUNT,
				      .known = true,
				      .real = fabs(value) };

	if (unit == UNIT_BYTES)
		units_bytes(out, (uint64_t)fabs(value));
	else
		report_show(&shown, out);
}

static void add_percent(struct str *out, const struct delta_row *row)
{
	const double old = row->value[ALIGN_OLD];

	if (old != 0)
		str_add_fmt(out, "%+.1f %%", 100 * delta_difference(row) / fabs(old));
	else
		str_add(out, "none before");
}

/* Metrics below the delay costs have the names of wait states, so they need the prefix: "Delay
 * costs of Late Sender (short-term)". */
static void add_title(struct str *out, enum cube_metric metric)
{
	const struct cube_metric_info *info = cube_metric_info(metric);
	const bool term = info->source == SOURCE_FOUND && info->parent != CUBE_NONE;

	if (metric == CUBE_DELAY || !cube_metric_within(metric, CUBE_DELAY)) {
		str_add(out, info->title);
		return;
	}
	str_add_fmt(out, "Delay costs of %s",
		    term ? cube_metric_info(info->parent)->title : info->title);
	if (term)
		str_add_fmt(out, " (%c%s)", info->title[0] | 0x20, info->title + 1);
}

/* "Late Sender grew by 412 ms (+73.0 %) to 972 ms". */
static void add_change(const struct writer *w, const struct delta_row *row, struct str *out)
{
	const struct alignment *a = delta_alignment(w->delta);

	add_title(out, row->metric);
	if (row->path != ALIGN_NONE) {
		str_add(out, " in ");
		align_path_text(a, row->path, out);
	}
	if (row->place != ALIGN_NONE) {
		str_add(out, " on ");
		align_place_text(a, row->place, out);
	}
	str_add(out, delta_difference(row) > 0 ? " grew by " : " shrank by ");
	add_value(out, row->metric, delta_difference(row));
	str_add(out, " (");
	add_percent(out, row);
	str_add(out, ") to ");
	add_value(out, row->metric, row->value[ALIGN_NEW]);
}

/* ---- the two runs ---- */

static double run_time(const struct trace *trace, enum time_base base)
{
	int64_t begin, end;

	trace_span(trace, base, &begin, &end);
	return (double)(end - begin) / (double)trace_scale(trace)->per_second;
}

/* "8 locations, 1.204 s, clc times". */
static void say_size(struct report_section *s, const char *which, const struct trace *trace,
		     double seconds, enum time_base base)
{
	const struct report_value length = { .kind = REPORT_SECONDS,
					     .known = true,
					     .real = seconds };
	OWNED_STR text = STR_INIT;

	report_show(&length, &text);
	report_say(s, TEXT_PLAIN, NULL, "%s, %u locations, %s, %s times.", which,
		   trace_state_locations(trace), text.text, time_base_name(base));
}

static void say_run(struct report_section *s, const char *which, const struct trace *trace,
		    enum time_base base)
{
	OWNED_STR text = STR_INIT;

	str_add_fmt(&text, "%s: %s", which, trace_path(trace));
	say_size(s, text.text, trace, run_time(trace, base), base);
	if (trace_partial(trace)->is)
		report_say(s, TEXT_WARNING, NULL, "This is a part of the trace: %s.",
			   trace_partial(trace)->text);
	if (trace_finding_sum(trace, FINDING_DAMAGE))
		report_say(s, TEXT_ERROR, NULL,
			   "Trace damaged: %llu records skipped (see tview check).",
			   (unsigned long long)trace_finding_sum(trace, FINDING_DAMAGE));
	if (trace_event_count(trace) == 0)
		report_say(s, TEXT_WARNING, NULL, "The trace has no events.");
}

static void say_noise(const struct writer *w, struct report_section *s)
{
	const unsigned n = delta_repeated(w->delta);

	if (n)
		report_say(
			s, TEXT_MUTED, NULL,
			"Old values are means of %u runs; noise: what one of them differs by, by "
			"chance and by the largest interruption seen%s.",
			n + 1,
			n + 1 < RUNS_ENOUGH ? " (few runs: rare interruptions may be missing)"
					    : "");
	else
		report_say(
			s, TEXT_WARNING, NULL,
			"One run each: what differs by chance is not known (--baseline with "
			"repeated runs tells). Differences below %.0f %% of a time, or %.1f %% of "
			"total time, are left out.",
			100 * DELTA_SHARE, 100 * DELTA_OF_TIME);
	report_put_real(s, "baseline", REPORT_COUNT, n);
}

/* The name of the older run, or of the baseline. */
static const char *old_name(const struct other *o)
{
	return o->name ? o->name : trace_path(o->trace);
}

/* Returns how long the older run took, or its mean. */
static double say_old(struct report_section *s, const struct other *o, const struct efficiency *old)
{
	OWNED_STR text = STR_INIT;
	double seconds;

	if (!o->name) {
		say_run(s, "Old", o->trace, o->base);
		return run_time(o->trace, o->base);
	}
	seconds = old->run_time / (double)trace_scale(o->trace)->per_second;
	str_add_fmt(&text, "Old: baseline %s, %u %s", o->name, o->n, o->n == 1 ? "run" : "runs");
	say_size(s, text.text, o->trace, seconds, o->base);
	return seconds;
}

static void write_runs(const struct writer *w, const struct efficiency *old)
{
	struct report_section *s = report_section(w->report, "runs", "");
	const struct other *o = w->query->other;
	OWNED_STR text = STR_INIT;
	double old_length;

	trace_add_name(w->query->trace, &text);
	str_add(&text, " against ");
	if (o->name)
		str_add(&text, o->name);
	else
		trace_add_name(o->trace, &text);
	report_title(w->report, text.text);
	old_length = say_old(s, o, old);
	say_run(s, "New", w->query->trace, w->query->base);
	str_clear(&text);
	align_sentence(delta_alignment(w->delta), &text);
	report_line(s, TEXT_MUTED, NULL, text.text);
	say_noise(w, s);
	report_put_text(s, "old", old_name(o));
	report_put_text(s, "new", trace_path(w->query->trace));
	report_put_text(s, "old_base", time_base_name(o->base));
	report_put_text(s, "new_base", time_base_name(w->query->base));
	report_put_real(s, "old_length", REPORT_SECONDS, old_length);
	report_put_real(s, "new_length", REPORT_SECONDS, run_time(w->query->trace, w->query->base));
}

/* ---- efficiencies ---- */

static void write_efficiencies(const struct writer *w, const struct other_efficiencies *e)
{
	static const struct report_column columns[] = {
		{ "name", "", REPORT_TEXT },
		{ "old", "old", REPORT_SHARE },
		{ "new", "new", REPORT_SHARE },
		{ "noise", NULL, REPORT_SHARE },
	};
	static const struct {
		const char *name;
		size_t field;
	} rows[] = {
		{ "parallel efficiency", offsetof(struct efficiency, parallel) },
		{ "load balance", offsetof(struct efficiency, load_balance) },
		{ "communication efficiency", offsetof(struct efficiency, communication) },
		{ "serialisation efficiency", offsetof(struct efficiency, serialisation) },
		{ "transfer efficiency", offsetof(struct efficiency, transfer) },
	};
	struct report_section *s = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		double values[ALIGN_SIDES], noise;
		for (int side = 0; side < ALIGN_SIDES; side++)
			memcpy(&values[side], (const char *)&e->of[side] + rows[i].field,
			       sizeof(double));
		memcpy(&noise, (const char *)&e->noise + rows[i].field, sizeof noise);
		if (!isfinite(values[ALIGN_OLD]) && !isfinite(values[ALIGN_NEW]))
			continue;
		if (!s) {
			s = report_section(w->report, "efficiencies", "Efficiencies");
			report_columns(s, columns, ARRAY_SIZE(columns));
		}
		report_cell_text(s, rows[i].name);
		for (int side = 0; side < ALIGN_SIDES; side++)
			report_cell_real(s, values[side]);
		report_cell_real(s, delta_repeated(w->delta) ? noise : NAN);
	}
}

/* ---- tables ---- */

#define PATH                                         \
	{                                            \
		"callpath", "call path", REPORT_TEXT \
	}
#define PLACE                                \
	{                                    \
		"rank", "where", REPORT_TEXT \
	}
#define VALUES(kind)                                                                          \
	{ "old", "old", kind }, { "new", "new", kind }, { "difference", "difference", kind }, \
		{ "change", "change", REPORT_SHARE },                                         \
	{                                                                                     \
		"noise", NULL, kind                                                           \
	}

static const struct report_column metric_columns[] = { { "metric", "metric", REPORT_TEXT },
						       VALUES(REPORT_SECONDS) };
static const struct report_column path_columns[] = { { "metric", "metric", REPORT_TEXT },
						     PATH,
						     VALUES(REPORT_SECONDS) };
static const struct report_column place_columns[] = { { "metric", "metric", REPORT_TEXT },
						      PLACE,
						      VALUES(REPORT_SECONDS) };
static const struct report_column count_columns[] = { { "metric", "metric", REPORT_TEXT },
						      VALUES(REPORT_COUNT) };

/* The rows of one table. */
struct kind {
	const char *key, *title, *view;
	unsigned by; /* enum delta_by */
	enum {
		OF_TIMES,
		OF_COSTS,
		OF_COUNTS
	} of; /* seconds; seconds charged to causes; counts and bytes */
	const struct report_column *columns;
	unsigned n;
};

static const struct kind kinds[] = {
	{ "metrics", "Metrics", "difference", 0, OF_TIMES, metric_columns,
	  ARRAY_SIZE(metric_columns) },
	{ "callpaths", "Call paths", "difference", DELTA_BY_PATH, OF_TIMES, path_columns,
	  ARRAY_SIZE(path_columns) },
	{ "locations", "Ranks", "difference", DELTA_BY_PLACE, OF_TIMES, place_columns,
	  ARRAY_SIZE(place_columns) },
	{ "costs", "Ranks: waits caused", "difference", DELTA_BY_PLACE, OF_COSTS, place_columns,
	  ARRAY_SIZE(place_columns) },
	{ "counts", "Counts", "difference", 0, OF_COUNTS, count_columns,
	  ARRAY_SIZE(count_columns) },
};

/* Adds cells for the columns that a table of this kind has. */
static void add_cells(const struct writer *w, struct report_section *s, const struct delta_row *row,
		      unsigned by)
{
	const struct alignment *a = delta_alignment(w->delta);
	OWNED_STR text = STR_INIT;

	report_cell_text(s, cube_metric_info(row->metric)->name);
	if (by & DELTA_BY_PATH) {
		align_path_text(a, row->path, &text);
		report_cell_text(s, text.text);
		str_clear(&text);
	}
	if (by & DELTA_BY_PLACE) {
		align_place_text(a, row->place, &text);
		report_cell_text(s, text.text);
		str_clear(&text);
	}
	report_cell_real(s, row->value[ALIGN_OLD]);
	report_cell_real(s, row->value[ALIGN_NEW]);
	report_cell_real(s, delta_difference(row));
	report_cell_real(s, row->value[ALIGN_OLD] != 0
				    ? delta_difference(row) / fabs(row->value[ALIGN_OLD])
				    : NAN);
	report_cell_real(s, row->noise);
}

/* True if one child accounts for nearly all of the metric's difference. */
static bool child_says_it(const struct writer *w, const struct delta_row *row)
{
	const double all = delta_difference(row);

	for (int m = (int)row->metric + 1; m < CUBE_METRICS; m++) {
		const enum cube_metric child = (enum cube_metric)m;
		if (cube_metric_info(child)->parent != row->metric || !delta_has(w->delta, child))
			continue;
		const struct delta_row of = delta_total(w->delta, child);
		const double part = delta_difference(&of) / all;
		if (part >= CHILD_ALONE && part <= 1 / CHILD_ALONE)
			return true;
	}
	return false;
}

/* True for metrics of spent and wasted time: classes of waits would repeat them. Costs are waits
 * charged elsewhere and have their own table, so that they do not hide what grew itself. */
static bool is_told(enum cube_metric metric, const struct kind *kind)
{
	const enum cube_unit unit = cube_metric_info(metric)->unit;

	if (kind->of == OF_COSTS)
		return metric == CUBE_DELAY;
	if (kind->of == OF_COUNTS)
		return unit != UNIT_TICKS;
	return unit == UNIT_TICKS && cube_metric_within(metric, CUBE_TIME);
}

static bool has_child(const struct writer *w, enum cube_metric metric)
{
	for (int m = (int)metric + 1; m < CUBE_METRICS; m++)
		if (cube_metric_info((enum cube_metric)m)->parent == metric &&
		    delta_has(w->delta, (enum cube_metric)m))
			return true;
	return false;
}

/* By path: its time and the waits in it, as its class would repeat the time. By location: the
 * deepest classes, as the others include them. Waits are reported by kind, not by how they came
 * about. */
static bool is_deepest(const struct writer *w, enum cube_metric metric, unsigned by)
{
	const struct cube_metric_info *info = cube_metric_info(metric);

	if (metric == CUBE_TIME)
		return by == DELTA_BY_PATH;
	if (info->source == SOURCE_FOUND)
		return info->parent == CUBE_NONE ||
		       cube_metric_info(info->parent)->source != SOURCE_FOUND;
	return by != DELTA_BY_PATH && !has_child(w, metric);
}

static bool gather(const struct writer *w, const struct kind *kind, struct delta_rows *rows)
{
	for (int m = 0; m < CUBE_METRICS; m++) {
		const enum cube_metric metric = (enum cube_metric)m;
		if (query_stopped(w->query))
			return false;
		if (!delta_has(w->delta, metric) || !is_told(metric, kind) ||
		    (kind->by && kind->of == OF_TIMES && !is_deepest(w, metric, kind->by)))
			continue;
		delta_rows(w->delta, metric, kind->by, rows);
	}
	return true;
}

static bool is_wait(const struct delta_row *row)
{
	return cube_metric_info(row->metric)->source == SOURCE_FOUND;
}

/* Moves a rank's own work before its waits, of which it is the cause; keeps the order of both. */
static void work_first(struct delta_rows *rows)
{
	struct delta_rows waits = { VEC_INIT };
	size_t n = 0;

	for (size_t i = 0; i < rows->list.n; i++) {
		const struct delta_row row = rows->list.data[i];
		if (is_wait(&row))
			vec_push(&waits.list, row);
		else
			rows->list.data[n++] = row;
	}
	for (size_t i = 0; i < waits.list.n; i++)
		rows->list.data[n++] = waits.list.data[i];
	vec_fini(&waits.list);
}

/* Keeps differences above the noise, and of nested metrics the most specific ones. */
static void choose(const struct writer *w, const struct kind *kind, struct delta_rows *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < rows->list.n; i++) {
		const struct delta_row *row = &rows->list.data[i];
		if (delta_difference(row) != 0 && !delta_is_noise(row) &&
		    (kind->by || row->metric == CUBE_TIME || !child_says_it(w, row)))
			rows->list.data[n++] = *row;
	}
	rows->list.n = n;
	delta_sort(rows);
	if (kind->by == DELTA_BY_PLACE && kind->of == OF_TIMES)
		work_first(rows);
}

static void say(const struct writer *w, struct report_section *s, const struct kind *kind,
		const struct delta_rows *rows)
{
	OWNED_STR text = STR_INIT;

	for (size_t i = 0; kind->of != OF_COUNTS && i < rows->list.n && i < TOLD; i++) {
		const bool worse = delta_difference(&rows->list.data[i]) > 0;
		str_clear(&text);
		add_change(w, &rows->list.data[i], &text);
		str_add(&text, ".");
		report_line(s, worse ? TEXT_WAIT : TEXT_GOOD, kind->view, text.text);
	}
	if (rows->list.n > MOST_ROWS)
		report_say(s, TEXT_MUTED, kind->view,
			   "The first %d, and %zu more (tview export difference has all).",
			   MOST_ROWS, rows->list.n - MOST_ROWS);
}

/* The number of differences, reported or not; negative if stopped. */
static long write_kind(const struct writer *w, const struct kind *kind)
{
	struct delta_rows rows = { VEC_INIT };
	struct report_section *s;
	long n;

	if (!gather(w, kind, &rows)) {
		vec_fini(&rows.list);
		return -1;
	}
	choose(w, kind, &rows);
	n = (long)rows.list.n;
	if (n) {
		s = report_section(w->report, kind->key, kind->title);
		say(w, s, kind, &rows);
		report_columns(s, kind->columns, kind->n);
		for (size_t i = 0; i < rows.list.n && i < MOST_ROWS; i++)
			add_cells(w, s, &rows.list.data[i], kind->by);
	}
	vec_fini(&rows.list);
	return n;
}

/* True if no total differs. */
static bool is_alike(const struct writer *w)
{
	for (int m = 0; m < CUBE_METRICS; m++) {
		const struct delta_row row = delta_total(w->delta, (enum cube_metric)m);
		if (delta_difference(&row) != 0)
			return false;
	}
	return true;
}

static void say_result(const struct writer *w, struct report_section *s, long differences)
{
	const struct delta_row time = delta_total(w->delta, CUBE_TIME);
	OWNED_STR text = STR_INIT;

	if (is_alike(w)) {
		report_say(s, TEXT_GOOD, NULL, "No difference.");
	} else if (!differences) {
		report_line(s, TEXT_GOOD, NULL,
			    delta_repeated(w->delta) ? "No difference is larger than the noise."
						     : "No difference is large enough to tell.");
	} else {
		add_change(w, &time, &text);
		if (delta_is_noise(&time))
			str_add(&text, delta_repeated(w->delta) ? ", within the noise"
								: ", too small to tell");
		report_say(s,
			   delta_is_noise(&time)         ? TEXT_PLAIN
			   : delta_difference(&time) > 0 ? TEXT_WAIT
							 : TEXT_GOOD,
			   NULL, "%s.", text.text);
	}
}

bool report_compared(struct report *report, const struct query *query, struct err *err)
{
	struct writer w = { .report = report, .query = query };
	struct other_efficiencies efficiencies;
	long differences = 0;

	w.delta = other_delta(query->other, query, err);
	if (!w.delta || !other_efficiencies(query->other, query, &efficiencies, err))
		return false;
	write_runs(&w, &efficiencies.of[ALIGN_OLD]);
	struct report_section *result = report_section(report, "result", "");
	write_efficiencies(&w, &efficiencies);
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		const long n = write_kind(&w, &kinds[k]);
		if (n < 0)
			return false;
		differences += n;
	}
	say_result(&w, result, differences);
	return true;
}
