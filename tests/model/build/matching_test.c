/* Messages and collectives of random traces against a quadratic matching over arrays. Every event
 * has a time of its own, so that times name events. */
#include <stdlib.h>
#include <string.h>

#include "harness/built.h"
#include "harness/random.h"
#include "harness/test.h"

enum { RANKS = 5, MOST = 4000, NOBODY = -1 };

struct naive_send {
	int64_t time;
	int32_t source, destination, tag;
	uint32_t comm;
	uint64_t bytes;
	bool cancelled, broadcast;
	int recv; /* matched, or NOBODY */
};

struct naive_recv {
	int64_t time; /* of the completion, of the request while pending */
	int64_t posted;
	int32_t source, destination, tag;
	uint32_t comm;
	bool cancelled, pending, blocking, asked_any;
	int64_t request;
	int send;
	bool guessed;
};

struct naive {
	struct naive_send sends[RANKS * MOST];
	struct naive_recv recvs[MOST];
	int n_sends, n_recvs;
	int64_t now;
	struct rng rng;
	struct builder *b;
	uint32_t comm; /* a second communicator of all ranks */
	bool wildcards;
};

/* ---- making ---- */

static struct message_end message_end(int32_t rank, int32_t tag, uint32_t comm)
{
	return (struct message_end){
		.rank = rank, .process = -1, .tag = tag, .comm = comm, .flags = MSG_NO_BYTES
	};
}

static void add_send(struct naive *v, uint32_t rank)
{
	const bool all = rng_below(&v->rng, 40) == 0;
	struct message_end end = message_end(all ? -1 : (int32_t)rng_below(&v->rng, RANKS),
					     (int32_t)rng_below(&v->rng, 3),
					     rng_below(&v->rng, 4) == 0 ? v->comm : 0);
	struct naive_send s = { .time = v->now,
				.source = (int32_t)rank,
				.tag = end.tag,
				.comm = end.comm,
				.bytes = rng_next(&v->rng) & 0xffffffffffff,
				.broadcast = all,
				.recv = NOBODY };

	end.flags = 0;
	end.bytes = s.bytes;
	if (!all && rng_below(&v->rng, 30) == 0) {
		s.cancelled = true;
		end.has_request = true;
		end.request = 1000000 + v->now;
	}
	builder_send(v->b, rank, v->now++, &end);
	if (s.cancelled)
		builder_request_cancelled(v->b, rank, v->now++, end.request);
	for (s.destination = 0; s.destination < RANKS; s.destination++)
		if (all ? s.destination != s.source : s.destination == end.rank)
			v->sends[v->n_sends++] = s;
}

static void add_recv(struct naive *v, uint32_t rank)
{
	struct naive_recv *r = &v->recvs[v->n_recvs++];
	struct message_end end =
		message_end((int32_t)rng_below(&v->rng, RANKS), (int32_t)rng_below(&v->rng, 3),
			    rng_below(&v->rng, 4) == 0 ? v->comm : 0);

	*r = (struct naive_recv){ .time = v->now,
				  .posted = v->now,
				  .source = end.rank,
				  .destination = (int32_t)rank,
				  .tag = end.tag,
				  .comm = end.comm,
				  .blocking = rng_below(&v->rng, 2) == 0,
				  .send = NOBODY };
	if (v->wildcards && rng_below(&v->rng, 6) == 0)
		r->source = RANK_UNKNOWN;
	end.rank = r->source;
	if (r->blocking) {
		builder_recv(v->b, rank, v->now++, &end);
		return;
	}
	r->pending = true;
	end.has_request = true;
	r->request = end.request = rng_below(&v->rng, 4); /* reused: first in, first out */
	/* What was asked for may be a wildcard, the completion knows. */
	if (rng_below(&v->rng, 3) == 0) {
		end.rank = RANK_UNKNOWN;
		end.flags |= MSG_NO_TAG;
		r->asked_any = true;
	}
	builder_recv_request(v->b, rank, v->now++, &end);
}

/* The oldest outstanding receive of a request id of a rank. */
static struct naive_recv *outstanding(struct naive *v, uint32_t rank, int64_t request)
{
	for (int i = 0; i < v->n_recvs; i++) {
		struct naive_recv *r = &v->recvs[i];
		if (r->pending && !r->cancelled && !r->blocking &&
		    r->destination == (int32_t)rank && r->request == request)
			return r;
	}
	return NULL;
}

static void complete_recv(struct naive *v, uint32_t rank)
{
	struct naive_recv *r = outstanding(v, rank, rng_below(&v->rng, 4));
	struct message_end end;

	if (!r)
		return;
	if (rng_below(&v->rng, 20) == 0) {
		r->cancelled = true;
		builder_request_cancelled(v->b, rank, v->now++, r->request);
		return;
	}
	if (rng_below(&v->rng, 3) == 0)
		builder_request_test(v->b, rank, v->now++, r->request);
	end = message_end(r->source, r->tag, r->comm);
	end.has_request = true;
	end.request = r->request;
	r->pending = false;
	r->time = v->now;
	builder_recv(v->b, rank, v->now++, &end);
}

