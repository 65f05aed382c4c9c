/* group_sets: of groups whose parties are in several processes, which locations took part, and
 * which of them met. The home of a group tells the processes that need it: nothing where all
 * members of a communicator met at the first locations of their ranks, as most do. */
#pragma once

#include "patterns/analysis/groups.h"

struct far_sets;

struct far_sets *far_sets_new(const struct trace *trace);
void far_sets_free(struct far_sets *sets);

/* ---- at home ---- */

/* Begins a group; `directed`: all wait for group->blame alone. */
void far_sets_begin(struct far_sets *sets, const struct sync_group *group, bool directed);
/* Tells the process of a party's location, by the row of one of its parties; once each. */
void far_sets_tell(struct far_sets *sets, uint32_t location, uint32_t row);

/* ---- at the parties ---- */

/* Sends what was told. All processes call it. */
void far_sets_deal(struct far_sets *sets, struct exchange *x);
/* The sets of the group of the rows first .. first + n - 1, of this communicator, as this process
 * knows them; to be asked in the order of the rows. Good until the next question. */
void far_sets_of(struct far_sets *sets, uint32_t comm, uint32_t first, uint32_t n,
		 struct sync_far *far);
