#include "views/query/table_summed.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/keymap.h"
#include "base/mem.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

static const char *const functions[SUM_KINDS] = { [SUM_COUNT] = "count",
						  [SUM_SUM] = "sum",
						  [SUM_MEAN] = "mean",
						  [SUM_MAX] = "max",
						  [SUM_MIN] = "min" };

enum table_sum_kind table_sum_find(const char *name, size_t n)
{
	for (int k = SUM_COUNT; k < SUM_KINDS; k++)
		if (strlen(functions[k]) == n && strncmp(functions[k], name, n) == 0)
			return (enum table_sum_kind)k;
	return SUM_KINDS;
}

/* What is known of a column of a row. */
struct sum {
	uint64_t n;         /* known cells */
	bool over;          /* it does not fit */
	struct value value; /* of a group: its text is owned */
	__int128 integer;   /* of a mean of whole numbers */
};

struct summed_table {
	struct list_table list;
	const struct column *of; /* columns of the table; valid while it is walked */
	struct table_sum sums[TABLE_COLUMNS];
	unsigned n;
	struct str names[TABLE_COLUMNS];
	struct timescale scale;
	struct keymap groups;
	VEC(struct sum) cells; /* [row][n] */
	VEC(char *) texts;     /* the rows' keys */
};

static bool is_real(enum column_type type)
{
	switch (type) {
	case COLUMN_SHARE:
	case COLUMN_REAL:
	case COLUMN_MEAN:
	case COLUMN_EXACT:
	case COLUMN_PART: return true;
	default: return false;
	}
}

static bool is_ticks(enum column_type type)
{
	return type == COLUMN_TIME || type == COLUMN_DURATION || type == COLUMN_MOVE;
}

/* The type of a result. */
static enum column_type type_of(enum table_sum_kind kind, enum column_type type)
{
	switch (kind) {
	case SUM_COUNT: return COLUMN_COUNT;
	case SUM_SUM:
		return is_ticks(type)         ? COLUMN_DURATION
		       : type == COLUMN_PART  ? COLUMN_PART
		       : is_real(type)        ? COLUMN_EXACT
		       : type == COLUMN_BYTES ? COLUMN_BYTES
					      : COLUMN_INT;
	case SUM_MEAN: return is_ticks(type) || type == COLUMN_PART ? COLUMN_PART : COLUMN_EXACT;
	default: return type;
	}
}

/* ---- rows ---- */

static void cells(struct list_table *list, uint32_t item, struct value *values)
{
	const struct summed_table *t = (const struct summed_table *)list;

	for (unsigned i = 0; i < t->n; i++) {
		const struct sum *sum = &t->cells.data[(size_t)item * t->n + i];

		values[i] = sum->value;
		if (t->sums[i].kind == SUM_GROUP)
			continue;
		values[i].known = (t->sums[i].kind == SUM_COUNT || sum->n) && !sum->over;
		if (t->sums[i].kind == SUM_MEAN && sum->n)
			values[i].real = (sum->integer ? (double)sum->integer : sum->value.real) /
					 (double)sum->n;
	}
}

static void fini(struct list_table *list)
{
	struct summed_table *t = (struct summed_table *)list;
	char **text;

	vec_each (text, &t->texts)
		free(*text);
	for (unsigned i = 0; i < t->n; i++)
		str_fini(&t->names[i]);
	vec_fini(&t->texts);
	vec_fini(&t->cells);
	keymap_fini(&t->groups);
}

/* The cells of a row's group as one text; a part for each, with its length. */
static void add_key(const struct summed_table *t, const struct table *table,
		    const struct value *values, struct str *key)
{
	str_clear(key);
	for (unsigned i = 0; i < t->n; i++) {
		const size_t start = key->n;
		if (t->sums[i].kind != SUM_GROUP)
			continue;
		table_write(table, t->sums[i].column, &values[t->sums[i].column], key);
		str_add_fmt(key, "%s%zu;", values[t->sums[i].column].known ? "=" : "!",
			    key->n - start);
	}
}

static char *keep_text(struct summed_table *t, const char *text)
{
	char *copy = xstrdup(text);

	vec_push(&t->texts, copy);
	return copy;
}

