/* What lines cost, by numbers worked out by hand, of one rank:
 *
 *	10 main {			0 .. 100
 *		20 loop {		10 .. 60
 *			22 sweep()	20 .. 50, in it 62 MPI_Send 30 .. 40
 *			24 loop {	52 .. 58
 *			} 28
 *		} 30
 *		40 MPI_Send		60 .. 70
 *		33 loop MPI_Send	70 .. 80, on one line, in it 72 .. 78
 *	} 50
 *	60 sweep {
 */
#include "harness/files.h"
#include "harness/test.h"
#include "views/facts/source_costs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/made_run.h"
#include "views/facts/source_place.h"
#include "views/query/table.h"
#include "views/query/view.h"

struct seen {
	struct made_run run;
	struct graph *graph;
	uint32_t file;
};

static uint32_t text(const struct seen *s, const char *t)
{
	return builder_string(s->run.b, t, strlen(t));
}

static int begin(void **state)
{
	static struct seen s;
	const struct graph_options all = { .t0 = INT64_MIN, .t1 = INT64_MAX, .jobs = 1 };
	struct err err = ERR_INIT;

	s = (struct seen){ 0 };
	made_run_begin(&s.run, CLASS_P2P);
	made_run_write(&s.run,
		       "region main file app.c line 10-50; region sweep file app.c line 60-70\n"
		       "region outer role 3 file app.c line 20-30\n"
		       "region inner role 3 file app.c line 24-28\n"
		       "region single role 3 file app.c line 33-33\n"
		       "rank 0: main@0 {\n"
		       "  outer@10 { sweep:22@20 { MPI_Send:62@30-40 } @50 inner@52-58 } @60\n"
		       "  MPI_Send:40@60-70 single@70 { MPI_Send:33@72-78 } @80 } @100");
	s.file = text(&s, "app.c");
	made_run_finish(&s.run);
	s.graph = graph_new(s.run.t, &all, NULL, &err);
	assert_non_null(s.graph);
	*state = &s;
	return 0;
}

static int end(void **state)
{
	struct seen *s = *state;

	graph_free(s->graph);
	made_run_fini(&s->run);
	return 0;
}

GROUP_FIXTURE(begin, end)

TEST_WITH(lines_cost_what_was_spent_there, const struct seen *s)
{
	static const struct {
		uint32_t line;
		int64_t time, own;
		unsigned kinds;
		bool hot;
	} want[] = {
		/* main without what it contains: 100 - 50 - 10 - 10 */
		{ 10, 100, 30, 1 << GRAPH_KIND_PROCEDURE, true },
		{ 20, 50, 14, 1 << GRAPH_KIND_LOOP, true },
		{ 22, 30, 30, 1 << GRAPH_KIND_CALL, true },
		{ 24, 6, 6, 1 << GRAPH_KIND_LOOP, false },
		/* The loop is counted once, with what stands in it. */
		{ 33, 10, 10, 1 << GRAPH_KIND_LOOP | 1 << GRAPH_KIND_COMMUNICATION, true },
		{ 40, 10, 10, 1 << GRAPH_KIND_COMMUNICATION, true },
		{ 60, 30, 20, 1 << GRAPH_KIND_PROCEDURE, true },
		{ 62, 10, 10, 1 << GRAPH_KIND_COMMUNICATION, true },
	};
	ENDED_BY(source_costs_fini) struct source_costs costs = { 0 };

	source_costs_make(&costs, s->graph, s->file);
	assert_int_equal(costs.marks.n, sizeof want / sizeof *want);
	for (size_t i = 0; i < costs.marks.n; i++) {
		const struct source_mark *mark = &costs.marks.data[i];
		assert_int_equal(mark->line, want[i].line);
		assert_int_equal(mark->time, want[i].time);
		assert_int_equal(mark->own, want[i].own);
		assert_int_equal(mark->kinds, want[i].kinds);
		assert_int_equal(mark->count, 1);
		/* All but the least are needed for nine tenths of 130. */
		assert_int_equal(mark->hot, want[i].hot);
		assert_ptr_equal(source_costs_at(&costs, want[i].line), mark);
	}
	assert_int_equal(costs.own, 130);
	assert_int_equal(costs.most, 30);
	assert_null(source_costs_at(&costs, 23));
	assert_int_equal(source_costs_from(&costs, 23), 3);
	assert_int_equal(source_costs_from(&costs, 1000), costs.marks.n);
}

TEST_WITH(lines_of_a_procedure_sum_up_to_it, const struct seen *s)
{
	ENDED_BY(source_costs_fini) struct source_costs costs = { 0 };
	int64_t of_main = 0, of_sweep = 0;

	source_costs_make(&costs, s->graph, s->file);
	for (size_t i = 0; i < costs.marks.n; i++)
		*(costs.marks.data[i].line < 60 ? &of_main : &of_sweep) += costs.marks.data[i].own;
	assert_int_equal(of_main, 100);
	assert_int_equal(of_sweep, 30);
}

