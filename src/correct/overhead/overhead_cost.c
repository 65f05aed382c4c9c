#include "correct/overhead/overhead_cost.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/vec.h"

/* A hook that finds nothing to do costs this much on a chain of dependent calls where the header
 * does not say; its residual is twice that (doc/references.md). */
static const double chain_ps = 1250, guard_ps = 200;

/* What is left of a loop's cost beside other work, and the residual of a probe against a program
 * that has none: with a guard, and of a hook (doc/references.md). */
static const struct cost_range share_of_loop = { 0.8, 0.5, 1.05 };
/* The same for the code that records a message: it is seldom warm in a program (late: 3 to 4). */
static const struct cost_range share_of_message = { 2.5, 1, 4.5 };
static const struct cost_range absent_guard_ps = { 400, 0, 1100 },
			       absent_hook_ps = { 2300, 1150, 3350 };

enum { COPY_SIZES_MOST = 256 };

static bool is_cost(double value)
{
	return isfinite(value) && value >= 0;
}

/* The next number of a text, ended by anything; false where there is none. */
static bool next_number(const char **text, double *value)
{
	char *end;

	while (isspace((unsigned char)**text))
		++*text;
	*value = strtod(*text, &end);
	if (end == *text || !is_cost(*value))
		return false;
	*text = end;
	return true;
}

static bool property_number(const struct trace *trace, const char *key, double *value)
{
	const char *text = trace_property_value(trace, key);

	return text && next_number(&text, value);
}

static bool read_pairs(struct overhead_cost *cost, const struct trace *trace, double tick_ps)
{
	const char *text = trace_property_value(trace, "cost-pairs-ps");
	double sum = 0, value;

	if (!text)
		return false;
	for (int i = 0; i < COST_KINDS * COST_KINDS; i++) {
		if (!next_number(&text, &value))
			return false;
		cost->pair[i / COST_KINDS][i % COST_KINDS] = value / tick_ps;
		sum += value;
	}
	cost->function =
		(cost->pair[COST_ENTER][COST_LEAVE] + cost->pair[COST_LEAVE][COST_ENTER]) / 2;
	cost->record = (2 * cost->function + cost->pair[COST_MPI_ENTER][COST_MPI_LEAVE] +
			cost->pair[COST_MPI_LEAVE][COST_MPI_ENTER]) /
		       4;
	return sum > 0;
}

ORDERING(by_bytes, struct cost_copy, bytes)

/* "visit inside, loop inside, call inside, iteration"; what was not measured costs as much as a
 * procedure. */
static void read_rows(struct overhead_cost *cost, const struct trace *trace, double tick_ps)
{
	const char *text = trace_property_value(trace, "cost-rows-ps");
	double value[2 * PROBE_KINDS + 1];

	if (!text)
		return;
	for (int i = 0; i < 2 * PROBE_KINDS + 1; i++)
		if (!next_number(&text, &value[i]))
			return;
	for (int k = 0; k < PROBE_KINDS; k++) {
		const double *of = value[2 * k] > 0 ? &value[2 * k] : value;
		cost->rows[k].all = of[0] / tick_ps;
		cost->rows[k].inside = fmin(of[1], of[0]) / tick_ps;
	}
	cost->iteration = value[2 * PROBE_KINDS] / tick_ps;
	/* Those of tvcc, which has probes of loops, have a guard. */
	cost->inline_guard |= value[2 * PROBE_LOOP] > 0;
}

/* A range as it is written: usual, least, largest. */
static bool next_range(const char **text, double tick_ps, struct cost_range *range)
{
	double value[3];
	char *end;

	for (int i = 0; i < 3; i++, *text = end) {
		value[i] = strtod(*text, &end) / tick_ps;
		if (end == *text || !isfinite(value[i]))
			return false;
	}
	*range = (struct cost_range){ value[0], value[1], value[2] };
	return true;
}

