/* The column of the fitted base: each event's time, its clock's line, its clock's correction
 * (doc/references.md). */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/jobs.h"
#include "correct/fit/fit_state.h"
#include "model/trace/base_write.h"
#include "model/trace/store.h"

bool apply_is_sane(const struct model *model, const double *x)
{
	for (size_t i = 0; i + 1 < (size_t)model->clocks * model->knots; i++)
		if ((i + 1) % model->knots != 0 && (x[i + 1] - x[i]) / model->step <= -0.5)
			return false;
	return true;
}

/* A column that is being written. */
struct writing {
	struct trace *trace;
	const struct clocks *clocks;
	const struct fit_found *found;
	const struct progress *progress;
	pthread_mutex_t lock; /* protects the fields below, and the wide table */
	struct err err;
	bool ok;
};

static int64_t corrected(const struct writing *w, uint32_t clock, int64_t ticks)
{
	const struct clock_line *line = &w->clocks->line[clock];
	const double ns = w->clocks->ns;
	const double local = (double)(ticks - line->base) * ns;
	/* What the line moves, then what the fit does; both are 0 to the last bit for the
	 * reference. */
	const double moved =
		line->offset - (double)(line->base - w->clocks->origin) * ns + line->drift * local;
	const double d =
		found_correction(w->found, clock, line->offset + (1 + line->drift) * local);
	const double shift = (moved + d) / ns;

	if (!(fabs(shift) < (double)TIME_LIMIT))
		return ticks;
	ticks += llround(shift);
	return ticks > TIME_LIMIT ? TIME_LIMIT : ticks < -TIME_LIMIT ? -TIME_LIMIT : ticks;
}

static bool put(struct writing *w, uint32_t block, const int64_t *t, uint32_t n)
{
	bool ok;

	if (!base_is_wide(t, n))
		return base_put(w->trace, BASE_FITTED, block, t, NULL);
	pthread_mutex_lock(&w->lock);
	ok = base_put(w->trace, BASE_FITTED, block, t, &w->err);
	pthread_mutex_unlock(&w->lock);
	return ok;
}

static bool is_ok(struct writing *w, bool ok)
{
	pthread_mutex_lock(&w->lock);
	w->ok = ok = w->ok && ok;
	pthread_mutex_unlock(&w->lock);
	return ok;
}

static void write_location(void *context, unsigned worker, size_t location)
{
	struct writing *w = context;
	const struct trace *trace = w->trace;
	const struct block_ids *list = &trace->lists.data[location];
	const uint32_t clock = w->clocks->of[location];
	int64_t t[BLOCK_EVENTS], last = -TIME_LIMIT;
	const enum time_base base = clocks_source(w->clocks, (uint32_t)location);
	bool ok = is_ok(w, worker > 0 || fit_goes_on(w->progress, location, trace->locations.n));

	for (size_t i = 0; i < list->n && ok; i++) {
		const uint32_t n = store_block(trace, list->data[i])->n;
		store_prefetch(trace, base, list, i + 2);
		for (uint32_t slot = 0; slot < n; slot++) {
			t[slot] = store_time(trace, base, list->data[i], slot);
			t[slot] = clocks_convert(w->clocks, (uint32_t)location, t[slot]);
			t[slot] = corrected(w, clock, t[slot]);
			if (t[slot] < last)
				t[slot] = last;
			last = t[slot];
		}
		ok = put(w, list->data[i], t, n);
	}
	is_ok(w, ok);
}

bool apply_run(struct trace *trace, const struct clocks *clocks, const struct fit_found *found,
	       const struct progress *progress, struct err *err)
{
	struct writing w = { .trace = trace,
			     .clocks = clocks,
			     .found = found,
			     .progress = progress,
			     .err = ERR_INIT,
			     .ok = true };

	if (!base_begin(trace, BASE_FITTED, err))
		return false;
	pthread_mutex_init(&w.lock, NULL);
	jobs_run(jobs_count(trace->jobs), trace->locations.n, write_location, &w);
	pthread_mutex_destroy(&w.lock);
	if (!w.ok) {
		base_drop(trace, BASE_FITTED);
		if (w.err.status)
			err_set(err, w.err.status, "%s", w.err.text);
		return false;
	}
	base_commit(trace, BASE_FITTED);
	return true;
}
