/* Clocks share the errors of their way: what one's records say counts for those near it, too. Exact
 * means on the tree of paths: up, then down, a two by two matrix a clock. */
#include <math.h>

#include "correct/fit/level_state.h"

/* (1 + s m)^-1 (v0, v1), with a diagonal matrix s. */
static struct level_line solve_with(const struct level_information *m, struct level_prior s,
				    double v0, double v1)
{
	const double a = 1 + s.level * m->m00, b = s.level * m->m01;
	const double c = s.tilt * m->m01, d = 1 + s.tilt * m->m11, det = a * d - b * c;

	return (struct level_line){ (d * v0 - b * v1) / det, (a * v1 - c * v0) / det };
}

/* The same through an error of variance s: m (1 + s m)^-1, and (1 + m s)^-1 v. */
static struct level_information through(const struct level_information *m, struct level_prior s)
{
	const struct level_line x = solve_with(m, s, 1, 0), y = solve_with(m, s, 0, 1);
	const struct level_line v = solve_with(m, s, s.level * m->v0, s.tilt * m->v1);

	/* (1 + m s)^-1 v = v - m (1 + s m)^-1 s v */
	return (struct level_information){ m->m00 * x.level + m->m01 * x.tilt,
					   m->m00 * y.level + m->m01 * y.tilt,
					   m->m01 * y.level + m->m11 * y.tilt,
					   m->v0 - (m->m00 * v.level + m->m01 * v.tilt),
					   m->v1 - (m->m01 * v.level + m->m11 * v.tilt) };
}

static void add_information(struct level_information *to, const struct level_information *from)
{
	to->m00 += from->m00;
	to->m01 += from->m01;
	to->m11 += from->m11;
	to->v0 += from->v0;
	to->v1 += from->v1;
}

static struct level_information said_by(const struct level_sums *s)
{
	return (struct level_information){ s->s0, s->s1, s->s2, s->b0, s->b1 };
}

/* The variance that a way has above its parent's. */
static double variance_above(const struct level_room *room, const struct level_room *parent,
			     double share)
{
	return level_square(share) *
		       fmax(level_square(room->symmetric) - level_square(parent->symmetric), 0) +
	       fmax(level_square(room->excess) - level_square(parent->excess), 0);
}

static struct level_prior step_of(const struct level_grid *g, const struct level_clock *clock)
{
	static const struct level_clock none;
	const struct level_clock *parent =
		clock->parent == LEVEL_ROOT ? &none : &g->question->clocks[clock->parent];

	return (struct level_prior){ variance_above(&clock->level, &parent->level, g->kappa),
				     variance_above(&clock->turn, &parent->turn,
						    LEVEL_TURN * g->kappa) };
}

/* Means of the clocks from..to: the tree up, then down. */
void level_find_lines(const struct level_grid *g, size_t from, size_t to, struct level_line part)
{
	for (size_t i = from; i < to; i++) {
		const struct level_sums records = level_against(&g->sums[i], part);
		g->nodes[i].step = step_of(g, &g->question->clocks[i]);
		g->nodes[i].below = said_by(&records);
	}
	for (size_t i = to; i-- > from;) {
		const uint32_t parent = g->question->clocks[i].parent;
		const struct level_node *node = &g->nodes[i];
		struct level_information said;
		if (parent == LEVEL_ROOT)
			continue;
		said = through(&node->below, node->step);
		add_information(&g->nodes[parent].below, &said);
	}
	for (size_t i = from; i < to; i++) {
		const uint32_t parent = g->question->clocks[i].parent;
		struct level_node *node = &g->nodes[i];
		const struct level_line before =
			parent == LEVEL_ROOT ? (struct level_line){ 0, 0 } : g->nodes[parent].line;
		node->line = solve_with(&node->below, node->step,
					before.level + node->step.level * node->below.v0,
					before.tilt + node->step.tilt * node->below.v1);
	}
}
