/* Roll-calls of traces made by hand, in which who waits for whom is known; and of random ones, whose cycles
 * are found anew by the closure of the relation "waits for". */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness/test.h"
#include "model/build/builder.h"
#include "model/trace/message.h"
#include "patterns/analysis/rollcall.h"
#include "views/facts/rollcall_text.h"

static const struct timescale microseconds = { 1000000, 6 };

struct run {
	struct builder *b;
	uint32_t main, compute, ssend, wait, waitany, irecv, barrier, barrier_region, init,
		finalize;
	uint32_t locations[64];
};

static uint32_t site(struct builder *b, const char *name, enum region_class cls, uint32_t line)
{
	return builder_site(b, builder_region(b, name, cls, 0),
			    builder_string(b, "x.c", strlen("x.c")), line, 0);
}

/* Ranks that have all come out of MPI_Init, inside main. */
static struct run begin(int ranks)
{
	struct run r = { .b = builder_new("hung.trc", &microseconds, NULL) };

	r.main = site(r.b, "main", CLASS_USER, 1);
	r.compute = site(r.b, "compute", CLASS_USER, 20);
	r.ssend = site(r.b, "MPI_Ssend", CLASS_P2P, 30);
	r.irecv = site(r.b, "MPI_Irecv", CLASS_P2P, 39);
	r.wait = site(r.b, "MPI_Wait", CLASS_P2P, 40);
	r.waitany = site(r.b, "MPI_Waitany", CLASS_P2P, 41);
	r.barrier_region = builder_region(r.b, "MPI_Barrier", CLASS_SYNC, 0);
	r.barrier = builder_site(r.b, r.barrier_region, builder_string(r.b, "x.c", 3), 10, 0);
	r.init = site(r.b, "MPI_Init", CLASS_MPI_OTHER, 2);
	r.finalize = site(r.b, "MPI_Finalize", CLASS_MPI_OTHER, 99);
	for (int i = 0; i < ranks; i++) {
		const uint32_t l =
			builder_location(r.b, &(struct location){ .rank = i, .process = -1 });
		r.locations[i] = l;
		builder_enter(r.b, l, 0, r.main);
		builder_enter(r.b, l, 1, r.init);
		builder_leave(r.b, l, 5, r.init);
	}
	return r;
}

static struct trace *end(struct run *r)
{
	const struct builder_options options = { .jobs = 1 };
	struct trace *trace = builder_finish(r->b, &options, NULL, NULL);

	assert_non_null(trace);
	return trace;
}

static void send_open(struct run *r, int from, int to, int64_t time)
{
	const struct message_end message = { .rank = to, .process = -1, .tag = 7, .bytes = 4 };

	builder_enter(r->b, r->locations[from], time, r->ssend);
	builder_send(r->b, r->locations[from], time, &message);
}

static void post(struct run *r, int who, int from, int64_t time, int64_t request)
{
	const struct message_end message = {
		.rank = from, .process = -1, .tag = 9, .has_request = true, .request = request
	};

	builder_enter(r->b, r->locations[who], time, r->irecv);
	builder_recv_request(r->b, r->locations[who], time, &message);
	builder_leave(r->b, r->locations[who], time + 1, r->irecv);
}

static void enter_barrier(struct run *r, int who, int64_t time)
{
	builder_enter(r->b, r->locations[who], time, r->barrier);
	builder_collective_begin(r->b, r->locations[who], time, 0, r->barrier_region, -1, 0, 0);
}

static void collect(void *context, bool warning, const char *text)
{
	(void)warning;
	str_add_fmt(context, "%s\n", text);
}

static char *sentences(const struct rollcall *roll, const struct trace *trace)
{
	struct str s = STR_INIT;

	rollcall_sentences(roll, trace, collect, &s);
	return str_take(&s);
}

/* ---- by hand ---- */

TEST(ring)
{
	struct run r = begin(4);
	struct rollcall roll;
	struct trace *trace;
	char *text;

	for (int i = 0; i < 4; i++)
		send_open(&r, i, (i + 1) % 4, 100 + i);
	trace = end(&r);
	assert_true(rollcall_make(&roll, trace, BASE_MEASURED, NULL));
	assert_int_equal(roll.n_groups, 1);
	assert_int_equal(roll.groups[0].state, ROLL_SEND);
	assert_int_equal(roll.n_cycle, 4);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(roll.cycle[(i + 1) % 4], (roll.cycle[i] + 1) % 4);
	assert_int_equal(roll.n_blamed, 0);
	assert_int_equal(roll.odd, UINT32_MAX);
	assert_int_equal(roll.rolls[2].peer, 3);
	assert_int_equal(roll.rolls[2].tag, 7);
	assert_int_equal(roll.rolls[2].since, 102);
	text = sentences(&roll, trace);
	assert_string_equal(text,
			    "Ranks 0-3 (4) are in MPI_Ssend (x.c:30), the first since 100 us.\n"
			    "Rank 0 waits for 1, 1 for 2, 2 for 3, 3 for 0: a deadlock of 4.\n");
	free(text);
	rollcall_fini(&roll);
	trace_free(trace);
}

