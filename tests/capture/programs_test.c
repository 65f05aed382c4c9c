/* Real programs under tvrun: what the trace says is what the programs say they did. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/traced.h"
#include "harness/test.h"
#include "model/trace/gap.h"
#include "model/trace/message.h"

static struct traced *run_with(const char *options, int ranks, const char *program,
			       const char *arguments)
{
	struct traced *t = traced_well(ranks, options, program, arguments);

	assert_int_equal(trace_location_of_rank(t->trace, ranks - 1) != UINT32_MAX, 1);
	/* Whole runs: nothing to complain of. */
	assert_int_equal(trace_finding_sum(t->trace, FINDING_DAMAGE), 0);
	assert_int_equal(trace_finding_sum(t->trace, FINDING_ODDITY), 0);
	assert_null(trace_property_value(t->trace, "incomplete"));
	return t;
}

static struct traced *run(int ranks, const char *program, const char *arguments)
{
	return run_with("--yield", ranks, program, arguments);
}

/* Every function, however often. */
static struct traced *run_complete(int ranks, const char *program, const char *arguments)
{
	return run_with("--yield --no-insitu", ranks, program, arguments);
}

static void run_and_compare(int ranks, const char *program, const char *arguments)
{
	OWNED_TRACED *t = run(ranks, program, arguments);

	traced_compare(t);
}

TEST(test_ring)
{
	run_and_compare(4, "programs/ring", "6 1000 1000");
}

TEST(test_sweep)
{
	run_and_compare(4, "programs/sweep", "4 100 1000");
}

TEST(test_farm)
{
	OWNED_TRACED *t = run(4, "programs/farm", "30 1000");

	traced_compare_messages(t);
	/* 30 tasks, each between tview_begin and tview_end; one mark. */
	assert_int_equal(traced_count(t, EV_ENTER, "task"), 30);
	assert_int_equal(traced_count(t, EV_LEAVE, "task"), 30);
	assert_int_equal(traced_count(t, EV_ENTER, "hand out"), 1);
	assert_int_equal(traced_count(t, EV_MARK, NULL), 1);
}

TEST(test_matrix)
{
	run_and_compare(4, "programs/matrix", "40 3 2");
}

TEST(test_stencil)
{
	OWNED_TRACED *t = run(4, "programs/stencil", "16 10");
	const struct topology *grid;

	traced_compare(t);
	/* MPI_Dims_create makes 2 x 2 of 4. */
	assert_int_equal(trace_topology_count(t->trace), 1);
	grid = trace_topology(t->trace, 0);
	assert_int_equal(grid->dims, 2);
	assert_int_equal(grid->size[0], 2);
	assert_int_equal(grid->size[1], 2);
	assert_int_equal(grid->periodic[0], 0);
	assert_int_equal(grid->coords[2 * 2], 1); /* rank 2 is (1, 0) */
	assert_int_equal(grid->coords[2 * 2 + 1], 0);
}

static void expect_grid(const struct trace *trace, uint32_t id, const char *name, uint32_t dims,
			const int32_t *size, const uint8_t *periodic, const int32_t *coords)
{
	const struct topology *t = trace_topology(trace, id);

	assert_string_equal(trace_string(trace, t->name), name);
	assert_int_equal(t->comm, 0);
	assert_int_equal(t->dims, dims);
	assert_memory_equal(t->size, size, dims * sizeof *size);
	assert_memory_equal(t->periodic, periodic, dims);
	assert_memory_equal(t->coords, coords, 4 * dims * sizeof *coords);
}

/* What tests/capture/programs/grids.c says by tview.h, written out. */
static void expect_grids(const struct trace *trace)
{
	assert_int_equal(trace_topology_count(trace), 3);
	expect_grid(trace, 0, "torus", 3, (const int32_t[]){ 2, 3, 1 },
		    (const uint8_t[]){ 0, 1, 0 },
		    (const int32_t[]){ 0, 1, 0, 1, 1, 0, 0, 2, 0, 1, 2, 0 });
	expect_grid(trace, 1, "grid 2", 8, (const int32_t[]){ 1, 1, 1, 1, 1, 1, 1, 4 },
		    (const uint8_t[8]){ 0 },
		    (const int32_t[]){ 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 2,
				       0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0 });
	expect_grid(trace, 2, "row", 1, (const int32_t[]){ 5 }, (const uint8_t[]){ 0 },
		    (const int32_t[]){ 1, 4, 4, -1 });
}

TEST(test_grids_by_hand)
{
	OWNED_TRACED *t = run(4, "tests/capture/programs/grids", "right");
	OWNED_TRACED *archive =
		traced_run_to("run.otf2", 4, "", "tests/capture/programs/grids", "right");

	expect_grids(t->trace);
	assert_null(trace_property_value(t->trace, "topologies"));
	assert_int_equal(archive->status, 0);
	assert_non_null(archive->trace);
	expect_grids(archive->trace);
}