TEST_WITH(loops_nest, const struct seen *s)
{
	ENDED_BY(source_costs_fini) struct source_costs costs = { 0 };

	source_costs_make(&costs, s->graph, s->file);
	assert_int_equal(costs.loops.n, 2);
	assert_int_equal(costs.loops.data[0].line, 20);
	assert_int_equal(costs.loops.data[0].end_line, 30);
	assert_int_equal(costs.loops.data[0].depth, 0);
	assert_int_equal(costs.loops.data[1].line, 24);
	assert_int_equal(costs.loops.data[1].depth, 1);
}

TEST_WITH(where_most_was_spent, const struct seen *s)
{
	const uint32_t node = source_hottest(s->graph);
	struct source_place place;

	assert_true(source_of_node(s->graph, node, &place));
	assert_int_equal(place.line, 10);
	assert_int_equal(place.file, s->file);
	assert_int_equal(place.node, node);
	assert_false(source_of_node(s->graph, GRAPH_PROGRAM, &place));
	assert_int_equal(place.file, 0);
}

/* The call path of the only event of a kind at a time. */
static uint32_t path_at(const struct seen *s, int64_t t)
{
	return trace_path_at(s->run.t, BASE_MEASURED, s->run.location[0], t);
}

TEST_WITH(places_of_call_paths, const struct seen *s)
{
	struct source_place place;

	/* Where it was called from, */
	assert_true(source_of_callpath(s->run.t, path_at(s, 35), &place));
	assert_int_equal(place.line, 62);
	assert_true(source_of_callpath(s->run.t, path_at(s, 25), &place));
	assert_int_equal(place.line, 22);
	/* else where it stands. */
	assert_true(source_of_callpath(s->run.t, path_at(s, 5), &place));
	assert_int_equal(place.line, 10);
	assert_int_equal(place.file, s->file);
	assert_false(source_of_callpath(s->run.t, 0, &place));
	assert_int_equal(place.file, 0);
}

/* A file app.c of 70 lines, indented, in a folder of its own. */
static void write_source(char *folder)
{
	OWNED_STR path = STR_INIT, text = STR_INIT;

	folder_make(folder, "lines");
	str_add_fmt(&path, "%s/app.c", folder);
	for (int i = 1; i <= 70; i++)
		str_add_fmt(&text, "\t  line %d  \r\n", i);
	file_write(path.text, text.text, text.n);
}

static struct value cell(struct table *table, uint64_t row, const char *name)
{
	static struct value values[TABLE_COLUMNS];

	table_cells(table, row, values);
	for (unsigned c = 0; c < table->n_columns; c++)
		if (strcmp(table->columns[c].name, name) == 0)
			return values[c];
	fail_msg("there is no column %s", name);
	return values[0];
}

TEST_WITH(lines_are_exported_with_their_text, const struct seen *s)
{
	/* Most own time first, then by line; the table of the test before this one has the sums. */
	static const struct {
		int64_t line, own;
		const char *kind;
	} want[] = {
		{ 10, 30, "procedure" }, { 22, 30, "call" },          { 60, 20, "procedure" },
		{ 20, 14, "loop" },      { 40, 10, "communication" }, { 62, 10, "communication" },
		{ 24, 6, "loop" },       { 33, 6, "communication" },  { 33, 4, "loop" },
	};
	char folder[FOLDER_NAME], text[16];
	struct query query = { .trace = s->run.t, .t0 = INT64_MIN, .t1 = INT64_MAX };
	struct err err = ERR_INIT;
	struct table *table;
	size_t n = 0;

	write_source(folder);
	query.source_path = folder;
	table = lines_table_new(&query, &err);
	assert_non_null(table);
	for (uint64_t row = table_first(table); row != ROW_NONE;
	     row = table_next(table, row), n++) {
		assert_true(n < sizeof want / sizeof *want);
		assert_int_equal(cell(table, row, "line").integer, want[n].line);
		assert_int_equal(cell(table, row, "own_s").integer, want[n].own);
		assert_string_equal(cell(table, row, "kind").text, want[n].kind);
		snprintf(text, sizeof text, "line %lld", (long long)want[n].line);
		assert_string_equal(cell(table, row, "text").text, text);
	}
	assert_int_equal(n, sizeof want / sizeof *want);
	table_free(table);
	/* Without the file the lines are there all the same. */
	query.source_path = NULL;
	table = lines_table_new(&query, &err);
	assert_false(cell(table, table_first(table), "text").known);
	assert_string_equal(cell(table, table_first(table), "remarks").text, "no such file");
	table_free(table);
	folder_remove(folder);
}

TEST_WITH(a_file_that_nobody_knows, const struct seen *s)
{
	ENDED_BY(source_costs_fini) struct source_costs costs = { 0 };

	source_costs_make(&costs, s->graph, 0);
	assert_int_equal(costs.marks.n, 0);
	assert_int_equal(costs.loops.n, 0);
	assert_null(source_costs_at(&costs, 10));
}
