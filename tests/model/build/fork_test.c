/* Random programs fed by children in threads, by turns and all at once, against the parent alone
 * that is fed location by location: everything must be the same. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "harness/account.h"
#include "harness/built.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/sums/shading.h"

enum { LOCATIONS = 9, SITES = 5, CALLS = 700, CHILDREN = 4, PROGRAMS = 40 };

struct names {
	uint32_t region[SITES], site[SITES], comm[3], attribute[2], parameter, known;
};

/* A location's calls are made from its own random numbers, however they mix with others'. */
struct script {
	struct rng rng;
	uint32_t location;
	int64_t now;
	int left;
};

static void define(struct builder *b, struct names *names)
{
	static const char *const regions[] = { "main", "MPI_Init", "solve", "MPI_Bcast",
					       "MPI_Recv" };
	static const int32_t ranks[] = { 0, 2, 3 }, team[] = { 0, 1, 2 };
	static const uint64_t types[][2] = { { 0, 4 }, { 0, 11 } };
	const struct comm threads = { .size = 3, .ranks = team, .kind = COMM_THREADS };
	const uint64_t type = 0;

	for (int i = 0; i < LOCATIONS; i++)
		builder_location(b, &(struct location){ .rank = i / 2, .thread = i % 2 });
	for (int i = 0; i < SITES; i++) {
		names->region[i] = builder_region(b, regions[i], (enum region_class)i, i);
		names->site[i] = builder_site(b, names->region[i], 0, 0, i);
	}
	names->comm[0] = 0;
	names->comm[1] = builder_comm(b, "some", ranks, 3, -2);
	names->comm[2] = builder_comm_define(b, &threads);
	names->known = builder_string(b, "known before", 12);
	for (uint32_t i = 0; i < 6; i++)
		builder_offset(b, &(struct offset){ .location = i % 3,
						    .time = 7 + 12345 * (int64_t)(i / 3),
						    .offset = 321 - 77 * (int64_t)i,
						    .rtt = -1 });
	for (int i = 0; i < 2; i++)
		names->attribute[i] =
			builder_object(b, OBJECT_ATTRIBUTE, names->known, types[i], 2);
	names->parameter = builder_object(b, OBJECT_PARAMETER, names->known, &type, 1);
}

static uint32_t some_text(struct builder *b, const struct names *names, struct rng *rng)
{
	char text[16];

	if (rng_below(rng, 3) == 0)
		return names->known;
	return builder_string(b, text,
			      (size_t)snprintf(text, sizeof text, "t%u", rng_below(rng, 30)));
}

static void add_detail(struct builder *b, const struct names *names, struct script *s)
{
	uint64_t v[6] = { names->parameter, 7, 8, 9, 10, 11 };

	switch (rng_below(&s->rng, 4)) {
	case 0:
		v[1] = some_text(b, names, &s->rng);
		builder_detail(b, s->location, s->now, DETAIL_PARAMETER_STRING, v, 2);
		break;
	case 1:
		for (int i = 0; i < 3; i++)
			v[i] = some_text(b, names, &s->rng);
		builder_detail(b, s->location, s->now, DETAIL_PROGRAM_BEGIN, v,
			       1 + rng_below(&s->rng, 3));
		break;
	case 2:
		v[0] = rng_next(&s->rng);
		builder_detail(b, s->location, s->now, DETAIL_METRIC, v, 1 + rng_below(&s->rng, 6));
		break;
	default: builder_detail(b, s->location, s->now, DETAIL_UNKNOWN, NULL, 0);
	}
}

static struct message_end some_end(struct script *s)
{
	struct message_end end = { .rank = (int32_t)rng_below(&s->rng, LOCATIONS / 2),
				   .process = -1,
				   .tag = (int32_t)rng_below(&s->rng, 3),
				   .bytes = rng_below(&s->rng, 1000),
				   .request = rng_below(&s->rng, 3),
				   .has_request = rng_below(&s->rng, 2) };

	if (rng_below(&s->rng, 10) == 0)
		end.rank = rng_below(&s->rng, 3) ? RANK_UNKNOWN : -1;
	return end;
}

static void add_collective(struct builder *b, const struct names *names, struct script *s)
{
	const uint32_t comm = names->comm[rng_below(&s->rng, 3)];
	const int64_t request = rng_below(&s->rng, 2);

	switch (rng_below(&s->rng, 6)) {
	case 0:
		builder_collective_begin(b, s->location, s->now, comm, names->region[3], 0, 5, 6);
		break;
	case 1: builder_collective_begin_unknown(b, s->location, s->now); break;
	case 2: builder_collective_end(b, s->location, s->now, 7, UINT64_MAX); break;
	case 3:
		builder_collective_is(b, s->location, comm, names->region[2], -1);
		builder_collective_end(b, s->location, s->now, 7, UINT64_MAX);
		break;
	case 4: builder_collective_request(b, s->location, s->now, request); break;
	default:
		builder_collective_complete(b, s->location, s->now, request, comm, names->region[3],
					    1, 3, 4);
	}
}

