/* The tutor: its run and its source say the same, its steps go on by what the screen shows, and its
 * texts name the keys as they are bound. */
#include "harness/test.h"

#include <string.h>

#include "base/text.h"
#include "model/trace/message.h"
#include "ui/app/views.h"
#include "ui/tutor/tutor.h"
#include "ui/tutor/tutor_trace.h"

/* The line of the source, from 1. */
static void line_of(uint32_t line, struct str *out)
{
	const char *p = tutor_source();

	for (uint32_t i = 1; i < line; i++)
		p = strchr(p, '\n') + 1;
	str_add_n(out, p, strcspn(p, "\n"));
}

/* A call stands where the trace says, with the name of what is called. */
TEST(source_has_the_calls)
{
	struct trace *trace = tutor_trace(NULL);
	unsigned calls = 0;

	for (uint32_t s = 0; s < trace_site_count(trace); s++) {
		const struct site *site = trace_site(trace, s);
		const struct region *region = trace_region(trace, site->region);
		OWNED_STR line = STR_INIT, call = STR_INIT, definition = STR_INIT;

		str_add_fmt(&call, "%s(", trace_string(trace, region->name));
		if (site->line) {
			line_of(site->line, &line);
			assert_non_null(strstr(line.text, call.text));
			assert_string_equal("heat.c", trace_string(trace, site->file));
			calls++;
		}
		if (region->line) {
			line_of(region->line, &definition);
			assert_non_null(strstr(definition.text, call.text));
			assert_null(strchr(definition.text, ';'));
		}
	}
	assert_int_equal(10, calls);
	trace_free(trace);
}

static uint64_t visits(const struct trace *trace, int rank, const char *name)
{
	uint64_t n = 0;

	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		struct cursor c;
		if (trace_location(trace, l)->rank != rank)
			continue;
		for (bool ok = cursor_first(&c, trace, BASE_MEASURED, l); ok; ok = cursor_next(&c))
			n += what_kind(cursor_what(&c)) == EV_ENTER &&
			     strcmp(trace_region_name(trace,
						      trace_callpath_region(trace,
									    cursor_path(&c))),
				    name) == 0;
	}
	return n;
}

/* As the source says: ten steps, one rank three times as much; one message a rank and step. */
TEST(run_is_that_of_the_source)
{
	struct trace *trace = tutor_trace(NULL);

	for (int rank = 0; rank < 4; rank++) {
		assert_int_equal(rank == 2 ? 30 : 10, visits(trace, rank, "smooth"));
		assert_int_equal(10, visits(trace, rank, "MPI_Allreduce"));
	}
	assert_int_equal(40, trace_message_count(trace));
	assert_int_equal(10, trace_collective_count(trace));
	for (uint32_t i = 0; i < trace_message_count(trace); i++) {
		const struct message *m = trace_message(trace, i);
		assert_int_equal((message_source(trace, m) + 1) % 4, message_destination(trace, m));
		assert_true(message_arrived(m));
	}
	assert_int_equal(0, trace_finding_sum(trace, FINDING_DAMAGE));
	assert_int_equal(0, trace_finding_sum(trace, FINDING_GUESS));
	trace_free(trace);
}

/* ---- steps ---- */

static struct tutor_seen nothing_seen(void)
{
	return (struct tutor_seen){ .view = "overview", .shown = 1 };
}

