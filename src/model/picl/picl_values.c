#include "model/picl/picl_values.h"

static enum picl_value of_kind(enum field_kind kind)
{
	static const uint8_t values[FIELD_VALUES + 1] = {
		[FIELD_STRING] = VALUE_STRING,     [FIELD_REGION] = VALUE_REGION,
		[FIELD_SITE] = VALUE_SITE,         [FIELD_COMM] = VALUE_COMM,
		[FIELD_LOCATION] = VALUE_LOCATION,
	};

	return (enum picl_value)values[kind];
}

enum picl_value picl_value_of(enum detail_type type, uint32_t i)
{
	const struct detail_info *info = detail_info(type);

	if (i + 1 < info->fields)
		return of_kind(info->field[i].kind);
	if (info->fields == 0)
		return VALUE_PLAIN;
	/* The last field repeats: only a program's arguments are not numbers there. */
	if (type == DETAIL_PROGRAM_BEGIN)
		return VALUE_STRING;
	return of_kind(info->field[info->fields - 1].kind);
}

enum picl_value picl_value_of_attribute(uint64_t otf2_type)
{
	switch (otf2_type) {
	case 11: return VALUE_STRING;
	case 13: return VALUE_LOCATION;
	case 14: return VALUE_REGION;
	case 17: return VALUE_COMM;
	case 20: return VALUE_SOURCE;
	case 21: return VALUE_SITE;
	default: return VALUE_PLAIN;
	}
}
