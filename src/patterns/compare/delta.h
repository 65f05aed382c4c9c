/* delta: two cubes subtracted: per metric, call path and location what it was, what it is now, and
 * which differences are larger than the noise.
 *
 * Values are seconds, counts or bytes; metrics include their children, call paths do not. Lists are
 * of one metric, summed up over what is not asked for.
 *
 * Noise. With repeated traces of the old program (`repeated`) each value has n samples, the old one
 * among them, whose standard deviation is s: a difference of two runs is noise up to t(0.975, n-1)
 * * s * sqrt(2), Student's t, which is large where samples are few (12.7 for 2, 4.3 for 3); of
 * times at least DELTA_LEAST of all the time of the old run. Without, times are noise up to
 * DELTA_SHARE of the larger value or DELTA_OF_TIME of all the time of the old run, whichever is
 * more; counts and bytes have no noise. Estimated times of a call path (model/trace/gap.h), of both
 * runs, are noise on top of that.
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
#define DELTA_LEAST   0.0001
enum { DELTA_REPEATED = 64 }; /* traces at most */

enum delta_by { DELTA_BY_PATH = 1 << 0, DELTA_BY_PLACE = 1 << 1 };

struct delta_row {
	enum cube_metric metric;
	uint32_t path, place; /* of the alignment; ALIGN_NONE: all of them */
	double value[ALIGN_SIDES];
	double noise; /* differences up to it say nothing */
};
struct delta_rows {
	VEC(struct delta_row) list;
};

struct delta;

/* `repeated` may be NULL; at most DELTA_REPEATED of them are taken. */
struct delta *delta_new(const struct cube *old, const struct cube *new,
			const struct cube *const *repeated, unsigned n);
void delta_free(struct delta *delta);
const struct alignment *delta_alignment(const struct delta *delta);
unsigned delta_repeated(const struct delta *delta);

/* True where one of them has it. */
bool delta_has(const struct delta *delta, enum cube_metric metric);
/* Appends the rows of a metric that are not zero on both sides, by call path, then place; `by` is
 * of enum delta_by, 0: one row, if any. O(cells log cells). */
void delta_rows(const struct delta *delta, enum cube_metric metric, unsigned by,
		struct delta_rows *rows);
/* The one row of all call paths and locations. */
struct delta_row delta_total(const struct delta *delta, enum cube_metric metric);
/* What the old trace has where the new one has something, for values in per cent of it: by call
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
/* Of n samples the threshold described above; 0 for fewer than two. */
double delta_noise(const double *samples, unsigned n);
/* "s", "occ", "bytes". */
const char *delta_unit(enum cube_metric metric);
