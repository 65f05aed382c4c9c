/* delta: two cubes subtracted: per metric, call path and location what it was, what it is now, and
 * which differences are larger than the noise.
 *
 * Values are seconds, counts or bytes; metrics include their children, call paths do not. Lists are
 * of one metric, summed up over what is not asked for.
 *
 * Noise. With repeated traces of the old program (`repeated`) the old value is the mean of n
 * samples, the old trace's among them, and a difference is noise up to
 *
 *	t(1 - 0.025 / rows, n + 3) * sqrt((4 (r mean)^2 + (n - 1) s^2) / (n + 3)) * sqrt(1 + 1/n)
 *	+ max(1, 20 / (n + 1)) * most
 *
 * s: standard deviation of the samples; r: the same of all rows of the metric in this list, as a
 * part of their means, root mean square (few samples say little of s: Smyth, Linear models and
 * empirical Bayes methods, Stat. Appl. Genet. Mol. Biol. 3, 2004; 4 is DELTA_PRIOR); t: Student's
 * quantile; `rows`: of all metrics by call path, by location, by both and alone, as each is a
 * comparison (Bonferroni); `most`: the largest distance of one old run from the mean of the others
 * in any row of this list and unit: what interrupts one call in one run may interrupt another call
 * in the next, for longer. Such lengths have heavy tails: where the chance of more than x falls as
 * 1 / x, one more run has more than c times the most of n with a chance of 1 / (c (n + 1)), which
 * is 0.05 for that factor. Rows with MPI_Init, MPI_Finalize and tview's own calls are apart from
 * those without, and so are two sorts that chance decides: counts of messages that were waited for,
 * where `most` is at least 1, and the critical path in such calls by rank, where it is the longest
 * one: whose start is the last one changes. Without repeated traces nothing is known of noise;
 * differences up to DELTA_SHARE of the larger value or DELTA_OF_TIME of all the time of the old
 * run, whichever is more, are small, and are left out of reports. Estimated times of a call path
 * (model/trace/gap.h), of both runs, are noise on top of that.
 *
 *	struct delta *d = delta_new(old, new, repeated, 2);
 *	delta_rows(d, CUBE_MPI_LATESENDER, DELTA_BY_PATH, &rows);
 *	... rows.data[i] ...; vec_fini(&rows);
 *
 * Where several processes share the traces all make the same calls, and have the same rows.
 *
 * Ownership: borrows the cubes and their traces. Threads: any number may read. */
#pragma once

#include "base/vec.h"
#include "patterns/compare/align.h"

#define DELTA_SHARE   0.02
#define DELTA_OF_TIME 0.001
enum { DELTA_REPEATED = 64 /* traces at most */, DELTA_PRIOR = 4 };

enum delta_by { DELTA_BY_PATH = 1 << 0, DELTA_BY_PLACE = 1 << 1 };

struct delta_row {
	enum cube_metric metric;
	uint32_t path, place; /* of the alignment; ALIGN_NONE: all of them */
	double value[ALIGN_SIDES];
	double noise; /* differences up to it say nothing: noise, or small (delta_repeated()) */
};
struct delta_rows {
	VEC(struct delta_row) list;
};

struct delta;

/* `repeated` may be NULL; at most DELTA_REPEATED of them are taken. */
struct delta *delta_new(const struct cube *old, const struct cube *new,
			const struct cube *const *repeated, unsigned n);
/* One more owner; delta_free() by the last one ends it. Its cubes may be gone before: then the
 * alignment and the rows that were made stay. */
struct delta *delta_share(const struct delta *delta);
void delta_free(struct delta *delta);
const struct alignment *delta_alignment(const struct delta *delta);
/* How many repeated traces there are; 0: nothing is known of noise. */
unsigned delta_repeated(const struct delta *delta);

/* True where one of them has it. */
bool delta_has(const struct delta *delta, enum cube_metric metric);
/* Appends the rows of a metric that are not zero on both sides, by call path, then place; `by` is
 * of enum delta_by, 0: one row, if any. O(cells log cells). */
void delta_rows(const struct delta *delta, enum cube_metric metric, unsigned by,
		struct delta_rows *rows);
/* The one row of all call paths and locations. */
struct delta_row delta_total(const struct delta *delta, enum cube_metric metric);
/* The noise of that row where it is the only one that is looked at: delta_noise(). */
double delta_total_noise(const struct delta *delta, enum cube_metric metric);
/* What the old traces have where the new one has something, for values in per cent of it: by call
 * path of the new trace (values[call paths], call-path exclusive, all locations; its canonical
 * ones). 0 where the old trace has nothing that corresponds. O(cells). */
void delta_old_by_path(const struct delta *delta, enum cube_metric metric, double *values);
/* Largest difference first, of either sign; those of equal size in the order of metric, path,
 * place. */
void delta_sort(struct delta_rows *rows);

static inline double delta_difference(const struct delta_row *row)
{
	return row->value[ALIGN_NEW] - row->value[ALIGN_OLD];
}
bool delta_is_noise(const struct delta_row *row);
/* What one more sample differs by from the mean of n in 95 of 100 cases: t(0.975, n - 1) * s *
 * sqrt(1 + 1/n); 0 for fewer than two: not known. */
double delta_noise(const double *samples, unsigned n);
/* "s", "occ", "bytes". */
const char *delta_unit(enum cube_metric metric);
