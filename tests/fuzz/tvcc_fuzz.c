/* libFuzzer target: the sources that tvcc reads itself: Fortran in both forms, and preprocessed C
 * before libclang has it. The first byte says which. Lines stay lines; what is hidden can be shown
 * again. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "capture/cc/fortran/fortran_unit.h"
#include "capture/cc/instrument/library_headers.h"
#include "capture/cc/instrument/macro_lines.h"
#include "harness/fuzz.h"
#include "harness/mutate.h"

static size_t line_feeds(const char *text, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += text[i] == '\n';
	return count;
}

static void fortran(const char *text, size_t n, unsigned bits)
{
	const struct fortran_form form = { .fixed = bits & 1,
					   .openmp = bits & 2,
					   .openacc = bits & 4,
					   .columns = bits & 1 ? 72 : 0 };
	struct rules *rules = rules_new();
	const struct fortran_options options = { .file = "a.f90",
						 .directory = "/tmp",
						 .rules = rules,
						 .helper_end = "_",
						 .rejected = bits & 16 ? "a.f90:3:1: no\n" : "",
						 .all = bits & 8 };
	struct str out = STR_INIT, helpers = STR_INIT, excluded = STR_INIT, kept = STR_INIT;
	struct fortran_lines lines;
	struct fortran_unit unit;

	fortran_lines_init(&lines, "a.f90", text, n, &form);
	for (size_t i = 0; i < lines.statements.n; i++) {
		const struct fortran_statement *s = &lines.statements.data[i];
		must(s->first <= s->last && s->last < lines.lines.n, "a statement has lines");
		must(s->text < lines.texts.n, "and a text");
	}
	if (fortran_unit_init(&unit, &lines, &options)) {
		for (size_t i = 0; i < unit.loops.n; i++)
			must(unit.loops.data[i].begin <= unit.loops.data[i].end &&
				     unit.loops.data[i].end < lines.statements.n,
			     "a loop has an end");
		fortran_unit_excluded(&unit, &excluded, &kept);
		fortran_unit_text(&unit, &out);
		fortran_unit_helpers(&unit, &helpers);
	}
	fortran_unit_fini(&unit);
	fortran_lines_fini(&lines);
	rules_free(rules);
	str_fini(&out);
	str_fini(&helpers);
	str_fini(&excluded);
	str_fini(&kept);
}

static void preprocessed(const char *text, size_t n)
{
	struct str marked = STR_INIT, hidden = STR_INIT, shown = STR_INIT;
	struct macro_lines lines = { 0 };

	library_headers_mark(text, n, &marked);
	must(line_feeds(marked.text, marked.n) == line_feeds(text, n), "lines stay lines");
	macro_lines_hide(&lines, text, n, &hidden);
	must(line_feeds(hidden.text, hidden.n) == line_feeds(text, n), "lines stay lines");
	macro_lines_show(&lines, text, hidden.text, hidden.n, &shown);
	must(shown.n == n && memcmp(shown.text, text, n) == 0, "what is hidden is shown again");
	vec_fini(&lines.list);
	str_fini(&marked);
	str_fini(&hidden);
	str_fini(&shown);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return mutate_lines(data, size, most, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size < 2)
		return 0;
	text = xmalloc(size - 1); /* not a byte more */
	memcpy(text, data + 1, size - 1);
	if (data[0] == '#')
		preprocessed(text, size - 1);
	else
		fortran(text, size - 1, data[0]);
	free(text);
	return 0;
}
