/* Lines of ranks (rank_line.h): read while they are written, and by a clock that may be late. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "capture/lib/rank_line.h"
#include "harness/test.h"

enum { READERS = 2, SECONDS = 2 };

static struct {
	struct rank_line line;
	atomic_bool over;
	uint64_t written, read[READERS], torn[READERS], busy[READERS];
} shared __attribute__((aligned(128)));

/* Every field says the same number, n; n changes with each change of the line. */
static void write_line(struct rank_line *line, uint64_t n)
{
	rank_line_begin(line);
	line->state = n % 2 ? RANK_ANY : RANK_RUNS;
	line->moved = (int64_t)n;
	line->intrusion = (int64_t)n;
	line->ticket = n;
	line->comm = (uint32_t)n;
	line->tag = line->peer = (int32_t)n;
	for (int i = 0; i < RANK_MEMBERS / 64; i++)
		line->members[i] = n;
	rank_line_end(line);
}

static bool is_whole(const struct rank_line *line)
{
	const uint64_t n = line->ticket;
	bool same = line->moved == (int64_t)n && line->intrusion == (int64_t)n &&
		    line->comm == (uint32_t)n && line->tag == (int32_t)n &&
		    line->peer == (int32_t)n;

	/* The plain store of RANK_CALLS may come in between, and changes no more. */
	same &= line->state == RANK_CALLS || line->state == (n % 2 ? RANK_ANY : RANK_RUNS);
	for (int i = 0; i < RANK_MEMBERS / 64; i++)
		same &= line->members[i] == n;
	return same;
}

static void *writer(void *unused)
{
	uint64_t n = 0;

	(void)unused;
	while (!shared.over) {
		write_line(&shared.line, ++n);
		if (n % 3 == 0)
			rank_line_calls(&shared.line);
	}
	shared.written = n;
	return NULL;
}

static void *reader(void *which)
{
	const size_t i = (size_t)(uintptr_t)which;
	struct rank_line copy;

	while (!shared.over) {
		if (!rank_line_read(&shared.line, &copy))
			shared.busy[i]++;
		else if (shared.read[i]++ && !is_whole(&copy))
			shared.torn[i]++;
	}
	return NULL;
}

TEST(no_line_is_read_torn)
{
	pthread_t threads[1 + READERS];

	write_line(&shared.line, 0);
	pthread_create(&threads[0], NULL, writer, NULL);
	for (uintptr_t i = 0; i < READERS; i++)
		pthread_create(&threads[1 + i], NULL, reader, (void *)i);
	nanosleep(&(struct timespec){ .tv_sec = SECONDS }, NULL);
	shared.over = true;
	for (int i = 0; i <= READERS; i++)
		pthread_join(threads[i], NULL);
	assert_true(shared.written > 0);
	for (int i = 0; i < READERS; i++) {
		print_message("# %llu read of %llu, %llu changed too often, %llu torn\n",
			      (unsigned long long)shared.read[i],
			      (unsigned long long)shared.written,
			      (unsigned long long)shared.busy[i],
			      (unsigned long long)shared.torn[i]);
		assert_true(shared.read[i] > 0);
		assert_int_equal(shared.torn[i], 0);
	}
}

/* Its writer died in a change: the reader does not wait for ever. */
TEST(a_line_that_is_left_odd_is_given_up)
{
	struct rank_line line = { .seq = 0 }, copy;

	assert_true(rank_line_read(&line, &copy));
	rank_line_begin(&line);
	assert_false(rank_line_read(&line, &copy));
	rank_line_end(&line);
	assert_true(rank_line_read(&line, &copy));
	assert_int_equal(copy.seq, 2);
}

TEST(members_are_bits)
{
	struct rank_line line = { .members = { [0] = 1, [7] = UINT64_C(1) << 63 } };

	assert_true(rank_is_member(&line, 0));
	assert_false(rank_is_member(&line, 1));
	assert_true(rank_is_member(&line, 511));
	assert_false(rank_is_member(&line, 510));
}
