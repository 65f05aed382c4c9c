/* Opening a trace in a thread: Escape while its times are corrected leaves them as they were
 * recorded, says so, and the same trace can be corrected afterwards as if nothing had been. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cache_aid.h"
#include "harness/test.h"
#include "ui/session/loader.h"

GROUP_FIXTURE(cache_aid_setup, cache_aid_teardown)

enum { EVENTS = 400000, WAIT_MS = 20000, TRIES = 20 };

static const struct correct_options how = CORRECT_DEFAULTS;

static struct loader_state next_state(struct loader *loader)
{
	struct pollfd fd = { .fd = loader_fd(loader), .events = POLLIN };

	assert_int_equal(poll(&fd, 1, WAIT_MS), 1);
	return loader_state(loader);
}

/* Opens it; with `stop` Escape is pressed as soon as correcting is seen. */
static void open_it(const char *path, bool stop, struct trace **trace, struct corrections **c,
		    char *why)
{
	const struct load_options options = { .no_cache = true };
	struct err err = ERR_INIT;
	struct loader *loader = loader_new(path, &options, &how, &err);
	struct loader_state state;
	bool seen = false;

	assert_non_null(loader);
	do {
		state = next_state(loader);
		if (state.correcting && !seen) {
			seen = true;
			if (stop)
				loader_stop(loader, true);
		}
	} while (!state.ended);
	*trace = loader_take(loader, c, why, &err);
	assert_non_null(*trace);
	loader_free(loader);
}

TEST(test_stopped)
{
	OWNED char *path = aid_large("stopped.trc", EVENTS);
	bool stopped = false;

	/* A machine that is busy may look too late: then it is done again. */
	for (int i = 0; !stopped && i < TRIES; i++) {
		struct err err = ERR_INIT;
		struct corrections *c, *again;
		char why[WHY_BYTES] = "";
		OWNED_TRACE *trace;

		open_it(path, true, &trace, &c, why);
		stopped = c == NULL;
		if (stopped) {
			assert_string_equal(why, "correcting the times was stopped");
			assert_false(trace_partial(trace)->is);
			assert_true(trace_event_count(trace) >= EVENTS / 48 * 48);
			assert_int_equal(trace_default_base(trace), BASE_MEASURED);
			assert_false(trace_has_base(trace, BASE_FITTED) ||
				     trace_has_base(trace, BASE_CLC));
			again = correct_run(trace, &how, NULL, &err);
			assert_non_null(again);
			assert_true(again->checked[BASE_MEASURED]);
			corrections_free(again);
		}
		corrections_free(c);
	}
	assert_true(stopped);
}

TEST(test_not_stopped)
{
	OWNED char *path = aid_large("whole.trc", EVENTS);
	char why[WHY_BYTES] = "";
	struct corrections *c;
	OWNED_TRACE *trace;

	open_it(path, false, &trace, &c, why);
	assert_non_null(c);
	assert_true(c->checked[BASE_MEASURED]);
	assert_string_equal(why, "");
	corrections_free(c);
}
