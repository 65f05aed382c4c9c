/* column_fit: the widths of a table's columns where all of them have so much room: numbers are
 * shown whole or not at all, texts may be cut, and what is left over goes to names. Pure. */
#pragma once

#include "views/query/table.h"

struct column_need {
	int want;   /* columns of the widest cell, or of the title */
	int least;  /* with fewer it says nothing; equal to `want`: never cut */
	bool name;  /* the first to get more than `least` */
	bool grows; /* takes what all others leave: a picture */
};

/* Fills in the widths of the first columns, `gap` blanks apart, and returns how many fit: one at
 * least, which is cut if it must be. The sum of widths and gaps is at most `room` (of at least
 * 1). */
unsigned columns_fit(const struct column_need *needs, unsigned n, int gap, int room, int *widths);

/* Of a column with cells of at most so many columns, in a table of `room`. Without cells it is the
 * title's; `mark`: columns beside the title. */
struct column_need column_need_of(const struct column *column, int widest, int mark, int room);

/* How many columns of text the cells of a row take, of all columns: the larger of before and
 * now. */
void column_widths_add(struct table *table, uint64_t row, int widest[TABLE_COLUMNS]);
