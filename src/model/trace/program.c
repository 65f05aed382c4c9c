#include "model/trace/program.h"

#include <math.h>
#include <string.h>

#include "model/trace/store.h"

bool trace_records_alone(const struct trace *trace)
{
	return trace->statement_records.n > 0 &&
	       (trace->paths.n <= 1 || trace_property_value(trace, "recorded"));
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

/* Numbers of values in a record. */
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
