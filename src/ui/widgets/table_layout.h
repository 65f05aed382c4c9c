/* table_layout: where the columns of a table pane are on a screen of a given width.
 *
 * Widths follow from what the cells hold (views/query/column_fit.h): of a table with numbered rows
 * of a sample of all, of a walked one of the rows seen so far, and of those on the screen. Columns
 * that do not fit are scrolled to; the first name stays in front of them. */
#pragma once

#include "ui/canvas/canvas.h"
#include "views/query/table.h"

struct table_pane;

enum { TABLE_MARGIN = 1 };

struct table_layout {
	unsigned n;
	struct {
		unsigned column;
		int x, w;
	} at[TABLE_COLUMNS];
	bool before, more; /* columns are scrolled away, or do not fit */
};

/* The rows on the screen, at most so many of them. */
enum { TABLE_ROWS_MOST = 512 };
struct table_rows {
	uint64_t at[TABLE_ROWS_MOST];
	int n;
};

/* Remembers how wide the cells of these rows are, so that scrolling back moves no column; then
 * their columns fit, if all can. */
struct table_layout table_layout_of(const struct table_pane *pane, int width,
				    const struct table_rows *rows);
/* The columns of the pane in their order: those of the table, or the choice. Returns how many. */
unsigned table_layout_shown(const struct table_pane *pane, unsigned shown[TABLE_COLUMNS]);
/* After the pane took a table: looks at a sample of its rows, where they are numbered. */
void table_layout_begin(struct table_pane *pane);
