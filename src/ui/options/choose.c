#include "ui/options/choose.h"

#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/text.h"
#include "model/formats/load.h"
#include "model/trace/halo.h"
#include "patterns/compare/delta.h"
#include "patterns/topology/topology.h"
#include "ui/options/choose_ranks.h"
#include "ui/options/choose_rows.h"
#include "ui/options/correcting.h"
#include "views/facts/difference.h"

/* ---- base ---- */

static void base_names(const struct trace *trace, struct str *out)
{
	for (int b = 0; b < BASE_COUNT; b++)
		if (trace_has_base(trace, (enum time_base)b))
			str_add_fmt(out, "%s%s", out->n ? ", " : "",
				    time_base_name((enum time_base)b));
}

/* Why a trace lacks a base. */
static const char *why_missing(const struct corrections *c, enum time_base base)
{
	if (base == BASE_LINEAR)
		return "it holds no clock offsets";
	if (base == BASE_FITTED && c && c->fit.why[0])
		return c->fit.why;
	if (base == BASE_VIRTUAL)
		return "its ranks kept none (tvrun --virtual-time)";
	if (base >= BASE_COMPENSATED && c && c->overhead.why[0])
		return c->overhead.why;
	return base >= BASE_COMPENSATED ? "it has no record of measurement costs"
					: "they were not computed";
}

static bool lacks_base(const struct query *query, const char *name, enum time_base base,
		       struct err *err)
{
	OWNED_STR has = STR_INIT;

	base_names(query->trace, &has);
	return err_set(err, STATUS_USAGE, "%s has no times of base %s: %s (it has %s)",
		       trace_path(query->trace), name, why_missing(query->corrections, base),
		       has.text);
}

/* Finds a base by its name, and makes it. A trace without violations needs no logical clock: its
 * times are those already. */
static bool find_base(const struct query *query, const char *name, enum time_base *base,
		      struct err *err)
{
	const enum time_base best = trace_default_base(query->trace);
	enum time_base b = time_base_find(name);

	if (b == BASE_CLC && !trace_has_base(query->trace, BASE_CLC) && query->corrections &&
	    query->corrections->checked[best])
		b = best;
	if (b == BASE_COUNT || !trace_has_base(query->trace, b))
		return lacks_base(query, name, b, err);
	*base = b;
	return trace_base_make(query->trace, *base, NULL, err);
}

static bool choose_base(struct query *query, const char *name, struct err *err)
{
	query->base = trace_default_base(query->trace);
	if (name)
		return find_base(query, name, &query->base, err);
	return trace_base_make(query->trace, query->base, NULL, err);
}

static bool choose_difference(struct query *query, const struct options *options, struct err *err)
{
	query->against = difference_reference(query->trace, query->corrections, query->base);
	query->difference = options->diff || options->against;
	if (options->against)
		return find_base(query, options->against, &query->against, err);
	if (query->difference && query->against == query->base)
		return err_set(err, STATUS_USAGE,
			       "nothing to compare the %s times with (choose others with --base or "
			       "--against)",
			       time_base_name(query->base));
	return trace_base_make(query->trace, query->against, NULL, err);
}

/* ---- time ---- */

/* "FROM:TO" into ticks; without an end that of the run. */
static bool parse_span(const char *span, const struct timescale *scale, int64_t *t0, int64_t *t1,
		       struct err *err)
{
	const char *p = span;

	*t0 = INT64_MIN;
	*t1 = INT64_MAX;
	if (*p != ':' && !units_parse_time(p, &p, scale, t0, err))
		return false;
	if (*p++ != ':')
		return err_set(err, STATUS_USAGE,
			       "invalid time window '%s' (examples: 0.1s:250ms, 3ms:, :0.5)", span);
	if (*p && !units_parse_time(p, NULL, scale, t1, err))
		return false;
	if (*t0 > *t1)
		return err_set(err, STATUS_USAGE, "the time window '%s' ends before it begins",
			       span);
	return true;
}

static bool choose_time(struct query *query, const char *span, struct err *err)
{
	query->t0 = INT64_MIN;
	query->t1 = INT64_MAX;
	return !span || parse_span(span, trace_scale(query->trace), &query->t0, &query->t1, err);
}

unsigned choose_compared_by(const char *by)
{
	if (!by || strcmp(by, "all") == 0)
		return DELTA_BY_PATH | DELTA_BY_PLACE;
	if (strcmp(by, "rank") == 0)
		return DELTA_BY_PLACE;
	return strcmp(by, "metric") == 0 ? 0 : DELTA_BY_PATH;
}

