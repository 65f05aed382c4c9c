/* library_tables: tables by name, row by row. */
#include <stdlib.h>
#include <string.h>

#include "library/library_table.h"
#include "ui/app/views.h"
#include "views/export/export.h"
#include "views/query/view_common.h"

_Static_assert((int)TVIEW_HOST == (int)RANK_HOST, "a rank of the header");

/* ---- tables ---- */

static const struct view_info *table_at(unsigned i)
{
	for (unsigned v = 0; v < all_views.n; v++)
		if (view_has_rows(&all_views.views[v]) && i-- == 0)
			return &all_views.views[v];
	return NULL;
}

const char *tview_table_name(unsigned i)
{
	const struct view_info *view = table_at(i);

	return view ? view_export_name(view) : NULL;
}

const char *tview_table_help(unsigned i)
{
	const struct view_info *view = table_at(i);

	return view ? view->help : NULL;
}

static bool make_rows(struct tview_table *t, tview_trace *trace, const char *name,
		      const char *const *options, struct err *err)
{
	const struct view_info *view = view_of_export(&all_views, name);
	struct export_options how;

	if (!view || !view_has_rows(view))
		return err_set(err, STATUS_USAGE, "there is no table '%s'", name);
	if (!library_choose(&t->of, trace, options, err))
		return false;
	how = (struct export_options){ .format = EXPORT_CSV,
				       .sort = t->of.options.sort,
				       .where = t->of.options.where,
				       .limit = (uint64_t)t->of.options.limit,
				       .columns = t->of.options.columns };
	t->table = export_rows_of(view, &t->of.choice.query, &how, err);
	return t->table && export_columns_of(t->table, &how, &t->columns, err);
}

tview_table *tview_table_open(tview_trace *trace, const char *name, const char *const *options,
			      struct tview_error *error)
{
	struct tview_table *t = xcalloc(1, sizeof *t);
	struct err err = ERR_INIT;
	bool ok;

	t->row = ROW_NONE;
	pthread_mutex_lock(&trace->making);
	ok = make_rows(t, trace, name, options, &err);
	pthread_mutex_unlock(&trace->making);
	if (!ok) {
		library_tell(error, &err);
		tview_table_close(t);
		return NULL;
	}
	return t;
}

void tview_table_close(tview_table *t)
{
	if (!t)
		return;
	table_free(t->table);
	library_choice_fini(&t->of);
	library_columns_fini(t);
	for (unsigned c = 0; c < TABLE_COLUMNS; c++)
		str_fini(&t->texts[c]);
	free(t);
}

/* ---- columns and rows ---- */

unsigned tview_column_count(const tview_table *t)
{
	return t->columns.n;
}

const char *tview_column_name(const tview_table *t, unsigned column)
{
	return column < t->columns.n ? library_column(t, column)->name : NULL;
}

enum tview_type tview_column_type(const tview_table *t, unsigned column)
{
	static const enum tview_type types[] = {
		[CELL_TEXT] = TVIEW_TEXT, [CELL_INTEGER] = TVIEW_INTEGER, [CELL_REAL] = TVIEW_REAL
	};

	return column < t->columns.n ? types[column_kind(library_column(t, column))] : TVIEW_TEXT;
}

int tview_column(const tview_table *t, const char *name)
{
	for (unsigned c = 0; c < t->columns.n; c++)
		if (strcmp(library_column(t, c)->name, name) == 0)
			return (int)c;
	return -1;
}

static void clean_texts(tview_table *t)
{
	for (unsigned i = 0; i < t->columns.n; i++) {
		const unsigned c = t->columns.at[i];
		if (!column_is_text(&t->table->columns[c]) || !t->values[c].known)
			continue;
		str_clear(&t->texts[i]);
		table_write(t->table, c, &t->values[c], &t->texts[i]);
	}
}

bool tview_next(tview_table *t)
{
	if (t->begun && t->row == ROW_NONE)
		return false;
	t->row = t->begun ? table_next(t->table, t->row) : table_first(t->table);
	t->begun = true;
	if (t->row == ROW_NONE) {
		table_leave(t->table);
		return false;
	}
	table_cells(t->table, t->row, t->values);
	clean_texts(t);
	return true;
}

/* The value of a known cell of a type; NULL otherwise. */
static const struct value *cell(const tview_table *t, int column, bool text)
{
	const struct value *value;

	if (t->row == ROW_NONE || column < 0 || (unsigned)column >= t->columns.n)
		return NULL;
	value = &t->values[t->columns.at[column]];
	return value->known && column_is_text(library_column(t, (unsigned)column)) == text ? value
											   : NULL;
}

bool tview_known(const tview_table *t, int column)
{
	return cell(t, column, false) || cell(t, column, true);
}

const char *tview_text(const tview_table *t, int column)
{
	if (!cell(t, column, true))
		return NULL;
	return t->texts[column].n ? t->texts[column].text : "";
}

double tview_real(const tview_table *t, int column)
{
	const struct value *value = cell(t, column, false);

	return value ? table_real(t->table, t->columns.at[column], value) : 0;
}

int64_t tview_integer(const tview_table *t, int column)
{
	const struct value *value = cell(t, column, false);

	return value && tview_column_type(t, (unsigned)column) == TVIEW_INTEGER ? value->integer
										: 0;
}
