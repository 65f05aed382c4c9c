/* Definition records of a file, and those that belong to no single place. */
#include "model/picl/picl_text.h"
#include "model/picl/read/picl_reader.h"
#include "model/trace/record_type.h"

/* The first value is the subset's number, all others are its members. */
static enum picl_define define_subset(struct picl_reader *r, const struct picl_record *record)
{
	OWNED_VEC(int32_t) list = VEC_INIT;
	size_t n;
	const int64_t *v = picl_numbers(r, record, &n);

	for (size_t i = 0; i < n && v[i] >= INT32_MIN && v[i] <= INT32_MAX; i++)
		vec_push(&list, (int32_t)v[i]);
	if (list.n == 0) {
		picl_note(r, FINDING_DAMAGE, "subset", record->line,
			  "a subset definition does not begin with a number: skipped");
		return DEFINED_SAME;
	}
	if (list.data[0] >= -1)
		picl_note(r, FINDING_ODDITY, "subset-id", record->line,
			  "a subset's number is not below -1, as the format asks");
	return picl_defs_subset(&r->defs, record->rectype, list.data[0], list.data + 1, list.n - 1);
}

/* Applies a definition. True if the record must also be kept verbatim. */
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
	const char *payload;
	size_t n;

	str_clear(line);
	picl_add_pair(line, record->rectype, record->evtype);
	if (record->time_text)
		str_add_n(line, record->time_text, record->time_n);
	else
		units_seconds(line, record->time, &r->clock.scale, r->clock.scale.digits);
	str_add_char(line, ' ');
	picl_add_pair(line, record->processor, record->process);
	payload = picl_payload(r, record, &n);
	str_add_n(line, payload, n);
	if (r->divided)
		picl_divided_loose(r, record, line->text, line->n);
	else
		builder_loose(r->builder, record->time, record->line, line->text, line->n);
}
