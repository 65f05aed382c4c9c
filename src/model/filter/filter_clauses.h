/* filter_clauses: a question about a table, taken apart, in the words of the filter (filter.h):
 *
 *	calls where region =~ /Allreduce/ and dur > 1ms order by dur desc limit 10
 *	messages select src, dst, count(), sum(bytes) where tag == 7
 *
 *	sequences of MPI_Isend+ MPI_Waitall[dur > 1ms] where calls > 3
 *
 * FROM [of SEQUENCE] [where EXPRESSION] [select LIST] [order by COLUMN [asc|desc]] [limit N], the
 * clauses in any order, but for `of`. */
#pragma once

#include "base/err.h"

struct filter_clauses {
	char *from, *of, *where, *select, *order, *limit; /* owned; NULL: not there */
};

/* False with err; filter_clauses_fini() is due in either case. */
bool filter_clauses_split(struct filter_clauses *clauses, const char *text, struct err *err);
void filter_clauses_fini(struct filter_clauses *clauses);
