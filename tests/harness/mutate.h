/* mutate: changes of inputs that know what they are made of, for LLVMFuzzerCustomMutator(). Half of
 * the time they change one byte or another, as libFuzzer does.
 *
 *	size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
 *	{
 *		return mutate_lines(data, size, most, seed);
 *	}
 *
 * The data may grow up to `most` bytes; the new size is returned. The same seed, the same change. */
#pragma once

#include <stddef.h>
#include <stdint.h>

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* Of text in lines: lines go, come twice, change places; fields (words, what is in quotes is one)
 * change places, are left out, or become another number; descriptors ("%2d") are others. */
size_t mutate_lines(uint8_t *data, size_t size, size_t most, unsigned seed);

/* Of records of `width` bytes after the first `head` ones. */
size_t mutate_records(uint8_t *data, size_t size, size_t most, unsigned seed, size_t head,
		      size_t width);

/* Of text in words between blanks: they go, come twice, change places, or become one of `words`,
 * which end with NULL. */
size_t mutate_words(uint8_t *data, size_t size, size_t most, unsigned seed,
		    const char *const *words);

/* Of JSON: values, and members of objects with their keys, go, come twice, change places, or become
 * one of `words`, which end with NULL. */
size_t mutate_json(uint8_t *data, size_t size, size_t most, unsigned seed,
		   const char *const *words);
