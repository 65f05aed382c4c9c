/* export_page: exports of so many rows, and from where one left off.
 *
 * A page's token names a position in the rows of a question: "100-1f0c93d2", the index of the first
 * row and a digest of the trace (numbers of its events, messages, definitions, its span) and of the
 * words that chose and ordered the rows. So it is good as often as it is used, and no other export
 * takes it. */
#pragma once

#include "views/export/export.h"

/* What an export left out. */
struct export_left {
	uint64_t before, after;   /* rows */
	struct str page, command; /* of those after; "" without any, or where it is not known */
};

/* The digest of a trace and of the words of a question. */
uint32_t export_digest(const struct trace *trace, const char *question);

/* The index that the page of the options has, 0 without. False with err: it is not one of this
 * export. */
bool export_page_begin(const struct export_options *options, uint64_t *from, struct err *err);

#define EXPORT_LEFT_INIT                              \
	{                                             \
		.page = STR_INIT, .command = STR_INIT \
	}

/* After the rows of a table were written. `left` is as it begins. */
void export_left_find(struct export_left *left, struct table *table,
		      const struct export_options *options);
void export_left_fini(struct export_left *left);
