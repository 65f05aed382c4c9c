/* tvinstrument: the instrumenter as a filter, for tvcc (instrument_main.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/notice.h"
#include "capture/cc/instrument/instrument.h"
#include "capture/cc/instrument/instrument_main.h"
#include "capture/cc/instrument/library_headers.h"
#include "capture/cc/instrument/macro_lines.h"
#include "capture/cc/options/cc_options.h"

static bool read_all(struct str *text)
{
	char bytes[65536];
	size_t n;

	while ((n = fread(bytes, 1, sizeof bytes, stdin)) > 0)
		str_add_n(text, bytes, n);
	return !ferror(stdin);
}

static bool is_wanted(void *data, const char *file, const char *procedure)
{
	return rules_procedure(data, file, procedure);
}

static enum instrument_loops loops_of(void *data, const char *file, const char *procedure)
{
	switch (rules_loops(data, file, procedure)) {
	case LOOPS_NONE: return INSTRUMENT_NO_LOOPS;
	case LOOPS_ITERATIONS: return INSTRUMENT_ITERATIONS;
	case LOOPS_WHOLE: break;
	}
	return INSTRUMENT_LOOPS;
}

static void list_excluded(const struct instrument_result *result)
{
	static const char *const kinds[] = { [TV_SITE_PROCEDURE] = "procedure",
					     [TV_SITE_LOOP] = "loop",
					     [TV_SITE_CALL] = "call",
					     [TV_SITE_COMMUNICATION] = "communication" };

	size_t calls = 0;

	for (size_t i = 0; i < result->excluded_count; i++) {
		const struct instrument_excluded *excluded = &result->excluded[i];
		OWNED_STR line = STR_INIT;
		calls += excluded->kind == TV_SITE_CALL && !excluded->counted;
		str_add_fmt(&line, "%s:%u:%u: %s %s %s: %s", excluded->file, excluded->line,
			    excluded->column, kinds[excluded->kind], excluded->name,
			    excluded->counted ? "counted, not timed" : "not instrumented",
			    excluded->reason);
		notice_print("tvcc", "%s", line.text);
	}
	if (calls)
		fprintf(stderr, "tvcc: calls unknown in %zu place%s\n", calls,
			calls == 1 ? "" : "s");
}

static int write_text(const struct macro_lines *macros, const struct str *original,
		      const struct instrument_result *result)
{
	OWNED_STR shown = STR_INIT;
	bool ok;

	if (macros->list.n) {
		macro_lines_show(macros, original->text, result->text, result->size, &shown);
		ok = fwrite(shown.text, 1, shown.n, stdout) == shown.n;
	} else {
		ok = fwrite(result->text, 1, result->size, stdout) == result->size;
	}
	if (ok && fflush(stdout) == 0)
		return 0;
	fprintf(stderr, "cannot write the instrumented text\n");
	return INSTRUMENT_FAILED;
}

static int put_probes(const struct str *text, const struct cc_options *choice,
		      struct instrument_options *options)
{
	struct macro_lines macros = { VEC_INIT };
	struct instrument_result result;
	OWNED_STR hidden = STR_INIT;
	struct err err = ERR_INIT;
	int status;

	options->wanted = is_wanted;
	options->loops_of = loops_of;
	options->data = choice->rules;
	options->sparing = !choice->all;
	macro_lines_hide(&macros, text->text, text->n, &hidden);
	if (!instrument(hidden.text, hidden.n, options, &result, &err)) {
		fprintf(stderr, "%s\n", err.text);
		status = INSTRUMENT_FAILED;
	} else {
		status = result.sites ? write_text(&macros, text, &result) : INSTRUMENT_NOTHING;
		if (status == 0)
			list_excluded(&result);
		instrument_free(&result);
	}
	vec_fini(&macros.list);
	return status;
}

int main(int argc, char **argv)
{
	struct instrument_options options = { 0 };
	OWNED_STR text = STR_INIT, marked = STR_INIT;
	struct cc_options choice;
	struct err err = ERR_INIT;
	int status = INSTRUMENT_FAILED;

	if (argc < 3) {
		fprintf(stderr,
			"usage: " INSTRUMENT_PROGRAM " c|c++ SOURCE [flags] (called by tvcc)\n");
		return INSTRUMENT_FAILED;
	}
	options.language = !strcmp(argv[1], INSTRUMENT_WORD_CXX) ? INSTRUMENT_CXX : INSTRUMENT_C;
	options.source = *argv[2] ? argv[2] : NULL;
	options.flags = (const char *const *)(argv + 3);
	cc_options_init(&choice);
	if (!cc_options_take_text(&choice, getenv(CC_OPTIONS_VARIABLE), CC_OPTIONS_VARIABLE,
				  &err)) {
		fprintf(stderr, "%s\n", err.text);
	} else if (!read_all(&text)) {
		fprintf(stderr, "cannot read the preprocessed text\n");
	} else {
		library_headers_mark(text.text, text.n, &marked);
		status = put_probes(&marked, &choice, &options);
	}
	cc_options_fini(&choice);
	return status;
}
