/* watch: which ranks of this machine go when, for what they cannot note themselves: a process that
 * is killed says nothing. What is seen is written into the headers of the ranks' files (struct
 * tv_seen), where a merge finds it, whoever makes it.
 *
 *	struct watch *watch = watch_new(folder);
 *	while (...)
 *		watch_wait(watch, signals, MILLISECONDS);
 *	watch_free(watch);
 */
#pragma once

struct watch;

/* Of the ranks whose files are, or will be, in a folder. */
struct watch *watch_new(const char *folder);
void watch_free(struct watch *watch);

/* Looks at once. A rank that is seen to be gone was there at the look before. */
void watch_look(struct watch *watch);

/* Returns when a rank goes, when `signals` (a descriptor) can be read, or when the time is over;
 * then looks. */
void watch_wait(struct watch *watch, int signals, int milliseconds);
