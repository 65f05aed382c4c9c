/* The text form of iterations: sentences on those that differ, then the rows. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "views/export/export_text.h"
#include "views/facts/iteration_findings.h"

static void add_sentences(const struct query *query, const struct iteration_sums *sums, int width,
			  struct str *out)
{
	struct phrases phrases = { .trace = query->trace };
	struct iteration_findings findings;
	const char *lines[ITERATION_LINES];
	unsigned n;

	iteration_findings_make(&findings, query, sums);
	n = iteration_sentences(&phrases, sums, &findings, lines);
	for (unsigned i = 0; i < n; i++)
		str_add_wrapped(out, lines[i], 2, width ? width : INT_MAX);
	iteration_findings_fini(&findings);
	phrases_fini(&phrases);
}

static bool add_rows(const struct query *query, const struct export_options *options,
		     struct str *out, struct err *err)
{
	struct table *table = iterations_table_new(query, err);
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	struct export_columns columns;
	bool done = table && stream && export_columns_of(table, options, &columns, err) &&
		    export_text(table, options, &columns, stream, err);

	table_free(table);
	if (stream)
		fclose(stream);
	if (done)
		str_add_n(out, text, size);
	free(text);
	return done;
}

bool iterations_text(const struct query *query, const struct export_options *options,
		     struct str *out, struct err *err)
{
	struct iteration_sums *sums = NULL;
	bool any = true;

	if (!query->export.by_level) {
		sums = iteration_sums_new(query,
					  query->export.level ? (int)query->export.level - 1
							      : LEVEL_MAIN,
					  err);
		if (!sums)
			return false;
		any = sums->n > 0;
		add_sentences(query, sums, options->width, out);
		iteration_sums_free(sums);
	}
	if (any && out->n)
		str_add_char(out, '\n');
	return !any || add_rows(query, options, out, err);
}
