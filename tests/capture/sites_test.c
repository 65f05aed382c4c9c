/* The recorder's statistics: rows of ranks' files, read raw, against what a program with probes by
 * hand did (sites_aid.h). */
#include <stdio.h>
#include <string.h>

#include "capture/sites_aid.h"
#include "capture/traced.h"
#include "harness/test.h"

static void check_count(const struct site_ranks *r, int thread, int site, int from, uint64_t count,
			uint64_t inner)
{
	const struct tv_statistic row = site_row(r, thread, site, from);

	assert_int_equal(row.count, count);
	assert_int_equal(row.procedure.inner, inner);
	assert_true(row.least <= row.most && row.children <= row.time);
	assert_true(row.time >= row.least * (count - inner));
	assert_true(row.time <= row.most * (count - inner));
}

/* What `counts` and the recursions behind it do, in a thread. */
static void check_counts(const struct site_ranks *r, int thread, uint64_t n)
{
	struct tv_statistic row;

	check_count(r, thread, OUTER, NOBODY, 1, 0);
	assert_int_equal(site_row(r, thread, OUTER, NOBODY).loop.iterations, n);
	check_count(r, thread, INNER, NOBODY, n, 0);
	row = site_row(r, thread, INNER, NOBODY);
	assert_int_equal(row.loop.iterations, 3 * n);
	assert_int_equal(row.loop.iterated, 0);
	/* Means of executions: none is shorter than a third of the shortest one. */
	assert_int_equal(row.loop.quickest, row.least * 16 / 3);
	assert_int_equal(row.loop.slowest, row.most * 16 / 3);
	check_count(r, thread, LEAF, CALL_LEAF, 3 * n, 0);
	check_count(r, thread, LEAF, CALL_LEAF_TOO, n, 0);
	check_count(r, thread, EARLY, CALL_EARLY, n, 0);
	/* self(4) and self(0); ping(5): ping, pong, ping, pong, ping, pong. */
	check_count(r, thread, SELF, CALL_SELF, 2, 0);
	check_count(r, thread, SELF, SELF_CALLS, 4, 4);
	check_count(r, thread, PING, CALL_PING, 1, 0);
	check_count(r, thread, PING, PONG_CALLS, 2, 2);
	check_count(r, thread, PONG, PING_CALLS, 3, 2);
	/* Rule a: all of the inner activations is in the outer ones, and nobody's child. */
	assert_int_equal(site_row(r, thread, SELF, SELF_CALLS).time, 0);
	assert_int_equal(site_row(r, thread, SELF, CALL_SELF).children, 0);
	assert_int_equal(site_row(r, thread, PING, CALL_PING).children,
			 site_row(r, thread, PONG, PING_CALLS).time);
	assert_int_equal(site_row(r, thread, INNER, NOBODY).children,
			 site_row(r, thread, LEAF, CALL_LEAF).time);
}

static uint64_t events_of(const struct site_ranks *r, int rank, enum tv_kind kind, int site)
{
	const struct rankfile *file = r->file[rank];
	uint64_t n = 0;

	for (uint32_t thread = 0; thread < file->threads; thread++) {
		struct rank_stream s;
		const struct tv_head *head;
		rank_stream_begin(&s, file, thread);
		while ((head = rank_stream_next(&s))) {
			const struct tv_function *f = (const void *)head;
			if (head->kind == kind &&
			    (site == NOBODY || (int)tv_site_slot(f->what) == site + 1))
				n++;
		}
		assert_false(s.damaged);
	}
	return n;
}

TEST(test_counts)
{
	static const char *const modes[] = { "TVIEW_STATISTICS=0", "TVIEW_STATISTICS=1" };

	for (int mode = 0; mode < 2; mode++) {
		OWNED_SITE_RANKS *r = site_ranks_run(1, modes[mode], "counts 12");
		struct tv_statistic row;
		check_counts(r, 0, 12);
		check_count(r, 0, MAIN, NOBODY, 1, 0);
		check_count(r, 0, TIMED, NOBODY, 1, 0);
		row = site_row(r, 0, TIMED, NOBODY);
		assert_int_equal(row.loop.iterations, 12);
		assert_int_equal(row.loop.iterated, 1);
		/* Twelve single iterations are the loop but for what is in front of the first. */
		assert_true(row.loop.quickest * 12 <= row.time * 16);
		assert_true(row.loop.slowest * 12 >= row.children * 16);
		/* 12 + 36 + 12 of the loops, of the timed one, and without a call statement of
		 * their own. */
		assert_int_equal(events_of(r, 0, TV_SITE_ENTER, LEAF), mode ? 0 : 60);
		assert_int_equal(events_of(r, 0, TV_SITE_LEAVE, LEAF), mode ? 0 : 60);
		assert_int_equal(events_of(r, 0, TV_SITE_ENTER, INNER), mode ? 0 : 12);
		assert_int_equal(events_of(r, 0, TV_ENTER, NOBODY) > 0, mode == 0);
		assert_int_equal(!!(r->file[0]->head->state & TV_STATISTICS), mode);
	}
}

