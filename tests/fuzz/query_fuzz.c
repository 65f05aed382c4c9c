/* libFuzzer target: questions of `tview query` about a small trace. What is refused is refused with a
 * sentence. Of what is answered: a limit gives the first of the rows, an order the same rows, the
 * rows that match and those that do not are all rows, and a condition that is a filter, too, gives
 * what an export with that filter gives. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "harness/fuzz.h"
#include "harness/mutate.h"
#include "model/filter/filter_clauses.h"
#include "model/formats/load.h"
#include "ui/app/views.h"
#include "ui/options/asking.h"
#include "ui/options/choose.h"
#include "views/export/export.h"

/* Their rows are those of the trace: the answer to a part of them is a part of all. */
static const char *const row_tables[] = { "calls", "events", "messages", "collectives", NULL };
/* Other tables that are made without an analysis. */
static const char *const other_tables[] = { "profile",     "callpaths", "matrix", "lines",
					    "definitions", "findings",  NULL };

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

/* The trace is loaded once; the fuzzer never ends this process in an orderly way. */
static struct trace *some_trace(void)
{
	static struct trace *trace;
	struct err err = ERR_INIT;

	if (!trace)
		trace = trace_load("tests/fuzz/picl/sample.trc",
				   &(struct load_options){ .jobs = 1, .no_cache = true }, NULL,
				   &err);
	must(trace, err.text);
	return trace;
}

/* ---- an answer ---- */

/* Lines of CSV, of which the first has the names; texts are one line each. */
struct answer {
	char *text;
	VEC(char *) lines; /* without the first */
};

static void answer_fini(struct answer *answer)
{
	free(answer->text);
	vec_fini(&answer->lines);
}

static void split(struct answer *answer)
{
	char *rest = answer->text, *line = strsep(&rest, "\n");

	(void)line;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			vec_push(&answer->lines, line);
}

/* False with err, and an answer without lines. */
static bool export_rows_with(const struct options *options, const char *filter,
			     struct answer *answer, struct err *err)
{
	struct options how = *options;
	const struct view_info *view = view_of_export(&all_views, how.args[0]);
	const struct export_options written = { .format = EXPORT_CSV,
						.sort = how.sort,
						.where = how.where,
						.limit = (uint64_t)how.limit,
						.columns = how.columns };
	ENDED_BY(choice_fini) struct choice choice;
	size_t n;
	FILE *out;
	bool ok;

	*answer = (struct answer){ .lines = VEC_INIT };
	how.filter = filter;
	if (!choice_make(&choice, some_trace(), NULL, &how, err))
		return false;
	out = open_memstream(&answer->text, &n);
	must(out, "there is memory");
	ok = export_view(view, &choice.query, &written, out, err);
	fclose(out);
	if (ok)
		split(answer);
	return ok;
}

