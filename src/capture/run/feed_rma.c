/* As Score-P writes it: a collective of a window has a begin and an end, an epoch its group, a lock
 * is noted when it is had, a flush by the completions that it brings. */
#include "capture/run/feed_rma.h"

/* OTF2_RmaSyncLevel, OTF2_CollectiveOp, OTF2_RmaAtomicType; detail.c has their names. */
enum { LEVEL_NONE, LEVEL_PROCESS = 1, LEVEL_MEMORY = 2 };
enum { BARRIER = 0, CREATE = 17, DESTROY = 18, AND_MEMORY = 4 };
enum { ACCUMULATE = 0, COMPARE_AND_SWAP = 3, FETCH_AND_ACCUMULATE = 7 };

struct sending {
	struct builder *b;
	uint32_t location;
	int64_t time;
};

#define SEND(s, type, ...)                                                     \
	do {                                                                   \
		const uint64_t values[] = { __VA_ARGS__ };                     \
		builder_detail((s)->b, (s)->location, (s)->time, type, values, \
			       sizeof values / sizeof *values);                \
	} while (0)

/* What a record says, as the builder knows it. */
struct saying {
	enum tv_rma_what what;
	uint32_t id;
	uint64_t window, target, sent, received;
};

static uint64_t window_object(const struct rank *rank, uint32_t window)
{
	return window < rank->windows.n ? rank->windows.data[window].object : UINT32_MAX;
}

static uint64_t group_object(const struct rank *rank, uint32_t group)
{
	return group < rank->groups.n ? rank->groups.data[group].object : UINT32_MAX;
}

static uint64_t target_of(const struct rank *rank, uint32_t window, uint32_t target)
{
	const uint32_t comm = window < rank->windows.n ? rank->windows.data[window].comm : 0;
	const int32_t member =
		target == TV_NO_ROOT ? RANK_UNKNOWN : rank_member(rank, comm, (int32_t)target);

	return (uint64_t)(int64_t)member;
}

/* ---- completions ---- */

/* Completes the accesses to a window, of one target or of all. */
static void complete(struct rma_feed *f, const struct sending *s, const struct tv_rma *r,
		     uint64_t window, enum detail_type type)
{
	const uint32_t number = tv_size_upper(r->received_window);
	const uint32_t target = tv_size_upper(r->sent_target);
	size_t kept = 0;

	for (size_t i = 0; i < f->open.n; i++) {
		const struct rma_access *a = &f->open.data[i];
		if (a->window == number && (target == TV_NO_ROOT || target == a->target))
			SEND(s, type, window, a->matching);
		else
			f->open.data[kept++] = *a;
	}
	f->open.n = kept;
}

/* The access of a request: one of the latest. */
static void complete_request(struct rma_feed *f, const struct sending *s, const struct rank *rank,
			     uint32_t request)
{
	for (size_t i = f->open.n; i-- > 0;) {
		const struct rma_access a = f->open.data[i];
		if (a.request != request)
			continue;
		SEND(s, DETAIL_RMA_OP_COMPLETE_NON_BLOCKING, window_object(rank, a.window),
		     a.matching);
		for (f->open.n--; i < f->open.n; i++)
			f->open.data[i] = f->open.data[i + 1];
		return;
	}
}

/* ---- records ---- */

static void feed_access(const struct sending *s, const struct saying *r, uint64_t matching)
{
	switch (r->what) {
	case TV_RMA_PUT: SEND(s, DETAIL_RMA_PUT, r->window, r->target, r->sent, matching); break;
	case TV_RMA_GET:
		SEND(s, DETAIL_RMA_GET, r->window, r->target, r->received, matching);
		break;
	default:
		SEND(s, DETAIL_RMA_ATOMIC, r->window, r->target,
		     r->what == TV_RMA_ACCUMULATE         ? ACCUMULATE
		     : r->what == TV_RMA_COMPARE_AND_SWAP ? COMPARE_AND_SWAP
							  : FETCH_AND_ACCUMULATE,
		     r->sent, r->received, matching);
		break;
	}
}

