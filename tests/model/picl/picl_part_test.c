/* A part of a PICL file: what lies in it is there as if all had been read, and hardly anything
 * else. */
#include <stdlib.h>
#include <string.h>

#include "harness/built.h"
#include "harness/picl_aid.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/formats/load.h"
#include "model/trace/message.h"

static struct trace *load(const char *path, const struct load_part *part, int jobs)
{
	struct load_options options = { .no_cache = true, .jobs = jobs };
	struct err err = ERR_INIT;
	struct trace *trace;

	if (part)
		options.part = *part;
	trace = trace_load(path, &options, NULL, &err);
	if (!trace)
		fail_msg("%s", err.text);
	assert_true(!trace_has_base(trace, BASE_LINEAR) ||
		    trace_base_make(trace, BASE_LINEAR, NULL, &err));
	return trace;
}

/* The message of an event, its other end by time: of a part, ends that it does not have count for
 * nothing. */
static void add_message(const struct trace *t, const struct cursor *c, const struct load_part *part,
			struct str *out)
{
	const enum event_kind kind = what_kind(cursor_what(c));
	const struct message *m;
	int32_t source;

	if (what_id(cursor_what(c)) == ID_NONE)
		return;
	m = trace_message(t, what_id(cursor_what(c)));
	source = message_source(t, m);
	str_add_fmt(out, " %d to %d tag %d", source, message_destination(t, m), m->tag);
	if (kind == EV_RECV && load_part_has_rank(part, source) && !(m->flags & MSG_NO_SEND))
		str_add_fmt(out, " %d bytes sent at %lld", (int)message_bytes(m),
			    (long long)trace_event_time(t, BASE_MEASURED, m->send));
}

/* What a rank does in the window, in the trace's best base. */
static void story(const struct trace *t, int32_t rank, const struct load_part *part,
		  struct str *out)
{
	const enum time_base base = trace_default_base(t);
	const uint32_t l = trace_location_of_rank(t, rank);
	struct cursor c;

	if (l == UINT32_MAX)
		return;
	for (bool ok = cursor_first(&c, t, base, l); ok; ok = cursor_next(&c)) {
		const enum event_kind kind = what_kind(cursor_what(&c));
		/* Statistics are of all of the run: no part has them. */
		if (kind == EV_STATISTICS ||
		    (part->timed && (cursor_time(&c) < part->t0 || cursor_time(&c) >= part->t1)))
			continue;
		str_add_fmt(out, "%lld %s ", (long long)cursor_time(&c), event_kind_name(kind));
		trace_callpath_text(t, cursor_path(&c), out);
		if (kind >= EV_SEND && kind <= EV_REQUEST_CANCELLED)
			add_message(t, &c, part, out);
		str_add_char(out, '\n');
	}
}

static void check_part(const char *path, const struct trace *whole, const struct load_part *part)
{
	OWNED_TRACE *some = load(path, part, 1);

	assert_sound(some);
	assert_true(trace_partial(some)->is);
	assert_true(trace_event_count(some) <= trace_event_count(whole));
	for (uint32_t l = 0; l < trace_location_count(whole); l++) {
		const int32_t rank = trace_location(whole, l)->rank;
		OWNED_STR was = STR_INIT, is = STR_INIT;

		story(some, rank, part, &is);
		if (load_part_has_rank(part, rank)) {
			story(whole, rank, part, &was);
			assert_string_equal(is.text, was.text);
		} else {
			assert_int_equal(trace_location_of_rank(some, rank), UINT32_MAX);
		}
	}
}

TEST(parts_are_as_in_the_whole)
{
	static const char *const paths[] = { "traces/stencil.trc", "traces/sweep.trc",
					     "traces/collectives.trc", "traces/farm.trc",
					     "traces/mpicl.trc" };
	struct rng random = { 77 };

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		OWNED_TRACE *whole = load(paths[i], NULL, 1);
		int64_t begin, end;

		trace_span(whole, trace_default_base(whole), &begin, &end);
		assert_false(trace_partial(whole)->is);
		for (int k = 0; k < 20; k++) {
			const int32_t first = (int32_t)rng_below(&random, 4);
			const struct rank_range ranks[] = {
				{ first, first + (int32_t)rng_below(&random, 2) }
			};
			const uint32_t length = (uint32_t)(end - begin);
			struct load_part part = { .ranks = ranks, .n_ranks = k % 3 != 0 };

			part.timed = k % 3 != 1;
			part.t0 = begin + rng_below(&random, length);
			part.t1 = part.t0 + rng_below(&random, length / 4 + 1);
			check_part(paths[i], whole, &part);
		}
	}
}

/* Of 5,000 lines between two calls that span them all, a window of a few is read as a few. */
TEST(only_what_is_needed_is_kept)
{
	OWNED_STR text = STR_INIT;
	struct err err = ERR_INIT;
	const struct load_part part = { .timed = true, .t0 = 2000000000, .t1 = 2010000000 };
	const struct picl_options options = { .jobs = 1, .part = &part };
	OWNED_TRACE *trace;
	struct cursor c;
	FILE *file = tmpfile();

	assert_non_null(file);
	str_add(&text, "-7 -1 0.0000 -1 -1 16 \"%c\" tview:format=1.1\n-3 900 0.0000 0 1 0\n");
	for (int i = 1; i < 5000; i++)
		str_add_fmt(&text, "-3 7 %d.%03d0 0 1 0\n-4 7 %d.%03d5 0 1 0\n", i / 1000, i % 1000,
			    i / 1000, i % 1000);
	str_add(&text, "-4 900 9.0000 0 1 0\nthis is no record, and behind the window\n");
	fputs(text.text, file);
	fflush(file);
	trace = picl_read("part.trc", fileno(file), &options, NULL, &err);
	fclose(file);
	assert_non_null(trace);
	/* 10 ms of pairs and one more on both sides, and the call around them. */
	assert_in_range(trace_event_count(trace), 21, 26);
	assert_true(cursor_first(&c, trace, BASE_MEASURED, 0));
	assert_int_equal(what_kind(cursor_what(&c)), EV_ENTER);
	assert_int_equal(trace_callpath(trace, cursor_path(&c))->depth, 1);
	assert_true(cursor_next(&c));
	assert_int_equal(trace_callpath(trace, cursor_path(&c))->depth, 2);
	/* Nothing behind the window was read. */
	assert_int_equal(trace_finding_sum(trace, FINDING_DAMAGE), 0);
	assert_string_equal(trace_partial(trace)->text, "2.000 s to 2.010 s");
}