static enum severity_by severity_by(const char *by)
{
	static const char *const words[] = { "all", "metric", "callpath", "rank" };

	for (size_t i = 0; by && i < sizeof words / sizeof *words; i++)
		if (strcmp(by, words[i]) == 0)
			return (enum severity_by)i;
	return SEVERITY_BY_ALL;
}

/* An invalid or too small grid is reported before any analysis. */
static bool check_topology(const struct trace *trace, const char *wish, struct err *err)
{
	struct grids grids;

	if (!wish)
		return true;
	if (!grids_make(&grids, trace, wish, err))
		return false;
	grids_fini(&grids);
	return true;
}

/* A region or mark of the trace. */
bool choose_iteration(const struct trace *trace, const char *name, struct err *err)
{
	const uint32_t n = trace_region_count(trace);
	OWNED const char **names = xcalloc((size_t)n + 1, sizeof *names);
	const char *near;
	char typed[64], meant[128];

	for (uint32_t r = 0; name && r < n; r++) {
		names[r] = trace_region_name(trace, r);
		if (strcmp(names[r], name) == 0)
			return true;
	}
	if (!name)
		return true;
	near = nearest_word(name, names);
	str_clean(typed, sizeof typed, name, strlen(name));
	str_clean(meant, sizeof meant, near ? near : "", near ? strlen(near) : 0);
	return err_set(err, STATUS_USAGE,
		       near ? "%s has no region or mark '%s'; did you mean '%s'?"
			    : "%s has no region or mark '%s' (tview export profile lists them)",
		       trace_path(trace), typed, meant);
}

/* By its unique name; what was typed may be anything. */
bool choose_metric(struct query *query, const char *name, struct err *err)
{
	const char *names[CUBE_METRICS + 1], *near;
	enum cube_metric metric = CUBE_NONE;
	char clean[64];

	if (name) {
		metric = cube_metric_find(name, strlen(name));
		if (metric == CUBE_NONE) {
			for (int m = 0; m < CUBE_METRICS; m++)
				names[m] = cube_metric_info((enum cube_metric)m)->name;
			names[CUBE_METRICS] = NULL;
			near = nearest_word(name, names);
			str_clean(clean, sizeof clean, name, strlen(name));
			return err_set(
				err, STATUS_USAGE,
				near ? "there is no metric '%s'; did you mean '%s'?"
				     : "there is no metric '%s' (tview export patterns lists those "
				       "of a trace)",
				clean, near);
		}
	}
	query->metric = (uint8_t)metric;
	return true;
}

bool choose_callpath(const struct trace *trace, const char *text, uint32_t *path, struct err *err)
{
	OWNED_STR one = STR_INIT;

	*path = UINT32_MAX;
	for (uint32_t p = 0; text && p < trace_callpath_count(trace) && *path == UINT32_MAX; p++) {
		str_clear(&one);
		trace_callpath_text(trace, p, &one);
		if (trace_callpath(trace, p)->canon == p && one.n && strcmp(one.text, text) == 0)
			*path = p;
	}
	return !text || *path != UINT32_MAX ||
	       err_set(err, STATUS_USAGE,
		       "there is no such call path (column callpath of tview export waits -f csv)");
}

/* The event with a number, of those that have gaps, in this process; EVENT_NONE.
 * O(events / BLOCK_EVENTS). */
static uint32_t event_of(const struct trace *trace, uint64_t number)
{
	OWNED uint64_t *first = trace_first_numbers(trace);
	struct cursor c;

	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		bool more = cursor_first(&c, trace, BASE_MEASURED, l);
		for (; more; more = cursor_next_block(&c)) {
			const uint64_t begin = trace_number_by(trace, first, c.id);
			if (number >= begin && number < begin + c.block->n)
				return c.id + (uint32_t)(number - begin);
		}
	}
	return EVENT_NONE;
}

bool choose_event(const struct trace *trace, const char *number, uint32_t *event, struct err *err)
{
	static const char where[] = "column event of tview export waits -f csv";
	char *end;
	const unsigned long long id = strtoull(number, &end, 10);

	if (number[0] < '0' || number[0] > '9' || *end)
		return err_set(err, STATUS_USAGE, "invalid event '%s': it is a number (%s)", number,
			       where);
	*event = event_of(trace, id);
	return exchange_any(trace_exchange(trace), *event != EVENT_NONE) ||
	       err_set(err, STATUS_USAGE, "the trace has no event %s (%s)", number, where);
}

