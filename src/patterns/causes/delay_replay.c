/* Charging: the replay over the points backwards in time. */
#include <stdlib.h>

#include "base/exchange.h"
#include "base/fixed.h"
#include "base/mem.h"
#include "base/stream.h"
#include "patterns/causes/delay.h"
#include "patterns/causes/points_far.h"

enum {
	STEP_POINTS = 1 << 16,
	BATCH = 16, /* settled delays, before the others are told */
};

static const struct {
	enum cube_metric direct, later;
} charged_as[DELAY_CLASSES] = {
	[DELAY_LATE_SENDER] = { CUBE_DELAY_LATESENDER, CUBE_DELAY_LATESENDER_LONGTERM },
	[DELAY_LATE_RECEIVER] = { CUBE_DELAY_LATERECEIVER, CUBE_DELAY_LATERECEIVER_LONGTERM },
	[DELAY_PROBE] = { CUBE_DELAY_PROBE, CUBE_DELAY_PROBE_LONGTERM },
	[DELAY_POLLING] = { CUBE_DELAY_POLLING, CUBE_DELAY_POLLING_LONGTERM },
	[DELAY_WINDOW] = { CUBE_DELAY_WINDOW, CUBE_DELAY_WINDOW_LONGTERM },
	[DELAY_FENCE] = { CUBE_DELAY_FENCE, CUBE_DELAY_FENCE_LONGTERM },
	[DELAY_EPOCH] = { CUBE_DELAY_EPOCH, CUBE_DELAY_EPOCH_LONGTERM },
	[DELAY_LOCK] = { CUBE_DELAY_LOCK, CUBE_DELAY_LOCK_LONGTERM },
	[DELAY_BARRIER] = { CUBE_DELAY_BARRIER, CUBE_DELAY_BARRIER_LONGTERM },
	[DELAY_N_TO_N] = { CUBE_DELAY_N2N, CUBE_DELAY_N2N_LONGTERM },
	[DELAY_ONE_TO_N] = { CUBE_DELAY_12N, CUBE_DELAY_12N_LONGTERM },
	[DELAY_N_TO_ONE] = { CUBE_DELAY_N21, CUBE_DELAY_N21_LONGTERM },
	[DELAY_PREFIX] = { CUBE_DELAY_SCAN, CUBE_DELAY_SCAN_LONGTERM },
	[DELAY_CREATION] = { CUBE_DELAY_CREATION, CUBE_DELAY_CREATION_LONGTERM },
	[DELAY_FILE] = { CUBE_DELAY_FILE, CUBE_DELAY_FILE_LONGTERM },
	[DELAY_TEAM] = { CUBE_DELAY_OMPBARRIER, CUBE_DELAY_OMPBARRIER_LONGTERM },
};

/* Costs by class; most are 0, so what follows from one is worked out only where it is not. */
struct costs {
	double of[DELAY_CLASSES];
};

/* The current charge for each waiting tick of a point in between, on one location. */
struct running {
	uint32_t at; /* points that remain: the next is at - 1 */
	rate of[DELAY_CLASSES];
};

/* struct delay_account, while it is added to. */
struct accounting {
	fixed waited[DELAY_CLASSES], charged[DELAY_CLASSES], unexplained[DELAY_CLASSES];
	uint64_t cut;
};

/* A delay whose waiter is done, for the process of the one that was waited for. */
struct settled {
	uint64_t told; /* its place among those that this process told that one of */
	struct costs rates;
	double cost; /* ticks charged to its work */
};

struct charging {
	const struct delays *delays;
	const struct far_points *far; /* NULL: all locations are here */
	const struct analysis *analysis;
	struct cube *cube;                     /* NULL: costs are only told */
	const struct delay_listener *listener; /* NULL: none */
	int64_t t0, t1;
	struct running *of;  /* [locations] */
	struct costs *rates; /* [slots] charge of each delay between its points */
	bool *entered;       /* [slots] */
	uint32_t **pending;  /* [locations][points] waiters of the point that are not done */
	VEC(uint32_t) ready; /* locations that can continue */
	uint32_t lowest;     /* all locations below have passed their points */
	struct accounting account;
	uint64_t done, all;
	uint32_t *asked; /* [delays of this process] place among those asked; NULL: none is far */
	struct stream *stream;
	uint32_t untold; /* records in it */
};

int64_t delay_inside(const struct analysis *analysis, uint32_t location, const struct point *point,
		     int64_t t0, int64_t t1)
{
	int64_t from = point->en, to;
	size_t n;
	const struct wait *waits = analysis_waits(analysis, location, &n);

	if (point->wait < n)
		from = waits[point->wait].begin;
	to = from + point->w;
	from = from > t0 ? from : t0;
	to = to < t1 ? to : t1;
	return to > from ? to - from : 0;
}

