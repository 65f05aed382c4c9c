#include "correct/overhead/overhead_classes.h"

#include <math.h>
#include <string.h>

/* Share of the longest segments, which show interrupts rather than the program. */
static const double longest = 0.02;
/* Costs of one probe differ by up to a factor of two between functions: standard deviation of a
 * class about the mean of all, as a share of the larger of loop and mean. */
static const double spread_of_costs = 0.25;

static struct key class_key(uint32_t location, uint32_t before, uint32_t after)
{
	return (struct key){ { location, before, after, 0 } };
}

static uint32_t pool_of(struct overhead_classes *classes, uint32_t before, uint32_t after)
{
	uint32_t pool;

	if (keymap_new(&classes->pool_map, class_key(UINT32_MAX, before, after), classes->pools.n,
		       &pool))
		vec_push(&classes->pools, ((struct class_pool){ before, after, { 0 } }));
	return pool;
}

static struct segment_class *class_of(struct overhead_classes *classes, const struct segment *s)
{
	struct segment_class *class;
	uint32_t row;

	if (!keymap_new(&classes->map, class_key(s->location, s->before, s->after), classes->list.n,
			&row))
		return &classes->list.data[row];
	class = vec_add(&classes->list);
	class->location = s->location;
	class->pool = pool_of(classes, s->before, s->after);
	return class;
}

/* Keeps the segments before a gap and those after it, each once. */
static void add_around(struct segment_class *class, const struct segment *segment)
{
	const uint64_t number = ++class->number;
	const struct fit_segment s = { segment->duration,
				       segment->records,
				       segment->gap ? segment->read : segment->records,
				       (double)number,
				       segment->gap,
				       segment->blank };
	const bool after = class->gap && number - class->gap <= CLASS_AROUND;

	if (segment->gap) {
		const uint64_t first = number > CLASS_AROUND ? number - CLASS_AROUND : 1;
		for (uint64_t i = first; i < number; i++)
			if (!class->gap || i > class->gap + CLASS_AROUND)
				vec_push(&class->around, class->latest[i % CLASS_AROUND]);
		class->gap = number;
	}
	if (segment->gap || after)
		vec_push(&class->around, s);
	class->latest[number % CLASS_AROUND] = s;
}

void classes_add(struct overhead_classes *classes, const struct segment *segment)
{
	struct segment_class *class;

	class = class_of(classes, segment);
	if (segment->records > 0 && !segment->skipped)
		add_around(class, segment);
	if (segment->gap) {
		classes->segments++;
		classes->skipped++;
		return;
	}
	if (segment->records > 0 && !segment->skipped)
		spread_add(&class->rates, segment->duration / segment->records, segment->duration);
	spread_add(segment->skipped   ? &class->skip
		   : segment->records ? &class->on
				      : &class->empty,
		   segment->duration, segment->records);
	classes->segments++;
	classes->skipped += segment->skipped;
}

static void sum_add(struct class_sum *sum, const struct class_sum *more)
{
	sum->cost += more->cost;
	sum->error2 += more->error2;
	sum->records += more->records;
	sum->blank += more->blank;
	sum->notes += more->notes;
	sum->on += more->on;
	sum->skip += more->skip;
	sum->gaps += more->gaps;
}

/* Whether all values above a limit are far above it. */
static bool is_apart(const struct spread *spread, double limit)
{
	for (size_t i = 0; i < spread->bins.n; i++)
		if (spread->bins.data[i].max > limit)
			return spread->bins.data[i].min > 4 * limit;
	return true;
}

/* Mean durations with and without probes; how many segments with. */
static uint64_t means_of_class(const struct segment_class *class, struct spread_mean *on,
			       struct spread_mean *skip)
{
	const double limit = spread_quantile(&class->empty, 1);

	*on = spread_mean(&class->on, longest);
	if (class->empty.n == 0) {
		*skip = spread_mean(&class->skip, longest);
		return class->on.n;
	}
	if (is_apart(&class->on, limit) && is_apart(&class->skip, limit)) {
		*skip = spread_mean_above(&class->skip, limit, longest);
		return class->on.n;
	}
	*on = spread_mean_join(*on, spread_mean(&class->empty, longest));
	*skip = spread_mean(&class->skip, longest);
	return class->on.n + class->empty.n;
}

