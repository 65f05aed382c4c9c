/* Which rows of a picture are visible, and in which lines. */
#include "ui/timeline/picture/timeline_picture.h"

/* Are all rows groups, and few enough to have many lines each? */
static bool all_are_groups(const struct timeline_options *o)
{
	const struct timeline_rows *rows = o->rows;

	if (!rows || o->height < 0 || rows->list.n > (size_t)o->height)
		return false;
	for (size_t i = 0; i < rows->list.n; i++)
		if (rows->list.data[i].kind != ROW_GROUP || rows->list.data[i].open)
			return false;
	return rows->list.n > 0;
}

/* Stacks of a few groups fill the picture: a line more is eight more steps of a share. */
static bool choose_stacks(int64_t rows, int under, const struct timeline_options *o, int *bar,
			  int *gap)
{
	enum { LEAST = 4, MOST = 12, GAP = 3, MESSAGES = 2 /* below the rows: their density */ };
	const int64_t lines = (o->height - MESSAGES + GAP) / rows - GAP - under;

	if (lines < LEAST || !all_are_groups(o))
		return false;
	*bar = lines < MOST ? (int)lines : MOST;
	*gap = GAP;
	return true;
}

/* Rows get as many lines as there is room for, up to six for the bar of a location and three
 * between: where messages are drawn without covering a state. */
static void choose_lines(uint32_t rows, const struct timeline_options *o, int *bar, int *gap)
{
	static const struct {
		int bar, gap;
	} flat[] = { { 6, 3 }, { 5, 3 }, { 4, 3 }, { 3, 3 }, { 2, 3 },
		     { 2, 2 }, { 1, 2 }, { 1, 1 }, { 1, 0 } };
	const int64_t n = rows ? rows : 1;
	const int under = o->difference + o->critical_path;

	if (o->depth) {
		*bar = (int)o->depth;
		*gap = n * (*bar + under + 2) - 2 <= o->height
			       ? 2
			       : n * (*bar + under + 1) - 1 <= o->height;
		if (*bar > 1 && *gap == 0)
			*gap = 1; /* stacks that touch cannot be distinguished */
		return;
	}
	if (choose_stacks(n, under, o, bar, gap))
		return;
	for (size_t i = 0; i < sizeof flat / sizeof *flat; i++) {
		*bar = flat[i].bar;
		*gap = flat[i].gap;
		if (n * (*bar + under + *gap) - *gap <= o->height)
			return;
	}
}

uint32_t timeline_rows_fit(uint32_t rows, const struct timeline_options *options)
{
	int bar, gap;
	uint32_t fit;

	choose_lines(rows, options, &bar, &gap);
	bar += options->difference + options->critical_path;
	fit = options->height < 1 ? 0 : (uint32_t)((options->height + gap) / (bar + gap));
	if (fit == 0)
		fit = 1;
	return fit < rows ? fit : rows;
}

/* How many of the pinned rows stay. */
static uint32_t pinned_of(uint32_t fit, uint32_t pinned)
{
	return pinned < fit / 2 ? pinned : fit / 2;
}

uint32_t timeline_scroll(uint32_t first, uint32_t row, uint32_t rows, uint32_t pinned,
			 const struct timeline_options *options)
{
	const uint32_t fit = timeline_rows_fit(rows, options);
	const uint32_t kept = pinned_of(fit, pinned), room = fit - kept;

	if (rows == 0)
		return 0;
	if (row >= rows)
		row = rows - 1;
	if (first + room > rows)
		first = rows - room;
	if (first < kept)
		first = kept;
	if (row < kept)
		return first;
	if (row < first)
		first = row;
	if (row >= first + room)
		first = row - room + 1;
	return first;
}

void timeline_choose_rows(struct timeline_picture *p)
{
	const uint32_t rows = (uint32_t)p->rows->list.n;
	const uint32_t fit = p->options.height < 1 ? 0 : timeline_rows_fit(rows, &p->options);
	const uint32_t kept = pinned_of(fit, p->rows->pinned);

	choose_lines(rows, &p->options, &p->bar, &p->gap);
	p->visible = fit;
	p->first = p->options.first + (fit - kept) > rows ? rows - (fit - kept) : p->options.first;
	if (p->first < kept)
		p->first = kept;
	for (uint32_t i = 0; i < fit; i++)
		vec_push(&p->shown, i < kept ? i : p->first + i - kept);
}

int timeline_row_y(const struct timeline_picture *p, uint32_t nth)
{
	return (int)nth * (p->bar + p->under + p->gap);
}

int timeline_row_lines(const struct timeline_picture *p)
{
	return p->bar + p->under;
}

bool timeline_between_rows(const struct timeline_picture *p, int y)
{
	const int lines = timeline_row_lines(p), pitch = lines + p->gap;

	return y / pitch < (int)p->visible - 1 && y % pitch >= lines;
}

const struct timeline_row *timeline_shown(const struct timeline_picture *p, uint32_t nth)
{
	return &p->rows->list.data[p->shown.data[nth]];
}

int32_t timeline_nth_of(const struct timeline_picture *p, uint32_t row)
{
	for (uint32_t i = 0; i < p->visible; i++)
		if (p->shown.data[i] == row)
			return (int32_t)i;
	return -1;
}

enum sums_state timeline_sums_of(const struct timeline_picture *p, uint32_t nth)
{
	for (size_t i = 0; i < p->lanes.n; i++)
		if (p->lanes.data[i].nth == nth && p->lanes.data[i].of_group)
			return (enum sums_state)p->lanes.data[i].sums;
	return SUMS_EXACT;
}

const struct timeline_mix *timeline_mix_of(const struct timeline_picture *p, uint32_t nth)
{
	for (size_t i = 0; i < p->lanes.n; i++)
		if (p->lanes.data[i].nth == nth && p->lanes.data[i].of_group)
			return p->mixes.data + p->lanes.data[i].mix;
	return NULL;
}

bool timeline_is_edge(const struct timeline_cell *cells, int width, int x)
{
	const struct timeline_cell *c = &cells[x];

	return !c->mixed && c->left != c->right &&
	       (x == 0 || (!c[-1].mixed && c[-1].right == c->left)) &&
	       (x + 1 == width || (!c[1].mixed && c[1].left == c->right));
}