/* Each way of seeing a step done, once. */
TEST(steps_go_on_by_state)
{
	struct tutor t = TUTOR_BEGIN;
	struct tutor_seen s = nothing_seen();

	assert_false(tutor_look(&t, &s));
	s.view = "timeline";
	assert_true(tutor_look(&t, &s));
	assert_false(tutor_look(&t, &s)); /* the cursor is on rank 0 */
	s.rank = 3;
	assert_false(tutor_look(&t, &s));
	s.rank = 2;
	assert_true(tutor_look(&t, &s));
	s.shown = 0.5;
	assert_false(tutor_look(&t, &s));
	s.shown = 0.25;
	assert_true(tutor_look(&t, &s));
	s.explains = true; /* of the late rank: no wait */
	assert_false(tutor_look(&t, &s));
	s.rank = 3;
	assert_true(tutor_look(&t, &s));
	s.hops = true;
	assert_false(tutor_look(&t, &s));
	s.rank = 2;
	assert_true(tutor_look(&t, &s));
	s = nothing_seen();
	s.view = "source";
	assert_true(tutor_look(&t, &s));
	s.view = "timeline";
	assert_true(tutor_look(&t, &s));
	s.view = "calls";
	assert_true(tutor_look(&t, &s));
	s.view = "profile";
	assert_true(tutor_look(&t, &s));
	s.filters = true;
	assert_true(tutor_look(&t, &s));
	assert_false(tutor_look(&t, &s));
	s.filters = false;
	assert_true(tutor_look(&t, &s));
	s.exports = true;
	assert_true(tutor_look(&t, &s));
	assert_false(tutor_look(&t, &s));
	s.exports = false;
	assert_true(tutor_look(&t, &s));
	s.helps = true;
	assert_true(tutor_look(&t, &s));
	assert_false(tutor_look(&t, &s)); /* the last one */
	assert_int_equal(tutor_steps() - 1, t.step);
}

/* A step that one goes back to waits until what it asks for is done anew. */
TEST(back_stays)
{
	struct tutor t = TUTOR_BEGIN;
	struct tutor_seen s = nothing_seen();

	tutor_go(&t, -1);
	assert_int_equal(0, t.step);
	s.view = "timeline";
	t = TUTOR_BEGIN;
	assert_true(tutor_look(&t, &s));
	tutor_go(&t, -1);
	assert_false(tutor_look(&t, &s));
	s.view = "events";
	assert_false(tutor_look(&t, &s));
	s.view = "timeline";
	assert_true(tutor_look(&t, &s));
	for (unsigned i = 0; i < 2 * tutor_steps(); i++)
		tutor_go(&t, 1);
	assert_int_equal(tutor_steps() - 1, t.step);
}

/* ---- texts ---- */

static void text_of(unsigned step, const struct bindings *keys, struct str *out)
{
	const struct tutor t = { .step = step };

	str_clear(out);
	tutor_text(&t, keys, &all_views, out);
}

/* Whole names, keys that exist, and three rows of 78 columns at most. */
TEST(texts_fit)
{
	struct bindings *keys = bindings_new(&all_views);
	OWNED_STR text = STR_INIT, wrapped = STR_INIT;

	for (unsigned i = 0; i < tutor_steps(); i++) {
		unsigned rows = 0;
		text_of(i, keys, &text);
		assert_null(strchr(text.text, '{'));
		for (size_t k = 0; k < text.n; k++) {
			if (text.text[k] != TUTOR_KEY)
				continue;
			OWNED_STR key = STR_INIT;
			str_add_n(&key, text.text + k + 1,
				  strcspn(text.text + k + 1, (char[]){ TUTOR_TEXT, 0 }));
			const struct bound bound = bindings_find(keys, key.text);
			assert_true(bound.action != ACTION_NONE || bound.view);
		}
		str_clear(&wrapped);
		str_add_wrapped(&wrapped, text.text, 0, 78);
		for (const char *p = wrapped.text; *p; p++)
			rows += *p == '\n';
		assert_in_range(rows, 1, 3);
	}
	bindings_free(keys);
}

static bool any_has(const struct bindings *keys, const char *part)
{
	OWNED_STR text = STR_INIT;
	bool found = false;

	for (unsigned i = 0; i < tutor_steps(); i++) {
		text_of(i, keys, &text);
		found |= strstr(text.text, part) != NULL;
	}
	return found;
}

TEST(keys_are_the_bound_ones)
{
	struct bindings *keys = bindings_new(&all_views);
	struct err err = ERR_INIT;

	assert_true(any_has(keys, "\1e\2"));
	assert_true(any_has(keys, "\0014\2"));
	assert_true(bindings_bind(keys, "F7 explain", &err));
	assert_true(bindings_bind(keys, "F8 profile", &err));
	assert_true(bindings_bind(keys, "L none", &err));
	assert_true(any_has(keys, "\1F7\2"));
	assert_true(any_has(keys, "\1F8\2"));
	assert_true(any_has(keys, "\1:calls\2"));
	bindings_free(keys);
}