/* Direct and indirect, propagating and terminal (8.5). `inside`: ticks of the wait in the
 * window. */
static void classify(struct charging *c, uint32_t location, const struct point *point,
		     double inside)
{
	const bool receiver = point->cls == DELAY_LATE_SENDER;
	double indirect = 0, propagating = 0;

	if (!c->cube || point->cls > DELAY_LATE_RECEIVER || inside <= 0)
		return;
	if (point->delay != POINT_NONE) {
		const struct delay *delay = &c->delays->data[point->delay];
		indirect = delay_scale(c->delays, delay) * (double)delay->waited * inside /
			   (double)point->w;
		propagating = delay->most * inside;
	}
	cube_add(c->cube,
		 receiver ? CUBE_MPI_WAIT_INDIRECT_LATESENDER : CUBE_MPI_WAIT_INDIRECT_LATERECEIVER,
		 point->path, location, indirect);
	cube_add(c->cube,
		 receiver ? CUBE_MPI_WAIT_DIRECT_LATESENDER : CUBE_MPI_WAIT_DIRECT_LATERECEIVER,
		 point->path, location, inside - indirect);
	cube_add(c->cube, receiver ? CUBE_MPI_WAIT_PROPAGATING_LS : CUBE_MPI_WAIT_PROPAGATING_LR,
		 point->path, location, propagating);
	cube_add(c->cube, receiver ? CUBE_MPI_WAIT_TERMINAL_LS : CUBE_MPI_WAIT_TERMINAL_LR,
		 point->path, location, inside - propagating);
}

/* Charges work: `direct` per tick to the class' short-term cost, `later` per tick to the long-term
 * one. */
static double charge_work(struct charging *c, const struct delay *delay, uint8_t cls, double direct,
			  const struct costs *later)
{
	const struct excesses *excess = &c->delays->excess[delay->other];
	int classes[DELAY_CLASSES], n = 0;
	double sum = 0;

	for (int k = 0; k < DELAY_CLASSES; k++)
		if (later->of[k] != 0)
			classes[n++] = k;
	for (size_t i = delay->first; i < delay->first + delay->n; i++) {
		const uint32_t path = excess->paths[i];
		const double ticks = excess->ticks[i];
		sum += ticks;
		if (!c->cube)
			continue;
		cube_add(c->cube, charged_as[cls].direct, path, delay->other, direct * ticks);
		for (int k = 0; k < n; k++)
			cube_add(c->cube, charged_as[classes[k]].later, path, delay->other,
				 later->of[classes[k]] * ticks);
	}
	return sum;
}

/* The waiter is done: `rates` are charged to each tick of waiting between the points of the one
 * that was waited for, which may go on when all are done; `cost` was charged to its work. */
static void settle(struct charging *c, const struct delay *delay, const struct costs *rates,
		   double cost)
{
	uint32_t *pending = &c->pending[delay->other][delay->other_point];
	const uint32_t at = c->of[delay->other].at;

	if (c->listener && cost > 0)
		c->listener->on_cost(c->listener->context, delay, cost);
	if (delay->slot != POINT_NONE && at > delay->other_point)
		c->rates[delay->slot] = *rates;
	else if (delay->slot != POINT_NONE)
		/* A cycle was cut open: the points in between were passed already. */
		for (int k = 0; k < DELAY_CLASSES; k++)
			c->account.unexplained[k] += fixed_of(rates->of[k] * (double)delay->waited);
	if (--*pending == 0 && at == delay->other_point + 1)
		vec_push(&c->ready, delay->other);
}

static void settle_far(struct charging *c, size_t row, const struct costs *rates, double cost)
{
	const uint32_t process = trace_process_of(c->far->trace, c->delays->data[row].other);
	struct settled *settled = stream_put(c->stream, process, 0, sizeof *settled);

	*settled = (struct settled){ c->asked[row], *rates, cost };
	if (++c->untold < BATCH)
		return;
	stream_flush(c->stream);
	c->untold = 0;
}

/* Charges a delay whose waiter is done: the work now, the waiting in between later. `cost`: what
 * has been charged to the waiting itself, by class. */
