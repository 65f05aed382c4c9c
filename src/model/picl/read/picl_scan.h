/* picl_scan: reads lines of a large file through one reused buffer, and parses the common record in
 * place.
 *
 * A line ends before a line feed; the byte after it may be read and is '\n', so loops over digits
 * need no other bound. A line longer than SCAN_MAX_LINE is skipped (its start is still handed out,
 * marked), so memory is bounded whatever the file holds.
 *
 *	struct scan scan;
 *	scan_init(&scan, source);
 *	while (scan_next(&scan, &line)) ...
 *	scan_fini(&scan); */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/source.h"
#include "model/picl/picl_time.h"

enum { SCAN_BUFFER = 1 << 20, SCAN_MAX_LINE = 16 << 20 };

struct scan {
	struct source *source;
	/* Called after about every MiB of text; false ends the scan. NULL: never. */
	bool (*step)(void *context);
	void *context;
	char *buffer;
	size_t size;     /* of the buffer */
	size_t at, fill; /* next byte, end of the bytes read */
	size_t last;     /* where the line handed out last began */
	uint64_t base;   /* of the buffer in the file */
	uint64_t limit;  /* lines that begin from here on are not handed out */
	uint64_t line;   /* number of that line, from 1 */
	int error;       /* errno of a failed read, else 0 */
	bool end;        /* at the file's end, or the step returned false */
};

struct line {
	const char *text;
	size_t n;        /* without line feed */
	uint64_t number; /* from 1 */
	bool too_long;   /* has only the line's start */
};

/* The source is borrowed. */
void scan_init(struct scan *scan, struct source *source);
void scan_fini(struct scan *scan);
/* Back to the file's start. */
void scan_rewind(struct scan *scan);
/* To a line that begins at `offset` of a file that can seek; lines are counted from there, and
 * those that begin at `limit` or after are not handed out. */
void scan_seek(struct scan *scan, uint64_t offset, uint64_t limit);
/* Where the line handed out last begins in the file; not of one that was too long. */
uint64_t scan_place(const struct scan *scan);
/* The next line; false at the end or on an error. The line stays until the next call. */
bool scan_next(struct scan *scan, struct line *line);
/* Hands the last line out again at the next call. Not after one that was too long. */
void scan_back(struct scan *scan);

enum { PICL_VALUES = 16 };

/* A record, as parsed from its line. */
struct picl_record {
	int32_t rectype, evtype, processor, process;
	int64_t time;   /* ticks */
	int32_t count;  /* data fields, as the record says */
	int32_t values; /* integers in v: the first of the data */
	bool plain;     /* the data is integers under descriptor 2 in canonical text: v has all */
	int64_t v[PICL_VALUES];
	const char *payload; /* from the number of data fields to the end, canonically separated */
	size_t payload_n;
	const char *time_text; /* if the time is not canonical, else NULL */
	size_t time_n;
	const char *text; /* of %c and %s data: the text, else NULL */
	size_t text_n;
	uint64_t line;
};

/* Parses a line in canonical form: single blanks, a time with exactly the clock's digits, integers
 * under descriptor 2 or no data. False for any other line, which picl_parse() (picl_parse.h) may
 * understand. */
bool picl_scan_record(const struct line *line, const struct picl_clock *clock,
		      struct picl_record *record);
