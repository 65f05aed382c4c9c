#include "ui/widgets/table_layout.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "ui/widgets/table_pane.h"
#include "views/query/column_fit.h"
#include "views/query/column_names.h"

enum { GAP = 2, GAP_CLOSE = 1, CHART_LEAST = 8, CHART_SCALE = 3, SAMPLE = 256 };

unsigned table_layout_shown(const struct table_pane *pane, unsigned shown[TABLE_COLUMNS])
{
	if (!pane->n_chosen)
		return table_shown(pane->table, shown);
	for (unsigned i = 0; i < pane->n_chosen; i++)
		shown[i] = pane->chosen[i];
	return pane->n_chosen;
}

/* Columns from the first one that is not scrolled away; the first name before them. */
static unsigned in_view(const struct table_pane *pane, unsigned columns[TABLE_COLUMNS])
{
	unsigned shown[TABLE_COLUMNS], n = 0, skip = pane->first_column;
	const unsigned all = table_layout_shown(pane, shown);
	unsigned name = all;

	for (unsigned i = 0; i < all && name == all; i++)
		if (pane->table->columns[shown[i]].type == COLUMN_NAME)
			name = i;
	if (!skip) {
		memcpy(columns, shown, all * sizeof *shown);
		return all;
	}
	if (name < all)
		columns[n++] = shown[name];
	for (unsigned i = 0; i < all; i++) {
		const bool away = i == name || (skip && skip--);
		if (!away || (!n && i + 1 == all))
			columns[n++] = shown[i];
	}
	return n;
}

void table_pane_choose(struct table_pane *pane, const struct column_choices *choices)
{
	const char *names = pane->table ? column_choices_find(choices, pane->table) : NULL;
	unsigned shown[TABLE_COLUMNS];

	pane->n_chosen = 0;
	if (!names)
		return;
	/* Made by another version, it may name what there is no longer. */
	if (!column_names_parse(pane->table, shown, table_shown(pane->table, shown), names,
				pane->chosen, &pane->n_chosen, NULL))
		pane->n_chosen = 0;
}

static bool is_chart(const struct table *table, uint64_t row, unsigned column)
{
	struct table_chart chart;

	return row != ROW_NONE && table->ops->chart &&
	       table->ops->chart(table, row, column, CHART_LEAST, &chart);
}

static struct column_need need_of(const struct table *table, uint64_t row, unsigned c, int widest,
				  int room)
{
	const struct column *column = &table->columns[c];
	const int mark = table->ops->sort != NULL;
	struct column_need need = column_need_of(column, widest, mark, room);

	/* A picture as wide as it likes, or one that is clear in little room. */
	if (is_chart(table, row, c)) {
		need.least = text_width(column->title) + mark;
		need.least = column->width > need.least ? column->width : need.least;
		need.least = CHART_LEAST > need.least ? CHART_LEAST : need.least;
		need.grows = column->width == 0;
		need.want = need.grows ? need.least : CHART_SCALE * need.least;
	}
	return need;
}

void table_layout_begin(struct table_pane *pane)
{
	struct table *table = pane->table;
	const uint64_t rows = table ? table->rows : 0;

	if (!pane->widest)
		pane->widest = xcalloc(TABLE_COLUMNS, sizeof *pane->widest);
	memset(pane->widest, 0, TABLE_COLUMNS * sizeof *pane->widest);
	/* Rows that are walked are not found by their numbers, or not at once. */
	if (!table || table->ops->position || !rows)
		return;
	for (uint64_t i = 0; i < rows && i < SAMPLE; i++)
		column_widths_add(table, rows <= SAMPLE ? i : i * (rows / SAMPLE), pane->widest);
}

void table_pane_add_widths(const struct table_pane *pane, struct str *out)
{
	for (unsigned i = 0; pane->table && pane->widest && i < pane->table->n_columns; i++)
		str_add_fmt(out, " %d", pane->widest[i]);
}

void table_pane_take_widths(struct table_pane *pane, const char *widths)
{
	int width, n = 0;

	for (unsigned i = 0; pane->table && pane->widest && i < pane->table->n_columns &&
			     sscanf(widths, "%d%n", &width, &n) == 1;
	     i++, widths += n)
		pane->widest[i] = width < 0 ? 0 : width > INT16_MAX ? INT16_MAX : width;
}

struct table_layout table_layout_of(const struct table_pane *pane, int width,
				    const struct table_rows *rows)
{
	const uint64_t top = rows->n ? rows->at[0] : ROW_NONE;
	const int room = width > 2 * TABLE_MARGIN ? width - 2 * TABLE_MARGIN : 1;
	const int gap = pane->close ? GAP_CLOSE : GAP;
	struct column_need needs[TABLE_COLUMNS];
	unsigned columns[TABLE_COLUMNS];
	int widths[TABLE_COLUMNS];
	struct table_layout layout = { .before = pane->first_column > 0 };
	const unsigned n = in_view(pane, columns);
	int x = TABLE_MARGIN;

	for (int i = 0; i < rows->n; i++)
		column_widths_add(pane->table, rows->at[i], pane->widest);
	for (unsigned i = 0; i < n; i++)
		needs[i] = need_of(pane->table, top, columns[i], pane->widest[columns[i]], room);
	layout.n = columns_fit(needs, n, gap, room, widths);
	layout.more = layout.n < n;
	for (unsigned i = 0; i < layout.n; i++) {
		layout.at[i].column = columns[i];
		layout.at[i].x = x;
		layout.at[i].w = widths[i];
		x += widths[i] + gap;
	}
	return layout;
}