static struct class_sum sum_of(double cost, double error2, double records, uint64_t on,
			       uint64_t skip)
{
	return (struct class_sum){ .cost = fixed_of(cost),
				   .error2 = fixed_of(error2),
				   .records = fixed_of(records),
				   .on = on,
				   .skip = skip };
}

/* What the probes cost that a cost is compared with. */
static struct cost_range beside_of(const struct overhead_cost *cost, bool blank)
{
	return blank ? cost->blank : cost->note;
}

/* What a standard error from few gaps lacks for two of them to hold 95 %: Student's t, to 3 %. */
static double few(size_t gaps)
{
	return gaps > 2 ? 1 + 1.2 / (double)(gaps - 2) : 3;
}

/* The same of a class with gaps. */
static bool sum_of_fit(const struct segment_class *class, const struct overhead_cost *cost,
		       struct class_sum *sum)
{
	const struct record_fit fit = fit_record_cost(class->around.data, class->around.n,
						      fmin(cost->delay, cost->function));
	const struct spread_mean on = spread_mean(&class->on, 0);
	const double records = on.n * on.weight, error = fit.error * few(fit.gaps) * records;

	*sum = sum_of((fit.cost + beside_of(cost, fit.blank).best) * records, error * error,
		      records, class->on.n, fit.gaps);
	sum->gaps = fit.gaps;
	if (fit.blank) {
		sum->blank = sum->records;
		sum->notes = fixed_of(fmax(0, fmin(fit.note, fit.cost)) * records);
	}
	return fit.known && records > 0;
}

/* A class's own part of the sums; false where one of its modes is missing. */
static bool sum_of_class(const struct segment_class *class, const struct overhead_cost *cost,
			 struct class_sum *sum)
{
	if (class->gap)
		return sum_of_fit(class, cost, sum);
	struct spread_mean on, skip;
	const uint64_t count = means_of_class(class, &on, &skip);
	const double n = (double)count;

	if (on.n < 2 || skip.n < 2 || !(on.weight > 0))
		return false;
	*sum = sum_of(n * (on.mean - skip.mean + beside_of(cost, false).best * on.weight),
		      n * n * (on.error * on.error + skip.error * skip.error), n * on.weight, count,
		      (uint64_t)skip.n);
	return true;
}

static bool is_enough(const struct class_sum *sum)
{
	if (sum->gaps > 0)
		return sum->gaps >= FIT_GAPS_LEAST;
	return sum->on >= CLASS_ON_LEAST && sum->skip >= CLASS_SKIP_LEAST &&
	       fixed_value(sum->records) >= (double)CLASS_RECORDS_LEAST * (double)sum->on;
}

/* With what is beside it. */
static struct record_cost cost_of(const struct class_sum *sum)
{
	const double records = fixed_value(sum->records), cost = fixed_value(sum->cost) / records;

	return (struct record_cost){ .cost = cost > 0 ? cost : 0,
				     .error = sqrt(fixed_value(sum->error2)) / records };
}

/* Takes off what is beside it, as most records of the sum were compared with it. */
static struct record_cost apart(struct record_cost all, const struct class_sum *sum,
				const struct overhead_cost *cost)
{
	const double blank = fixed_value(sum->blank);

	all.beside = beside_of(cost, 2 * blank > fixed_value(sum->records));
	all.cost = fmax(0, all.cost - all.beside.best);
	all.note = blank > 0 ? fmin(all.cost, fixed_value(sum->notes) / blank) : 0;
	return all;
}

/* Two estimates, the second from what is known of a class before it is examined: the mean, weighted
 * by what their errors leave open. A class without error is not changed. */
static struct record_cost drawn(struct record_cost own, const struct record_cost *prior, double tau)
{
	const double prior2 = tau * tau + prior->error * prior->error;
	const double own2 = own.error * own.error, sum = own2 + prior2;

	if (!(sum > 0))
		return own;
	own.cost = (own.cost * prior2 + prior->cost * own2) / sum;
	own.error = sqrt(own2 * prior2 / sum);
	return own;
}

/* Of all classes, and what loops measured. */
static struct record_cost cost_of_all(const struct overhead_classes *classes,
				      const struct overhead_cost *cost)
{
	const struct record_cost all = cost_of(&classes->sum);
	const struct cost_range range = cost_uncalibrated(cost, cost->function);
	const struct record_cost loops = { .cost = range.best,
					   .error = (range.high - range.low) / 4 };

	return cost->function > 0 ? drawn(all, &loops, 0) : all;
}

