/* Statements and their records: written and read by PICL and OTF2, kept in the cache, in parts;
 * hostile ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "harness/account.h"
#include "harness/built.h"
#include "harness/cache_aid.h"
#include "harness/load_trace.h"
#include "harness/otf2_aid.h"
#include "harness/picl_aid.h"
#include "harness/random.h"
#include "harness/rounds.h"
#include "harness/test.h"
#include "model/formats/load.h"
#include "model/formats/save.h"
#include "model/trace/program.h"

GROUP_FIXTURE(cache_aid_setup, cache_aid_teardown)

/* ---- programs that never were ---- */

struct maker {
	struct rng rng;
	struct builder *b;
	uint32_t locations[4], comms[2], regions[3];
	bool events;
};

static uint32_t below(struct maker *m, uint32_t n)
{
	return rng_below(&m->rng, n);
}

static uint32_t text(struct maker *m)
{
	static const char *const texts[] = { "", "sweep", "for", "a b\tc", "%x", "/src/a file.c" };

	return built_string(m->b, texts[below(m, 6)]);
}

/* Small or large, but a number. */
static int64_t ticks(struct maker *m)
{
	return (int64_t)(rng_next(&m->rng) >> (8 + below(m, 40)));
}

static void define(struct maker *m)
{
	static const int32_t world[] = { 0, 1, 2 }, pair[] = { 0, 2 };

	builder_world(m->b, world, 3);
	m->comms[1] = builder_comm(m->b, "pair", pair, 2, 0);
	for (int i = 0; i < 4; i++)
		m->locations[i] = builder_location(m->b, &(struct location){ .rank = i % 3,
									     .process = 50 + i % 3,
									     .thread = i / 3 });
	for (int i = 0; i < 3; i++)
		m->regions[i] =
			builder_region(m->b, (const char *[]){ "main", "for", "MPI_Send" }[i],
				       i < 2 ? CLASS_USER : CLASS_P2P, i < 2 ? i : -21);
}

static void add_events(struct maker *m)
{
	const uint32_t trace = built_site(m->b, "tracing", CLASS_OVERHEAD, -901);
	const uint32_t main_site = builder_site(m->b, m->regions[0], 0, 0, 0);

	for (int i = 0; i < 4; i++) {
		builder_tracing(m->b, m->locations[i], 100 + i, trace, true);
		if (m->events) {
			builder_enter(m->b, m->locations[i], 200, main_site);
			builder_leave(m->b, m->locations[i], 300, main_site);
		}
		builder_tracing(m->b, m->locations[i], 1000 - i, trace, false);
	}
}

static void add_statements(struct maker *m, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct statement s = { .kind = (uint8_t)below(m, STATEMENT_KINDS),
				       .flags = (uint8_t)below(m, 64),
				       .column = (uint16_t)below(m, 100),
				       .line = below(m, 1000),
				       .end_line = below(m, 3) ? 0 : UINT32_MAX,
				       .parent = i && below(m, 4) ? below(m, i) : NO_STATEMENT,
				       .callee = below(m, 2) ? below(m, n) : NO_STATEMENT,
				       .region =
					       below(m, 2) ? m->regions[below(m, 3)] : UINT32_MAX };
		s.name = text(m);
		s.file = text(m);
		s.reason = text(m);
		builder_statement(m->b, &s);
	}
}

static void add_records(struct maker *m, uint32_t statements, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct statement_record r = {
			.statement = below(m, statements),
			.location = m->locations[below(m, 4)],
			.from = below(m, 2) ? below(m, statements) : NO_STATEMENT,
			.partner = below(m, 4)   ? (int32_t)below(m, 3)
				   : below(m, 2) ? PARTNER_MANY
						 : RANK_UNKNOWN,
			.comm = below(m, 3) ? m->comms[below(m, 2)] : UINT32_MAX,
			.flags = below(m, 32),
			.count = below(m, 5) ? below(m, 1000) : UINT64_MAX - below(m, 1000),
			.inner = below(m, 3),
			.time = ticks(m),
			.exclusive = ticks(m),
			.min = ticks(m),
			.max = ticks(m),
			.iterations = rng_next(&m->rng),
			.quickest = (double)ticks(m) / 7,
			.slowest = (double)ticks(m) / 3,
			.trans = ticks(m),
			.sync = ticks(m),
			.own = below(m, 9),
			.carried = below(m, 9),
			.sent = rng_next(&m->rng),
			.received = below(m, 99),
		};
		builder_statement_record(m->b, &r);
	}
}

