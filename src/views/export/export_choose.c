#include "views/export/export_choose.h"

#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "model/filter/filter_rows.h"
#include "views/export/export_page.h"
#include "views/query/column_names.h"
#include "views/query/table_chosen.h"
#include "views/query/table_summed.h"
#include "views/query/view_common.h"

/* ---- names of columns ---- */

int export_column(const struct table *table, const char *name, size_t n)
{
	const char *open = memchr(name, '(', n);
	OWNED_STR summed = STR_INIT;

	if (!open)
		return column_named(table, name, n);
	str_add_n(&summed, name, (size_t)(open - name));
	n -= (size_t)(open + 1 - name) + (n && name[n - 1] == ')');
	if (n)
		str_add_char(&summed, '_');
	if (n == strlen(COLUMN_DUR) && strncmp(open + 1, COLUMN_DUR, n) == 0)
		str_add(&summed, COLUMN_DUR_IS);
	else
		str_add_n(&summed, open + 1, n);
	return column_named(table, summed.text, summed.n);
}

/* ---- the condition ---- */

/* A condition on the rows of a table, and the filter of its events. */
struct row_condition {
	struct filter_rows *rows;
	struct filter *filter;
	const struct table *table;
	const struct value *values; /* of the row that is asked about */
	struct str text, bare;      /* scratch, names of columns without units */
};

static void condition_free(void *context)
{
	struct row_condition *c = context;

	filter_rows_free(c->rows);
	filter_free(c->filter);
	str_fini(&c->text);
	str_fini(&c->bare);
	free(c);
}

static enum filter_row_type type_of(const struct column *column)
{
	switch (column->type) {
	case COLUMN_TEXT:
	case COLUMN_NAME: return FILTER_ROW_TEXT;
	case COLUMN_TIME:
	case COLUMN_DURATION:
	case COLUMN_MOVE: return FILTER_ROW_TIME;
	case COLUMN_BYTES: return FILTER_ROW_BYTES;
	case COLUMN_RANK: return FILTER_ROW_RANK;
	case COLUMN_PART: return FILTER_ROW_REAL_TIME;
	case COLUMN_INT:
	case COLUMN_COUNT: return FILTER_ROW_NUMBER;
	default: return FILTER_ROW_REAL;
	}
}

static void cell_of(void *context, unsigned column, struct filter_cell *cell)
{
	struct row_condition *c = context;
	const struct value *value = &c->values[column];

	*cell = (struct filter_cell){ .known = value->known };
	if (!value->known)
		return;
	switch (type_of(&c->table->columns[column])) {
	case FILTER_ROW_TEXT:
		str_clear(&c->text);
		table_write(c->table, column, value, &c->text);
		cell->text = c->text.text;
		break;
	case FILTER_ROW_REAL:
	case FILTER_ROW_REAL_TIME: cell->real = value->real; break;
	default: cell->integer = value->integer;
	}
}

static bool row_matches(void *context, const struct value *values)
{
	struct row_condition *c = context;

	c->values = values;
	return filter_rows_match(c->rows, cell_of, c);
}

/* The exported columns of a table, each also without its unit. */
static unsigned names_of(const struct table *table, struct filter_row_name *names, struct str *bare)
{
	unsigned n = 0;
	size_t at[TABLE_COLUMNS];

	for (unsigned c = 0; c < table->n_columns; c++) {
		const size_t length = column_bare_length(table->columns[c].name);
		at[c] = bare->n;
		str_add_n(bare, table->columns[c].name, length);
		str_add_char(bare, '\0');
	}
	for (unsigned c = 0; c < table->n_columns; c++) {
		const struct column *column = &table->columns[c];
		const enum filter_row_type type = type_of(column);
		if (!column->exported)
			continue;
		names[n++] = (struct filter_row_name){ column->name, type, c };
		if (bare->text[at[c]])
			names[n++] = (struct filter_row_name){ bare->text + at[c], type, c };
		if (strcmp(column->name, COLUMN_DUR_IS) == 0)
			names[n++] = (struct filter_row_name){ COLUMN_DUR, type, c };
	}
	return n;
}

/* The table made again, of the events that a filter, and the query's own, lets pass. */
static struct table *make_filtered(table_maker *make, const struct query *query,
				   struct row_condition *c, const struct str *events,
				   struct err *err)
{
	struct query filtered = *query;
	OWNED_STR text = STR_INIT;

	if (query->filter)
		str_add_fmt(&text, "(%s) && ", filter_text(query->filter));
	str_add(&text, events->text);
	filtered.filter = c->filter = filter_compile(text.text, query->trace, err);
	return c->filter ? make(&filtered, err) : NULL;
}

/* A table of the rows that the condition admits. */
static struct table *make_where(table_maker *make, const struct query *query, const char *where,
				struct table_choice *choice, struct err *err)
{
	struct filter_row_name names[3 * TABLE_COLUMNS];
	struct table *table = make(query, err);
	OWNED_STR events = STR_INIT;
	struct row_condition *c;

	if (!table)
		return NULL;
	c = xcalloc(1, sizeof *c);
	str_init(&c->text);
	str_init(&c->bare);
	choice->context = c;
	choice->drop = condition_free;
	choice->matches = row_matches;
	c->rows = filter_rows_new(where, names, names_of(table, names, &c->bare), table->scale,
				  &events, err);
	if (!c->rows || events.n) {
		table_free(table);
		table = c->rows ? make_filtered(make, query, c, &events, err) : NULL;
	}
	c->table = table;
	if (!table)
		condition_free(c);
	return table;
}

