/* Logical messages of every class, counted by hand from section 2 of the specification. */
#include <string.h>

#include "correct/clocks/logical.h"
#include "harness/made_run.h"
#include "harness/random_trace.h"
#include "harness/test.h"

enum { RANKS = 4 };

struct fixture {
	struct made_run run;
	struct logical *logical;
	struct group group;
	int64_t now;
};

static int setup(void **state)
{
	struct fixture *f = test_calloc(1, sizeof *f);

	made_run_begin(&f->run, CLASS_COLLECTIVE);
	made_run_ranks(&f->run, RANKS);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	group_fini(&f->group);
	logical_free(f->logical);
	made_run_fini(&f->run);
	test_free(f);
	return 0;
}

FIXTURE(setup, teardown)

static void finish(struct fixture *f)
{
	struct err err = ERR_INIT;

	made_run_finish(&f->run);
	f->logical = logical_new(f->run.t, NULL, &err);
	assert_non_null(f->logical);
}

/* One member of a collective; they begin and end one behind the other, in the order of the calls. */
static void part(struct fixture *f, int rank, uint32_t comm, uint32_t region, int32_t root,
		 uint64_t sent, uint64_t received)
{
	builder_collective_begin(f->run.b, f->run.location[rank], ++f->now, comm, region, root,
				 sent, received);
	builder_collective_end(f->run.b, f->run.location[rank], ++f->now, sent, received);
}

static uint32_t operation(struct fixture *f, const char *name)
{
	return builder_region(f->run.b, name, CLASS_COLLECTIVE, 100);
}

/* The pairs of a group as "0>1 0>2 ", parties by their rank. */
static void pairs_text(struct fixture *f, uint32_t id, struct str *out)
{
	if (!logical_group(f->logical, id, &f->group))
		return;
	for (uint32_t from = 0; from < f->group.n; from++)
		for (uint32_t to = 0; to < f->group.n; to++)
			if (group_sends_to(&f->group, from, to))
				str_add_fmt(out, "%d>%d ",
					    trace_location(f->run.t,
							   f->group.parties[from].location)
						    ->rank,
					    trace_location(f->run.t, f->group.parties[to].location)
						    ->rank);
}

/* What every event says of itself is what the groups say of it. */
static void assert_parts(struct fixture *f)
{
	uint64_t parts = 0, expected = 0;

	for (uint32_t id = 0; id < logical_group_count(f->logical); id++) {
		if (!logical_group(f->logical, id, &f->group))
			continue;
		for (uint32_t i = 0; i < f->group.n; i++) {
			const struct party *p = &f->group.parties[i];
			uint32_t row = UINT32_MAX, party = UINT32_MAX;
			if (p->sends) {
				assert_int_equal(logical_part_of(f->logical, p->begin,
								 trace_event_what(f->run.t,
										  p->begin),
								 &row, &party),
						 PART_BEGIN);
				assert_int_equal(row, id);
				assert_int_equal(party, i);
				expected++;
			}
			if (p->receives) {
				assert_int_equal(logical_part_of(f->logical, p->end,
								 trace_event_what(f->run.t, p->end),
								 &row, &party),
						 PART_END);
				assert_int_equal(row, id);
				assert_int_equal(party, i);
				expected++;
			}
		}
	}
	for (uint32_t l = 0; l < trace_location_count(f->run.t); l++) {
		struct cursor c;
		for (bool ok = cursor_first(&c, f->run.t, BASE_MEASURED, l); ok;
		     ok = cursor_next(&c)) {
			uint32_t row, party;
			const enum logical_part p =
				logical_part_of(f->logical, c.id, cursor_what(&c), &row, &party);
			parts += p == PART_BEGIN || p == PART_END;
		}
	}
	assert_int_equal(parts, expected);
}

static void assert_pairs(struct fixture *f, uint32_t id, const char *expected)
{
	struct str text = STR_INIT;

	pairs_text(f, id, &text);
	assert_string_equal(text.text, expected);
	str_fini(&text);
	assert_parts(f);
}

/* A collective of three ranks (or all), with bytes that all members have. */
struct one {
	const char *name;
	int32_t root;
	uint64_t sent[RANKS], received[RANKS];
	const char *pairs;
	enum logical_class cls;
};

#define EACH(x)            \
	{                  \
		x, x, x, x \
	}
