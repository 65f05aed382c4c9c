/* Records of tview's own types become events (doc/format.md). */
#include <string.h>

#include "model/picl/picl_text.h"
#include "model/picl/read/picl_fields.h"
#include "model/picl/read/picl_header_state.h"
#include "model/trace/program.h"
#include "model/trace/record_type.h"

const int64_t *picl_numbers(struct picl_reader *r, const struct picl_record *record, size_t *n)
{
	const char *p = record->payload, *const end = p + record->payload_n;
	bool is_float, saturated;
	int64_t value;
	size_t used;

	r->numbers.n = 0;
	*n = (size_t)record->values;
	if (record->values && record->values == record->count)
		return record->v;
	/* After the number of fields and the descriptor. */
	for (int skip = 0; skip < 2; skip++)
		p = picl_skip_blanks(picl_skip_word(p, end), end);
	for (; (used = descriptor_integer(p, end, &value, &is_float, &saturated)) > 0;
	     p = picl_skip_blanks(p + used, end))
		vec_push(&r->numbers, value);
	*n = r->numbers.n;
	return r->numbers.data;
}

static uint64_t *room_for(struct picl_header *h, size_t n)
{
	h->values.n = 0;
	vec_reserve(&h->values, n + 1);
	return h->values.data;
}

/* ---- details ---- */

static bool take_detail(struct picl_reader *r, struct picl_place *place,
			const struct picl_record *record)
{
	struct picl_header *h = r->header;
	enum detail_type type;
	size_t n;
	const int64_t *v = picl_numbers(r, record, &n);
	uint64_t *out;

	if (n == 0 || (uint64_t)v[0] >= h->details.n)
		return false;
	type = (enum detail_type)h->details.data[v[0]];
	if (type >= DETAIL_TYPES || !picl_is_enough(type, n - 1))
		return false;
	out = room_for(h, n);
	for (uint32_t i = 0; i + 1 < n; i++)
		out[i] = picl_value_in(r, picl_value_of(type, i), v[i + 1]);
	builder_detail(r->feed, place->location, record->time, type, out, (uint32_t)n - 1);
	return true;
}

/* metric set, values */
static bool take_metric(struct picl_reader *r, struct picl_place *place,
			const struct picl_record *record)
{
	struct picl_header *h = r->header;
	size_t n;
	const int64_t *v = picl_numbers(r, record, &n);
	uint64_t *out;

	if (n == 0 || (uint64_t)v[0] >= h->set_sizes.n || n - 1 != h->set_sizes.data[v[0]])
		return false;
	out = room_for(h, n);
	memcpy(out, v, n * sizeof *out);
	builder_detail(r->feed, place->location, record->time, DETAIL_METRIC, out, (uint32_t)n);
	return true;
}

/* Pairs of attribute and value, of the event before. */
static bool take_attributes(struct picl_reader *r, struct picl_place *place,
			    const struct picl_record *record)
{
	const struct picl_header *h = r->header;
	size_t n;
	const int64_t *v = picl_numbers(r, record, &n);

	if (n == 0 || n % 2)
		return false;
	for (size_t i = 0; i < n; i += 2)
		if ((uint64_t)v[i] >= h->object_types.n ||
		    h->object_types.data[v[i]] != OBJECT_ATTRIBUTE)
			return false;
	for (size_t i = 0; i < n; i += 2)
		builder_attribute(r->feed, place->location, (uint32_t)v[i],
				  picl_value_in(r,
						picl_value_of_attribute(
							h->attribute_types.data[v[i]]),
						v[i + 1]));
	return true;
}

/* statement, values; they cover the whole run, so a window has none */
static bool take_statement(struct picl_reader *r, const struct picl_place *place,
			   const struct picl_record *record)
{
	struct statement_record made = { .location = place->location };
	int64_t values[RECORD_VALUES];
	enum statement_kind kind;
	size_t n;
	const int64_t *v = picl_numbers(r, record, &n);

	if (n == 0 || n > RECORD_VALUES + 1 || n < (size_t)record->count || v[0] < 0 ||
	    v[0] >= (int64_t)builder_statement_count(r->builder))
		return false;
	memcpy(values, v + 1, (n - 1) * sizeof *values);
	made.statement = (uint32_t)v[0];
	kind = builder_statement_kind(r->builder, made.statement);
	if (kind == STATEMENT_COMMUNICATION && n == RECORD_VALUES + 1 &&
	    values[RECORD_COMM] != -1) {
		uint32_t comm;
		values[RECORD_COMM] =
			picl_comm_of(r, values[RECORD_COMM], &comm) ? (int64_t)comm : -1;
	}
	if (!record_from(kind, values, n - 1, &made))
		return false;
	if (!r->windowed)
		builder_statement_record(r->builder, &made);
	return true;
}

