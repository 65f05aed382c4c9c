/* A picture that several processes make: what each has filled in goes to the first one. */
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"
#include "ui/timeline/picture/timeline_picture.h"

/* Rows of a number and `bytes` more. */
struct numbered_rows {
	char *data;
	size_t n, size;
};

static struct numbered_rows rows_new(size_t most, size_t bytes)
{
	const size_t size = sizeof(uint32_t) + bytes;

	return (struct numbered_rows){ .data = xmalloc(most * size + 1), .size = size };
}

static void rows_add(struct numbered_rows *rows, uint32_t number, const void *bytes)
{
	char *row = rows->data + rows->n++ * rows->size;

	memcpy(row, &number, sizeof number);
	memcpy(row + sizeof number, bytes, rows->size - sizeof number);
}

/* The bytes of the i-th row. */
static const char *rows_get(const struct numbered_rows *rows, size_t i, uint32_t *number)
{
	const char *row = rows->data + i * rows->size;

	memcpy(number, row, sizeof *number);
	return row + sizeof *number;
}

/* All go to the first process. */
static void to_first(struct exchange *x, struct numbered_rows *rows)
{
	OWNED uint32_t *to = xcalloc(rows->n + 1, sizeof *to);
	size_t cap;

	rows->data = exchange_deal_vector(x, rows->data, &rows->n, &cap, rows->size, to);
}

/* ---- cells ---- */

static bool is_own(const struct timeline_picture *p, size_t lane)
{
	return !p->lanes.data[lane].of_group &&
	       trace_has_location(p->rows->trace, p->lanes.data[lane].location);
}

static void share_cells(struct timeline_picture *p, struct exchange *x)
{
	const size_t width = (size_t)p->options.width, bytes = width * sizeof *p->cells;
	struct numbered_rows rows;
	size_t own = 0;

	for (size_t i = 0; i < p->lanes.n; i++)
		own += is_own(p, i);
	rows = rows_new(own, bytes);
	for (size_t i = 0; i < p->lanes.n; i++)
		if (is_own(p, i))
			rows_add(&rows, (uint32_t)i, p->cells + i * width);
	to_first(x, &rows);
	for (size_t i = 0; i < rows.n; i++) {
		uint32_t lane;
		const char *cells = rows_get(&rows, i, &lane);
		memcpy(p->cells + lane * width, cells, bytes);
	}
	free(rows.data);
}

/* The sums of cells, numbered by cell. They are sent before the cells, which know where they are
 * here. */
static struct numbered_rows own_mixes(const struct timeline_picture *p)
{
	const size_t width = (size_t)p->options.width;
	struct numbered_rows rows;
	size_t own = 0;

	for (size_t i = 0; i < p->lanes.n * width; i++)
		own += is_own(p, i / width) && p->cells[i].mix != NO_MIX;
	rows = rows_new(own, sizeof *p->mixes.data);
	for (size_t i = 0; i < p->lanes.n * width; i++)
		if (is_own(p, i / width) && p->cells[i].mix != NO_MIX)
			rows_add(&rows, (uint32_t)i, &p->mixes.data[p->cells[i].mix]);
	return rows;
}

/* Takes what all sent; cells that came from elsewhere point to nothing here until now. */
static void take_mixes(struct timeline_picture *p, struct numbered_rows *rows)
{
	const size_t first = p->mixes.n;

	for (size_t i = 0; i < rows->n; i++) {
		struct timeline_mix mix;
		uint32_t cell;

		memcpy(&mix, rows_get(rows, i, &cell), sizeof mix);
		p->cells[cell].mix = (uint32_t)(first + i);
		vec_push(&p->mixes, mix);
	}
	free(rows->data);
}

ORDERING(by_place, struct timeline_label, lane, x)

static void share_labels(struct timeline_picture *p, struct exchange *x)
{
	OWNED uint32_t *to = xcalloc(p->labels.n + 1, sizeof *to);

	exchange_deal_rows(x, &p->labels, to);
	vec_sort(&p->labels, by_place);
}

/* ---- moves ---- */

static bool has_moves(const struct timeline_move *row, size_t width)
{
	for (size_t x = 0; x < width; x++)
		if (row[x].n)
			return true;
	return false;
}

/* A row of a group has members in several processes. */
static void share_moves(struct timeline_picture *p, struct exchange *x)
{
	const size_t width = (size_t)p->options.width, bytes = width * sizeof *p->moves;
	OWNED struct timeline_move *moves = xmalloc(bytes + 1);
	struct numbered_rows rows;
	size_t own = 0;

	if (!p->moves)
		return;
	for (uint32_t i = 0; i < p->visible; i++)
		own += has_moves(p->moves + i * width, width);
	rows = rows_new(own, bytes);
	for (uint32_t i = 0; i < p->visible; i++)
		if (has_moves(p->moves + i * width, width))
			rows_add(&rows, i, p->moves + i * width);
	to_first(x, &rows);
	memset(p->moves, 0, p->visible * bytes);
	for (size_t i = 0; i < rows.n; i++) {
		uint32_t nth;
		memcpy(moves, rows_get(&rows, i, &nth), bytes);
		for (size_t k = 0; k < width; k++)
			timeline_move_add(&p->moves[nth * width + k], &moves[k]);
	}
	free(rows.data);
}

void timeline_share(struct timeline_picture *p, struct exchange *x)
{
	struct numbered_rows mixes;

	if (!x)
		return;
	mixes = own_mixes(p);
	to_first(x, &mixes);
	share_cells(p, x);
	take_mixes(p, &mixes);
	share_labels(p, x);
	share_moves(p, x);
}
