/* otf2_own_read: what tview's own archives say beyond OTF2 (otf2_own.h), for the reader. A struct
 * otf2_own is there for these only; archives of others have none, and cost nothing.
 *
 * Threads: read-only once otf2_own_find() is done, but for the sites, which otf2_own_sites() adds
 * before any event is read. */
#pragma once

#include "model/otf2/otf2_own.h"
#include "model/otf2/read/otf2_archive.h"

enum otf2_own_place {
	OTF2_OWN_NAME, /* string of the archive */
	OTF2_OWN_ONE_NAME,
	OTF2_OWN_TYPE,
	OTF2_OWN_ID, /* low half; OTF2_OWN_ID_HIGH the other */
	OTF2_OWN_ID_HIGH,
	OTF2_OWN_RANK,
	OTF2_OWN_PROCESS,
	OTF2_OWN_THREAD,
	OTF2_OWN_ABSENT,
	OTF2_OWN_TRIPS
};

/* Looks for what tview has added; sets a->own, or leaves it NULL. */
void otf2_own_find(struct otf2_archive *a);
void otf2_own_fini(struct otf2_archive *a);

/* Digits of a written time; `digits` where the archive does not say. */
int otf2_own_digits(const struct otf2_archive *a, int digits);
/* What a property says of a location; false where it says nothing. */
bool otf2_own_says(const struct otf2_archive *a, uint64_t location, enum otf2_own_place what,
		   int32_t *value);
/* A node or process that only OTF2 wanted. */
bool otf2_own_made_node(const struct otf2_archive *a, uint32_t id);
bool otf2_own_made_process(const struct otf2_archive *a, uint32_t id);
/* What a region is beside its definition: class, event type, no role. */
void otf2_own_region(const struct otf2_archive *a, uint32_t id, struct region *region);
/* All sites, in their order; the regions are defined. */
void otf2_own_sites(struct otf2_archive *a);
/* The site of a region that is called from nowhere known; made where the list has none. */
uint32_t otf2_own_plain_site(struct otf2_archive *a, const struct otf2_region *region);
/* The refs of a list among the root's properties, n numbers a row; owned by the caller. */
int64_t *otf2_own_list(const struct otf2_archive *a, const char *name, int n, size_t *rows);
/* The PICL subset of a communicator, 0 none. */
int32_t otf2_own_subset(const struct otf2_archive *a, uint32_t comm);
/* The members of a communicator of which some are none of the world, owned by the caller; NULL for
 * others. */
int32_t *otf2_own_members(const struct otf2_archive *a, uint32_t comm, uint32_t *n);
/* So many of the n groups, the first ones, are the trace's; the others only OTF2 wanted. */
size_t otf2_own_groups(const struct otf2_archive *a, size_t n);
/* Hands a property of the root to the builder under its key; false where it is another property. */
bool otf2_own_property(struct otf2_archive *a, const struct otf2_property_def *def);
/* Own attributes and parameters by ref: what they are, -1 for others. */
int otf2_own_attribute_of(const struct otf2_archive *a, uint32_t ref);
int otf2_own_record_of(const struct otf2_archive *a, uint32_t ref);

/* True for "LIST" and "LIST (n)", over which a long list is spread. */
bool otf2_own_is_part(const char *name, const char *list);

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
