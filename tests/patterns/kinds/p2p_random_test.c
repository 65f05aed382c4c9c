/* Point-to-point waits of random programs against the specification read word by word: an
 * implementation over arrays of calls and messages that knows nothing of events, blocks or call
 * paths. Times are not causal: sends may come behind their receives. */
#include <string.h>

#include "base/order.h"
#include "base/vec.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/build/builder.h"
#include "patterns/analysis/analysis.h"
#include "patterns/patterns.h"

enum { RANKS = 5, CALLS = 400, SEEDS = 60, KEPT = 100, NOBODY = -1 };

enum kind { SEND, BSEND, ISEND, IRECV, RECV, SENDRECV, WAIT, WAITALL, TEST, KINDS };
static const char *const names[KINDS] = { "MPI_Send",  "MPI_Bsend",   "MPI_Isend",
					  "MPI_Irecv", "MPI_Recv",    "MPI_Sendrecv",
					  "MPI_Wait",  "MPI_Waitall", "MPI_Test" };

/* One end of a message. */
struct end {
	int rank, peer, tag;
	bool sends;
	uint64_t bytes;
	int64_t time;  /* of the send's record */
	int posted;    /* call that sends or posts */
	int completed; /* call that it completes in, NOBODY */
	int other;     /* end */
	int64_t request;
};

struct call {
	int rank;
	enum kind kind;
	int64_t en, lv;
	VEC(int) ends; /* completed in it, in order */
};

struct found {
	int rank;
	bool late_receiver, empty, wrong, same;
	int64_t begin, length;
	int end;
};

struct program {
	struct rng rng;
	struct builder *b;
	uint32_t location[RANKS], sites[KINDS];
	VEC(struct end) ends;
	VEC(struct call) calls;
	VEC(int) open[RANKS]; /* requests */
	VEC(struct found) found;
	int64_t now, clock[RANKS];
	int under_way[RANKS][RANKS]; /* messages sent and not yet asked for; negative: asked for */
};

static uint32_t below(struct program *p, uint32_t n)
{
	return rng_below(&p->rng, n);
}

/* ---- the program ---- */

static struct message_end record_of(const struct program *p, int end)
{
	const struct end *e = &p->ends.data[end];

	return (struct message_end){ .rank = e->peer,
				     .process = -1,
				     .tag = e->tag,
				     .bytes = e->sends ? e->bytes : 0,
				     .flags = e->sends ? 0 : MSG_NO_BYTES };
}

/* Mostly a partner that waits for it, so that calls of both overlap. */
static int partner(struct program *p, int rank, bool sends)
{
	int best = (rank + 1 + (int)below(p, RANKS - 1)) % RANKS;

	for (int i = 0; i < RANKS && below(p, 8); i++) {
		if (i == rank)
			continue;
		if (sends ? p->under_way[rank][i] < p->under_way[rank][best]
			  : p->under_way[i][rank] > p->under_way[best][rank])
			best = i;
	}
	return best;
}

static int new_end(struct program *p, int rank, bool sends)
{
	const int peer = partner(p, rank, sends);

	vec_push(&p->ends, ((struct end){ .rank = rank,
					  .peer = peer,
					  .tag = below(p, 16) == 0,
					  .sends = sends,
					  .bytes = below(p, 3) ? 8 : 0,
					  .time = p->now,
					  .posted = (int)p->calls.n - 1,
					  .completed = NOBODY,
					  .other = NOBODY,
					  .request = (int64_t)p->ends.n }));
	p->under_way[sends ? rank : peer][sends ? peer : rank] += sends ? 1 : -1;
	return (int)p->ends.n - 1;
}

static void complete(struct program *p, int end)
{
	struct end *e = &p->ends.data[end];
	struct call *call = vec_last(&p->calls);

	e->completed = (int)p->calls.n - 1;
	vec_push(&call->ends, end);
}