/* Twelve calls that make no sense; what does is there. */
TEST(test_wrong_grids)
{
	OWNED_TRACED *t = run(4, "tests/capture/programs/grids", "wrong");

	assert_int_equal(trace_topology_count(t->trace), 1);
	expect_grid(t->trace, 0, "square", 2, (const int32_t[]){ 2, 2 }, (const uint8_t[]){ 0, 0 },
		    (const int32_t[]){ -1, -1, 1, 0, -1, -1, -1, -1 });
	assert_non_null(strstr(t->said.text,
			       "tvrun: warning: 12 calls of tview_topology and tview_coords "
			       "ignored: tview_topology(none) of rank 1: "));
	traced_has(t, "topologies", "12 calls ignored");
	/* Without tvrun: nothing. */
	assert_int_equal(system(TEST_BUILD "/tests/capture/programs/grids wrong 1"), 0);
}

TEST(test_collectives)
{
	run_and_compare(4, "programs/collectives", "7 2 100");
	run_and_compare(3, "programs/collectives", "1 3 100");
}

/* The line of a file on which a text stands: the second source for what debug information says. */
static uint32_t line_of(const char *path, const char *text)
{
	FILE *in = fopen(path, "r");
	uint32_t number = 0, found = 0;
	char line[512];

	assert_non_null(in);
	while (!found && fgets(line, sizeof line, in)) {
		number++;
		if (strstr(line, text))
			found = number;
	}
	fclose(in);
	assert_true(found > 0);
	return found;
}

TEST(test_functions_and_lines)
{
	const char *const source = "traces/programs/pi.c";
	OWNED_TRACED *t = run_complete(3, "programs/pi", "500 2");
	const struct region *region;
	bool seen = false;

	traced_compare_messages(t);
	assert_int_equal(traced_did(t, "get_coords"), 2 * 500 * 2);
	assert_int_equal(traced_count(t, EV_ENTER, "get_coords"), 2 * 500 * 2);
	assert_int_equal(traced_count(t, EV_ENTER, "throw_darts"), 2 * 2);
	region = trace_region(t->trace, traced_region(t, "get_coords"));
	assert_string_equal(trace_string(t->trace, region->file), source);
	assert_int_equal(region->line, line_of(source, "void get_coords("));
	assert_int_equal(region->cls, CLASS_USER);
	for (uint32_t i = 1; i < trace_callpath_count(t->trace); i++) {
		const struct site *site = trace_site(t->trace, trace_callpath(t->trace, i)->site);
		if (strcmp(trace_region_name(t->trace, site->region), "MPI_Send") != 0)
			continue;
		assert_string_equal(trace_string(t->trace, site->file), source);
		assert_int_equal(site->line, line_of(source, "MPI_Send(&hits"));
		seen = true;
	}
	assert_true(seen);
}

/* Probes behind the guard of tview.h: the same functions, and in the trace they are what the
 * compiler's hooks make. */
TEST(test_guards)
{
	OWNED_TRACED *t = run_complete(2, "programs/guard/mix", "50 20"),
		     *late = run(2, "programs/late", "10 20");

	traced_compare_collectives(t);
	assert_int_equal(traced_count(t, EV_ENTER, "take_root"), traced_did(t, "take_root"));
	assert_int_equal(traced_count(t, EV_LEAVE, "take_root"), 50 * 20);
	assert_int_equal(traced_count(t, EV_ENTER, "stir"), traced_did(t, "stir"));
	assert_int_equal(traced_count(t, EV_ENTER, "main"), 0);
	assert_string_equal(trace_property_value(t->trace, "cost-guard"), "inline");
	assert_string_equal(trace_property_value(t->trace, "insitu"), "off");
	traced_compare_messages(late);
	assert_string_equal(trace_property_value(late->trace, "cost-guard"), "call");
	assert_string_equal(trace_property_value(late->trace, "insitu"), "clock");
}

/* Of the gaps of all locations those in which nothing was noted. */
static long blank_gaps(const struct traced *t)
{
	long blank = 0;

	for (uint32_t l = 0; l < trace_location_count(t->trace); l++) {
		struct gap_counts counts = { 0, 0, 0 };
		struct cursor c;
		for (bool ok = cursor_first(&c, t->trace, BASE_MEASURED, l); ok;
		     ok = cursor_next(&c))
			blank += gap_of_event(t->trace, cursor_what(&c), &counts) &&
				 counts.noted == 0;
	}
	return blank;
}

/* Times of functions are reckoned in some segments, and in some of these probes do nothing; as many
 * records are there as functions were visited, and the trace says which. */
