/* Epochs of start and complete at an origin, of post and wait at a target: Late Post, Early Wait,
 * Late Complete, and the pairs that they bring together. The n-th access epoch of an origin in
 * which a target is meets the n-th exposure epoch of that target in which the origin is. */

#include "base/order.h"
#include "base/vec.h"
#include "model/trace/detail.h"
#include "patterns/kinds/rma.h"

/* An access epoch (start .. complete) or an exposure epoch (post .. wait). */
struct access_epoch {
	bool access;
	uint32_t first, last;            /* records */
	const struct rma_record *latest; /* post that an origin, complete that a target waits for */
	int64_t transfer; /* exposure: when the last operation on it ended, INT64_MIN without */
	uint32_t pairs, used;
};

/* One pair of an epoch. */
struct epoch_side {
	int32_t origin, target;
	uint32_t nth; /* of this pair, on this side */
	uint32_t epoch;
};

/* What an origin did to a target in an epoch. */
struct transfer {
	uint32_t epoch;
	int32_t target;
	int64_t lv;
};

struct epochs {
	const struct rma_window *window;
	VEC(struct access_epoch) epochs;
	VEC(struct epoch_side) accesses;
	VEC(struct epoch_side) exposures;
	VEC(struct transfer) transfers; /* by epoch, target, time */
};

ORDERING(by_pair, struct epoch_side, origin, target, epoch)

ORDERING(by_transfer, struct transfer, epoch, target, lv)

/* ---- the epochs ---- */

static void add_sides(struct epochs *e, uint32_t id)
{
	const struct trace *trace = e->window->trace;
	const struct rma_record *r = &e->window->records[e->epochs.data[id].first];
	const struct object *group;
	const uint64_t *v;

	if (r->group >= trace_object_count(trace))
		return;
	group = trace_object(trace, r->group);
	if (group->detail.type != OBJECT_GROUP)
		return;
	v = trace_detail_values(trace, &group->detail);
	for (uint32_t i = 3; i < group->detail.n; i++) {
		const int32_t other = (int32_t)v[i];
		if (e->epochs.data[id].access)
			vec_push(&e->accesses, ((struct epoch_side){ r->rank, other, 0, id }));
		else
			vec_push(&e->exposures, ((struct epoch_side){ other, r->rank, 0, id }));
	}
	e->epochs.data[id].pairs = group->detail.n > 3 ? group->detail.n - 3 : 0;
}

/* An epoch that `first` began ends with `last`. */
static void add_epoch(struct epochs *e, uint32_t *first, uint32_t last, bool access)
{
	if (*first == UINT32_MAX)
		return;
	vec_push(&e->epochs,
		 ((struct access_epoch){
			 .access = access, .first = *first, .last = last, .transfer = INT64_MIN }));
	add_sides(e, (uint32_t)e->epochs.n - 1);
	for (uint32_t i = *first; access && i < last; i++)
		if (e->window->records[i].kind == RMA_OPERATION)
			vec_push(&e->transfers, ((struct transfer){ (uint32_t)e->epochs.n - 1,
								    e->window->records[i].remote,
								    e->window->records[i].lv }));
	*first = UINT32_MAX;
}

static void number(struct epoch_side *sides, size_t n)
{
	SORT(sides, n, by_pair);
	for (size_t i = 1; i < n; i++)
		if (sides[i].origin == sides[i - 1].origin &&
		    sides[i].target == sides[i - 1].target)
			sides[i].nth = sides[i - 1].nth + 1;
}

static void find_epochs(struct epochs *e)
{
	uint32_t start = UINT32_MAX, post = UINT32_MAX;

	for (uint32_t i = 0; i < e->window->n; i++) {
		const struct rma_record *r = &e->window->records[i];
		if (i && r->location != r[-1].location)
			start = post = UINT32_MAX;
		switch ((enum rma_kind)r->kind) {
		case RMA_START: start = i; break;
		case RMA_POST: post = i; break;
		case RMA_COMPLETE: add_epoch(e, &start, i, true); break;
		case RMA_WAIT: add_epoch(e, &post, i, false); break;
		default: break;
		}
	}
	number(e->accesses.data, e->accesses.n);
	number(e->exposures.data, e->exposures.n);
	vec_sort(&e->transfers, by_transfer);
}

