#include "model/picl/read/picl_scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void scan_init(struct scan *scan, struct source *source)
{
	const uint64_t all = source_can_seek(source) ? source_size(source) : 0;

	/* A small file has a small buffer, with room for the byte that shows its end. */
	*scan = (struct scan){ .source = source,
			       .size = all && all < SCAN_BUFFER ? (size_t)all + 1 : SCAN_BUFFER,
			       .limit = UINT64_MAX };
	/* One byte more: the line feed that a last line may lack. */
	scan->buffer = xmalloc(scan->size + 1);
}

void scan_fini(struct scan *scan)
{
	free(scan->buffer);
	scan->buffer = NULL;
}

static void begin_at(struct scan *scan, uint64_t offset, uint64_t limit)
{
	scan->at = scan->fill = scan->last = 0;
	scan->base = offset;
	scan->limit = limit;
	scan->line = 0;
	scan->error = 0;
	scan->end = false;
}

void scan_rewind(struct scan *scan)
{
	begin_at(scan, 0, UINT64_MAX);
	source_rewind(scan->source);
}

void scan_seek(struct scan *scan, uint64_t offset, uint64_t limit)
{
	begin_at(scan, offset, limit);
	source_seek(scan->source, offset);
}

uint64_t scan_place(const struct scan *scan)
{
	return scan->base + scan->last;
}

/* Reads more after what is there; false at the end of the file. */
static bool refill(struct scan *scan)
{
	const size_t want = scan->size - scan->fill;
	size_t n = 0;
	ssize_t got = 1;

	if (scan->end || scan->error)
		return false;
	if (scan->step && scan->line && !scan->step(scan->context)) {
		/* The unfinished line is discarded. */
		scan->end = true;
		scan->at = scan->fill;
		return false;
	}
	/* Decompressed data comes in small pieces: the buffer is filled first, so that an
	 * unfinished line moves once. A pipe without new data does not delay the bytes read. */
	while (n < want && got > 0) {
		got = source_read(scan->source, scan->buffer + scan->fill + n, want - n);
		n += got > 0 ? (size_t)got : 0;
	}
	if (got < 0 && errno == EAGAIN)
		got = 1;
	if (got < 0)
		scan->error = errno;
	scan->end = got <= 0;
	scan->fill += n;
	return n > 0;
}

/* Makes room after the line that has begun: moves it to the front, or takes a larger buffer. False
 * where it is too long. */
static bool make_room(struct scan *scan)
{
	const size_t n = scan->fill - scan->at;

	if (scan->at) {
		memmove(scan->buffer, scan->buffer + scan->at, n);
		scan->base += scan->at;
		scan->at = 0;
		scan->fill = n;
	}
	if (n < scan->size)
		return true;
	if (scan->size >= SCAN_MAX_LINE)
		return false;
	scan->size *= 2;
	scan->buffer = xrealloc(scan->buffer, scan->size + 1);
	return true;
}

/* Drops bytes until after the next line feed. The line's start stays at the front of the buffer. */
static void skip_rest(struct scan *scan, size_t keep)
{
	for (;;) {
		const char *feed;

		scan->base += scan->fill - keep;
		scan->fill = keep;
		if (!refill(scan) && (scan->end || scan->error)) {
			scan->at = scan->fill;
			return;
		}
		feed = memchr(scan->buffer + keep, '\n', scan->fill - keep);
		if (feed) {
			scan->at = (size_t)(feed + 1 - scan->buffer);
			return;
		}
	}
}

static bool hand_out_too_long(struct scan *scan, struct line *line)
{
	enum { KEEP = 256 };

	skip_rest(scan, KEEP);
	scan->buffer[KEEP - 1] = '\n';
	*line = (struct line){ scan->buffer, KEEP - 1, ++scan->line, true };
	return true;
}

