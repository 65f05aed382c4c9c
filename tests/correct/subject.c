#include "correct/subject.h"

#include <math.h>
#include <string.h>

#include "correct/truth.h"
#include "harness/test.h"

void subject_begin(struct subject *c, const struct settings *settings, enum presync presync)
{
	struct correct_options options = CORRECT_DEFAULTS;
	struct err err = ERR_INIT;

	memset(c, 0, sizeof *c);
	c->settings = *settings;
	options.presync = presync;
	assert_true(engine_run(&c->measured, settings, true, NULL));
	c->truth = &c->measured;
	if (settings->overhead > 0) {
		assert_true(engine_run(&c->real, settings, false, &c->measured));
		c->truth = &c->real;
	}
	c->trace = write_trace(&c->measured, settings, false, "simulated", &err);
	assert_non_null(c->trace);
	c->corrections = correct_run(c->trace, &options, NULL, &err);
	assert_non_null(c->corrections);
}

void subject_end(struct subject *c)
{
	corrections_free(c->corrections);
	trace_free(c->trace);
	run_fini(&c->measured);
	if (c->settings.overhead > 0)
		run_fini(&c->real);
}

double subject_time(const struct subject *c, enum time_base base)
{
	double first = INFINITY, last = -INFINITY;

	for (uint32_t r = 0; r < c->settings.ranks; r++) {
		bool inside = false;
		struct cursor cursor;
		assert_true(truth_first(&cursor, c->trace,
					base == BASE_COUNT ? BASE_MEASURED : base, r));
		for (size_t i = 0; i < c->truth->of[r].events.n; i++, cursor_next(&cursor)) {
			const struct happening *h = &c->truth->of[r].events.data[i];
			const double t = base == BASE_COUNT ? 1e-3 * (double)h->time
							    : (double)cursor_time(&cursor);
			if (!truth_counts(&inside, h))
				continue;
			first = fmin(first, t);
			last = fmax(last, t);
		}
	}
	return last - first;
}
