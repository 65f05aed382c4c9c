/* guard: a file in memory whose pieces are checked when they are first touched, so that opening a
 * large file costs nothing and yet no damaged byte of it is ever seen.
 *
 * The file is mapped without access and cut into chunks, each with a checksum (XXH3, 64 bits). The
 * first touch of a chunk faults; the handler of the fault compares the checksum and allows access.
 * A chunk that does not fit, or that is no longer there (the file was cut off), makes the handler
 * call damaged(), which must not return: no one could go on with such a value. What is asked for
 * with guard_check() beforehand comes without a fault, and with an answer.
 *
 * A handler knows nothing but what is static, so guard.c holds a mutable global: the list of
 * guards. Faults elsewhere go to the handler that was there before, which must have been set before
 * the guard was opened, and not be replaced while it is. System calls must not be given guarded
 * memory that was not touched or checked: they say EFAULT.
 *
 * Threads: any number may touch, if they do not block the signals of faults (a blocked one ends the
 * program): threads that leave signals to others block guard_others(). guard_open(), guard_check()
 * and guard_close() want the guard alone. */
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

/* NULL where the file cannot be mapped. */
struct guard *guard_open(const struct guard_file *file);
void guard_close(struct guard *guard);
const char *guard_data(const struct guard *guard);

/* Checks the chunks in which these bytes are and allows access to them; false: damaged. */
bool guard_check(struct guard *guard, size_t from, size_t bytes);

/* All signals but those of faults. */
void guard_others(sigset_t *signals);

/* The checksum of n bytes, as guards want it. */
uint64_t guard_sum(const void *data, size_t n);
