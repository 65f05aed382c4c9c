/* library_table: a table of the library, for the files that fill in its rows and columns. */
#pragma once

#include "library/library.h"
#include "views/export/export.h"
#include "views/query/table.h"

/* A column of all rows (library_columns.c). */
struct library_values;

struct tview_table {
	struct table *table;
	struct library_choice of; /* that it borrows */
	struct export_columns columns;
	uint64_t row; /* ROW_NONE: before the first, or after the last */
	bool begun;
	struct value values[TABLE_COLUMNS];
	struct str texts[TABLE_COLUMNS]; /* of the row, clean */
	struct library_values *whole;    /* [columns.n], NULL: was not read at once */
	int64_t read;                    /* rows of these */
};

static inline const struct column *library_column(const tview_table *t, unsigned column)
{
	return &t->table->columns[t->columns.at[column]];
}

void library_columns_fini(tview_table *t);
