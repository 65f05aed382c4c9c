/* The view of the program graph and its export, of a run whose every number can be worked out by
 * hand (program_sample.h): levels, details, keys; the paper's queries; another order, another
 * window; and a run without statements. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/open_panel.h"
#include "harness/program_sample.h"
#include "harness/sample.h"
#include "harness/sample_trace.h"
#include "harness/test.h"
#include "ui/panels/panels.h"
#include "ui/widgets/table_pane.h"

/* ---- the screen ---- */

static void open_panel(struct open *o, struct trace *trace, int w, int h)
{
	open_init(o, &graph_panel_ops, trace, w, h);
	requery(o);
}

static int open_usual(void **state)
{
	static struct open o;

	open_panel(&o, program_sample(), 120, 24);
	*state = &o;
	return 0;
}

FIXTURE(open_usual, close_opened)

TEST_WITH(test_levels, struct open *o)
{
	/* It begins in main, all that there is on the first level; most time first. */
	sees(o, "program > main app.c:10");
	sees(o, "2 times 2.000 us (100.0 %) own 200 ns transfer 170 ns waiting 230 ns");
	sees(o, "whole run, from statistics");
	sees(o, "loop for 12 2 1.100 us 55.0 % ###: 50 ns 150 ns 200 ns");
	sees(o, "20 2 500 ns");
	sees(o, "comm MPI_Barrier 21 2 200 ns 10.0 % . 180 ns 20 ns 200 ns #-");
	sees(o, "setup() not instrumented 22");
	press(o, ACTION_LAST);
	sees(o, "not instrumented, no counts: it calls setjmp");
	press(o, ACTION_FIRST);
	/* The loop is chosen. */
	sees(o, "20 iterations of 55.00 ns");
	sees(o, "on 2 of 2 locations: 500 ns (rank 1) to 600 ns (rank 0), mean 550.0 ns");
	press(o, ACTION_ENTER);
	sees(o, "program > main > for app.c:12");
	sees(o, "comm MPI_Send 14 20 200 ns");
	/* A call: whose it is, and all that call it. */
	sees(o, "call work() 13 20 700 ns");
	sees(o, "of work app.c:30: 58.3 % of all its calls");
	sees(o, "called from");
	sees(o, "main app.c:13 (here) 20 700 ns 58.3 %");
	sees(o, "main app.c:20 2 500 ns 41.7 %");
	press(o, ACTION_ENTER);
	sees(o, "program > main > for app.c:12 > work app.c:30");
	sees(o, "from this call: 700 ns of 1.200 us");
	sees(o, "loop while 31 22 900 ns");
	sees(o, "220 iterations of 4.091 ns");
	/* Up again: the cursor where one went down. */
	press(o, ACTION_BACK);
	press(o, ACTION_BACK);
	sees(o, "program > main app.c:10");
	press(o, ACTION_BACK);
	sees(o, "program\n");
	sees(o, "2.000 us in all");
	assert_true(press(o, ACTION_BACK) & REACT_IGNORED);
}

TEST_WITH(test_destinations, struct open *o)
{
	press(o, ACTION_ENTER);
	press(o, ACTION_DOWN);
	sees(o, "by partner");
	sees(o, "25.0 % waiting for partners");
	sees(o, "rank 1 world 10 100 ns 50.0 %");
	sees(o, "40 ns 60 ns 800 B");
	sees(o, "10 ns 90 ns 800 B");
	press(o, ACTION_BREAK_DOWN);
	sees(o, "by location");
	sees_not(o, "by partner");
	press(o, ACTION_BREAK_DOWN);
	sees(o, "by partner");
}

TEST_WITH(test_hottest, struct open *o)
{
	press(o, ACTION_BACK);
	press(o, ACTION_HOTTEST);
	sees(o, "program > main > for app.c:12 > work app.c:30");
	sees(o, "220 iterations");
}

TEST_WITH(test_orders, struct open *o)
{
	const char *loop, *barrier;

	press(o, ACTION_REVERSE);
	barrier = strstr(screen(o), "MPI_Barrier");
	loop = strstr(o->text.text, "loop   for");
	assert_non_null(barrier);
	assert_non_null(loop);
	assert_true(barrier < loop);
}

/* Nothing may be drawn beside its place, in any size; and no key may fail. */
TEST(test_sizes)
{
	static const int sizes[][2] = {
		{ 20, 3 }, { 40, 8 }, { 80, 20 }, { 120, 32 }, { 200, 56 }
	};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct open o;
		open_panel(&o, program_sample(), sizes[i][0], sizes[i][1]);
		for (unsigned a = 1; a < ACTION_COUNT; a++) {
			press(&o, (enum action)a);
			requery(&o);
			assert_true(screen(&o)[0]);
		}
		close_panel(&o);
	}
}

/* The same way in a graph of another choice of locations. */
TEST_WITH(test_another_graph, struct open *o)
{
	press(o, ACTION_ENTER);
	sees(o, "2 times 1.100 us");
	session_hide(&o->session, 1);
	requery(o);
	sees(o, "program > main > for app.c:12");
	sees(o, "1 time 600 ns");
	sees(o, "on 1 of 1 location");
}

/* As at each look at a job that runs. */
TEST_WITH(test_another_look_keeps_the_way, struct open *o)
{
	press(o, ACTION_ENTER);
	press(o, ACTION_LAST);
	sees(o, "program > main > for app.c:12");
	sees(o, "by partner");
	o->panel->ops->renew(o->panel);
	requery(o);
	sees(o, "program > main > for app.c:12");
	sees(o, "by partner");
}

