#include "model/trace/program.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/build/build.h"

/* In capture's form (capture/lib/statistic.h). */
enum { RECORD_BYTES = 128 };

/* Times above this are no times: so many of them can still be added up. */
#define RECORD_TIME_MAX ((int64_t)1 << 56)

uint32_t trace_statement_count(const struct trace *trace)
{
	return (uint32_t)trace->statements.n;
}

const struct statement *trace_statement(const struct trace *trace, uint32_t id)
{
	assert(id < trace->statements.n);
	return &trace->statements.data[id];
}

size_t trace_statement_record_count(const struct trace *trace)
{
	return trace->statement_records.n;
}

const struct statement_record *trace_statement_record(const struct trace *trace, size_t i)
{
	assert(i < trace->statement_records.n);
	return &trace->statement_records.data[i];
}

bool trace_records_alone(const struct trace *trace)
{
	return trace->statement_records.n > 0 && trace->paths.n <= 1;
}

uint64_t trace_statement_record_bytes(const struct trace *trace, uint32_t location)
{
	uint64_t n = 0;

	for (size_t i = 0; i < trace->statement_records.n; i++)
		n += location == UINT32_MAX ||
		     trace->statement_records.data[i].location == location;
	return n * RECORD_BYTES;
}

/* ---- building ---- */

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

/* A record with the fields of its kind alone, so that the others cannot tell two of one key apart. */
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

/* ---- as numbers ---- */

static int64_t id_out(uint32_t id)
{
	return id == UINT32_MAX ? -1 : (int64_t)id;
}

static bool id_in(int64_t value, uint32_t *id)
{
	*id = (uint32_t)value;
	return value >= -1 && value < (int64_t)UINT32_MAX;
}

void statement_values(const struct statement *s, int64_t *v)
{
	v[0] = s->kind;
	v[1] = s->flags;
	v[2] = s->column;
	v[3] = s->line;
	v[4] = s->end_line;
	v[5] = id_out(s->parent);
	v[6] = id_out(s->callee);
	v[7] = id_out(s->region);
}

bool statement_from(const int64_t *v, struct statement *s)
{
	if (v[0] < 0 || v[0] >= STATEMENT_KINDS || v[1] < 0 || v[1] > UINT8_MAX || v[2] < 0 ||
	    v[2] > UINT16_MAX || v[3] < 0 || v[3] > UINT32_MAX || v[4] < 0 || v[4] > UINT32_MAX)
		return false;
	s->kind = (uint8_t)v[0];
	s->flags = (uint8_t)v[1];
	s->column = (uint16_t)v[2];
	s->line = (uint32_t)v[3];
	s->end_line = (uint32_t)v[4];
	return id_in(v[5], &s->parent) && id_in(v[6], &s->callee) && id_in(v[7], &s->region);
}

static int64_t bits_out(double value)
{
	int64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static bool bits_in(int64_t bits, double *value)
{
	memcpy(value, &bits, sizeof bits);
	return isfinite(*value) && *value >= 0;
}

static bool is_time(int64_t value)
{
	return value >= 0 && value <= RECORD_TIME_MAX;
}

/* Values of a record. */
static const uint8_t record_counts[STATEMENT_KINDS] = {
	[STATEMENT_PROCEDURE] = 8,
	[STATEMENT_LOOP] = 10,
	[STATEMENT_CALL] = 7,
	[STATEMENT_COMMUNICATION] = RECORD_VALUES,
};

uint32_t record_count(enum statement_kind kind)
{
	return record_counts[kind];
}

uint32_t record_values(enum statement_kind kind, const struct statement_record *r, int64_t *v)
{
	const int64_t all[] = { r->flags, (int64_t)r->count, (int64_t)r->inner,
				r->time,  r->exclusive,      r->min,
				r->max };

	memcpy(v, all, sizeof all);
	v += sizeof all / sizeof *all;
	switch (kind) {
	case STATEMENT_PROCEDURE: v[0] = id_out(r->from); break;
	case STATEMENT_LOOP:
		v[0] = (int64_t)r->iterations;
		v[1] = bits_out(r->quickest);
		v[2] = bits_out(r->slowest);
		break;
	case STATEMENT_COMMUNICATION:
		v[0] = r->partner;
		v[1] = id_out(r->comm);
		v[2] = r->trans;
		v[3] = r->sync;
		v[4] = (int64_t)r->own;
		v[5] = (int64_t)r->carried;
		v[6] = (int64_t)r->sent;
		v[7] = (int64_t)r->received;
		break;
	default: break;
	}
	return record_counts[kind];
}

static bool communication_from(const int64_t *v, struct statement_record *r)
{
	r->partner = (int32_t)v[0];
	r->trans = v[2];
	r->sync = v[3];
	r->own = (uint64_t)v[4];
	r->carried = (uint64_t)v[5];
	r->sent = (uint64_t)v[6];
	r->received = (uint64_t)v[7];
	return v[0] >= INT32_MIN && v[0] <= INT32_MAX && id_in(v[1], &r->comm) && is_time(v[2]) &&
	       is_time(v[3]);
}

bool record_from(enum statement_kind kind, const int64_t *v, size_t n, struct statement_record *r)
{
	if (n != (size_t)record_counts[kind])
		return false;
	r->flags = (uint32_t)v[0];
	r->count = (uint64_t)v[1];
	r->inner = (uint64_t)v[2];
	r->time = v[3];
	r->exclusive = v[4];
	r->min = v[5];
	r->max = v[6];
	if (v[0] < 0 || v[0] > UINT32_MAX || !is_time(v[3]) || !is_time(v[4]) || !is_time(v[5]) ||
	    !is_time(v[6]))
		return false;
	v += 7;
	switch (kind) {
	case STATEMENT_PROCEDURE: return id_in(v[0], &r->from);
	case STATEMENT_LOOP:
		r->iterations = (uint64_t)v[0];
		return bits_in(v[1], &r->quickest) && bits_in(v[2], &r->slowest);
	case STATEMENT_COMMUNICATION: return communication_from(v, r);
	default: return true;
	}
}

/* ---- the end ---- */

#define ORDER(a, b, field)                                       \
	do {                                                     \
		if ((a)->field != (b)->field)                    \
			return (a)->field < (b)->field ? -1 : 1; \
	} while (0)

static int by_key(const void *one, const void *other)
{
	const struct statement_record *a = one, *b = other;

	ORDER(a, b, location);
	ORDER(a, b, statement);
	ORDER(a, b, from);
	ORDER(a, b, partner);
	ORDER(a, b, comm);
	return 0;
}

/* Not beyond what is a time. */
static int64_t add_times(int64_t a, int64_t b)
{
	return a > RECORD_TIME_MAX - b ? RECORD_TIME_MAX : a + b;
}

static void add_record(struct statement_record *to, const struct statement_record *more)
{
	/* Those that began while the same was open have no time, and so no least one. */
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

/* What a statement says of others holds for any reader, whatever made it. */
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

void program_order(struct trace *trace)
{
	struct statement_record *rows = trace->statement_records.data;
	const size_t n = trace->statement_records.n;
	size_t kept = 0;

	check_statements(trace);
	if (!n)
		return;
	qsort(rows, n, sizeof *rows, by_key);
	for (size_t i = 1; i < n; i++)
		if (by_key(&rows[kept], &rows[i]) == 0)
			add_record(&rows[kept], &rows[i]);
		else
			rows[++kept] = rows[i];
	trace->statement_records.n = kept + 1;
}
