/* otf2_own_read: what tview's own archives say beyond OTF2 (otf2_own.h), for the reader. A struct
 * otf2_own is there for these only; archives of others have none, and cost nothing.
 *
 * Threads: read-only once otf2_own_find() is done, but for the sites, which otf2_own_sites() adds
 * before any event is read. */
#pragma once

#include "model/otf2/otf2_own.h"
#include "model/otf2/read/otf2_archive.h"

/* What is known of refs. */
enum otf2_own_map {
	OTF2_OWN_ATTRIBUTES, /* ref: enum otf2_own_attribute */
	OTF2_OWN_RECORDS,    /* ref of a parameter: enum otf2_own_record */
	OTF2_OWN_CLASSES,    /* region: its class */
	OTF2_OWN_MADE_UP,    /* region of which only OTF2 wanted role and paradigm */
	OTF2_OWN_TYPES,      /* region: event type */
	OTF2_OWN_MEMBERS,    /* communicator: row of the first property that lists them */
	OTF2_OWN_SUBSETS,    /* communicator: PICL subset */
	OTF2_OWN_PLACES,     /* location in two halves, enum otf2_own_place: value in two halves */
	OTF2_OWN_NODES,      /* a node, a process that only OTF2 wanted */
	OTF2_OWN_PROCESSES,
	OTF2_OWN_SITES, /* region, file, line, event type, in the store's ids: site */
	OTF2_OWN_MAPS
};

/* Looks for what tview has added; sets a->own, or leaves it NULL. */
void otf2_own_find(struct otf2_archive *a);
void otf2_own_fini(struct otf2_archive *a);

/* Digits of a written time; `digits` where the archive does not say. */
int otf2_own_digits(const struct otf2_archive *a, int digits);
/* What is known of a ref; `none` where nothing is. */
uint32_t otf2_own_of(const struct otf2_archive *a, enum otf2_own_map map, struct key key,
		     uint32_t none);
/* The same of a location and one of its properties. */
int64_t otf2_own_of_place(const struct otf2_archive *a, uint64_t location, enum otf2_own_place what,
			  int64_t none);
/* What a region is beside its definition: class, event type, no role. */
void otf2_own_region(const struct otf2_archive *a, uint32_t id, struct region *region);
/* All sites, in their order; the regions are defined. */
void otf2_own_sites(struct otf2_archive *a);
/* The site of a region that is called from nowhere known; made where the list has none. */
uint32_t otf2_own_plain_site(struct otf2_archive *a, const struct otf2_region *region);
/* The members of a communicator of which some are none of the world, owned by the caller; NULL for
 * others. */
int32_t *otf2_own_members(const struct otf2_archive *a, uint32_t comm, uint32_t *n);
/* So many of the n groups, the first ones, are the trace's; the others only OTF2 wanted. */
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
	bool together;    /* the list ends where another property follows */
	const char *text; /* what is left of the property at hand */
	bool damaged;     /* a number of the row is missing */
};

/* At the next row; false at the end, and in archives of others. */
bool otf2_own_row(struct otf2_own_rows *r);
int64_t otf2_own_number(struct otf2_own_rows *r);

/* The program's statements and their records (otf2_own_program.c); definitions are made. */
void otf2_own_program(struct otf2_archive *a);

/* Reads the archive's markers: notes, and records of no location. */
void otf2_markers(struct otf2_archive *a, OTF2_Reader *reader);

/* ---- events (otf2_own_feed.c) ---- */

/* The attributes of an event that are tview's own. */
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

/* The site of an event in a region (a row of the archive's, the one that an attribute names goes
 * before it). */
uint32_t otf2_own_site(const struct otf2_archive *a, const struct otf2_own_values *values,
		       uint32_t row);
/* What the attributes say of a message's end: what is unknown, who waits, how it was sent. */
void otf2_own_end(const struct otf2_own_values *values, bool sends, struct message_end *end);
/* A wait is said of the event. */
bool otf2_own_waited(const struct otf2_own_values *values);
/* What a posted receive asked for, where nothing completes it. */
void otf2_own_asked(struct otf2_feed *f, const struct otf2_own_values *values,
		    struct message_end *end);
/* The region that an attribute names, or (own archives) the innermost one, which is in *region;
 * false where there is neither. */
bool otf2_own_region_of(const struct otf2_feed *f, const struct otf2_region **region);
/* Begins a collective that has no end, of which the attributes say all; false for others. */
bool otf2_own_collective(struct otf2_feed *f, int64_t time, const struct otf2_own_values *values);
/* The root, where the communicator's place does not tell it. */
int32_t otf2_own_root(const struct otf2_own_values *values, int32_t root);
/* A parameter that represents another record; false where it does not. */
bool otf2_own_record(struct otf2_feed *f, int64_t time, const struct otf2_own_values *values,
		     uint32_t parameter, uint32_t string);
/* The source's texts of the event that was appended last. */
void otf2_own_texts(struct otf2_feed *f, const struct otf2_own_values *values);