/* Of a class that says nothing itself. */
static struct record_cost spread_out(struct record_cost prior, double tau)
{
	prior.error = hypot(prior.error, tau);
	return prior;
}

static void finish_class(struct overhead_classes *classes, struct segment_class *class,
			 const struct overhead_cost *cost)
{
	const struct record_cost all = cost_of_all(classes, cost);
	const double tau = spread_of_costs * fmax(cost->function, all.cost);
	const struct class_sum *pool = &classes->pools.data[class->pool].sum;
	const struct class_sum *prior_sum = is_enough(pool) ? pool : &classes->sum;
	struct record_cost prior = all;
	struct class_sum sum;
	double own;

	if (is_enough(pool))
		prior = drawn(cost_of(pool), &all, tau);
	if (!sum_of_class(class, cost, &sum) || !is_enough(&sum)) {
		class->cost = apart(spread_out(prior, tau), prior_sum, cost);
		return;
	}
	class->cost = drawn(cost_of(&sum), &prior, tau);
	own = class->cost.cost;
	class->cost = apart(class->cost, &sum, cost);
	class->cost.own = true;
	if (classes->own++ == 0)
		classes->lowest = classes->highest = own;
	classes->lowest = fmin(classes->lowest, own);
	classes->highest = fmax(classes->highest, own);
}

/* Adds the sums of the other processes. */
static void share_sums(struct overhead_classes *classes, struct exchange *x)
{
	OWNED_VEC(struct class_pool) pools = VEC_INIT;
	struct class_pool *pool;

	if (!x)
		return;
	vec_each (pool, &classes->pools) {
		vec_push(&pools, *pool);
		pool->sum = (struct class_sum){ 0 };
	}
	classes->sum = (struct class_sum){ 0 };
	exchange_rows(x, &pools);
	vec_each (pool, &pools) {
		const uint32_t row = pool_of(classes, pool->before, pool->after);
		sum_add(&classes->pools.data[row].sum, &pool->sum);
		sum_add(&classes->sum, &pool->sum);
	}
}

static void share_range(struct overhead_classes *classes, struct exchange *x)
{
	const bool any = classes->own > 0;

	classes->own = (uint32_t)exchange_count(x, classes->own);
	if (classes->own == 0)
		return;
	classes->lowest = exchange_fewest(x, any ? classes->lowest : INFINITY);
	classes->highest = exchange_most(x, any ? classes->highest : 0);
}

void classes_finish(struct overhead_classes *classes, const struct overhead_cost *cost,
		    struct exchange *x)
{
	struct segment_class *class;
	struct record_cost all;
	struct class_sum sum;

	vec_each (class, &classes->list) {
		if (!sum_of_class(class, cost, &sum))
			continue;
		sum_add(&classes->sum, &sum);
		sum_add(&classes->pools.data[class->pool].sum, &sum);
	}
	share_sums(classes, x);
	classes->sampled = (classes->sum.gaps > 0 || classes->sum.skip >= CLASS_SKIP_LEAST) &&
			   classes->sum.records > 0;
	if (!classes->sampled)
		return;
	all = cost_of_all(classes, cost);
	classes->lowest = classes->highest = all.cost;
	all = spread_out(all, spread_of_costs * fmax(cost->function, all.cost));
	classes->all = apart(all, &classes->sum, cost);
	vec_each (class, &classes->list) {
		finish_class(classes, class, cost);
		class->cost.outliers =
			outliers_of(&class->rates, class->cost.cost + class->cost.beside.best);
	}
	share_range(classes, x);
}

const struct record_cost *classes_cost(const struct overhead_classes *classes, uint32_t location,
				       uint32_t before, uint32_t after)
{
	const uint32_t *row = keymap_find(&classes->map, class_key(location, before, after));

	return row ? &classes->list.data[*row].cost : &classes->all;
}

void classes_fini(struct overhead_classes *classes)
{
	struct segment_class *class;

	vec_each (class, &classes->list) {
		spread_fini(&class->on);
		spread_fini(&class->skip);
		spread_fini(&class->empty);
		spread_fini(&class->rates);
		vec_fini(&class->around);
	}
	vec_fini(&classes->list);
	vec_fini(&classes->pools);
	keymap_fini(&classes->map);
	keymap_fini(&classes->pool_map);
}
