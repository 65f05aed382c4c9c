/* blanks: segments in which probes do nothing, so that the run itself shows how much longer a
 * segment with records or notes takes.
 *
 * Guards of probes (tview.h, sites.h) are down in them, and hooks of the compiler return at once.
 * Visits are not counted, so a kind of segments (gaps.h) has blank ones only while all of its
 * segments, and dozens of them, had equally many records of functions, in a process with one
 * thread and without handlers of signals that come at any time. A blank segment gets the records
 * of the kind's latest gap with notes, at times in proportion. If the next call is not made from
 * where it was then, or is much later, the trace has CALL_unrecorded instead. That the visits were
 * the same is an estimate, and the gap's record says so. */
#pragma once

#include "capture/lib/recorder.h"

/* A segment of that kind was recorded. */
void tv_blank_learn(struct tv_segment_kind *kind, uint64_t records);
/* Few, at the kind's begin: a segment that is unlike all before would not be seen in one. */
enum { TV_BLANKS_OF_KIND = 16 };

struct tv_gap_count; /* gap_tables.h */

/* A loop is counted in a gap with notes; in a blank one the same is done again. */
void tv_gap_count(struct tv_thread *t, const struct tv_gap_count *count);
void tv_count_in_row(struct tv_thread *t, const struct tv_gap_count *count);

/* A gap with notes ends, which are not records yet. */
void tv_blank_keep(struct tv_thread *t, struct tv_segment_kind *kind, uint64_t time);
bool tv_blank_may_begin(const struct tv_thread *t, const struct tv_segment_kind *kind);
void tv_blank_begin(struct tv_thread *t, uint64_t time);
/* False: it is not what was expected, and was given up. Else its notes are there, as those of a
 * gap. */
bool tv_blank_end(struct tv_thread *t, struct tv_segment_kind *kind, uint64_t time);
/* Its notes are records now. */
void tv_blank_mark(struct tv_thread *t);
/* Ends it: nothing is known of the functions in it. */
void tv_blank_give_up(struct tv_thread *t);
