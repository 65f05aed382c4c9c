/* profile_records: the profile of a run that has statistics by statement and no events: a row for
 * each procedure, with the time of its loops as its own, and for each function of MPI. */
#pragma once

#include "views/query/view.h"

/* As profile_table_new(), by rank, too. */
struct table *profile_records_new(const struct query *query, struct err *err);