/* ---- who meets whom ---- */

/* When the last operation of an epoch on a target ended; INT64_MIN: there was none. */
static int64_t last_transfer(const struct epochs *e, uint32_t epoch, int32_t target)
{
	const struct transfer key = { epoch, target, INT64_MAX };
	size_t low = 0, high = e->transfers.n;

	BISECT(low, high, middle, by_transfer(&e->transfers.data[middle], &key) <= 0);
	if (low == 0 || e->transfers.data[low - 1].epoch != epoch ||
	    e->transfers.data[low - 1].target != target)
		return INT64_MIN;
	return e->transfers.data[low - 1].lv;
}

static void meet(struct epochs *e, const struct epoch_side *origin, const struct epoch_side *target)
{
	const struct rma_record *records = e->window->records;
	struct access_epoch *access = &e->epochs.data[origin->epoch];
	struct access_epoch *exposure = &e->epochs.data[target->epoch];
	const struct rma_record *post = &records[exposure->first];
	const struct rma_record *complete = &records[access->last];
	const int64_t transfer = last_transfer(e, origin->epoch, origin->target);

	if (!access->latest || post->en > access->latest->en)
		access->latest = post;
	if (!exposure->latest || complete->en > exposure->latest->en)
		exposure->latest = complete;
	if (transfer == INT64_MIN)
		return;
	access->used++;
	exposure->used++;
	if (transfer > exposure->transfer)
		exposure->transfer = transfer;
}

static int compare_sides(const struct epoch_side *a, const struct epoch_side *b)
{
	ORDER_BY(a->origin, b->origin);
	ORDER_BY(a->target, b->target);
	return ORDER(a->nth, b->nth);
}

static void meet_all(struct epochs *e)
{
	size_t i = 0, k = 0;

	while (i < e->accesses.n && k < e->exposures.n) {
		const int order = compare_sides(&e->accesses.data[i], &e->exposures.data[k]);
		if (order == 0)
			meet(e, &e->accesses.data[i], &e->exposures.data[k]);
		i += order <= 0;
		k += order >= 0;
	}
}

/* ---- waits ---- */

static void late_post(const struct epochs *e, const struct access_epoch *access)
{
	const struct rma_record *records = e->window->records;
	const struct rma_record *start = &records[access->first];
	const struct rma_record *complete = &records[access->last];
	const int64_t late = access->latest->en;

	if (complete->en < late && late < complete->lv) {
		rma_found(e->window, complete, CUBE_MPI_RMA_SYNC_LATE_POST, complete->en, late,
			  access->latest, 0);
		return;
	}
	if (start->en < late && late < start->lv) {
		rma_found(e->window, start, CUBE_MPI_RMA_SYNC_LATE_POST, start->en, late,
			  access->latest, 0);
		return;
	}
	for (const struct rma_record *r = start; r < complete; r++)
		if (r->kind == RMA_OPERATION && r->time < late && late < r->lv)
			rma_found(e->window, r, CUBE_MPI_RMA_COMM_LATE_POST, r->time, late,
				  access->latest, 0);
}

static void early_wait(const struct epochs *e, const struct access_epoch *exposure)
{
	const struct rma_record *wait = &e->window->records[exposure->last];
	const struct rma_record *late = exposure->latest;
	const int64_t from = exposure->transfer > wait->en ? exposure->transfer : wait->en;

	rma_found(e->window, wait, CUBE_MPI_RMA_EARLY_WAIT, wait->en, late->en, late, 0);
	rma_found(e->window, wait, CUBE_MPI_RMA_LATE_COMPLETE, from, late->en, late, WAIT_PART);
}

void rma_epochs(const struct rma_window *window)
{
	struct epochs e = { .window = window };

	find_epochs(&e);
	meet_all(&e);
	for (size_t i = 0; i < e.epochs.n; i++) {
		const struct access_epoch *epoch = &e.epochs.data[i];
		if (epoch->latest && epoch->access)
			late_post(&e, epoch);
		else if (epoch->latest)
			early_wait(&e, epoch);
		rma_pairs(window, &window->records[epoch->last], epoch->pairs, epoch->used);
	}
	vec_fini(&e.epochs);
	vec_fini(&e.accesses);
	vec_fini(&e.exposures);
	vec_fini(&e.transfers);
}
