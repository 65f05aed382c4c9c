/* gaps: segments in which functions are recorded without reading the clock, so that the difference
 * to other segments says what recording costs (doc/corrections.md).
 *
 * A *segment* is what a thread does from one call of MPI to the next. In a *gap* a probe only notes
 * what was entered or left. The clock is read every TV_BLIND notes, at probes where more than a
 * little time passes, and at the end; then the notes become records and change rows like any
 * others, so that order, nesting, call paths and counts are exact. The time between two readings
 * is divided among them in the proportions that the functions usually have. The time is never
 * unknown for longer than TV_BLIND notes.
 *
 * Segments become gaps after enough similar ones were recorded: those after one call statement at
 * one depth are of one *kind*. The first TV_LEARNED of a kind teach how long functions take, then
 * one of each TV_BLOCK is drawn, until the cost is known well enough.
 *
 *	tv_segment_begin(t, time);		after a call of MPI: a gap may begin
 *	if (t->mode == TV_GAP) tv_note(...)	in a probe, which then returns
 *	tv_segment_end(t, now);			before the next one */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tv_site;
struct tv_thread;

enum {
	TV_BLIND = 16,  /* notes of a gap to one whose time is read */
	TV_LEARNED = 8, /* recorded segments of a kind before it may have gaps */
	TV_BLOCK = 4,   /* segments of which one is a gap */
	TV_BRIEF_BITS = 12,
};

struct tv_segment_kind;

/* What a probe saw. */
struct tv_note {
	/* tv_function.what of an address; of a site the same with its own address and, of a loop,
	 * TV_NOTE_LOOP; TV_SEGMENT: the clock was read, `with` is its time. */
	uint64_t what;
	/* Of an enter: where from, an address or that of the call statement; of a loop that is
	 * left: its iterations. */
	uint64_t with;
	void *frame;
	union {
		const struct tv_site **at; /* of a site */
		const void *hook;          /* of a function: where its hook returns to */
	};
};

#define TV_NOTE_LOOP (UINT64_C(1) << 63)

/* The segment under way. */
struct tv_segment {
	struct tv_segment_kind *kind; /* NULL: none, or not of interest */
	uint64_t begin;
	uint64_t read;        /* when the clock was read last */
	uint64_t site;        /* of the probe then, in a segment that teaches */
	uint64_t limit;       /* ticks that the gap may take */
	struct tv_note *note; /* the next one */
	uint32_t blind;       /* notes until the clock is read */
	uint32_t readings;
	uint32_t taught;           /* probes so far, in a segment that teaches */
	uint32_t depth;            /* of the stack, in a gap */
	const struct tv_site **at; /* the latest that a probe gave */
	uint32_t serial;           /* of the chunk, */
	uint64_t used;             /* and bytes of records in it, when the segment began */
	uint64_t next;             /* in a gap that ends: where the next call is made */
};

/* All kinds of a thread. */
struct tv_gaps {
	struct tv_gap_tables *tables; /* NULL: none yet */
	const uint8_t *brief; /* 1: little time passes at the probes of a site, by tv_gap_hash() */
	uint32_t idle;        /* successive segments without functions */
	uint32_t skip;        /* number of the next segments to ignore */
	uint32_t kinds, n;    /* kinds; gaps so far */
	uint64_t begin, time; /* since when; ticks in gaps, and to make their records */
	uint64_t spent;       /* of these, as if none had been interrupted */
};

static inline uint32_t tv_gap_hash(uint64_t key, int bits)
{
	return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits));
}

void tv_segment_begin(struct tv_thread *t, uint64_t time);
void tv_segment_end(struct tv_thread *t, uint64_t time);
/* The same of a gap, with an own region for making its records. */
void tv_gap_end(struct tv_thread *t);
/* Ends a gap within its segment, from which nothing is learned: before any record with a time. */
void tv_gap_stop(struct tv_thread *t);
/* The clock, at a probe of a site or function in a segment that teaches. */
uint64_t tv_learn_time(struct tv_thread *t, uint64_t site);
/* Reads the clock, ends a gap that takes too long. */
void tv_gap_read(struct tv_thread *t);
/* Begins a gap outside of all segments, or a learning phase before it, to measure the cost; its
 * notes are lost. False: no memory. */
bool tv_gap_try(struct tv_thread *t, bool learn);
void tv_gaps_fini(struct tv_gaps *gaps);
