/* column_names: columns of a table chosen by their export names, in the order in which they are to
 * be shown. Pure. */
#pragma once

#include "views/query/table.h"

/* What filters call a duration. */
#define COLUMN_DUR    "dur"
#define COLUMN_DUR_IS "duration_s"
/* Of a column's name without its unit; 0: it has none. */
size_t column_bare_length(const char *name);
/* The column of a name, in full, without its unit (waited for waited_s), or COLUMN_DUR; -1. */
int column_named(const struct table *table, const char *name, size_t n);

/* True if a column can be chosen: it is exported, or shown on the screen. */
bool column_names_has(const struct column *column);
/* The i-th column that can be chosen, NULL after the last one. */
const struct column *column_names_nth(const struct table *table, unsigned i);
/* Names between blanks or commas in their order; with + or - before the first one, columns are
 * added to those `shown` [n] or taken from them. "": the table's own choice, *n_chosen 0. Fills in
 * `chosen`; false with err: an unknown name, or none is left. */
bool column_names_parse(const struct table *table, const unsigned *shown, unsigned n,
			const char *text, unsigned chosen[TABLE_COLUMNS], unsigned *n_chosen,
			struct err *err);
