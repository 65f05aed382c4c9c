/* Computes the rows, what they did, and the cells of the screen. */
#include <string.h>

#include "ui/panels/iterations/iterations_panel_state.h"
#include "views/query/analyses.h"

/* ---- rows ---- */

/* Those of the timeline, without counters. */
static bool make_rows(struct iterations_panel *p, struct err *err)
{
	const struct session *s = p->panel.session;
	struct arrangement arrangement = s->arrangement;
	struct query query = session_query(s);

	if (p->rows.trace && p->rows_generation == s->rows_generation)
		return true;
	if (!p->shades)
		p->shades = timeline_shades_new();
	arrangement.counters.n = 0;
	query.arrangement = &arrangement;
	if (!timeline_rows_make(&p->rows, &query, p->shades, err))
		return false;
	p->rows_generation = s->rows_generation;
	return true;
}

const uint32_t *iterations_members(const struct iterations_panel *p, uint32_t row, uint32_t *n)
{
	return timeline_row_members(&p->rows, &p->rows.list.data[row], n);
}

/* ---- sums ---- */

static void forget_sums(struct iterations_panel *p)
{
	iteration_findings_fini(&p->findings);
	iteration_pairs_fini(&p->pairs);
	iteration_sums_free(p->sums);
	p->sums = NULL;
	phrases_fini(&p->phrases);
	p->phrases = (struct phrases){ 0 };
	p->n_lines = 0;
}

void iterations_forget(struct iterations_panel *p)
{
	forget_sums(p);
	iteration_grid_fini(&p->grid);
	timeline_rows_fini(&p->rows);
	timeline_shades_free(p->shades);
	p->shades = NULL;
	p->generation = 0;
}

static void make_findings(struct iterations_panel *p)
{
	const struct query query = session_query(p->panel.session);

	iteration_findings_fini(&p->findings);
	phrases_fini(&p->phrases);
	p->phrases = (struct phrases){ .trace = p->panel.session->trace };
	iteration_findings_make(&p->findings, &query, p->sums);
	p->n_lines = iteration_sentences(&p->phrases, p->sums, &p->findings, p->lines);
	if (p->panel.session->other && p->sums->n)
		p->lines[p->n_lines++] = iteration_pairs_sentence(&p->phrases, &p->pairs);
}

/* Of the whole run: it does not depend on the window. False: not yet, stopped, or in trouble. */
static bool make_sums(struct iterations_panel *p, struct err *err)
{
	const struct session *s = p->panel.session;
	const struct query query = session_query(s);
	struct iteration_sums *sums;

	p->searching = (s->other || !iteration_sums_are_kept(&query, s->level)) &&
		       !analyses_causes(s->analyses, s->base);
	if (p->searching)
		return false;
	sums = iteration_sums_new(&query, s->level, err);
	if (!sums)
		return false;
	forget_sums(p);
	p->sums = sums;
	if (s->other && !iteration_pairs_make(&p->pairs, &query, sums, err)) {
		forget_sums(p);
		return false;
	}
	p->base = s->base;
	p->iterated_by = analyses_iterated_by(s->analyses);
	p->level = s->level;
	return true;
}

/* ---- cursor ---- */

/* Where the largest cost is; else the first iteration of the session's location. */
static void look_first(struct iterations_panel *p)
{
	const struct iteration_findings *f = &p->findings;
	const bool hiccups = f->of.kind == OUTLIERS_NONE && f->of.hits;
	const bool whole = hiccups || f->of.kind == OUTLIERS_FEW || f->of.kind == OUTLIERS_OFTEN;

	p->looked = true;
	p->location = p->panel.session->cursor.location;
	p->iteration = 0;
	if (f->of.kind == OUTLIERS_NONE && !hiccups)
		return;
	if (f->of.kind != OUTLIERS_ROTATING)
		p->location = f->locations[f->of.row];
	if (whole)
		p->iteration = f->of.worst * f->each;
}