static void charge(struct charging *c, const struct delay *delay, const struct point *point,
		   double inside, const struct costs *cost)
{
	const double scale = delay_scale(c->delays, delay) * inside / (double)point->w;
	struct costs later = { { 0 } };
	struct accounting *account = &c->account;
	double work, rate_sum = scale;

	for (int k = 0; k < DELAY_CLASSES && delay->total > 0; k++)
		later.of[k] = cost->of[k] / delay->total;
	for (int k = 0; k < DELAY_CLASSES; k++)
		rate_sum += later.of[k];
	work = charge_work(c, delay, point->cls, scale, &later);
	account->charged[point->cls] += fixed_of(scale * work);
	account->unexplained[point->cls] +=
		fixed_of(inside - scale * (delay->total - delay->estimated));
	for (int k = 0; k < DELAY_CLASSES; k++) {
		if (cost->of[k] == 0)
			continue;
		account->charged[k] += fixed_of(later.of[k] * work);
		account->unexplained[k] += fixed_of(later.of[k] * delay->estimated);
		if (delay->total <= 0)
			account->unexplained[k] += fixed_of(cost->of[k]);
	}
	later.of[point->cls] += scale;
	if (points_are_far(c->delays->points, delay->other))
		settle_far(c, (size_t)(delay - c->delays->data), &later, rate_sum * work);
	else
		settle(c, delay, &later, rate_sum * work);
}

static void leave_intervals(struct charging *c, uint32_t location, uint32_t row)
{
	struct running *now = &c->of[location];

	for (uint32_t r = c->delays->from[location][row]; r != POINT_NONE;
	     r = c->delays->data[r].next_from) {
		const uint32_t slot = c->delays->data[r].slot;
		if (!c->entered[slot])
			continue;
		for (int k = 0; k < DELAY_CLASSES; k++)
			if (c->rates[slot].of[k] != 0)
				now->of[k] -= rate_of(c->rates[slot].of[k]);
	}
}

static void enter_intervals(struct charging *c, uint32_t location, uint32_t row)
{
	struct running *now = &c->of[location];

	const uint32_t *at = c->delays->at[location];

	for (uint32_t w = at[row]; w < at[row + 1]; w++) {
		const uint32_t slot = c->delays->waiters[w].slot;
		bool any = false;
		if (slot == POINT_NONE)
			continue;
		for (int k = 0; k < DELAY_CLASSES; k++) {
			if (c->rates[slot].of[k] == 0)
				continue;
			now->of[k] += rate_of(c->rates[slot].of[k]);
			any = true;
		}
		c->entered[slot] = any;
	}
}

static void pass(struct charging *c, uint32_t location, uint32_t row)
{
	const struct point *point = &c->delays->points->of[location].data[row];
	struct running *now = &c->of[location];
	struct costs cost;

	leave_intervals(c, location, row);
	now->at = row;
	if (point->w > 0 && point->cls < DELAY_CLASSES) {
		const double inside =
			(double)delay_inside(c->analysis, location, point, c->t0, c->t1);
		for (int k = 0; k < DELAY_CLASSES; k++)
			cost.of[k] =
				now->of[k] != 0 ? rate_value(now->of[k]) * (double)point->w : 0;
		classify(c, location, point, inside);
		c->account.waited[point->cls] += fixed_of(inside);
		if (point->delay != POINT_NONE) {
			charge(c, &c->delays->data[point->delay], point, inside, &cost);
		} else {
			c->account.unexplained[point->cls] += fixed_of(inside);
			for (int k = 0; k < DELAY_CLASSES; k++)
				c->account.unexplained[k] += fixed_of(cost.of[k]);
		}
	} else if (point->w > 0) {
		for (int k = 0; k < DELAY_CLASSES; k++)
			c->account.unexplained[k] +=
				fixed_of(rate_value(now->of[k]) * (double)point->w);
	}
	enter_intervals(c, location, row);
}

/* Continues back to the next point that a waiter has not reached yet. */
static void go_on(struct charging *c, uint32_t location)
{
	struct running *now = &c->of[location];

	while (now->at > 1 && c->pending[location][now->at - 1] == 0) {
		pass(c, location, now->at - 1);
		c->done++;
	}
}

/* ---- several processes ---- */

/* Waits till another process has settled a delay. False: no location of any process can go on. */
static bool wait_settled(struct charging *c)
{
	const struct settled *settled;
	struct stream_head head;
	size_t row = c->delays->own;

	if (!c->far || !stream_wait(c->stream))
		return false;
	c->untold = 0;
	settled = stream_take(c->stream, &head);
	row += c->far->told_first[head.from] + settled->told;
	settle(c, &c->delays->data[row], &settled->rates, settled->cost);
	return true;
}

/* Waits that wait for each other: the lowest location continues regardless. False: all are done. */
static bool cut_open(struct charging *c)
{
	const uint32_t n = c->delays->points->locations;
	uint64_t lowest;

	while (c->lowest < n && c->of[c->lowest].at <= 1)
		c->lowest++;
	lowest = c->lowest;
	exchange_least(c->far ? c->far->exchange : NULL, &lowest, 1);
	if (lowest == n)
		return false;
	if (lowest != c->lowest)
		return true;
	c->pending[c->lowest][c->of[c->lowest].at - 1] = 0;
	c->account.cut++;
	vec_push(&c->ready, c->lowest);
	return true;
}

