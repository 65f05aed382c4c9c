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
};

static int setup(void **state)
{
	struct fixture *f = test_calloc(1, sizeof *f);

	made_run_begin(&f->run, CLASS_COLLECTIVE);
	made_run_write(&f->run, "ranks 4");
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

/* All ranks' parts of a collective, one after the other; group: its communicator, root and
 * bytes. */
static void together(struct fixture *f, const char *operation, const char *group)
{
	for (int r = 0; r < RANKS; r++)
		made_run_write(&f->run, "rank %d: all:%s %s @+1-+1", r, operation, group);
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
			made_run_write(&f->run, "rank %d: all:%s root %d %dB/%dB @+1-+1", r,
				       ones[i].name, ones[i].root, (int)ones[i].sent[r],
				       (int)ones[i].received[r]);
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
	made_run_write(&f->run, "comm turned 3 0 2\n"
				"rank 0: all:MPI_Scan comm turned 8B @1-2\n"
				"rank 2: all:MPI_Scan comm turned 8B @3-4\n"
				"rank 3: all:MPI_Scan comm turned 8B @5-6");
	finish(f);
	assert_pairs(f, 0, "3>0 3>2 0>2 ");
}

/* A line of four that is not closed; members by their place in the communicator of the topology. */
TEST_WITH(test_neighbours, struct fixture *f)
{
	made_run_write(&f->run, "grid 4; comm turned 3 0 2 1");
	together(f, "MPI_Neighbor_allgather", "8B");
	together(f, "MPI_Ineighbor_alltoallv", "comm turned 8B");
	made_run_write(&f->run, "rank 0: all:MPI_Neighbor_alltoall 8B/8B @100-110\n"
				"rank 1: all:MPI_Neighbor_alltoall 0B/8B @100-110\n"
				"rank 2: all:MPI_Neighbor_alltoall 8B/0B @100-110\n"
				"rank 3: all:MPI_Neighbor_alltoall 8B/8B @100-110");
	finish(f);
	assert_pairs(f, 0, "0>1 1>0 1>2 2>1 2>3 3>2 ");
	assert_pairs(f, 1, ""); /* no topology of that communicator is known */
	assert_pairs(f, 2, "0>1 2>1 2>3 ");
	assert_int_equal(f->group.cls, LOGICAL_NEIGHBOURS);
	assert_int_equal(logical_counts(f->logical)->other, 1);
}

TEST_WITH(test_local, struct fixture *f)
{
	made_run_write(
		&f->run,
		"comm alone 1; comm pair 0 1\n"
		"rank 1: all:MPI_Barrier comm alone @1-2\n"
		"rank 0: all:MPI_Barrier comm pair @3-4\n" /* rank 1 never comes */
		"rank 0: ask 7 @100 got 7 MPI_Alltoallv 8B @110; rank 1: ask 7 @100 got 7 MPI_Alltoallv 8B @110\n"
		"rank 2: ask 7 @100 got 7 MPI_Alltoallv 8B @110; rank 3: ask 7 @100 got 7 MPI_Alltoallv 8B @110\n"
		/* A broadcast without a root that anybody knows. */
		"rank 2: all:MPI_Bcast root ? 8B @200; rank 3: all:MPI_Bcast root ? 8B @200");
	finish(f);
	for (uint32_t i = 0; i < logical_group_count(f->logical); i++)
		assert_false(logical_group(f->logical, i, &f->group));
	assert_int_equal(logical_counts(f->logical)->single, 1);
	assert_int_equal(logical_counts(f->logical)->incomplete, 2);
	assert_int_equal(logical_counts(f->logical)->vector, 1);
	assert_int_equal(logical_counts(f->logical)->nonblocking, 1);
	assert_parts(f);
}

/* From the request to its completion. */
TEST_WITH(test_nonblocking, struct fixture *f)
{
	for (int r = 0; r < RANKS; r++)
		made_run_write(&f->run, "rank %d: ask 7 @100 got 7 MPI_Iallreduce 8B @110", r);
	finish(f);
	assert_pairs(f, 0, ALL_PAIRS);
	assert_int_equal(logical_counts(f->logical)->nonblocking, 0);
}

static enum logical_part part_of(const struct fixture *f, uint32_t event, uint32_t *row)
{
	uint32_t party;

	return logical_part_of(f->logical, event, trace_event_what(f->run.t, event), row, &party);
}

TEST_WITH(test_messages, struct fixture *f)
{
	uint32_t row, sends = 0, receives = 0;

	made_run_write(&f->run, "rank 0: ->1 tag 5 @10\n" /* arrives */
				"rank 1: <-0 tag 5 @20\n"
				"rank 0: ->2 tag 6 @30\n"               /* nobody takes it */
				"rank 0: ->0 tag 7 @40 <-0 tag 7 @50\n" /* to itself */
				"rank 2: <-3 tag 8 @60");               /* from nobody */
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
	struct cursor c;
	uint32_t row, n = 0;

	/* Rank 0 receives nothing. */
	made_run_write(&f->run,
		       "rank 1: ->* tag 5 @10; rank 2: <-1 tag 5 @20; rank 3: <-1 tag 5 @20");
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

TEST_WITH(test_world, struct fixture *f)
{
	for (int r = 0; r < RANKS; r++) {
		made_run_write(
			&f->run,
			"rank %d: main@1 %s@%d-20 MPI_Initialized@30-31 MPI_Finalized@32-33\n"
			"  MPI_Finalize@%d%s",
			r, r ? "MPI_Init" : "mpi_init_thread_", 10 + r, 40 + r,
			r == 2 ? "" : "-50"); /* 2 never leaves it */
	}
	finish(f);
	assert_int_equal(logical_group_count(f->logical), 2);
	assert_pairs(f, 0, ALL_PAIRS);
	assert_pairs(f, 1, "0>1 0>3 1>0 1>3 3>0 3>1 ");
	assert_int_equal(f->group.cls, LOGICAL_WORLD);
	assert_int_equal(trace_event_time(f->run.t, BASE_MEASURED, f->group.parties[1].begin), 41);
	assert_int_equal(trace_event_time(f->run.t, BASE_MEASURED, f->group.parties[1].end), 50);
}

/* MPI_Finalize begins with the last event of the block in which MPI_Init ends, long after it, or is
 * not left there. */
TEST_WITH(test_world_in_blocks, struct fixture *f)
{
	const int calls[RANKS] = { 30, 500, 30, 31 };

	for (int r = 0; r < RANKS; r++) {
		made_run_write(&f->run, "rank %d: main@1 MPI_Init@10-20", r);
		for (int i = 0; i < calls[r]; i++)
			made_run_write(&f->run, "rank %d: f@+1-+1", r);
		made_run_write(&f->run, "rank %d: MPI_Finalize@%d%s", r, 3000 + r,
			       r == 2 ? "" : "-4000");
	}
	finish(f);
	assert_int_equal(BLOCK_EVENTS, 4 + 2 * calls[0]);
	assert_int_equal(logical_group_count(f->logical), 2);
	assert_pairs(f, 0, ALL_PAIRS);
	assert_pairs(f, 1, "0>1 0>3 1>0 1>3 3>0 3>1 ");
	for (int i = 0; i < 3; i++) {
		const struct party *p = &f->group.parties[i];
		assert_int_equal(trace_event_time(f->run.t, BASE_MEASURED, p->begin),
				 3000 + p->location);
		assert_int_equal(trace_event_time(f->run.t, BASE_MEASURED, p->end), 4000);
	}
}

/* Recording began inside MPI_Init of one rank: what its enter says is not when it entered (A22). */
TEST_WITH(test_inside_init, struct fixture *f)
{
	for (int r = 0; r < RANKS; r++)
		made_run_write(&f->run, "rank %d: %s MPI_Init@10-20 MPI_Finalize@40-50", r,
			       r == 1 ? "" : "main@1");
	finish(f);
	assert_int_equal(logical_group_count(f->logical), 1);
	assert_int_equal(logical_counts(f->logical)->inside_init, 1);
	assert_pairs(f, 0, ALL_PAIRS);
	assert_int_equal(trace_event_time(f->run.t, BASE_MEASURED, f->group.parties[0].begin), 40);
}

/* ---- OpenMP ---- */

/* A process with three threads that opens its team twice; the third thread is there the second time
 * alone, and barriers count in the team alone. */
TEST_WITH(test_openmp, struct fixture *f)
{
	made_run_write(
		&f->run,
		"threads 3 rank 0; region barrier = '!$omp barrier @a.c:1' class sync\n"
		"rank 0: barrier@1-2\n" /* outside of any team */

		"rank 0: [thread-fork 0 3 @100] [team-begin team @110] barrier@120-130,\n"
		"  [team-end team @160] [thread-join 0 @170]\n"
		"rank 0 thread 1: [team-begin team @111] barrier@121-131, [team-end team @161]\n"

		"rank 0: [thread-fork 0 3 @200] [team-begin team @210] barrier@220-230\n"
		"  barrier@240-250, [team-end team @260] [thread-join 0 @270]\n"
		"rank 0 thread 1: [team-begin team @211] barrier@221-231 barrier@241-251,\n"
		"  [team-end team @261]\n"
		"rank 0 thread 2: [team-begin team @212] barrier@222-232, [team-end team @262]");
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

/* Teams that were not recorded: those of two processes are two, of which each has a fork and a join. */
TEST_WITH(test_teams_of_processes, struct fixture *f)
{
	made_run_write(&f->run,
		       "threads 2 rank 0; threads 2 rank 1\n"
		       "rank 0: [thread-fork 0 2 @100] [team-begin 4294967295 @110]\n"
		       "  [team-end 4294967295 @160] [thread-join 0 @170]\n"
		       "rank 0 thread 1: [team-begin 4294967295 @111] [team-end 4294967295 @161]\n"
		       "rank 1: [thread-fork 0 2 @105] [team-begin 4294967295 @115]\n"
		       "  [team-end 4294967295 @165] [thread-join 0 @175]\n"
		       "rank 1 thread 1: [team-begin 4294967295 @116] [team-end 4294967295 @166]");
	finish(f);
	assert_int_equal(logical_group_count(f->logical), 4);
	assert_int_equal(logical_counts(f->logical)->incomplete, 0);
	for (uint32_t id = 0; id < 4; id++) {
		assert_true(logical_group(f->logical, id, &f->group));
		assert_int_equal(f->group.cls, id % 2 ? LOGICAL_JOIN : LOGICAL_FORK);
		assert_int_equal(f->group.n, 2);
		assert_int_equal(trace_location(f->run.t, f->group.parties[0].location)->rank,
				 trace_location(f->run.t, f->group.parties[1].location)->rank);
	}
	assert_parts(f);
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
		const char *root = i == 1 || i == 2 ? "root 2 8B" : "8B";
		char name[] = "opa";
		name[2] = (char)('a' + i);
		made_run_write(&f->run, "region %s class collective role %d paradigm 4", name,
			       roles[i].role);
		together(f, name, root);
	}
	finish(f);
	for (uint32_t i = 0; i < sizeof roles / sizeof *roles; i++)
		assert_pairs(f, i, roles[i].pairs);
	assert_int_equal(logical_counts(f->logical)->other, 1);
}

/* Communicators of one process and of two groups. */
TEST_WITH(test_odd_communicators, struct fixture *f)
{
	made_run_write(&f->run, "comm alone self 0; comm between 0 1 | 2 3");
	together(f, "MPI_Allreduce", "comm alone 8B");
	together(f, "MPI_Barrier", "comm between 8B");
	finish(f);
	for (uint32_t i = 0; i < logical_group_count(f->logical); i++)
		assert_false(logical_group(f->logical, i, &f->group));
	assert_int_equal(logical_counts(f->logical)->single, RANKS);
	assert_int_equal(logical_counts(f->logical)->inter, 1);
	assert_parts(f);
}

/* In traces with everything in them: what events say of themselves, what groups say of their events
 * and what rows of messages say is the same. */
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
