/* source_find: finds and reads the source file that a trace calls "src/sweep.c".
 *
 * Tried in this order: the path as the trace has it; a relative one below the folder that the
 * program ran in, beside the trace, and in the current folder; then below each folder of
 * --source-path with ever fewer of the path's folders (DIR/a/b/c.c, DIR/b/c.c, DIR/c.c). Neither
 * names nor files can be trusted: only regular files are opened, without waiting, ".." cannot lead
 * out of a DIR, and at most SOURCE_BYTES of a file are read.
 *
 *	struct source_roots roots;
 *	struct source_found found;
 *	source_roots_of(&roots, trace, "/home/me/src");
 *	if (source_find(&roots, "src/sweep.c", &found, &err) &&
 *	    source_text_read(&text, found.path, &err))
 *		...
 *	source_text_fini(&text);
 *	source_found_fini(&found);
 *	source_roots_fini(&roots);
 *
 * Ownership: what is found and read is the caller's. Threads: any, each with its own. */
#pragma once

#include "base/vec.h"
#include "model/trace/trace.h"

struct source_roots {
	const char
		*directory; /* in which the program ran, from the trace; NULL unknown; borrowed */
	const char *paths;  /* --source-path: folders between colons; NULL none; borrowed */
	char *beside;       /* the trace's folder; owned */
	int64_t when;       /* of the run, seconds since 1970; INT64_MAX unknown */
};

void source_roots_of(struct source_roots *roots, const struct trace *trace, const char *paths);
void source_roots_fini(struct source_roots *roots);

struct source_found {
	char *path; /* can be opened; never begins with '-'; owned */
	bool newer; /* was written after the run: its lines may have changed */
};

/* False with err: the trace has no name for it, no such file (with the places searched), or not
 * readable. */
bool source_find(const struct source_roots *roots, const char *file, struct source_found *found,
		 struct err *err);
void source_found_fini(struct source_found *found);

/* ---- text ---- */

enum {
	SOURCE_BYTES = 8 << 20,
	SOURCE_COLUMNS = 4096, /* of a line that are shown */
	SOURCE_TAB = 8
};

struct source_text {
	char *bytes;
	size_t n;
	VEC(uint32_t) lines; /* offset in `bytes` where each begins */
	bool cut;            /* the file has more than SOURCE_BYTES */
	int64_t changed;     /* ns since 1970 */
};

/* The text must be zeroed or finished before. False with err: not readable, or not a text file. */
bool source_text_read(struct source_text *text, const char *path, struct err *err);
/* The same of a text that is in no file; copied. */
void source_text_of(struct source_text *text, const char *bytes);
void source_text_fini(struct source_text *text);
/* True if the file has changed since it was read. */
bool source_text_stale(const struct source_text *text, const char *path);
static inline uint32_t source_text_lines(const struct source_text *text)
{
	return (uint32_t)text->lines.n;
}
/* A line (from 1) as it can be shown: clean, tabs as blanks, without its end; at most
 * SOURCE_COLUMNS columns of it, "" after the last line. */
void source_text_line(const struct source_text *text, uint32_t line, struct str *out);
