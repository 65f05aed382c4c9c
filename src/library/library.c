/* library: what include/tview/trace.h promises, over the tables of the views. */
#include <tview/trace.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/version.h"
#include "ui/app/views.h"
#include "ui/options/opened.h"
#include "views/export/export.h"
#include "views/query/view_common.h"
#include "views/report/check.h"

_Static_assert((int)TVIEW_HOST == (int)RANK_HOST, "a rank of the header");

struct tview_trace {
	struct opened opened;
	struct options options;
	struct library_words *words; /* that the options borrow */
	struct str damage;
	pthread_mutex_t making; /* held while a table is made, which may make bases and analyses */
};

struct tview_table {
	struct table *table;
	struct choice choice; /* that it borrows */
	struct options options;
	struct library_words *words;
	struct export_columns columns;
	uint64_t row; /* ROW_NONE: before the first, or after the last */
	bool begun;
	struct value values[TABLE_COLUMNS];
	struct str texts[TABLE_COLUMNS]; /* of the row, clean */
};

const char *tview_version(void)
{
	return TVIEW_VERSION;
}

static void tell(struct tview_error *error, const struct err *err)
{
	if (!error)
		return;
	*error = (struct tview_error){ .status = err->status };
	memcpy(error->text, err->text, strlen(err->text) + 1);
}

/* ---- options ---- */

/* A list of copies, the last one first. */
struct library_words {
	struct library_words *next;
	char text[];
};

static void words_free(struct library_words *words)
{
	while (words) {
		struct library_words *next = words->next;
		free(words);
		words = next;
	}
}

static char *word_add(struct library_words **words, const char *text)
{
	const size_t n = strlen(text) + 1;
	struct library_words *word = xmalloc(sizeof *word + n);

	word->next = *words;
	memcpy(word->text, text, n);
	*words = word;
	return word->text;
}

/* Where and how an export is written, and help. */
static bool is_of_files(const struct option_info *option)
{
	return option->field == offsetof(struct options, output) ||
	       option->field == offsetof(struct options, format) || option->group == OPTIONS_OTHER;
}

/* "sort=duration_s", or a flag, "no-cache". */
static bool option_add(struct options *options, struct library_words **words, const char *text,
		       struct err *err)
{
	char *name = word_add(words, text), *value = strchr(name, '=');
	const struct option_info *option;

	if (value)
		*value++ = '\0';
	option = option_find(name, VERB_EXPORT);
	if (!option || is_of_files(option))
		return err_set(err, STATUS_USAGE, "tables have no option '%s'", name);
	if (!value && option->kind != OPTION_FLAG)
		return err_set(err, STATUS_USAGE, "the option '%s' needs a value: %s=%s", name,
			       name, option->argument);
	return option_set(options, option, value, err);
}

static bool options_add(struct options *options, struct library_words **words,
			const char *const *texts, struct err *err)
{
	bool ok = true;

	for (; ok && texts && *texts; texts++)
		ok = option_add(options, words, *texts, err);
	return ok;
}

/* ---- traces ---- */

static bool open_trace(struct tview_trace *t, const char *path, const char *const *options,
		       struct err *err)
{
	t->options = (struct options){ .views = &all_views, .correct = CORRECT_DEFAULTS };
	return options_add(&t->options, &t->words, options, err) &&
	       opened_read(&t->opened, path, &t->options, err) &&
	       opened_correct(&t->opened, &t->options, true, err);
}

static void trace_drop(struct tview_trace *t)
{
	words_free(t->words);
	str_fini(&t->damage);
	pthread_mutex_destroy(&t->making);
	free(t);
}

tview_trace *tview_open(const char *path, const char *const *options, struct tview_error *error)
{
	struct tview_trace *t = xcalloc(1, sizeof *t);
	struct err err = ERR_INIT;

	pthread_mutex_init(&t->making, NULL);
	if (open_trace(t, path, options, &err)) {
		check_damage_line(t->opened.trace, &t->damage);
		return t;
	}
	tell(error, &err);
	trace_drop(t);
	return NULL;
}

void tview_close(tview_trace *t)
{
	if (!t)
		return;
	opened_close(&t->opened);
	trace_drop(t);
}

const char *tview_damage(const tview_trace *t)
{
	return t->damage.n ? t->damage.text : NULL;
}

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
	t->options = trace->options;
	if (!options_add(&t->options, &t->words, options, err) ||
	    !choice_make(&t->choice, trace->opened.trace, trace->opened.corrections, &t->options,
			 err))
		return false;
	/* Wait states are searched for once. */
	t->choice.query.analyses = trace->opened.choice.analyses;
	how = (struct export_options){ .format = EXPORT_CSV,
				       .sort = t->options.sort,
				       .columns = t->options.columns };
	t->table = export_rows_of(view, &t->choice.query, &how, err);
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
		tell(error, &err);
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
	choice_fini(&t->choice);
	words_free(t->words);
	for (unsigned c = 0; c < TABLE_COLUMNS; c++)
		str_fini(&t->texts[c]);
	free(t);
}

/* ---- columns and rows ---- */

unsigned tview_column_count(const tview_table *t)
{
	return t->columns.n;
}

static const struct column *column_of(const tview_table *t, unsigned column)
{
	return &t->table->columns[t->columns.at[column]];
}

const char *tview_column_name(const tview_table *t, unsigned column)
{
	return column < t->columns.n ? column_of(t, column)->name : NULL;
}

enum tview_type tview_column_type(const tview_table *t, unsigned column)
{
	static const enum tview_type types[] = {
		[CELL_TEXT] = TVIEW_TEXT, [CELL_INTEGER] = TVIEW_INTEGER, [CELL_REAL] = TVIEW_REAL
	};

	return column < t->columns.n ? types[column_kind(column_of(t, column))] : TVIEW_TEXT;
}

int tview_column(const tview_table *t, const char *name)
{
	for (unsigned c = 0; c < t->columns.n; c++)
		if (strcmp(column_of(t, c)->name, name) == 0)
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
	return value->known && column_is_text(column_of(t, (unsigned)column)) == text ? value
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
