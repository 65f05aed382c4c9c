#include "correct/clocks/offsets_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/keymap.h"
#include "base/order.h"
#include "base/vec.h"
#include "model/trace/store.h"

enum { WORDS = 4, MOST = 1 << 24, LINE = 4096 };

struct offsets_reader {
	const struct trace *trace;
	const char *path;
	unsigned long line;
	struct keymap locations; /* (rank, thread): location */
	struct offset_list *list;
	struct err *err;
};

/* ---- words ---- */

/* Cuts a line into words; WORDS + 1 if it has more. */
static int cut(char *line, char **words)
{
	int n = 0;

	line[strcspn(line, "#")] = '\0';
	for (char *p = line + strspn(line, " \t\r\n"); *p; p += strspn(p, " \t\r\n")) {
		if (n == WORDS)
			return WORDS + 1;
		words[n++] = p;
		p += strcspn(p, " \t\r\n");
		if (*p)
			*p++ = '\0';
	}
	return n;
}

static bool wrong(const struct offsets_reader *r, const char *what, const char *word)
{
	return err_set(r->err, STATUS_USAGE,
		       "%s:%lu: '%s' is not %s (a line is: rank[.thread] time offset [round trip], "
		       "in seconds or with a unit)",
		       r->path, r->line, word, what);
}

/* Numbers with an exponent, which users do not type as times, are read as floating point: 53 bits
 * are exact enough for an offset. */
static bool has_exponent(const char *word)
{
	const char *e = strpbrk(word, "eE");

	return e && e > word && (isdigit((unsigned char)e[-1]) || e[-1] == '.') &&
	       (isdigit((unsigned char)e[1]) || e[1] == '-' || e[1] == '+');
}

static bool read_time(const struct offsets_reader *r, const char *word, const char *what,
		      int64_t *ticks)
{
	const struct timescale *scale = trace_scale(r->trace);

	if (has_exponent(word)) {
		char *end;
		const double value = strtod(word, &end) * (double)scale->per_second;
		if (*end || !(value < (double)TIME_LIMIT && value > -(double)TIME_LIMIT))
			return wrong(r, what, word);
		*ticks = (int64_t)(value + (value < 0 ? -0.5 : 0.5));
		return true;
	}
	if (!units_parse_time(word, NULL, scale, ticks, NULL) || *ticks > TIME_LIMIT ||
	    *ticks < -TIME_LIMIT)
		return wrong(r, what, word);
	return true;
}

static bool read_number(const char **p, uint32_t *number)
{
	char *end;
	unsigned long value;

	if (!isdigit((unsigned char)**p))
		return false;
	errno = 0;
	value = strtoul(*p, &end, 10);
	if (errno || value > INT32_MAX)
		return false;
	*number = (uint32_t)value;
	*p = end;
	return true;
}

/* UINT32_MAX with err untouched: a place outside of the part that was loaded. */
static bool read_place(const struct offsets_reader *r, const char *word, uint32_t *location)
{
	const char *p = word;
	uint32_t rank, thread = 0;
	const uint32_t *at;

	if (!read_number(&p, &rank) || (*p == '.' && (p++, !read_number(&p, &thread))) || *p)
		return wrong(r, "a rank", word);
	at = keymap_find(&r->locations, KEY_OF(rank, thread));
	*location = at ? *at : UINT32_MAX;
	if (!at && !trace_partial(r->trace)->is)
		return err_set(r->err, STATUS_USAGE, "%s:%lu: the trace has no location '%s'",
			       r->path, r->line, word);
	return true;
}

/* ---- lines ---- */

static bool read_line(struct offsets_reader *r, char *line)
{
	char *words[WORDS];
	const int n = cut(line, words);
	struct offset offset = { .rtt = -1 };

	if (n == 0)
		return true;
	if (n < 3 || n > WORDS)
		return err_set(r->err, STATUS_USAGE,
			       "%s:%lu: a line is: rank[.thread] time offset [round trip]", r->path,
			       r->line);
	if (!read_place(r, words[0], &offset.location) ||
	    !read_time(r, words[1], "a time", &offset.time) ||
	    !read_time(r, words[2], "an offset", &offset.offset) ||
	    (n == WORDS && !read_time(r, words[3], "a round trip", &offset.rtt)))
		return false;
	if (offset.location == UINT32_MAX)
		return true;
	if (r->list->n == MOST)
		return err_set(r->err, STATUS_USAGE, "%s:%lu: too many measurements", r->path,
			       r->line);
	vec_push(r->list, offset);
	return true;
}

static bool read_lines(struct offsets_reader *r, FILE *file)
{
	char line[LINE];
	bool ok = true;

	while (ok && fgets(line, sizeof line, file)) {
		r->line++;
		if (strlen(line) + 1 == sizeof line)
			return err_set(r->err, STATUS_USAGE, "%s:%lu: the line is too long",
				       r->path, r->line);
		ok = read_line(r, line);
	}
	if (ok && ferror(file))
		return err_errno(r->err, STATUS_IO, "cannot read %s", r->path);
	if (ok && !r->list->n && !trace_partial(r->trace)->is)
		return err_set(r->err, STATUS_USAGE, "%s: no offset measurements found", r->path);
	return ok;
}

bool offsets_file_read(struct offset_list *list, const struct trace *trace, const char *path,
		       struct err *err)
{
	struct offsets_reader r = { .trace = trace, .path = path, .list = list, .err = err };
	FILE *file = fopen(path, "re");
	bool ok;

	*list = (struct offset_list){ NULL, 0, 0 };
	if (!file)
		return err_errno(err, STATUS_IO, "cannot read the offsets of %s", path);
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		const struct location *location = trace_location(trace, l);
		uint32_t first;
		if (location->rank >= 0)
			keymap_new(&r.locations,
				   KEY_OF((uint32_t)location->rank, (uint32_t)location->thread), l,
				   &first);
	}
	ok = read_lines(&r, file);
	keymap_fini(&r.locations);
	fclose(file);
	if (!ok)
		offset_list_fini(list);
	return ok;
}

void offset_list_fini(struct offset_list *list)
{
	free(list->data);
	*list = (struct offset_list){ NULL, 0, 0 };
}

/* ---- A2 ---- */

ORDERING(by_time, struct offset, location, time, offset)

size_t offsets_refuse(struct offset *list, size_t *n)
{
	const size_t all = *n;
	size_t kept = 0;

	SORT(list, all, by_time);
	for (size_t i = 0; i < all; i++) {
		const struct offset *last = kept ? &list[kept - 1] : NULL;
		if (last && last->location == list[i].location &&
		    (list[i].time == last->time ||
		     list[i].time + list[i].offset <= last->time + last->offset))
			continue;
		list[kept++] = list[i];
	}
	*n = kept;
	return all - kept;
}