static void feed_collective(const struct sending *s, const struct saying *r)
{
	const uint64_t memory = r->id ? AND_MEMORY : 0, none = UINT64_MAX;

	switch (r->what) {
	case TV_RMA_CREATE:
		SEND(s, DETAIL_RMA_WIN_CREATE, r->window);
		SEND(s, DETAIL_RMA_COLLECTIVE_END, CREATE + memory, LEVEL_PROCESS, r->window, none,
		     0, 0);
		break;
	case TV_RMA_FREE:
		SEND(s, DETAIL_RMA_WIN_DESTROY, r->window);
		SEND(s, DETAIL_RMA_COLLECTIVE_END, DESTROY + memory, LEVEL_PROCESS, r->window, none,
		     0, 0);
		break;
	default:
		SEND(s, DETAIL_RMA_COLLECTIVE_END, BARRIER, LEVEL_PROCESS | LEVEL_MEMORY, r->window,
		     none, 0, 0);
		break;
	}
}

static void feed_sync(const struct sending *s, const struct saying *r, const struct rank *rank)
{
	switch (r->what) {
	case TV_RMA_CREATE:
	case TV_RMA_FREE:
	case TV_RMA_FENCE: feed_collective(s, r); break;
	case TV_RMA_POST:
	case TV_RMA_START:
		SEND(s, DETAIL_RMA_GROUP_SYNC, LEVEL_NONE, r->window, group_object(rank, r->id));
		break;
	case TV_RMA_EPOCH_COMPLETE:
	case TV_RMA_WAIT:
		SEND(s, DETAIL_RMA_GROUP_SYNC, LEVEL_MEMORY, r->window, group_object(rank, r->id));
		break;
	case TV_RMA_LOCK:
		SEND(s, DETAIL_RMA_ACQUIRE_LOCK, r->window, r->target, 0, r->id != 0);
		break;
	case TV_RMA_UNLOCK: SEND(s, DETAIL_RMA_RELEASE_LOCK, r->window, r->target, 0); break;
	default: break; /* a flush is what it completes */
	}
}

static void feed_record(struct rma_feed *f, const struct sending *s, const struct rank *rank,
			const struct tv_rma *r)
{
	const uint32_t window = tv_size_upper(r->received_window);
	const uint32_t target = tv_size_upper(r->sent_target);
	const struct saying saying = { .what = (enum tv_rma_what)r->head.flags,
				       .id = r->head.id,
				       .window = window_object(rank, window),
				       .target = target_of(rank, window, target),
				       .sent = tv_size_bytes(r->sent_target),
				       .received = tv_size_bytes(r->received_window) };

	switch (saying.what) {
	case TV_RMA_FENCE:
	case TV_RMA_FREE:
	case TV_RMA_EPOCH_COMPLETE:
	case TV_RMA_UNLOCK:
	case TV_RMA_FLUSH: complete(f, s, r, saying.window, DETAIL_RMA_OP_COMPLETE_REMOTE); break;
	case TV_RMA_FLUSH_LOCAL:
		complete(f, s, r, saying.window, DETAIL_RMA_OP_COMPLETE_NON_BLOCKING);
		break;
	default: break;
	}
	if (saying.what < TV_RMA_PUT)
		feed_sync(s, &saying, rank);
	if (saying.what < TV_RMA_PUT || saying.what >= TV_RMA_WHATS)
		return;
	vec_push(&f->open, ((struct rma_access){ window, target, saying.id, f->accesses }));
	feed_access(s, &saying, f->accesses++);
}

void feed_rma(struct rma_feed *f, const struct job *job, const struct rank *rank, uint32_t location,
	      const struct tv_head *head, int64_t time)
{
	const struct sending s = { job->builder, location, time };

	if (head->kind == TV_RMA_BEGIN)
		builder_detail(s.b, location, time, DETAIL_RMA_COLLECTIVE_BEGIN, NULL, 0);
	else if (head->kind == TV_RMA_COMPLETE)
		complete_request(f, &s, rank, head->id);
	else
		feed_record(f, &s, rank, (const void *)head);
}

void rma_feed_fini(struct rma_feed *f)
{
	vec_fini(&f->open);
}
