/* Records of statements as PICL's own statistics: an example by hand, random programs against what
 * their events say, and read again where nothing but the statistics is left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "harness/built.h"
#include "harness/picl_aid.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/picl/read/picl_stats.h"
#include "model/trace/program.h"

/* ---- a program, run step by step ---- */

enum { PROCEDURES = 7, STATEMENTS = 60, DEPTH = 7, STEPS = 400 };

/* What stands where: statement 0 is procedure 0, main. */
struct machine {
	struct rng rng;
	struct builder *b;
	uint32_t location;
	struct statement statements[STATEMENTS];
	uint32_t sites[STATEMENTS], n;
	struct statement_record rows[STATEMENTS]
				    [STATEMENTS + 1]; /* [statement][from, or the last] */
	uint32_t open[STATEMENTS];                    /* activations */
	int64_t now;
	uint32_t steps, tree; /* tree: every procedure is called from one place */
};

static uint32_t below(struct machine *m, uint32_t n)
{
	return rng_below(&m->rng, n);
}

static uint32_t add(struct machine *m, enum statement_kind kind, uint32_t parent, uint32_t callee)
{
	static const char *const words[] = { "p", "loop", "", "MPI_Send" };
	const uint32_t id = m->n++;
	struct statement *s = &m->statements[id];
	char name[24];
	int32_t type = (int32_t)id;

	assert_true(id < STATEMENTS);
	snprintf(name, sizeof name, "%s%u", words[kind], id);
	if (kind == STATEMENT_COMMUNICATION) {
		snprintf(name, sizeof name, "MPI_Send");
		type = -21;
	}
	*s = (struct statement){ .kind = (uint8_t)kind,
				 .line = id,
				 .parent = parent,
				 .callee = callee,
				 .region = UINT32_MAX };
	s->name = built_string(m->b, name);
	if (kind != STATEMENT_CALL) {
		m->sites[id] =
			built_site(m->b, name,
				   kind == STATEMENT_COMMUNICATION ? CLASS_P2P : CLASS_USER, type);
		s->region = builder_site_region(m->b, m->sites[id]);
	}
	builder_statement(m->b, s);
	return id;
}

/* Procedures are 0 .. PROCEDURES - 1; in a tree each is called from one place, before it. */
static void write_program(struct machine *m)
{
	for (uint32_t p = 0; p < PROCEDURES; p++)
		add(m, STATEMENT_PROCEDURE, NO_STATEMENT, NO_STATEMENT);
	for (uint32_t p = 1; m->tree && p < PROCEDURES; p++)
		add(m, STATEMENT_CALL, below(m, p), p);
	while (m->n < STATEMENTS - 20) {
		const uint32_t parent = below(m, m->n), kind = below(m, 3);
		if (m->statements[parent].kind > STATEMENT_LOOP)
			continue;
		if (kind == 0)
			add(m, STATEMENT_LOOP, parent, NO_STATEMENT);
		else if (kind == 1)
			add(m, STATEMENT_COMMUNICATION, parent, NO_STATEMENT);
		else if (!m->tree)
			add(m, STATEMENT_CALL, parent, 1 + below(m, PROCEDURES - 1));
	}
}

static void run_statement(struct machine *m, uint32_t id, uint32_t from, unsigned depth);

static void run_inside(struct machine *m, uint32_t id, unsigned depth)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (m->statements[i].parent == id && below(m, 4))
			run_statement(m, i, NO_STATEMENT, depth);
}

/* As capture keeps them: what is open already has no time. */
static void count(struct machine *m, uint32_t id, uint32_t from, int64_t time)
{
	struct statement_record *r = &m->rows[id][from == NO_STATEMENT ? STATEMENTS : from];

	*r = (struct statement_record){ .statement = id,
					.location = m->location,
					.from = from,
					.partner = 1,
					.comm = 0,
					.count = r->count + 1,
					.inner = r->inner,
					.time = r->time,
					.sent = r->sent };
	if (m->open[id])
		r->inner++;
	else
		r->time += time;
	if (m->statements[id].kind == STATEMENT_COMMUNICATION)
		r->sent += 8;
}

