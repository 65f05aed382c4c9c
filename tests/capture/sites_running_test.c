/* The recorder's statistics while the process runs, and after it was killed: rows are never torn
 * (sites_aid.h). */
#include <stdio.h>
#include <stdlib.h>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/lib/record_clock.h"
#include "capture/sites_aid.h"
#include "capture/traced.h"
#include "harness/test.h"

/* The rows of a process that goes on, as a look has them (rankfile.h), of which parts would not
 * fit together if they were torn. Calls so far, and the rows read. */
static uint64_t look_at(const char *path, uint64_t *rows)
{
	struct reading now;
	struct rankfile *file;
	struct tv_statistic row;
	struct rank_rows all;
	uint64_t calls = 0;
	uint32_t thread;

	tv_ticks_and_nanos(TV_CLOCK_TSC, &now.tick, &now.nano);
	file = rankfile_look(path, now, NULL, 0, NULL);
	if (!file)
		return 0;
	rank_rows_begin(&all, file);
	while (rank_rows_next(&all, &row, &thread)) {
		(*rows)++;
		if (row.kind == TV_STAT_COMMUNICATION)
			continue;
		assert_true(row.children <= row.time);
		assert_true(row.time >= row.least * row.count);
		assert_true(row.time <= row.most * row.count);
		/* The last one may be under way. */
		if (row.place == site_place(INNER) || row.place == site_place(OUTER)) {
			const uint64_t each = row.place == site_place(INNER) ? 3 : 1000;
			assert_true(row.loop.iterations <= each * row.count);
			assert_true(row.loop.iterations >= each * (row.count - 1));
		}
		calls += row.count;
	}
	rankfile_close(file);
	return calls;
}
static pid_t start_forever(const char *folder)
{
	const pid_t child = fork();
	char library[512], program[512], cwd[256];

	if (child != 0)
		return child;
	/* A test that fails in between leaves nobody behind. */
	prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0, 0, 0);
	if (!getcwd(cwd, sizeof cwd))
		_exit(127);
	snprintf(library, sizeof library, "%s/%s/lib/tview/libtvcapture.so", cwd, TEST_BUILD);
	snprintf(program, sizeof program, "%s/%s/tests/capture/programs/sites", cwd, TEST_BUILD);
	setenv("TVIEW_DIR", folder, 1);
	setenv("TVIEW_STATISTICS", "1", 1);
	setenv("LD_PRELOAD", library, 1);
	execl(program, program, "forever", (char *)NULL); /* alone, MPI needs no mpiexec */
	_exit(127);
}

/* What was open is in the rows as well, up to the latest that was heard of it. */
static void check_killed(const char *folder)
{
	OWNED struct site_ranks *r = xcalloc(1, sizeof *r);
	struct tv_statistic row;

	snprintf(r->folder, sizeof r->folder, "%s", folder);
	site_ranks_open(r);
	row = site_row(r, 0, MAIN, NOBODY);
	assert_int_equal(row.count, 1);
	assert_int_equal(row.flags, TV_STAT_LOST);
	assert_true(row.time > 0 && row.time == row.least && row.time == row.most);
	assert_true(row.children >= site_row(r, 0, OUTER, NOBODY).time && row.children <= row.time);
	rankfile_close(r->file[0]);
}

/* The file of the one process that is started; it may take a moment. */
static char *find_file(const char *folder)
{
	for (int i = 0; i < 1000; i++) {
		ENDED_BY(globfree) glob_t files = site_files(folder);
		if (files.gl_pathc)
			return xstrdup(files.gl_pathv[0]);
		usleep(10000);
	}
	fail_msg("no file in %s", folder);
	return NULL;
}

TEST(test_readers_meanwhile)
{
	char folder[FOLDER_NAME];
	uint64_t first = 0, last = 0, rows = 0;
	OWNED char *path = NULL;
	pid_t child;

	if (!traced_possible())
		skip();
	folder_make(folder, "sites");
	child = start_forever(folder);
	path = find_file(folder);
	for (int i = 0; i < 2000 && first == 0; i++) {
		first = look_at(path, &rows);
		usleep(1000);
	}
	assert_true(first > 0);
	/* A row of a process that waits for a core in the middle of changing it is left out: some
	 * looks see less. */
	for (rows = 0; rows < 20000 || (last <= first && rows < 1000000);) {
		const uint64_t calls = look_at(path, &rows);
		last = calls > last ? calls : last;
	}
	assert_true(last > first);
	/* Killed in the middle. */
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	check_killed(folder);
	folder_remove(folder);
}
