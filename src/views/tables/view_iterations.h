/* view_iterations: tables of iterations, of one run or of two. */
#pragma once

#include "views/query/view.h"

/* Of the query's other trace and its own: a row for each iteration and rank of either. */
struct table *iteration_pairs_table_new(const struct query *query, struct err *err);
