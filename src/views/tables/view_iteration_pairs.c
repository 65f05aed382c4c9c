/* view_iteration_pairs: the iterations of two runs side by side: what each rank did in the old one
 * and in the new one. */
#include <stdlib.h>

#include "base/mem.h"
#include "views/facts/iteration_pairs.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"
#include "views/tables/view_iterations.h"

/* Each quantity in the old run, then in the new one. */
#define COLUMNS(ROW)                                                                       \
	ROW(P_ITERATION, "iteration", "iteration", COLUMN_INT, 9, true, true)              \
	ROW(P_RANK, "rank", "rank", COLUMN_RANK, 5, true, true)                            \
	ROW(P_OLD_WORK, "old_work_s", "old work", COLUMN_PART, 10, true, true)             \
	ROW(P_WORK, "work_s", "work", COLUMN_PART, 10, true, true)                         \
	ROW(P_OLD_WAITING, "old_waiting_s", "old waiting", COLUMN_PART, 11, true, true)    \
	ROW(P_WAITING, "waiting_s", "waiting", COLUMN_PART, 10, true, true)                \
	ROW(P_OLD_CAUSED, "old_caused_s", "old caused", COLUMN_PART, 10, true, false)      \
	ROW(P_CAUSED, "caused_s", "caused", COLUMN_PART, 10, true, false)                  \
	ROW(P_OLD_DURATION, "old_duration_s", "old duration", COLUMN_PART, 12, true, true) \
	ROW(P_DURATION, "duration_s", "duration", COLUMN_PART, 10, true, true)             \
	ROW(P_OLD_MESSAGES, "old_messages", "old messages", COLUMN_COUNT, 8, true, false)  \
	ROW(P_MESSAGES, "messages", "messages", COLUMN_COUNT, 8, true, false)              \
	ROW(P_OLD_BYTES, "old_bytes", "old bytes", COLUMN_BYTES, 9, true, false)           \
	ROW(P_BYTES, "bytes", "bytes", COLUMN_BYTES, 9, true, false)                       \
	ROW(P_SAYS, "says", "work", COLUMN_TEXT, 6, true, true)                            \
	ROW(P_LEVEL, "level", "level", COLUMN_INT, 5, true, false)                         \
	ROW(P_THREAD, "thread", "thread", COLUMN_INT, 6, true, false)
enum { COLUMNS(COLUMN_ID) P_COLUMNS };
static const struct column columns[P_COLUMNS] = { COLUMNS(COLUMN_ROW) };

struct pair_row {
	uint32_t iteration, location; /* from 0 */
};

struct pairs_table {
	struct list_table list;
	struct iteration_pairs pairs;
	struct iteration_sums *sums; /* of the new run */
	int *change;                 /* [locations] of work */
};

static void fill_quantity(struct value *v, enum iteration_quantity quantity, bool known,
			  double value)
{
	if (quantity < ITERATION_MESSAGES)
		*v = value_real(known, value);
	else
		*v = value_integer(known, (int64_t)value);
}

static void fill_cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct pairs_table *t = (struct pairs_table *)list;
	const struct pair_row *row = list_table_row(list, item);
	const struct location *location = trace_location(list->trace, row->location);
	const struct iteration_sum *old =
		iteration_pairs_old(&t->pairs, row->location, row->iteration);
	const struct iteration_sum *new = row->iteration < t->sums->n && t->sums->of[row->location]
						  ? &t->sums->of[row->location][row->iteration]
						  : NULL;
	static const char *const words[] = { "less", "noise", "more" };

	v[P_ITERATION] = value_integer(true, (int64_t)row->iteration + 1);
	v[P_RANK] = value_rank(location->rank);
	v[P_THREAD] = value_integer(true, location->thread);
	v[P_LEVEL] = value_integer(true, (int64_t)t->sums->level + 1);
	for (int i = 0; i < ITERATION_QUANTITIES; i++) {
		const enum iteration_quantity quantity = (enum iteration_quantity)i;
		fill_quantity(&v[P_OLD_WORK + 2 * i], quantity, old != NULL,
			      old ? iteration_pairs_value(&t->pairs, old, quantity) : 0);
		fill_quantity(&v[P_WORK + 2 * i], quantity, new != NULL,
			      new ? iteration_value(new, quantity) : 0);
	}
	v[P_SAYS] = value_text(!old ? "new" : !new ? "gone" : words[t->change[row->location] + 1]);
}

static void fini(struct list_table *list)
{
	struct pairs_table *t = (struct pairs_table *)list;

	iteration_pairs_fini(&t->pairs);
	iteration_sums_free(t->sums);
	free(t->change);
}

static struct row_thing thing(const struct list_table *list, uint32_t item)
{
	const struct pair_row *row = list_table_row(list, item);

	return (struct row_thing){ .kind = THING_LOCATION, .id = row->location };
}

static void add_rows(struct pairs_table *t, const struct query *query)
{
	OWNED uint32_t *locations = query_by_rank(query);
	const uint32_t old = t->pairs.of[0] ? t->pairs.of[0]->n : 0;
	const uint32_t n = old > t->sums->n ? old : t->sums->n;

	t->change = xcalloc((size_t)t->sums->locations + 1, sizeof *t->change);
	for (uint32_t l = 0; l < t->sums->locations; l++)
		t->change[l] = iteration_pairs_change(&t->pairs, l, ITERATION_WORK);
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < query_location_count(query); i++) {
			const struct pair_row row = { k, locations[i] };
			const bool new = k < t->sums->n && t->sums->of[row.location];
			if (filter_location(query->filter, row.location) &&
			    (new || iteration_pairs_old(&t->pairs, row.location, k)))
				list_table_add_row(&t->list, &row);
		}
}

struct table *iteration_pairs_table_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = fill_cells,
					     .fini = fini,
					     .row_size = sizeof(struct pair_row),
					     .thing = thing };
	struct pairs_table *t = list_table_new(sizeof *t, &ops, columns, P_COLUMNS, query->trace);
	bool done = false;

	t->sums =
		iteration_sums_new(query,
				   query->export.level ? (int)query->export.level - 1 : LEVEL_MAIN,
				   err);
	if (t->sums)
		done = iteration_pairs_make(&t->pairs, query, t->sums, err);
	if (done)
		add_rows(t, query);
	return list_table_done(&t->list, done);
}
