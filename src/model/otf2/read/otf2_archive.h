/* otf2_archive: an archive while it is read, shared by the files of the reader.
 *
 * How values without a place of their own in the store are kept:
 * - values of attributes: numbers as they are (floats as bits of a double); references as the
 *   store's id of the definition they name (string, region, communicator, location, site of a
 *   calling context, object, metric set, process), UINT64_MAX where it is unknown; a source code
 *   location as file's string << 32 | line;
 * - properties: of the archive under their own names; "otf2 creator", "otf2 machine",
 *   "otf2 description"; "otf2 date" (ns since 1970); of definitions "KIND ID NAME", as in
 *   "location 3 NAME".
 *
 * Threads: once the definitions are resolved, everything but `builder` is read-only, and any number
 * of locations can be read at a time, each into the builder (or fork of it) that its struct
 * names. */
#pragma once

#include "model/build/builder.h"
#include "model/build/load_options.h"
#include "model/otf2/read/otf2_defs.h"
#include "model/otf2/read/otf2_guard.h"
#include "model/trace/detail.h"

struct otf2_region {
	uint32_t site, region;
	int32_t picl;
	uint8_t mode; /* of a send inside */
	uint8_t cls;  /* enum region_class */
};

/* A communicator as its events name it. */
struct otf2_comm {
	uint32_t id;          /* communicator; COMM_SELF: that of rank 0, the others' follow */
	uint32_t messages;    /* the communicator in which its messages are matched */
	uint32_t size;        /* COMM_SELF: ranks that have one */
	const int32_t *ranks; /* owned; [size] world ranks, COMM_THREADS: locations */
	uint32_t remote_size;
	const int32_t *remote; /* owned */
	const int32_t *sorted; /* owned; COMM_INTER: `ranks` in order */
	uint8_t kind;          /* enum comm_kind */
};

struct otf2_context {
	uint32_t site;
	uint32_t region; /* row of regions */
};

enum otf2_place_state {
	PLACE_OK,
	PLACE_MISSING,    /* no file of events, though the definition counts some */
	PLACE_CUT,        /* the file ends in damage */
	PLACE_FEWER,      /* a chunk or the file ends too early, no error for libotf2 */
	PLACE_UNREADABLE, /* nothing of it could be read */
	PLACE_BAD_DEFS,   /* only in reports: bad_defs */
	PLACE_CLOCK,      /* the same: other_clock */
};

/* A location. */
struct otf2_place {
	uint64_t id;       /* in the archive */
	uint64_t events;   /* as the definition says: may be wrong */
	uint64_t bytes;    /* of its file of events, 0 where there is none */
	uint32_t def;      /* row of defs.locations */
	uint32_t location; /* in the trace */
	int32_t rank;
	const char *name; /* text of its name; owned */
	VEC(struct offset) offsets;
	uint8_t state; /* enum otf2_place_state */
	bool has_file, has_defs, bad_defs;
	bool other_clock; /* the clock properties are not its: most events are beyond them */
	bool cut;         /* its file of events has lost its end */
	bool absent;      /* a rank without data: not a location of the trace */
	uint32_t process; /* that reads it, of those that share the archive */
	uint32_t next;    /* place of its location, UINT32_MAX: none */
	bool follows;     /* it is the next one of another */
};

struct otf2_archive {
	const char *anchor;
	struct otf2_chunks chunks;
	bool cut; /* some file has lost its end */
	const struct load_options *options;
	struct otf2_defs defs;
	struct builder *builder;
	struct timescale scale;
	int64_t factor; /* ticks of the trace in one of the archive */
	uint64_t zero;  /* timestamp of the trace's zero */
	bool bad_clock, bad_defs;
	struct otf2_own *own; /* tview's additions (otf2_own_read.h); NULL: another tool's
				 archive */

	VEC(uint32_t) strings; /* by row of defs.strings: string */
	struct otf2_ids region_ids, comm_ids;
	VEC(struct otf2_region) regions;
	VEC(struct otf2_comm) comms;
	struct otf2_ids context_ids;
	VEC(struct otf2_context) contexts;
	VEC(uint32_t) set_sizes; /* by metric set: members */
	/* From ids of the archive to ids of the store. */
	struct otf2_ids tree, tree_rows, processes, process_rows, metric_sets, group_rows,
		code_places, window_comms;
	struct otf2_ids objects[DETAIL_TYPES - OBJECT_PARAMETER]; /* by type */
	VEC(struct otf2_place) places;
	struct keymap place_rows; /* id in two halves: row of places */
	int32_t ranks;            /* in the world, 0 without MPI */
	const int32_t *world;     /* owned; their numbers, [ranks]; NULL: 0, 1, ... */
	uint8_t world_paradigm;
	uint32_t
		lists[256]; /* by paradigm: 1 + row of the group that lists its locations, 0 none */
	uint32_t flush_site, tracing_site; /* UINT32_MAX: not defined */
	uint32_t copy_other;               /* object of COPY_OTHER, UINT32_MAX: no devices */
	/* Defined only if a first pass over the events found a need for them. */
	bool wants_spare;
	struct keymap other_clocks; /* id in two halves of such a location */
	uint32_t spare_site;        /* of regions that are not defined */
	uint32_t spare_collective;  /* region of collectives outside any */
	uint32_t operations[32];    /* region that an OTF2_CollectiveOp names, UINT32_MAX */
};

