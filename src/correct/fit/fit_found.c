/* The corrections that a process needs (doc/references.md): those of clocks that others solved for
 * are asked for once. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "correct/fit/fit_state.h"
#include "model/trace/halo.h"

/* What a process answers from. */
struct found_rows {
	const struct fit_share *share;
	const double *x;
	uint32_t knots;
};

static void *answer(void *context, const void *rows, size_t n)
{
	const struct found_rows *from = context;
	const size_t row = from->knots;
	const uint32_t *clocks = rows;
	double *said = xmalloc((n * row + 1) * sizeof *said);

	for (size_t i = 0; i < n; i++)
		memcpy(said + i * row, from->x + (clocks[i] - share_begin(from->share)) * row,
		       row * sizeof *said);
	return said;
}

void found_make(struct fit_found *found, const struct clocks *clocks, const struct fit_edges *edges,
		const struct fit_share *share, const struct model *model, const double *x)
{
	struct found_rows from = { share, x, model->knots };
	OWNED_VEC(uint32_t) needed = VEC_INIT;
	OWNED_VEC(uint32_t) to = VEC_INIT;
	OWNED bool *wanted = NULL;

	*found = (struct fit_found){ .model = model, .x = x };
	if (!share->job)
		return;
	found->at = xcalloc(clocks->n + 1u, sizeof *found->at);
	wanted = xcalloc(clocks->n + 1u, sizeof *wanted);
	memcpy(wanted, edges->met, clocks->n * sizeof *wanted);
	for (uint32_t l = 0; l < trace_location_count(clocks->trace); l++)
		if (trace_has_location(clocks->trace, l))
			wanted[clocks->of[l]] = true;
	for (uint32_t c = 0; c < clocks->n; c++) {
		if (!wanted[c])
			continue;
		found->at[c] = (uint32_t)needed.n;
		vec_push(&needed, c);
		vec_push(&to, share_process(share, c));
	}
	found->x = found->asked =
		exchange_ask(share->job, needed.data, needed.n, sizeof *needed.data, to.data,
			     answer, &from, model->knots * sizeof *x);
}

void found_fini(struct fit_found *found)
{
	free_all(found->asked, found->at);
	*found = (struct fit_found){ 0 };
}

double found_correction(const struct fit_found *found, uint32_t clock, double t)
{
	const struct model *model = found->model;
	const uint32_t row = found->at ? found->at[clock] : clock;
	const double *knots = found->x + (size_t)row * model->knots;
	const double length = model->step * (model->knots - 1);
	const double slope = (knots[model->knots - 1] - knots[0]) / length;

	if (t < model->first)
		return knots[0] + slope * (t - model->first);
	if (t > model->first + length)
		return knots[model->knots - 1] + slope * (t - model->first - length);
	return place_value(model_place(model, row, t), found->x);
}
