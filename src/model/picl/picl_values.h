/* picl_values: how the 64-bit values of details, objects and attributes are written in a PICL file,
 * by their sort. The table of detail.c decides it: a new detail needs nothing here. Numbers are
 * signed in the file; a reference is the number of the definition in the header, -1 for none. */
#pragma once

#include "model/trace/detail.h"

/* Sorts beyond field_kind. */
enum picl_value {
	VALUE_PLAIN,    /* a number as it is */
	VALUE_STRING,   /* number of a string */
	VALUE_REGION,   /* number of a region */
	VALUE_SITE,     /* call site << 32 | event type */
	VALUE_COMM,     /* number of a subset */
	VALUE_LOCATION, /* number of a location */
	VALUE_SOURCE,   /* string << 32 | line */
};

/* The sort of the i-th value of a detail or object. */
enum picl_value picl_value_of(enum detail_type type, uint32_t i);
/* The sort of an attribute's value, by its OTF2_Type. */
enum picl_value picl_value_of_attribute(uint64_t otf2_type);
