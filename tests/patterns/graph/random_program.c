#include "patterns/graph/random_program.h"

#include <string.h>

#include "base/mem.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/build/builder.h"
#include "model/trace/program.h"

enum { ROLE_LOOP = 3, PROCEDURES = 6, MOST = 200, DEEPEST = 12, STEPS = 600 };

/* A program, and its run. */
struct program {
	struct rng random;
	struct statement statements[MOST];
	uint32_t n;
	/* of the run */
	struct builder *b;
	bool events, records;
	uint32_t location;
	int64_t time;
	int steps, depth;
	int open[MOST]; /* [statement] */
};

static uint32_t text(struct program *p, const char *t)
{
	return builder_string(p->b, t, strlen(t));
}

/* ---- the tables: names and files are strings of a builder, of each the same ---- */

static uint32_t add(struct program *p, enum statement_kind kind, uint32_t parent)
{
	p->statements[p->n] = (struct statement){ .kind = (uint8_t)kind,
						  .line = p->n + 1,
						  .parent = parent,
						  .callee = NO_STATEMENT,
						  .region = UINT32_MAX };
	return p->n++;
}

static void fill(struct program *p, uint32_t parent, int nesting)
{
	const uint32_t n = 1 + rng_below(&p->random, 3);

	for (uint32_t i = 0; i < n && p->n < MOST - PROCEDURES; i++)
		switch (rng_below(&p->random, 4)) {
		case 0:
			if (nesting < 2)
				fill(p, add(p, STATEMENT_LOOP, parent), nesting + 1);
			break;
		case 1: add(p, STATEMENT_COMMUNICATION, parent); break;
		default: {
			const uint32_t call = add(p, STATEMENT_CALL, parent);
			p->statements[call].callee = rng_below(&p->random, PROCEDURES);
		}
		}
}

static void make_program(struct program *p, uint64_t seed)
{
	*p = (struct program){ 0 };
	p->random.state = seed * 0x9e3779b97f4a7c15u;
	for (uint32_t i = 0; i < PROCEDURES; i++)
		add(p, STATEMENT_PROCEDURE, NO_STATEMENT);
	for (uint32_t i = 0; i < PROCEDURES; i++)
		fill(p, i, 0);
}

static void name_of(const struct program *p, uint32_t id, char *name)
{
	const struct statement *s = &p->statements[id];
	const uint32_t what = s->kind == STATEMENT_CALL ? s->callee : id;

	if (s->kind == STATEMENT_LOOP)
		strcpy(name, "for");
	else if (s->kind == STATEMENT_COMMUNICATION)
		strcpy(name, "MPI_Bsend");
	else
		name[0] = 'f', name[1] = (char)('0' + what), name[2] = '\0';
}

static void define(struct program *p)
{
	char name[16];

	for (uint32_t i = 0; i < p->n; i++) {
		struct statement *s = &p->statements[i];
		name_of(p, i, name);
		s->name = text(p, name);
		s->file = text(p, "p.c");
		if (s->kind == STATEMENT_COMMUNICATION)
			s->region = builder_region(p->b, name, CLASS_P2P, 50);
		else if (s->kind != STATEMENT_CALL)
			s->region = builder_region_define(p->b,
							  &(struct region){
								  .name = s->name,
								  .file = s->file,
								  .line = s->line,
								  .picl = 100 + (int32_t)i,
								  .cls = CLASS_USER,
								  .role = s->kind == STATEMENT_LOOP
										  ? ROLE_LOOP
										  : 0 });
		assert_int_equal(builder_statement(p->b, s), i);
	}
}

/* ---- the run ---- */

static void event(struct program *p, uint32_t id, uint32_t from, bool enter)
{
	const struct statement *s = &p->statements[id];
	const struct statement *at = from == NO_STATEMENT ? s : &p->statements[from];
	const bool known = s->kind != STATEMENT_PROCEDURE || from != NO_STATEMENT;
	const uint32_t site = builder_site(p->b, s->region, known ? s->file : 0,
					   known ? at->line : 0, 100 + (int32_t)id);

	p->time += 1 + rng_below(&p->random, 9);
	if (!p->events)
		return;
	if (enter)
		builder_enter(p->b, p->location, p->time, site);
	else
		builder_leave(p->b, p->location, p->time, site);
}

static void account(struct program *p, uint32_t id, uint32_t from, int64_t time, int64_t below)
{
	const bool talks = p->statements[id].kind == STATEMENT_COMMUNICATION;
	const bool first = p->open[id] == 0;
	struct statement_record r = { .statement = id,
				      .location = p->location,
				      .from = from,
				      .partner = talks ? 1 : RANK_UNKNOWN,
				      .comm = talks ? 0 : UINT32_MAX,
				      .count = 1,
				      .inner = !first,
				      .exclusive = time - below };

	if (first)
		r.time = r.min = r.max = time;
	if (talks) {
		r.trans = time;
		r.own = 1;
		r.sent = 8;
		r.flags = RECORD_SENT;
	}
	/* What has no time has no extremes: it is added up without them. */
	if (p->records)
		builder_statement_record(p->b, &r);
}

static int64_t run(struct program *p, uint32_t id, uint32_t from);

/* What is in a procedure or a loop; the time that it took. */
static int64_t run_inside(struct program *p, uint32_t parent)
{
	int64_t below = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		const struct statement *s = &p->statements[i];
		if (s->parent != parent || s->kind == STATEMENT_PROCEDURE || p->steps <= 0)
			continue;
		if (rng_below(&p->random, 10) == 0)
			break; /* return, break */
		if (s->kind != STATEMENT_CALL)
			below += run(p, i, NO_STATEMENT);
		else if (p->depth < DEEPEST)
			below += run(p, s->callee, i);
	}
	return below;
}

static int64_t run(struct program *p, uint32_t id, uint32_t from)
{
	const struct statement *s = &p->statements[id];
	int64_t enter, below = 0;

	p->steps--;
	p->depth++;
	event(p, id, from, true);
	enter = p->time;
	p->open[id]++;
	if (s->kind == STATEMENT_COMMUNICATION && p->events)
		builder_send(p->b, p->location, p->time,
			     &(struct message_end){ .rank = 1, .process = -1, .bytes = 8 });
	for (uint32_t i = rng_below(&p->random, 3); s->kind == STATEMENT_LOOP && i > 0; i--)
		below += run_inside(p, id);
	if (s->kind == STATEMENT_PROCEDURE)
		below += run_inside(p, id);
	p->open[id]--;
	event(p, id, from, false);
	p->depth--;
	account(p, id, from, p->time - enter, below);
	return p->time - enter;
}

struct trace *random_program(uint64_t seed, int32_t ranks, bool events, bool records)
{
	OWNED struct program *p = xmalloc(sizeof *p);
	struct err err = ERR_INIT;
	struct trace *t;

	make_program(p, seed);
	p->b = builder_new("test.trc", &units_nanoseconds, NULL);
	p->events = events;
	p->records = records;
	define(p);
	for (int32_t rank = 0; rank < ranks; rank++) {
		p->location =
			builder_location(p->b, &(struct location){
						       .rank = rank, .process = -1, .thread = 0 });
		p->time = 0;
		p->steps = STEPS;
		/* One procedure after the other, until there is nothing to be done any more. */
		for (uint32_t i = 0; i < PROCEDURES && p->steps > 0; i++)
			run(p, i, NO_STATEMENT);
	}
	t = builder_finish(p->b, NULL, NULL, &err);
	assert_non_null(t);
	return t;
}