#define ALL_PAIRS "0>1 0>2 0>3 1>0 1>2 1>3 2>0 2>1 2>3 3>0 3>1 3>2 "

static const struct one ones[] = {
	{ "MPI_Barrier", -1, EACH(0), EACH(0), ALL_PAIRS, LOGICAL_BARRIER },
	{ "MPI_Bcast", 2, { 0, 0, 8, 0 }, { 8, 8, 8, 8 }, "2>0 2>1 2>3 ", LOGICAL_ONE_TO_N },
	{ "mpi_bcast_", 2, { 0, 0, 8, 0 }, { 8, 0, 8, 8 }, "2>0 2>3 ", LOGICAL_ONE_TO_N },
	{ "MPI_Scatter", 0, { 8, 0, 0, 0 }, { 8, 8, 8, 8 }, "0>1 0>2 0>3 ", LOGICAL_ONE_TO_N },
	{ "MPI_Scatterv", 0, { 8, 0, 0, 0 }, { 8, 0, 0, 8 }, "0>3 ", LOGICAL_ONE_TO_N },
	{ "MPI_Bcast", 1, EACH(0), EACH(8), "", LOGICAL_CLASSES },
	{ "MPI_Bcast", 1, EACH(UINT64_MAX), EACH(UINT64_MAX), "1>0 1>2 1>3 ", LOGICAL_ONE_TO_N },
	{ "MPI_Reduce", 3, EACH(8), { 0, 0, 0, 8 }, "0>3 1>3 2>3 ", LOGICAL_N_TO_ONE },
	{ "MPI_Gather", 0, EACH(8), { 32, 0, 0, 0 }, "1>0 2>0 3>0 ", LOGICAL_N_TO_ONE },
	{ "MPI_Gatherv", 0, { 8, 8, 0, 8 }, { 32, 0, 0, 0 }, "1>0 3>0 ", LOGICAL_N_TO_ONE },
	{ "MPI_GATHERV", 0, EACH(8), EACH(0), "", LOGICAL_CLASSES },
	{ "MPI_Allgather", -1, EACH(8), EACH(8), ALL_PAIRS, LOGICAL_N_TO_N },
	{ "MPI_Allgatherv", -1, { 8, 0, 0, 0 }, EACH(8), "0>1 0>2 0>3 ", LOGICAL_N_TO_N },
	{ "MPI_Allreduce", -1, EACH(UINT64_MAX), EACH(UINT64_MAX), ALL_PAIRS, LOGICAL_N_TO_N },
	{ "mpi_alltoall__",
	  -1,
	  EACH(8),
	  { 8, 8, 0, 8 },
	  "0>1 0>3 1>0 1>3 2>0 2>1 2>3 3>0 3>1 ",
	  LOGICAL_N_TO_N },
	{ "MPI_Reduce_scatter", -1, EACH(8), { 8, 0, 0, 0 }, "1>0 2>0 3>0 ", LOGICAL_N_TO_N },
	{ "MPI_Reduce_scatter_block", -1, EACH(8), EACH(8), ALL_PAIRS, LOGICAL_N_TO_N },
	{ "MPI_Scan", -1, EACH(8), EACH(8), "0>1 0>2 0>3 1>2 1>3 2>3 ", LOGICAL_PREFIX },
	{ "MPI_Exscan", -1, EACH(8), EACH(8), "0>1 0>2 0>3 1>2 1>3 2>3 ", LOGICAL_PREFIX },
	{ "MPI_Scan", -1, { 8, 0, 8, 8 }, { 8, 8, 0, 8 }, "0>1 0>3 2>3 ", LOGICAL_PREFIX },
	{ "MPI_Scan", -1, { 0, 0, 0, 8 }, EACH(8), "", LOGICAL_CLASSES },
	{ "MPI_Alltoallv", -1, EACH(8), EACH(8), "", LOGICAL_CLASSES },
	{ "MPI_Alltoallw", -1, EACH(8), EACH(8), "", LOGICAL_CLASSES },
	{ "MPI_Comm_split", -1, EACH(8), EACH(8), "", LOGICAL_CLASSES },
	/* Only the one that sends receives: nobody waits for itself. */
	{ "MPI_Allgather", -1, { 8, 0, 0, 0 }, { 8, 0, 0, 0 }, "", LOGICAL_CLASSES },
};

