/* view_utilisation: the tables of the panel, with what the panel keeps between them. The exports
 * (views/query/view.h) wait for the wait states; these take what is known by now.
 *
 * Each returns NULL with err, or with err untouched if progress stopped it; table_free(). */
#pragma once

#include "views/facts/utilisation.h"

/* Cells of the exports, and of a row's picture over time. */
enum { UTILISATION_CELLS = 50 };

/* At most so many cells of time: how many locations are busy, transfer and so on, on average. */
struct table *utilisation_table_of(const struct query *query, struct timeline_shades *shades,
				   size_t cells, struct err *err);
/* The begin and end of the cell in a row of that table. */
struct span utilisation_table_cell(const struct table *table, uint64_t row);
/* How long so many locations were busy at once. */
struct table *concurrency_table_of(const struct query *query, struct timeline_shades *shades,
				   struct err *err);
/* Shares of each location's time. */
struct table *utilisation_ranks_table_of(const struct query *query, struct timeline_shades *shades,
					 struct err *err);
/* When the most messages were on their way to the rank in a row of queues_table_new(). */
int64_t queues_table_peak(const struct table *table, uint64_t row);
