/* Definition records of a file, and those that belong to no single place. */
#include <stdlib.h>

#include "model/picl/read/picl_look.h"
#include "model/picl/read/picl_reader.h"
#include "model/trace/record_type.h"

/* Members of a subset definition: all values after the first, however many. */
static bool subset_members(const struct picl_record *record, int32_t *id, int32_t **members,
			   size_t *n)
{
	VEC(int32_t) list = VEC_INIT;
	const char *p = record->payload;
	const char *end = p + record->payload_n;
	bool first = true, is_float, saturated;

	/* After the number of fields and the descriptor. */
	for (int skip = 0; skip < 2; skip++) {
		while (p < end && *p != ' ')
			p++;
		p += p < end;
	}
	while (p < end) {
		int64_t value;
		const size_t used = descriptor_integer(p, end, &value, &is_float, &saturated);
		if (!used || value > INT32_MAX || value < INT32_MIN)
			break;
		if (first)
			*id = (int32_t)value;
		else
			vec_push(&list, (int32_t)value);
		first = false;
		p += used;
		p += picl_blanks(p, (size_t)(end - p));
	}
	*members = list.data;
	*n = list.n;
	return !first;
}

static enum picl_define define_subset(struct picl_reader *r, const struct picl_record *record)
{
	int32_t id = 0, *members;
	enum picl_define result;
	size_t n;

	if (!subset_members(record, &id, &members, &n)) {
		picl_note(r, FINDING_DAMAGE, "subset", record->line,
			  "a subset definition does not begin with a number: skipped");
		return DEFINED_SAME;
	}
	if (id >= -1)
		picl_note(r, FINDING_ODDITY, "subset-id", record->line,
			  "a subset's number is not below -1, as the format asks");
	result = picl_defs_subset(&r->defs, record->rectype, id, members, n);
	free(members);
	return result;
}

/* Takes a definition in. True where the record is to be kept as it is, too. */
bool picl_define(struct picl_reader *r, const struct picl_record *record)
{
	const struct picl_scope scope = { record->evtype, record->processor, record->process };
	const bool global = record->processor == -1 && record->process == -1;
	enum picl_define result;

	if (record->rectype == REC_LABEL) {
		if (!record->text) {
			picl_note(r, FINDING_ODDITY, "label", record->line,
				  "a label's data is not text: skipped");
			return true;
		}
		result = picl_defs_label(&r->defs, &scope, record->text, record->text_n);
	} else if (record->rectype == REC_ALIAS) {
		if (!record->text) {
			picl_note(r, FINDING_ODDITY, "alias", record->line,
				  "a descriptor record (-6) without data defines nothing: skipped");
			return true;
		}
		result = picl_defs_alias(&r->defs, &scope, (int32_t)record->v[0], record->text,
					 record->text_n);
	} else {
		result = define_subset(r, record);
	}
	if (result == DEFINED_NEW && r->events && !r->surveyed)
		r->again = true;
	if (result == DEFINED_CHANGED && record->rectype == REC_LABEL && r->events)
		picl_kinds_reset(r);
	if (result == DEFINED_CHANGED && record->rectype == REC_SUBSET_PROCESSES)
		r->comms.n = 0;
	return !(r->own && !r->events && global && record->rectype != REC_ALIAS &&
		 (record->rectype != REC_LABEL || record->evtype != TYPE_ALL));
}

void picl_keep_loose(struct picl_reader *r, const struct picl_record *record)
{
	struct str *line = &r->scratch;

	str_clear(line);
	str_add_int(line, record->rectype);
	str_add_char(line, ' ');
	str_add_int(line, record->evtype);
	str_add_char(line, ' ');
	if (record->time_text)
		str_add_n(line, record->time_text, record->time_n);
	else
		units_seconds(line, record->time, &r->clock.scale, r->clock.scale.digits);
	str_add_char(line, ' ');
	str_add_int(line, record->processor);
	str_add_char(line, ' ');
	str_add_int(line, record->process);
	str_add_char(line, ' ');
	str_add_n(line, record->payload, record->payload_n);
	builder_loose(r->builder, record->time, record->line, line->text, line->n);
}
