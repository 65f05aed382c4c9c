/* Wait at Create, at Free, at Fence; Early Fence, which is a part of that and no longer than it;
 * the pairs of fences. */

#include "base/order.h"
#include "base/vec.h"
#include "patterns/kinds/rma.h"

/* A record, and its index among those of its kind on its location. */
struct rma_call {
	uint32_t nth;
	const struct rma_record *record;
};

/* `rank` and `peer` communicated in the epoch before a fence. */
struct access {
	uint32_t epoch;
	int32_t rank, peer;
	int64_t lv; /* of the operation that `peer` did on `rank`, INT64_MIN: rank did it itself */
};

struct fences {
	const struct rma_window *window;
	VEC(struct rma_call) calls;
	VEC(struct access) accesses;
};

static int by_instance(const void *a, const void *b)
{
	const struct rma_call *x = a, *y = b;

	ORDER_BY(x->record->kind, y->record->kind);
	ORDER_BY(x->nth, y->nth);
	return ORDER(x->record, y->record);
}

ORDERING(by_access, struct access, epoch, rank, peer)

static void list(struct fences *f)
{
	uint32_t nth[RMA_FENCE + 1] = { 0 };

	for (uint32_t i = 0; i < f->window->n; i++) {
		const struct rma_record *r = &f->window->records[i];
		if (i && r->location != r[-1].location)
			nth[RMA_CREATE] = nth[RMA_FREE] = nth[RMA_FENCE] = 0;
		if (r->kind == RMA_CREATE || r->kind == RMA_FREE || r->kind == RMA_FENCE)
			vec_push(&f->calls, ((struct rma_call){ nth[r->kind]++, r }));
		if (r->kind != RMA_OPERATION)
			continue;
		vec_push(&f->accesses, ((struct access){ r->epoch, r->remote, r->rank, r->lv }));
		vec_push(&f->accesses,
			 ((struct access){ r->epoch, r->rank, r->remote, INT64_MIN }));
	}
	vec_sort(&f->calls, by_instance);
	vec_sort(&f->accesses, by_access);
}

/* The peers of a rank in the epoch before a fence, and when the last operation on it ended. */
static uint32_t peers(const struct fences *f, const struct rma_record *fence, int64_t *last)
{
	const struct access key = { fence->epoch, fence->rank, INT32_MIN, 0 };
	size_t low = 0, high = f->accesses.n;
	uint32_t n = 0;

	*last = INT64_MIN;
	BISECT(low, high, middle, by_access(&f->accesses.data[middle], &key) < 0);
	for (size_t i = low; i < f->accesses.n; i++) {
		const struct access *a = &f->accesses.data[i];
		if (a->epoch != fence->epoch || a->rank != fence->rank)
			break;
		n += i == low || a[-1].peer != a->peer;
		if (a->lv > *last)
			*last = a->lv;
	}
	return n;
}

static enum cube_metric metric_of(uint8_t kind)
{
	return kind == RMA_CREATE ? CUBE_MPI_RMA_WAIT_AT_CREATE
	       : kind == RMA_FREE ? CUBE_MPI_RMA_WAIT_AT_FREE
				  : CUBE_MPI_RMA_WAIT_AT_FENCE;
}

/* All calls of one instance: they waited for each other if all of them overlap; else an assertion
 * may have removed the synchronisation. */
static void instance(const struct fences *f, const struct rma_call *calls, size_t n)
{
	const struct rma_record *last = calls[0].record;
	int64_t first_end = INT64_MAX;
	const enum cube_metric metric = metric_of(last->kind);

	for (size_t i = 0; i < n; i++) {
		if (calls[i].record->begin > last->begin)
			last = calls[i].record;
		if (calls[i].record->time < first_end)
			first_end = calls[i].record->time;
	}
	for (size_t i = 0; i < n; i++) {
		const struct rma_record *r = calls[i].record;
		int64_t late = INT64_MIN;
		const uint32_t used = r->kind == RMA_FENCE ? peers(f, r, &late) : 0;
		if (r->kind == RMA_FENCE)
			rma_pairs(f->window, r, (uint32_t)n, used);
		if (first_end <= last->begin)
			continue;
		rma_found(f->window, r, metric, r->begin, last->begin, last, WAIT_COLLECTIVE);
		if (r->kind == RMA_FENCE && late <= r->time && last->begin > r->begin)
			rma_found(f->window, r, CUBE_MPI_RMA_EARLY_FENCE, r->begin,
				  late < last->begin ? late : last->begin, NULL, WAIT_PART);
	}
}

void rma_collectives(const struct rma_window *window)
{
	struct fences f = { .window = window };

	list(&f);
	for (size_t i = 0, end; i < f.calls.n; i = end) {
		const struct rma_call *first = &f.calls.data[i];
		for (end = i; end < f.calls.n && f.calls.data[end].nth == first->nth &&
			      f.calls.data[end].record->kind == first->record->kind;)
			end++;
		if (window->size && end - i != window->size)
			analysis_counters(window->analysis, first->record->location)->incomplete++;
		else
			instance(&f, first, end - i);
	}
	vec_fini(&f.calls);
	vec_fini(&f.accesses);
}