struct with {
	uint64_t count, sent, received, own;
	int rows;
};

/* Rows of a communication statement with a partner. */
static struct with with_of(const struct site_ranks *r, int rank, int site, int peer, uint8_t flags)
{
	struct with all = { .rows = 0 };
	struct rank_rows rows;
	struct tv_statistic row;
	uint32_t thread;

	rank_rows_begin(&rows, r->file[rank]);
	while (rank_rows_next(&rows, &row, &thread)) {
		if (row.kind != TV_STAT_COMMUNICATION || row.place != site_place(site) ||
		    row.communication.peer != peer || row.flags != flags)
			continue;
		all.rows++;
		all.count += row.count;
		all.sent += row.communication.sent;
		all.received += row.communication.received;
		all.own += row.communication.own;
		assert_true(row.least * row.count <= row.time);
	}
	return all;
}

static void check_with(const struct site_ranks *r, int rank, int site, int peer, uint8_t flags,
		       uint64_t count, uint64_t sent, uint64_t received)
{
	const struct with with = with_of(r, rank, site, peer, flags);

	assert_int_equal(with.rows, 1);
	assert_int_equal(with.count, count);
	assert_int_equal(with.sent, sent);
	assert_int_equal(with.received, received);
}

/* The paper's example: whom a statement sends to changes in the loop. Of 12 messages of 8, 16, 24,
 * 32, 8, ... bytes three ranks get four each. */
TEST(test_destinations)
{
	OWNED_SITE_RANKS *r = site_ranks_run(4, "TVIEW_STATISTICS=1", "counts 12");

	for (int to = 1; to < 4; to++) {
		uint64_t bytes = 0;
		for (int i = to - 1; i < 12; i += 3)
			bytes += 8u * (1u + (uint64_t)i % 4u);
		check_with(r, 0, SEND, to, TV_STAT_SENT, 4, bytes, 0);
		check_with(r, 0, RECV, to, TV_STAT_RECEIVED, 4, 0, bytes);
		check_with(r, to, SEND, 0, TV_STAT_SENT, 4, bytes, 0);
		check_with(r, to, RECV, 0, TV_STAT_RECEIVED, 4, 0, bytes);
		check_with(r, to, BARRIER, -1, 0, 1, 0, 0);
	}
}

/* Two ranks in a ring: next and before are one, so MPI_Sendrecv has one row; of three it has two,
 * and one of them the time. */
TEST(test_bytes)
{
	const uint8_t both = TV_STAT_SENT | TV_STAT_RECEIVED;

	for (int ranks = 2; ranks <= 3; ranks++) {
		OWNED_SITE_RANKS *r = site_ranks_run(ranks, "TVIEW_STATISTICS=1", "sums 10");
		const int before = ranks - 1;
		check_with(r, 0, ISEND, 1, TV_STAT_SENT, 10, 240, 0);
		assert_int_equal(with_of(r, 0, ISEND, 1, TV_STAT_SENT).own, 10);
		/* What came, not the room for it. */
		check_with(r, 0, IRECV, before, TV_STAT_RECEIVED, 10, 0, 240);
		check_with(r, 0, WAIT, -1, 0, 10, 0, 0);
		if (ranks == 2) {
			check_with(r, 0, BOTH, 1, both, 10, 160, 160);
		} else {
			check_with(r, 0, BOTH, 1, TV_STAT_SENT, 10, 160, 0);
			check_with(r, 0, BOTH, 2, TV_STAT_RECEIVED, 10, 0, 160);
		}
		/* As the events have it: everybody's share counts. */
		check_with(r, 0, REDUCE, -1, 0, 10, 320u * (unsigned)ranks, 320u * (unsigned)ranks);
		check_with(r, 0, BCAST, 1, 0, 10, 0, 400);
		check_with(r, 1, BCAST, 1, 0, 10, 400u * (unsigned)ranks, 400);
	}
}