/* ---- the naive matching ---- */

static void naive_match(struct naive *v)
{
	for (int pass = 0; pass < 2; pass++)
		for (int k = 0; k < v->n_recvs; k++) {
			struct naive_recv *r = &v->recvs[k];
			const bool known = r->source != RANK_UNKNOWN;
			if (r->send != NOBODY || r->cancelled || known != (pass == 0) ||
			    (r->pending && (!known || r->asked_any)))
				continue;
			for (int i = 0; i < v->n_sends && r->send == NOBODY; i++) {
				struct naive_send *s = &v->sends[i];
				if (s->recv != NOBODY || s->cancelled ||
				    (known && s->source != r->source) ||
				    s->destination != r->destination || s->tag != r->tag ||
				    s->comm != r->comm)
					continue;
				s->recv = k;
				r->send = i;
				r->guessed = !known;
			}
		}
}

/* ---- comparing ---- */

static const struct message *row_at(const struct trace *t, uint32_t location, int64_t time)
{
	struct cursor c;

	assert_true(cursor_seek(&c, t, BASE_MEASURED, location, time));
	assert_int_equal(cursor_time(&c), time);
	assert_int_not_equal(what_id(cursor_what(&c)), ID_NONE);
	return trace_message(t, what_id(cursor_what(&c)));
}

static void same_recvs(const struct naive *v, const struct trace *t)
{
	for (int i = 0; i < v->n_recvs; i++) {
		const struct naive_recv *r = &v->recvs[i];
		const struct message *m = row_at(t, (uint32_t)r->destination, r->time);
		assert_int_equal(trace_event_time(t, BASE_MEASURED, m->recv), r->time);
		assert_ptr_equal(m, row_at(t, (uint32_t)r->destination, r->posted));
		assert_int_equal(!!(m->flags & MSG_CANCELLED), r->cancelled);
		assert_int_equal(!!(m->flags & MSG_RECV_PENDING), r->pending);
		assert_int_equal(!!(m->flags & MSG_GUESSED), r->guessed);
		assert_int_equal(message_destination(t, m), r->destination);
		if (r->send == NOBODY) {
			assert_true(m->flags & MSG_NO_SEND);
			if (!r->pending)
				assert_int_equal(message_source(t, m), r->source);
			continue;
		}
		const struct naive_send *s = &v->sends[r->send];
		assert_false(m->flags & (MSG_NO_SEND | MSG_NO_RECV));
		assert_int_equal(trace_event_time(t, BASE_MEASURED, m->send), s->time);
		assert_int_equal(message_source(t, m), s->source);
		assert_int_equal(m->tag, s->tag);
		assert_int_equal(m->comm, s->comm);
		assert_int_equal(message_bytes(m), s->bytes);
		assert_int_equal(!!(m->flags & MSG_BROADCAST), s->broadcast);
	}
}

static void same_counts(const struct naive *v, const struct trace *t)
{
	uint32_t unmatched = 0, naive_unmatched = 0, lonely = 0;

	for (uint32_t i = 0; i < trace_message_count(t); i++)
		unmatched += (trace_message(t, i)->flags & MSG_NO_RECV) != 0;
	for (int i = 0; i < v->n_sends; i++)
		naive_unmatched += v->sends[i].recv == NOBODY;
	for (int i = 0; i < v->n_recvs; i++)
		lonely += v->recvs[i].send == NOBODY;
	assert_int_equal(unmatched, naive_unmatched);
	assert_int_equal(trace_message_count(t), (uint32_t)v->n_sends + lonely);
}

/* Windows: the rows whose ends are not both on one side, in the order of their earlier ends. */
static void same_windows(const struct trace *t, enum time_base base, struct rng *rng, int64_t end)
{
	for (int k = 0; k < 40; k++) {
		const int64_t a = rng_below(rng, (uint32_t)end), width = rng_below(rng, 200);
		struct span_query q;
		uint32_t row, hits = 0, expected = 0;
		int64_t first, last, before = INT64_MIN;
		for (uint32_t i = 0; i < trace_message_count(t); i++) {
			message_span(t, base, trace_message(t, i), &first, &last);
			assert_true(first <= last);
			expected += first < a + width && last >= a;
		}
		messages_in_window(&q, t, base, a, a + width);
		while (span_query_next(&q, &row)) {
			message_span(t, base, trace_message(t, row), &first, &last);
			assert_true(first < a + width && last >= a && first >= before);
			before = first;
			hits++;
		}
		assert_int_equal(hits, expected);
	}
}

