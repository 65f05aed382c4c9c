/* view_iterations: what each rank did in each iteration; and the levels of iterations. */
#include "views/tables/view_iterations.h"

#include <stdlib.h>

#include "base/mem.h"
#include "views/facts/iteration_sums.h"
#include "views/facts/place_words.h"
#include "views/query/table_gather.h"
#include "views/query/view_common.h"

#define COLUMNS(ROW)                                                              \
	ROW(I_ITERATION, "iteration", "iteration", COLUMN_INT, 9, true, true)     \
	ROW(I_RANK, "rank", "rank", COLUMN_RANK, 5, true, true)                   \
	ROW(I_BEGIN, "begin_s", "from [s]", COLUMN_TIME, 13, true, true)          \
	ROW(I_END, "end_s", "to [s]", COLUMN_TIME, 13, true, false)               \
	ROW(I_DURATION, "duration", "duration", COLUMN_DURATION, 10, false, true) \
	ROW(I_WORK, "work_s", "work", COLUMN_DURATION, 10, true, true)            \
	ROW(I_WAITING, "waiting_s", "waiting", COLUMN_DURATION, 10, true, true)   \
	ROW(I_CAUSED, "caused_s", "caused", COLUMN_PART, 10, true, true)          \
	ROW(I_MESSAGES, "messages", "messages", COLUMN_COUNT, 8, true, true)      \
	ROW(I_BYTES, "bytes", "bytes", COLUMN_BYTES, 9, true, true)               \
	ROW(I_LEVEL, "level", "level", COLUMN_INT, 5, true, false)                \
	ROW(I_THREAD, "thread", "thread", COLUMN_INT, 6, true, false)
enum { COLUMNS(COLUMN_ID) I_COLUMNS };
static const struct column columns[I_COLUMNS] = { COLUMNS(COLUMN_ROW) };

struct iteration_row {
	uint32_t iteration, location; /* from 0 */
};

struct iterations_table {
	struct list_table list;
	struct iteration_sums *sums;
};

static void fill_cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct iterations_table *t = (struct iterations_table *)list;
	const struct iteration_row *row = list_table_row(list, item);
	const struct iteration_sum *sum = &t->sums->of[row->location][row->iteration];
	const struct location *location = trace_location(list->trace, row->location);

	v[I_ITERATION] = value_integer(true, (int64_t)row->iteration + 1);
	v[I_RANK] = value_rank(location->rank);
	v[I_THREAD] = value_integer(true, location->thread);
	v[I_BEGIN] = value_integer(true, sum->begin);
	v[I_END] = value_integer(true, sum->end);
	v[I_DURATION] = value_integer(true, sum->end - sum->begin);
	v[I_WORK] = value_integer(true, iteration_work(sum));
	v[I_WAITING] = value_integer(true, (int64_t)sum->waiting);
	v[I_CAUSED] = value_real(true, sum->caused);
	v[I_MESSAGES] = value_count(sum->messages);
	v[I_BYTES] = value_bytes(sum->bytes);
	v[I_LEVEL] = value_integer(true, (int64_t)t->sums->level + 1);
}

static void fini(struct list_table *list)
{
	iteration_sums_free(((struct iterations_table *)list)->sums);
}

static struct row_thing thing(const struct list_table *list, uint32_t item)
{
	const struct iteration_row *row = list_table_row(list, item);

	return (struct row_thing){ .kind = THING_LOCATION, .id = row->location };
}

/* Iterations that are partly in the query's window count as a whole. */
static bool is_in_window(const struct query *query, const struct iteration_sum *sum)
{
	return sum->begin < query->t1 && (sum->end > query->t0 || sum->begin >= query->t0);
}

typedef VEC(struct row_key) key_list;

static void add_rows(struct iterations_table *t, const struct query *query, key_list *keys)
{
	OWNED uint32_t *locations = query_by_rank(query);
	const uint32_t n = query_location_count(query);

	for (uint32_t k = 0; k < t->sums->n; k++)
		for (uint32_t i = 0; i < n; i++) {
			const uint32_t l = locations[i];
			const struct iteration_row row = { k, l };
			const struct location *location = trace_location(query->trace, l);

			if (!t->sums->of[l] || !filter_location(query->filter, l) ||
			    !is_in_window(query, &t->sums->of[l][k]))
				continue;
			list_table_add_row(&t->list, &row);
			vec_push(keys,
				 ((struct row_key){ { k, location->rank, location->thread, l } }));
		}
}

