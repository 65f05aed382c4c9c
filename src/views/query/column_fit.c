#include "views/query/column_fit.h"

#include "base/text.h"

/* Cut names and texts keep this much, or a share of the table where that is more. */
enum { NAME_LEAST = 12, NAME_MOST = 40, NAME_PART = 4, TEXT_LEAST = 10, TEXT_PART = 5 };

static int least_of(const struct column_need *need)
{
	return need->least < need->want ? need->least : need->want;
}

/* A column at a time to the narrowest of those that want more. Returns what is left. */
static int raise(const struct column_need *needs, unsigned n, bool names, int left, int *widths)
{
	for (; left > 0; left--) {
		unsigned low = n;

		for (unsigned i = 0; i < n; i++)
			if (needs[i].name == names && widths[i] < needs[i].want &&
			    (low == n || widths[i] < widths[low]))
				low = i;
		if (low == n)
			break;
		widths[low]++;
	}
	return left;
}

/* To the pictures, in equal parts. */
static void grow(const struct column_need *needs, unsigned n, int left, int *widths)
{
	int growing = 0;

	for (unsigned i = 0; i < n; i++)
		growing += needs[i].grows;
	for (unsigned i = 0; i < n && growing; i++)
		if (needs[i].grows) {
			const int more = left / growing--;
			widths[i] += more;
			left -= more;
		}
}

unsigned columns_fit(const struct column_need *needs, unsigned n, int gap, int room, int *widths)
{
	unsigned fit = 0;
	int left = room;

	for (; fit < n; fit++) {
		const int w = least_of(&needs[fit]) + (fit ? gap : 0);

		if (fit && w > left)
			break;
		widths[fit] = least_of(&needs[fit]);
		left -= w;
	}
	if (fit && left < 0)
		widths[0] = room;
	left = raise(needs, fit, true, left, widths);
	left = raise(needs, fit, false, left, widths);
	if (left > 0)
		grow(needs, fit, left, widths);
	return fit;
}

struct column_need column_need_of(const struct column *column, int widest, int mark, int room)
{
	const int title = text_width(column->title) + mark;
	struct column_need need = { .want = widest > title ? widest : title };
	int part;

	need.least = need.want;
	need.name = column->type == COLUMN_NAME;
	if (column_is_number(column))
		return need;
	part = need.name ? room / NAME_PART : room / TEXT_PART;
	part = part > NAME_MOST ? NAME_MOST : part;
	need.least = need.name ? NAME_LEAST : TEXT_LEAST;
	need.least = part > need.least ? part : need.least;
	return need;
}

void column_widths_add(struct table *table, uint64_t row, int widest[TABLE_COLUMNS])
{
	struct value values[TABLE_COLUMNS];
	OWNED_STR text = STR_INIT;

	table_cells(table, row, values);
	for (unsigned c = 0; c < table->n_columns; c++) {
		int width;

		if (!table->columns[c].on_screen && !table->columns[c].exported)
			continue;
		str_clear(&text);
		table_show(table, c, &values[c], &text);
		width = text_width(text.text);
		widest[c] = width > widest[c] ? width : widest[c];
	}
}
