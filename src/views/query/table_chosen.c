#define _GNU_SOURCE
#include "views/query/table_chosen.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/vec.h"

/* A row, and what orders it. */
struct chosen_key {
	struct value value; /* a text is the key's own */
	uint64_t row, seat; /* handle, and index among all that match */
};

struct chosen_table {
	struct table table;
	struct table *of;
	struct table_choice choice;
	VEC(struct chosen_key) keys; /* with an order; a heap, the last one on top, then sorted */
	struct value values[TABLE_COLUMNS]; /* of `row`, where they were looked at */
	uint64_t row;                       /* of `of`, that was given last */
	uint64_t index;                     /* how many that match were met before */
	bool looked, ended;
};

static struct chosen_table *chosen_of(struct table *table)
{
	return (struct chosen_table *)table;
}

/* ---- rows that match ---- */

static bool matches(struct chosen_table *c, uint64_t row)
{
	c->looked = c->choice.matches != NULL;
	if (!c->looked)
		return true;
	table_cells(c->of, row, c->values);
	return c->choice.matches(c->choice.context, c->values);
}

static uint64_t skip(struct chosen_table *c, uint64_t row)
{
	while (row != ROW_NONE && !matches(c, row))
		row = table_next(c->of, row);
	return row;
}

static uint64_t step(struct chosen_table *c)
{
	c->row = skip(c, table_next(c->of, c->row));
	c->index++;
	return c->row;
}

/* ---- the order ---- */

static int key_order(const struct chosen_table *c, const struct chosen_key *a,
		     const struct chosen_key *b)
{
	const int order = value_order(c->of->columns[c->choice.column].type, c->choice.descending,
				      &a->value, &b->value);

	return order ? order : ORDER(a->seat, b->seat);
}

static int compare(const void *a, const void *b, void *context)
{
	return key_order(context, a, b);
}

static bool has_text(const struct chosen_table *c, const struct chosen_key *key)
{
	return key->value.known && column_is_text(&c->of->columns[c->choice.column]);
}

static void free_key(const struct chosen_table *c, struct chosen_key *key)
{
	if (has_text(c, key))
		free((char *)(uintptr_t)key->value.text);
}

static void swap(struct chosen_key *a, struct chosen_key *b)
{
	const struct chosen_key key = *a;

	*a = *b;
	*b = key;
}

static void sift_up(struct chosen_table *c, size_t i)
{
	struct chosen_key *keys = c->keys.data;

	for (; i && key_order(c, &keys[(i - 1) / 2], &keys[i]) < 0; i = (i - 1) / 2)
		swap(&keys[i], &keys[(i - 1) / 2]);
}

static void sift_down(struct chosen_table *c)
{
	struct chosen_key *keys = c->keys.data;

	for (size_t i = 0, last; (last = 2 * i + 1) < c->keys.n; i = last) {
		if (last + 1 < c->keys.n && key_order(c, &keys[last], &keys[last + 1]) < 0)
			last++;
		if (key_order(c, &keys[i], &keys[last]) >= 0)
			return;
		swap(&keys[i], &keys[last]);
	}
}

/* Of the keys that are wanted the last one is on top, and leaves when an earlier one comes. */
static void add_key(struct chosen_table *c, uint64_t wanted)
{
	struct chosen_key key = { .row = c->row, .seat = c->index };
	const bool full = c->keys.n == wanted;

	if (!c->looked)
		table_cells(c->of, c->row, c->values);
	key.value = c->values[c->choice.column];
	if (!wanted || (full && key_order(c, &key, &c->keys.data[0]) > 0))
		return;
	if (has_text(c, &key))
		key.value.text = xstrdup(key.value.text);
	if (!full) {
		vec_push(&c->keys, key);
		sift_up(c, c->keys.n - 1);
		return;
	}
	free_key(c, &c->keys.data[0]);
	c->keys.data[0] = key;
	sift_down(c);
}