static void run_statement(struct machine *m, uint32_t id, uint32_t from, unsigned depth)
{
	const struct statement *s = &m->statements[id];
	const int64_t begin = m->now;

	if (depth > DEPTH || m->steps >= STEPS)
		return;
	m->steps++;
	if (s->kind == STATEMENT_CALL) {
		run_statement(m, s->callee, id, depth + 1);
		return;
	}
	builder_enter(m->b, m->location, m->now, m->sites[id]);
	m->now += below(m, 50);
	if (s->kind == STATEMENT_COMMUNICATION) {
		const struct message_end end = { .rank = 1, .process = -1, .tag = 1, .bytes = 8 };
		builder_send(m->b, m->location, begin, &end);
	} else {
		m->open[id]++;
		run_inside(m, id, depth + 1);
		m->open[id]--;
	}
	m->now += below(m, 50);
	builder_leave(m->b, m->location, m->now, m->sites[id]);
	count(m, id, from, m->now - begin);
}

static struct trace *run_program(uint64_t seed, bool tree)
{
	static struct machine machine;
	struct machine *m = &machine;
	const int32_t world[] = { 0, 1 };

	*m = (struct machine){ .rng = { seed * 31337 + 7 }, .tree = tree };
	m->b = built_begin(0);
	builder_world(m->b, world, 2);
	m->location = builder_location(m->b, &(struct location){ .rank = 0, .process = 9 });
	write_program(m);
	for (int i = 0; i < 4; i++) {
		m->steps = 0;
		run_statement(m, 0, NO_STATEMENT, 0);
		m->now += 10;
	}
	for (uint32_t s = 0; s < m->n; s++)
		for (uint32_t f = 0; f <= STATEMENTS; f++)
			if (m->rows[s][f].count)
				builder_statement_record(m->b, &m->rows[s][f]);
	return built_end(m->b);
}

/* ---- texts ---- */

/* The lines of which none of the n words is a part; the caller frees. */
static char *without(const char *text, const char *const *words, size_t n)
{
	struct str out = STR_INIT;

	while (*text) {
		const size_t length = strcspn(text, "\n") + 1;
		OWNED_STR line = STR_INIT;
		size_t i = 0;

		str_add_n(&line, text, length);
		while (i < n && !strstr(line.text, words[i]))
			i++;
		if (i == n)
			str_add(&out, line.text);
		text += length;
	}
	return str_take(&out);
}

/* ---- against the events ---- */

/* Of a trace that is written and read again: what its statistics say beside its events. Nothing tells
 * the reader that they are made of records. */
static struct trace *only_its_statistics(struct trace *trace, struct statistic **list, size_t *n)
{
	static const char *const key[] = { "tview:picl-statistics=" };
	OWNED char *text = aid_write(trace), *plain = without(text, key, 1);
	struct trace *other = aid_load(plain);

	assert_non_null(strstr(text, key[0]));
	*n = picl_check_statistics(other, list);
	return other;
}

/* What the records say is what the comparison of statistics and events, which knows of no records,
 * finds in the events. */
TEST(statistics_agree_with_events)
{
	size_t pairs = 0, inside = 0;

	for (uint64_t seed = 1; seed <= 120; seed++) {
		OWNED_TRACE *trace = run_program(seed, seed % 3 == 0), *other;
		OWNED struct statistic *list;
		size_t n;

		other = only_its_statistics(trace, &list, &n);
		for (size_t i = 0; i < n; i++) {
			OWNED_STR why = STR_INIT;
			statistic_text(other, &list[i], &why);
			if (!list[i].agrees || list[i].recorded != list[i].computed)
				fail_msg("seed %d: %s", (int)seed, why.text);
			inside += list[i].relative >= 0;
		}
		pairs += n;
	}
	/* They do say something. */
	assert_true(pairs > 120 * 40);
	assert_true(inside > 120 * 30);
}

static int32_t type_of(const struct trace *t, uint32_t path)
{
	return trace_site(t, trace_callpath(t, path)->site)->picl;
}

