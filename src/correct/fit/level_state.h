/* level_state: what the files share that weigh messages against records. */
#pragma once

#include "correct/fit/level.h"

/* Records of a clock, weighted by the inverse of their variance. */
struct level_sums {
	double s0, s1, s2, b0, b1, q, logs;
	size_t n;
};

/* Variances of a clock's level and tilt by messages alone. */
struct level_prior {
	double level, tilt;
};

/* A symmetric matrix, as a rule the precision of a level and a tilt, times these. */
struct level_information {
	double m00, m01, m11, v0, v1;
};

/* A clock on the tree of paths. */
struct level_node {
	struct level_prior step;        /* variances that it adds to its parent's */
	struct level_information below; /* what it and the clocks after it say */
	struct level_line line;         /* the mean */
};

/* A point of the grid, and what is asked for there. */
struct level_grid {
	const struct level_question *question;
	const struct level_sums *sums; /* [n] with a share eta */
	double kappa;
	double *likelihood; /* adds to it; NULL: not asked for */
	/* adds lines with this weight; NULL: not asked for */
	struct level_answer *answer;
	double weight;
	struct level_node *nodes; /* [n] */
};

static inline double level_square(double x)
{
	return x * x;
}

static inline double level_variance(const struct level_room *room, double share)
{
	return level_square(share * room->symmetric) + level_square(room->excess);
}

/* What is one-sided of a link hardly changes while a program runs: of the room to turn only so much
 * of the share counts. */
#define LEVEL_TURN 0.2

/* ---- level_pairs.c ---- */

#define LEVEL_ROOM_LEAST  100.0 /* ns */
#define LEVEL_NOISE_LEAST 10.0  /* ns: of one that scatters less */

/* A good room of each kind of links, other node and same node: that of a quarter of the clocks'
 * best pairs is less, for the best one of all is an exception where pairs are many. Where a third
 * of these pairs has windows that do not agree it is not known: LEVEL_ROOM_LEAST. INFINITY: there
 * are no such pairs. */
void level_find_base(const struct level_shape *pairs, size_t n, double base[2]);

/* The same of records against a line. */
struct level_sums level_against(const struct level_sums *s, struct level_line line);

/* ---- level_tree.c ---- */

/* Lines of the clocks from..to, those of one part, whose line is taken off. */
void level_find_lines(const struct level_grid *g, size_t from, size_t to, struct level_line part);
