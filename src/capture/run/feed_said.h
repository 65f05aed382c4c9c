/* feed_said: what the program itself has to say (tview.h): values, text, the two numbers of a
 * region, and which kinds of events it switched. */
#pragma once

#include "capture/run/merge_job.h"

/* From there on these kinds of events are recorded, level[LEVEL_KINDS]; NULL: nothing is known. */
void feed_levels(struct job *job, uint32_t location, const int32_t *level, int64_t time);

/* Feeds such a definition; ignores others. */
void feed_said(struct job *job, const struct rank *rank, uint32_t thread, uint32_t location,
	       const struct tv_head *head, int64_t time);