/* True if a location is in the part that is loaded; the window on its own clock (otf2_part.c). Its
 * offsets must be known. */
bool otf2_part_has(const struct otf2_archive *a, const struct otf2_place *place);
/* Chains the places of the part that are one location. */
void otf2_part_chain(struct otf2_archive *a);
/* Gives the builder the clock offsets that were read with the places. */
void otf2_part_offsets(const struct otf2_archive *a);
bool otf2_part_window(const struct otf2_archive *a, const struct otf2_place *place, int64_t *from,
		      int64_t *until);

/* When events of a location may be, on its own clock: no further from what the clock properties say
 * than that is long, as some tools take it a little short. All times where nothing is known. */
void otf2_part_clock(const struct otf2_archive *a, const struct otf2_place *place, int64_t *first,
		     int64_t *last);

/* Which files of locations are there, and whole (otf2_present.c). */
void otf2_find_files(struct otf2_archive *a);
/* Checks NAME.def; the library itself reports a missing one. */
bool otf2_has_whole_definitions(const struct otf2_archive *a);

/* What is said of the archive, and of all its places (otf2_tell.c). */
void otf2_tell_archive(struct otf2_archive *a, OTF2_Reader *reader);
void otf2_tell_places(struct otf2_archive *a);

/* Where several processes read the archive (otf2_shards.c). Whether its definitions tell the
 * numbers of events; until they are dealt out, all locations are this process'. */
bool otf2_shards_are_counted(struct otf2_archive *a);
/* Deals the locations out, by their events, or by the sizes of their files. False where a process
 * would need more memory than it may have: all say so then. */
bool otf2_shards_deal(struct otf2_archive *a, bool by_size, struct err *err);
/* Tells the builder, when all is defined. */
void otf2_shards_begin(struct otf2_archive *a);
/* Tells all what each found out about its own ones. */
void otf2_shards_share(struct otf2_archive *a);

/* Makes the definitions known to the builder (otf2_resolve.c). */
void otf2_resolve(struct otf2_archive *a);
void otf2_resolve_fini(struct otf2_archive *a);

/* Its parts: system tree, processes, locations and their ranks (otf2_places.c); communicators and
 * topologies (otf2_comms.c); metrics, parameters and all other objects (otf2_objects.c). */
void otf2_places(struct otf2_archive *a);
void otf2_comms(struct otf2_archive *a);
void otf2_objects(struct otf2_archive *a);

/* otf2_local.c: the definitions of a location: id maps, which the library applies to its events
 * itself, and clock offsets. False: they cannot be read. */
bool otf2_local_read(const struct otf2_archive *a, OTF2_Reader *reader, struct otf2_place *place);

/* The trace's string of an archive's; 0 without. */
static inline uint32_t otf2_string(const struct otf2_archive *a, uint32_t id)
{
	const uint32_t row = otf2_ids_get(&a->defs.string_ids, id);

	return row == UINT32_MAX ? 0 : a->strings.data[row];
}

static inline struct key otf2_place_key(uint64_t id)
{
	return KEY_OF((uint32_t)id, (uint32_t)(id >> 32));
}

static inline const struct otf2_place *otf2_place(const struct otf2_archive *a, uint64_t id)
{
	const uint32_t *row = keymap_find(&a->place_rows, otf2_place_key(id));

	return row ? &a->places.data[*row] : NULL;
}

/* The store's id of a definition, as a 64-bit value; UINT64_MAX if it has none. */
static inline uint64_t otf2_known(const struct otf2_ids *ids, uint32_t id)
{
	const uint32_t row = otf2_ids_get(ids, id);

	return row == UINT32_MAX ? UINT64_MAX : row;
}

static inline uint64_t otf2_object(const struct otf2_archive *a, enum detail_type type, uint32_t id)
{
	return otf2_known(&a->objects[type - OBJECT_PARAMETER], id);
}

/* NULL where it is not defined. */
static inline const struct otf2_comm *otf2_comm(const struct otf2_archive *a, uint32_t id)
{
	const uint32_t row = otf2_ids_get(&a->comm_ids, id);

	return row == UINT32_MAX ? NULL : &a->comms.data[row];
}

static inline int64_t otf2_scaled(const struct otf2_archive *a, int64_t time)
{
	if (a->factor == 1)
		return time;
	if (time > INT64_MAX / a->factor || time < INT64_MIN / a->factor)
		return time < 0 ? INT64_MIN : INT64_MAX;
	return time * a->factor;
}

/* Ticks from the trace's zero. */
static inline int64_t otf2_time(const struct otf2_archive *a, uint64_t time)
{
	return otf2_scaled(a, (int64_t)(time - a->zero));
}

/* The number of the world's i-th rank. */
static inline int32_t otf2_world_rank(const struct otf2_archive *a, uint32_t i)
{
	return a->world ? a->world[i] : (int32_t)i;
}