static void send(struct program *p, int rank, bool now)
{
	const int end = new_end(p, rank, true);
	struct message_end record = record_of(p, end);

	if (now) {
		builder_send(p->b, p->location[rank], p->now, &record);
		complete(p, end);
		return;
	}
	record.flags = MSG_SEND_REQUEST;
	record.has_request = true;
	record.request = end;
	builder_send(p->b, p->location[rank], p->now, &record);
	vec_push(&p->open[rank], end);
}

static void receive(struct program *p, int rank, bool now)
{
	const int end = new_end(p, rank, false);
	struct message_end record = record_of(p, end);

	if (now) {
		builder_recv(p->b, p->location[rank], p->now + 1, &record);
		complete(p, end);
		return;
	}
	record.flags |= MSG_RECV_REQUEST;
	record.has_request = true;
	record.request = end;
	builder_recv_request(p->b, p->location[rank], p->now, &record);
	vec_push(&p->open[rank], end);
}

static void complete_one(struct program *p, int rank)
{
	const uint32_t at = below(p, (uint32_t)p->open[rank].n);
	const int end = p->open[rank].data[at];
	struct message_end record = record_of(p, end);

	p->open[rank].data[at] = vec_pop(&p->open[rank]);
	if (p->ends.data[end].sends) {
		builder_send_complete(p->b, p->location[rank], p->now, end, 0);
	} else {
		record.flags |= MSG_RECV_REQUEST;
		record.has_request = true;
		record.request = end;
		builder_recv(p->b, p->location[rank], p->now, &record);
	}
	complete(p, end);
}

static void add_call(struct program *p, int rank)
{
	enum kind kind = (enum kind)below(p, KINDS);
	struct call *call;

	if (kind >= WAIT && p->open[rank].n == 0)
		kind = below(p, 2) ? ISEND : IRECV;
	p->now += 1 + below(p, 20);
	vec_push(&p->calls, ((struct call){ .rank = rank, .kind = kind, .en = p->now }));
	builder_enter(p->b, p->location[rank], p->now, p->sites[kind]);
	p->now += below(p, 4);
	switch (kind) {
	case SEND:
	case BSEND: send(p, rank, true); break;
	case ISEND: send(p, rank, false); break;
	case IRECV: receive(p, rank, false); break;
	case RECV: receive(p, rank, true); break;
	case SENDRECV:
		send(p, rank, true);
		receive(p, rank, true);
		break;
	case WAITALL:
		for (uint32_t n = 1 + below(p, (uint32_t)p->open[rank].n); n > 0; n--)
			complete_one(p, rank);
		break;
	default: complete_one(p, rank); break;
	}
	p->now += 1 + below(p, 120);
	call = vec_last(&p->calls);
	call->lv = p->now;
	builder_leave(p->b, p->location[rank], p->now, p->sites[kind]);
}

static void make(struct program *p, uint64_t seed)
{
	memset(p, 0, sizeof *p);
	p->rng = (struct rng){ seed };
	p->b = builder_new("random", &units_nanoseconds, NULL);
	for (int k = 0; k < KINDS; k++)
		p->sites[k] = builder_site(p->b, builder_region(p->b, names[k], CLASS_P2P, 100 + k),
					   0, 0, 100 + k);
	for (int r = 0; r < RANKS; r++)
		p->location[r] =
			builder_location(p->b, &(struct location){ .rank = r, .process = -1 });
	for (int i = 0; i < RANKS * CALLS; i++) {
		int rank = 0;
		for (int r = 1; r < RANKS; r++)
			if (p->clock[r] < p->clock[rank])
				rank = r;
		p->now = p->clock[rank];
		add_call(p, rank);
		p->clock[rank] = p->now;
	}
}

static void drop(struct program *p)
{
	for (size_t i = 0; i < p->calls.n; i++)
		vec_fini(&p->calls.data[i].ends);
	for (int r = 0; r < RANKS; r++)
		vec_fini(&p->open[r]);
	vec_fini(&p->calls);
	vec_fini(&p->ends);
	vec_fini(&p->found);
}

