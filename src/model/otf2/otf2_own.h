/* otf2_own: tview's additions to OTF2, so that a trace can be read back unchanged: attributes of
 * events, parameters that carry records, groups and properties, all with tview's own names
 * (doc/format.md, "OTF2"). Other tools show or skip them. Writer and reader share the tables
 * (otf2_own.def). */
#pragma once

#include <stddef.h>

#include <otf2/otf2.h>

enum otf2_own_attribute {
#define ATTRIBUTE(word, ...) OTF2_OWN_##word,
#include "model/otf2/otf2_own.def"
	OTF2_OWN_COUNT
};

/* The value of these is the record's text, for a mark the region's name. The attributes
 * "tview:region", "tview:event type", "tview:call site" and "tview:record type" have the rest. */
enum otf2_own_record {
#define RECORD(word, ...) OTF2_RECORD_##word,
#include "model/otf2/otf2_own.def"
	OTF2_RECORDS
};

enum otf2_own_place {
#define PLACE(word, ...) OTF2_PLACE_##word,
#include "model/otf2/otf2_own.def"
	OTF2_PLACES
};

struct otf2_own_name {
	const char *name;
	OTF2_Type type;
	const char *text; /* description of an attribute */
};

extern const struct otf2_own_name otf2_own_attributes[OTF2_OWN_COUNT];
extern const struct otf2_own_name otf2_own_records[OTF2_RECORDS];
extern const struct otf2_own_name otf2_own_places[OTF2_PLACES];

/* Bits of "tview:message". */
enum {
	OTF2_MESSAGE_NO_BYTES = 1 << 0,
	OTF2_MESSAGE_NO_TAG = 1 << 1,
	OTF2_MESSAGE_TO_ALL = 1 << 2,     /* a send to all ranks */
	OTF2_MESSAGE_NO_REQUEST = 1 << 3, /* the writer made up the request's id */
	OTF2_MESSAGE_BLOCKED = 1 << 4,    /* the call waited */
	OTF2_MESSAGE_MODE_SHIFT = 5,      /* two bits: standard, buffered, synchronous, ready */
	OTF2_MESSAGE_MODE_MASK = 3 << 5,
	OTF2_MESSAGE_NO_ROOT = 1 << 7, /* of a collective: the root is not known */
	OTF2_MESSAGE_MODE = 1 << 8,    /* the mode is not that of the region around */
};

/* Groups of type REGIONS: "tview:class user" ..., the regions whose class a reader could not
 * derive, and those whose role and paradigm tview made up. */
#define OTF2_GROUP_CLASS   "tview:class "
#define OTF2_GROUP_MADE_UP "tview:roles made up"

/* Property of a system tree node or location group that OTF2 needs and the trace does not have. */
#define OTF2_MADE_UP "tview:made up"

/* Properties of the root of the system tree: "tview:KEY" is a property of the trace, "tview:KEY
 * (2)" its second value; names with a '.' are the writer's: the timestamp of the trace's zero where
 * that is not the global offset, the digits of a time, all sites in their order ("REGION TYPE FILE
 * LINE, ..."), the regions' PICL event types ("REGION TYPE, ...") and the communicators' PICL
 * subsets ("COMM SUBSET, ..."), the members of communicator N if some are outside the world ("RANK,
 * ..."; "NAME N"). Long lists go on in "NAME (2)", ...; the trace's order of its objects ("TYPE
 * REF, ...": 0 parameter, 1 attribute, 2 window, 3 group, 4 I/O paradigm, 5 file, 6 handle, 7
 * interrupt generator) and of its metric sets ("REF, ..."); the number of groups, the first ones,
 * that are the trace's own. */
#define OTF2_PROPERTY_PREFIX      "tview:"
#define OTF2_PROPERTY_ZERO        "tview:.zero"
#define OTF2_PROPERTY_DIGITS      "tview:.digits"
#define OTF2_PROPERTY_TYPES       "tview:.event types"
#define OTF2_PROPERTY_SITES       "tview:.sites"
#define OTF2_PROPERTY_MEMBERS     "tview:.members "
#define OTF2_PROPERTY_GROUPS      "tview:.groups"
#define OTF2_PROPERTY_OBJECTS     "tview:.objects"
#define OTF2_PROPERTY_METRIC_SETS "tview:.metric sets"
#define OTF2_PROPERTY_SUBSETS     "tview:.subsets"
/* The program's statements ("NAME FILE REASON KIND FLAGS COLUMN LINE END PARENT CALLEE REGION,
 * ...") and their records ("LOCATION STATEMENT VALUES, ..."; program.h: record_values(), the
 * communicator by its ref). */
#define OTF2_PROPERTY_STATEMENTS  "tview:.statements"
#define OTF2_PROPERTY_RECORDS     "tview:.statement records"

/* The property under which the reader keeps an archive's global offset. */
#define OTF2_SOURCE_OFFSET "otf2 global offset"

/* The group of the markers that carry records of no location. */
#define OTF2_MARKER_GROUP "tview"
#define OTF2_MARKER_LOOSE "record of no location"

/* The length of KEY in "KEY (2)": a repeated property, or one whose own key ends so ("KEY (2)
 * (1)"). */
size_t otf2_own_key_length(const char *key);
