/* The view of wait states: three linked trees, the selection that others see, the way to instances
 * and into the timeline. Of a run whose every number can be worked out by hand (sample_trace.h): 8
 * ranks, 5 steps, rank r 10 r us late. In each step
 *	rank 0 enters MPI_Recv at 650 us, rank 7 MPI_Send at 600 + 70 us: Late Sender of 20 us, and no
 *	other: in all 100 us;
 *	rank r enters MPI_Allreduce at 800 + 10 r us: it waits 70 - 10 r us for rank 7: in all 5 * 280 us,
 *	as long as they wait for rank 7 to leave it behind rank 0: N x N Completion. */
#include <stdio.h>
#include <string.h>

#include "base/order.h"
#include "harness/open_panel.h"
#include "harness/sample_trace.h"
#include "harness/test.h"
#include "patterns/severity/cube_metric.h"
#include "ui/panels/panels.h"
#include "views/query/analyses.h"
#include "views/query/second_trace.h"
#include "views/query/table.h"
#include "views/query/view.h"
#include "views/tables/view_waits.h"

static void open_panel(struct open *o, struct trace *trace, int w, int h)
{
	struct err err = ERR_INIT;

	open_init(o, &patterns_panel_ops, trace, w, h);
	assert_non_null(analyses_get(o->session.analyses, BASE_MEASURED, NULL, &err));
	requery(o);
}

static int open_usual(void **state)
{
	static struct open o;

	open_panel(&o, sample_trace(8, 5), 120, 36);
	*state = &o;
	return 0;
}

FIXTURE(open_usual, close_opened)

static void find(struct open *o, const char *what)
{
	struct err err = ERR_INIT;

	press(o, ACTION_FIRST); /* names of metrics recur in later trees */
	assert_true(o->panel->ops->search(o->panel, what, 0, &err));
	o->panel->ops->search(o->panel, "", 1, NULL);
	requery(o);
}

TEST_WITH(test_begins_at_the_largest, struct open *o)
{
	assert_int_equal(o->session.metric, CUBE_MPI_WAIT_NXN);
	sees(o, "1.40 ms Wait at N x N");
	sees(o, "Wait at N x N (mpi_wait_nxn): ");
	/* Of 8 ranks x 5.07 ms. */
	sees(o, "1.40000 ms, 3.5 % of total time");
	sees(o, "350.000 us, 0.9 %");
	sees(o, "main > MPI_Allreduce");
	/* Rank r waits 5 (70 - 10 r) us. */
	sees(o, "350 us rank 0");
	sees(o, "50.0 us rank 6");
	sees(o, "0 rank 7");
	/* Nothing of it anywhere else, nor what this trace has not. */
	sees(o, "0 MPI_Recv");
	sees_not(o, "OpenMP");
	sees_not(o, "Early Reduce");
}

TEST_WITH(test_selection_links_the_trees, struct open *o)
{
	find(o, "^Late Sender$");
	assert_int_equal(o->session.metric, CUBE_MPI_LATESENDER);
	sees(o, "100 us Late Sender");
	sees(o, "100 us MPI_Recv");
	press(o, ACTION_NEXT_PANE);
	find(o, "MPI_Recv");
	sees(o, "100 us rank 0");
	sees(o, "0 rank 1");
	sees(o, "100.000 us");
	const uint32_t path = o->session.callpath;
	assert_int_equal(strcmp(trace_region_name(o->session.trace,
						  trace_callpath_region(o->session.trace, path)),
				"MPI_Recv"),
			 0);
	find(o, "compute");
	sees(o, "0 rank 0");
	/* The time: 5 * 0.6 ms on each rank. */
	press(o, ACTION_PREV_PANE);
	find(o, "Computation");
	sees(o, "3.00 ms rank 0");
	sees(o, "24.0 ms compute");
}

/* Sends 8 * 5 * 50 us, receives 8 * 5 * 150 us: point-to-point has 8 ms, without Late Sender 7.9
 * ms. */
TEST_WITH(test_open_rows_are_exclusive, struct open *o)
{
	find(o, "^Point-to-point$");
	sees(o, "7.90 ms - Point-to-point");
	sees(o, "own 7.90000 ms, all 8.00000 ms");
	/* Its call paths and locations follow: receives less the 100 us of rank 0. */
	sees(o, "5.90 ms MPI_Recv");
	sees(o, "2.00 ms MPI_Send");
	press(o, ACTION_TOGGLE);
	sees(o, "8.00 ms + Point-to-point");
	sees(o, "6.00 ms MPI_Recv");
	/* The same of a call path: all of main, or what it has itself. */
	press(o, ACTION_NEXT_PANE);
	press(o, ACTION_FIRST);
	sees(o, "0 - main");
	sees(o, "0 rank 0");
	press(o, ACTION_TOGGLE);
	sees(o, "8.00 ms + main");
	sees(o, "1.00 ms rank 0");
}