static void compare_messages(uint64_t seed, int steps, bool wildcards)
{
	struct naive *v = test_calloc(1, sizeof *v);
	const int32_t world[] = { 0, 1, 2, 3, 4 };
	struct err err = ERR_INIT;
	OWNED_TRACE *t;

	v->rng.state = seed * 7919;
	v->wildcards = wildcards;
	v->b = built_begin(RANKS);
	v->comm = builder_comm(v->b, "second", world, RANKS, -7);
	for (int i = 0; i < RANKS; i++) /* a drift, so that the linear base reorders */
		for (int k = 0; k < 3; k++)
			builder_offset(v->b, &(struct offset){ .location = (uint32_t)i,
							       .time = 1000 * k,
							       .offset = (i * 37 + k * 11) % 90,
							       .rtt = 4 });
	for (int i = 0; i < steps; i++) {
		const uint32_t rank = rng_below(&v->rng, RANKS), dice = rng_below(&v->rng, 10);
		if (dice < 4)
			add_send(v, rank);
		else if (dice < 8)
			add_recv(v, rank);
		else
			complete_recv(v, rank);
	}
	t = built_end(v->b);
	naive_match(v);
	same_recvs(v, t);
	same_counts(v, t);
	same_windows(t, BASE_MEASURED, &v->rng, v->now + 1);
	assert_true(trace_has_base(t, BASE_LINEAR));
	assert_true(trace_base_make(t, BASE_LINEAR, NULL, &err));
	same_windows(t, BASE_LINEAR, &v->rng, v->now + 1);
	test_free(v);
}

TEST(known_ends)
{
	for (uint64_t seed = 1; seed <= 10; seed++)
		compare_messages(seed, 1500, false);
}

TEST(unknown_sources)
{
	for (uint64_t seed = 11; seed <= 20; seed++)
		compare_messages(seed, 1500, true);
}

/* ---- collectives ---- */

struct call {
	int64_t begin, end;
	uint32_t comm, region;
	uint32_t rank;
	uint32_t nth; /* of its rank on its communicator */
	uint64_t sent;
};

/* The calls of a communicator with the same turn and operation belong together. */
static void same_collectives(const struct trace *t, const struct call *calls, uint32_t n)
{
	uint32_t members = 0;

	for (uint32_t i = 0; i < trace_collective_count(t); i++) {
		const struct collective *c = trace_collective(t, i);
		uint32_t together = 0, others = 0, last = 0;
		const struct call *model = NULL;
		assert_int_equal(c->first, members);
		members += c->members;
		for (uint32_t k = 0; k < c->members; k++) {
			const struct member *m = trace_member(t, c->first + k);
			const int64_t begin = trace_event_time(t, BASE_MEASURED, m->begin);
			const struct call *call = calls;
			while (call->begin != begin)
				call++;
			assert_int_equal(trace_event_time(t, BASE_MEASURED, m->end), call->end);
			assert_int_equal(m->sent, call->sent);
			assert_int_equal(c->comm, call->comm);
			assert_int_equal(c->region, call->region);
			assert_true(k == 0 || call->rank > last);
			assert_true(!model || model->nth == call->nth);
			assert_int_equal(what_id(trace_event_what(t, m->begin)), c->first + k);
			assert_int_equal(what_id(trace_event_what(t, m->end)), c->first + k);
			assert_int_equal(trace_member_collective(t, c->first + k), i);
			last = call->rank;
			model = call;
		}
		for (uint32_t k = 0; model && k < n; k++) {
			if (calls[k].comm != model->comm || calls[k].nth != model->nth)
				continue;
			together += calls[k].region == model->region;
			others += calls[k].region != model->region;
		}
		assert_int_equal(together, c->members);
		assert_int_equal(!!(c->flags & COLL_GUESSED), others > 0);
		assert_int_equal(!!(c->flags & COLL_INCOMPLETE),
				 c->members < trace_comm(t, c->comm)->size);
	}
	assert_int_equal(members, n);
}

TEST(random_collectives)
{
	static const int32_t odd[] = { 1, 3 };
	struct rng rng = { 4711 };
	struct builder *b = built_begin(RANKS);
	struct call *calls = test_calloc(MOST, sizeof *calls);
	uint32_t n = 0, comm, region[3], turns[2][RANKS] = { { 0 } };
	int64_t now = 0;
	OWNED_TRACE *t;

	region[0] = builder_region(b, "MPI_Bcast", CLASS_COLLECTIVE, -785);
	region[1] = builder_region(b, "MPI_Reduce", CLASS_COLLECTIVE, -790);
	comm = builder_comm(b, "odd", odd, 2, -2);
	for (uint32_t i = 0; i < 1000; i++) {
		const uint32_t rank = rng_below(&rng, RANKS);
		const bool second = rank % 2 == 1 && rng_below(&rng, 2) == 0;
		struct call *c = &calls[n++];
		c->begin = now++;
		c->end = now++;
		c->comm = second ? comm : 0;
		c->rank = rank;
		c->nth = turns[second][rank]++;
		c->region = region[c->nth % 7 == 3 && rng_below(&rng, 3) == 0];
		c->sent = rng_below(&rng, 1000);
		builder_collective_begin(b, rank, c->begin, c->comm, c->region, 0, c->sent,
					 UINT64_MAX);
		builder_collective_end(b, rank, c->end, UINT64_MAX, 5);
	}
	t = built_end(b);
	same_collectives(t, calls, n);
	test_free(calls);
}
