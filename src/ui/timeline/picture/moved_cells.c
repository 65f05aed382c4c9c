/* What a time base did to the times of a picture's cells. */
#include <stdlib.h>

#include "base/mem.h"
#include "model/trace/halo.h"
#include "ui/timeline/picture/timeline_picture.h"
#include "views/facts/difference.h"

void timeline_move_add(struct timeline_move *sum, const struct timeline_move *move)
{
	if (move->n == 0)
		return;
	if (sum->n == 0 || move->low < sum->low)
		sum->low = move->low;
	if (sum->n == 0 || move->high > sum->high)
		sum->high = move->high;
	sum->taken_out += move->taken_out;
	sum->n += move->n;
}

static struct timeline_move move_of(const struct move *m)
{
	return (struct timeline_move){ m->known, m->low, m->high, m->begin - m->end };
}

static void fill_row(struct timeline_picture *p, uint32_t nth, const struct moves *moves,
		     const struct time_cells *columns, struct move *swept)
{
	struct timeline_move *row = p->moves + (size_t)nth * (size_t)p->options.width;
	const struct timeline_row *shown = timeline_shown(p, nth);
	uint32_t n;
	const uint32_t *members = timeline_row_members(p->rows, shown, &n);

	if (shown->kind == ROW_COUNTER)
		return;
	for (uint32_t i = 0; i < n; i++) {
		if (!trace_has_location(p->rows->trace, members[i]))
			continue;
		(shown->kind == ROW_GROUP ? moves_outline : moves_sweep)(moves, members[i],
									 columns->edges,
									 columns->intervals, swept);
		for (int x = 0; x < p->options.width; x++) {
			const struct timeline_move move = move_of(&swept[columns->of[x]]);

			timeline_move_add(&row[x], &move);
		}
	}
}

bool timeline_difference_add(struct timeline_picture *p, const struct query *query,
			     struct timeline_shades *shades, const struct time_cells *columns)
{
	const struct moves *moves;
	struct move *swept;

	if (!query->difference)
		return true;
	moves = timeline_shades_moves(shades, query);
	if (!moves)
		return false;
	p->shares = difference_is_share(query->base);
	p->moves = xcalloc((size_t)p->visible * (size_t)p->options.width + 1, sizeof *p->moves);
	swept = xcalloc(columns->intervals + 1, sizeof *swept);
	for (uint32_t i = 0; i < p->visible; i++)
		fill_row(p, i, moves, columns, swept);
	free(swept);
	return true;
}
