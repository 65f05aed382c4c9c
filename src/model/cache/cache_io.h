/* cache_io: sections of a cache file, written and read by one description (cache_layout.c): a pass
 * over the trace measures, writes or takes over each section in turn, so that writer and reader
 * cannot differ.
 *
 * Sections are in the order of the pass, each at the next multiple of 64 bytes, and fill the data
 * of the file. A reading pass expects each section where the directory has it, with the same size
 * of elements; otherwise it is bad, and the file is not used. */
#pragma once

#include "base/guard.h"
#include "base/mem.h"
#include "base/slab.h"
#include "base/vec.h"

enum { SECTION_ALIGN = 64 };

struct section {
	char name[24];
	uint32_t index;   /* distinguishes sections of one name: the time base, say */
	uint32_t element; /* bytes */
	uint64_t offset;  /* in the data */
	uint64_t n;       /* elements */
};

enum cache_pass { CACHE_MEASURE, CACHE_WRITE, CACHE_READ };

struct cache_io {
	enum cache_pass pass;
	bool bad;                     /* reading: not as expected; writing: failed (disk full) */
	VEC(struct section) sections; /* reading: the directory, else what was put so far */
	uint64_t size;                /* bytes of data; reading: in all */

	/* writing: sections that other processes write, too, are left out, and sums as well; NULL:
	 * none */
	const struct shared_sections *shared;
	bool left_out; /* the current section */
	/* writing: the chunk that is being filled */
	int fd;
	uint64_t at; /* of the data in the file */
	unsigned chunk_bits;
	char *chunk;
	size_t filled;
	VEC(uint64_t) sums;
	int error; /* errno */

	/* reading */
	char *data;
	size_t next;    /* section */
	uint64_t taken; /* bytes of the current section, by io_owned() and io_mapped() */
};

/* Begins a section. Reading: its data and number of elements. */
void *io_begin(struct cache_io *io, const char *name, uint32_t index, uint32_t element, size_t *n);
/* More bytes of the current section (not when reading). */
void io_add(struct cache_io *io, const void *data, size_t bytes);

/* A section that is one array. Reading: *data points into the mapped file. Empty arrays have a
 * section, too; *data is then NULL. */
void io_array(struct cache_io *io, const char *name, uint32_t index, uint32_t element, void **data,
	      size_t *n);
/* The same, but *data is a copy that the reader owns. */
void io_copied(struct cache_io *io, const char *name, uint32_t index, uint32_t element, void **data,
	       size_t *n);
/* The same for a slab. */
void io_slab(struct cache_io *io, const char *name, uint32_t index, uint32_t element,
	     struct slab *slab);
/* A section of one value of fixed size. */
void io_value(struct cache_io *io, const char *name, void *value, size_t bytes);
/* An array that an element of another table points to, as the next part of the current section.
 * NULL stays NULL; reading makes a copy that the reader owns. */
void io_owned(struct cache_io *io, uint32_t element, const void **data, size_t n);
/* Reading: the next part of the current section, of single bytes, where it is mapped; parts begin
 * at multiples of `align`. NULL: it is not there. */
const void *io_mapped(struct cache_io *io, uint64_t bytes, uint32_t align);

/* Writes bytes at a place of a file; false with errno. */
bool io_write_at(int fd, const char *data, size_t n, uint64_t at);
/* Writes what is left of the last chunk. */
void io_finish(struct cache_io *io);
void io_fini(struct cache_io *io);
