/* view_corrections_condition: the clock condition before and after: by base and class of message,
 * and by pair of locations. */
#include <stdlib.h>

#include "base/order.h"
#include "views/facts/corrections_facts.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

/* ---- by base and class ---- */

#define CLASS_COLUMNS(ROW)                                                                        \
	ROW(C_BASE, "base", "base", COLUMN_TEXT, 11, true, true)                                  \
	ROW(C_CLASS, "class", "class", COLUMN_TEXT, 13, true, true)                               \
	ROW(C_MESSAGES, "messages", "messages", COLUMN_COUNT, 9, true, true)                      \
	ROW(C_REVERSED, "reversed", "reversed", COLUMN_COUNT, 8, true, true)                      \
	ROW(C_VIOLATIONS, "violations", "below latency", COLUMN_COUNT, 9, true, true)             \
	ROW(C_WORST, "worst_reversed_s", "worst", COLUMN_DURATION, 10, true, true)                \
	ROW(C_MEAN, "mean_reversed_s", "mean", COLUMN_DURATION, 10, true, true)                   \
	ROW(C_WORST_VIOLATION, "worst_violation_s", "worst violation", COLUMN_DURATION, 11, true, \
	    true)
enum { CLASS_COLUMNS(COLUMN_ID) C_COLUMNS };
static const struct column class_columns[C_COLUMNS] = { CLASS_COLUMNS(COLUMN_ROW) };

struct classes_table {
	struct list_table list;
	const struct corrections *corrections;
};

/* An item is base * CLASS_ROWS + row: all of them, then each class. */
enum { CLASS_ROWS = LOGICAL_CLASSES + 1 };

static const struct check_sum *sum_of(const struct corrections *c, uint32_t item)
{
	const struct check *check = &c->check[item / CLASS_ROWS];
	const uint32_t row = item % CLASS_ROWS;

	return row ? &check->by_class[row - 1] : &check->all;
}

static void sum_cells(const struct check_sum *sum, struct value *v, unsigned first)
{
	const bool reversed = sum->reversed > 0;

	v[first] = value_count(sum->messages);
	v[first + 1] = value_count(sum->reversed);
	v[first + 2] = value_count(sum->violating);
	v[first + 3] = value_integer(reversed, sum->worst);
	v[first + 4] = value_duration(reversed, check_sum_mean(sum));
	v[first + 5] = value_integer(sum->violating > 0, sum->worst_violation);
}

static void class_cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct classes_table *t = (const struct classes_table *)list;
	const uint32_t row = item % CLASS_ROWS;

	v[C_BASE] = value_text(time_base_name((enum time_base)(item / CLASS_ROWS)));
	v[C_CLASS] = value_text(row ? logical_class_name((enum logical_class)(row - 1)) : "all");
	sum_cells(sum_of(t->corrections, item), v, C_MESSAGES);
}

struct table *corrections_classes_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = class_cells };
	struct classes_table *t =
		list_table_new(sizeof *t, &ops, class_columns, C_COLUMNS, query->trace);

	(void)err;
	t->corrections = query->corrections;
	for (uint32_t base = 0; t->corrections && base < BASE_COUNT; base++)
		for (uint32_t row = 0; t->corrections->checked[base] && row < CLASS_ROWS; row++) {
			const uint32_t item = base * CLASS_ROWS + row;
			if (row == 0 || sum_of(t->corrections, item)->messages)
				list_table_add(&t->list, item);
		}
	return &t->list.table;
}

/* ---- by pair ---- */

#define PAIR_COLUMNS(ROW)                                                                     \
	ROW(P_FROM, "from", "from", COLUMN_TEXT, 8, true, true)                               \
	ROW(P_TO, "to", "to", COLUMN_TEXT, 8, true, true)                                     \
	ROW(P_MESSAGES, "messages", "messages", COLUMN_COUNT, 8, true, true)                  \
	ROW(P_REVERSED, "reversed", "reversed", COLUMN_COUNT, 8, true, true)                  \
	ROW(P_VIOLATIONS, "violations", "below latency", COLUMN_COUNT, 9, true, true)         \
	ROW(P_WORST, "worst_reversed_s", "worst", COLUMN_DURATION, 10, true, false)           \
	ROW(P_MEAN, "mean_reversed_s", "mean", COLUMN_DURATION, 10, true, false)              \
	ROW(P_WORST_VIOLATION, "worst_violation_s", "worst", COLUMN_DURATION, 10, true, true) \
	ROW(P_REVERSED_AFTER, "reversed_after", "after", COLUMN_COUNT, 6, true, false)        \
	ROW(P_VIOLATIONS_AFTER, "violations_after", "after", COLUMN_COUNT, 6, true, true)     \
	ROW(P_WORST_AFTER, "worst_violation_after_s", "by", COLUMN_DURATION, 8, true, true)