/* ---- the specification ---- */

/* C1: sends of a key in their order with receives in the order in which they were posted. Ends
 * stand in both orders by rank already. */
static void match(struct program *p)
{
	for (size_t s = 0; s < p->ends.n; s++) {
		struct end *send = &p->ends.data[s];
		if (!send->sends)
			continue;
		for (size_t r = 0; r < p->ends.n; r++) {
			struct end *recv = &p->ends.data[r];
			if (recv->sends || recv->other != NOBODY || recv->rank != send->peer ||
			    recv->peer != send->rank || recv->tag != send->tag)
				continue;
			recv->other = (int)s;
			send->other = (int)r;
			break;
		}
	}
}

/* Both ends are there: a receive that never completed is none. */
static bool whole(const struct program *p, int end)
{
	const struct end *e = &p->ends.data[end];

	return e->other != NOBODY && p->ends.data[e->sends ? e->other : end].completed != NOBODY;
}

static int64_t late_sender(const struct program *p, const struct call *x, int end)
{
	const struct end *r = &p->ends.data[end];
	int64_t en, w;

	if (r->sends || !whole(p, end))
		return 0;
	en = p->calls.data[p->ends.data[r->other].posted].en;
	w = (en < x->lv ? en : x->lv) - x->en;
	return w > 0 ? w : 0;
}

static int64_t late_receiver(const struct program *p, const struct call *y, int end)
{
	const struct end *s = &p->ends.data[end];
	int64_t en;

	if (!s->sends || !whole(p, end))
		return 0;
	en = p->calls.data[p->ends.data[s->other].posted].en;
	return y->lv <= en || en < y->en ? 0 : en - y->en;
}

static void add(struct program *p, const struct call *call, int end, int64_t length, bool receiver)
{
	const struct end *e = &p->ends.data[end];
	const uint64_t bytes = e->sends ? e->bytes : p->ends.data[e->other].bytes;

	vec_push(&p->found, ((struct found){ .rank = call->rank,
					     .late_receiver = receiver,
					     .empty = bytes == 0,
					     .begin = call->en,
					     .length = length,
					     .end = end }));
}

/* The largest of a call: the first one (Late Sender), the last one (Late Receiver). */
static int worst(const struct program *p, const struct call *call, bool receiver)
{
	int64_t most = 0;
	int at = NOBODY;

	for (size_t i = 0; i < call->ends.n; i++) {
		const int end = call->ends.data[i];
		const int64_t w =
			receiver ? late_receiver(p, call, end) : late_sender(p, call, end);
		if (w > 0 && (receiver ? w >= most : w > most)) {
			most = w;
			at = end;
		}
	}
	return at;
}

static void late_of_call(struct program *p, const struct call *call)
{
	int end;

	if (call->kind == WAITALL) {
		end = worst(p, call, false);
		if (end != NOBODY) {
			add(p, call, end, late_sender(p, call, end), false);
			return;
		}
		end = worst(p, call, true);
		if (end != NOBODY)
			add(p, call, end, late_receiver(p, call, end), true);
		return;
	}
	for (size_t i = 0; i < call->ends.n; i++) {
		const int64_t w = late_sender(p, call, call->ends.data[i]);
		if (w > 0 && call->kind != TEST)
			add(p, call, call->ends.data[i], w, false);
	}
	for (size_t i = 0; i < call->ends.n; i++) {
		const int64_t w = late_receiver(p, call, call->ends.data[i]);
		if (w > 0 && (call->kind == SEND || call->kind == WAIT))
			add(p, call, call->ends.data[i], w, true);
	}
}