static struct table *rows_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = fill_cells,
					     .fini = fini,
					     .row_size = sizeof(struct iteration_row),
					     .thing = thing };
	struct iterations_table *t =
		list_table_new(sizeof *t, &ops, columns, I_COLUMNS, query->trace);
	OWNED_VEC(struct row_key) keys = VEC_INIT;
	struct table *table;

	t->sums =
		iteration_sums_new(query,
				   query->export.level ? (int)query->export.level - 1 : LEVEL_MAIN,
				   err);
	if (t->sums)
		add_rows(t, query, (key_list *)&keys);
	t->list.table.sorted_by = I_ITERATION;
	table = list_table_done(&t->list, t->sums != NULL);
	return table ? table_gather(table, trace_exchange(query->trace), keys.data) : NULL;
}

/* ---- levels ---- */

#define LEVEL_COLUMNS(ROW)                                                          \
	ROW(L_LEVEL, "level", "level", COLUMN_INT, 5, true, true)                   \
	ROW(L_ITERATIONS, "iterations", "iterations", COLUMN_COUNT, 10, true, true) \
	ROW(L_SHOWN, "shown", "shown", COLUMN_TEXT, 5, true, true)                  \
	ROW(L_SIMILAR, "similar", "alike", COLUMN_SHARE, 8, true, true)             \
	ROW(L_COVER, "cover", "of the run", COLUMN_SHARE, 10, true, true)           \
	ROW(L_VISITS, "visits", "visits", COLUMN_COUNT, 8, true, false)             \
	ROW(L_WARM, "warm_up", "warm-up", COLUMN_COUNT, 7, true, false)             \
	ROW(L_ANCHOR, "anchor", "delimited by", COLUMN_NAME, 0, true, true)         \
	ROW(L_FILE, "file", "file", COLUMN_TEXT, 16, true, true)                    \
	ROW(L_LINE, "line", "line", COLUMN_INT, 5, true, true)
enum { LEVEL_COLUMNS(COLUMN_ID) L_COLUMNS };
static const struct column level_columns[L_COLUMNS] = { LEVEL_COLUMNS(COLUMN_ROW) };

struct levels_table {
	struct list_table list;
	const struct iteration_level *levels;
	size_t main;
};

static void fill_level(struct list_table *list, uint32_t item, struct value *v)
{
	const struct levels_table *t = (struct levels_table *)list;
	const struct iteration_level *level = &t->levels[item];
	const struct callpath *path = trace_callpath(list->trace, level->path);
	const struct site *site = trace_site(list->trace, path->site);

	v[L_LEVEL] = value_integer(true, (int64_t)item + 1);
	v[L_ITERATIONS] = value_count(level->n);
	v[L_SHOWN] = value_text(item == t->main ? "yes" : NULL);
	v[L_SIMILAR] = value_real(true, level->similar);
	v[L_COVER] = value_real(true, level->cover);
	v[L_VISITS] = value_count(level->visits);
	v[L_WARM] = value_count(level->warm);
	v[L_ANCHOR] = value_text(trace_region_name(list->trace, site->region));
	v[L_FILE] = value_text(trace_string(list->trace, site->file));
	v[L_LINE] = value_integer(site->line != 0, site->line);
}

static struct row_thing level_thing(const struct list_table *list, uint32_t item)
{
	const struct levels_table *t = (const struct levels_table *)list;

	return (struct row_thing){ .kind = THING_CALLPATH, .id = t->levels[item].path };
}

static struct table *levels_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = fill_level, .thing = level_thing };
	struct levels_table *t =
		list_table_new(sizeof *t, &ops, level_columns, L_COLUMNS, query->trace);
	const struct iterations *iterations;
	const bool done = query_iterations(query, LEVEL_MAIN, &iterations, err);
	size_t n = 0;

	if (iterations)
		t->levels = iterations_levels(iterations, &n, &t->main);
	list_table_add_all(&t->list, n);
	return list_table_done(&t->list, done);
}

struct table *iterations_table_new(const struct query *query, struct err *err)
{
	if (query->export.by_level)
		return levels_new(query, err);
	return query->other ? iteration_pairs_table_new(query, err) : rows_new(query, err);
}
