/* Traces in .gz and .zst files: the same trace as without, and around damage what there is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/built.h"
#include "harness/picl_aid.h"
#include "harness/test.h"
#include "model/formats/load.h"

static const char *const commands[] = { "gzip -c", "zstd -qc" };
enum { COMMANDS = sizeof commands / sizeof *commands };

/* A file of a name that tells nothing. */
static const char *new_file(void)
{
	static char path[64];

	strcpy(path, "/tmp/tview-packed-XXXXXX");
	close(mkstemp(path));
	return path;
}

/* What the command makes of the trace, so many times in a row; cut to `permille`. */
static const char *packed(const char *command, const char *trace, int times, int permille)
{
	const char *path = new_file();
	char line[512];
	struct stat st;

	snprintf(line, sizeof line, "for i in $(seq %d); do %s %s; done >%s", times, command, trace,
		 path);
	assert_int_equal(system(line), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(truncate(path, st.st_size * permille / 1000), 0);
	return path;
}

static struct trace *load(const char *path, int jobs, bool strict, struct err *err)
{
	const struct load_options options = { .jobs = jobs, .strict = strict };

	return trace_load(path, &options, NULL, err);
}

TEST(packed_traces_are_the_same)
{
	static const char sample[] = "traces/stencil.trc";
	struct err err = ERR_INIT;
	OWNED_TRACE *plain = load(sample, 1, false, &err);
	OWNED char *wanted = aid_write(plain);

	for (size_t i = 0; i < COMMANDS * 2; i++) {
		const char *path = packed(commands[i / 2], sample, 1, 1000);
		OWNED_TRACE *trace = load(path, 1 + (int)i % 2, true, &err);
		OWNED char *text;

		if (!trace)
			fail_msg("%s", err.text);
		text = aid_write(trace);
		assert_string_equal(text, wanted);
		unlink(path);
	}
}

TEST(cut_traces_show_what_there_is)
{
	static const char sample[] = "traces/stencil.trc";
	struct err err = ERR_INIT;
	OWNED_TRACE *plain = load(sample, 1, false, &err);

	for (size_t i = 0; i < COMMANDS; i++) {
		const char *path = packed(commands[i], sample, 2, 700);
		OWNED_TRACE *trace = load(path, 2, false, &err);

		if (!trace)
			fail_msg("%s", err.text);
		assert_int_equal(found(trace, "compressed-data"), 1);
		assert_true(trace_finding_sum(trace, FINDING_DAMAGE) > 0);
		/* The first is whole, the second is not. */
		assert_in_range(trace_event_count(trace), trace_event_count(plain),
				2 * trace_event_count(plain) - 1);
		assert_null(load(path, 2, true, &err));
		assert_int_equal(err.status, STATUS_NO);
		err = (struct err)ERR_INIT;
		unlink(path);
		/* Nothing but the head. */
		path = packed(commands[i], sample, 1, 1000);
		assert_int_equal(truncate(path, 9), 0);
		assert_null(load(path, 2, false, &err));
		assert_non_null(strstr(err.text, "compressed data"));
		err = (struct err)ERR_INIT;
		unlink(path);
	}
}

/* A few hundred bytes that are 200 MB of one line: passed over, in bounded memory, and it can be
 * stopped. */
static bool step(void *context, const char *what, uint64_t done, uint64_t all)
{
	uint64_t *calls = context;

	(void)what;
	assert_true(done <= all);
	return ++*calls < 20;
}

TEST(bombs_are_long_lines)
{
	const char *path = new_file();
	struct err err = ERR_INIT;
	uint64_t calls = 0;
	const struct progress progress = { .step = step, .context = &calls };
	char line[512];

	snprintf(
		line, sizeof line,
		"(echo '-3 7 0.1 0 0 0'; head -c 200000000 /dev/zero; echo; echo '-4 7 0.2 0 0 0') |"
		" zstd -qc >%s",
		path);
	assert_int_equal(system(line), 0);
	struct trace *trace = load(path, 2, false, &err);
	if (!trace)
		fail_msg("%s", err.text);
	assert_int_equal(trace_event_count(trace), 2);
	assert_int_equal(found(trace, "line-too-long"), 1);
	trace_free(trace);
	trace_free(trace_load(path, NULL, &progress, &err));
	assert_true(calls < 30);
	unlink(path);
}
