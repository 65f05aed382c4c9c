/* patterns_records: the waiting of a run that has statistics by statement and no events: a row for
 * each statement of communication that waited, with the wait state that its operation has. */
#pragma once

#include "views/query/view.h"

/* As patterns_table_new(), by rank, too; the most waiting first. What was not split into waiting
 * and transfer is empty. */
struct table *patterns_records_new(const struct query *query, struct err *err);