TEST_WITH(test_classes, struct fixture *f)
{
	const size_t n = sizeof ones / sizeof *ones;
	const struct logical_counts *counts;

	for (size_t i = 0; i < n; i++)
		for (int r = 0; r < RANKS; r++)
			part(f, r, 0, operation(f, ones[i].name), ones[i].root, ones[i].sent[r],
			     ones[i].received[r]);
	finish(f);
	assert_int_equal(logical_group_count(f->logical), n);
	for (uint32_t i = 0; i < n; i++) {
		assert_pairs(f, i, ones[i].pairs);
		if (ones[i].pairs[0]) {
			assert_true(logical_group(f->logical, i, &f->group));
			assert_int_equal(f->group.cls, ones[i].cls);
			assert_int_equal(f->group.root == UINT32_MAX ? -1 : (int)f->group.root,
					 ones[i].root);
			assert_int_equal(f->group.collective, i);
		} else {
			assert_false(logical_group(f->logical, i, &f->group));
		}
	}
	counts = logical_counts(f->logical);
	assert_int_equal(counts->vector, 2);
	assert_int_equal(counts->other, 1);
	assert_int_equal(counts->single, 4);
	assert_int_equal(counts->incomplete, 0);
}

/* Ranks of the communicator run the other way round: prefix operations go by them. */
TEST_WITH(test_prefix_order, struct fixture *f)
{
	const int32_t ranks[] = { 3, 0, 2 };
	const uint32_t comm = builder_comm(f->run.b, "turned", ranks, 3, 0);

	part(f, 0, comm, operation(f, "MPI_Scan"), -1, 8, 8);
	part(f, 2, comm, operation(f, "MPI_Scan"), -1, 8, 8);
	part(f, 3, comm, operation(f, "MPI_Scan"), -1, 8, 8);
	finish(f);
	assert_pairs(f, 0, "3>0 3>2 0>2 ");
}

TEST_WITH(test_local, struct fixture *f)
{
	const int32_t one[] = { 1 }, two[] = { 0, 1 };
	const uint32_t alone = builder_comm(f->run.b, "alone", one, 1, 0);
	const uint32_t pair = builder_comm(f->run.b, "pair", two, 2, 0);

	part(f, 1, alone, operation(f, "MPI_Barrier"), -1, 0, 0);
	part(f, 0, pair, operation(f, "MPI_Barrier"), -1, 0, 0); /* rank 1 never comes */
	for (int r = 0; r < RANKS; r++) {
		builder_collective_request(f->run.b, f->run.location[r], 100, 7);
		builder_collective_complete(f->run.b, f->run.location[r], 110, 7, 0,
					    operation(f, "MPI_Allreduce"), -1, 8, 8);
	}
	/* A broadcast without a root that anybody knows. */
	for (int r = 0; r < 2; r++)
		builder_collective_begin(f->run.b, f->run.location[r + 2], 200, 0,
					 operation(f, "MPI_Bcast"), RANK_UNKNOWN, 8, 8);
	finish(f);
	for (uint32_t i = 0; i < logical_group_count(f->logical); i++)
		assert_false(logical_group(f->logical, i, &f->group));
	assert_int_equal(logical_counts(f->logical)->single, 1);
	assert_int_equal(logical_counts(f->logical)->incomplete, 2);
	assert_int_equal(logical_counts(f->logical)->nonblocking, 1);
	assert_parts(f);
}

static struct message_end to(int32_t rank, int32_t tag)
{
	return (struct message_end){ .rank = rank, .process = -1, .tag = tag, .bytes = 8 };
}

static enum logical_part part_of(const struct fixture *f, uint32_t event, uint32_t *row)
{
	uint32_t party;

	return logical_part_of(f->logical, event, trace_event_what(f->run.t, event), row, &party);
}