enum { PAIR_COLUMNS(COLUMN_ID) P_COLUMNS };
static const struct column pair_columns[P_COLUMNS] = { PAIR_COLUMNS(COLUMN_ROW) };

struct pairs_table {
	struct list_table list;
	struct corrected facts;
	/* Pairs that violate the condition afterwards, by from and to; their items follow those
	 * before. */
	VEC(const struct check_pair *) after;
};

static int compare_pairs(const void *pa, const void *pb)
{
	const struct check_pair *a = *(const struct check_pair *const *)pa;
	const struct check_pair *b = *(const struct check_pair *const *)pb;

	ORDER_BY(a->from, b->from);
	return ORDER(a->to, b->to);
}

static const struct check_pair *find_after(const struct pairs_table *t,
					   const struct check_pair *pair)
{
	const struct check_pair **found = t->after.n ? bsearch(&pair, t->after.data, t->after.n,
							       sizeof *t->after.data, compare_pairs)
						     : NULL;

	return found ? *found : NULL;
}

/* Sets one to NULL if the pair violates the condition only before or only afterwards. */
static void both_of(const struct pairs_table *t, uint32_t item, const struct check_pair **before,
		    const struct check_pair **after)
{
	const size_t n = t->facts.check_before->n_pairs;

	*before = item < n ? &t->facts.check_before->pairs[item] : NULL;
	*after = *before ? find_after(t, *before) : t->after.data[item - n];
}

static void pair_cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct pairs_table *t = (const struct pairs_table *)list;
	const struct check_pair *before, *after, *one;
	const struct check_sum *sum;

	both_of(t, item, &before, &after);
	one = before ? before : after;
	v[P_FROM] = value_location(t->list.trace, one->from);
	v[P_TO] = value_location(t->list.trace, one->to);
	sum_cells(before ? &before->sum : &check_sum_nothing, v, P_MESSAGES);
	v[P_MESSAGES] = value_count(one->sum.messages);
	sum = after ? &after->sum : &check_sum_nothing;
	v[P_REVERSED_AFTER] = value_count(sum->reversed);
	v[P_VIOLATIONS_AFTER] = value_count(sum->violating);
	v[P_WORST_AFTER] = value_integer(sum->violating > 0, sum->worst_violation);
}

/* The message of the worst violation. */
static struct row_thing worst_of_pair(const struct list_table *list, uint32_t item)
{
	const struct check_pair *before, *after;
	const struct check_sum *sum;

	both_of((const struct pairs_table *)list, item, &before, &after);
	sum = before ? &before->sum : &after->sum;
	return (struct row_thing){ THING_SEND, sum->send, sum->recv };
}

static void pairs_fini(struct list_table *list)
{
	vec_fini(&((struct pairs_table *)list)->after);
}

/* Adds the pairs that violate the condition only afterwards. */
static void add_new_pairs(struct pairs_table *t)
{
	const struct check *before = t->facts.check_before;
	OWNED const struct check_pair **sorted = xcalloc(before->n_pairs, sizeof *sorted);

	for (size_t i = 0; i < before->n_pairs; i++)
		sorted[i] = &before->pairs[i];
	SORT(sorted, before->n_pairs, compare_pairs);
	for (size_t i = 0; i < t->after.n; i++)
		if (!bsearch(&t->after.data[i], sorted, before->n_pairs, sizeof *sorted,
			     compare_pairs))
			list_table_add(&t->list, (uint32_t)(before->n_pairs + i));
}

struct table *corrections_pairs_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = pair_cells,
					     .fini = pairs_fini,
					     .thing = worst_of_pair };
	struct pairs_table *t =
		list_table_new(sizeof *t, &ops, pair_columns, P_COLUMNS, query->trace);
	const struct check *after;

	(void)err;
	t->facts = corrected_of(query->trace, query->corrections);
	after = t->facts.check_after;
	if (!t->facts.check_before)
		return &t->list.table;
	for (size_t i = 0; after && i < after->n_pairs; i++)
		vec_push(&t->after, &after->pairs[i]);
	vec_sort(&t->after, compare_pairs);
	list_table_add_all(&t->list, t->facts.check_before->n_pairs);
	add_new_pairs(t);
	t->list.table.sorted_by = P_WORST_VIOLATION;
	t->list.table.descending = true;
	return &t->list.table;
}
