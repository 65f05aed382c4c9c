/* What the one that was waited for did more than those that waited for it. */
#include "base/mem.h"
#include "base/order.h"
#include "patterns/causes/delay_make.h"

static void profile(const struct intervals *intervals, uint32_t location, uint32_t from,
		    uint32_t to, struct path_sheet *sheet)
{
	path_sheet_clear(sheet);
	intervals_add(intervals, location, from, to, sheet);
	path_sheet_cut(sheet, from, intervals_point(intervals, location, from));
}

static void keep_excess(struct excesses *e, struct delay *delay, uint32_t path, double ticks)
{
	delay->total += ticks;
	if (e->n + 1 > e->paths_cap)
		e->paths = vec_grow(e->paths, &e->paths_cap, e->n + 1, sizeof *e->paths);
	if (e->n + 1 > e->ticks_cap)
		e->ticks = vec_grow(e->ticks, &e->ticks_cap, e->n + 1, sizeof *e->ticks);
	e->paths[e->n] = path;
	e->ticks[e->n++] = ticks;
	delay->n++;
}

static void add_estimated(const struct intervals *intervals, uint32_t location, uint32_t from,
			  uint32_t to, struct path_sheet *sheet)
{
	if (!intervals_have_gaps(intervals))
		return;
	intervals_estimated(intervals, location, intervals_point(intervals, location, from)->en,
			    intervals_point(intervals, location, to)->en, sheet);
}

/* An excess that may be an error of estimated times stays unexplained. */
void delay_compare(struct delay_maker *m, unsigned worker, struct delay *delay,
		   const struct path_sheet *theirs, const struct path_sheet *longest,
		   int64_t waited)
{
	struct delays *d = m->delays;
	struct path_sheet *mine = &m->mine[worker], *estimated = &m->estimated[worker];
	struct excesses *excess = &d->excess[delay->other];

	profile(d->intervals, delay->location, delay->from, delay->point, mine);
	delay->first = excess->n;
	delay->waited = waited;
	delay->total = (double)delay->waited;
	add_estimated(d->intervals, delay->location, delay->from, delay->point, estimated);
	for (uint32_t i = 0; i < theirs->n; i++) {
		const uint32_t path = theirs->touched[i];
		const int64_t more = theirs->of[path] - mine->of[path];
		if (more <= 0 || (longest && longest->of[path] <= 0))
			continue;
		if (more > estimated->of[path])
			keep_excess(excess, delay, path, (double)more);
		else
			delay->estimated += (double)more;
	}
	delay->total += delay->estimated;
}

struct ordered_delay {
	uint32_t from, row;
};

ORDERING(compare_from, struct ordered_delay, from, row)

struct ordered_list {
	struct ordered_delay *data;
	size_t n, cap;
};

/* Prefetches for the next waiters: usually they are compared in the order of their list. */
static void look_ahead(const struct delays *d, uint32_t waiter)
{
	if (waiter + 2 * DELAYS_AHEAD < d->n_waiters)
		__builtin_prefetch(&d->data[d->waiters[waiter + 2 * DELAYS_AHEAD].row], 1);
	if (d->points->far)
		return; /* some are not here */
	if (waiter + DELAYS_AHEAD < d->n_waiters) {
		const struct delay *delay = &d->data[d->waiters[waiter + DELAYS_AHEAD].row];
		intervals_near(d->intervals, delay->location, delay->from);
	}
	if (waiter + DELAYS_AHEAD / 2 < d->n_waiters) {
		const struct delay *delay = &d->data[d->waiters[waiter + DELAYS_AHEAD / 2].row];
		intervals_here(d->intervals, delay->location, delay->from);
	}
}

/* The waiters of a point, by the beginning of the other's interval. */
static void list_waiters(const struct delays *d, uint32_t location, uint32_t row,
			 struct ordered_list *waiters)
{
	bool ordered = true;

	waiters->n = 0;
	for (uint32_t w = d->at[location][row]; w < d->at[location][row + 1]; w++) {
		const struct ordered_delay one = { delay_of(d, w)->other_from, d->waiters[w].row };
		ordered = ordered && (waiters->n == 0 || one.from >= vec_last(waiters)->from);
		vec_push(waiters, one);
	}
	if (!ordered)
		vec_sort(waiters, compare_from);
}

/* `theirs` is the other's profile in the delay's interval. */
static void compare_one(struct delay_maker *m, unsigned worker, uint32_t row,
			const struct path_sheet *theirs, const struct path_sheet *longest)
{
	struct delays *d = m->delays;
	struct delay *delay = &d->data[row];
	const int64_t waited =
		intervals_waited(d->intervals, delay->other, delay->other_from, delay->other_point);

	path_sheet_clear(&m->estimated[worker]);
	add_estimated(d->intervals, delay->other, delay->other_from, delay->other_point,
		      &m->estimated[worker]);
	if (row < d->own)
		delay_compare(m, worker, delay, theirs, longest, waited);
	else
		delay_share_add(m->share, delay, theirs, longest, &m->estimated[worker], waited);
	delay->waited = waited;
}

/* Compares all that waited for a point: those whose intervals begin together share its profile. */
static void compare_point(struct delay_maker *m, unsigned worker, uint32_t location, uint32_t row,
			  struct ordered_list *waiters)
{
	struct delays *d = m->delays;
	struct path_sheet *theirs = &m->theirs[worker], *longest = NULL;
	const uint32_t since = m->since[location][row];

	list_waiters(d, location, row, waiters);
	if (since != POINT_NONE &&
	    (waiters->data[0].from != since || vec_last(waiters)->from != since)) {
		longest = &m->longest[worker];
		profile(d->intervals, location, since, row, longest);
	}
	for (size_t i = 0; i < waiters->n; i++) {
		look_ahead(d, d->at[location][row] + (uint32_t)i);
		if (i == 0 || waiters->data[i].from != waiters->data[i - 1].from)
			profile(d->intervals, location, waiters->data[i].from, row, theirs);
		compare_one(m, worker, waiters->data[i].row, theirs, longest);
	}
}

void delay_sheets(struct delay_maker *m, unsigned worker)
{
	const uint32_t paths = trace_callpath_count(m->trace);

	if (m->mine[worker].of)
		return;
	path_sheet_init(&m->mine[worker], paths);
	path_sheet_init(&m->theirs[worker], paths);
	path_sheet_init(&m->longest[worker], paths);
	path_sheet_init(&m->estimated[worker], paths);
}

void delay_compare_location(void *context, unsigned worker, size_t location)
{
	struct delay_maker *m = context;
	struct delays *d = m->delays;
	struct ordered_list waiters = VEC_INIT;

	if (!delay_step(m, worker))
		return;
	delay_sheets(m, worker);
	for (uint32_t i = 1; i < d->points->of[location].n; i++)
		if (d->at[location][i] < d->at[location][i + 1])
			compare_point(m, worker, (uint32_t)location, i, &waiters);
	vec_fini(&waiters);
}