/* Threads have rows of their own. Where nothing may grow the next one goes on where one ended. */
TEST(test_threads)
{
	OWNED_SITE_RANKS *r = site_ranks_run(1, "TVIEW_STATISTICS=0", "threads 9"),
			 *alone = site_ranks_run(1, "TVIEW_STATISTICS=1", "threads 9");
	uint64_t count = 0;
	struct tv_statistic row;

	assert_int_equal(r->file[0]->threads, 5);
	for (int thread = 1; thread < 5; thread++) {
		check_counts(r, thread, 9);
		check_count(r, thread, THREAD, NOBODY, 1, 0);
	}
	assert_true(alone->file[0]->threads >= 2 && alone->file[0]->threads <= 5);
	for (int thread = 1; thread < (int)alone->file[0]->threads; thread++)
		if (site_row_find(alone, 0, thread, LEAF, CALL_LEAF, &row))
			count += row.count;
	assert_int_equal(count, 4 * 27);
}

/* At random, against the program's own account. */
TEST(test_random)
{
	OWNED_SITE_RANKS *r = site_ranks_run(1, "TVIEW_STATISTICS=1", "random 20000");
	int site, from, n = 0;
	long count, inner;

	for (const char *line = r->said.text; line && *line; n++) {
		struct tv_statistic row = { .seq = 0 };
		assert_int_equal(sscanf(line, "%d %d %ld %ld", &site, &from, &count, &inner), 4);
		assert_int_equal(site_row_find(r, 0, 0, site, from, &row), count > 0);
		assert_int_equal(row.count, count);
		assert_int_equal(row.procedure.inner, inner);
		assert_int_equal(row.time == 0, count == inner);
		line = strchr(line, '\n');
		line += line != NULL;
	}
	assert_int_equal(n, 72);
}

/* What longjmp left ends at the next probe, and events nest. */
TEST(test_longjmp)
{
	OWNED_SITE_RANKS *r = site_ranks_run(1, "TVIEW_STATISTICS=0", "longjmp 10");
	const int sites[] = { JUMP_LOOP, JUMP_INNER, AFTER_LOOP, JUMPER };

	check_count(r, 0, JUMP_LOOP, NOBODY, 10, 0);
	check_count(r, 0, JUMP_INNER, NOBODY, 10, 0);
	check_count(r, 0, AFTER_LOOP, NOBODY, 10, 0);
	check_count(r, 0, JUMPER, CALL_JUMPER, 10, 0);
	check_count(r, 0, JUMPER, NOBODY, 20, 20);
	assert_true(site_row(r, 0, JUMP_LOOP, NOBODY).flags & TV_STAT_LOST);
	assert_true(site_row(r, 0, JUMPER, CALL_JUMPER).flags & TV_STAT_LOST);
	assert_int_equal(site_row(r, 0, AFTER_LOOP, NOBODY).flags, 0);
	assert_int_equal(site_row(r, 0, MAIN, NOBODY).flags, 0);
	for (size_t i = 0; i < sizeof sites / sizeof *sites; i++) {
		const uint64_t n = sites[i] == JUMPER ? 30 : 10;
		assert_int_equal(events_of(r, 0, TV_SITE_ENTER, sites[i]), n);
		assert_int_equal(events_of(r, 0, TV_SITE_LEAVE, sites[i]), n);
	}
}

/* Deeper than what a chunk has room for. */
TEST(test_deep)
{
	for (int mode = 0; mode < 2; mode++) {
		OWNED_SITE_RANKS *r =
			site_ranks_run(1, mode ? "TVIEW_STATISTICS=1" : "TVIEW_STATISTICS=0",
				       "deep 20000");
		check_count(r, 0, SELF, CALL_SELF, 2, 0);
		check_count(r, 0, SELF, SELF_CALLS, 40000, 40000);
		check_count(r, 0, MAIN, NOBODY, 1, 0);
		assert_int_equal(events_of(r, 0, TV_SITE_LEAVE, SELF), mode ? 0 : 40002);
	}
}

/* Without any leave of main's. */
TEST(test_exit)
{
	OWNED_SITE_RANKS *r = site_ranks_run_to(3, 1, "TVIEW_STATISTICS=1", "exit 12");
	struct tv_statistic row;

	check_counts(r, 0, 12);
	row = site_row(r, 0, MAIN, NOBODY);
	assert_int_equal(row.count, 1);
	assert_int_equal(row.flags, TV_STAT_LOST);
	assert_true(row.time > site_row(r, 0, OUTER, NOBODY).time);
	assert_true(row.children >= site_row(r, 0, OUTER, NOBODY).time);
}

