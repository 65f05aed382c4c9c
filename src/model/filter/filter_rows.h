/* filter_rows: an expression of the filter's language (filter.h) about the columns of a table,
 * asked of rows one by one.
 *
 * What is joined by && at the top are parts. A part whose fields are all columns is about rows. One
 * whose fields are those of events chooses the events that the table is made of: its text is given
 * back, for filter_compile(). A name that both have is the column's. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "base/units.h"

struct filter_rows;

enum filter_row_type {
	FILTER_ROW_NUMBER,
	FILTER_ROW_RANK,
	FILTER_ROW_TIME, /* ticks of the scale */
	FILTER_ROW_BYTES,
	FILTER_ROW_REAL,
	FILTER_ROW_REAL_TIME, /* the same with a fraction */
	FILTER_ROW_TEXT
};

/* Several names may be of one column. */
struct filter_row_name {
	const char *name; /* outlives the filter */
	enum filter_row_type type;
	unsigned column;
};

struct filter_cell {
	bool known;
	int64_t integer;
	double real;
	const char *text;
};

/* NULL with err: not an expression. Appends to `events` the text of the parts about events. */
struct filter_rows *filter_rows_new(const char *text, const struct filter_row_name *names,
				    unsigned n, const struct timescale *scale, struct str *events,
				    struct err *err);
void filter_rows_free(struct filter_rows *f);

/* Gives the cell of a column; a text is good until the next call. */
typedef void filter_cell_of(void *context, unsigned column, struct filter_cell *cell);
/* As of events: a cell that is not known makes its comparison false. A text that a pattern takes
 * too long on does not match. */
bool filter_rows_match(struct filter_rows *f, filter_cell_of *cell_of, void *context);
