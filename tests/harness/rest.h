/* rest: whether a process has anything left to do. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* True where all its threads sleep (or are gone), as the system says: not one that waits for a
 * processor or a disk. */
bool rest_sleeps(pid_t pid);
/* True where its first thread polls without a time limit: nothing comes of itself. False where the
 * system does not say. */
bool rest_polls(pid_t pid);
/* Its processor time so far, user and system, seconds; negative where it is gone. */
double rest_cpu(pid_t pid);