/* 19 ranks in a barrier, rank 7 computes. */
TEST(odd_one)
{
	struct run r = begin(20);
	struct rollcall roll;
	struct trace *trace;
	char *text;

	for (int i = 0; i < 20; i++)
		if (i != 7)
			enter_barrier(&r, i, 200 + i);
	builder_enter(r.b, r.locations[7], 50, r.compute);
	trace = end(&r);
	assert_true(rollcall_make(&roll, trace, BASE_MEASURED, NULL));
	assert_int_equal(roll.n_groups, 2);
	assert_int_equal(roll.groups[0].n, 19);
	assert_int_equal(roll.odd, 1);
	assert_int_equal(roll.n_cycle, 0);
	assert_int_equal(roll.n_blamed, 1);
	assert_int_equal(roll.blamed[0], 7);
	assert_int_equal(roll.waiters[0], 19);
	assert_int_equal(roll.rolls[0].pending, 1);
	text = sentences(&roll, trace);
	assert_string_equal(
		text, "Ranks 0-6,8-19 (19) are in MPI_Barrier (x.c:10), the first since 200 us.\n"
		      "Rank 7 is in compute() (x.c:20), the last record at 50 us.\n"
		      "Rank 7 is what 19 others wait for: it is in compute() (x.c:20).\n");
	free(text);
	rollcall_fini(&roll);
	trace_free(trace);
}

/* Rank 0 waits for rank 1, which sends to rank 2, which is in MPI_Finalize: that waits for all. */
TEST(chain_to_finalize)
{
	struct run r = begin(3);
	struct rollcall roll;
	struct trace *trace;

	post(&r, 0, 1, 20, 5);
	builder_enter(r.b, r.locations[0], 30, r.wait);
	send_open(&r, 1, 2, 40);
	builder_enter(r.b, r.locations[2], 50, r.finalize);
	trace = end(&r);
	assert_true(rollcall_make(&roll, trace, BASE_MEASURED, NULL));
	assert_int_equal(roll.rolls[0].state, ROLL_WAIT);
	assert_int_equal(roll.rolls[0].peer, 1);
	assert_int_equal(roll.rolls[0].since, 30);
	assert_int_equal(roll.rolls[2].state, ROLL_COLLECTIVE);
	assert_int_equal(roll.rolls[2].pending, 2);
	assert_int_equal(roll.n_cycle, 3); /* MPI_Finalize waits for rank 0, too */
	assert_int_equal(roll.n_blamed, 0);
	rollcall_fini(&roll);
	trace_free(trace);
}

/* Either of two requests would do: nobody in particular is waited for. */
TEST(any_of_several)
{
	struct run r = begin(2);
	struct rollcall roll;
	struct trace *trace;

	for (int i = 0; i < 2; i++) {
		post(&r, i, 1 - i, 20, 5);
		post(&r, i, 1 - i, 22, 6);
		builder_enter(r.b, r.locations[i], 30, r.waitany);
	}
	trace = end(&r);
	assert_true(rollcall_make(&roll, trace, BASE_MEASURED, NULL));
	assert_int_equal(roll.rolls[0].pending, 2);
	assert_int_equal(roll.n_cycle, 0);
	rollcall_fini(&roll);
	trace_free(trace);
}

TEST(nothing_open)
{
	struct run r = begin(2);
	struct rollcall roll;
	struct trace *trace;

	for (int i = 0; i < 2; i++) {
		builder_enter(r.b, r.locations[i], 50, r.finalize);
		builder_leave(r.b, r.locations[i], 60, r.finalize);
		builder_leave(r.b, r.locations[i], 70, r.main);
	}
	trace = end(&r);
	assert_false(rollcall_make(&roll, trace, BASE_MEASURED, NULL));
	rollcall_fini(&roll);
	trace_free(trace);
}

/* ---- random ---- */

enum { RANKS = 12 };

static uint32_t draw(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % below;
}

/* Each rank computes, or sends to another, or waits for requests of several others. */
static struct trace *random_waits(uint64_t seed, bool waits[RANKS][RANKS])
{
	struct run r = begin(RANKS);

	memset(waits, 0, sizeof(bool) * RANKS * RANKS);
	for (int i = 0; i < RANKS; i++) {
		const uint32_t what = draw(&seed, 5);
		if (what < 2) {
			builder_enter(r.b, r.locations[i], 100, r.compute);
		} else if (what < 4) {
			const int to = (int)((uint32_t)(i + 1) + draw(&seed, RANKS - 1)) % RANKS;
			send_open(&r, i, to, 100);
			waits[i][to] = true;
		} else {
			for (int k = 0; k < 2; k++) {
				const int from = (int)draw(&seed, RANKS);
				post(&r, i, from, 50 + 2 * k, k);
				waits[i][from] = true;
			}
			builder_enter(r.b, r.locations[i], 100, r.wait);
		}
	}
	return end(&r);
}

TEST(cycles_are_cycles)
{
	bool waits[RANKS][RANKS], reach[RANKS][RANKS];
	unsigned with = 0, without = 0;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct trace *trace = random_waits(seed, waits);
		struct rollcall roll;
		bool cycle = false;
		memcpy(reach, waits, sizeof reach);
		for (int k = 0; k < RANKS; k++)
			for (int i = 0; i < RANKS; i++)
				for (int j = 0; j < RANKS; j++)
					reach[i][j] |= reach[i][k] && reach[k][j];
		for (int i = 0; i < RANKS; i++)
			cycle |= reach[i][i];
		assert_true(rollcall_make(&roll, trace, BASE_MEASURED, NULL));
		assert_int_equal(roll.n_cycle > 0, cycle);
		for (uint32_t i = 0; i < roll.n_cycle; i++)
			assert_true(waits[roll.cycle[i]][roll.cycle[(i + 1) % roll.n_cycle]]);
		for (uint32_t i = 0; i < roll.n_blamed; i++) {
			uint32_t waiters = 0;
			for (int k = 0; k < RANKS; k++) {
				assert_false(waits[roll.blamed[i]][k]);
				waiters += waits[k][roll.blamed[i]];
			}
			assert_true(waiters > 0);
		}
		with += cycle;
		without += !cycle;
		rollcall_fini(&roll);
		trace_free(trace);
	}
	assert_true(with > 20 && without > 20);
}
