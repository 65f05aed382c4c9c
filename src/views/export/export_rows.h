/* export_rows: the rows of a table as lines of a format. Where several processes share the trace,
 * each makes some of the lines, and the first one writes them all. */
#pragma once

#include <stdio.h>

#include "base/exchange.h"
#include "base/str.h"
#include "views/query/table.h"

struct row_writer {
	struct table *table;
	struct exchange *exchange; /* NULL: one process */
	const char *first, *next;  /* before the first row, and before each other one */
	/* Appends a row to `line`; `cell` is scratch. */
	void (*add)(const struct row_writer *writer, const struct value *values, struct str *cell,
		    struct str *line);
	const void *context; /* for add() */
};

/* Writes all rows, those of the first process to `out`; returns how many. What cannot be written
 * is an error of the stream. */
uint64_t export_rows(const struct row_writer *writer, FILE *out);
