#include "views/export/database.h"

#include <assert.h>
#include <sqlite3.h>
#include <string.h>

#include "base/exchange.h"
#include "base/output.h"
#include "base/version.h"
#include "model/trace/program.h"
#include "views/export/database_texts.h"
#include "views/export/export.h"
#include "views/query/view_common.h"

struct database {
	sqlite3 *db;
	struct database_texts texts;
	sqlite3_stmt *about;
	struct err *err;
};

bool database_is_named(const char *path)
{
	return str_ends_with(path, ".db") || str_ends_with(path, ".sqlite") ||
	       str_ends_with(path, ".sqlite3");
}

static bool failed(struct database *d)
{
	return err_set(d->err, STATUS_IO, "cannot write the database: %s", sqlite3_errmsg(d->db));
}

static bool run(struct database *d, const char *sql)
{
	return sqlite3_exec(d->db, sql, NULL, NULL, NULL) == SQLITE_OK || failed(d);
}

static bool prepare(struct database *d, const char *sql, sqlite3_stmt **statement)
{
	return sqlite3_prepare_v2(d->db, sql, -1, statement, NULL) == SQLITE_OK || failed(d);
}

static bool add_row(struct database *d, sqlite3_stmt *insert)
{
	const bool ok = sqlite3_step(insert) == SQLITE_DONE || failed(d);

	sqlite3_reset(insert);
	return ok;
}

