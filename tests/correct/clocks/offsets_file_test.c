/* Offsets from a file: what is accepted, what is refused and where, and what becomes of the
 * times. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "correct/clocks/offsets_file.h"
#include "correct/correct.h"
#include "harness/notation.h"
#include "harness/owners.h"
#include "harness/test.h"
#include "model/trace/base_write.h"

enum { TIMES = 5 };
static const int64_t times[TIMES] = { 0, 100, 150, 200, 250 };

struct fixture {
	struct trace
		*t; /* rank 0, rank 0's thread 1, rank 2: each with events at the times above */
	char path[64];
};

static int setup(void **state)
{
	struct fixture *f = test_calloc(1, sizeof *f);
	int fd;

	f->t = notation_trace(
		"rank 0: mark w @0 mark w @100 mark w @150 mark w @200 mark w @250\n"
		"rank 0 thread 1: mark w @0 mark w @100 mark w @150 mark w @200 mark w @250\n"
		"rank 2: mark w @0 mark w @100 mark w @150 mark w @200 mark w @250");
	strcpy(f->path, "/tmp/tview-offsets-XXXXXX");
	fd = mkstemp(f->path);
	assert_true(fd >= 0);
	close(fd);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	unlink(f->path);
	trace_free(f->t);
	test_free(f);
	return 0;
}

FIXTURE(setup, teardown)

static void spit(const struct fixture *f, const char *text)
{
	FILE *file = fopen(f->path, "w");

	fputs(text, file);
	fclose(file);
}

static void assert_read(struct fixture *f, const char *text, const struct offset *expected,
			size_t n)
{
	ENDED_BY(offset_list_fini) struct offset_list list;
	struct err err = ERR_INIT;

	spit(f, text);
	if (!offsets_file_read(&list, f->t, f->path, &err))
		fail_msg("%s", err.text);
	assert_int_equal(list.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(list.data[i].location, expected[i].location);
		assert_int_equal(list.data[i].time, expected[i].time);
		assert_int_equal(list.data[i].offset, expected[i].offset);
		assert_int_equal(list.data[i].rtt, expected[i].rtt);
	}
}

TEST_WITH(test_accepted, struct fixture *f)
{
	const struct offset all[] = { { 0, 1500000000, -12500, -1 },
				      { 1, 100, 5, 7000 },
				      { 2, -100, 2000000, -1 },
				      { 2, 200, 15000, -1 } };

	assert_read(f,
		    "# by hand\n"
		    "0 1.5 -12.5us   # the reference\r\n"
		    "\n"
		    "  0.1\t100ns 5e-9 7us\n"
		    "2 -0.0000001 2ms\n"
		    "2 200ns 1.5E-5",
		    all, 4);
}

static void assert_refused(struct fixture *f, const char *text, const char *place, const char *why)
{
	struct offset_list list;
	struct err err = ERR_INIT;

	spit(f, text);
	assert_false(offsets_file_read(&list, f->t, f->path, &err));
	assert_non_null(strstr(err.text, place));
	assert_non_null(strstr(err.text, why));
}

TEST_WITH(test_refused, struct fixture *f)
{
	char line[5000];

	assert_refused(f, "0 1 2\n\n1 1 2\n", ":3:", "no location '1'");
	assert_refused(f, "0 1 2\n0.7 1 2\n", ":2:", "no location '0.7'");
	assert_refused(f, "0 1\n", ":1:", "rank[.thread] time offset");
	assert_refused(f, "0 1 2 3 4\n", ":1:", "rank[.thread] time offset");
	assert_refused(f, "-1 1 2\n", ":1:", "not a rank");
	assert_refused(f, "0x 1 2\n", ":1:", "not a rank");
	assert_refused(f, "0 noon 2\n", ":1:", "'noon' is not a time");
	assert_refused(f, "0 1 2us3\n", ":1:", "not an offset");
	assert_refused(f, "0 1 nan\n", ":1:", "not an offset");
	assert_refused(f, "0 1e300 2\n", ":1:", "not a time");
	assert_refused(f, "0 1 99999999999999999999\n", ":1:", "not an offset");
	assert_refused(f, "0 1 2 soon\n", ":1:", "not a round trip");
	assert_refused(f, "# nothing\n", "tview-offsets", "no offset measurements");
	memset(line, ' ', sizeof line - 1);
	line[sizeof line - 1] = '\0';
	assert_refused(f, line, ":1:", "too long");
	unlink(f->path);
	{
		struct offset_list list;
		struct err err = ERR_INIT;
		assert_false(offsets_file_read(&list, f->t, f->path, &err));
		assert_int_equal(err.status, STATUS_IO);
		assert_false(offsets_file_read(&list, f->t, "/", NULL));
	}
	spit(f, "");
}

