#include "model/program.h"

#include <assert.h>
#include <stdlib.h>

#include "model/build.h"

/* In capture's form (capture/lib/statistic.h). */
enum { RECORD_BYTES = 128 };

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
	vec_push(&b->trace->statements, *statement);
	return (uint32_t)b->trace->statements.n - 1;
}

void builder_statement_record(struct builder *b, const struct statement_record *record)
{
	vec_push(&b->trace->statement_records, *record);
}

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

static void add_record(struct statement_record *to, const struct statement_record *more)
{
	if (more->count && (!to->count || more->min < to->min))
		to->min = more->min;
	to->max = more->max > to->max ? more->max : to->max;
	if (more->iterations && (!to->iterations || more->quickest < to->quickest))
		to->quickest = more->quickest;
	to->slowest = more->slowest > to->slowest ? more->slowest : to->slowest;
	to->flags |= more->flags;
	to->count += more->count;
	to->inner += more->inner;
	to->time += more->time;
	to->exclusive += more->exclusive;
	to->iterations += more->iterations;
	to->trans += more->trans;
	to->sync += more->sync;
	to->own += more->own;
	to->carried += more->carried;
	to->sent += more->sent;
	to->received += more->received;
}

void program_order(struct trace *trace)
{
	struct statement_record *rows = trace->statement_records.data;
	const size_t n = trace->statement_records.n;
	size_t kept = 0;

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