static void find_row(struct iterations_panel *p)
{
	const uint32_t n = (uint32_t)p->rows.list.n;

	if (p->location >= trace_location_count(p->panel.session->trace) ||
	    p->rows.group_of[p->location] == NO_GROUP)
		p->location = n ? p->rows.list.data[0].location : 0;
	p->row = n ? timeline_rows_find(&p->rows, p->location, false, UINT32_MAX) : 0;
}

/* Keeps cursor and range within what there is. */
static void clamp(struct iterations_panel *p)
{
	const uint32_t n = p->sums->n;

	if (p->end == 0 || p->end > n)
		p->end = n;
	if (p->first >= p->end)
		p->first = 0;
	if (p->iteration >= n)
		p->iteration = n ? n - 1 : 0;
	if (p->iteration < p->first || p->iteration >= p->end) {
		p->first = 0;
		p->end = n;
	}
}

/* ---- the grid ---- */

bool iterations_value(const struct iterations_panel *p, uint32_t location, uint32_t iteration,
		      double *value)
{
	const struct iteration_sum *of = p->sums->of[location], *old;

	if (!of)
		return false;
	*value = iteration_value(&of[iteration], p->quantity);
	if (!iterations_compare(p))
		return true;
	old = iteration_pairs_old(&p->pairs, location, iteration);
	if (old)
		*value -= iteration_pairs_value(&p->pairs, old, p->quantity);
	return old != NULL;
}

static bool value_of(const void *context, uint32_t location, uint32_t iteration, double *value)
{
	return iterations_value(context, location, iteration, value);
}

void iterations_make_grid(struct iterations_panel *p)
{
	struct iterations_layout layout;
	uint32_t n = (uint32_t)p->rows.list.n, visible;

	if (!p->sums || !p->sums->n)
		return;
	clamp(p);
	layout = iterations_layout(p, p->panel.area);
	visible = layout.body.h > 0 ? (uint32_t)(layout.body.h / layout.tall) : 1;
	if (p->row < p->top)
		p->top = p->row;
	if (p->row >= p->top + visible)
		p->top = p->row - visible + 1;
	if (p->top + visible > n)
		p->top = n > visible ? n - visible : 0;
	n = n - p->top < visible ? n - p->top : visible;
	iteration_grid_fini(&p->grid);
	iteration_grid_init(&p->grid, p->first, p->end, layout.body.w, n);
	for (uint32_t row = 0; row < n; row++) {
		uint32_t members;
		const uint32_t *of = iterations_members(p, p->top + row, &members);
		iteration_grid_fill(&p->grid, row, of, members, value_of, p);
	}
	iteration_grid_finish(&p->grid);
	p->area = p->panel.area;
}

static bool is_known(const struct iterations_panel *p)
{
	const struct session *s = p->panel.session;

	return p->sums && p->base == s->base && p->level == s->level &&
	       p->iterated_by == analyses_iterated_by(s->analyses);
}

void iterations_make(struct iterations_panel *p)
{
	const struct session *s = p->panel.session;
	struct err err = ERR_INIT;

	if (p->sums && p->generation == s->generation &&
	    memcmp(&p->area, &p->panel.area, sizeof p->area) == 0)
		return;
	const uint64_t rows = p->rows_generation;
	const bool known = is_known(p);
	if (!make_rows(p, &err) || (!known && !make_sums(p, &err))) {
		if (err_is_set(&err))
			str_clean(p->trouble, sizeof p->trouble, err.text, strlen(err.text));
		/* It is of rows that may be gone. */
		iteration_grid_fini(&p->grid);
		p->grid = (struct iteration_grid){ .rows = 0 };
		return;
	}
	if (!known || rows != p->rows_generation)
		make_findings(p);
	p->trouble[0] = '\0';
	p->generation = s->generation;
	if (!p->looked && p->sums->n)
		look_first(p);
	find_row(p);
	iterations_make_grid(p);
}