/* What `export explain` is about. */
static bool choose_explained(struct query *query, const struct options *options, struct err *err)
{
	query->export.worst = (uint32_t)options->worst;
	query->export.waits_for_bounds = true;
	query->export.at_event = options->event != NULL;
	return !options->event ||
	       choose_event(query->trace, options->event, &query->export.event, err);
}

bool choice_make(struct choice *choice, struct trace *trace, const struct corrections *corrections,
		 const struct options *options, struct err *err)
{
	*choice = (struct choice){ .query = { .trace = trace, .corrections = corrections } };
	choice->analyses =
		analyses_new(trace, &(struct analysis_options){ .topology = options->topology,
								.iteration = options->iteration,
								.jobs = options->reading.jobs });
	choice->query.analyses = choice->analyses;
	choice->query.source_path = options->source_path;
	choice->query.export.by_rank = options->by && strcmp(options->by, "rank") == 0;
	choice->query.export.by_destination =
		options->by && strcmp(options->by, "destination") == 0;
	choice->query.export.by_level = options->by && strcmp(options->by, "level") == 0;
	choice->query.export.level = (uint32_t)options->level;
	choice->query.export.depth = (uint32_t)options->depth;
	choice->query.export.compared_by = choose_compared_by(options->by);
	choice->query.export.by_severity = options->by && (strcmp(options->by, "metric") == 0 ||
							   strcmp(options->by, "callpath") == 0 ||
							   strcmp(options->by, "all") == 0);
	choice->query.export.severity_by = (uint8_t)severity_by(options->by);
	if (!choose_metric(&choice->query, options->metric, err) ||
	    !choose_callpath(trace, options->callpath, &choice->query.callpath, err) ||
	    !check_topology(trace, options->topology, err) ||
	    !choose_iteration(trace, options->iteration, err) ||
	    !choose_base(&choice->query, options->base, err) ||
	    !choose_difference(&choice->query, options, err) ||
	    !choose_ranks(choice, options->ranks, err) || !choose_rows(choice, options, err) ||
	    !choose_time(&choice->query, options->time, err) ||
	    !choose_cursor(choice, options, err) || !choose_explained(&choice->query, options, err))
		return false;
	if (!choose_colours(choice, options, err))
		return false;
	if (options->sequence) {
		choice->sequence = sequence_compile(options->sequence, trace, err);
		choice->query.sequence = choice->sequence;
		if (!choice->sequence)
			return false;
	}
	if (options->filter && *options->filter) {
		choice->filter = filter_compile(options->filter, trace, err);
		choice->query.filter = choice->filter;
		return choice->filter != NULL;
	}
	return true;
}

void choice_fini(struct choice *choice)
{
	analyses_free(choice->analyses);
	filter_free(choice->filter);
	sequence_free(choice->sequence);
	vec_fini(&choice->locations);
	arrangement_fini(&choice->arrangement);
}

/* ---- before there is a trace ---- */

static bool part_time(struct load_part *part, const struct options *options, struct err *err)
{
	if (!options->time)
		return true;
	if (!parse_span(options->time, &units_nanoseconds, &part->t0, &part->t1, err))
		return false;
	part->timed = options->base && strcmp(options->base, time_base_name(BASE_LINEAR)) == 0;
	/* Digits finer than a nanosecond are between two of them. */
	part->t0 -= part->t0 != INT64_MIN;
	part->t1 += part->t1 != INT64_MAX;
	return true;
}

bool choice_part(struct load_part *part, const struct options *options, struct err *err)
{
	bool ok;

	*part = (struct load_part){ 0 };
	ok = !options->ranks || choose_list(options->ranks, part, err);
	if (correcting_needs_whole(options))
		part->n_ranks = 0;
	return ok && part_time(part, options, err);
}

const char **choice_other_paths(const struct options *options, int first, unsigned *n)
{
	const bool two = options->n_args > first + 1;
	const char *list = two && options->baseline ? options->baseline : "";
	const char **paths = xcalloc(1, (strlen(list) + 3) * sizeof *paths + strlen(list) + 1);
	char *text = (char *)(paths + strlen(list) + 3);

	*n = 0;
	if (two)
		paths[(*n)++] = options->args[first];
	memcpy(text, list, strlen(list) + 1);
	for (char *p = strtok(text, ","); p; p = strtok(NULL, ","))
		if (strcmp(p, options->args[first]) != 0)
			paths[(*n)++] = p;
	return paths;
}