/* What a note, and a probe that does nothing, cost. */
static void read_gaps(struct overhead_cost *cost, const struct trace *trace, double tick_ps)
{
	const char *note = trace_property_value(trace, "cost-gap-ps");
	const char *blank = trace_property_value(trace, "cost-blank-ps");
	struct cost_range range;
	double chain;

	if (!property_number(trace, "cost-hook-chain-ps", &chain))
		chain = chain_ps;
	cost->note.high = (cost->inline_guard ? guard_ps : 2 * chain) / tick_ps;
	if (note && next_range(&note, tick_ps, &range) && range.high > 0)
		cost->note = range;
	cost->blank = cost->absent;
	if (!cost->inline_guard && blank && next_range(&blank, tick_ps, &range))
		cost->blank = range;
}

static void read_work(struct overhead_cost *cost, const struct trace *trace, double tick_ps)
{
	const char *text = trace_property_value(trace, "cost-work-ps");
	struct cost_range work;

	if (text && next_range(&text, tick_ps, &work) && work.best > 0 && work.low <= work.best &&
	    work.best <= work.high)
		cost->work = work;
}

/* An empty visit is one of the functions that have little to do. */
static void read_probes(struct overhead_cost *cost, const struct trace *trace, double tick_ps)
{
	const char *text = trace_property_value(trace, "cost-probes-ps");
	const char *timed = trace_property_value(trace, "probes-timed");
	const struct row_cost *empty = &cost->rows[PROBE_PROCEDURE];
	struct cost_range inside, around;
	double count, factor[2] = { 1, 1 };

	if (!text || !next_range(&text, tick_ps, &inside) || !next_range(&text, tick_ps, &around) ||
	    !next_number(&text, &count) || !(around.best > 0))
		return;
	if (timed && (!next_number(&timed, &factor[0]) || !next_number(&timed, &factor[1])))
		factor[0] = factor[1] = 1;
	inside.high = fmax(inside.high, empty->inside);
	around.low = fmin(around.low, empty->all - empty->inside);
	for (int i = 0; i < 2; i++) {
		static const struct cost_range none = { 0, 0, 0 };
		cost->inside[i] = cost_sum(cost_sum(none, inside, factor[i]), cost->absent, 1);
		cost->around[i] = cost_sum(cost_sum(none, around, factor[i]), cost->absent, 1);
		cost->empty[i] = empty->inside * factor[i] + cost->absent.best;
	}
	count /= tick_ps;
	cost->count = (struct cost_range){ count, count / 2, count * 3 / 2 };
}

static void read_spent(struct overhead_cost *cost, const struct trace *trace)
{
	const char *text = trace_property_value(trace, "cpu-ns");

	if (!text || !next_number(&text, &cost->cpu) || !next_number(&text, &cost->wall))
		cost->cpu = cost->wall = 0;
}

/* "64:3100 128:4000 ...": bytes and picoseconds of one copy. */
static void read_copies(struct overhead_cost *cost, const struct trace *trace, double tick_ps)
{
	const char *text = trace_property_value(trace, "cost-copy-ps");
	VEC(struct cost_copy) table = VEC_INIT;
	double bytes, ps;

	while (text && table.n < COPY_SIZES_MOST && next_number(&text, &bytes) && *text == ':') {
		text++;
		if (!next_number(&text, &ps))
			break;
		if (bytes >= 1)
			vec_push(&table, ((struct cost_copy){ bytes, ps / bytes / tick_ps }));
	}
	vec_sort(&table, by_bytes);
	cost->copy = table.data;
	cost->n_copy = table.n;
}

void cost_all(struct overhead_cost *cost, double ticks)
{
	for (int i = 0; i < COST_KINDS; i++)
		for (int j = 0; j < COST_KINDS; j++)
			cost->pair[i][j] = ticks;
	cost->function = cost->record = ticks;
}