TEST(test_gaps)
{
	static const char *const programs[] = { "programs/guard/mix", "programs/mix" };

	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
		OWNED_TRACED *t = run(2, programs[i], "50 400");
		const char *gaps = trace_property_value(t->trace, "gaps");
		const long n = traced_count(t, EV_DATA, NULL);
		traced_compare_collectives(t);
		if (traced_count(t, EV_ENTER, "tview_unrecorded") > 0) {
			print_message("%s lost its core for long: not all was recorded\n",
				      programs[i]);
			continue;
		}
		assert_int_equal(traced_count(t, EV_ENTER, "stir"), 50 * 400);
		assert_int_equal(traced_count(t, EV_LEAVE, "stir"), 50 * 400);
		assert_int_equal(traced_count(t, EV_ENTER, "take_root"), 50 * 400);
		assert_int_equal(traced_count(t, EV_ENTER, NULL), traced_count(t, EV_LEAVE, NULL));
		/* At most 64 of a kind: one to begin with, and that between two batches. */
		assert_in_range(n, 2 * 12, 2 * (64 + 64));
		assert_non_null(gaps);
		assert_int_equal(strtol(gaps, NULL, 10), n);
		/* One in four has notes, which the others are taken to repeat. */
		assert_in_range(blank_gaps(t), 2, n - n / 4);
	}
}

/* How often MPI is called from each call path: sorted texts, one for each call. */
static char **mpi_paths(const struct traced *t, size_t *n)
{
	VEC(char *) texts = VEC_INIT;

	for (uint32_t l = 0; l < trace_location_count(t->trace); l++) {
		struct cursor c;
		for (bool ok = cursor_first(&c, t->trace, BASE_MEASURED, l); ok;
		     ok = cursor_next(&c)) {
			const uint32_t path = trace_event_path(t->trace, c.id);
			struct str text = STR_INIT;
			if (what_kind(cursor_what(&c)) != EV_ENTER ||
			    strncmp(trace_region_name(t->trace,
						      trace_callpath_region(t->trace, path)),
				    "MPI_", 4) != 0)
				continue;
			trace_callpath_text(t->trace, path, &text);
			vec_push(&texts, str_take(&text));
		}
	}
	*n = texts.n;
	return texts.data;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Calls of MPI have the call paths that they have in a run without gaps. */
TEST(test_call_paths)
{
	static const char *const runs[][2] = { { "programs/stencil", "8 60" },
					       { "programs/sweep", "60 10 10" },
					       { "programs/farm", "60 10" } };

	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		OWNED_TRACED *all = run_complete(4, runs[i][0], runs[i][1]),
			     *some = run(4, runs[i][0], runs[i][1]);
		size_t n[2];
		char **paths[2] = { mpi_paths(all, &n[0]), mpi_paths(some, &n[1]) };
		qsort(paths[0], n[0], sizeof *paths[0], by_text);
		qsort(paths[1], n[1], sizeof *paths[1], by_text);
		assert_int_equal(n[0], n[1]);
		for (size_t k = 0; k < n[0]; k++)
			assert_string_equal(paths[0][k], paths[1][k]);
		for (int k = 0; k < 2; k++) {
			while (n[k] > 0)
				free(paths[k][--n[k]]);
			free(paths[k]);
		}
	}
}

TEST(test_without_mpi_for_long)
{
	OWNED_TRACED *t = run(2, "programs/pi", "300000 1");

	traced_compare_messages(t);
	assert_int_equal(traced_count(t, EV_ENTER, "get_coords"), 300000);
	assert_int_equal(traced_count(t, EV_LEAVE, "get_coords"), 300000);
}

TEST(test_requests)
{
	OWNED_TRACED *t = run(2, "tests/capture/programs/requests", "");

	traced_compare(t);
	assert_int_equal(traced_did(t, "cancelled"), 2);
	assert_int_equal(traced_count(t, EV_REQUEST_CANCELLED, "MPI_Wait"), 2);
	/* Those that were incomplete for sure, and at most as many again as a loop made. */
	assert_true(traced_count(t, EV_REQUEST_TEST, NULL) >= traced_did(t, "incomplete-tests"));
	/* Isend, Issend, Irsend are completed by one MPI_Waitall; persistent sends three times by
	 * another. MPI may say of the first and third that they are complete as they begin, and the
	 * same of an Isend that is freed. */
	assert_in_range(traced_count(t, EV_SEND_COMPLETE, NULL), 2 * (3 + 3), 2 * (3 + 3 + 1));
	assert_in_range(traced_count(t, EV_SEND_COMPLETE, "MPI_Waitall"), 2 * (1 + 3), 2 * (3 + 3));
	assert_in_range(traced_count(t, EV_SEND_COMPLETE, "MPI_Irsend"), 0, 2);
	/* Modes: two bits in the flags. */
	for (uint32_t i = 0; i < trace_message_count(t->trace); i++) {
		const struct message *m = trace_message(t->trace, i);
		static const int mode_of[] = { 1, 2, 3, 0 };
		if (m->tag >= 400 && m->tag < 404)
			assert_int_equal((m->flags & MSG_MODE_MASK) >> MSG_MODE_SHIFT,
					 mode_of[m->tag - 400]);
	}
}