static void order(struct chosen_table *c)
{
	const struct table_choice *choice = &c->choice;
	const uint64_t wanted =
		choice->most > UINT64_MAX - choice->from ? UINT64_MAX : choice->from + choice->most;

	for (c->row = skip(c, table_first(c->of)); c->row != ROW_NONE; step(c))
		add_key(c, wanted);
	table_leave(c->of);
	c->ended = true;
	if (c->keys.n)
		qsort_r(c->keys.data, c->keys.n, sizeof *c->keys.data, compare, c);
	c->table.rows = c->keys.n > choice->from ? c->keys.n - choice->from : 0;
}

/* ---- the table ---- */

static bool is_ordered(const struct chosen_table *c)
{
	return c->choice.column != COLUMN_NONE;
}

static uint64_t given(struct chosen_table *c)
{
	const struct table_choice *choice = &c->choice;

	return c->row != ROW_NONE && c->index - choice->from < choice->most ? c->row : ROW_NONE;
}

static uint64_t first(struct table *table)
{
	struct chosen_table *c = chosen_of(table);

	if (is_ordered(c))
		return table->rows ? c->choice.from : ROW_NONE;
	c->index = 0;
	c->ended = false;
	c->row = skip(c, table_first(c->of));
	while (c->row != ROW_NONE && c->index < c->choice.from)
		step(c);
	return given(c);
}

static uint64_t next(struct table *table, uint64_t row)
{
	struct chosen_table *c = chosen_of(table);

	if (is_ordered(c))
		return row + 1 < c->keys.n ? row + 1 : ROW_NONE;
	step(c);
	return given(c);
}

static uint64_t row_of(const struct chosen_table *c, uint64_t row)
{
	return is_ordered(c) ? c->keys.data[row].row : row;
}

static void cells(struct table *table, uint64_t row, struct value *values)
{
	struct chosen_table *c = chosen_of(table);

	if (!is_ordered(c) && c->looked && row == c->row)
		memcpy(values, c->values, c->of->n_columns * sizeof *values);
	else
		table_cells(c->of, row_of(c, row), values);
}

static struct row_thing thing(const struct table *table, uint64_t row)
{
	const struct chosen_table *c = (const struct chosen_table *)(const void *)table;

	return table_thing(c->of, row_of(c, row));
}

static void chosen_free(struct table *table)
{
	OWNED struct chosen_table *c = chosen_of(table);

	for (size_t i = 0; i < c->keys.n; i++)
		free_key(c, &c->keys.data[i]);
	vec_fini(&c->keys);
	table_free(c->of);
	if (c->choice.drop)
		c->choice.drop(c->choice.context);
}

static const struct table_ops chosen_ops = {
	.free = chosen_free, .first = first, .next = next, .cells = cells, .thing = thing
};

struct table *table_chosen_new(struct table *table, const struct table_choice *choice)
{
	struct chosen_table *c = xcalloc(1, sizeof *c);

	c->table = *table;
	c->table.ops = &chosen_ops;
	c->of = table;
	c->choice = *choice;
	if (choice->most < c->table.rows)
		c->table.rows = choice->most;
	if (is_ordered(c)) {
		c->table.sorted_by = choice->column;
		c->table.descending = choice->descending;
		order(c);
	} else {
		c->row = ROW_NONE;
	}
	return &c->table;
}

bool table_chosen_left(struct table *table, uint64_t *before, uint64_t *after)
{
	struct chosen_table *c = chosen_of(table);
	uint64_t end;

	if (table->ops != &chosen_ops)
		return false;
	if (!is_ordered(c) && c->row == ROW_NONE && !c->index)
		first(table);
	while (c->row != ROW_NONE)
		step(c);
	end = c->choice.most > UINT64_MAX - c->choice.from ? UINT64_MAX
							   : c->choice.from + c->choice.most;
	*before = c->choice.from < c->index ? c->choice.from : c->index;
	*after = end < c->index ? c->index - end : 0;
	return true;
}