static struct trace *random_program(uint64_t seed, int64_t per_second)
{
	struct maker m = { .rng = { seed * 7919 + 1 }, .events = seed % 2 };
	struct timescale scale = { per_second, 0 };
	const uint32_t n = 1 + (uint32_t)(seed % 40);

	scale.digits = units_export_digits(&scale);
	m.b = builder_new("random", &scale, NULL);
	define(&m);
	add_events(&m);
	add_statements(&m, n);
	add_records(&m, n, seed % 5 ? 3 * n : 0);
	return built_end(m.b);
}

/* ---- round trips ---- */

static void same(const struct trace *a, const struct trace *b, const char *where, uint64_t seed)
{
	OWNED_STR was = STR_INIT, is = STR_INIT, differs = STR_INIT;

	trace_account(a, ACCOUNT_ALL, &was);
	trace_account(b, ACCOUNT_ALL, &is);
	if (account_differs(&was, &is, &differs))
		fail_msg("%s, seed %d: %s", where, (int)seed, differs.text);
}

static struct trace *through(struct trace *trace, enum save_format format, const char *name,
			     const struct save_options *options)
{
	struct err err = ERR_INIT;
	OWNED char *path = aid_path(name);
	struct trace *again;

	if (!trace_save(trace, format, path, NULL, options, NULL, &err))
		fail_msg("%s", err.text);
	again = load_trace(path);
	assert_sound(again);
	assert_int_equal(trace_finding_sum(again, FINDING_DAMAGE), 0);
	assert_int_equal(trace_finding_sum(again, FINDING_ODDITY), 0);
	return again;
}

TEST(programs_come_back)
{
	static const int64_t rates[] = { 1000000000, 2399997000, 1000000000000, 1000000, 3 };

	for (uint64_t seed = 1; seed <= rounds(40); seed++) {
		OWNED_TRACE *trace = random_program(seed, rates[seed % 5]);
		OWNED_TRACE *picl = through(trace, SAVE_PICL, "p.trc", NULL), *otf2, *back;
		OWNED char *first = aid_write(picl), *second;

		same(trace, picl, "PICL", seed);
		/* OTF2's clock may be finer than the trace's. */
		otf2 = through(picl, SAVE_OTF2, "p.otf2", NULL);
		if (rates[seed % 5] != 1000000)
			same(trace, otf2, "OTF2", seed);
		back = through(otf2, SAVE_PICL, "q.trc", NULL);
		second = aid_write(back);
		if (rates[seed % 5] != 1000000)
			assert_string_equal(first, second);
		assert_int_equal(trace_statement_record_count(back),
				 trace_statement_record_count(trace));
	}
}

TEST(the_cache_has_them)
{
	for (uint64_t seed = 1; seed <= 6; seed++) {
		OWNED_TRACE *trace = random_program(seed, 1000000000), *first, *second;
		struct err err = ERR_INIT;
		OWNED char *path;
		char name[32];

		snprintf(name, sizeof name, "cached%d.trc", (int)seed);
		path = aid_path(name);
		assert_true(trace_save(trace, SAVE_PICL, path, NULL, NULL, NULL, &err));
		first = aid_open(path);
		assert_false(trace_is_cached(first));
		aid_keep(first);
		second = aid_open(path);
		assert_true(trace_is_cached(second));
		same(first, second, "cache", seed);
		same(trace, second, "cache", seed);
	}
}

/* ---- parts ---- */

static size_t records_on(const struct trace *trace, int32_t rank)
{
	size_t n = 0;

	for (size_t i = 0; i < trace_statement_record_count(trace); i++)
		n += trace_location(trace, trace_statement_record(trace, i)->location)->rank ==
		     rank;
	return n;
}