bool cost_read(struct overhead_cost *cost, const struct trace *trace,
	       const struct overhead_options *options)
{
	const double per_second = (double)trace_scale(trace)->per_second;
	const double tick_ps = 1e12 / per_second;
	const char *guard = trace_property_value(trace, "cost-guard");
	double value;

	memset(cost, 0, sizeof *cost);
	cost->tick = 1 / per_second;
	cost->known = read_pairs(cost, trace, tick_ps);
	cost->inline_guard = guard && strcmp(guard, "inline") == 0;
	read_rows(cost, trace, tick_ps);
	if (property_number(trace, "cost-delay-ps", &value))
		cost->delay = value / tick_ps;
	cost->absent = cost->inline_guard ? absent_guard_ps : absent_hook_ps;
	cost->absent.best /= tick_ps;
	cost->absent.low /= tick_ps;
	cost->absent.high /= tick_ps;
	read_probes(cost, trace, tick_ps);
	read_work(cost, trace, tick_ps);
	read_spent(cost, trace);
	read_gaps(cost, trace, tick_ps);
	if (property_number(trace, "cost-message-ps", &value))
		cost->message =
			cost_sum((struct cost_range){ 0, 0, 0 }, share_of_message, value / tick_ps);
	cost->copy_each = -1;
	if (options->copy_cost >= 0 && isfinite(options->copy_cost))
		cost->copy_each = options->copy_cost * per_second;
	else
		read_copies(cost, trace, tick_ps);
	if (options->event >= 0 && isfinite(options->event)) {
		cost_all(cost, options->event * per_second);
		cost->known = cost->given = true;
	} else if (!cost->known) {
		cost_all(cost, 0);
	}
	return cost->known;
}

struct cost_range cost_uncalibrated(const struct overhead_cost *cost, double loop)
{
	/* No processor hides a delay. */
	const double delay = fmin(cost->delay, loop);
	const struct cost_range delayed = { delay, delay, delay };
	struct cost_range range =
		cost_sum(cost_of_visit(cost, loop - delay, 2 * (loop - delay)), delayed, 1);

	if (!(cost->work.best > 0))
		return range;
	/* The measured functions are some of many. */
	range.best = cost->work.best;
	range.low = fmin(range.low, 0.9 * (cost->work.low - delay) + delay);
	range.high = fmax(range.high, 1.1 * (cost->work.high - delay) + delay);
	return range;
}

struct cost_range cost_sum(struct cost_range a, struct cost_range b, double times_b)
{
	return (struct cost_range){ a.best + times_b * b.best, a.low + times_b * b.low,
				    a.high + times_b * b.high };
}

struct cost_range cost_of_visit(const struct overhead_cost *cost, double part, double whole)
{
	const struct cost_range none = { 0, 0, 0 };

	if (!(whole > 0))
		return none;
	return cost_sum(cost_sum(none, share_of_loop, part), cost->absent, 2 * part / whole);
}

void cost_fini(struct overhead_cost *cost)
{
	free(cost->copy);
	cost->copy = NULL;
	cost->n_copy = 0;
}

double cost_of_copy(const struct overhead_cost *cost, uint64_t bytes)
{
	const struct cost_copy *table = cost->copy;
	const double n = (double)bytes;
	size_t at = 0;
	double share;

	if (bytes == UINT64_MAX) /* unknown */
		return 0;
	if (cost->copy_each >= 0)
		return n * cost->copy_each;
	if (cost->n_copy == 0)
		return 0;
	while (at < cost->n_copy && table[at].bytes < n)
		at++;
	if (at == 0)
		return n * table[0].per_byte;
	if (at == cost->n_copy)
		return n * table[at - 1].per_byte;
	share = (n - table[at - 1].bytes) / (table[at].bytes - table[at - 1].bytes);
	return n * (table[at - 1].per_byte + share * (table[at].per_byte - table[at - 1].per_byte));
}

/* A table's entry beside other kinds is the mean of both, so a function record accounts for half of
 * its cost among its own on either side. */
double cost_between(const struct overhead_cost *cost, enum cost_kind before, enum cost_kind now,
		    double factor)
{
	const int functions = (before < COST_MPI_ENTER) + (now < COST_MPI_ENTER);
	const double ticks =
		cost->pair[before][now] - (1 - factor) * cost->function * 0.5 * (double)functions;

	return ticks > 0 ? ticks : 0;
}
