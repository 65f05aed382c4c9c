/* What a place remembers between its records: requests under way, and the texts that the columns do
 * not hold. */
#include <string.h>

#include "model/picl/picl_text.h"
#include "model/picl/read/picl_fields.h"
#include "model/picl/read/picl_reader.h"

const char *picl_payload(struct picl_reader *r, const struct picl_record *record, size_t *n)
{
	if (record->payload) {
		*n = record->payload_n;
		return record->payload;
	}
	str_clear(&r->payload);
	picl_add_values(&r->payload, record->v, record->count);
	*n = r->payload.n;
	return r->payload.text;
}

void picl_keep_payload(struct picl_reader *r, const struct picl_place *place,
		       const struct picl_record *record)
{
	const char *payload;
	size_t n;

	if (record->time < place->from)
		return;
	payload = picl_payload(r, record, &n);
	builder_extra(r->feed, place->location, payload, n);
}

void picl_keep_time(struct picl_reader *r, const struct picl_place *place,
		    const struct picl_record *record)
{
	if (record->time_text && record->time >= place->from)
		builder_time_text(r->feed, place->location, record->time_text, record->time_n);
}

/* After the last event of a record: what the columns do not hold. */
void picl_keep(struct picl_reader *r, const struct picl_place *place,
	       const struct picl_record *record, bool exact)
{
	if (!exact || !record->plain)
		picl_keep_payload(r, place, record);
	picl_keep_time(r, place, record);
}

/* ---- requests ---- */

/* The builder's name of a request that the file knows by `id`. */
int64_t picl_translate(struct picl_place *place, int64_t id)
{
	for (size_t i = 0; i < place->renamed.n; i++) {
		const struct picl_rename rename = place->renamed.data[i];
		if (rename.file != id)
			continue;
		memmove(&place->renamed.data[i], &place->renamed.data[i + 1],
			(place->renamed.n - i - 1) * sizeof rename);
		place->renamed.n--;
		return rename.builder;
	}
	return id;
}

/* A request has begun: true where its id is the one that the writer would give it. */
bool picl_count_request(struct picl_place *place, int64_t id)
{
	place->requests++;
	if (id != place->requests)
		place->ordinals = false;
	return place->ordinals;
}

bool picl_is_ordinal(const struct picl_place *place, int64_t id)
{
	return place->ordinals && id >= 1 && id <= place->requests;
}

void picl_open_push(struct picl_place *place, int32_t type, bool has_request, int64_t request)
{
	vec_push(&place->open, ((struct picl_open){ type, has_request, request }));
	/* Entries without exit must not pile up for ever. */
	if (place->open.n > 4096) {
		memmove(place->open.data, place->open.data + 2048, 2049 * sizeof *place->open.data);
		place->open.n -= 2048;
	}
}

bool picl_open_pop(struct picl_place *place, int32_t type, struct picl_open *out)
{
	for (size_t i = place->open.n; i-- > 0;) {
		if (place->open.data[i].type != type)
			continue;
		*out = place->open.data[i];
		memmove(&place->open.data[i], &place->open.data[i + 1],
			(place->open.n - i - 1) * sizeof *out);
		place->open.n--;
		return true;
	}
	return false;
}
