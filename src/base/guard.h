/* guard: a file in memory whose pieces are checked when they are first touched, so that opening a
 * large file costs nothing and yet no damaged byte of it is ever seen.
 *
 * The file is mapped without access and cut into chunks, each with a checksum (XXH3, 64 bits). The
 * first touch of a chunk faults; the handler of the fault compares the checksum and allows access;
 * where the chunks before it were touched, also those after it, as many.
 * For a chunk with another checksum, or one that is no longer there (the file was cut off), the
 * handler calls damaged(), which must not return: the code that touched it cannot go on.
 * guard_check() checks chunks beforehand, without a fault, and returns whether they are sound.
 *
 * A file that is written to after a chunk was checked shows its new bytes, and what reads them may
 * fault anywhere, or never come to an end. So every fault (and abort) is taken as damage while a
 * guarded file is not what it was. A signal (SIGRTMIN) looks for that after each 0.25 s of
 * processor time; guard_is_unchanged() tells whether what was read until then can be believed.
 *
 * A signal handler has no argument of its own, so guard.c holds a mutable global: the list of
 * guards. Faults elsewhere go to the handler that was there before, which must have been set before
 * the guard was opened, and not be replaced while it is. System calls must not be given guarded
 * memory that was not touched or checked: they fail with EFAULT.
 *
 * Threads: any number may touch, if they do not block the signals of faults (a blocked one ends the
 * program): threads that leave signals to others block guard_others(). No other thread may use a
 * guard during guard_open(), guard_check() and guard_close(). */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct guard_file {
	int fd;               /* the guard's from a successful guard_open() on: it closes it */
	uint64_t offset;      /* of the first chunk in the file, a multiple of the page size */
	size_t size;          /* bytes; the last chunk may be short */
	unsigned chunk_bits;  /* chunks of 2^chunk_bits bytes, no less than a page */
	const uint64_t *sums; /* [chunks] checksums; borrowed until guard_close() */
	void (*damaged)(void *context); /* called in a signal handler, by any thread; never returns.
					   NULL: nothing may be touched that was not checked */
	void *context;
};

struct guard;

/* NULL if the file cannot be mapped; the descriptor then stays the caller's. */
struct guard *guard_open(const struct guard_file *file);
void guard_close(struct guard *guard);
const char *guard_data(const struct guard *guard);

/* True if the file has its size, and time of change, of guard_open(). */
bool guard_is_unchanged(const struct guard *guard);

/* Checks the chunks that have these bytes and allows access to them; false: damaged. */
bool guard_check(struct guard *guard, size_t from, size_t bytes);

/* Fills *signals with all signals but those of faults. */
void guard_others(sigset_t *signals);

/* The checksum of n bytes, as guard_file.sums has it for each chunk. */
uint64_t guard_sum(const void *data, size_t n);