/* Ranks keep their own records; a part by time has none, since they are of the whole run. */
TEST(parts_have_what_is_theirs)
{
	static const struct rank_range ranks[] = { { 1, 2 } };
	static const enum save_format formats[] = { SAVE_PICL, SAVE_OTF2 };
	static const char *const names[] = { "part.trc", "part.otf2" };
	OWNED_TRACE *trace = random_program(33, 1000000000);

	assert_true(records_on(trace, 0) && records_on(trace, 1) && records_on(trace, 2));
	for (int f = 0; f < 2; f++) {
		struct load_options options = { .no_cache = true,
						.part = { ranks, 1, false, 0, 0 } };
		struct save_options cut = { BASE_MEASURED, 200, 900, NULL };
		uint8_t chosen[4] = { 0, 1, 0, 0 };
		struct err err = ERR_INIT;
		OWNED char *path = aid_path(names[f]);
		OWNED_TRACE *part, *timed, *saved_timed, *saved_rank;

		assert_true(trace_save(trace, formats[f], path, NULL, NULL, NULL, &err));
		part = trace_load(path, &options, NULL, &err);
		assert_non_null(part);
		assert_int_equal(records_on(part, 0), 0);
		assert_int_equal(records_on(part, 1), records_on(trace, 1));
		assert_int_equal(records_on(part, 2), records_on(trace, 2));
		assert_int_equal(trace_statement_count(part), trace_statement_count(trace));

		options.part = (struct load_part){ .timed = true, .t0 = 150, .t1 = 600 };
		timed = trace_load(path, &options, NULL, &err);
		assert_non_null(timed);
		assert_int_equal(trace_statement_record_count(timed), 0);
		assert_int_equal(trace_statement_count(timed), trace_statement_count(trace));
		assert_int_equal(trace_finding_sum(timed, FINDING_DAMAGE), 0);

		saved_timed = through(trace, formats[f], names[f], &cut);
		assert_int_equal(trace_statement_record_count(saved_timed), 0);
		cut = (struct save_options){ BASE_MEASURED, INT64_MIN, INT64_MAX, chosen };
		saved_rank = through(trace, formats[f], names[f], &cut);
		assert_int_equal(records_on(saved_rank, 0), 0);
		assert_int_equal(records_on(saved_rank, 1), records_on(trace, 1));
	}
}

/* ---- order and sums ---- */

/* Whatever a reader takes for a time: what is added up of it later is a number. */
TEST(times_are_times)
{
	struct maker m = { .rng = { 6 } };
	const struct statement_record r = { .count = 1,
					    .time = INT64_MAX,
					    .exclusive = INT64_MIN,
					    .min = -1,
					    .max = INT64_MAX,
					    .trans = INT64_MAX,
					    .sync = -5,
					    .partner = 1 };
	const struct statement_record *taken;
	OWNED_TRACE *trace;

	m.b = built_begin(0);
	define(&m);
	builder_statement(m.b, &(struct statement){ .kind = STATEMENT_COMMUNICATION,
						    .parent = NO_STATEMENT,
						    .callee = NO_STATEMENT });
	builder_statement_record(m.b, &r);
	trace = built_end(m.b);
	taken = trace_statement_record(trace, 0);
	assert_int_equal(taken->time, INT64_C(1) << 56);
	assert_int_equal(taken->exclusive, 0);
	assert_int_equal(taken->min, 0);
	assert_int_equal(taken->max, INT64_C(1) << 56);
	assert_int_equal(taken->trans, INT64_C(1) << 56);
	assert_int_equal(taken->sync, 0);
}