TEST_WITH(test_per_cent, struct open *o)
{
	find(o, "^Late Sender$");
	press(o, ACTION_NEXT_PANE);
	find(o, "MPI_Recv");
	press(o, ACTION_VALUES);
	/* 100 us of 8 * 5 ms. */
	sees(o, "0.25 % Late Sender");
	sees(o, "0.25 % MPI_Recv");
	press(o, ACTION_VALUES);
	sees(o, "100 % MPI_Recv");
	sees(o, "100 % rank 0");
	press(o, ACTION_VALUES);
	sees(o, "100 us Late Sender");
}

/* An older run of ten steps: twice of everything. */
TEST_WITH(test_per_cent_of_another_trace, struct open *o)
{
	o->session.other = other_new(sample_trace(8, 10), NULL, BASE_MEASURED);
	find(o, "^Late Sender$");
	press(o, ACTION_NEXT_PANE);
	find(o, "MPI_Recv");
	for (int i = 0; i < 3; i++)
		press(o, ACTION_VALUES);
	sees(o, "per cent of the other trace");
	sees(o, "50.0 % Late Sender");
	sees(o, "50.0 % - Point-to-point");
	sees(o, "50.0 % Wait at N x N");
	sees(o, "50.0 % MPI_Recv");
	sees(o, "50.0 % rank 0");
	sees(o, "0 rank 1");
	/* All of main, and main alone. */
	press(o, ACTION_PREV_PANE);
	find(o, "Computation");
	press(o, ACTION_NEXT_PANE);
	press(o, ACTION_FIRST);
	press(o, ACTION_TOGGLE);
	sees(o, "50.0 % + main");
	sees(o, "50.0 % rank 5");
	press(o, ACTION_VALUES);
	sees(o, "3.00 ms rank 5");
}

TEST_WITH(test_window_rows_and_filter, struct open *o)
{
	struct err err = ERR_INIT;

	find(o, "^Late Sender$");
	/* The first two steps, and of the third the first half of the wait. */
	session_zoom(&o->session, 0, 2660000);
	requery(o);
	sees(o, "50.0 us Late Sender");
	session_zoom(&o->session, o->session.run.t0, o->session.run.t1);
	/* Without rank 0 nobody waits for a sender. */
	session_hide(&o->session, 0);
	requery(o);
	sees_not(o, "rank 0");
	sees_not(o, "Late Sender");
	session_show_all(&o->session);
	requery(o);
	/* What was chosen comes back with it. */
	sees(o, "100 us Late Sender");
	assert_true(session_set_filter(&o->session, "region == MPI_Allreduce", &err));
	requery(o);
	sees_not(o, "Late Sender");
	sees_not(o, "compute");
	sees(o, "5.20 ms - Collective"); /* 8 ms without waiting and completion */
}

/* No region is called x: no metric, no call path, but the locations are there. */
TEST_WITH(nothing_passes_the_filter, struct open *o)
{
	struct err err = ERR_INIT;

	assert_true(session_set_filter(&o->session, "region == x", &err));
	requery(o);
	press(o, ACTION_NEXT_PANE);
	press(o, ACTION_NEXT_PANE);
	press(o, ACTION_HOTTEST);
	sees(o, "rank 0");
	press(o, ACTION_ENTER);
	sees(o, "0 waits");
}

TEST_WITH(test_instances, struct open *o)
{
	find(o, "^Late Sender$");
	press(o, ACTION_ENTER);
	sees(o, "5 waits sum 100.0 us mean 20.00 us standard deviation 0 s");
	sees(o, "min 20.00 us quartiles 20.00 us, 20.00 us, 20.00 us max 20.00 us");
	sees(o, "0.000650000 0 MPI_Recv");
	sees(o, "1,024 B");
	sees_not(o, "collective");
	/* The third of them, with its sender at 2,670 us. */
	press(o, ACTION_DOWN);
	press(o, ACTION_DOWN);
	assert_true(press(o, ACTION_ENTER) & REACT_REDRAW);
	assert_string_equal(o->session.asked.goto_view, "timeline");
	assert_int_equal(o->session.cursor.location, 0);
	assert_int_equal(o->session.cursor.time, 2650000);
	assert_true(o->session.window.t0 < 2650000 && o->session.window.t1 > 2670000);
	press(o, ACTION_BACK);
	sees(o, "Metric");
}

