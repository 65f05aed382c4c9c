#include "views/export/export_json.h"

#include "base/output.h"
#include "views/export/export_page.h"
#include "views/export/export_rows.h"

static bool is_string(const struct column *column, const struct value *value)
{
	return column_is_text(column) ||
	       (column->type == COLUMN_RANK && value->integer == RANK_HOST);
}

static void add_row(const struct row_writer *writer, const struct value *values, struct str *text,
		    struct str *line)
{
	const struct export_columns *columns = writer->context;
	const struct table *table = writer->table;

	for (unsigned i = 0; i < columns->n; i++) {
		const unsigned c = columns->at[i];
		const struct column *column = &table->columns[c];

		str_add_char(line, i ? ',' : '{');
		str_add_json(line, column->name);
		str_add_char(line, ':');
		str_clear(text);
		table_write(table, c, &values[c], text);
		if (!values[c].known || (!text->n && !column_is_text(column)))
			str_add(line, "null");
		else if (is_string(column, &values[c]))
			str_add_json(line, text->text);
		else
			str_add(line, text->text);
	}
	str_add_char(line, '}');
}

static void add_member(struct str *out, const char *key, const char *text)
{
	str_add_fmt(out, "\"%s\":", key);
	if (text)
		str_add_json(out, text);
	else
		str_add(out, "null");
}

/* NULL: the number has none, or names it beside itself. */
static const char *unit_of(enum column_type type)
{
	switch (type) {
	case COLUMN_TIME:
	case COLUMN_DURATION:
	case COLUMN_MOVE:
	case COLUMN_PART: return "s";
	case COLUMN_BYTES: return "B";
	case COLUMN_SHARE: return "1";
	default: return NULL;
	}
}

static void add_columns(const struct table *table, const struct export_columns *columns,
			struct str *out)
{
	static const char *const kinds[] = {
		[CELL_TEXT] = "text", [CELL_INTEGER] = "integer", [CELL_REAL] = "real"
	};

	str_add(out, "\"columns\":[");
	for (unsigned i = 0; i < columns->n; i++) {
		const struct column *column = &table->columns[columns->at[i]];
		str_add(out, i ? ",\n{" : "\n{");
		add_member(out, "name", column->name);
		str_add_char(out, ',');
		add_member(out, "kind", kinds[column_kind(column)]);
		str_add_char(out, ',');
		add_member(out, "unit", unit_of(column->type));
		str_add_char(out, '}');
	}
	str_add(out, "\n],\n");
}

static void add_head(const struct export_about *about, struct str *out)
{
	str_add(out, "{\"schema\":\"tview-export\",\"version\":1,\n");
	add_member(out, "view", about->view);
	str_add_char(out, ',');
	add_member(out, "trace", about->trace);
	str_add_char(out, ',');
	add_member(out, "times", about->times);
	str_add(out, ",\n");
}

static void add_left(const struct export_left *left, struct str *out)
{
	str_add(out, "\"left_out\":");
	if (!left->before && !left->after) {
		str_add(out, "null");
		return;
	}
	str_add_fmt(out, "{\"before\":%llu,\"after\":%llu,", (unsigned long long)left->before,
		    (unsigned long long)left->after);
	add_member(out, "page", left->page.n ? left->page.text : NULL);
	str_add_char(out, ',');
	add_member(out, "command", left->command.n ? left->command.text : NULL);
	str_add_char(out, '}');
}

bool export_json(struct table *table, const struct export_options *options,
		 const struct export_columns *columns, FILE *out, struct err *err)
{
	const struct row_writer writer = { table, options->exchange, "\"rows\":[\n",
					   ",\n", add_row,           columns };
	struct export_left left = EXPORT_LEFT_INIT;
	OWNED_STR text = STR_INIT;

	add_head(&options->about, &text);
	add_columns(table, columns, &text);
	fwrite(text.text, 1, text.n, out);
	fputs(export_rows(&writer, out) ? "\n],\n" : "\"rows\":[],\n", out);
	export_left_find(&left, table, options);
	str_clear(&text);
	add_left(&left, &text);
	str_add(&text, "}\n");
	fwrite(text.text, 1, text.n, out);
	export_left_fini(&left);
	return output_check(out, err);
}