TEST(records_of_one_key_are_one)
{
	struct maker m = { .rng = { 5 } };
	struct statement_record r = {
		.count = 2, .time = 10, .min = 3, .max = 7, .from = 1, .partner = 9
	};
	OWNED_TRACE *trace;

	m.b = built_begin(0);
	define(&m);
	builder_statement(m.b, &(struct statement){ .parent = NO_STATEMENT, .callee = 7 });
	builder_statement(m.b,
			  &(struct statement){ .kind = STATEMENT_CALL, .parent = 0, .callee = 0 });
	builder_statement(m.b,
			  &(struct statement){ .kind = STATEMENT_CALL, .parent = 1, .callee = 1 });
	r.location = 1;
	builder_statement_record(m.b, &r);
	r.location = 0;
	builder_statement_record(m.b, &r);
	r = (struct statement_record){
		.location = 1, .count = 1, .time = 1, .min = 1, .max = 1, .from = 1
	};
	builder_statement_record(m.b, &r); /* a partner is nothing to a procedure */
	/* One that was entered while it was open has no time, and no least time. */
	r = (struct statement_record){ .location = 1, .count = 4, .inner = 4, .from = 1 };
	builder_statement_record(m.b, &r);
	r.from = 0; /* that is no call */
	builder_statement_record(m.b, &r);
	trace = built_end(m.b);
	assert_int_equal(trace_statement(trace, 0)->callee, NO_STATEMENT);
	assert_int_equal(trace_statement(trace, 1)->callee, 0);
	assert_int_equal(trace_statement(trace, 2)->parent, NO_STATEMENT);
	assert_int_equal(trace_statement(trace, 2)->callee, NO_STATEMENT);
	assert_int_equal(trace_statement_record_count(trace), 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(trace_statement_record(trace, i)->location, i > 0);
	assert_int_equal(trace_statement_record(trace, 1)->count, 7);
	assert_int_equal(trace_statement_record(trace, 1)->inner, 4);
	assert_int_equal(trace_statement_record(trace, 1)->time, 11);
	assert_int_equal(trace_statement_record(trace, 1)->min, 1);
	assert_int_equal(trace_statement_record(trace, 1)->max, 7);
	assert_int_equal(trace_statement_record(trace, 2)->from, NO_STATEMENT);
	assert_true(trace_records_alone(trace));
}

/* ---- hostile lines ---- */

static const char header[] =
	"-7 -1 -0.000000001 -1 -1 16 \"%c\" tview:format=1.2\n"
	"-202 -1 -0.000000001 -1 -1 3 2 -2 0 1\n"
	"-7 -1 -0.000000001 -1 -1 14 \"%c\" tview:world=-2\n"
	"-7 -1 -0.000000001 -1 -1 21 \"%c\" tview:def-string=main\n"
	"-7 -1 -0.000000001 -1 -1 49 \"%c\" tview:def-statement=0 0 1 10 20 -1 -1 -1 1 1 0\n"
	"-7 -1 -0.000000001 -1 -1 50 \"%c\" tview:def-statement=3 0 3 11 11 0 -1 -1 1 1 0 \n";

static struct trace *load_with(const char *lines)
{
	OWNED_STR all = STR_INIT;
	struct trace *trace;

	str_add(&all, header);
	str_add(&all, lines);
	trace = aid_load(all.text);
	assert_sound(trace);
	return trace;
}

TEST(sound_lines_are_understood)
{
	OWNED_TRACE *t =
		load_with("-3 -901 0.000000000 0 7 0\n-4 -901 0.000001000 0 7 0\n"
			  "-311 -1 0.000001000 0 7 9 2 0 0 2 0 100 60 40 60 -1\n"
			  "-311 -1 0.000001000 0 7 16 2 1 4 5 0 40 40 1 9 1 -2 30 8 1 4 77 0\n");
	const struct statement_record *r;

	assert_int_equal(trace_finding_sum(t, FINDING_DAMAGE), 0);
	assert_int_equal(trace_statement_count(t), 2);
	assert_string_equal(trace_string(t, trace_statement(t, 0)->name), "main");
	assert_int_equal(trace_statement(t, 1)->parent, 0);
	assert_int_equal(trace_statement_record_count(t), 2);
	r = trace_statement_record(t, 0);
	assert_int_equal(r->count, 2);
	assert_int_equal(r->time, 100);
	assert_int_equal(r->exclusive, 60);
	assert_int_equal(r->min, 40);
	assert_int_equal(r->max, 60);
	assert_int_equal(r->from, NO_STATEMENT);
	r = trace_statement_record(t, 1);
	assert_int_equal(r->flags, RECORD_SENT);
	assert_int_equal(r->partner, 1);
	assert_int_equal(r->comm, 0);
	assert_int_equal(r->trans, 30);
	assert_int_equal(r->sync, 8);
	assert_int_equal(r->own, 1);
	assert_int_equal(r->carried, 4);
	assert_int_equal(r->sent, 77);
}

/* What cannot be is told of, kept, and written again. */
TEST(hostile_records_are_kept)
{
	static const char *const lines[] = {
		"-311 -1 0.000001000 0 7 9 2 2 0 2 0 100 60 40 60 -1", /* no such statement */
		"-311 -1 0.000001000 0 7 9 2 -1 0 2 0 100 60 40 60 -1",
		"-311 -1 0.000001000 0 7 9 2 4294967296 0 2 0 100 60 40 60 -1",
		"-311 -1 0.000001000 0 7 8 2 0 0 2 0 100 60 40 60",       /* too few */
		"-311 -1 0.000001000 0 7 10 2 0 0 2 0 100 60 40 60 -1 5", /* too many */
		"-311 -1 0.000001000 0 7 9 2 0 0 2 0 -1 60 40 60 -1",     /* no time */
		"-311 -1 0.000001000 0 7 9 2 0 0 2 0 9223372036854775807 60 40 60 -1",
		"-311 -1 0.000001000 0 7 9 2 0 -5 2 0 100 60 40 60 -1", /* no flags */
		"-311 -1 0.000001000 0 7 9 2 0 0 2 0 100 60 40 60 -7",  /* no call */
		"-311 -1 0.000001000 0 7 16 2 1 4 5 0 40 40 1 9 4294967296 -2 30 8 1 4 77 0",
		"-311 -1 0.000001000 0 7 0",
		"-311 -1 0.000001000 0 7 3 \"%s\" a b c",
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		OWNED_STR all = STR_INIT;
		OWNED_TRACE *t;
		OWNED char *again;

		str_add_fmt(&all, "-3 -901 0.000000000 0 7 0\n%s\n-4 -901 0.000001000 0 7 0\n",
			    lines[i]);
		t = load_with(all.text);
		assert_int_equal(trace_statement_record_count(t), 0);
		if (found(t, "own-record") != 1)
			fail_msg("nobody says anything of %s", lines[i]);
		again = aid_write(t);
		if (!strstr(again, lines[i]))
			fail_msg("lost: %s", lines[i]);
	}
}

TEST(hostile_statements_are_told)
{
	static const char *const values[] = {
		"4 0 3 11 11 0 -1 -1 1 1 0",
		"-1 0 3 11 11 0 -1 -1 1 1 0",
		"1 256 3 11 11 0 -1 -1 1 1 0",
		"1 0 65536 11 11 0 -1 -1 1 1 0",
		"1 0 3 -1 11 0 -1 -1 1 1 0",
		"1 0 3 11 11 2 -1 -1 1 1 0",
		"1 0 3 11 11 -2 -1 -1 1 1 0",
		"1 0 3 11 11 0",
		"x",
		"",
	};

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		char line[256];
		OWNED_TRACE *t;
		snprintf(line, sizeof line,
			 "-7 -1 -0.000000001 -1 -1 %zu \"%%c\" tview:def-statement=%s\n"
			 "-3 -901 0.000000000 0 7 0\n",
			 strlen("tview:def-statement=") + strlen(values[i]), values[i]);
		t = load_with(line);
		assert_int_equal(trace_statement_count(t), 3);
		if (found(t, "header-line") != 1)
			fail_msg("nobody says anything of %s", values[i]);
	}
	/* A parent that contains nothing, a callee that is none: no statement, but no damage
	 * either. */
	OWNED_TRACE *none = load_with(
		"-7 -1 -0.000000001 -1 -1 45 \"%c\" tview:def-statement=2 0 3 11 11 1 1 999 1 1 0\n"
		"-3 -901 0.000000000 0 7 0\n");
	assert_int_equal(trace_statement(none, 2)->parent, NO_STATEMENT);
	assert_int_equal(trace_statement(none, 2)->callee, NO_STATEMENT);
	assert_int_equal(trace_statement(none, 2)->region, UINT32_MAX);
}

