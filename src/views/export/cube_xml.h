/* cube_xml: severities as a Cube 3 file (<cube version="3.0">), which Cube's readers and tools
 * take.
 *
 * As that format has them, values include the metrics below and exclude the call paths below; a row
 * has a value for each thread. Times are seconds. Call path 0, where no region is open, is a root
 * of its own; ranks of one name on one node are one process. Characters that XML cannot hold become
 * '?'.
 *
 * O(metrics x call paths that have something x locations), which is the size of the file. */
#pragma once

#include <stdio.h>

#include "views/query/view.h"

/* False with err, or with err untouched if query->progress stopped it. */
bool cube_xml_write(const struct query *query, FILE *out, struct err *err);