static bool same_lines(const struct answer *a, const struct answer *b, size_t n)
{
	if (a->lines.n < n || b->lines.n < n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (strcmp(a->lines.data[i], b->lines.data[i]) != 0)
			return false;
	return true;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* ---- what holds ---- */

/* Without its limit, and then without its order. */
static void check_limit_and_order(const struct options *options, struct answer *given)
{
	struct options more = *options;
	struct err err = ERR_INIT;
	ENDED_BY(answer_fini)
	struct answer all = { .lines = VEC_INIT }, plain = { .lines = VEC_INIT };

	more.limit = 0;
	must(export_rows_with(&more, NULL, &all, &err), "it can be asked without a limit");
	must(given->lines.n == (options->limit && (uint64_t)options->limit < all.lines.n
					? (size_t)options->limit
					: all.lines.n),
	     "there are as many rows as the limit allows");
	must(same_lines(given, &all, given->lines.n), "a limit gives the first rows");
	if (!options->sort)
		return;
	more.sort = NULL;
	must(export_rows_with(&more, NULL, &plain, &err), "it can be asked without an order");
	must(plain.lines.n == all.lines.n, "an order leaves no row out");
	vec_sort(&plain.lines, by_text);
	vec_sort(&all.lines, by_text);
	must(same_lines(&plain, &all, all.lines.n), "an order changes no row");
}

/* Rows that match, those that do not, and all. */
static void check_condition(const struct options *options)
{
	struct options how = { .views = &all_views, .args = options->args };
	struct err err = ERR_INIT;
	OWNED_STR others = STR_INIT;
	ENDED_BY(answer_fini)
	struct answer yes = { .lines = VEC_INIT }, no = { .lines = VEC_INIT },
		      all = { .lines = VEC_INIT };

	how.where = options->where;
	if (!export_rows_with(&how, NULL, &yes, &err))
		return;
	str_add_fmt(&others, "!(%s)", options->where);
	how.where = others.text;
	if (!export_rows_with(&how, NULL, &no, &err))
		return;
	how.where = NULL;
	must(export_rows_with(&how, NULL, &all, &err), "all rows can be asked for");
	must(yes.lines.n + no.lines.n == all.lines.n, "a row matches, or it does not");
}

/* As --where and as --filter. */
static void check_filter(const struct options *options)
{
	struct options how = { .views = &all_views, .args = options->args };
	struct err err = ERR_INIT;
	ENDED_BY(answer_fini)
	struct answer asked = { .lines = VEC_INIT }, filtered = { .lines = VEC_INIT };

	if (!export_rows_with(&how, options->where, &filtered, &err))
		return;
	how.where = options->where;
	must(export_rows_with(&how, NULL, &asked, &err), "a filter is a condition");
	must(asked.lines.n == filtered.lines.n && same_lines(&asked, &filtered, asked.lines.n),
	     "a condition that is a filter says what the filter says");
}

/* Of a question that is answered. */
static void check(const struct options *options, struct answer *answer)
{
	check_limit_and_order(options, answer);
	if (!options->where || !is_one_of(options->args[0], row_tables))
		return;
	check_condition(options);
	if (strcmp(options->args[0], "events") == 0)
		check_filter(options);
}

static const char *const words[] = { "calls",
				     "events",
				     "messages",
				     "collectives",
				     "profile",
				     "callpaths",
				     "matrix",
				     "where",
				     "select",
				     "order",
				     "by",
				     "desc",
				     "asc",
				     "limit",
				     "and",
				     "or",
				     "not",
				     "&&",
				     "||",
				     "!",
				     "(",
				     ")",
				     "==",
				     "!=",
				     "<",
				     "<=",
				     ">",
				     ">=",
				     "=~",
				     "!~",
				     "in",
				     "!in",
				     "rank",
				     "region",
				     "kind",
				     "class",
				     "callpath",
				     "depth",
				     "file",
				     "line",
				     "time",
				     "time_s",
				     "dur",
				     "duration_s",
				     "duration",
				     "peer",
				     "src",
				     "dst",
				     "tag",
				     "bytes",
				     "comm",
				     "op",
				     "root",
				     "thread",
				     "enter",
				     "leave",
				     "send",
				     "recv",
				     "count()",
				     "sum(bytes)",
				     "mean(dur)",
				     "max(time)",
				     "min(rank)",
				     "sum(duration_s)",
				     "rank,region",
				     "src,dst,count()",
				     "0",
				     "1",
				     "7",
				     "0..3",
				     "0..1,3",
				     "1ms",
				     "10us",
				     "0.1s",
				     "-1",
				     "64k",
				     "/^MPI_/",
				     "/e/i",
				     "\"work\"",
				     "1e9",
				     "18446744073709551615",
				     NULL };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return mutate_words(data, size, most, seed, words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	OWNED char *question = xstrndup((const char *)data, size);
	char trace[] = "run.trc", *args[] = { trace, question };
	struct options options = { .views = &all_views, .args = args };
	ENDED_BY(asking_fini) struct asking asking;
	ENDED_BY(answer_fini) struct answer answer = { .lines = VEC_INIT };
	struct err err = ERR_INIT;
	bool ok = asking_begin(&asking, &options, &err);

	if (ok && !is_one_of(asking.args[0], row_tables) &&
	    !is_one_of(asking.args[0], other_tables))
		return 0;
	ok = ok && export_rows_with(&asking.options, NULL, &answer, &err);
	must(ok || (err_is_set(&err) && err.text[0]), "what is refused is refused with a sentence");
	if (ok)
		check(&asking.options, &answer);
	return 0;
}