/* A tiny procedure has no events any more when it was called too often, but every call counts. */
TEST(test_limit)
{
	OWNED_SITE_RANKS *r = site_ranks_run(1, "TVIEW_LIMIT=1000", "often 20000"),
			 *unlimited = site_ranks_run(1, "TVIEW_LIMIT=0", "often 20000");
	uint64_t enters;

	check_count(r, 0, LEAF, NOBODY, 20000 + 1000, 0);
	assert_int_equal(site_row(r, 0, LEAF, NOBODY).flags, TV_STAT_LIMITED);
	enters = events_of(r, 0, TV_SITE_ENTER, LEAF);
	/* It is looked at the thousandth call, and, if somebody kept it from its core there, at the
	 * two thousandth... */
	assert_in_range(enters, 1000, 16000);
	assert_int_equal(events_of(r, 0, TV_SITE_LEAVE, LEAF), enters);
	assert_int_equal(site_row(r, 0, MAIN, NOBODY).flags, 0);
	assert_int_equal(events_of(unlimited, 0, TV_SITE_ENTER, LEAF), 21000);
	assert_int_equal(site_row(unlimited, 0, LEAF, NOBODY).flags, 0);
}

/* Bytes in use, chunks, definitions. */
static uint64_t size_of(const struct site_ranks *r)
{
	const struct rankfile *file = r->file[0];
	uint64_t bytes = (uint64_t)file->head->chunks << 32;

	for (size_t i = 0; i < file->chunks.n; i++)
		bytes += file->chunks.data[i]->used;
	for (size_t i = 0; i < file->statistics.n; i++)
		bytes += file->statistics.data[i]->used;
	return bytes;
}

/* Ten and a hundred times longer it is as large as it was. */
TEST(test_constant_size)
{
	static const char *const what[][3] = { { "counts 20", "counts 200", "counts 2000" },
					       { "grow 32", "grow 320", "grow 3200" },
					       { "modules 5", "modules 50", "modules 500" } };

	for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
		uint64_t first = 0;
		for (int k = 0; k < 3; k++) {
			OWNED_SITE_RANKS *r = site_ranks_run(1, "TVIEW_STATISTICS=1", what[i][k]);
			assert_int_equal(r->file[0]->head->state & TV_FULL, 0);
			first = k ? first : size_of(r);
			assert_int_equal(size_of(r), first);
			/* One thread beside main's, and after it the next. */
			assert_int_equal(r->file[0]->threads, i == 1 ? 2 : 1);
		}
	}
}

/* A library calls back, goes, and comes again: one number, and call statements of the one that
 * calls. */
TEST(test_modules)
{
	OWNED_SITE_RANKS *r = site_ranks_run(1, "TVIEW_STATISTICS=0", "modules 7");
	struct rank_rows rows;
	struct tv_statistic row;
	uint32_t thread;
	int found = 0;

	rank_rows_begin(&rows, r->file[0]);
	while (rank_rows_next(&rows, &row, &thread)) {
		if (row.place == tv_place_site(1, 1)) {
			assert_int_equal(row.from, site_place(CALL_OTHER));
			assert_int_equal(row.count, 7);
			found++;
		}
		/* Its second call in each round comes while the other has no probes: from
		 * nowhere. */
		if (row.place == site_place(CALLED_BACK)) {
			assert_true(row.from == tv_place_site(1, 2) || row.from == 0);
			assert_int_equal(row.count, 7);
			found++;
		}
	}
	assert_int_equal(found, 3);
	/* Events say so, too: each round the one calls the other, and is called back. */
	assert_int_equal(events_of(r, 0, TV_SITE_FROM, NOBODY), 2 * 2 * 7);
	assert_int_equal(events_of(r, 0, TV_SITE_FROM, CALL_OTHER), 2 * 7);
}

/* Times that are reckoned in some segments: what is written nests, and the merge finds nothing
 * odd. */
TEST(test_gaps)
{
	OWNED_TRACED *t = traced_well(2, "--yield", "tests/capture/programs/sites", "counts 600");
	long enters;

	assert_int_equal(trace_finding_sum(t->trace, FINDING_ODDITY), 0);
	enters = traced_count(t, EV_ENTER, NULL);
	assert_int_equal(traced_count(t, EV_LEAVE, NULL), enters);
}
