/* Random programs fed by children in threads, by turns and all at once, against the parent alone
 * that is fed location by location: everything must be the same. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "harness/account.h"
#include "harness/builder_calls.h"
#include "harness/built.h"
#include "harness/random.h"
#include "harness/rounds.h"
#include "harness/test.h"
#include "model/sums/shading.h"

enum { LOCATIONS = 9, BYTES = 3000 /* some 700 calls */, CHILDREN = 4, PROGRAMS = 40 };

/* A location's calls are made of its own random numbers, however they mix with others'. */
struct script {
	uint32_t location;
	size_t at, n;
	int64_t now;
	uint8_t bytes[BYTES];
};

static void define(struct builder *b, struct called *called)
{
	for (int i = 0; i < LOCATIONS; i++)
		built_rank(b, i / 2, i % 2);
	called_define(b, called);
	for (uint32_t i = 0; i < 6; i++)
		builder_offset(b, &(struct offset){ .location = i % 3,
						    .time = 7 + 12345 * (int64_t)(i / 3),
						    .offset = 321 - 77 * (int64_t)i,
						    .rtt = -1 });
}

static void call(struct builder *b, const struct called *called, struct script *s)
{
	struct call_bytes in = { s->bytes + s->at, s->bytes + s->n, s->now };

	call_builder(b, called, s->location, &in);
	s->at = (size_t)(in.at - s->bytes);
	s->now = in.now;
}

/* ---- feeding ---- */

struct feed {
	struct builder *b;
	const struct called *called;
	struct script script[LOCATIONS];
	unsigned n;
	struct rng turns;
	bool mixed; /* the locations by turns, not one after the other */
};

static void script_fill(struct script *s, uint64_t seed, uint32_t location)
{
	struct rng rng = { seed * 1000 + location };

	*s = (struct script){ .location = location };
	/* Some locations are empty, some short. */
	s->n = location % 4 == 3 ? 9 * rng_below(&rng, 3) : BYTES;
	for (size_t i = 0; i < s->n; i++)
		s->bytes[i] = (uint8_t)rng_below(&rng, 256);
}

static void *feed(void *arg)
{
	struct feed *f = arg;

	while (f->n > 0) {
		const unsigned i = f->mixed ? rng_below(&f->turns, f->n) : 0;
		if (f->script[i].at < f->script[i].n) {
			call(f->b, f->called, &f->script[i]);
			continue;
		}
		memmove(&f->script[i], &f->script[i + 1], (--f->n - i) * sizeof f->script[0]);
	}
	return NULL;
}

static struct trace *finish(struct builder *b, int jobs)
{
	struct trace *t = builder_finish(b, &(struct builder_options){ .jobs = jobs }, NULL, NULL);

	assert_non_null(t);
	assert_sound(t);
	return t;
}

static struct trace *alone(uint64_t seed)
{
	struct builder *b = built_begin(0);
	struct called called;
	struct feed f = { .b = b, .called = &called, .n = LOCATIONS };

	define(b, &called);
	for (uint32_t l = 0; l < LOCATIONS; l++)
		script_fill(&f.script[l], seed, l);
	feed(&f);
	return finish(b, 1);
}

static struct trace *by_children(uint64_t seed, unsigned n, bool mixed)
{
	struct builder *b = built_begin(0), *children[CHILDREN];
	struct rng rng = { seed + n };
	static struct feed f[CHILDREN];
	pthread_t threads[CHILDREN];
	struct called called;

	define(b, &called);
	for (unsigned c = 0; c < n; c++) {
		children[c] = builder_fork(b);
		assert_non_null(children[c]);
		f[c] = (struct feed){
			.b = children[c], .called = &called, .turns = { seed + c }, .mixed = mixed
		};
	}
	for (uint32_t l = 0; l < LOCATIONS; l++) {
		struct feed *to = &f[rng_below(&rng, n)];
		script_fill(&to->script[to->n++], seed, l);
	}
	for (unsigned c = 0; c < n; c++)
		assert_int_equal(pthread_create(&threads[c], NULL, feed, &f[c]), 0);
	for (unsigned c = 0; c < n; c++)
		pthread_join(threads[c], NULL);
	assert_true(builder_join(b, children, n));
	return finish(b, (int)n);
}

/* The linear base, which is made by as many threads: times, sums, order of messages. */
static void dump_linear(struct trace *t, struct str *out)
{
	uint64_t sums[SHADING_SLOTS];
	struct span_query q;
	uint32_t row;

	assert_true(trace_base_make(t, BASE_LINEAR, NULL, NULL));
	for (uint32_t l = 0; l < trace_location_count(t); l++) {
		struct cursor c;
		for (bool ok = cursor_first(&c, t, BASE_LINEAR, l); ok; ok = cursor_next(&c))
			str_add_fmt(out, "%u@%lld ", c.id, (long long)cursor_time(&c));
		shading_window(trace_class_shading(t, BASE_LINEAR), l, 1000, 20000, sums);
		for (unsigned k = 0; k < CLASS_COUNT; k++)
			str_add_fmt(out, "%llu%c", (unsigned long long)sums[k],
				    k + 1 < CLASS_COUNT ? ' ' : '\n');
	}
	messages_in_window(&q, t, BASE_LINEAR, INT64_MIN, INT64_MAX);
	while (span_query_next(&q, &row))
		str_add_fmt(out, "%u\n", row);
}

static void account_of(struct trace *t, struct str *out)
{
	trace_account(t, ACCOUNT_STORE, out);
	dump_linear(t, out);
}

static void same(const struct str *wanted, struct trace *got)
{
	OWNED_STR is = STR_INIT, differs = STR_INIT;

	account_of(got, &is);
	if (account_differs(wanted, &is, &differs))
		fail_msg("alone and by children: %s", differs.text);
	trace_free(got);
}

TEST(children_as_alone)
{
	for (uint64_t seed = 1; seed <= rounds(PROGRAMS); seed++) {
		OWNED_TRACE *t = alone(seed);
		OWNED_STR wanted = STR_INIT;
		assert_true(trace_message_count(t) > 100);
		assert_true(trace_collective_count(t) > 50);
		assert_true(trace_detail_count(t) > 100);
		account_of(t, &wanted);
		same(&wanted, by_children(seed, 1, false));
		same(&wanted, by_children(seed, 1, true));
		same(&wanted, by_children(seed, 2, seed & 1));
		same(&wanted, by_children(seed, 4, seed & 2));
	}
}

/* A child that is given up leaves nothing behind; a second fork goes on behind the first. */
TEST(given_up)
{
	struct builder *b = built_begin(0), *child;
	const struct message_end end = { .rank = 1, .process = -1, .bytes = 8 };
	struct called called;
	OWNED_TRACE *t;

	define(b, &called);
	builder_send(b, 0, 1, &end);
	child = builder_fork(b);
	builder_send(child, 2, 2, &end);
	builder_abandon(child);
	child = builder_fork(b);
	builder_send(child, 2, 3, &end);
	assert_true(builder_join(b, &child, 1));
	child = builder_fork(b);
	builder_send(child, 4, 4, &end);
	builder_record(child, 4, 5, EV_DATA,
		       &(struct record){ 1000, 0, builder_string(child, "mine", 4) });
	assert_true(builder_join(b, &child, 1));
	builder_send(b, 6, 6, &end);
	t = finish(b, 1);

	assert_int_equal(trace_event_count(t), 5);
	assert_int_equal(trace_message_count(t), 4);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(message_source(t, trace_message(t, i)), i);
	assert_string_equal(trace_string(t, trace_record(t, 0)->text), "mine");
}