TEST_WITH(test_messages, struct fixture *f)
{
	struct message_end end = to(1, 5);
	uint32_t row, sends = 0, receives = 0;

	builder_send(f->run.b, f->run.location[0], 10, &end); /* arrives */
	end = to(0, 5);
	builder_recv(f->run.b, f->run.location[1], 20, &end);
	end = to(2, 6);
	builder_send(f->run.b, f->run.location[0], 30, &end); /* nobody takes it */
	end = to(0, 7);
	builder_send(f->run.b, f->run.location[0], 40, &end); /* to itself */
	builder_recv(f->run.b, f->run.location[0], 50, &end);
	end = to(3, 8);
	builder_recv(f->run.b, f->run.location[2], 60, &end); /* from nobody */
	finish(f);
	assert_int_equal(logical_counts(f->logical)->messages, 1);
	assert_int_equal(logical_counts(f->logical)->unmatched, 2);
	assert_int_equal(logical_counts(f->logical)->self, 1);
	for (uint32_t l = 0; l < RANKS; l++) {
		struct cursor c;
		for (bool ok = cursor_first(&c, f->run.t, BASE_MEASURED, l); ok;
		     ok = cursor_next(&c)) {
			const enum logical_part p = part_of(f, c.id, &row);
			sends += p == PART_SEND;
			receives += p == PART_RECV;
			if (p == PART_SEND || p == PART_RECV) {
				assert_true(logical_message(f->logical, row));
				assert_int_equal(cursor_time(&c), p == PART_SEND ? 10 : 20);
				assert_int_equal(logical_next_of_send(f->logical, row), UINT32_MAX);
			}
		}
	}
	assert_int_equal(sends, 1);
	assert_int_equal(receives, 1);
}

/* PICL's send to all is one event and as many messages as there are receivers. */
TEST_WITH(test_send_to_all, struct fixture *f)
{
	struct message_end end = to(-1, 5);
	struct cursor c;
	uint32_t row, n = 0;

	builder_send(f->run.b, f->run.location[1], 10, &end);
	end = to(1, 5);
	builder_recv(f->run.b, f->run.location[2], 20, &end); /* 0 receives nothing */
	builder_recv(f->run.b, f->run.location[3], 20, &end);
	finish(f);
	assert_true(cursor_first(&c, f->run.t, BASE_MEASURED, 1));
	assert_int_equal(part_of(f, c.id, &row), PART_SEND);
	for (; row != UINT32_MAX; row = logical_next_of_send(f->logical, row)) {
		assert_true(logical_message(f->logical, row));
		assert_int_equal(trace_message(f->run.t, row)->send, c.id);
		n++;
	}
	assert_int_equal(n, 2);
}

/* ---- Init and Finalize ---- */

static void call(struct fixture *f, int rank, const char *name, int64_t from, int64_t until)
{
	const uint32_t region = builder_region(f->run.b, name, CLASS_MPI_OTHER, 11);
	const uint32_t site = builder_site(f->run.b, region, 0, 0, 11);

	builder_enter(f->run.b, f->run.location[rank], from, site);
	if (until)
		builder_leave(f->run.b, f->run.location[rank], until, site);
}

static void begin_main(struct fixture *f, int rank)
{
	const uint32_t region = builder_region(f->run.b, "main", CLASS_USER, 1);

	builder_enter(f->run.b, f->run.location[rank], 1, builder_site(f->run.b, region, 0, 0, 1));
}

TEST_WITH(test_world, struct fixture *f)
{
	for (int r = 0; r < RANKS; r++) {
		begin_main(f, r);
		call(f, r, r ? "MPI_Init" : "mpi_init_thread_", 10 + r, 20);
		call(f, r, "MPI_Initialized", 30, 31);
		call(f, r, "MPI_Finalized", 32, 33);
		call(f, r, "MPI_Finalize", 40 + r, r == 2 ? 0 : 50); /* 2 never leaves it */
	}
	finish(f);
	assert_int_equal(logical_group_count(f->logical), 2);
	assert_pairs(f, 0, ALL_PAIRS);
	assert_pairs(f, 1, "0>1 0>3 1>0 1>3 3>0 3>1 ");
	assert_int_equal(f->group.cls, LOGICAL_WORLD);
	assert_int_equal(trace_event_time(f->run.t, BASE_MEASURED, f->group.parties[1].begin), 41);
	assert_int_equal(trace_event_time(f->run.t, BASE_MEASURED, f->group.parties[1].end), 50);
}