/* ---- the order ---- */

/* "COLUMN", "COLUMN:desc": the most first; "COLUMN:asc", "COLUMN up": the least. */
static bool parse_order(const struct table *table, const char *by, unsigned *column,
			bool *descending, struct err *err)
{
	static const struct {
		const char *after;
		bool descending;
	} orders[] = { { "", true }, { ":desc", true }, { ":asc", false }, { " up", false } };
	const size_t n = strcspn(by, " :");
	const int found = export_column(table, by, n);

	for (size_t i = 0; found >= 0 && i < ARRAY_SIZE(orders); i++)
		if (strcmp(by + n, orders[i].after) == 0) {
			*column = (unsigned)found;
			*descending = orders[i].descending;
			return true;
		}
	return err_set(err, STATUS_USAGE,
		       "there is no column '%s' to sort by (the first line of the export as "
		       "CSV has them)",
		       by);
}

static bool has_order(struct table *table, const struct table_choice *choice)
{
	return table->ops->sort && table->sorted_by == choice->column &&
	       table->descending == choice->descending;
}

/* Where all rows are wanted a table that can sorts them itself, and by what only it knows the order
 * of: charts. */
static bool sort_itself(struct table *table, const struct table_choice *choice)
{
	return (choice->most == UINT64_MAX || !table->columns[choice->column].exported) &&
	       table->ops->sort && table->ops->sort(table, choice->column, choice->descending);
}

/* ---- sums ---- */

bool export_has_sums(const struct export_options *options)
{
	return options->columns && strchr(options->columns, '(');
}

/* One of a list: "rank", "count()", "sum(bytes)". */
static bool parse_sum(const struct table *table, const char *text, size_t n, struct table_sum *sum,
		      struct err *err)
{
	const char *open = memchr(text, '(', n);
	int column;

	*sum = (struct table_sum){ SUM_GROUP, 0 };
	if (open) {
		sum->kind = table_sum_find(text, (size_t)(open - text));
		if (sum->kind == SUM_KINDS || text[n - 1] != ')')
			return err_set(
				err, STATUS_USAGE,
				"'%.*s' is not count(), or sum, mean, max or min of (COLUMN)",
				(int)n, text);
		n -= (size_t)(open + 1 - text) + 1;
		text = open + 1;
		if (sum->kind == SUM_COUNT && n == 0)
			return true;
	}
	column = export_column(table, text, n);
	if (column < 0)
		return err_set(
			err, STATUS_USAGE,
			"there is no column '%.*s' here (the first line of the export as CSV "
			"has them)",
			(int)n, text);
	sum->column = (unsigned)column;
	return sum->kind == SUM_GROUP || sum->kind == SUM_COUNT ||
	       column_is_number(&table->columns[column]) ||
	       err_set(err, STATUS_USAGE, "%s is text: it has no sum, mean, max or min",
		       table->columns[column].name);
}

/* Takes the table. */
static struct table *sum_up(struct table *table, const char *list, struct err *err)
{
	static const char between[] = " ,\t\r\n";
	struct table_sum sums[TABLE_COLUMNS];
	unsigned n = 0;

	for (list += strspn(list, between); *list; list += strspn(list, between)) {
		const size_t length = strcspn(list, between);
		bool ok =
			n < TABLE_COLUMNS ||
			err_set(err, STATUS_USAGE, "there are more than %d columns", TABLE_COLUMNS);

		if (!ok || !parse_sum(table, list, length, &sums[n++], err)) {
			table_free(table);
			return NULL;
		}
		list += length;
	}
	return table_summed_new(table, sums, n);
}

/* ---- all of it ---- */

/* In the order of the options; takes the table. */
static struct table *order_rows(struct table *table, struct table_choice *choice,
				const struct export_options *options, struct err *err)
{
	bool ok = export_page_begin(options, &choice->from, err);

	if (ok && options->sort)
		ok = parse_order(table, options->sort, &choice->column, &choice->descending, err);
	if (!ok) {
		table_free(table);
		if (choice->drop)
			choice->drop(choice->context);
		return NULL;
	}
	if (options->sort && has_order(table, choice)) {
		choice->column = COLUMN_NONE;
	} else if (options->sort) {
		if (options->sorted)
			*options->sorted = true;
		if (sort_itself(table, choice))
			choice->column = COLUMN_NONE;
	}
	return choice->column == COLUMN_NONE && !options->limit && !options->page &&
			       !choice->matches
		       ? table
		       : table_chosen_new(table, choice);
}

struct table *export_choose(table_maker *make, const struct query *query,
			    const struct export_options *options, struct err *err)
{
	struct table_choice choice = { .column = COLUMN_NONE, .most = UINT64_MAX };
	struct table *table;

	if ((options->sort || options->limit || options->page || options->where ||
	     export_has_sums(options)) &&
	    exchange_processes(options->exchange) > 1) {
		err_set(err, STATUS_USAGE,
			"several processes cannot choose rows: no --sort, --limit, --page, "
			"--where");
		return NULL;
	}
	table = options->where ? make_where(make, query, options->where, &choice, err)
			       : make(query, err);
	if (table && export_has_sums(options)) {
		if (choice.matches)
			table = table_chosen_new(table, &choice);
		choice = (struct table_choice){ .column = COLUMN_NONE, .most = UINT64_MAX };
		table = sum_up(table, options->columns, err);
	}
	if (!table)
		return NULL;
	choice.most = options->limit ? options->limit : UINT64_MAX;
	return order_rows(table, &choice, options, err);
}
