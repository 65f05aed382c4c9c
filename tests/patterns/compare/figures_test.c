/* Figures of a run, written and read back: nothing differs; damage is named with its line. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/files.h"
#include "harness/owners.h"
#include "harness/test.h"
#include "patterns/compare/delta.h"
#include "patterns/compare/figures.h"
#include "patterns/compare/pair_aid.h"

FREES(delta_free, struct delta)

static const char *const visits[] = {
	"main:1/read:2 5",
	"main:1/solve:3/relax:10/relax:11/relax:11 20",
	"main:1/solve:3/MPI_Recv:12 8",
	"main:1/solve:4/MPI_Recv:12 3",
	"main:1/a\tb\\c:5 2",
	NULL,
};

static const struct efficiency known = { 0.1, 0.25, 0.4, NAN, 1 / 3.0, 123456 };

static void keep(const char *path, const struct cube *cube)
{
	FILE *out = fopen(path, "w");

	figures_write(out, cube, BASE_CLC, &known);
	assert_int_equal(fclose(out), 0);
}

/* A third of a tick in one cell. */
static struct cube *odd_cube(const struct trace *trace)
{
	struct cube *cube = pair_cube(trace);

	cube_reopen(cube);
	cube_add(cube, CUBE_MPI_LATESENDER, pair_path(trace, "main > solve > MPI_Recv"), 1,
		 1000 / 3.0);
	cube_settle(cube);
	return cube;
}

TEST(what_is_read_is_what_was_written)
{
	OWNED_TRACE *trace = pair_trace(visits, 3);
	FREED_BY(cube_free) struct cube *cube = odd_cube(trace);
	ENDED_BY(figures_fini) struct figures f;
	struct err err = ERR_INIT;
	FREED_BY(delta_free) struct delta *d = NULL;
	char folder[FOLDER_NAME], path[128];

	folder_make(folder, "figures");
	snprintf(path, sizeof path, "%s/run.figures", folder);
	keep(path, cube);
	if (!figures_read(&f, path, &err))
		fail_msg("%s", err.text);
	assert_int_equal(f.base, BASE_CLC);
	assert_true(f.efficiency.parallel == 0.1 && f.efficiency.transfer == 1 / 3.0);
	assert_true(isnan(f.efficiency.serialisation) && f.efficiency.run_time == 123456);
	d = delta_new(cube, f.cube, NULL, 0);
	assert_int_equal(align_counts(delta_alignment(d)).gone, 0);
	assert_int_equal(align_counts(delta_alignment(d)).added, 0);
	assert_int_equal(delta_alignment(d)->rule, ALIGN_BY_LOCATION);
	for (int m = 0; m < CUBE_METRICS; m++) {
		struct delta_rows rows = { VEC_INIT };
		const struct delta_row total = delta_total(d, (enum cube_metric)m);
		assert_true(delta_difference(&total) == 0);
		delta_rows(d, (enum cube_metric)m, DELTA_BY_PATH | DELTA_BY_PLACE, &rows);
		for (size_t i = 0; i < rows.list.n; i++)
			assert_true(delta_difference(&rows.list.data[i]) == 0);
		vec_fini(&rows.list);
	}
	/* 38 ms on each of 3 ranks, ticks are microseconds. */
	assert_true(cube_total(f.cube, CUBE_TIME, NULL) == 3 * 38000);
	folder_remove(folder);
}

TEST(damage_is_named_with_its_line)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "damaged.figures:1: not the figures" },
		{ "tview-figures\t2\n", "damaged.figures:1: not the figures" },
		{ "tview-figures\t1\nbase\tsundial\n", "damaged.figures:2: no such time base" },
		{ "tview-figures\t1\nticks\t0\n", "damaged.figures:2: no number of ticks" },
		{ "tview-figures\t1\nlocation\t0\t0\t1\tx\n",
		  "damaged.figures:2: 'ticks' comes before" },
		{ "tview-figures\t1\nticks\t1000\nticks\t1000\n",
		  "damaged.figures:3: no number of ticks" },
		{ "tview-figures\t1\nticks\t1000\npath\t0\t0\t\t0\n",
		  "damaged.figures:3: locations come before" },
		{ "tview-figures\t1\nticks\t1000\nlocation\t0\t0\t1\tx\npath\t0\t0\t\t0\n",
		  "damaged.figures:4: a call path's parent" },
		{ "tview-figures\t1\nticks\t1000\nlocation\t0\t0\t1\tx\nregion\t0\t0\t0\tf\t\t0\n"
		  "path\t0\t0\t\t0\npath\t0\t0\t\t0\nend\t0\n",
		  "the same call path again" },
		{ "tview-figures\t1\nticks\t1000\nlocation\t0\t0\t1\tx\nregion\t0\t0\t0\tf\t\t0\n"
		  "path\t0\t0\t\t1\npath\t0\t0\t\t2\npath\t1\t0\t\t0\n",
		  "damaged.figures:7: this call path's parent" },
		{ "tview-figures\t1\nticks\t1000\nlocation\t0\t0\t1\tx\nvalue\ttime\t0\t1\t5\n",
		  "damaged.figures:4: a metric, call path, location and number" },
		{ "tview-figures\t1\nticks\t1000\nlocation\t0\t0\t1\tx\nvalue\ttime\t0\t0\t5\n",
		  "damaged.figures:5: the file ends too early" },
		{ "tview-figures\t1\nticks\t1000\nlocation\t0\t0\t1\tx\nend\t1\n",
		  "damaged.figures:4: values are missing" },
		{ "tview-figures\t1\nrubbish\n", "damaged.figures:2: unknown line" },
	};

	char folder[FOLDER_NAME], path[128];

	folder_make(folder, "figures");
	snprintf(path, sizeof path, "%s/damaged.figures", folder);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct figures f;
		struct err err = ERR_INIT;
		file_write(path, cases[i].text, strlen(cases[i].text));
		assert_false(figures_read(&f, path, &err));
		if (!strstr(err.text, cases[i].says))
			fail_msg("%zu: %s", i, err.text);
		assert_null(f.trace);
	}
	folder_remove(folder);
}
