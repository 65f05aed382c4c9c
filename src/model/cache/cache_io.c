#include "model/cache/cache_io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/cache/cache_shared.h"

/* ---- writing ---- */

bool io_write_at(int fd, const char *data, size_t n, uint64_t at)
{
	while (n > 0) {
		const ssize_t done = pwrite(fd, data, n, (off_t)at);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		data += done;
		at += (uint64_t)done;
		n -= (size_t)done;
	}
	return true;
}

static void flush(struct cache_io *io)
{
	if (io->filled == 0 || io->bad)
		return;
	if (!io->shared)
		vec_push(&io->sums, guard_sum(io->chunk, io->filled));
	if (!io_write_at(io->fd, io->chunk, io->filled, io->at)) {
		io->error = errno ? errno : ENOSPC;
		io->bad = true;
	}
	io->at += io->filled;
	io->filled = 0;
}

static void put(struct cache_io *io, const char *data, size_t bytes)
{
	const size_t all = (size_t)1 << io->chunk_bits;

	io->size += bytes;
	if (io->pass == CACHE_MEASURE)
		return;
	while (bytes > 0 && !io->bad) {
		const size_t n = bytes < all - io->filled ? bytes : all - io->filled;
		memcpy(io->chunk + io->filled, data, n);
		io->filled += n;
		data += n;
		bytes -= n;
		if (io->filled == all)
			flush(io);
	}
}

/* Others write the next bytes. */
static void leave_out(struct cache_io *io, uint64_t bytes)
{
	io->size += bytes;
	if (io->pass == CACHE_MEASURE)
		return;
	flush(io);
	io->at += bytes;
}

void io_finish(struct cache_io *io)
{
	if (io->pass == CACHE_WRITE)
		flush(io);
}

void io_add(struct cache_io *io, const void *data, size_t bytes)
{
	struct section *s = vec_last(&io->sections);

	if (io->left_out)
		return;
	if (bytes > 0)
		put(io, data, bytes);
	s->n += bytes / s->element;
}

/* ---- both ways ---- */

void io_fini(struct cache_io *io)
{
	vec_fini(&io->sections);
	vec_fini(&io->sums);
	free(io->chunk);
	*io = (struct cache_io){ .fd = -1 };
}

static void *read_section(struct cache_io *io, const struct section *want, size_t *n)
{
	const struct section *s = io->sections.data + io->next;

	*n = 0;
	io->taken = 0;
	if (io->bad || io->next >= io->sections.n || memcmp(s->name, want->name, sizeof s->name) ||
	    s->index != want->index || s->element != want->element) {
		io->bad = true;
		return NULL;
	}
	io->next++;
	*n = (size_t)s->n;
	return s->n ? io->data + s->offset : NULL;
}

void *io_begin(struct cache_io *io, const char *name, uint32_t index, uint32_t element, size_t *n)
{
	static const char zeros[SECTION_ALIGN];
	struct section s = { .index = index, .element = element };
	size_t ignored;

	strncpy(s.name, name, sizeof s.name - 1);
	if (io->pass == CACHE_READ)
		return read_section(io, &s, n ? n : &ignored);
	put(io, zeros, -io->size % SECTION_ALIGN);
	s.offset = io->size;
	io->left_out = shared_sections_find(io->shared, name, index, element, &s.n);
	if (io->left_out)
		leave_out(io, s.n * element);
	vec_push(&io->sections, s);
	return NULL;
}

void io_array(struct cache_io *io, const char *name, uint32_t index, uint32_t element, void **data,
	      size_t *n)
{
	void *there = io_begin(io, name, index, element, n);

	if (io->pass == CACHE_READ)
		*data = there;
	else
		io_add(io, *data, *n * element);
}

void io_copied(struct cache_io *io, const char *name, uint32_t index, uint32_t element, void **data,
	       size_t *n)
{
	io_array(io, name, index, element, data, n);
	if (io->pass == CACHE_READ && *data) {
		void *copy = xmalloc(*n * element);
		memcpy(copy, *data, *n * element);
		*data = copy;
	}
}

void io_slab(struct cache_io *io, const char *name, uint32_t index, uint32_t element,
	     struct slab *slab)
{
	size_t n = slab->size / element;
	void *data = slab->data;

	io_array(io, name, index, element, &data, &n);
	if (io->pass == CACHE_READ)
		*slab = slab_borrow(data, n * element);
}

void io_value(struct cache_io *io, const char *name, void *value, size_t bytes)
{
	size_t n = 1;
	void *data = value;

	io_array(io, name, 0, (uint32_t)bytes, &data, &n);
	if (io->pass != CACHE_READ)
		return;
	if (n == 1)
		memcpy(value, data, bytes);
	else
		io->bad = true;
}

const void *io_mapped(struct cache_io *io, uint64_t bytes, uint32_t align)
{
	const struct section *s = io->sections.data + io->next - 1;
	const uint64_t padded = bytes + -bytes % align;

	if (io->bad || padded < bytes || padded > s->n - io->taken || s->element != 1) {
		io->bad = true;
		return NULL;
	}
	io->taken += padded;
	return io->data + s->offset + io->taken - padded;
}

void io_owned(struct cache_io *io, uint32_t element, const void **data, size_t n)
{
	const struct section *s = io->sections.data + io->next - 1;

	if (io->pass != CACHE_READ) {
		if (*data)
			io_add(io, *data, n * element);
		return;
	}
	if (io->bad || !*data) {
		*data = NULL;
		return;
	}
	*data = NULL;
	if (n > (s->n - io->taken) || s->element != element) {
		io->bad = true;
		return;
	}
	void *copy = xmalloc(n * element);
	if (n > 0)
		memcpy(copy, io->data + s->offset + io->taken * element, n * element);
	*data = copy;
	io->taken += n;
}
