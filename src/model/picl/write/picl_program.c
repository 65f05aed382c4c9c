/* The dynamic records of statements (doc/format.md): those of a location after its last event. */
#include "model/picl/picl_text.h"
#include "model/picl/write/picl_out.h"
#include "model/trace/program.h"
#include "model/trace/record_type.h"
#include "model/trace/store.h"

bool picl_program_is_written(const struct picl_writer *w)
{
	return trace_statement_count(w->trace) > 0 &&
	       !(trace_statement(w->trace, 0)->flags & STATEMENT_STATISTICS);
}

/* Statistics that the source had are written as they are, and no others beside them. */
static bool has_statistics(const struct trace *trace)
{
	for (size_t i = 0; i < trace->records.n; i++)
		if (picl_is_statistics(trace->records.data[i].rectype))
			return true;
	return false;
}

void picl_program_init(struct picl_writer *w)
{
	const size_t n = trace_statement_record_count(w->trace);

	/* They cover the whole run. */
	if (!picl_program_is_written(w) || w->options->t0 != INT64_MIN ||
	    w->options->t1 != INT64_MAX)
		return;
	if (!has_statistics(w->trace))
		w->account = picl_account_new(w->trace, w->region_type);
	for (size_t i = 0, end; i < n; i = end) {
		const uint32_t location = trace_statement_record(w->trace, i)->location;
		struct picl_out_place *place = &w->places[location];
		end = i + 1;
		while (end < n && trace_statement_record(w->trace, end)->location == location)
			end++;
		if (place->number < 0)
			continue;
		place->next_record = i;
		place->end_record = end;
		place->last = trace_location(w->trace, location)->end;
	}
}

void picl_program_fini(struct picl_writer *w)
{
	picl_account_free(w->account);
}

/* ---- PICL's own statistics ---- */

enum { PAIRS = 256 /* of a record: lines that any reader takes */ };

/* The value of a sum that records of a type contain. */
static int64_t value_of(const struct account_sum *sum, int32_t rectype)
{
	switch (rectype) {
	case REC_STAT_TIME: return sum->time;
	case REC_STAT_COUNT: return (int64_t)sum->count;
	case REC_STAT_VOLUME: return (int64_t)sum->sent;
	case REC_STAT_RECEIVED: return (int64_t)sum->received;
	default: return (int64_t)(sum->sent + sum->received);
	}
}

static void flush_pairs(struct picl_writer *w, const struct picl_out_place *place, int32_t rectype,
			int32_t relative, unsigned n, struct str *pairs)
{
	if (n == 0)
		return;
	picl_out_head(w, place, rectype, relative, place->last, EVENT_NONE);
	str_add_fmt(&w->text, "%u \"%s\"%s\n", n, rectype == REC_STAT_TIME ? "%d%lf" : "%d%ld",
		    pairs->text);
	str_clear(pairs);
}

/* All pairs of one relative that are known and not 0, as PICL writes them. */
static void compose_pairs(struct picl_writer *w, const struct picl_out_place *place,
			  int32_t rectype, const struct account_sum *sums, size_t n)
{
	OWNED_STR pairs = STR_INIT;
	unsigned in = 0;

	for (size_t i = 0; i < n; i++) {
		const int64_t value = value_of(&sums[i], rectype);
		if (sums[i].unknown || value <= 0)
			continue;
		str_add_fmt(&pairs, " %d ", sums[i].type);
		if (rectype == REC_STAT_TIME)
			units_seconds(&pairs, value, trace_scale(w->trace), w->digits);
		else
			str_add_int(&pairs, value);
		if (++in == PAIRS) {
			flush_pairs(w, place, rectype, sums[i].relative, in, &pairs);
			in = 0;
		}
	}
	flush_pairs(w, place, rectype, n ? sums[0].relative : 0, in, &pairs);
}

static void compose_statistics(struct picl_writer *w, const struct picl_out_place *place)
{
	size_t n, end;
	const struct account_sum *sums =
		picl_account_make(w->account, place->next_record, place->end_record, &n);

	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && sums[end].relative == sums[i].relative;)
			end++;
		for (int32_t rectype = REC_STAT_TIME; rectype >= REC_STAT_SIZE; rectype--)
			compose_pairs(w, place, rectype, sums + i, end - i);
	}
}

void picl_program_compose(struct picl_writer *w, struct picl_out_place *place)
{
	const struct statement_record *r;
	const struct statement *s;
	int64_t values[RECORD_VALUES];
	uint32_t n;

	if (w->account && !place->accounted)
		compose_statistics(w, place);
	place->accounted = true;
	r = trace_statement_record(w->trace, place->next_record++);
	s = trace_statement(w->trace, r->statement);
	n = record_values((enum statement_kind)s->kind, r, values);
	if (s->kind == STATEMENT_COMMUNICATION)
		values[RECORD_COMM] = r->comm == UINT32_MAX ? -1 : picl_comm_number(w, r->comm);
	picl_out_head(w, place, REC_STATEMENT, TYPE_ALL, place->last, EVENT_NONE);
	str_add_fmt(&w->text, "%u 2 %u", n + 1, r->statement);
	for (uint32_t i = 0; i < n; i++)
		picl_add_value(&w->text, values[i]);
	str_add_char(&w->text, '\n');
}
