/* picl_values: how the 64-bit values of details, objects and attributes are in a PICL file: what
 * sort each is, for reading and writing. The table of detail.c drives it: a new sort of detail
 * needs nothing here. Numbers are signed there; a reference is the number that the header gives
 * what it names, -1 for none. */
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

/* Of the i-th value of a detail or object. */
enum picl_value picl_value_of(enum detail_type type, uint32_t i);
/* Of an attribute's value, by its OTF2_Type. */
enum picl_value picl_value_of_attribute(uint64_t otf2_type);
