/* Loading that is stopped half-way: kept or dropped. */
#include "harness/test.h"
#include "model/formats/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAIRS = 120000 };

struct stopper {
	double share; /* of the reading after which it stops */
	bool keep;
	unsigned refused;
};

static bool step(void *context, const char *what, uint64_t done, uint64_t all)
{
	struct stopper *s = context;

	(void)what;
	/* Once stopped it stays stopped, also while the trace is finished. */
	if (s->refused || (double)done > s->share * (double)all)
		s->refused++;
	return !s->refused;
}

static bool dropped(void *context)
{
	return !((const struct stopper *)context)->keep;
}

/* Two ranks that enter and leave by turns; one record a tick. */
static void write_trace(char *path)
{
	const int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");

	assert_non_null(file);
	for (int i = 0; i < PAIRS; i++)
		fprintf(file, "-3 5 0.%06d %d -1 0\n-4 5 0.%06d %d -1 0\n", 4 * i, i % 2, 4 * i + 1,
			i % 2);
	assert_int_equal(fclose(file), 0);
}

static struct trace *load(const struct progress *progress)
{
	char path[] = "/tmp/tview-stop-XXXXXX";
	struct err err = ERR_INIT;
	struct trace *trace;

	write_trace(path);
	trace = trace_load(path, NULL, progress, &err);
	unlink(path);
	assert_false(err_is_set(&err));
	return trace;
}

TEST(what_was_read_is_kept)
{
	struct stopper stopper = { .share = 0.4, .keep = true };
	const struct progress progress = { .step = step, .context = &stopper, .dropped = dropped };
	OWNED_TRACE *trace = load(&progress);
	int percent = 0;

	assert_non_null(trace);
	assert_true(stopper.refused > 1);
	assert_true(trace_partial(trace)->is);
	assert_int_equal(sscanf(trace_partial(trace)->text, "stopped at %d %%", &percent), 1);
	assert_in_range(percent, 40, 100);
	assert_in_range(trace_event_count(trace), 1, 2 * PAIRS - 1);
	assert_int_equal(trace_location_count(trace), 2);
	/* As far as it goes it is a trace like any other. */
	assert_int_equal(trace_finding_sum(trace, FINDING_DAMAGE), 0);
}

TEST(what_is_dropped_leaves_nothing)
{
	struct stopper stopper = { .share = 0.4 };
	const struct progress progress = { .step = step, .context = &stopper, .dropped = dropped };
	const struct progress plain = { .step = step, .context = &stopper };

	assert_null(load(&progress));
	assert_int_equal(stopper.refused, 1);
	/* Who does not say what becomes of it drops it. */
	stopper.refused = 0;
	assert_null(load(&plain));
}

TEST(the_whole_is_not_partial)
{
	struct stopper stopper = { .share = 2, .keep = true };
	const struct progress progress = { .step = step, .context = &stopper, .dropped = dropped };
	OWNED_TRACE *trace = load(&progress);

	assert_non_null(trace);
	assert_false(trace_partial(trace)->is);
	assert_int_equal(trace_event_count(trace), 2 * PAIRS);
}