/* ---- what becomes of the times ---- */

static int64_t linear(const struct fixture *f, uint32_t location, int nth)
{
	struct cursor c;

	cursor_nth(&c, f->t, BASE_LINEAR, location, (uint64_t)nth);
	return cursor_time(&c);
}

static struct corrections *run(struct fixture *f, const char *text)
{
	struct correct_options options = CORRECT_DEFAULTS;
	struct err err = ERR_INIT;
	struct corrections *c;

	spit(f, text);
	options.offsets = f->path;
	options.presync = PRESYNC_OFFSETS;
	c = correct_run(f->t, &options, NULL, &err);
	assert_non_null(c);
	assert_true(c->offsets_given);
	return c;
}

/* Section 7: (t1,o1)=(100,5), (t2,o2)=(200,7): T(0)=3, T(100)=105, T(150)=156, T(200)=207,
 * T(250)=258. */
TEST_WITH(test_interpolation, struct fixture *f)
{
	static const int64_t expected[TIMES] = { 3, 105, 156, 207, 258 };
	FREED_BY(corrections_free) struct corrections *c = run(f, "2 200ns 7ns\n2 100ns 5ns\n");

	for (int k = 0; k < TIMES; k++) {
		assert_int_equal(linear(f, 0, k), times[k]); /* has none: as it is */
		assert_int_equal(linear(f, 1, k), times[k]);
		assert_int_equal(linear(f, 2, k), expected[k]);
	}
	assert_string_equal(c->notes[0], "");
}

/* One measurement shifts (A1), threads have those of their rank; the time is of no matter. */
TEST_WITH(test_constant, struct fixture *f)
{
	FREED_BY(corrections_free) struct corrections *c = run(f, "0 1 -50ns\n");

	for (int k = 0; k < TIMES; k++) {
		assert_int_equal(linear(f, 0, k), times[k] - 50);
		assert_int_equal(linear(f, 1, k), times[k] - 50);
		assert_int_equal(linear(f, 2, k), times[k]);
	}
}

/* t2 == t1 is constant, and a clock that would run backwards is not believed (A2). */
TEST_WITH(test_backwards, struct fixture *f)
{
	FREED_BY(corrections_free)
	struct corrections *c =
		run(f, "2 100ns 5ns\n2 100ns 9ns\n0 100ns 0\n0 200ns -100ns\n0 250ns 10ns\n");

	for (int k = 0; k < TIMES; k++)
		assert_int_equal(linear(f, 2, k), times[k] + 5);
	/* Of rank 0 the one in the middle goes: 0 at 100, 10 at 250. */
	assert_int_equal(linear(f, 0, 1), 100);
	assert_int_equal(linear(f, 0, 4), 260);
	assert_non_null(strstr(c->notes[0], "2 offset measurements were skipped"));
}

/* The trace's own are checked as well, and are there again when the file is not given any more. */
TEST_WITH(test_own_offsets, struct fixture *f)
{
	const struct offset own[] = { { 2, 100, 40, -1 }, { 2, 200, -100, -1 } };
	struct correct_options options = CORRECT_DEFAULTS;
	struct corrections *c;

	trace_replace_offsets(f->t, own, 2);
	c = run(f, "2 0 1us\n");
	assert_int_equal(linear(f, 2, 0), 1000);
	corrections_free(c);
	c = run(f, "2 0 2us\n");
	assert_int_equal(linear(f, 2, 0), 2000);
	corrections_free(c);
	c = correct_run(f->t, &options, NULL, NULL);
	assert_false(c->offsets_given);
	assert_int_equal(linear(f, 2, 0), 40); /* the second would turn the clock round */
	assert_non_null(strstr(c->notes[0], "1 offset measurement was skipped"));
	corrections_free(c);
}
