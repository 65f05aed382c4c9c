/* recorder_chunks: the chunks of a process's file: reserved on the disk, mapped, handed out and
 * written out. Where room gets scarce, visits of functions and loops are left out, so that calls of
 * MPI go on; where there is none for these either, events stop. There is always one spare chunk for
 * what follows then: definitions and MPI_Finalize. */
#pragma once

#include "capture/lib/recorder.h"

/* Sets the limits of the file from TVIEW_BUFFER, TVIEW_MAX and RLIMIT_FSIZE. */
void tv_choose_sizes(void);
/* The same of the disk, from what is free on it now. */
void tv_choose_scarce(void);
/* Maps `more` further chunks of the file, under tv.lock; false: no room. */
bool tv_chunks_map(uint32_t more);

/* Whether the disk, or what is allowed of it, comes to its end. Under tv.lock, as the next two. */
bool tv_chunks_scarce(void);

/* TV_CHUNK_SPARE: for events, where none can be written out any more. */
enum tv_chunk_use { TV_CHUNK_EVENTS, TV_CHUNK_STATISTICS, TV_CHUNK_SPARE, TV_CHUNK_LAST };
/* A chunk of the process's file, NULL: no room. */
struct tv_chunk *tv_chunk_new(struct tv_thread *t, enum tv_chunk_use use);
/* One with any contents, which has no thread yet; and gives it back. */
struct tv_chunk *tv_chunk_locked(enum tv_chunk_use use);
void tv_chunk_spare(struct tv_chunk *chunk);
/* An empty chunk for the thread: the same, after a copy of it was written into the file, with the
 * next serial; else a spare one. Functions stop where room gets scarce. False: there is none, and
 * nothing has changed. */
bool tv_chunk_next(struct tv_thread *t);
/* Writes the copy at a stream's end, and keeps the memory for the next stream. */
void tv_chunk_give(struct tv_chunk *chunk);

/* Memory for the slots of a thread's records; false: there is none. */
bool tv_wording_init(struct tv_wording *w);
void tv_wording_fini(struct tv_wording *w);