bool scan_next(struct scan *scan, struct line *line)
{
	size_t from = scan->at;

	if (scan->base + scan->at >= scan->limit) {
		scan->end = true;
		return false;
	}
	for (;;) {
		char *feed = memchr(scan->buffer + from, '\n', scan->fill - from);
		size_t searched;

		if (feed) {
			scan->last = scan->at;
			scan->at = (size_t)(feed + 1 - scan->buffer);
			*line = (struct line){ scan->buffer + scan->last,
					       (size_t)(feed - scan->buffer) - scan->last,
					       ++scan->line, false };
			return true;
		}
		searched = scan->fill - scan->at;
		if (scan->end)
			break;
		if (!make_room(scan))
			return hand_out_too_long(scan, line);
		from = scan->at + searched;
		refill(scan);
	}
	if (scan->error || scan->at == scan->fill)
		return false;
	/* The last line has no line feed. */
	scan->buffer[scan->fill] = '\n';
	scan->last = scan->at;
	*line = (struct line){ scan->buffer + scan->at, scan->fill - scan->at, ++scan->line,
			       false };
	scan->at = scan->fill;
	return true;
}

void scan_back(struct scan *scan)
{
	scan->at = scan->last;
	scan->line--;
}

/* An integer in canonical form: no plus, no leading zero, no "-0", at most `digits` digits (19 are
 * the most). NULL if it is not one. */
static inline const char *integer(const char *p, int digits, int64_t *value)
{
	const char *start;
	uint64_t x = 0;
	const bool negative = *p == '-';

	p += negative;
	start = p;
	while ((unsigned char)(*p - '0') < 10 && p - start < digits)
		x = x * 10 + (uint64_t)(*p++ - '0');
	if (p == start || (*start == '0' && (p != start + 1 || negative)) ||
	    x > (uint64_t)INT64_MAX + negative)
		return NULL;
	*value = (int64_t)(negative ? 0 - x : x);
	return p;
}

static inline const char *field(const char *p, int32_t *value)
{
	int64_t x = 0;

	p = integer(p, 10, &x);
	if (!p || x > INT32_MAX || x < INT32_MIN || *p != ' ')
		return NULL;
	*value = (int32_t)x;
	return p + 1;
}

/* A time with exactly the file's digits and one blank after it. */
static inline const char *time_field(const char *p, const struct picl_clock *clock, int64_t *ticks)
{
	const bool negative = *p == '-';
	const int digits = clock->scale.digits;
	const char *start = p += negative;
	int64_t x = 0;

	while ((unsigned char)(*p - '0') < 10 && p - start < 18)
		x = x * 10 + (*p++ - '0');
	/* 18 digits cannot overflow 64 bits; the rest is for the slow way. */
	if (p == start || (*start == '0' && p != start + 1) || p - start + clock->tick_digits > 18)
		return NULL;
	if (digits) {
		if (*p++ != '.')
			return NULL;
		for (int i = 0; i < digits; i++, p++) {
			const unsigned char c = (unsigned char)(*p - '0');
			if (c > 9)
				return NULL;
			x = x * 10 + c;
		}
	}
	if (*p != ' ' || (negative && x == 0))
		return NULL;
	if (clock->factor) {
		x *= clock->factor;
	} else {
		const int64_t units = x;
		x = picl_clock_tick(clock, units);
		if (picl_clock_units(clock, x) != units)
			return NULL;
	}
	*ticks = negative ? -x : x;
	return p + 1;
}

/* `count` integers under descriptor 2. */
static bool data_fields(const char *p, const char *end, struct picl_record *record)
{
	if (record->count > PICL_VALUES || p[0] != ' ' || p[1] != '2')
		return false;
	p += 2;
	for (int32_t i = 0; i < record->count; i++) {
		if (*p++ != ' ')
			return false;
		p = integer(p, 19, &record->v[i]);
		if (!p)
			return false;
	}
	record->values = record->count;
	return p == end;
}

bool picl_scan_record(const struct line *line, const struct picl_clock *clock,
		      struct picl_record *record)
{
	const char *p = line->text;
	const char *end = p + line->n;
	int64_t count;

	if (!(p = field(p, &record->rectype)) || !(p = field(p, &record->evtype)) ||
	    !(p = time_field(p, clock, &record->time)) || !(p = field(p, &record->processor)) ||
	    !(p = field(p, &record->process)))
		return false;
	record->payload = p;
	record->payload_n = (size_t)(end - p);
	p = integer(p, 9, &count);
	if (!p || count < 0)
		return false;
	record->count = (int32_t)count;
	record->values = 0;
	record->plain = true;
	record->time_text = NULL;
	record->text = NULL;
	record->line = line->number;
	return count == 0 ? p == end : data_fields(p, end, record);
}
