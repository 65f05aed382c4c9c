/* libFuzzer target: the texts that other programs give the library: a table's name, then a line for
 * each option. What is refused is refused with a sentence; a table that is made is read row by row
 * and at once, which gives the same. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness/fuzz.h"
#include "harness/mutate.h"
#include "tview/records.h"
#include "tview/trace.h"

enum { OPTIONS_MOST = 8 };

/* The trace is opened once; the fuzzer never ends this process in an orderly way. */
static tview_trace *some_trace(void)
{
	static const char *const uncached[] = { "no-cache", NULL };
	static tview_trace *trace;
	struct tview_error error = { .text = "" };

	if (!trace)
		trace = tview_open("tests/fuzz/picl/sample.trc", uncached, &error);
	must(trace, error.text);
	return trace;
}

/* ---- a table ---- */

static double number_of(const struct tview_array *array, int64_t row)
{
	const char *at = (const char *)array->data + row * array->stride[0];

	switch (array->format) {
	case 'q': return (double)*(const int64_t *)(const void *)at;
	case 'i': return (double)*(const int32_t *)(const void *)at;
	default: return *(const double *)(const void *)at;
	}
}

/* A cell of the row that `table` is at, as the whole column has it. */
static void check_cell(const tview_table *table, const tview_table *whole, int column, int64_t row)
{
	const enum tview_type type = tview_column_type(table, (unsigned)column);
	const bool known = tview_known(table, column);
	struct tview_array array;
	double number;

	must(tview_values(whole, column, &array) && row < array.shape[0], "the row is there");
	number = number_of(&array, row);
	if (type == TVIEW_TEXT && known)
		must(strcmp(tview_text(table, column),
			    tview_category(whole, column, (int64_t)number)) == 0,
		     "the text is the same");
	else if (type == TVIEW_INTEGER)
		must(number == (double)tview_integer(table, column), "the number is the same");
	else if (type == TVIEW_REAL && known)
		must(number == tview_real(table, column) ||
			     (isnan(number) && isnan(tview_real(table, column))),
		     "the real number is the same");
	else
		must(type == TVIEW_TEXT ? number == -1 : isnan(number), "neither is known");
}

static void check_table(const char *name, const char *const *options)
{
	struct tview_error error = { .text = "" };
	tview_table *table = tview_table_open(some_trace(), name, options, &error), *whole;
	int64_t rows = 0, all;

	must(table || error.text[0], "what is refused is refused with a sentence");
	if (!table)
		return;
	whole = tview_table_open(some_trace(), name, options, &error);
	must(whole, "it can be made again");
	all = tview_read(whole);
	for (unsigned c = 0; c < tview_column_count(table); c++) {
		const int found = tview_column(table, tview_column_name(table, c));
		must(found >= 0 && found <= (int)c, "a column has its name");
	}
	for (; tview_next(table); rows++)
		for (unsigned c = 0; c < tview_column_count(table); c++)
			check_cell(table, whole, (int)c, rows);
	must(rows == all, "there are as many rows");
	tview_table_close(table);
	tview_table_close(whole);
}

/* ---- records ---- */

static void check_records(const char *const *options)
{
	struct tview_error error = { .text = "" };
	tview_cursor *cursor =
		tview_cursor_open(some_trace(), TVIEW_MESSAGES, TVIEW_NONE, options, &error);
	struct tview_message message;

	must(cursor || error.text[0], "what is refused is refused with a sentence");
	while (cursor && tview_next_message(cursor, &message))
		must(message.bytes >= 0, "a message has bytes");
	tview_cursor_close(cursor);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	static const char *const words[] = { "calls",
					     "events",
					     "messages",
					     "collectives",
					     "profile",
					     "definitions",
					     "matrix",
					     "findings",
					     "\nranks=0",
					     "\ntime=0.1s:0.5s",
					     "\nfilter=rank",
					     "\nwhere=dur",
					     "\nsort=time_s",
					     "\nsort=duration_s:asc",
					     "\nlimit=3",
					     "\ncolumns=rank,count(),sum(bytes)",
					     "\nby=rank",
					     "\nbase=measured",
					     "\ncolumns=+dur",
					     "\nmetric=time",
					     "\ncallpath=main",
					     "\nwhere=rank",
					     "==",
					     "1",
					     "records",
					     NULL };

	return mutate_words(data, size, most, seed, words);
}

/* Only tables that need no analysis, and no option that names a file. */
static bool is_quick(const char *name)
{
	static const char *const quick[] = { "calls",   "events",      "messages", "collectives",
					     "profile", "definitions", "matrix",   "findings" };

	for (size_t i = 0; i < sizeof quick / sizeof *quick; i++)
		if (strcmp(quick[i], name) == 0)
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xstrndup((const char *)data, size), *rest = text;
	const char *name = strsep(&rest, "\n"), *options[OPTIONS_MOST + 1] = { NULL };

	for (size_t n = 0; rest && n < OPTIONS_MOST;) {
		options[n] = strsep(&rest, "\n");
		if (!strchr(options[n], '/')) /* of a file */
			n++;
		else
			options[n] = NULL;
	}
	if (strcmp(name, "records") == 0)
		check_records(options);
	else if (is_quick(name))
		check_table(name, options);
	free(text);
	return 0;
}