/* Recording began inside MPI_Init of one rank: what its enter says is not when it entered (A22). */
TEST_WITH(test_inside_init, struct fixture *f)
{
	for (int r = 0; r < RANKS; r++) {
		if (r != 1)
			begin_main(f, r);
		call(f, r, "MPI_Init", 10, 20);
		call(f, r, "MPI_Finalize", 40, 50);
	}
	finish(f);
	assert_int_equal(logical_group_count(f->logical), 1);
	assert_int_equal(logical_counts(f->logical)->inside_init, 1);
	assert_pairs(f, 0, ALL_PAIRS);
	assert_int_equal(trace_event_time(f->run.t, BASE_MEASURED, f->group.parties[0].begin), 40);
}

/* ---- OpenMP ---- */

enum { THREADS = 3 };

static void thread_event(struct fixture *f, uint32_t location, int64_t time, enum detail_type type,
			 uint64_t value)
{
	const uint64_t values[] = { value, THREADS };

	builder_detail(f->run.b, location, time, type, values, type == DETAIL_THREAD_FORK ? 2 : 1);
}

static void omp_barrier(struct fixture *f, uint32_t location, int64_t from, int64_t until)
{
	const uint32_t region =
		builder_region_define(f->run.b,
				      &(struct region){
					      .name = builder_string(f->run.b,
								     "!$omp barrier @a.c:1", 20),
					      .cls = CLASS_SYNC });
	const uint32_t site = builder_site(f->run.b, region, 0, 0, 0);

	builder_enter(f->run.b, location, from, site);
	builder_leave(f->run.b, location, until, site);
}

/* A process with three threads that opens its team twice; the third thread is there the second time
 * alone, and barriers count in the team alone. */
TEST_WITH(test_openmp, struct fixture *f)
{
	const int32_t members[] = { 0, RANKS, RANKS + 1 }; /* locations */
	const struct comm team = {
		.size = THREADS, .ranks = members, .parent = UINT32_MAX, .kind = COMM_THREADS
	};
	const uint32_t comm = builder_comm_define(f->run.b, &team);
	uint32_t l[THREADS] = { f->run.location[0] };

	for (int32_t i = 1; i < THREADS; i++)
		l[i] = builder_location(f->run.b, &(struct location){
							  .rank = 0, .process = -1, .thread = i });
	omp_barrier(f, l[0], 1, 2); /* outside of any team */
	for (int64_t k = 0; k < 2; k++) {
		const int64_t at = 100 * (k + 1);
		thread_event(f, l[0], at, DETAIL_THREAD_FORK, 0);
		for (int i = 0; i < (k ? 3 : 2); i++) {
			thread_event(f, l[i], at + 10 + i, DETAIL_TEAM_BEGIN, comm);
			omp_barrier(f, l[i], at + 20 + i, at + 30 + i);
			if (k && i < 2)
				omp_barrier(f, l[i], at + 40 + i, at + 50 + i);
			thread_event(f, l[i], at + 60 + i, DETAIL_TEAM_END, comm);
		}
		thread_event(f, l[0], at + 70, DETAIL_THREAD_JOIN, 0);
	}
	finish(f);
	/* Fork, join, barrier of each; the second barrier of the second team has two of three. */
	assert_int_equal(logical_group_count(f->logical), 6);
	assert_int_equal(logical_counts(f->logical)->incomplete, 1);
	assert_parts(f);
	for (uint32_t id = 0; id < 6; id++) {
		static const enum logical_class cls[] = { LOGICAL_FORK, LOGICAL_JOIN,
							  LOGICAL_TEAM };
		const uint32_t n = id < 3 ? 2 : 3;
		uint32_t pairs = 0;
		assert_true(logical_group(f->logical, id, &f->group));
		assert_int_equal(f->group.cls, cls[id % 3]);
		assert_int_equal(f->group.n, n);
		for (uint32_t from = 0; from < n; from++)
			for (uint32_t to = 0; to < n; to++) {
				if (!group_sends_to(&f->group, from, to))
					continue;
				pairs++;
				assert_true(id % 3 != 0 || from == 0); /* fork: the master sends */
				assert_true(id % 3 != 1 || to == 0);   /* join: it receives */
			}
		assert_int_equal(pairs, id % 3 == 2 ? n * (n - 1) : n - 1);
	}
	assert_true(logical_group(f->logical, 3, &f->group)); /* the fork at 200 */
	assert_int_equal(trace_event_time(f->run.t, BASE_MEASURED, f->group.parties[0].begin), 200);
	assert_int_equal(trace_event_time(f->run.t, BASE_MEASURED, f->group.parties[2].end), 212);
	assert_true(logical_group(f->logical, 4, &f->group)); /* its join */
	assert_int_equal(trace_event_time(f->run.t, BASE_MEASURED, f->group.parties[1].begin), 261);
	assert_int_equal(trace_event_time(f->run.t, BASE_MEASURED, f->group.parties[0].end), 270);
}