/* ---- collectives that do not fill their region, or have requests ---- */

static bool take_collective(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
			    const struct picl_record *record)
{
	enum { RECEIVED = 4 }; /* after what an entry has */
	uint64_t received = UINT64_MAX;
	struct picl_fields f;

	if (record->rectype == REC_COLLECTIVE_END) {
		picl_fields_collective(r, ROLE_ROOTED, record->v, record->values, &f);
		builder_collective_end(r->feed, place->location, record->time, UINT64_MAX, f.bytes);
		place->collective = NULL;
		return true;
	}
	picl_fields_collective(r, ROLE_ROOTED, record->v, record->values, &f);
	if (record->values > RECEIVED && record->v[RECEIVED] >= 0)
		received = (uint64_t)record->v[RECEIVED];
	builder_collective_begin(r->feed, place->location, record->time, f.comm,
				 picl_region_of(r, place, kind), f.root, f.bytes, received);
	return true;
}

/* request; at the completion also the bytes received, then what an entry has */
static bool take_request(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
			 const struct picl_record *record)
{
	struct picl_fields f;
	uint64_t received = UINT64_MAX;

	if (record->values < 1)
		return false;
	if (record->rectype == REC_COLLECTIVE_REQUEST) {
		/* One whose completion is missing must not find that of another. */
		builder_collective_request(r->feed, place->location, record->time,
					   record->v[0] == -1 ? INT64_MIN : record->v[0]);
		return true;
	}
	if (record->v[0] == -1) {
		builder_collective_complete(r->feed, place->location, record->time, -1, 0, 0, -1,
					    UINT64_MAX, UINT64_MAX);
		return true;
	}
	if (record->values > 1 && record->v[1] >= 0)
		received = (uint64_t)record->v[1];
	picl_fields_collective(r, ROLE_ROOTED, record->v + 2,
			       record->values > 2 ? record->values - 2 : 0, &f);
	builder_collective_complete(r->feed, place->location, record->time, record->v[0], f.comm,
				    picl_region_of(r, place, kind), f.root, f.bytes, received);
	return true;
}

/* The call site of the next record, whose own data has no room for it. */
static bool take_call_site(struct picl_reader *r, struct picl_place *place,
			   const struct picl_kind *kind, const struct picl_record *record)
{
	if (record->values != 1 || record->v[0] < 1 || (size_t)record->v[0] >= r->calls.n) {
		picl_note(r, FINDING_ODDITY, "call-site", record->line,
			  "a call site (-308) is not in the header: skipped");
		return true;
	}
	place->call = (uint32_t)record->v[0];
	place->call_kind = kind;
	return true;
}

bool picl_own_record(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
		     const struct picl_record *record)
{
	bool taken;

	if (record->time < place->from &&
	    (record->rectype == REC_DETAIL || record->rectype == REC_METRIC ||
	     record->rectype == REC_ATTRIBUTE))
		return true;
	switch (record->rectype) {
	case REC_DETAIL: taken = take_detail(r, place, record); break;
	case REC_ATTRIBUTE: taken = take_attributes(r, place, record); break;
	case REC_METRIC: taken = take_metric(r, place, record); break;
	case REC_MESSAGE_EVENT: taken = picl_message_event(r, place, kind, record); break;
	case REC_COLLECTIVE_BEGIN:
	case REC_COLLECTIVE_END: taken = take_collective(r, place, kind, record); break;
	case REC_COLLECTIVE_REQUEST:
	case REC_COLLECTIVE_COMPLETE: taken = take_request(r, place, kind, record); break;
	case REC_STATEMENT: taken = take_statement(r, place, record); break;
	case REC_CALL_SITE: return take_call_site(r, place, kind, record);
	default: return false;
	}
	if (!taken)
		picl_note(r, FINDING_ODDITY, "own-record", record->line,
			  "a record of tview's own types does not match the header: kept as it is");
	return taken;
}
