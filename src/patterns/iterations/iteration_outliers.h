/* iteration_outliers: which ranks, in which iterations, took longer than the rest: always the same
 * rank, another one each time, in a few iterations, more and more.
 *
 * x[rank][iteration] is taken apart by median polish (Tukey 1977): x = mean + rank + iteration +
 * rest. In each iteration the slowest rank costs its distance from the median rank; so much of that
 * as the largest of R normal values would is scatter. What a rank's effect, its trend or a single
 * large rest covers is explained; what is left over is unknown.
 *
 * Pure. O(cells x log cells). Bounds and how often they find what was planted: doc/patterns.md,
 * "Iterations that differ". */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum outlier_kind {
	OUTLIERS_DRIFT,    /* one rank takes longer and longer, or less and less */
	OUTLIERS_SAME,     /* the same rank always */
	OUTLIERS_ROTATING, /* another rank each time */
	OUTLIERS_FEW,      /* in a few iterations */
	OUTLIERS_OFTEN,    /* one rank in many iterations */
	OUTLIER_KINDS,
	OUTLIERS_NONE = OUTLIER_KINDS
};

struct iteration_outliers {
	enum outlier_kind kind; /* that covers most, from 0.4 of the imbalance above scatter on */
	double lost;            /* sum over the iterations of the slowest less the median rank */
	double scatter;         /* of it: what chance alone gives, and hiccups of the machine */
	double share[OUTLIER_KINDS]; /* of `lost`, covered by each */
	double unknown;              /* the rest; it, scatter and all shares are 1 together, or 0 */
	double typical;              /* x of the median rank in the median iteration */
	uint32_t row;   /* SAME, DRIFT, OFTEN: the one that costs most; FEW: of `worst` */
	uint32_t rows;  /* SAME, DRIFT: so many cost something */
	double more;    /* SAME: its x beyond the typical one; others: of the median hit; DRIFT: how
			 much from the first iteration to the last */
	uint32_t hits;  /* ROTATING, FEW, OFTEN: iterations; NONE: those of hiccups, with
			 * `worst`, `row` and `more` as for FEW */
	uint32_t worst; /* of these the one that costs most */
	uint32_t slow;  /* iterations in which each row takes longer */
	uint32_t slowest; /* of these the longest */
	double slower;    /* by so much, of the typical x */
	double drift; /* of all, from the first iteration to the last, of the typical x; 0: none */
};

/* x [rows][columns], not negative. Less than 2 rows or 3 columns have no outliers. `hiccup`: up to
 * seven cells that are no more than this above the rest on average (one or two: than twice this)
 * are scatter. `noise`: a row is not always the same one by less. */
void iteration_outliers_find(struct iteration_outliers *outliers, const double *x, uint32_t rows,
			     uint32_t columns, double hiccup, double noise);
