/* The parts together, and what they make of the whole run, which is kept. */
#include "patterns/causes_impl.h"

#include <stdlib.h>

#include "base/jobs.h"
#include "base/mem.h"
#include "patterns/analysis_impl.h"
#include "patterns/ideal.h"

/* Metrics of the causes that have cells of their own. */
static bool is_mine(enum cube_metric metric)
{
	return cube_metric_info(metric)->source == SOURCE_FOUND &&
	       (cube_metric_within(metric, CUBE_DELAY) ||
		cube_metric_within(metric, CUBE_WAITSTATES_PROPAGATING_VS_TERMINAL) ||
		cube_metric_within(metric, CUBE_WAITSTATES_DIRECT_VS_INDIRECT) ||
		cube_metric_within(metric, CUBE_CRITICAL_PATH) ||
		cube_metric_within(metric, CUBE_PERFORMANCE_IMPACT));
}

static bool add(const struct causes *c, struct cube *cube, int64_t t0, int64_t t1,
		struct delay_account *account, const struct progress *progress)
{
	return delays_charge(c->delays, c->analysis, cube, t0, t1, account, progress) &&
	       critical_add(c->critical, c->analysis, cube, t0, t1, progress);
}

/* What goes over all points against time, and the ideal run: neither can be shared out, but each has a
 * thread. */
struct serial {
	struct causes *causes;
	const struct progress *progress;
	struct err *err;
	bool charged;
};

static void do_serial(void *context, unsigned worker, size_t which)
{
	struct serial *s = context;
	struct causes *c = s->causes;
	/* Who watches wants to hear of one thing, from one thread. */
	const struct progress *progress = worker == 0 ? s->progress : NULL;

	if (which == 0)
		c->ideal = ideal_run_time(analysis_trace(c->analysis), analysis_base(c->analysis),
					  progress, s->err);
	else
		s->charged = add(c, c->whole, INT64_MIN, INT64_MAX, &c->account, progress);
}

static bool make(struct causes *c, bool literal, const struct progress *progress, struct err *err)
{
	const struct trace *trace = analysis_trace(c->analysis);
	const enum time_base base = analysis_base(c->analysis);
	const unsigned jobs = c->analysis->jobs;
	struct serial serial = { .causes = c, .progress = progress, .err = err };

	c->points = points_finish(c->analysis, literal, jobs, progress);
	if (c->points)
		c->intervals = intervals_new(trace, base, c->points, jobs, progress);
	if (c->intervals)
		c->delays = delays_new(trace, c->points, c->intervals, jobs, progress);
	if (!c->delays)
		return false;
	c->critical = critical_new(trace, base, c->points, c->intervals);
	c->whole = cube_new(trace);
	jobs_run(jobs < 2 ? jobs : 2, 2, do_serial, &serial);
	if (!serial.charged || c->ideal < 0)
		return false;
	cube_settle(c->whole);
	return true;
}

struct causes *causes_new_as(struct analysis *analysis, enum causes_reading reading,
			     const struct progress *progress, struct err *err)
{
	struct causes *c = xcalloc(1, sizeof *c);

	c->analysis = analysis;
	if (make(c, reading == CAUSES_LITERAL, progress, err))
		return c;
	causes_free(c);
	return NULL;
}

struct causes *causes_new(struct analysis *analysis, const struct progress *progress,
			  struct err *err)
{
	return causes_new_as(analysis, CAUSES_OWN, progress, err);
}

void causes_free(struct causes *c)
{
	if (!c)
		return;
	cube_free(c->whole);
	critical_free(c->critical);
	delays_free(c->delays);
	intervals_free(c->intervals);
	free(c);
}

bool causes_whole(const struct causes *c, int64_t t0, int64_t t1)
{
	int64_t begin, end;

	trace_span(analysis_trace(c->analysis), analysis_base(c->analysis), &begin, &end);
	return t0 <= begin && t1 >= end;
}

bool causes_add(const struct causes *c, struct cube *cube, int64_t t0, int64_t t1,
		const struct progress *progress)
{
	struct delay_account account;

	if (!causes_whole(c, t0, t1))
		return add(c, cube, t0, t1, &account, progress);
	for (int m = 0; m < CUBE_METRICS; m++) {
		size_t n;
		const struct cube_cell *cells;
		if (!is_mine((enum cube_metric)m))
			continue;
		cells = cube_cells(c->whole, (enum cube_metric)m, &n);
		for (size_t i = 0; i < n; i++)
			cube_add(cube, (enum cube_metric)m, cells[i].path, cells[i].location,
				 cells[i].value);
	}
	return true;
}

void causes_account(const struct causes *c, struct causes_account *account)
{
	*account = (struct causes_account){ .cut = c->account.cut };
	for (int k = 0; k < DELAY_CLASSES; k++) {
		account->waited += c->account.waited[k];
		account->charged += c->account.charged[k];
		account->unexplained += c->account.unexplained[k];
	}
}

const struct path_stretch *causes_critical_path(const struct causes *c, size_t *n)
{
	*n = c->critical->n;
	return c->critical->path;
}