/* Where the delays of this process are among those asked. */
static void index_asked(struct charging *c)
{
	const struct far_points *far = c->far;

	c->asked = xcalloc(c->delays->own + 1, sizeof *c->asked);
	for (uint32_t p = 0; p < far->exchange->processes; p++)
		for (size_t i = far->asked_first[p]; i < far->asked_first[p + 1]; i++) {
			const struct asked_point *asked = &far->asked[i];
			const uint32_t row =
				c->delays->points->of[asked->location].data[asked->point].delay;
			if (row != POINT_NONE)
				c->asked[row] = (uint32_t)(i - far->asked_first[p]);
		}
}

static void share_account(struct charging *c)
{
	struct accounting *account = &c->account;
	int128 cut = account->cut;

	if (!c->far)
		return;
	exchange_sum(c->far->exchange, account->waited, DELAY_CLASSES);
	exchange_sum(c->far->exchange, account->charged, DELAY_CLASSES);
	exchange_sum(c->far->exchange, account->unexplained, DELAY_CLASSES);
	exchange_sum(c->far->exchange, &cut, 1);
	account->cut = (uint64_t)cut;
}

/* ---- all ---- */

static void charging_init(struct charging *c)
{
	const struct delays *d = c->delays;
	const uint32_t n = d->points->locations;

	c->of = xcalloc((size_t)n + 1, sizeof *c->of);
	c->pending = xcalloc((size_t)n + 1, sizeof *c->pending);
	if (c->far) {
		index_asked(c);
		c->stream = stream_new(c->far->exchange);
	}
	c->rates = xcalloc((size_t)d->slots + 1, sizeof *c->rates);
	c->entered = xcalloc((size_t)d->slots + 1, sizeof *c->entered);
	for (uint32_t l = 0; l < n; l++) {
		c->of[l].at = (uint32_t)d->points->of[l].n;
		c->pending[l] = xmalloc((d->points->of[l].n + 1) * sizeof *c->pending[l]);
		for (size_t i = 0; i < d->points->of[l].n; i++)
			c->pending[l][i] = d->at[l][i + 1] - d->at[l][i];
		c->all += d->points->of[l].n;
		vec_push(&c->ready, n - 1 - l);
	}
}

static void charging_fini(struct charging *c)
{
	for (uint32_t l = 0; l < c->delays->points->locations; l++)
		free(c->pending[l]);
	free_all(c->pending, c->of, c->rates, c->entered, c->asked);
	vec_fini(&c->ready);
	stream_free(c->stream);
}

static void take_account(const struct accounting *sums, struct delay_account *account)
{
	account->cut = sums->cut;
	for (int k = 0; k < DELAY_CLASSES; k++) {
		account->waited[k] = fixed_value(sums->waited[k]);
		account->charged[k] = fixed_value(sums->charged[k]);
		account->unexplained[k] = fixed_value(sums->unexplained[k]);
	}
}

/* False: stopped. */
static bool replay(struct charging *c, const struct progress *progress)
{
	uint64_t told = 0;
	bool wanted = true;

	charging_init(c);
	while (wanted && (c->ready.n > 0 || wait_settled(c) || cut_open(c))) {
		if (c->ready.n > 0)
			go_on(c, vec_pop(&c->ready));
		if (c->done >= told + STEP_POINTS) {
			told = c->done;
			wanted = progress_wanted(progress, "charging delays", c->done, c->all);
		}
	}
	share_account(c);
	charging_fini(c);
	return wanted;
}

bool delays_charge(const struct delays *delays, const struct analysis *analysis, struct cube *cube,
		   int64_t t0, int64_t t1, struct delay_account *account,
		   const struct progress *progress)
{
	struct charging c = { .delays = delays,
			      .far = delays->points->far,
			      .analysis = analysis,
			      .cube = cube,
			      .t0 = t0,
			      .t1 = t1 };
	const bool done = replay(&c, progress);

	take_account(&c.account, account);
	return done;
}

bool delays_tell(const struct delays *delays, const struct analysis *analysis,
		 const struct delay_listener *listener, const struct progress *progress)
{
	struct charging c = { .delays = delays,
			      .far = delays->points->far,
			      .analysis = analysis,
			      .listener = listener,
			      .t0 = INT64_MIN,
			      .t1 = INT64_MAX };

	return replay(&c, progress);
}