static void add_message(struct builder *b, struct script *s)
{
	const struct message_end end = some_end(s);
	const int64_t request = rng_below(&s->rng, 3);

	switch (rng_below(&s->rng, 6)) {
	case 0: builder_send(b, s->location, s->now, &end); break;
	case 1: builder_recv_request(b, s->location, s->now, &end); break;
	case 2: builder_recv(b, s->location, s->now, &end); break;
	case 3: builder_request_test(b, s->location, s->now, request); break;
	case 4: builder_send_complete(b, s->location, s->now, request, MSG_SEND_BLOCKED); break;
	default: builder_request_cancelled(b, s->location, s->now, request); break;
	}
}

static void add_rest(struct builder *b, const struct names *names, struct script *s)
{
	const struct record record = { 1000, names->site[0], some_text(b, names, &s->rng) };

	switch (rng_below(&s->rng, 6)) {
	case 0: builder_record(b, s->location, s->now, EV_DATA, &record); break;
	case 1: builder_extra(b, s->location, "extra", 5 - rng_below(&s->rng, 4)); break;
	case 2:
		builder_attribute(b, s->location, names->attribute[0], rng_next(&s->rng));
		builder_attribute(b, s->location, names->attribute[1],
				  some_text(b, names, &s->rng));
		break;
	case 3: builder_time_text(b, s->location, "1.5e3", 5); break;
	case 4:
		builder_finding(b, FINDING_ODDITY, "some-finding", s->location * 1000 + 1,
				"some finding");
		break;
	default: builder_tracing(b, s->location, s->now, names->site[0], rng_below(&s->rng, 2));
	}
}

static void call(struct builder *b, const struct names *names, struct script *s)
{
	const uint32_t site = names->site[rng_below(&s->rng, SITES)];

	s->left--;
	s->now += rng_below(&s->rng, 500) ? rng_below(&s->rng, 50) : (int64_t)1 << 33;
	if (rng_below(&s->rng, 1000) == 0)
		s->now -= 40;
	switch (rng_below(&s->rng, 8)) {
	case 0:
	case 1: builder_enter(b, s->location, s->now, site); break;
	case 2: builder_leave(b, s->location, s->now, site); break;
	case 3: builder_mark(b, s->location, s->now, site); break;
	case 4: add_detail(b, names, s); break;
	case 5: add_collective(b, names, s); break;
	case 6: add_rest(b, names, s); break;
	default: add_message(b, s); break;
	}
}

/* ---- feeding ---- */

struct feed {
	struct builder *b;
	const struct names *names;
	struct script script[LOCATIONS];
	unsigned n;
	struct rng turns;
	bool mixed; /* the locations by turns, not one after the other */
};

static struct script script(uint64_t seed, uint32_t location)
{
	struct script s = { .rng = { seed * 1000 + location }, .location = location };

	/* Some locations are empty, some short. */
	s.left = location % 4 == 3 ? (int)rng_below(&s.rng, 3) : CALLS;
	return s;
}

static void *feed(void *arg)
{
	struct feed *f = arg;

	while (f->n > 0) {
		const unsigned i = f->mixed ? rng_below(&f->turns, f->n) : 0;
		if (f->script[i].left > 0) {
			call(f->b, f->names, &f->script[i]);
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
	struct names names;
	struct feed f = { .b = b, .names = &names, .n = LOCATIONS };

	define(b, &names);
	for (uint32_t l = 0; l < LOCATIONS; l++)
		f.script[l] = script(seed, l);
	feed(&f);
	return finish(b, 1);
}

static struct trace *by_children(uint64_t seed, unsigned n, bool mixed)
{
	struct builder *b = built_begin(0), *children[CHILDREN];
	struct rng rng = { seed + n };
	struct feed f[CHILDREN] = { { NULL, NULL, { { { 0 }, 0, 0, 0 } }, 0, { 0 }, false } };
	pthread_t threads[CHILDREN];
	struct names names;

	define(b, &names);
	for (unsigned c = 0; c < n; c++) {
		children[c] = builder_fork(b);
		assert_non_null(children[c]);
		f[c] = (struct feed){
			.b = children[c], .names = &names, .turns = { seed + c }, .mixed = mixed
		};
	}
	for (uint32_t l = 0; l < LOCATIONS; l++) {
		struct feed *to = &f[rng_below(&rng, n)];
		to->script[to->n++] = script(seed, l);
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

static void same(struct trace *wanted, struct trace *got)
{
	OWNED_STR a = STR_INIT, b = STR_INIT, differs = STR_INIT;

	trace_account(wanted, ACCOUNT_STORE, &a);
	trace_account(got, ACCOUNT_STORE, &b);
	dump_linear(wanted, &a);
	dump_linear(got, &b);
	if (account_differs(&a, &b, &differs))
		fail_msg("alone and by children: %s", differs.text);
	trace_free(got);
}

TEST(children_as_alone)
{
	for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
		OWNED_TRACE *t = alone(seed);
		assert_true(trace_message_count(t) > 100);
		assert_true(trace_collective_count(t) > 50);
		assert_true(trace_detail_count(t) > 100);
		same(t, by_children(seed, 1, false));
		same(t, by_children(seed, 1, true));
		same(t, by_children(seed, 2, seed & 1));
		same(t, by_children(seed, 4, seed & 2));
	}
}

/* A child that is given up leaves nothing behind; a second fork goes on behind the first. */
TEST(given_up)
{
	struct builder *b = built_begin(0), *child;
	const struct message_end end = { .rank = 1, .process = -1, .bytes = 8 };
	struct names names;
	OWNED_TRACE *t;

	define(b, &names);
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
