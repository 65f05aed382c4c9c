/* export_choose: the rows of an export that its options ask for: those that match a condition,
 * sums of them, in an order, so many of them. */
#pragma once

#include "views/export/export.h"

/* The column of a name as people write it: that of the export, without its unit (duration for
 * duration_s; dur, as in filters), or sum(bytes) for sum_bytes. -1: there is none. */
int export_column(const struct table *table, const char *name, size_t n);

/* Whether the columns of the options are sums: "rank,count(),sum(bytes)". */
bool export_has_sums(const struct export_options *options);

/* Makes a table and chooses from it. NULL with err. */
struct table *export_choose(table_maker *make, const struct query *query,
			    const struct export_options *options, struct err *err);