/* In a tree of calls nothing is left out: every pair that the events have is there. */
TEST(trees_say_all)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		OWNED_TRACE *trace = run_program(seed, true), *other;
		bool is_in[STATEMENTS][STATEMENTS] = { { false } };
		OWNED struct statistic *list;
		struct cursor c;
		size_t n;

		other = only_its_statistics(trace, &list, &n);
		for (size_t i = 0; i < n; i++)
			if (list[i].rectype == -102 && list[i].relative >= 0 && list[i].type >= 0)
				is_in[list[i].relative][list[i].type] = true;
		for (bool ok = cursor_first(&c, trace, BASE_MEASURED, 0); ok;
		     ok = cursor_next(&c)) {
			const uint32_t id = what_id(cursor_what(&c));
			uint32_t p;
			if (what_kind(cursor_what(&c)) != EV_ENTER || type_of(trace, id) < 0)
				continue;
			for (p = id; (p = trace_callpath(trace, p)->parent) != 0;)
				if (type_of(trace, p) >= 0 &&
				    !is_in[type_of(trace, p)][type_of(trace, id)])
					fail_msg("seed %d: %d inside %d is not said", (int)seed,
						 type_of(trace, id), type_of(trace, p));
		}
	}
}

/* ---- read again from the statistics alone ---- */

static const struct statement *by_name(const struct trace *t, const char *name, uint32_t *id)
{
	for (*id = 0; *id < trace_statement_count(t); ++*id)
		if (trace_statement(t, *id)->kind == STATEMENT_PROCEDURE &&
		    strcmp(trace_string(t, trace_statement(t, *id)->name), name) == 0)
			return trace_statement(t, *id);
	return NULL;
}

/* Count, time, bytes of a procedure or loop (statistics do not tell them apart); of what
 * communicates in it. */
enum total { COUNT, TIME, SENDS, SEND_TIME, SENT, TOTALS };
struct totals {
	int64_t of[TOTALS];
};

static struct totals totals_of(const struct trace *t, uint32_t statement)
{
	struct totals sum = { { 0 } };

	for (size_t i = 0; i < trace_statement_record_count(t); i++) {
		const struct statement_record *r = trace_statement_record(t, i);
		const struct statement *s = trace_statement(t, r->statement);
		if (r->statement == statement) {
			sum.of[COUNT] += (int64_t)r->count;
			sum.of[TIME] += r->time;
		} else if (s->kind == STATEMENT_COMMUNICATION && s->parent == statement) {
			sum.of[SENDS] += (int64_t)r->count;
			sum.of[SEND_TIME] += r->time;
			sum.of[SENT] += (int64_t)r->sent;
		}
	}
	return sum;
}

TEST(statistics_alone_are_a_program)
{
	static const char *const gone[] = { "tview:", "-311 ", "-3 ", "-4 " };

	for (uint64_t seed = 1; seed <= 40; seed++) {
		OWNED_TRACE *trace = run_program(seed, true), *other;
		OWNED char *text = aid_write(trace), *alone = without(text, gone, 4), *again;
		size_t compared = 0;

		other = aid_load(alone);
		assert_sound(other);
		assert_true(trace_records_alone(other));
		for (uint32_t i = 0; i < trace_statement_count(trace); i++) {
			const struct totals was = totals_of(trace, i);
			const char *name = trace_string(trace, trace_statement(trace, i)->name);
			struct totals is;
			uint32_t id;
			if (trace_statement(trace, i)->kind > STATEMENT_LOOP || !was.of[COUNT])
				continue;
			if (!by_name(other, name, &id))
				fail_msg("seed %d: %s is not there", (int)seed, name);
			is = totals_of(other, id);
			assert_true(trace_statement(other, id)->flags & STATEMENT_FOUND);
			for (int k = 0; k < TOTALS; k++)
				if (was.of[k] != is.of[k])
					fail_msg("seed %d: %s: total %d was %d, is %d", (int)seed,
						 name, k, (int)was.of[k], (int)is.of[k]);
			compared++;
		}
		assert_true(compared > 2);
		/* It is the file of others that it was. */
		again = aid_write(other);
		assert_string_equal(alone, again);
	}
}

/* ---- by hand ---- */

/* The paper's kind of example (section 5.2): main calls work 10 times; work has a loop of 4
 * iterations that sends, and calls pack, which main calls once, too. Times in nanoseconds:
 *	main 100000 (once)	work 80000 (10 times, 50 of the calls of pack)	loop 60000 (10)	send 20000 (40, 4000 bytes)
 *	pack: from the loop 3000 (40 times), from main 500 (once); it receives 41 times in 820, 328 bytes */
