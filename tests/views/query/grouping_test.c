/* Rows that stand for groups: each location in exactly one, by whatever key; likeness finds what is
 * alike; rows follow what is open, pinned, hidden, sorted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness/notation.h"
#include "harness/random.h"
#include "harness/test.h"
#include "ui/session/session.h"
#include "ui/timeline/picture/timeline_rows.h"

/* `ranks` ranks of `threads` threads on nodes of `per_node` ranks. Every rank waits in a barrier
 * for its last (rank % kinds) tenths of 1,000 ns. */
static struct trace *make_trace(int ranks, int threads, int per_node, int kinds)
{
	struct notation n;

	notation_begin(&n, 1000000000);
	notation_write(&n, "mpi sync");
	for (int r = 0; r < ranks; r++)
		for (int t = 0; t < threads; t++) {
			const int until = 1000 - 100 * (r % kinds);
			notation_write(
				&n,
				"rank %d thread %d: work@0-%d MPI_Barrier@%d-1000; node node%d %d",
				r, t, until, until, r / per_node, r);
		}
	return notation_finish(&n);
}

struct made {
	struct session session;
	struct timeline_shades *shades;
	struct timeline_rows rows;
};

static void make(struct made *m)
{
	const struct query query = session_query(&m->session);
	struct err err = ERR_INIT;

	assert_true(timeline_rows_make(&m->rows, &query, m->shades, &err));
}

static void made_begin(struct made *m, struct trace *trace, enum group_key key)
{
	*m = (struct made){ .shades = timeline_shades_new() };
	session_init(&m->session, trace, BASE_MEASURED);
	session_group(&m->session, key, 0);
	make(m);
}

static void made_end(struct made *m)
{
	timeline_rows_fini(&m->rows);
	timeline_shades_free(m->shades);
	session_fini(&m->session);
}

static void names_are(const struct made *m, const char *expected)
{
	OWNED_STR names = STR_INIT;

	for (uint32_t k = 0; k < m->rows.grouping.groups.n; k++) {
		grouping_name(&m->rows.grouping, m->session.trace, k, &names);
		str_add_fmt(&names, " %u;", m->rows.grouping.groups.data[k].n);
	}
	assert_string_equal(names.text, expected);
}

TEST(groups_by_what_is_recorded)
{
	ENDED_BY(made_end) struct made nodes, processes, m;

	made_begin(&nodes, make_trace(6, 2, 4, 1), BY_NODE);
	names_are(&nodes, "node0 8;node1 4;");
	made_begin(&processes, make_trace(3, 4, 2, 1), BY_PROCESS);
	names_are(&processes, "rank 0 4;rank 1 4;rank 2 4;");
	/* 40 ranks: two a row would make 20 rows, which fit into 32. */
	made_begin(&m, make_trace(40, 1, 40, 1), BY_RANGE);
	assert_int_equal(m.rows.grouping.range, 2);
	m.session.arrangement.fit = 5;
	make(&m);
	names_are(&m, "0-7 8;8-15 8;16-23 8;24-31 8;32-39 8;");
}

/* Four kinds of ranks, a tenth of the time apart. At 10 % each joins its neighbour's group, of
 * which there are two; below, there are four. */
TEST(likeness_finds_kinds)
{
	struct made m;

	made_begin(&m, make_trace(40, 1, 40, 4), BY_LIKENESS);
	names_are(&m, "like 0 10;like 1 10;like 2 10;like 3 10;");
	assert_int_equal(m.rows.grouping.threshold, 1);
	for (uint32_t l = 0; l < 40; l++)
		assert_int_equal(m.rows.group_of[l], l % 4);
	m.session.arrangement.fit = 3;
	make(&m);
	assert_int_equal(m.rows.grouping.threshold, 10);
	names_are(&m, "like 0 20;like 2 20;");
	made_end(&m);
}

TEST(any_grouping_is_a_partition)
{
	uint64_t seed = 1;

	for (int round = 0; round < 60; round++) {
		const int ranks = 1 + (int)draw(&seed, round < 50 ? 20 : 150);
		struct made m;
		uint32_t hidden;

		made_begin(&m,
			   make_trace(ranks, 1 + (int)draw(&seed, 3), 1 + (int)draw(&seed, 7),
				      1 + (int)draw(&seed, 9)),
			   (enum group_key)draw(&seed, GROUP_KEYS));
		m.session.arrangement.fit = draw(&seed, 9);
		m.session.arrangement.order = (enum row_order)draw(&seed, ROW_ORDERS);
		for (hidden = 0; hidden < m.session.rows.n / 4; hidden++)
			session_hide(&m.session,
				     draw(&seed, trace_location_count(m.session.trace)));
		make(&m);
		const uint32_t all = trace_location_count(m.session.trace);
		OWNED uint8_t *seen = xcalloc(all, 1);
		uint32_t n = 0;

		for (uint32_t i = 0; i < m.rows.list.n; i++) {
			uint32_t members;
			const uint32_t *list =
				timeline_row_members(&m.rows, &m.rows.list.data[i], &members);

			n += members;
			for (uint32_t k = 0; k < members; k++)
				assert_int_equal(seen[list[k]]++, 0);
		}
		assert_int_equal(n, m.session.rows.n);
		for (size_t i = 0; i < m.session.rows.n; i++)
			assert_int_equal(seen[m.session.rows.data[i]], 1);
		made_end(&m);
	}
}

static void rows_are(const struct made *m, const char *expected)
{
	OWNED_STR rows = STR_INIT;

	for (uint32_t i = 0; i < m->rows.list.n; i++) {
		const struct timeline_row *row = &m->rows.list.data[i];

		str_add_fmt(&rows, "%s%s%u ", row->under ? "." : "",
			    row->kind == ROW_GROUP ? "g" : "", row->location);
	}
	assert_string_equal(rows.text, expected);
}

/* Ranks 0 to 3 and 4, 5 on two nodes; rank r waits r tenths of its time. */
TEST(rows_follow_the_arrangement)
{
	struct made m;
	struct arrangement *a;

	made_begin(&m, make_trace(7, 1, 4, 7), BY_NODE);
	a = &m.session.arrangement;
	rows_are(&m, "g0 g4 ");
	arrangement_toggle_open(a, 4);
	make(&m);
	rows_are(&m, "g0 g4 .4 .5 .6 ");
	assert_int_equal(timeline_rows_find(&m.rows, 5, false, UINT32_MAX), 3);
	assert_int_equal(timeline_rows_find(&m.rows, 5, true, UINT32_MAX), 1);
	assert_int_equal(timeline_rows_find(&m.rows, 2, false, UINT32_MAX), 0);
	arrangement_toggle_pin(a, 5, false);
	make(&m);
	rows_are(&m, "5 g0 g4 .4 .6 ");
	assert_int_equal(m.rows.pinned, 1);
	arrangement_toggle_pin(a, 4, true);
	make(&m);
	rows_are(&m, "5 g4 .4 .5 .6 g0 ");
	a->order = ROWS_BY_MPI;
	a->pins.n = 0;
	make(&m);
	rows_are(&m, "g4 .6 .5 .4 g0 ");
	session_hide(&m.session, 4); /* the group is known by another member now */
	session_hide(&m.session, 5);
	make(&m);
	rows_are(&m, "6 g0 ");
	made_end(&m);
}
