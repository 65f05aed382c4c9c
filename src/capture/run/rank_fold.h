/* rank_fold: what a look at a running rank does not copy: chunks of events before its latest ones.
 * What they leave open and how many messages there were goes into a ledger for each thread, as in
 * the library's ring (capture/lib/ledger.h), and their definitions are kept. So the trace of a look
 * begins where the ring's would (rank_cut.h), and memory does not grow with the run.
 *
 * Kept between looks, a chunk is read once.
 *
 *	rank_fold_take(fold, live, size, &bounds);
 *	... copy the chunks that rank_fold_leaves_out() does not, and at the end
 *	rank_fold_write(fold, copy, first);		rank_fold_places() places from there on
 *
 * Time: O(records that are new and left out). Memory: 260 KiB a thread of which there are some, and
 * the definitions. */
#pragma once

#include "capture/run/rankfile.h"

struct rank_fold;

struct rank_fold *rank_fold_new(void);
void rank_fold_free(struct rank_fold *fold);

struct look_bounds {
	uint64_t room;  /* bytes of events */
	uint64_t until; /* ticks: the look's moment */
};

/* Leaves chunks of events out until those that follow take `room` bytes at most, but keeps the
 * latest two of each thread, and what is later than `until`. `live` is the mapped file, of `size`
 * bytes. */
void rank_fold_take(struct rank_fold *fold, const char *live, size_t size,
		    const struct look_bounds *bounds);
bool rank_fold_leaves_out(const struct rank_fold *fold, const struct tv_chunk *chunk);

/* Chunks that what is left out takes in a copy; and writes them, from a place on. */
uint32_t rank_fold_places(const struct rank_fold *fold);
void rank_fold_write(const struct rank_fold *fold, char *copy, uint32_t first);

/* The folds of the ranks of a run. */
struct rank_folds;

/* `room`: bytes of events that a look keeps, of all ranks together. */
struct rank_folds *rank_folds_new(uint64_t room);
void rank_folds_free(struct rank_folds *folds);
/* That of a file, made where it is new; and the room of each of so many files. */
struct rank_fold *rank_folds_of(struct rank_folds *folds, const char *path);
uint64_t rank_folds_room(const struct rank_folds *folds, uint32_t files);