static struct trace *example(void)
{
	struct builder *b = built_begin(0);
	const int32_t world[] = { 0, 1 };
	static const struct {
		const char *name;
		int32_t type;
		enum region_class cls;
		uint8_t kind;
		uint32_t parent, callee;
	} rows[] = {
		{ "main", 1, CLASS_USER, STATEMENT_PROCEDURE, NO_STATEMENT, NO_STATEMENT },
		{ "work", 2, CLASS_USER, STATEMENT_PROCEDURE, NO_STATEMENT, NO_STATEMENT },
		{ "pack", 3, CLASS_USER, STATEMENT_PROCEDURE, NO_STATEMENT, NO_STATEMENT },
		{ "for", 4, CLASS_USER, STATEMENT_LOOP, 1, NO_STATEMENT },
		{ "work", 0, CLASS_USER, STATEMENT_CALL, 0, 1 },
		{ "pack", 0, CLASS_USER, STATEMENT_CALL, 3, 2 },
		{ "pack", 0, CLASS_USER, STATEMENT_CALL, 0, 2 },
		{ "MPI_Send", -21, CLASS_P2P, STATEMENT_COMMUNICATION, 3, NO_STATEMENT },
		{ "MPI_Recv", -51, CLASS_P2P, STATEMENT_COMMUNICATION, 2, NO_STATEMENT },
	};
	static const struct {
		uint32_t statement, from;
		uint64_t count;
		int64_t time;
		uint64_t sent, received;
	} records[] = {
		{ 0, NO_STATEMENT, 1, 100000, 0, 0 },
		{ 1, 4, 10, 80000, 0, 0 },
		{ 2, 5, 40, 3000, 0, 0 },
		{ 2, 6, 1, 500, 0, 0 },
		{ 3, 0, 10, 60000, 0, 0 },
		{ 7, 0, 40, 20000, 4000, 0 },
		{ 8, 0, 41, 820, 0, 328 },
	};

	builder_world(b, world, 2);
	builder_location(b, &(struct location){ .rank = 0, .process = 7 });
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct statement s = { .kind = rows[i].kind,
				       .parent = rows[i].parent,
				       .callee = rows[i].callee,
				       .region = UINT32_MAX };
		s.name = built_string(b, rows[i].name);
		if (s.kind != STATEMENT_CALL)
			s.region = builder_region(b, rows[i].name, rows[i].cls, rows[i].type);
		builder_statement(b, &s);
	}
	for (size_t i = 0; i < sizeof records / sizeof *records; i++)
		builder_statement_record(b, &(struct statement_record){
						    .statement = records[i].statement,
						    .from = records[i].from,
						    .partner = 1,
						    .count = records[i].count,
						    .time = records[i].time,
						    .sent = records[i].sent,
						    .received = records[i].received });
	return built_end(b);
}

TEST(the_example_is_as_by_hand)
{
	/* Inside main is everything. Of what is inside work the calls of pack are known, and the
	 * sends; not the receives in pack, which main calls, too. Inside pack are its receives
	 * alone. */
	static const char expected[] =
		"-101 -1 0.000000000 0 7 6 \"%d%lf\" -51 0.000000820 -21 0.000020000 1 0.000100000 2 "
		"0.000080000 3 0.000003500 4 0.000060000\n"
		"-102 -1 0.000000000 0 7 6 \"%d%ld\" -51 41 -21 40 1 1 2 10 3 41 4 10\n"
		"-103 -1 0.000000000 0 7 1 \"%d%ld\" -21 4000\n"
		"-104 -1 0.000000000 0 7 1 \"%d%ld\" -51 328\n"
		"-105 -1 0.000000000 0 7 2 \"%d%ld\" -51 328 -21 4000\n"
		"-101 1 0.000000000 0 7 5 \"%d%lf\" -51 0.000000820 -21 0.000020000 2 0.000080000 3 "
		"0.000003500 4 0.000060000\n"
		"-102 1 0.000000000 0 7 5 \"%d%ld\" -51 41 -21 40 2 10 3 41 4 10\n"
		"-103 1 0.000000000 0 7 1 \"%d%ld\" -21 4000\n"
		"-104 1 0.000000000 0 7 1 \"%d%ld\" -51 328\n"
		"-105 1 0.000000000 0 7 2 \"%d%ld\" -51 328 -21 4000\n"
		"-101 2 0.000000000 0 7 3 \"%d%lf\" -21 0.000020000 3 0.000003000 4 0.000060000\n"
		"-102 2 0.000000000 0 7 3 \"%d%ld\" -21 40 3 40 4 10\n"
		"-103 2 0.000000000 0 7 1 \"%d%ld\" -21 4000\n"
		"-105 2 0.000000000 0 7 1 \"%d%ld\" -21 4000\n"
		"-101 3 0.000000000 0 7 1 \"%d%lf\" -51 0.000000820\n"
		"-102 3 0.000000000 0 7 1 \"%d%ld\" -51 41\n"
		"-104 3 0.000000000 0 7 1 \"%d%ld\" -51 328\n"
		"-105 3 0.000000000 0 7 1 \"%d%ld\" -51 328\n"
		"-101 4 0.000000000 0 7 2 \"%d%lf\" -21 0.000020000 3 0.000003000\n"
		"-102 4 0.000000000 0 7 2 \"%d%ld\" -21 40 3 40\n"
		"-103 4 0.000000000 0 7 1 \"%d%ld\" -21 4000\n"
		"-105 4 0.000000000 0 7 1 \"%d%ld\" -21 4000\n";
	static const char *const gone[] = { "-5 ", "-7 ", "-202 ", "-311 " };
	OWNED_TRACE *trace = example(), *again;
	OWNED char *text = aid_write(trace), *statistics = without(text, gone, 4), *second;

	assert_string_equal(statistics, expected);
	again = aid_load(text);
	second = aid_write(again);
	assert_string_equal(text, second);
	assert_int_equal(trace_event_count(again), 0);
	assert_int_equal(trace_statement_record_count(again), 7);
}