/* A later receive got a message that had been sent before: C5, C6. */
static void wrong_order(struct program *p, int rank)
{
	size_t kept[KEPT], n = 0;

	for (size_t c = 0; c < p->calls.n; c++) {
		const struct call *call = &p->calls.data[c];
		size_t own = SIZE_MAX;
		if (call->rank != rank)
			continue;
		for (size_t i = 0; i < p->found.n; i++)
			if (!p->found.data[i].late_receiver &&
			    p->ends.data[p->found.data[i].end].completed == (int)c)
				own = i;
		for (int pass = 0; pass < 2; pass++) {
			/* Compared before the own one is kept in a multi-wait, behind that in
			 * others. */
			if ((pass == 0) == (call->kind != WAITALL)) {
				if (own == SIZE_MAX)
					continue;
				if (n == KEPT)
					memmove(kept, kept + 1, --n * sizeof *kept);
				kept[n++] = own;
				continue;
			}
			for (size_t i = 0; i < call->ends.n; i++) {
				const struct end *r = &p->ends.data[call->ends.data[i]];
				size_t left = 0;
				if (r->sends || r->other == NOBODY)
					continue;
				for (size_t k = 0; k < n; k++) {
					struct found *f = &p->found.data[kept[k]];
					const struct end *late = &p->ends.data[f->end];
					if (p->ends.data[late->other].time >
					    p->ends.data[r->other].time) {
						f->wrong = true;
						f->same = late->peer == r->peer;
					} else {
						kept[left++] = kept[k];
					}
				}
				n = left;
			}
		}
	}
}

static int by_begin(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank - y->rank;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* ---- comparing ---- */

static void compare(const struct program *p, const struct analysis *a)
{
	size_t at = 0;

	for (int r = 0; r < RANKS; r++) {
		size_t n;
		const struct wait *w = analysis_waits(a, p->location[r], &n);
		for (size_t i = 0; i < n; i++) {
			const struct found *f = &p->found.data[at];
			if (cube_metric_within(w[i].metric, CUBE_MPI_LATE))
				continue;
			assert_true(at++ < p->found.n);
			assert_int_equal(f->rank, r);
			assert_int_equal(w[i].begin, f->begin);
			assert_int_equal(w[i].length, f->length);
			assert_int_equal(w[i].metric, f->late_receiver ? CUBE_MPI_LATERECEIVER
								       : CUBE_MPI_LATESENDER);
			assert_int_equal(w[i].flags,
					 (f->empty ? WAIT_EMPTY : 0) |
						 (f->wrong ? WAIT_WRONG_ORDER : 0) |
						 (f->wrong && f->same ? WAIT_SAME_SOURCE : 0));
		}
	}
	assert_int_equal(at, p->found.n);
}

TEST(waits_are_those_of_the_specification)
{
	uint64_t senders = 0, receivers = 0, same = 0, different = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		const struct analysis_options options = { .jobs = 1 };
		struct err err = ERR_INIT;
		struct program p;
		struct trace *t;
		struct analysis *a;
		make(&p, seed);
		t = builder_finish(p.b, NULL, NULL, &err);
		assert_non_null(t);
		a = analysis_new(patterns, t, BASE_MEASURED, &options, NULL, &err);
		assert_non_null(a);
		match(&p);
		for (size_t c = 0; c < p.calls.n; c++)
			late_of_call(&p, &p.calls.data[c]);
		for (int r = 0; r < RANKS; r++)
			wrong_order(&p, r);
		vec_sort(&p.found, by_begin);
		compare(&p, a);
		for (size_t i = 0; i < p.found.n; i++) {
			receivers += p.found.data[i].late_receiver;
			senders += !p.found.data[i].late_receiver;
			same += p.found.data[i].wrong && p.found.data[i].same;
			different += p.found.data[i].wrong && !p.found.data[i].same;
		}
		analysis_free(a);
		trace_free(t);
		drop(&p);
	}
	assert_true(senders > 1000 && receivers > 200 && same > 100 && different > 100);
}
