/* otf2_own_read: reads tview's additions to OTF2 (otf2_own.h). Only archives that tview wrote have
 * a struct otf2_own; others cost nothing.
 *
 * Threads: read-only after otf2_own_find(), except for the sites, which otf2_own_sites() adds
 * before any event is read. */
#pragma once

#include "model/otf2/otf2_own.h"
#include "model/otf2/read/otf2_archive.h"

/* Maps from refs of the archive. */
enum otf2_own_map {
	OTF2_OWN_ATTRIBUTES, /* ref: enum otf2_own_attribute */
	OTF2_OWN_RECORDS,    /* ref of a parameter: enum otf2_own_record */
	OTF2_OWN_CLASSES,    /* region: its class */
	OTF2_OWN_MADE_UP,    /* region whose role and paradigm were made up for OTF2 */
	OTF2_OWN_TYPES,      /* region: event type */
	OTF2_OWN_MEMBERS,    /* communicator: row of the first property that lists them */
	OTF2_OWN_SUBSETS,    /* communicator: PICL subset */
	OTF2_OWN_PLACES,     /* location in two halves, enum otf2_own_place: value in two halves */
	OTF2_OWN_NODES,      /* nodes, and processes, that were made up for OTF2 */
	OTF2_OWN_PROCESSES,
	OTF2_OWN_SITES, /* region, file, line, event type, in the store's ids: site */
	OTF2_OWN_MAPS
};

/* Looks for tview's additions; sets a->own, or leaves it NULL. */
void otf2_own_find(struct otf2_archive *a);
void otf2_own_fini(struct otf2_archive *a);

/* Digits of a written time; `digits` if the archive does not have them. */
int otf2_own_digits(const struct otf2_archive *a, int digits);
/* The value of a key in a map; `none` without. */
uint32_t otf2_own_of(const struct otf2_archive *a, enum otf2_own_map map, struct key key,
		     uint32_t none);
/* The value of a location's property; `none` without. */
int64_t otf2_own_of_place(const struct otf2_archive *a, uint64_t location, enum otf2_own_place what,
			  int64_t none);
/* Sets class and event type of a region from the additions, and clears a role that was made up. */
void otf2_own_region(const struct otf2_archive *a, uint32_t id, struct region *region);
/* All sites, in their order; the regions are defined. */
void otf2_own_sites(struct otf2_archive *a);
/* The site of a region without a known call site; added if the list has none. */
uint32_t otf2_own_plain_site(struct otf2_archive *a, const struct otf2_region *region);
/* The members of a communicator with members outside the world, freed by the caller; NULL for
 * others. */
int32_t *otf2_own_members(const struct otf2_archive *a, uint32_t comm, uint32_t *n);
/* How many of the n groups, the first ones, are the trace's; the others were made up for OTF2. */
size_t otf2_own_groups(const struct otf2_archive *a, size_t n);
/* Hands a property of the root to the builder under its key; false where it is another property. */
bool otf2_own_property(struct otf2_archive *a, const struct otf2_property_def *def);
/* The rows of a list that is spread over properties of the root, "LIST" and "LIST (n)":
 *
 *	struct otf2_own_rows r = { .a = a, .list = OTF2_PROPERTY_TYPES };
 *	while (otf2_own_row(&r))
 *		use(otf2_own_number(&r), otf2_own_number(&r)); */
struct otf2_own_rows {
	const struct otf2_archive *a;
	const char *list;
	size_t next;      /* property */
	bool together;    /* the list ends at the next other property */
	const char *text; /* the rest of the current property */
	bool damaged;     /* a number of the row is missing */
};

/* Goes to the next row; false at the end, and in archives of other tools. */
bool otf2_own_row(struct otf2_own_rows *r);
int64_t otf2_own_number(struct otf2_own_rows *r);

/* The program's statements and their records (otf2_own_program.c); definitions are made. */
void otf2_own_program(struct otf2_archive *a);

/* Reads the archive's markers: notes, and records of no location. */
void otf2_markers(struct otf2_archive *a, OTF2_Reader *reader);

/* ---- events (otf2_own_feed.c) ---- */

/* tview's own attributes of an event. */
struct otf2_own_values {
	unsigned has; /* bits by enum otf2_own_attribute */
	uint64_t v[OTF2_OWN_COUNT];
};

struct otf2_feed;

/* Takes an event's attributes; `values->has` is 0 where there are none. */
void otf2_own_take(const struct otf2_archive *a, OTF2_AttributeList *list,
		   struct otf2_own_values *values);

static inline bool otf2_own_has(const struct otf2_own_values *values, enum otf2_own_attribute what)
{
	return values->has & 1u << what;
}

static inline uint64_t otf2_own_value(const struct otf2_own_values *values,
				      enum otf2_own_attribute what, uint64_t otherwise)
{
	return otf2_own_has(values, what) ? values->v[what] : otherwise;
}

/* The site of an event in a region: the one that an attribute names, else that of the archive's
 * row. */
uint32_t otf2_own_site(const struct otf2_archive *a, const struct otf2_own_values *values,
		       uint32_t row);
/* Sets the flags of a message's end from the attributes: unknown values, blocked, mode. */
void otf2_own_end(const struct otf2_own_values *values, bool sends, struct message_end *end);
/* True if an attribute says that the call waited. */
bool otf2_own_waited(const struct otf2_own_values *values);
/* Sets what a posted receive asked for, if it has no completion. */
void otf2_own_asked(struct otf2_feed *f, const struct otf2_own_values *values,
		    struct message_end *end);
/* Sets *region to the region that an attribute names, or (own archives) to the innermost one; false
 * if there is neither. */
bool otf2_own_region_of(const struct otf2_feed *f, const struct otf2_region **region);
/* Begins a collective without an end, which the attributes describe; false for others. */
bool otf2_own_collective(struct otf2_feed *f, int64_t time, const struct otf2_own_values *values);
/* The root: RANK_UNKNOWN if an attribute says so, else the one that an attribute names, else
 * `root`. */
int32_t otf2_own_root(const struct otf2_own_values *values, int32_t root);
/* Adds the record that a parameter represents; false if it represents none. */
bool otf2_own_record(struct otf2_feed *f, int64_t time, const struct otf2_own_values *values,
		     uint32_t parameter, uint32_t string);
/* Adds the source's texts to the event that was appended last. */
void otf2_own_texts(struct otf2_feed *f, const struct otf2_own_values *values);
