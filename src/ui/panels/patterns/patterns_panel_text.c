/* What the three trees of the view of wait states say: titles, values, how strong their colours
 * are. */
#include <math.h>
#include <string.h>

#include "model/trace/detail.h"
#include "ui/panels/patterns/patterns_panel_state.h"
#include "views/facts/place_words.h"
#include "views/facts/time_range.h"

static const struct trace *trace_of(const struct patterns_panel *p)
{
	return p->panel.session->trace;
}

/* ---- texts ---- */

static void metric_title(const void *context, const struct tree_item *item, struct str *out)
{
	(void)context;
	str_add(out, cube_metric_info((enum cube_metric)item->id)->title);
}

void patterns_source(const struct trace *trace, uint32_t path, struct str *out)
{
	const struct site *site;

	if (path == 0 || path == UINT32_MAX)
		return;
	site = trace_site(trace, trace_callpath(trace, path)->site);
	words_source(trace, site->file, site->line, out);
}

static void path_title(const void *context, const struct tree_item *item, struct str *out)
{
	const struct trace *trace = trace_of(context);

	if (item->id == 0)
		str_add(out, "(outside all regions)");
	else
		str_add_clean_text(out, trace_region_name(trace,
							  trace_callpath_region(trace, item->id)));
}

static void path_note(const void *context, const struct tree_item *item, struct str *out)
{
	patterns_source(trace_of(context), item->id, out);
}

/* "machine Linux", but not "node node7". */
static void add_named(struct str *out, const char *cls, const char *name)
{
	if (*cls && strncmp(name, cls, strlen(cls)) != 0) {
		str_add_clean_text(out, cls);
		str_add_char(out, ' ');
	}
	str_add_clean_text(out, name);
}

void patterns_place_name(const struct patterns_panel *p, uint32_t at, struct str *out)
{
	const struct trace *trace = trace_of(p);
	const struct place *place = &p->places.data[at];
	const struct tree_node *node;

	switch (place->kind) {
	case PLACE_TREE_NODE:
		node = trace_tree_node(trace, place->id);
		add_named(out, trace_string(trace, node->cls), trace_string(trace, node->name));
		break;
	case PLACE_NODE: add_named(out, "node", trace_string(trace, place->id)); break;
	case PLACE_RANGE: str_add_fmt(out, "locations %u-%u", place->first, place->last); break;
	case PLACE_PROCESS:
		rank_name(trace_location(trace, place->id)->rank, "process", out);
		if (!location_runs_code(trace_location(trace, place->id)))
			str_add(out, " streams");
		break;
	case PLACE_LOCATION:
		str_add_clean_text(out,
				   trace_string(trace, trace_location(trace, place->id)->name));
	}
}

static void place_title(const void *context, const struct tree_item *item, struct str *out)
{
	patterns_place_name(context, item->id, out);
}

static void add_share(double value, double of, struct str *out)
{
	const double share = of != 0 ? 100 * value / of : NAN;

	if (isnan(share))
		str_add(out, "-");
	else
		str_add_fmt(out,
			    fabs(share) >= 99.95   ? "%.0f %%"
			    : fabs(share) >= 9.995 ? "%.1f %%"
						   : "%.2f %%",
			    share);
}

static void add_number(const struct patterns_panel *p, enum cube_metric metric, double value,
		       int digits, struct str *out)
{
	const double size = fabs(value);

	if (cube_metric_info(metric)->unit != UNIT_TICKS && value < 0)
		str_add_char(out, '-');
	switch (cube_metric_info(metric)->unit) {
	case UNIT_TICKS:
		units_human_time(out, llround(value), trace_scale(trace_of(p)), digits);
		break;
	case UNIT_COUNT: units_count(out, (uint64_t)(size + 0.5)); break;
	case UNIT_BYTES: units_bytes(out, (uint64_t)(size + 0.5)); break;
	}
}

/* What a value is per cent of. */
static double reference(const struct patterns_panel *p, enum pane pane, uint32_t metric)
{
	const struct tree_item *items = p->trees[PANE_METRICS].items.data;

	if (p->mode == VALUES_SELECTED && pane == PANE_PATHS)
		return p->metric_value;
	if (p->mode == VALUES_SELECTED && pane == PANE_PLACES)
		return p->path_value;
	while (items[metric].parent != TREE_NONE)
		metric = items[metric].parent;
	return items[metric].value[0];
}

/* From the least to the largest of the same in several bases. */
static void add_range(const struct patterns_panel *p, const double *values, int digits,
		      struct str *out)
{
	double low = values[0], high = values[0];

	for (int s = 1; s < p->sets; s++) {
		low = fmin(low, values[s]);
		high = fmax(high, values[s]);
	}
	time_range_text(out, low, high, digits, trace_scale(trace_of(p)));
}

static bool has_range(const struct patterns_panel *p, enum cube_metric metric)
{
	return p->sets > 1 && cube_metric_info(metric)->unit == UNIT_TICKS;
}

static void add_value(const struct patterns_panel *p, enum pane pane, enum cube_metric metric,
		      const double *values, struct str *out)
{
	if (metric == CUBE_NONE || !p->ready)
		return;
	if (values[0] == 0)
		str_add_char(out, '0');
	else if (p->mode == VALUES_OTHER && values[SET_OLD] == 0)
		str_add(out, "new");
	else if (p->mode == VALUES_OTHER)
		add_share(values[0], values[SET_OLD], out);
	else if (p->mode == VALUES_OWN && has_range(p, metric))
		add_range(p, values, 3, out);
	else if (p->mode == VALUES_OWN)
		add_number(p, metric, values[0], 3, out);
	else
		add_share(values[0], reference(p, pane, metric), out);
}

static void metric_text(const void *context, const struct tree_item *item, const double *values,
			struct str *out)
{
	add_value(context, PANE_METRICS, (enum cube_metric)item->id, values, out);
}

static void path_text(const void *context, const struct tree_item *item, const double *values,
		      struct str *out)
{
	(void)item;
	add_value(context, PANE_PATHS, patterns_metric(context), values, out);
}

static void place_text(const void *context, const struct tree_item *item, const double *values,
		       struct str *out)
{
	(void)item;
	add_value(context, PANE_PLACES, patterns_metric(context), values, out);
}

void patterns_values_text(const struct patterns_panel *p, enum cube_metric metric,
			  const double *values, struct str *out)
{
	if (metric == CUBE_NONE)
		return;
	add_number(p, metric, values[0], 6, out);
	if (has_range(p, metric) && values[0] != 0) {
		str_add(out, " [");
		add_range(p, values, 6, out);
		str_add_char(out, ']');
	}
}

/* ---- colours ---- */

static double metric_full(const void *context, const struct tree_item *item)
{
	const struct patterns_panel *p = context;
	const struct tree_item *items = p->trees[PANE_METRICS].items.data;

	while (item->parent != TREE_NONE)
		item = &items[item->parent];
	return item->value[0];
}

static double path_full(const void *context, const struct tree_item *item)
{
	(void)item;
	return ((const struct patterns_panel *)context)->metric_value;
}

static double place_full(const void *context, const struct tree_item *item)
{
	(void)item;
	return ((const struct patterns_panel *)context)->largest_place;
}

const struct tree_ops patterns_tree_ops[PANES] = {
	[PANE_METRICS] = { metric_title, NULL, metric_text, metric_full, false, false },
	[PANE_PATHS] = { path_title, path_note, path_text, path_full, false, true },
	[PANE_PLACES] = { place_title, NULL, place_text, place_full, true, false },
};