/* The same in an archive: properties of the system tree's root, which anybody may write. */
static struct trace *archive_with(const char *statements, const char *records)
{
	const char *const texts[][2] = { { "tview:.event types", "0 5" },
					 { "tview:.statements", statements },
					 { "tview:.statement records", records } };
	struct otf2_aid aid;
	struct trace *trace;
	uint32_t name;

	otf2_aid_begin(&aid, 1000000000);
	name = otf2_aid_string(&aid, "main"); /* string 0 or 1: asked for by number */
	OTF2_GlobalDefWriter_WriteSystemTreeNode(aid.defs, 0, name, name,
						 OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	OTF2_GlobalDefWriter_WriteLocationGroup(aid.defs, 0, name, OTF2_LOCATION_GROUP_TYPE_PROCESS,
						0, OTF2_UNDEFINED_LOCATION_GROUP);
	OTF2_GlobalDefWriter_WriteRegion(aid.defs, 0, name, name, name, OTF2_REGION_ROLE_FUNCTION,
					 OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, name, 0, 0);
	OTF2_GlobalDefWriter_WriteLocation(aid.defs, 3, name, OTF2_LOCATION_TYPE_CPU_THREAD, 1, 0);
	for (int i = 0; i < 3; i++) {
		OTF2_AttributeValue value = { .uint64 = 0 };
		value.stringRef = otf2_aid_string(&aid, texts[i][1]);
		OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(aid.defs, 0,
								 otf2_aid_string(&aid, texts[i][0]),
								 OTF2_TYPE_STRING, value);
	}
	{
		OTF2_EvtWriter *events = otf2_aid_events(&aid, 3);
		OTF2_EvtWriter_MeasurementOnOff(events, NULL, 2000, OTF2_MEASUREMENT_ON);
		otf2_aid_events_end(&aid, events);
	}
	otf2_aid_end(&aid);
	trace = load_trace(aid.anchor);
	otf2_aid_remove(&aid);
	assert_sound(trace);
	return trace;
}

TEST(hostile_archives_are_told)
{
	static const char good[] = "0 0 0 0 0 1 10 20 -1 -1 0, 0 0 0 3 0 1 12 12 0 -1 -1";
	static const struct {
		const char *statements, *records;
		uint32_t n, made;
		uint64_t damaged;
	} cases[] = {
		{ good, "3 0 0 1 0 9 9 9 9 -1, 3 1 0 1 0 5 5 5 5 1 -1 2 3 0 1 8 0", 2, 2, 0 },
		{ good, "3 0 0 1 0 9 9 9 9, 3 1 0 1 0 5 5 5 5 1 -1 2 3 0 1 8 0", 2, 1, 1 },
		{ good, "4 0 0 1 0 9 9 9 9 -1", 2, 0, 1 }, /* no such location */
		{ good, "3 2 0 1 0 9 9 9 9 -1", 2, 0, 1 }, /* no such statement */
		{ good, "3 -1 0 1 0 9 9 9 9 -1", 2, 0, 1 },
		{ good, "3 0 0 1 0 -9 9 9 9 -1", 2, 0, 1 }, /* no time */
		{ good, "3 0 0 1 0 9223372036854775807 9 9 9 -1", 2, 0, 1 },
		{ good, "what, is, this", 2, 0, 3 },
		{ good, ",,,", 2, 0, 4 },
		{ "0 0 0 7 0 1 10 20 -1 -1 0, 0 0 0 1 0 1 1 1 5 -1 -1", "", 2, 0, 2 + 1 },
		{ "0 0 0", "3 0 0 1 0 9 9 9 9 -1", 1, 1, 1 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		OWNED_TRACE *t = archive_with(cases[i].statements, cases[i].records);
		if (trace_statement_count(t) != cases[i].n ||
		    trace_statement_record_count(t) != cases[i].made ||
		    found(t, "own-statements") != cases[i].damaged)
			fail_msg("case %d: %d statements, %d records, %d findings", (int)i,
				 (int)trace_statement_count(t),
				 (int)trace_statement_record_count(t),
				 (int)found(t, "own-statements"));
	}
}
