/* gap_tables: what gaps.c, gap_records.c and blanks.c know of a thread's segments. */
#pragma once

#include "capture/lib/recorder.h"
#include "capture/lib/sites.h"

enum {
	KIND_BITS = 10,
	USUAL_BITS = 9,
	NOTES = 16384,      /* and readings, of a gap */
	KEPT = 65536,       /* and of all that are kept */
	TV_GAP_COUNTS = 16, /* loops of a kind's segments that are only counted */
};
#define TV_VARIES UINT32_MAX

/* A loop was counted in a gap: executions and iterations are in its row already. */
struct tv_gap_count {
	const struct tv_site *site;
	uint64_t executions, iterations;
};

/* Ticks a record of many segments (Welford). */
struct tv_spread {
	double n, mean, squares;
};

/* What a kind's latest gap with notes saw, which a blank one becomes. */
struct tv_gap_pattern {
	uint32_t first, room; /* in tv_gap_tables.kept; room 0: none yet */
	uint32_t notes, readings;
	uint32_t generation; /* of the mapped modules: notes have addresses */
	uint64_t begin, took;
	/* Wrappers' frames: of the call before the segment under way, and of those around it. */
	const void *from, *noted_from, *to;
	uint64_t next;             /* where the call after it was made */
	const struct tv_site **at; /* the latest that a probe gave, and what was there at the end */
	const struct tv_site *call;
	uint32_t counts; /* loops that were counted without a note */
	struct tv_gap_count count[TV_GAP_COUNTS];
};

struct tv_segment_kind {
	uint64_t place; /* of the call before; 0: free */
	uint32_t depth;
	uint32_t recorded, gaps, blanks; /* blanks are gaps, too */
	uint32_t position, drawn;        /* in the block, from its end */
	bool done;
	uint64_t longest, duration;      /* ticks; mean */
	uint64_t records;                /* mean */
	uint32_t seen, same;             /* segments, and records of each so far; TV_VARIES */
	struct tv_spread on, gap, blank; /* of segments of blocks */
	struct tv_gap_pattern pattern;
};

/* Usual time between two records inside a function. */
struct usual {
	uint64_t site; /* as in tv_frame */
	uint64_t time; /* sixteenths of a tick; 0: unknown */
};

/* Intervals that begin or end at the probes of a site. */
struct passed {
	uint16_t seen, slow;
};

struct tv_gap_tables {
	struct tv_segment_kind kind[1 << KIND_BITS];
	struct usual usual[1 << USUAL_BITS];
	struct passed passed[1 << TV_BRIEF_BITS];
	uint8_t brief[1 << TV_BRIEF_BITS];
	struct tv_note note[NOTES];
	uint32_t counts; /* of the gap under way; more than TV_GAP_COUNTS: not all are here */
	struct tv_gap_count count[TV_GAP_COUNTS];
	uint32_t keeps; /* of `kept` in use */
	struct tv_note kept[KEPT];
};

/* ---- gap_records.c ---- */

/* One more interval between two probes, the latter at `site`, or up to a call of MPI (0). */
void tv_gap_learn(struct tv_thread *t, uint64_t site, uint64_t took);
/* Makes records of the notes of the gap that ends. */
void tv_gap_record(struct tv_thread *t, uint64_t time);
