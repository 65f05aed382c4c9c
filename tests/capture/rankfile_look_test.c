/* Looks at the rows of a process that changes them as fast as it can (rankfile.h): none is ever
 * torn, whether it goes on, is stopped or is killed in the middle of a change; and then the look
 * ends, and says so. LOOK_READS=N: that many rows are read. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/lib/record_clock.h"
#include "capture/lib/rows.h"
#include "capture/records_aid.h"
#include "capture/run/rankfile.h"
#include "harness/test.h"

enum { ROWS = 256, BURST = 50, READS = 1000000 };

/* A rank's file with rows that a child of this process hammers. */
struct hammered {
	struct merged m;
	char path[96];
	char *bytes;
	size_t size;
	pid_t child;
};

/* All of a row's numbers follow from one. */
static void fill(struct tv_statistic *row, uint64_t n)
{
	row->count = n;
	row->time = 3 * n;
	row->children = 2 * n;
	row->least = n + 1;
	row->most = n + 2;
	row->loop.inner = n + 3;
	row->loop.iterations = 5 * n;
	row->loop.quickest = n + 4;
	row->loop.slowest = n + 5;
	row->loop.iterated = n + 6;
	row->loop.probed = (struct tv_probed){ n + 7, n + 8, n + 9 };
}

static bool is_torn(const struct tv_statistic *row)
{
	const char *bytes = (const void *)row;
	struct tv_statistic whole = *row;

	fill(&whole, row->count);
	for (size_t i = 0; i < sizeof whole; i++)
		if (bytes[i] != ((const char *)&whole)[i])
			return true;
	return false;
}

static struct tv_statistic *rows_of(const struct hammered *h)
{
	return (void *)(h->bytes + TV_HEADER_SIZE + TV_CHUNK_SIZE + TV_STATISTIC_SIZE);
}

static void hammer(struct tv_statistic *rows)
{
	for (uint64_t n = 1;; n++)
		for (int i = 0; i < ROWS; i++)
			for (int k = 0; k < BURST; k++) {
				tv_row_begin(&rows[i]);
				fill(&rows[i], n * BURST + (uint64_t)k);
				tv_row_end(&rows[i]);
			}
}

/* The file says that the child is its process. What the one before was changing is whole now. */
static void hammer_begin(struct hammered *h)
{
	struct tv_file *head = (void *)h->bytes;
	struct tv_statistic *rows = rows_of(h);

	for (int i = 0; i < ROWS; i++) {
		rows[i].seq += rows[i].seq & 1;
		fill(&rows[i], 1);
	}
	h->child = fork();
	if (h->child == 0) {
		prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0, 0, 0);
		hammer(rows_of(h));
	}
	head->pid = h->child;
}

static void hammer_end(struct hammered *h)
{
	kill(h->child, SIGKILL);
	waitpid(h->child, NULL, 0);
}

static struct hammered hammered_new(void)
{
	struct hammered h = { .m = merged_begin() };
	struct made *rank = made_of_program(1, 0, NULL);
	int fd;

	h.size = rank->size;
	rank->head->state &= ~(uint32_t)TV_FINALISED;
	gethostname(rank->head->host, sizeof rank->head->host - 1);
	for (int i = 0; i < ROWS; i++)
		fill(made_row(rank, 1, 0, TV_STAT_LOOP, made_place(&made_unit, MAIN_FOR), 0), 1);
	made_write(&h.m, rank);
	snprintf(h.path, sizeof h.path, "%s/0.tvrank", h.m.folder);
	fd = open(h.path, O_RDWR);
	assert_true(fd >= 0);
	h.bytes = mmap(NULL, h.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	assert_ptr_not_equal(h.bytes, MAP_FAILED);
	hammer_begin(&h);
	return h;
}

static void hammered_end(struct hammered *h)
{
	hammer_end(h);
	munmap(h->bytes, h->size);
	merged_end(&h->m);
}
#define HAMMERED ENDED_BY(hammered_end) struct hammered

static struct rankfile *look(const struct hammered *h)
{
	struct reading now;
	struct rankfile *file;

	tv_ticks_and_nanos(TV_CLOCK_MONOTONIC, &now.tick, &now.nano);
	file = rankfile_look(h->path, now, NULL, 0, NULL);
	assert_non_null(file);
	return file;
}

/* Rows of the look; *odd of them may be torn, all others must not be. */
static uint64_t read_rows(const struct rankfile *file, uint64_t *odd)
{
	struct tv_statistic row;
	struct rank_rows all;
	uint64_t rows = 0;
	uint32_t thread;

	*odd = 0;
	rank_rows_begin(&all, file);
	while (rank_rows_next(&all, &row, &thread)) {
		if (row.seq & 1)
			++*odd;
		else
			assert_false(is_torn(&row));
		rows++;
	}
	return rows;
}

TEST(test_rows_that_change_all_the_time)
{
	HAMMERED h = hammered_new();
	const char *more = getenv("LOOK_READS");
	const uint64_t reads = more ? strtoull(more, NULL, 10) : READS;
	uint64_t rows = 0, looks = 0, missed = 0;

	while (rows < reads) {
		struct rankfile *file = look(&h);
		uint64_t odd;
		rows += read_rows(file, &odd);
		assert_int_equal(odd, 0);
		missed += file->missed;
		looks++;
		rankfile_close(file);
	}
	/* One at most of a look: where the process waited for a core. */
	assert_int_equal(rows + missed, looks * ROWS);
	print_message("# %llu rows in %llu looks, %llu of them not read\n",
		      (unsigned long long)rows, (unsigned long long)looks,
		      (unsigned long long)missed);
}

/* So the test above can fail. */
TEST(test_without_the_counter_rows_are_torn)
{
	HAMMERED h = hammered_new();
	uint64_t torn = 0;

	for (uint64_t i = 0; i < UINT64_C(1) << 32 && !torn; i++) {
		struct tv_statistic row;
		memcpy(&row, &rows_of(&h)[i % ROWS], sizeof row);
		torn += is_torn(&row);
	}
	assert_true(torn > 0);
}

/* The row that a process was changing is left out while it is there, and shown as such when it is
 * not. */
TEST(test_processes_that_are_stopped_and_killed_in_the_middle)
{
	HAMMERED h = hammered_new();
	uint64_t left_out = 0, flagged = 0, odd;

	for (int i = 0; i < 50 || (!(left_out && flagged) && i < 5000); i++) {
		struct rankfile *file;
		uint64_t rows;
		usleep((useconds_t)(500 + i * 7 % 100));
		kill(h.child, SIGSTOP);
		waitpid(h.child, NULL, WUNTRACED);
		file = look(&h);
		rows = read_rows(file, &odd);
		assert_int_equal(odd, 0);
		assert_int_equal(rows + file->missed, ROWS);
		assert_true(file->missed <= 1);
		left_out += file->missed;
		rankfile_close(file);
		hammer_end(&h);
		file = look(&h);
		assert_int_equal(read_rows(file, &odd), ROWS);
		assert_int_equal(file->missed, 0);
		assert_true(odd <= 1);
		flagged += odd;
		rankfile_close(file);
		hammer_begin(&h);
	}
	assert_true(left_out && flagged);
}
