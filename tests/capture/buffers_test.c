/* Records pass from a thread's memory to the file: nothing is lost or there twice, whatever becomes
 * of the process (traced program: programs/numbered.c). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/run/rankfile.h"
#include "capture/traced.h"
#include "harness/test.h"

enum { NUMBERS = 251, KILLS = 30 };

struct numbered {
	char folder[FOLDER_NAME], count[FOLDER_NAME + 16];
	volatile uint64_t *done;
	pid_t child;
};

static void in_child(const struct numbered *n, const char *visits, const char *threads,
		     const char *variable)
{
	char library[512], program[512], cwd[256];

	prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0, 0, 0);
	if (!getcwd(cwd, sizeof cwd))
		_exit(127);
	snprintf(library, sizeof library, "%s/%s/lib/tview/libtvcapture.so", cwd, TEST_BUILD);
	snprintf(program, sizeof program, "%s/%s/tests/capture/programs/numbered", cwd, TEST_BUILD);
	setenv("TVIEW_DIR", n->folder, 1);
	setenv("LD_PRELOAD", library, 1);
	setenv(variable, "2097152", 1);
	execl(program, program, n->count, visits, threads, (char *)NULL);
	_exit(127);
}

/* `variable` is set to 2 MiB. */
static void start(struct numbered *n, const char *visits, const char *threads, const char *variable)
{
	int fd;

	folder_make(n->folder, "buffers");
	snprintf(n->count, sizeof n->count, "%s/count", n->folder);
	fd = open(n->count, O_RDWR | O_CREAT, 0600);
	assert_int_equal(ftruncate(fd, sizeof *n->done), 0);
	n->done = mmap(NULL, sizeof *n->done, PROT_READ, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(n->done, MAP_FAILED);
	close(fd);
	n->child = fork();
	if (n->child == 0)
		in_child(n, visits, threads, variable);
}

static struct rankfile *file_of(const struct numbered *n)
{
	char pattern[FOLDER_NAME + 16];
	struct err err = ERR_INIT;
	struct rankfile *file;
	glob_t files;

	snprintf(pattern, sizeof pattern, "%s/*.tvrank", n->folder);
	assert_int_equal(glob(pattern, 0, NULL, &files), 0);
	file = rankfile_open(files.gl_pathv[0], &err);
	assert_non_null(file);
	globfree(&files);
	return file;
}

static void end(struct numbered *n)
{
	munmap((void *)(uintptr_t)n->done, sizeof *n->done);
	folder_remove(n->folder);
}

/* Visits in a thread's stream, each with the number after the one before. */
static uint64_t visits_of(const struct rankfile *file, uint32_t thread, uint64_t first)
{
	uint64_t entered = first, left = first;
	const struct tv_head *head;
	struct rank_stream s;

	rank_stream_begin(&s, file, thread);
	while ((head = rank_stream_next(&s))) {
		const struct tv_function *f = (const void *)head;
		if (head->kind == TV_FUNCTION_ENTER)
			assert_int_equal(tv_function_address(f->what), 1 + entered++ % NUMBERS);
		if (head->kind == TV_FUNCTION_LEAVE)
			assert_int_equal(tv_function_address(f->what), 1 + left++ % NUMBERS);
	}
	assert_false(s.damaged);
	assert_in_range(entered - left, 0, 1);
	return entered - first;
}

/* At random moments, of which some are in the middle of a write. */
TEST(test_killed)
{
	uint32_t random = 1;

	if (!traced_possible())
		skip();
	for (int i = 0; i < KILLS; i++) {
		struct rankfile *file;
		struct numbered n;
		start(&n, "0", NULL, "TVIEW_BUFFER");
		while (*n.done == 0)
			usleep(100);
		random = random * 1103515245u + 12345u;
		usleep(random >> 16 & 0x7fff);
		kill(n.child, SIGKILL);
		waitpid(n.child, NULL, 0);
		file = file_of(&n);
		assert_in_range(visits_of(file, 0, 0), *n.done, *n.done + 1);
		assert_int_equal(file->head->state & TV_FULL, 0);
		rankfile_close(file);
		end(&n);
	}
}

/* 2 MiB of memory for 127 threads one after the other, each of which is recorded. */
TEST(test_short_threads)
{
	struct rankfile *file;
	struct numbered n;
	struct stat st;
	int status;

	if (!traced_possible())
		skip();
	start(&n, "100", "127", "TVIEW_BUFFER");
	waitpid(n.child, &status, 0);
	assert_int_equal(status, 0);
	file = file_of(&n);
	assert_int_equal(file->head->state & TV_FULL, 0);
	assert_int_equal(file->threads, 128);
	for (uint32_t thread = 1; thread < file->threads; thread++)
		assert_int_equal(visits_of(file, thread, (thread - 1) * 100), 100);
	assert_int_equal(stat(file->path, &st), 0);
	assert_true(st.st_blocks * 512 <= 8 << 20);
	rankfile_close(file);
	end(&n);
}

/* Where little more may be written visits stop, and the program goes on: three quarters of the room are
 * theirs. */
TEST(test_full)
{
	struct rankfile *file;
	struct numbered n;
	int status;

	if (!traced_possible())
		skip();
	start(&n, "400000", NULL, "TVIEW_MAX");
	waitpid(n.child, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(*n.done, 400000);
	file = file_of(&n);
	assert_int_equal(file->head->state & (TV_FULL | TV_EXITED), TV_EXITED);
	assert_true(file->head->functions_stopped > file->head->first_tick);
	/* What was written, and what is still in memory. */
	assert_in_range(visits_of(file, 0, 0) * 16, (3 << 19) * 9 / 10, (3 << 19) + TV_CHUNK_SIZE);
	rankfile_close(file);
	end(&n);
}

/* Where a chunk is damaged its thread's stream ends, and what was before it is there. */
TEST(test_damaged)
{
	const struct tv_chunk *copy = NULL;
	struct rankfile *file;
	const struct tv_head *head;
	struct rank_stream s;
	uint64_t records = 0;
	struct numbered n;
	int status;

	if (!traced_possible())
		skip();
	start(&n, "100000", NULL, "TVIEW_BUFFER");
	waitpid(n.child, &status, 0);
	assert_int_equal(status, 0);
	file = file_of(&n);
	assert_int_equal(visits_of(file, 0, 0), 100000);
	for (size_t i = 0; i < file->chunks.n && !copy; i++)
		copy = file->chunks.data[i]->used > TV_CHUNK_SIZE / 2 ? file->chunks.data[i] : NULL;
	assert_non_null(copy);
	memset((char *)(uintptr_t)copy + TV_CHUNK_SIZE / 4, 0, 64);
	rank_stream_begin(&s, file, 0);
	while ((head = rank_stream_next(&s)))
		records++;
	assert_true(s.damaged);
	assert_in_range(records, TV_CHUNK_SIZE / 4 / 8 * 3 / 4, TV_CHUNK_SIZE / 4 / 8);
	rankfile_close(file);
	end(&n);
}
