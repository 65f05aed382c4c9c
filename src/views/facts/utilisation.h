/* utilisation: what the chosen locations do, in a few kinds of use: sums of time in cells, and how
 * many of them are busy at once.
 *
 * Busy is all time outside MPI and the tool's own regions. Waiting is the time of wait states once
 * the query's analysis has found them; until then it is all time in calls that communicate, and
 * transfer is file I/O alone. Overhead is the management of MPI and the tool's own regions.
 * Time that the filter leaves out and time without a record are kinds of their own. The filter
 * decides for whole call paths and locations (filter_callpath()): single visits are not asked.
 *
 *	struct utilisation u;
 *	if (utilisation_begin(&u, &query, NULL, &err)) {
 *		utilisation_add(&u, location, edges, cells, sums);
 *		...
 *	}
 *	utilisation_end(&u);
 *
 * Times are ticks of the query's base. */
#pragma once

#include "views/facts/timeline_shade.h"
#include "views/query/view.h"

enum use_kind {
	USE_BUSY,
	USE_TRANSFER, /* in MPI or in file I/O, not waiting */
	USE_WAITING,
	USE_MANAGEMENT, /* start and end of MPI, communicators, and what the tool does */
	USE_FILTERED,   /* the filter leaves it out */
	USE_IDLE,       /* a device's stream without recorded work */
	USE_UNRECORDED, /* before the first and after the last record, recording switched off */
	USE_KINDS
};

/* "busy", "transfer", "waiting", "management", "filtered out", "idle", "not recorded". */
const char *use_kind_name(enum use_kind kind);
/* The parts of a bar of uses; what is idle or was not recorded has none: the bar is shorter. */
enum { USE_PARTS = USE_IDLE };
extern const struct chart_part utilisation_parts[USE_PARTS];
/* A part without colours, in ASCII. */
char use_kind_letter(enum use_kind kind);

struct utilisation {
	const struct query *query;          /* borrowed */
	const struct timeline_level *level; /* of the shades */
	struct timeline_shades *own;        /* NULL: the caller's shades */
	uint8_t use_of[SHADING_SLOTS];      /* enum use_kind of a slot */
	uint32_t *locations;                /* [n] chosen, and taken by the filter; owned */
	uint32_t n;
	bool wait_states; /* waiting is the time of wait states */
};

/* Keeps its shadings in `shades`; NULL: in its own. False with err, or with err untouched if
 * progress stopped it; utilisation_end() in either case. */
bool utilisation_begin(struct utilisation *u, const struct query *query,
		       struct timeline_shades *shades, struct err *err);
void utilisation_end(struct utilisation *u);
/* What waiting is here, in words: "wait states" or "calls that communicate". */
const char *utilisation_waiting(const struct utilisation *u);

/* The kind of use while a call path is innermost on a location, and where nothing is recorded. */
enum use_kind utilisation_of_path(const struct utilisation *u, uint32_t location, uint32_t path);
enum use_kind utilisation_of_nothing(const struct utilisation *u, uint32_t location);

/* Adds to sums[cell * USE_KINDS + kind] the ticks of a location in [edges[i], edges[i + 1]). */
void utilisation_add(const struct utilisation *u, uint32_t location, const int64_t *edges,
		     size_t cells, uint64_t *sums);
/* The same for all locations. False if progress stopped it. */
bool utilisation_sum(const struct utilisation *u, const int64_t *edges, size_t cells,
		     uint64_t *sums);

/* Cuts [t0, t1) into at most `most` cells of about one width, none empty: edges[cells + 1]; returns
 * their number. */
size_t utilisation_edges(int64_t t0, int64_t t1, size_t most, int64_t *edges);

/* How long exactly so many locations were busy. */
struct concurrency {
	uint32_t n;        /* locations */
	uint64_t *time;    /* [n + 1] ticks with i busy; owned */
	uint64_t *partial; /* [n + 1] of it with a location that was not recorded or is left out by
			      the filter: more may have been busy; owned */
	uint64_t only_other; /* ticks with none busy, but one in MPI or in file I/O */
};

/* For [t0, t1). Walks the events of all locations in one order: O(events x log locations), in
 * memory of the locations. False if progress stopped it; concurrency_fini() in either case. */
bool concurrency_make(struct concurrency *c, const struct utilisation *u, int64_t t0, int64_t t1);
void concurrency_fini(struct concurrency *c);
