/* A look at a process without events is of one moment: a call that began after it, while the look was
 * taken, is not in it (feed_calling.h). Numbers are by hand: the clock counts nanoseconds. */
#include <stdio.h>
#include <unistd.h>

#include "capture/records_aid.h"
#include "capture/run/feed_calling.h"
#include "harness/test.h"

enum { MAIN_AT = 100, CALL_AT = 300 };

struct seen {
	unsigned records;
	uint64_t latest; /* ticks */
};

static void note(void *context, const struct tv_head *record, uint64_t before)
{
	struct seen *seen = context;

	(void)before;
	seen->records++;
	seen->latest = record->time > seen->latest ? record->time : seen->latest;
}

/* main() is open since MAIN_AT, and a call of MPI in it since CALL_AT. */
static void write_rank(const struct merged *m)
{
	struct made *rank = made_of_program(1, 0, NULL);
	struct tv_statistics *s = (void *)rank->chunk[1];
	struct tv_statistic *row =
		made_row(rank, 1, 0, TV_STAT_PROCEDURE, made_place(&made_unit, MAIN), 0);
	struct tv_open *open = (void *)((char *)s + TV_CHUNK_SIZE - TV_OPEN_SIZE);

	rank->head->state &= ~(uint32_t)TV_FINALISED;
	rank->head->pid = getpid();
	gethostname(rank->head->host, sizeof rank->head->host - 1);
	rank->head->clock = TV_CLOCK_MONOTONIC;
	s->chunk.serial = 0;
	s->open = 1;
	open->start = MAIN_AT;
	open->row = (uint64_t)((char *)row - rank->bytes);
	s->calling = (struct tv_calling){ .call = CALL_SEND,
					  .kind = TV_CALLING_OTHER,
					  .since = CALL_AT };
	made_write(m, rank);
}

static struct seen seen_at(const struct merged *m, uint64_t now)
{
	struct seen seen = { 0 };
	char path[96];
	struct rankfile *file;

	snprintf(path, sizeof path, "%s/0.tvrank", m->folder);
	file = rankfile_look(path, (struct reading){ .tick = now, .nano = now }, NULL, 0, NULL);
	assert_non_null(file);
	assert_true(calling_records(file, 0, note, &seen));
	rankfile_close(file);
	return seen;
}

TEST(what_began_after_the_moment_is_not_in_the_look)
{
	MERGED m = merged_begin();
	struct seen seen;

	write_rank(&m);
	seen = seen_at(&m, CALL_AT + 100);
	assert_int_equal(seen.records, 2);
	assert_int_equal(seen.latest, CALL_AT);
	seen = seen_at(&m, CALL_AT - 100);
	assert_int_equal(seen.records, 1);
	assert_int_equal(seen.latest, MAIN_AT);
	seen = seen_at(&m, MAIN_AT - 100);
	assert_int_equal(seen.records, 0);
}
