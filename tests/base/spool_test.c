/* A pipe that can be read again. */
#include "base/spool.h"
#include "harness/test.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

TEST(what_came_comes_again)
{
	int ends[2];
	char buffer[16];
	struct spool *spool;

	assert_int_equal(pipe(ends), 0);
	spool = spool_new(ends[0]);
	assert_non_null(spool);
	/* Nothing yet, which is no end. */
	assert_int_equal(spool_read(spool, buffer, sizeof buffer, 1), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(write(ends[1], "abcdef", 6), 6);
	assert_int_equal(spool_read(spool, buffer, 4, 1000), 4);
	assert_memory_equal(buffer, "abcd", 4);
	spool_rewind(spool);
	/* What is kept first, and then the pipe goes on. */
	assert_int_equal(spool_read(spool, buffer, sizeof buffer, 1000), 4);
	assert_memory_equal(buffer, "abcd", 4);
	assert_int_equal(spool_read(spool, buffer, sizeof buffer, 1000), 2);
	assert_memory_equal(buffer, "ef", 2);
	assert_int_equal(write(ends[1], "g", 1), 1);
	close(ends[1]);
	assert_int_equal(spool_read(spool, buffer, sizeof buffer, 1000), 1);
	assert_int_equal(spool_read(spool, buffer, sizeof buffer, -1), 0);
	spool_rewind(spool);
	assert_int_equal(spool_read(spool, buffer, sizeof buffer, -1), 7);
	assert_memory_equal(buffer, "abcdefg", 7);
	spool_free(spool);
	close(ends[0]);
}