static bool note(struct database *d, const char *key, const char *value)
{
	sqlite3_bind_text(d->about, 1, key, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(d->about, 2, value, -1, SQLITE_TRANSIENT);
	return add_row(d, d->about);
}

/* ---- one table ---- */

/* A text is the number of a text. */
static const char *type_of(const struct column *column)
{
	return column_kind(column) == CELL_REAL ? "REAL" : "INTEGER";
}

/* Names of exports and columns are words of the program, without quotes in them. */
static bool create_rows(struct database *d, const char *name, const struct table *table,
			const struct export_columns *columns)
{
	OWNED_STR sql = STR_INIT;

	str_add_fmt(&sql, "CREATE TABLE \"%s_rows\" (", name);
	for (unsigned i = 0; i < columns->n; i++) {
		const struct column *column = &table->columns[columns->at[i]];
		str_add_fmt(&sql, "%s\"%s\" %s", i ? ", " : "", column->name, type_of(column));
	}
	str_add(&sql, ")");
	return run(d, sql.text);
}

/* What people ask: the rows with their texts. */
static bool create_view(struct database *d, const char *name, const struct table *table,
			const struct export_columns *columns)
{
	OWNED_STR sql = STR_INIT, joins = STR_INIT;

	str_add_fmt(&sql, "CREATE VIEW \"%s\" AS SELECT ", name);
	for (unsigned i = 0; i < columns->n; i++) {
		const struct column *column = &table->columns[columns->at[i]];
		str_add(&sql, i ? ", " : "");
		if (column_is_text(column)) {
			str_add_fmt(&sql, "t%u.text AS \"%s\"", i, column->name);
			str_add_fmt(&joins, " LEFT JOIN texts t%u ON t%u.id = r.\"%s\"", i, i,
				    column->name);
		} else {
			str_add_fmt(&sql, "r.\"%s\" AS \"%s\"", column->name, column->name);
		}
	}
	str_add_fmt(&sql, " FROM \"%s_rows\" r%s", name, joins.text ? joins.text : "");
	return run(d, sql.text);
}

/* Of times, ranks and names of functions the first: each costs time and space. */
static bool create_indexes(struct database *d, const char *name, const struct table *table,
			   const struct export_columns *columns)
{
	bool has[COLUMN_RANK + 1] = { false }, ok = true;

	for (unsigned i = 0; ok && i < columns->n; i++) {
		const struct column *column = &table->columns[columns->at[i]];
		OWNED_STR sql = STR_INIT;

		if (has[column->type] ||
		    (column->type != COLUMN_TIME && column->type != COLUMN_RANK &&
		     column->type != COLUMN_NAME))
			continue;
		has[column->type] = true;
		str_add_fmt(&sql, "CREATE INDEX \"%s_by_%s\" ON \"%s_rows\" (\"%s\")", name,
			    column->name, name, column->name);
		ok = run(d, sql.text);
	}
	return ok;
}

static void bind(struct database *d, sqlite3_stmt *insert, int place, const struct table *table,
		 unsigned column, const struct value *value, struct str *text)
{
	if (!value->known) {
		sqlite3_bind_null(insert, place);
		return;
	}
	switch (column_kind(&table->columns[column])) {
	case CELL_TEXT:
		str_clear(text);
		table_write(table, column, value, text);
		sqlite3_bind_int64(insert, place, database_texts_number(&d->texts, text->text));
		break;
	case CELL_INTEGER:
		if (table->columns[column].type == COLUMN_RANK && value->integer == RANK_HOST)
			sqlite3_bind_text(insert, place, "host", -1, SQLITE_STATIC);
		else
			sqlite3_bind_int64(insert, place, value->integer);
		break;
	case CELL_REAL: sqlite3_bind_double(insert, place, table_real(table, column, value)); break;
	}
}

static bool add_rows(struct database *d, struct table *table, const struct export_columns *columns,
		     sqlite3_stmt *insert)
{
	struct value values[TABLE_COLUMNS];
	OWNED_STR text = STR_INIT;
	bool ok = true;

	for (uint64_t row = table_first(table); ok && row != ROW_NONE;
	     row = table_next(table, row)) {
		table_cells(table, row, values);
		for (unsigned i = 0; i < columns->n; i++)
			bind(d, insert, (int)i + 1, table, columns->at[i], &values[columns->at[i]],
			     &text);
		ok = add_row(d, insert);
	}
	table_leave(table);
	return ok;
}

static bool add_table(struct database *d, const char *name, struct table *table,
		      const struct export_columns *columns)
{
	sqlite3_stmt *insert = NULL;
	OWNED_STR sql = STR_INIT;
	bool ok = create_rows(d, name, table, columns);

	str_add_fmt(&sql, "INSERT INTO \"%s_rows\" VALUES (", name);
	for (unsigned i = 0; i < columns->n; i++)
		str_add(&sql, i ? ",?" : "?");
	str_add(&sql, ")");
	ok = ok && prepare(d, sql.text, &insert) && add_rows(d, table, columns, insert) &&
	     create_view(d, name, table, columns) && create_indexes(d, name, table, columns);
	sqlite3_finalize(insert);
	return ok;
}

/* ---- all tables ---- */

static const struct export_options as_csv = { .format = EXPORT_CSV };

static void name_of_table(const struct view_info *view, const char *after, struct str *name)
{
	for (const char *c = view_export_name(view); *c; c++)
		str_add_char(name, *c == '-' ? '_' : *c);
	str_add(name, after);
}

/* The same by rank, where the table has more columns then. */
static bool add_by_rank(struct database *d, const struct view_info *view, const struct query *query,
			unsigned columns_of_all)
{
	struct query by_rank = *query;
	struct export_columns columns;
	OWNED_STR name = STR_INIT;
	struct table *table;
	bool ok;

	by_rank.export.by_rank = true;
	table = export_rows_of(view, &by_rank, &as_csv, d->err);
	if (!table)
		return false;
	name_of_table(view, "_by_rank", &name);
	ok = export_columns_of(table, &as_csv, &columns, d->err) &&
	     (columns.n <= columns_of_all || add_table(d, name.text, table, &columns));
	table_free(table);
	return ok;
}

/* What was not recorded is left out, with the reason that its export has. */
static bool note_left_out(struct database *d, const char *name, const struct err *why)
{
	OWNED_STR text = STR_INIT;

	if (why->status != STATUS_NO)
		return err_set(d->err, why->status, "%s", why->text);
	str_add_fmt(&text, "%s: %s", name, why->text);
	return note(d, "left out", text.text);
}

static bool add_view(struct database *d, const struct view_info *view, const struct query *query)
{
	struct err why = ERR_INIT;
	struct export_columns columns;
	OWNED_STR name = STR_INIT;
	struct table *table;
	bool ok;

	name_of_table(view, "", &name);
	table = export_rows_of(view, query, &as_csv, &why);
	if (!table)
		return note_left_out(d, name.text, &why);
	ok = export_columns_of(table, &as_csv, &columns, d->err) &&
	     add_table(d, name.text, table, &columns) && add_by_rank(d, view, query, columns.n);
	table_free(table);
	return ok;
}

static bool add_texts(struct database *d)
{
	sqlite3_stmt *insert = NULL;
	bool ok = prepare(d, "INSERT INTO texts VALUES (?, ?)", &insert);

	for (size_t i = 0; ok && i < d->texts.begins.n; i++) {
		sqlite3_bind_int64(insert, 1, (sqlite3_int64)i);
		sqlite3_bind_text(insert, 2, database_text(&d->texts, i), -1, SQLITE_STATIC);
		ok = add_row(d, insert);
	}
	sqlite3_finalize(insert);
	return ok && run(d, "CREATE INDEX texts_by_text ON texts (text)");
}

static bool add_about(struct database *d, const struct query *query)
{
	OWNED_STR path = STR_INIT, window = STR_INIT;
	int64_t t0, t1;

	str_add_clean_text(&path, trace_path(query->trace));
	query_span(query, &t0, &t1);
	units_seconds(&window, t0, trace_scale(query->trace), 9);
	str_add(&window, " to ");
	units_seconds(&window, t1, trace_scale(query->trace), 9);
	return note(d, "tview", TVIEW_VERSION) && note(d, "trace", path.text) &&
	       note(d, "times", time_base_name(query->base)) &&
	       note(d, "window in seconds", window.text) &&
	       note(d, "part of the run", query_is_all(query) && !query->filter ? "no" : "yes");
}

static bool add_views(struct database *d, const struct view_registry *views,
		      const struct query *query)
{
	bool ok = true;

	for (unsigned i = 0; ok && i < views->n; i++)
		if (view_has_rows(&views->views[i]))
			ok = add_view(d, &views->views[i], query);
	return ok;
}

static bool fill(struct database *d, const struct view_registry *views, const struct query *query)
{
	/* A file that is not finished is removed: it needs no journal. */
	return run(d, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
		      "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -65536; BEGIN;"
		      "CREATE TABLE about (key TEXT, value TEXT);"
		      "CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT)") &&
	       prepare(d, "INSERT INTO about VALUES (?, ?)", &d->about) && add_about(d, query) &&
	       add_views(d, views, query) && add_texts(d) &&
	       run(d, "COMMIT; PRAGMA analysis_limit = 1000; ANALYZE");
}

bool database_write(const struct view_registry *views, const struct query *query, const char *path,
		    const char *input, struct err *err)
{
	struct database d = { .err = err };
	struct output output;
	bool ok;

	assert(exchange_processes(trace_exchange(query->trace)) == 1);
	if (!output_open_named(&output, path, input, err))
		return false;
	ok = sqlite3_open_v2(output.temp, &d.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
			     NULL) == SQLITE_OK ||
	     failed(&d);
	ok = ok && fill(&d, views, query) && trace_is_unchanged(query->trace, err);
	sqlite3_finalize(d.about);
	if (sqlite3_close(d.db) != SQLITE_OK)
		ok = failed(&d);
	database_texts_fini(&d.texts);
	return output_close(&output, ok, err);
}