TEST_WITH(test_window_does_not_apply, struct open *o)
{
	struct err err = ERR_INIT;

	assert_true(session_set_filter(&o->session, "rank == 0", &err));
	requery(o);
	sees(o, "without the filter");
}

TEST(test_without_statements)
{
	ENDED_BY(close_panel) struct open o;

	open_panel(&o, sample_trace(2, 3), 100, 24);
	/* Call paths tell as much: 3 steps of 2 ranks. */
	sees(&o, "program > main");
	sees(&o, "from the events of the whole run, measured times");
	sees(&o, "MPI_Allreduce");
}

/* ---- the export: the paper's queries ---- */

static struct csv rows_of(struct trace *trace, bool by_rank, bool by_destination)
{
	struct query query = sample_query(trace);
	char *text;
	struct csv csv;

	query.export.by_rank = by_rank;
	query.export.by_destination = by_destination;
	text = sample_export("graph", &query, EXPORT_CSV, 0);
	csv = csv_parse(text);
	free(text);
	return csv;
}

/* The sum of a column over the rows of a path (and kind; and the value of another column). */
static double sum_of(const struct csv *csv, const char *path, const char *kind, const char *column,
		     const char *where, const char *is)
{
	size_t at[3] = { 0 };
	double sum = 0;
	unsigned found = 0;
	const char *const names[] = { column, "kind", where ? where : "kind" };

	for (size_t i = 0; i < 3; i++) {
		while (at[i] < csv->n_columns && strcmp(csv->rows[0][at[i]], names[i]) != 0)
			at[i]++;
		assert_true(at[i] < csv->n_columns);
	}
	for (size_t r = 1; r < csv->n_rows; r++) {
		char **row = csv->rows[r];
		if ((path && strcmp(row[0], path) != 0) || strcmp(row[at[1]], kind) != 0 ||
		    (where && strcmp(row[at[2]], is) != 0))
			continue;
		sum += atof(row[at[0]]);
		found++;
	}
	assert_true(found > 0);
	return sum;
}

#define NS         *1e-9
#define SAME(a, b) assert_true((a) - (b) < 1e-12 && (b) - (a) < 1e-12)

TEST(test_queries)
{
	OWNED_TRACE *trace = program_sample();
	struct csv csv = rows_of(trace, false, false);
	static const char *const first[] = {
		"path",  "kind",   "name",        "file",    "line",
		"count", "time_s", "exclusive_s", "trans_s", "sync_s"
	};

	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		assert_string_equal(csv.rows[0][i], first[i]);
	/* Program; transmission and synchronisation over all statements. */
	SAME(sum_of(&csv, NULL, "program", "time_s", NULL, NULL), 2000 NS);
	SAME(sum_of(&csv, NULL, "communication", "trans_s", NULL, NULL), 170 NS);
	SAME(sum_of(&csv, NULL, "communication", "sync_s", NULL, NULL), 230 NS);
	SAME(sum_of(&csv, NULL, "program", "sync_s", NULL, NULL), 230 NS);
	/* Calls in main, alone and in its loop; one of them. */
	SAME(sum_of(&csv, NULL, "call", "time_s", "caller", "main"), 1200 NS);
	SAME(sum_of(&csv, NULL, "call", "time_s", "line", "13"), 700 NS);
	SAME(sum_of(&csv, NULL, "call", "count", "line", "13"), 20);
	/* A procedure over all callers. */
	SAME(sum_of(&csv, "work", "procedure", "time_s", NULL, NULL), 1200 NS);
	SAME(sum_of(&csv, "work", "procedure", "count", NULL, NULL), 22);
	SAME(sum_of(&csv, "work", "procedure", "exclusive_s", NULL, NULL), 300 NS);
	/* A loop, and what is in it. */
	SAME(sum_of(&csv, "main/for:12", "loop", "time_s", NULL, NULL), 1100 NS);
	SAME(sum_of(&csv, "main/for:12", "loop", "iterations", NULL, NULL), 20);
	SAME(sum_of(&csv, "main/for:12/MPI_Send:14", "communication", "time_s", NULL, NULL),
	     200 NS);
	csv_free(&csv);
}

TEST(test_by_rank_and_destination)
{
	OWNED_TRACE *trace = program_sample();
	struct csv ranks = rows_of(trace, true, false);
	struct csv destinations = rows_of(trace, false, true);

	SAME(sum_of(&ranks, "main/for:12", "loop", "time_s", "rank", "1"), 500 NS);
	SAME(sum_of(&ranks, "main/MPI_Barrier:21", "communication", "sync_s", "rank", "0"), 140 NS);
	SAME(sum_of(&destinations, "main/for:12/MPI_Send:14", "communication", "sync_s",
		    "destination", "1"),
	     40 NS);
	SAME(sum_of(&destinations, "main/for:12/MPI_Send:14", "communication", "sent_bytes",
		    "destination", "0"),
	     800);
	SAME(sum_of(&destinations, "main/MPI_Barrier:21", "communication", "time_s", "destination",
		    "all"),
	     200 NS);
	csv_free(&ranks);
	csv_free(&destinations);
}

TEST(test_overview)
{
	OWNED_TRACE *trace = program_sample();
	const struct query query = sample_query(trace);
	OWNED char *text = sample_export("overview", &query, EXPORT_TEXT, 0);

	assert_non_null(strstr(text, "2 ranks, 1.00 us, records of 8 statements"));
	assert_non_null(strstr(text, "Only statistics per statement were recorded"));
	assert_non_null(strstr(text, "computing          80.0 %"));
	assert_non_null(strstr(text, "transfer            8.5 %"));
	assert_non_null(strstr(text, "waiting            11.5 %"));
	assert_non_null(strstr(text, "Most time: while (app.c:31), 45.0 % of total time"));
}
