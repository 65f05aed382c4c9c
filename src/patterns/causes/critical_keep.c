#include "patterns/causes/critical_keep.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/varint.h"
#include "model/trace/piece.h"
#include "model/trace/program.h"

static const char keep_name[] = "critical-path";

enum { NUMBERS = 3 }; /* of a stretch: location, length, wait + 1 (0: none) */

void critical_path_keep(const struct trace *trace, enum time_base base,
			const struct path_stretch *path, size_t n)
{
	OWNED char *bytes = xmalloc((n + 1) * NUMBERS * VARINT_MOST);
	const int64_t begin = n ? path[0].from : 0;
	struct piece piece = { VEC_INIT };
	char *end = bytes;

	for (size_t i = 0; i < n; i++) {
		const struct path_stretch *s = &path[i];

		end = varint_put(end, s->location);
		end = varint_put(end, (uint64_t)(s->to - s->from));
		end = varint_put(end, s->wait + 1);
	}
	/* Reading a number never leaves the array. */
	for (int i = 0; i < VARINT_MOST; i++)
		*end++ = 0;
	piece_add(&piece, &begin, 1, sizeof begin);
	piece_add(&piece, &n, 1, sizeof n);
	piece_add(&piece, bytes, (size_t)(end - bytes), 1);
	piece_keep(&piece, trace, keep_name, base);
}

/* ---- reading ---- */

struct path_reader {
	const struct trace *trace;
	const char *at, *last; /* the next number; where the last one may begin */
	int64_t now;
};

/* UINT64_MAX at the end. */
static uint64_t next_number(struct path_reader *r)
{
	return r->at < r->last ? varint_get(&r->at) : UINT64_MAX;
}

static bool read_stretch(struct path_reader *r, struct path_stretch *s)
{
	const uint64_t location = next_number(r), length = next_number(r), wait = next_number(r);

	if (location >= trace_location_count(r->trace) || wait > UINT32_MAX ||
	    length > (uint64_t)(RECORD_TIME_MAX - r->now))
		return false;
	*s = (struct path_stretch){ .location = (uint32_t)location,
				    .from = r->now,
				    .to = r->now + (int64_t)length,
				    .wait_location = UINT32_MAX,
				    .wait = (uint32_t)wait - 1 };
	r->now = s->to;
	return true;
}

static bool read_path(struct path_reader *r, struct path_stretch *path, size_t n)
{
	if (r->now < -RECORD_TIME_MAX || r->now > RECORD_TIME_MAX)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!read_stretch(r, &path[i]))
			return false;
		if (i > 0)
			path[i - 1].wait_location = path[i].location;
	}
	return r->at == r->last;
}

struct path_stretch *critical_path_kept(const struct trace *trace, enum time_base base, size_t *n)
{
	struct path_reader r = { .trace = trace };
	struct path_stretch *path;
	struct piece_reader reader;
	size_t size, all;

	*n = 0;
	if (!piece_find(&reader, trace, keep_name, base) ||
	    !piece_value(&reader, &r.now, sizeof r.now) || !piece_value(&reader, &all, sizeof all))
		return NULL;
	r.at = piece_next(&reader, 1, &size);
	if (!piece_ends(&reader) || size < VARINT_MOST || all > size / NUMBERS)
		return NULL;
	r.last = r.at + size - VARINT_MOST;
	path = xcalloc(all + 1, sizeof *path);
	if (read_path(&r, path, all)) {
		*n = all;
		return path;
	}
	free(path);
	return NULL;
}