static uint32_t new_row(struct summed_table *t, const struct value *values)
{
	for (unsigned i = 0; i < t->n; i++) {
		struct sum *sum = vec_add(&t->cells);

		*sum = (struct sum){ 0 };
		if (t->sums[i].kind != SUM_GROUP)
			continue;
		sum->value = values[t->sums[i].column];
		if (sum->value.known && column_is_text(&t->of[t->sums[i].column]))
			sum->value.text = keep_text(t, sum->value.text);
	}
	list_table_add(&t->list, (uint32_t)t->list.order.n);
	return (uint32_t)t->list.order.n - 1;
}

static uint32_t row_of(struct summed_table *t, const struct value *values, const struct str *key)
{
	const XXH128_hash_t hash = XXH3_128bits(key->text, key->n);
	const struct key k = KEY_OF((uint32_t)hash.low64, (uint32_t)(hash.low64 >> 32),
				    (uint32_t)hash.high64, (uint32_t)(hash.high64 >> 32));
	uint32_t row;

	if (keymap_new(&t->groups, k, t->list.order.n, &row))
		new_row(t, values);
	return row;
}

static void add_value(struct sum *sum, enum table_sum_kind kind, enum column_type type,
		      const struct value *value)
{
	const int order =
		sum->n && kind >= SUM_MAX ? value_order(type, false, value, &sum->value) : 0;

	sum->value.approximate |= value->approximate;
	if (kind == SUM_SUM && !is_real(type))
		sum->over |= __builtin_add_overflow(sum->value.integer, value->integer,
						    &sum->value.integer);
	else if (kind == SUM_MEAN && !is_real(type))
		sum->integer += value->integer;
	else if (kind == SUM_SUM || kind == SUM_MEAN)
		sum->value.real += value->real;
	else if (!sum->n || (kind == SUM_MAX ? order > 0 : order < 0))
		sum->value = *value;
	sum->n++;
}

static void add_row(struct summed_table *t, uint32_t row, const struct value *values)
{
	for (unsigned i = 0; i < t->n; i++) {
		struct sum *sum = &t->cells.data[(size_t)row * t->n + i];
		const unsigned c = t->sums[i].column;

		if (t->sums[i].kind == SUM_COUNT)
			sum->value.integer++;
		else if (t->sums[i].kind != SUM_GROUP && values[c].known)
			add_value(sum, t->sums[i].kind, t->of[c].type, &values[c]);
	}
}

/* ---- the table ---- */

static struct column column_of(struct summed_table *t, const struct table *table, unsigned i)
{
	const struct table_sum *sum = &t->sums[i];
	struct column column = { .exported = true, .on_screen = true, .width = 12 };

	if (sum->kind == SUM_GROUP) {
		column = table->columns[sum->column];
		column.exported = column.on_screen = true;
		return column;
	}
	str_add(&t->names[i], functions[sum->kind]);
	if (sum->kind != SUM_COUNT)
		str_add_fmt(&t->names[i], "_%s", table->columns[sum->column].name);
	column.name = column.title = t->names[i].text;
	column.type = type_of(sum->kind, sum->kind == SUM_COUNT ? COLUMN_COUNT
								: table->columns[sum->column].type);
	return column;
}

static void walk(struct summed_table *t, struct table *table)
{
	struct value values[TABLE_COLUMNS] = { { .known = false } };
	OWNED_STR key = STR_INIT;
	bool grouped = false;

	for (unsigned i = 0; i < t->n; i++)
		grouped |= t->sums[i].kind == SUM_GROUP;
	if (!grouped) { /* a row, also of nothing */
		add_key(t, table, values, &key);
		row_of(t, values, &key);
	}
	for (uint64_t row = table_first(table); row != ROW_NONE; row = table_next(table, row)) {
		table_cells(table, row, values);
		add_key(t, table, values, &key);
		add_row(t, row_of(t, values, &key), values);
	}
	table_leave(table);
}

struct table *table_summed_new(struct table *table, const struct table_sum *sums, unsigned n)
{
	static const struct list_ops ops = { .cells = cells, .fini = fini };
	static const struct column none[TABLE_COLUMNS];
	struct summed_table *t = list_table_new(sizeof *t, &ops, none, n, NULL);

	memcpy(t->sums, sums, n * sizeof *sums);
	t->n = n;
	t->of = table->columns;
	for (unsigned i = 0; i < n; i++) {
		str_init(&t->names[i]);
		t->list.columns[i] = column_of(t, table, i);
	}
	/* The names of grouped columns are static, as those of all tables. */
	t->scale = *table->scale;
	t->list.table.scale = &t->scale;
	t->list.table.sorted_by = COLUMN_NONE;
	walk(t, table);
	table_free(table);
	return &t->list.table;
}
