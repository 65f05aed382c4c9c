/* wait_sums: how much of any interval of a location was spent waiting, by kind, without looking at
 * its wait states. The timeline draws waiting from these exact sums.
 *
 * Wait states of a location that overlap count once, the one that begins first; those that are a
 * part of another (WAIT_PART: completion, the share of one metric in another) do not count. Sums
 * are prefix sums over the list: a row of cells costs the lesser of its cells and its waits, and a
 * search each. A slot is a kind of waiting and the class of the waiting call, so that waiting can
 * be subtracted from the time that the class has in a cell.
 *
 * Ownership: copies what it needs. Threads: once made any number may read. Memory: 16 bytes a wait
 * state, and half a byte for each slot that the trace has. */
#pragma once

#include "patterns/analysis/analysis.h"

/* Kinds of waiting as they are drawn: what was waited for. */
enum wait_kind { WAIT_SENDER, WAIT_RECEIVER, WAIT_MEMBERS, WAIT_OTHER, WAIT_KINDS };

enum wait_kind wait_kind_of(const struct wait *wait);
/* False for a wait state whose time is part of another one's. */
bool wait_counts(const struct wait *wait);

struct wait_slot {
	uint8_t kind; /* enum wait_kind */
	uint8_t cls;  /* enum region_class of the waiting call */
};

enum { WAIT_SLOTS = WAIT_KINDS * CLASS_COUNT };

struct wait_sums;

/* For the waits whose call path is `drawn` [canonical call path]; NULL: all. Returns NULL if
 * progress stopped it. Where several processes share the trace all call it: slots are those of all,
 * sums those of a process' own locations. */
struct wait_sums *wait_sums_new(const struct analysis *analysis, const bool *drawn,
				const struct progress *progress);
void wait_sums_free(struct wait_sums *sums);

/* Gives the sums of all waits in a base to the trace (keep.h), and to its cache file, from which
 * they come without an analysis; `sums` may be used until the trace is freed. Where processes share
 * the trace nothing is kept. */
void wait_sums_keep(struct wait_sums *sums, const struct trace *trace, enum time_base base);
/* Those that were kept, the caller's; NULL: none. */
struct wait_sums *wait_sums_kept(const struct trace *trace, enum time_base base);

/* The slots that the trace has: their number, at most WAIT_SLOTS, and what they are (slots may
 * be NULL). */
unsigned wait_sums_slots(const struct wait_sums *sums, const struct wait_slot **slots);

/* Adds to out[cell * slots + slot] the ticks of each slot within the cells [edges[i], edges[i +
 * 1]); edges ascend. */
void wait_sums_add(const struct wait_sums *sums, uint32_t location, const int64_t *edges,
		   size_t cells, uint64_t *out);

/* The intervals that the sums are made of, by location: how many, and the nth, not empty; none
 * overlaps another one. Its slot. */
size_t wait_sums_parts(const struct wait_sums *sums, uint32_t location);
unsigned wait_sums_part(const struct wait_sums *sums, uint32_t location, size_t nth, int64_t *t0,
			int64_t *t1);
