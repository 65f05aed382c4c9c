/* rank_jobs: which of the files in a folder belong to one MPI job. One command may run several, one
 * after the other or at once, whose ranks have the same numbers.
 *
 * Ranks that came out of MPI_Init carry the identity of their job. One that did not belongs to the
 * job that its siblings are in, processes of the same parent; else to one with the others of which
 * nothing is known. */
#pragma once

#include "capture/run/rankfile.h"

#define NO_JOB UINT32_MAX

/* Sets job_of[n]: the job of each file, from 0 in the order in which they began; NO_JOB: a
 * rank of none. Gives how many there are. O(n * (n + jobs)) for ranks without identity. */
size_t rank_jobs(struct rankfile *const *files, size_t n, uint32_t *job_of);
