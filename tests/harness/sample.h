/* sample: traces for the tests of views: a small one whose every number is computed in comments,
 * and random ones; and what an export prints, as text. */
#pragma once

#include "views/export/export.h"

/* Two ranks, microseconds:
 *
 *	      0        50   100  110 120  150   200 250 300 401 500   700 800   900 1000
 *	rank 0 main........[MPI_Send].........[solve................]  [Barrier]....
 *	rank 1 main   [MPI_Recv.......]  [solve...]  [solve] [Barrier..............]....
 *
 * One message 0 -> 1, tag 7, 8 B, sent at 100, received at 120. main and solve have source lines,
 * the call of MPI_Send too. */
struct trace *views_sample(void);

/* The same with a label, a file and a communicator that try to write to the terminal. */
struct trace *sample_hostile(const char *text);

/* Enters, leaves, marks, messages and barriers of `ranks` ranks, many at equal times. */
struct trace *sample_random(uint64_t seed, int ranks, int events);

struct query sample_query(struct trace *trace);

/* The caller frees it. */
char *sample_export(const char *view, const struct query *query, enum export_format format,
		    int width);

/* Fields of a CSV text, row by row; the header is row 0. */
struct csv {
	char ***rows;
	size_t n_rows, n_columns;
};
struct csv csv_parse(const char *text);
void csv_free(struct csv *csv);