/* The file of a program that was not traced by tview: ORNL/TM-12125 says what the records mean. */
TEST(a_foreign_file_is_understood)
{
	static const char text[] =
		"-5 0 0 -1 -1 4 \"%c\" main\n-5 1 0 -1 -1 5 \"%c\" solve\n"
		"-101 -1 1.0 0 0 5 \"%d%lf\" 0 1.0 1 0.6 -21 0.2 -51 0.1 -1012 0.2\n"
		"-102 -1 1.0 0 0 4 \"%d%d\" 0 1 1 10 -21 25 -51 5\n"
		"-103 -1 1.0 0 0 2 \"%d%d\" -21 2500 -51 40\n"
		"-101 0 1.0 0 0 3 \"%d%lf\" 1 0.6 -21 0.2 -51 0.1\n"
		"-102 0 1.0 0 0 3 \"%d%d\" 1 10 -21 25 -51 5\n"
		"-103 0 1.0 0 0 2 \"%d%d\" -21 2500 -51 40\n"
		"-101 1 1.0 0 0 1 \"%d%lf\" -21 0.15\n"
		"-102 1 1.0 0 0 1 \"%d%d\" -21 20\n"
		"-103 1 1.0 0 0 1 \"%d%d\" -21 2000\n";
	OWNED_TRACE *t = aid_load(text);
	uint32_t main_id, solve;
	struct totals m, s;
	OWNED char *again = aid_write(t);

	assert_non_null(by_name(t, "main", &main_id));
	assert_non_null(by_name(t, "solve", &solve));
	m = totals_of(t, main_id);
	s = totals_of(t, solve);
	assert_int_equal(m.of[COUNT], 1);
	assert_int_equal(m.of[TIME], 1000000000);
	assert_int_equal(m.of[SENDS], 5 + 5); /* sends of its own, and receives */
	assert_int_equal(m.of[SEND_TIME], 50000000 + 100000000);
	assert_int_equal(m.of[SENT], 500);
	assert_int_equal(s.of[COUNT], 10);
	assert_int_equal(s.of[SENDS], 20);
	assert_int_equal(s.of[SENT], 2000);
	for (size_t i = 0; i < trace_statement_record_count(t); i++) {
		const struct statement_record *r = trace_statement_record(t, i);
		const struct statement *of = trace_statement(t, r->statement);
		if (r->statement == main_id)
			assert_int_equal(r->exclusive, 1000000000 - 600000000 - 150000000);
		if (r->statement == solve) {
			assert_int_equal(trace_statement(t, r->from)->parent, main_id);
			assert_int_equal(r->exclusive, 450000000);
		}
		if (of->kind == STATEMENT_COMMUNICATION && r->received) {
			assert_int_equal(r->received, 40);
			assert_int_equal(of->parent, main_id);
		}
		assert_int_equal(r->trans, 0); /* nobody told them apart */
		assert_int_equal(r->partner, RANK_UNKNOWN);
	}
	assert_string_equal(text, again);
}