/* ---- everything together ---- */

/* Names that say nothing: OTF2's roles do. */
TEST_WITH(test_roles, struct fixture *f)
{
	static const struct {
		uint8_t role;
		const char *pairs;
	} roles[] = { { 15, ALL_PAIRS },
		      { 23, "2>0 2>1 2>3 " },
		      { 24, "0>2 1>2 3>2 " },
		      { 25, ALL_PAIRS },
		      { 26, "" } };

	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
		const char name[] = { 'o', 'p', (char)('a' + i), 0 };
		const uint32_t region =
			builder_region_define(f->run.b,
					      &(struct region){
						      .name = builder_string(f->run.b, name, 3),
						      .cls = CLASS_COLLECTIVE,
						      .role = roles[i].role,
						      .paradigm = 4 });
		for (int r = 0; r < RANKS; r++)
			part(f, r, 0, region, i == 1 || i == 2 ? 2 : -1, 8, 8);
	}
	finish(f);
	for (uint32_t i = 0; i < sizeof roles / sizeof *roles; i++)
		assert_pairs(f, i, roles[i].pairs);
	assert_int_equal(logical_counts(f->logical)->other, 1);
}

/* Communicators of one process and of two groups. */
TEST_WITH(test_odd_communicators, struct fixture *f)
{
	const int32_t left[] = { 0, 1 }, right[] = { 2, 3 };
	const struct comm self = {
		.kind = COMM_SELF, .size = 1, .ranks = left, .parent = UINT32_MAX
	};
	const struct comm inter = { .kind = COMM_INTER,
				    .size = 2,
				    .ranks = left,
				    .remote_size = 2,
				    .remote = right,
				    .parent = UINT32_MAX };
	const uint32_t of_self = builder_comm_define(f->run.b, &self);
	const uint32_t between = builder_comm_define(f->run.b, &inter);

	for (int r = 0; r < RANKS; r++) {
		part(f, r, of_self, operation(f, "MPI_Allreduce"), -1, 8, 8);
		part(f, r, between, operation(f, "MPI_Barrier"), -1, 8, 8);
	}
	finish(f);
	for (uint32_t i = 0; i < logical_group_count(f->logical); i++)
		assert_false(logical_group(f->logical, i, &f->group));
	assert_int_equal(logical_counts(f->logical)->single, RANKS);
	assert_int_equal(logical_counts(f->logical)->inter, 1);
	assert_parts(f);
}

/* In traces with everything in them: what events say of themselves, what groups say of their events and
 * what rows of messages say is the same. */
TEST_WITH(test_random, struct fixture *f)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		uint64_t ends = 0;
		uint32_t row, party;
		struct cursor c;
		logical_free(f->logical);
		trace_free(f->run.t);
		f->run.t = random_trace(seed, 300, 1000000000);
		f->logical = logical_new(f->run.t, NULL, NULL);
		assert_parts(f);
		for (uint32_t l = 0; l < trace_location_count(f->run.t); l++)
			for (bool ok = cursor_first(&c, f->run.t, BASE_MEASURED, l); ok;
			     ok = cursor_next(&c)) {
				const enum logical_part p =
					logical_part_of(f->logical, c.id, cursor_what(&c), &row,
							&party);
				if (p != PART_SEND && p != PART_RECV)
					continue;
				assert_true(logical_message(f->logical, row));
				assert_int_equal(p == PART_SEND
							 ? trace_message(f->run.t, row)->send
							 : trace_message(f->run.t, row)->recv,
						 c.id);
				ends += p == PART_RECV;
				for (; p == PART_SEND && row != UINT32_MAX;
				     row = logical_next_of_send(f->logical, row))
					ends++;
			}
		for (row = 0; row < trace_message_count(f->run.t); row++)
			ends -= logical_message(f->logical, row) ? 2 : 0;
		assert_int_equal(ends, 0);
	}
}
