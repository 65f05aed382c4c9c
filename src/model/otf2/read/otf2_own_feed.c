/* Events of tview's own archives: attributes that add to OTF2. */
#include <string.h>

#include "model/otf2/read/otf2_feed.h"
#include "model/otf2/read/otf2_own_read.h"

void otf2_own_take(const struct otf2_archive *a, OTF2_AttributeList *list,
		   struct otf2_own_values *values)
{
	const uint32_t n = OTF2_AttributeList_GetNumberOfElements(list);

	values->has = 0;
	for (uint32_t i = 0; i < n; i++) {
		OTF2_AttributeRef attribute;
		OTF2_AttributeValue value;
		OTF2_Type type;
		uint32_t which;

		if (OTF2_AttributeList_GetAttributeByIndex(list, i, &attribute, &type, &value) !=
		    OTF2_SUCCESS)
			continue;
		which = otf2_own_of(a, OTF2_OWN_ATTRIBUTES, KEY_OF(attribute), OTF2_OWN_COUNT);
		if (which == OTF2_OWN_COUNT)
			continue;
		values->has |= 1u << which;
		values->v[which] = otf2_number(type, value);
	}
}

static unsigned bits_of(const struct otf2_own_values *values)
{
	return (unsigned)otf2_own_value(values, OTF2_OWN_MESSAGE, 0);
}

void otf2_own_end(const struct otf2_own_values *values, bool sends, struct message_end *end)
{
	const unsigned bits = bits_of(values);

	if (bits & OTF2_MESSAGE_NO_BYTES)
		end->flags |= MSG_NO_BYTES;
	if (bits & OTF2_MESSAGE_NO_TAG)
		end->flags |= MSG_NO_TAG;
	end->rank = (int32_t)otf2_own_value(values, OTF2_OWN_PEER, (uint32_t)end->rank);
	if (sends && bits & OTF2_MESSAGE_TO_ALL)
		end->rank = -1;
	if (sends && bits & OTF2_MESSAGE_MODE) {
		end->flags &= (uint16_t)~MSG_MODE_MASK;
		end->flags |= (uint16_t)((bits & OTF2_MESSAGE_MODE_MASK) >>
					 OTF2_MESSAGE_MODE_SHIFT << MSG_MODE_SHIFT);
	}
	if (!sends && bits & OTF2_MESSAGE_BLOCKED)
		end->flags |= MSG_RECV_BLOCKED;
}

bool otf2_own_waited(const struct otf2_own_values *values)
{
	return bits_of(values) & OTF2_MESSAGE_BLOCKED;
}

void otf2_own_asked(struct otf2_feed *f, const struct otf2_own_values *values,
		    struct message_end *end)
{
	if (bits_of(values) & OTF2_MESSAGE_NO_REQUEST)
		end->has_request = false;
	end->rank = (int32_t)otf2_own_value(values, OTF2_OWN_PEER, (uint32_t)end->rank);
	if (otf2_own_has(values, OTF2_OWN_TAG)) {
		end->tag = (int32_t)values->v[OTF2_OWN_TAG];
		end->flags &= (uint16_t)~MSG_NO_TAG;
	}
	if (otf2_own_has(values, OTF2_OWN_COMM)) {
		end->comm = otf2_feed_comm(f, (uint32_t)values->v[OTF2_OWN_COMM]);
		end->flags &= (uint16_t)~MSG_NO_COMM;
	}
}

bool otf2_own_region_of(const struct otf2_feed *f, const struct otf2_region **region)
{
	uint32_t row;

	if (!otf2_own_has(&f->own, OTF2_OWN_REGION))
		return *region != NULL;
	row = otf2_ids_get(&f->a->region_ids, (uint32_t)f->own.v[OTF2_OWN_REGION]);
	if (row == UINT32_MAX)
		return false;
	*region = &f->a->regions.data[row];
	return true;
}

int32_t otf2_own_root(const struct otf2_own_values *values, int32_t root)
{
	if (bits_of(values) & OTF2_MESSAGE_NO_ROOT)
		return RANK_UNKNOWN;
	return (int32_t)otf2_own_value(values, OTF2_OWN_ROOT, (uint32_t)root);
}

bool otf2_own_collective(struct otf2_feed *f, int64_t time, const struct otf2_own_values *values)
{
	const struct otf2_region *region = NULL;

	if (!otf2_own_has(values, OTF2_OWN_COMM) || !otf2_own_region_of(f, &region))
		return false;
	builder_collective_begin(f->b, f->location, time,
				 otf2_feed_comm(f, (uint32_t)values->v[OTF2_OWN_COMM]),
				 region->region, otf2_own_root(values, -1),
				 otf2_own_value(values, OTF2_OWN_SENT, UINT64_MAX), UINT64_MAX);
	return true;
}

bool otf2_own_record(struct otf2_feed *f, int64_t time, const struct otf2_own_values *values,
		     uint32_t parameter, uint32_t string)
{
	static const enum event_kind kinds[] = {
#define RECORD(word, name, kind) kind,
#include "model/otf2/otf2_own.def"
	};
	const uint32_t which = otf2_own_of(f->a, OTF2_OWN_RECORDS, KEY_OF(parameter), OTF2_RECORDS);
	const struct record record = {
		.rectype = (int32_t)otf2_own_value(values, OTF2_OWN_RECORD_TYPE, 0),
		.site = otf2_own_site(f->a, values, UINT32_MAX),
		.text = otf2_string(f->a, string),
	};

	if (which == OTF2_RECORDS)
		return false;
	if (kinds[which] == EV_OTHER) {
		builder_detail(f->b, f->location, time, DETAIL_UNKNOWN, NULL, 0);
		return true;
	}
	if (record.site == UINT32_MAX)
		builder_finding(f->b, FINDING_DAMAGE, "record-without-region", 0,
				"a record of tview's own does not name its region: skipped");
	else if (kinds[which] == EV_MARK)
		builder_mark(f->b, f->location, time, record.site);
	else
		builder_record(f->b, f->location, time, kinds[which], &record);
	return true;
}

void otf2_own_texts(struct otf2_feed *f, const struct otf2_own_values *values)
{
	const char *text;

	if (otf2_own_has(values, OTF2_OWN_DATA)) {
		text = otf2_text(&f->a->defs, (uint32_t)values->v[OTF2_OWN_DATA]);
		builder_extra(f->b, f->location, text, strlen(text));
	}
	if (otf2_own_has(values, OTF2_OWN_TIME)) {
		text = otf2_text(&f->a->defs, (uint32_t)values->v[OTF2_OWN_TIME]);
		builder_time_text(f->b, f->location, text, strlen(text));
	}
}
