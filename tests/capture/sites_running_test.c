/* The recorder's statistics while the process runs, and after it was killed: rows are never torn
 * (sites_aid.h). */
#include <stdio.h>
#include <stdlib.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/sites_aid.h"
#include "capture/traced.h"
#include "harness/test.h"

static bool copy_row(const struct tv_statistic *from, struct tv_statistic *to)
{
	uint32_t seq;

	for (int i = 0; i < 1000; i++) {
		seq = __atomic_load_n(&from->seq, __ATOMIC_ACQUIRE);
		*to = *(const volatile struct tv_statistic *)from;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(seq & 1) && seq == __atomic_load_n(&from->seq, __ATOMIC_RELAXED))
			return true;
	}
	return false;
}

/* Rows of which parts would not fit together if they were torn. Calls so far. */
static uint64_t look_at(const struct tv_chunk *chunk)
{
	const uint64_t used = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);
	uint64_t calls = 0;

	for (uint64_t at = TV_STATISTIC_SIZE; at + TV_STATISTIC_SIZE <= used;
	     at += TV_STATISTIC_SIZE) {
		struct tv_statistic row;
		if (!copy_row((const void *)((const char *)chunk + at), &row))
			continue;
		if (row.kind == TV_STAT_COMMUNICATION)
			continue;
		assert_true(row.children <= row.time);
		assert_true(row.time >= row.least * row.count);
		assert_true(row.time <= row.most * row.count);
		if (row.place == site_place(INNER))
			assert_int_equal(row.loop.iterations, 3 * row.count);
		if (row.place == site_place(OUTER))
			assert_int_equal(row.loop.iterations, 1000 * row.count);
		calls += row.count;
	}
	return calls;
}

/* The file of the one process that is started; it may take a moment. */
static const struct tv_file *map_file(const char *folder, size_t *size)
{
	for (int i = 0; i < 1000; i++) {
		ENDED_BY(globfree) glob_t files = site_files(folder);
		const int fd = files.gl_pathc ? open(files.gl_pathv[0], O_RDONLY) : -1;
		struct stat st;
		if (fd >= 0 && fstat(fd, &st) == 0 &&
		    st.st_size >= TV_HEADER_SIZE + 4 * TV_CHUNK_SIZE) {
			void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
			close(fd);
			*size = (size_t)st.st_size;
			return at == MAP_FAILED ? NULL : at;
		}
		if (fd >= 0)
			close(fd);
		usleep(10000);
	}
	return NULL;
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

TEST(test_readers_meanwhile)
{
	char folder[FOLDER_NAME];
	const struct tv_file *file;
	const struct tv_chunk *chunk = NULL;
	uint64_t first = 0, last = 0;
	size_t size = 0;
	pid_t child;

	if (!traced_possible())
		skip();
	folder_make(folder, "sites");
	child = start_forever(folder);
	file = map_file(folder, &size);
	assert_non_null(file);
	for (int i = 0; i < 2000 && first == 0; i++) {
		for (uint32_t k = 0; k < 4; k++) {
			const struct tv_chunk *c =
				(const void *)((const char *)file + TV_HEADER_SIZE +
					       (size_t)k * TV_CHUNK_SIZE);
			if (c->used && c->holds == TV_HOLDS_ROWS)
				chunk = c;
		}
		first = chunk ? look_at(chunk) : 0;
		usleep(1000);
	}
	assert_true(first > 0);
	/* A row of a process that waits for a core in the middle of changing it is left out: some
	 * looks see less. */
	for (int i = 0; i < 20000 || (last <= first && i < 1000000); i++) {
		const uint64_t calls = look_at(chunk);
		last = calls > last ? calls : last;
		if (i % 1000 == 999)
			usleep(1000);
	}
	assert_true(last > first);
	/* Killed in the middle. */
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_true(look_at(chunk) > 0); /* a row may be torn now */
	check_killed(folder);
	munmap((void *)(uintptr_t)file, size);
	folder_remove(folder);
}