TEST(test_communicators)
{
	OWNED_TRACED *t = run(4, "tests/capture/programs/comms", "");
	uint32_t comm_of_first = 0;

	traced_compare(t);
	/* Two messages of one tag from 0 to 1: each in its own communicator, one of them named. */
	for (uint32_t i = 0, seen = 0; i < trace_message_count(t->trace); i++) {
		const struct message *m = trace_message(t->trace, i);
		if (m->tag != 11)
			continue;
		if (seen++ == 0)
			comm_of_first = m->comm;
		else
			assert_int_not_equal(m->comm, comm_of_first);
	}
	/* Members of the turned-round one, in its own order. */
	for (uint32_t i = 0; i < trace_message_count(t->trace); i++) {
		const struct message *m = trace_message(t->trace, i);
		const struct comm *comm = trace_comm(t->trace, m->comm);
		if (m->tag != 13)
			continue;
		assert_int_equal(comm->size, 4);
		assert_int_equal(comm->ranks[0], 3);
		assert_int_equal(comm->ranks[3], 0);
	}
}

TEST(test_threads)
{
	OWNED_TRACED *t = run_complete(2, "tests/capture/programs/threads", "");

	if (strstr(t->said.text, "skip")) {
		print_message("MPI gives no MPI_THREAD_MULTIPLE here\n");
		skip();
	}
	traced_compare_messages(t);
	assert_int_equal(trace_location_count(t->trace), 2 * 3);
	assert_int_equal(traced_count(t, EV_ENTER, "step"), traced_did(t, "step"));
}

/* Each rank's reads and writes, in order: function and bytes as the program counted them. */
static void compare_files(const struct traced *t)
{
	const struct tally_line *line = t->account.data, *end = line + t->account.n;

	for (int32_t rank = 0; rank < t->ranks; rank++) {
		const uint32_t location = trace_location_of_rank(t->trace, rank);
		struct cursor c;
		for (bool ok = cursor_first(&c, t->trace, BASE_MEASURED, location); ok;
		     ok = cursor_next(&c)) {
			const uint32_t what = cursor_what(&c);
			uint32_t path;
			if (what_kind(what) != EV_IO)
				continue;
			while (line < end && strcmp(line->what, "did") != 0)
				line++; /* a reduction of the tally */
			assert_true(line < end);
			assert_int_equal(line->rank, rank);
			path = trace_event_path(t->trace, c.id);
			assert_string_equal(trace_region_name(t->trace,
							      trace_callpath_region(t->trace,
										    path)),
					    line->name);
			assert_int_equal(trace_io_bytes(t->trace, what_id(what)), line->a);
			line++;
		}
	}
	assert_ptr_equal(line + 1, end);
}

TEST(test_files)
{
	static const char *const calls[] = { "MPI_File_open",     "MPI_File_close",
					     "MPI_File_sync",     "MPI_File_seek",
					     "MPI_File_write_at", "MPI_File_read_at_all" };
	static const long times[] = { 2, 1, 1, 1, 1, 1 };
	OWNED_TRACED *t = run(2, "tests/capture/programs/files", "");

	assert_int_equal(t->account.n, 2 * (6 + 1)); /* and the reduction of the tally */
	compare_files(t);
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		assert_int_equal(traced_count(t, EV_ENTER, calls[i]), 2 * times[i]);
		assert_int_equal(traced_count(t, EV_LEAVE, calls[i]), 2 * times[i]);
		assert_int_equal(trace_region(t->trace, traced_region(t, calls[i]))->cls, CLASS_IO);
	}
}

/* tvrun writes archives, too: nothing is lost on the way. */
TEST(test_otf2)
{
	static const struct {
		int ranks;
		const char *program, *arguments;
	} runs[] = { { 4, "programs/stencil", "16 10" },
		     { 4, "programs/collectives", "" },
		     { 2, "tests/capture/programs/requests", "" } };

	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		OWNED_TRACED *t = traced_run_to("run.otf2", runs[i].ranks, "--yield",
						runs[i].program, runs[i].arguments);
		if (t->status != 0 || !t->trace)
			fail_msg("%s ended with %d: %s", runs[i].program, t->status, t->said.text);
		assert_int_equal(trace_finding_sum(t->trace, FINDING_DAMAGE), 0);
		traced_compare(t);
	}
}
