/* Statements and their records while a trace is built (program.h). */
#include <assert.h>

#include "base/order.h"
#include "model/build/build.h"

uint32_t builder_statement(struct builder *b, const struct statement *statement)
{
	assert(statement->parent == NO_STATEMENT || statement->parent < b->trace->statements.n);
	assert(statement->kind < STATEMENT_KINDS);
	vec_push(&b->trace->statements, *statement);
	return (uint32_t)b->trace->statements.n - 1;
}

enum statement_kind builder_statement_kind(const struct builder *b, uint32_t id)
{
	return (enum statement_kind)trace_statement(b->trace, id)->kind;
}

uint32_t builder_statement_count(const struct builder *b)
{
	return trace_statement_count(b->trace);
}

static int64_t time_in(int64_t value)
{
	return value < 0 ? 0 : value > RECORD_TIME_MAX ? RECORD_TIME_MAX : value;
}

/* A record with only the fields of its kind, so that the others cannot make two records of one key
 * differ. */
static struct statement_record of_kind(enum statement_kind kind, const struct statement_record *r)
{
	struct statement_record out = { .statement = r->statement,
					.location = r->location,
					.from = NO_STATEMENT,
					.partner = RANK_UNKNOWN,
					.comm = UINT32_MAX,
					.flags = r->flags,
					.count = r->count,
					.inner = r->inner,
					.time = time_in(r->time),
					.exclusive = time_in(r->exclusive),
					.min = time_in(r->min),
					.max = time_in(r->max) };

	switch (kind) {
	case STATEMENT_PROCEDURE: out.from = r->from; break;
	case STATEMENT_LOOP:
		out.iterations = r->iterations;
		out.quickest = r->quickest;
		out.slowest = r->slowest;
		break;
	case STATEMENT_COMMUNICATION:
		out.partner = r->partner;
		out.comm = r->comm;
		out.trans = time_in(r->trans);
		out.sync = time_in(r->sync);
		out.own = r->own;
		out.carried = r->carried;
		out.sent = r->sent;
		out.received = r->received;
		break;
	default: break;
	}
	return out;
}

void builder_statement_record(struct builder *b, const struct statement_record *record)
{
	assert(record->statement < b->trace->statements.n);
	assert(record->location < b->trace->locations.n);
	vec_push(&b->trace->statement_records,
		 of_kind(builder_statement_kind(b, record->statement), record));
}

/* ---- the end ---- */

ORDERING(by_key, struct statement_record, location, statement, from, partner, comm)

/* The sum, limited to the largest time of a record. */
static int64_t add_times(int64_t a, int64_t b)
{
	return a > RECORD_TIME_MAX - b ? RECORD_TIME_MAX : a + b;
}

static void add_record(struct statement_record *to, const struct statement_record *more)
{
	/* Recursive executions have no time, and so no minimum. */
	if (more->count > more->inner && (to->count <= to->inner || more->min < to->min))
		to->min = more->min;
	to->max = more->max > to->max ? more->max : to->max;
	if (more->iterations && (!to->iterations || more->quickest < to->quickest))
		to->quickest = more->quickest;
	to->slowest = more->slowest > to->slowest ? more->slowest : to->slowest;
	to->flags |= more->flags;
	to->count += more->count;
	to->inner += more->inner;
	to->time = add_times(to->time, more->time);
	to->exclusive = add_times(to->exclusive, more->exclusive);
	to->iterations += more->iterations;
	to->trans = add_times(to->trans, more->trans);
	to->sync = add_times(to->sync, more->sync);
	to->own += more->own;
	to->carried += more->carried;
	to->sent += more->sent;
	to->received += more->received;
}

/* Checked for every reader: a statement may refer only to statements that exist. */
static void check_statements(struct trace *trace)
{
	const size_t n = trace->statements.n;

	for (size_t i = 0; i < n; i++) {
		struct statement *s = &trace->statements.data[i];
		if (s->parent != NO_STATEMENT &&
		    (s->parent >= i || s->kind == STATEMENT_PROCEDURE ||
		     trace->statements.data[s->parent].kind > STATEMENT_LOOP))
			s->parent = NO_STATEMENT;
		if (s->kind != STATEMENT_CALL || s->callee >= n ||
		    trace->statements.data[s->callee].kind != STATEMENT_PROCEDURE)
			s->callee = NO_STATEMENT;
		if (s->region >= trace->regions.n)
			s->region = UINT32_MAX;
	}
	for (size_t i = 0; i < trace->statement_records.n; i++) {
		struct statement_record *r = &trace->statement_records.data[i];
		if (r->from >= n || trace->statements.data[r->from].kind != STATEMENT_CALL)
			r->from = NO_STATEMENT;
		if (r->comm >= trace->comms.n)
			r->comm = UINT32_MAX;
	}
}

void build_statements(struct trace *trace)
{
	struct statement_record *rows = trace->statement_records.data;
	const size_t n = trace->statement_records.n;
	size_t kept = 0;

	check_statements(trace);
	if (!n)
		return;
	SORT(rows, n, by_key);
	for (size_t i = 1; i < n; i++)
		if (by_key(&rows[kept], &rows[i]) == 0)
			add_record(&rows[kept], &rows[i]);
		else
			rows[++kept] = rows[i];
	trace->statement_records.n = kept + 1;
}
