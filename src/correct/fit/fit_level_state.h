/* fit_level_state: what the files share that weigh messages against offset records in the fit. */
#pragma once

#include "correct/fit/fit_state.h"
#include "correct/fit/level.h"

/* An offset record, with its clock. */
struct numbered_record {
	uint64_t clock;
	struct level_record record;
	double bend;     /* ns: how far off the fit may be there because the clock bends */
	double wander;   /* the part of it that the fit expects of clocks */
	uint64_t inside; /* of the knots */
};

typedef VEC(struct numbered_record) numbered_records;

struct leveling {
	const struct clocks *clocks;
	const struct fit_edges *edges;
	struct fit_share *share;
	const struct model *model;
	const double *x;
	/* Of own clocks; the first process has all. */
	VEC(struct level_shape) shapes; /* pairs that exchange messages in both directions */
	VEC(struct level_hop) hops;     /* all that exchange any */
	numbered_records records;
	size_t tight;        /* of the shapes, the first ones */
	double middle, half; /* ns: of the time in which messages go both ways */
	double curl;
	struct level_line *lines; /* [clocks] */
	struct fit_level *level;
};

/* ---- fit_level_pairs.c ---- */

/* Fills shapes, hops, middle and half. All processes call it. */
void leveling_find_pairs(struct leveling *l);

/* ---- fit_level_records.c ---- */

/* How tight messages hold own clocks between a knot and the next, [own * knots]: half of the sum of
 * the least slack to it and from it; INFINITY: not from both sides. */
double *leveling_find_tightness(const struct leveling *l);

/* Half of a record's round trip, ns. */
double leveling_half(const struct clocks *clocks, const struct offset *o);
/* Fills the records of own clocks that messages in both directions place; parts have size[part]. */
void leveling_find_records(struct leveling *l, const uint32_t *size);
/* Where messages are far, records tell how a clock bends: own ones become anchors of the model, so
 * that the clock will pass them once it is on its line. True if any process has one. */
bool leveling_anchor(const struct leveling *l, struct model *model, const numbered_records *own);