/* Rank 0 waits for rank 63: both go to the top of the timeline, and are let go by the next one. */
TEST(test_partner_in_sight)
{
	struct open o;

	open_panel(&o, sample_trace(64, 2), 120, 36);
	const struct arrangement *a = &o.session.arrangement;
	find(&o, "^Late Sender$");
	press(&o, ACTION_ENTER);
	for (int i = 0; i < 2; i++) {
		press(&o, ACTION_ENTER);
		assert_int_equal(a->pins.n, 2);
		assert_int_equal(a->pins.data[0].location, 0);
		assert_int_equal(a->pins.data[1].location, 63);
		press(&o, ACTION_DOWN);
	}
	close_panel(&o);
	/* Of few ranks both are in sight anyway. */
	open_panel(&o, sample_trace(8, 2), 120, 36);
	find(&o, "^Late Sender$");
	press(&o, ACTION_ENTER);
	press(&o, ACTION_ENTER);
	assert_int_equal(o.session.arrangement.pins.n, 0);
	close_panel(&o);
}

/* At 80 columns two panes; at 40 one; details where there are lines for them. */
TEST(test_sizes)
{
	static const struct {
		int w, h;
	} sizes[] = { { 80, 20 }, { 40, 10 }, { 20, 3 }, { 5, 1 }, { 200, 56 } };
	struct open o;

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		open_panel(&o, sample_trace(8, 2), sizes[i].w, sizes[i].h);
		screen(&o);
		if (sizes[i].w == 80) {
			sees(&o, "Metric");
			sees(&o, "Call path");
			sees_not(&o, "Location");
			press(&o, ACTION_NEXT_PANE);
			press(&o, ACTION_NEXT_PANE);
			sees_not(&o, "Metric");
			sees(&o, "Location");
		}
		press(&o, ACTION_NEXT_PANE);
		press(&o, ACTION_ENTER);
		screen(&o);
		close_panel(&o);
	}
}

/* ---- the table of instances against a count of its own ---- */

static int ascending(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static bool is_below(const struct trace *trace, uint32_t path, uint32_t above)
{
	for (; path; path = trace_callpath(trace, trace_callpath(trace, path)->parent)->canon)
		if (path == above)
			return true;
	return false;
}

TEST(test_table_of_waits)
{
	enum { MOST = 4096 };
	static int64_t lengths[MOST];
	ENDED_BY(close_panel) struct open o;
	struct err err = ERR_INIT;

	open_panel(&o, sample_trace(9, 7), 100, 30);
	const struct trace *trace = o.session.trace;
	const struct analysis *analysis =
		analyses_get(o.session.analyses, BASE_MEASURED, NULL, &err);
	struct query query = session_query(&o.session);
	for (int m = 0; m < CUBE_METRICS; m++)
		for (uint32_t path = 1; path < trace_callpath_count(trace); path++) {
			size_t n = 0;
			query.metric = (uint8_t)m;
			query.callpath = path;
			for (uint32_t l = 0; l < trace_location_count(trace); l++) {
				size_t all;
				const struct wait *w = analysis_waits(analysis, l, &all);
				for (size_t i = 0; i < all; i++)
					if (w[i].metric == m && is_below(trace, w[i].path, path))
						lengths[n++] = w[i].length;
			}
			if (n == 0)
				continue; /* sums of others */
			SORT(lengths, n, ascending);
			struct table *table = waits_table_new(&query, &err);
			assert_non_null(table);
			assert_int_equal(table->rows, n);
			const struct wait_statistics *s = waits_table_statistics(table);
			double sum = 0;
			for (uint64_t row = 0; row < n; row++) {
				const struct wait *w = waits_table_wait(table, row);
				assert_int_equal(w->length, lengths[n - 1 - row]);
				sum += (double)w->length;
			}
			assert_int_equal(s->count, n);
			assert_true(s->sum == sum && s->min == lengths[0] &&
				    s->max == lengths[n - 1]);
			const double at = (double)(n - 1) / 2;
			const double median =
				(double)(lengths[(size_t)at] + lengths[(size_t)(at + 0.5)]) / 2;
			assert_true(s->median >= median - 0.5 && s->median <= median + 0.5);
			table_free(table);
		}
}
