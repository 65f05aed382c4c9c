#include "model/otf2/read/otf2_guard.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "model/otf2/otf2.h"

/* No anchor is longer: a few names and values. */
enum { ANCHOR_MOST = 1 << 20 };

/* Places in an anchor, after its marks: version (4 bytes and 2 of the archive's), chunk sizes of
 * events and definitions, substrate, compression, locations, definitions; then texts. */
enum { AT_EVENT_CHUNK = 12, AT_DEF_CHUNK = 20, AT_TEXTS = 46 };

/* As the library's documentation bounds them. */
enum { CHUNK_LEAST = 256 << 10, CHUNK_MOST = 16 << 20 };

struct anchor {
	const unsigned char *p, *end;
	bool little;
};

static uint64_t number_at(const struct anchor *a, const unsigned char *p, int bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < bytes; i++)
		value = value << 8 | p[a->little ? bytes - 1 - i : i];
	return value;
}

static bool skip_texts(struct anchor *a, uint64_t n)
{
	for (; n > 0; n--) {
		const unsigned char *nul = memchr(a->p, '\0', (size_t)(a->end - a->p));
		if (!nul)
			return false;
		a->p = nul + 1;
	}
	return true;
}

static bool chunk_fits(const struct anchor *a, const unsigned char *p)
{
	const uint64_t size = number_at(a, p, 8);

	return size >= CHUNK_LEAST && size <= CHUNK_MOST;
}

static bool is_whole(const unsigned char *bytes, size_t n, struct otf2_chunks *chunks)
{
	struct anchor a = { bytes + AT_TEXTS, bytes + n, bytes[1] == 'B' };
	uint64_t properties;

	if (n <= AT_TEXTS || !chunk_fits(&a, bytes + AT_EVENT_CHUNK) ||
	    !chunk_fits(&a, bytes + AT_DEF_CHUNK))
		return false;
	chunks->events = (size_t)number_at(&a, bytes + AT_EVENT_CHUNK, 8);
	chunks->defs = (size_t)number_at(&a, bytes + AT_DEF_CHUNK, 8);
	/* machine, creator, description */
	if (!skip_texts(&a, 3) || a.end - a.p < 4)
		return false;
	properties = number_at(&a, a.p, 4);
	a.p += 4;
	return skip_texts(&a, 2 * properties);
}

bool otf2_guard_anchor(const char *path, struct otf2_chunks *chunks, struct err *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char *bytes;
	ssize_t got = 1;
	size_t n = 0;
	bool ok;

	if (fd < 0)
		return err_errno(err, STATUS_IO, "cannot open %s", path);
	bytes = xmalloc(ANCHOR_MOST);
	for (; got > 0 && n<ANCHOR_MOST; n += got> 0 ? (size_t)got : 0)
		got = read(fd, bytes + n, ANCHOR_MOST - n);
	close(fd);
	if (!otf2_recognise((const char *)bytes, n))
		ok = err_set(err, STATUS_IO, "%s is not the anchor of an OTF2 archive", path);
	else if (!is_whole(bytes, n, chunks))
		ok = err_set(err, STATUS_IO, "%s: the anchor of the OTF2 archive is damaged", path);
	else
		ok = true;
	free(bytes);
	return ok;
}

/* A file ends with the marks of its end and of the chunk's. */
enum { MARKS = 2, END_OF_FILE = 2, END_OF_CHUNK = 1 };

static bool has_end(int fd, off_t size)
{
	unsigned char bytes[MARKS] = { 0 };

	return size >= MARKS && pread(fd, bytes, MARKS, size - MARKS) == MARKS &&
	       bytes[0] == END_OF_FILE && bytes[1] == END_OF_CHUNK;
}

/* A record is a kind, a length of one byte, or 255 and one of eight, and so many bytes. */
static bool leads_to_end(const unsigned char *bytes, size_t n)
{
	enum { HEAD = 18, SHORT = 2, LONG = 10, IS_LONG = 255 };
	const struct anchor file = { bytes, bytes + n, bytes[1] == 'B' };
	size_t at = HEAD;

	while (at + SHORT < n && bytes[at] > END_OF_FILE) {
		const bool is_long = bytes[at + 1] == IS_LONG;
		const size_t head = is_long ? LONG : SHORT;
		uint64_t length = bytes[at + 1];

		if (n - at < head)
			return false;
		if (is_long)
			length = number_at(&file, bytes + at + SHORT, LONG - SHORT);
		if (length > n - at - head)
			return false;
		at += head + (size_t)length;
	}
	return at + MARKS == n && bytes[at] == END_OF_FILE;
}

static bool is_whole_file(const char *path, bool defs)
{
	enum { SMALL = 4096 };
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char bytes[SMALL];
	off_t size;
	bool ok;

	if (fd < 0)
		return false;
	size = lseek(fd, 0, SEEK_END);
	ok = has_end(fd, size);
	if (ok && defs && size <= SMALL)
		ok = pread(fd, bytes, (size_t)size, 0) == (ssize_t)size &&
		     leads_to_end(bytes, (size_t)size);
	close(fd);
	return ok;
}

bool otf2_guard_is_whole(const char *path)
{
	return is_whole_file(path, false);
}

bool otf2_guard_defs_are_whole(const char *path)
{
	return is_whole_file(path, true);
}

/* What is mapped is zeros. After the first call the library changes these limits no longer by
 * itself: when it is off they are what it sets them to at most. */
void otf2_guard_zeros(bool on)
{
	enum { SMALL = 128 << 10, LARGE = 32 << 20 };

	mallopt(M_MMAP_THRESHOLD, on ? SMALL : LARGE);
	mallopt(M_TRIM_THRESHOLD, on ? SMALL : 2 * LARGE);
}

void otf2_guard_clear(size_t chunk)
{
	enum { BLOCKS = 16 };
	void *volatile held[BLOCKS]; /* or the compiler would leave out what is freed at once */

	for (int i = 0; i < BLOCKS; i++)
		held[i] = calloc(1, chunk);
	for (int i = 0; i < BLOCKS; i++)
		free(held[i]);
}
