#include "capture/cc/driver/stage_calls.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/notice.h"
#include "base/path.h"
#include "capture/cc/driver/stage_fortran.h"
#include "capture/cc/fortran/fortran_include.h"
#include "capture/cc/fortran/fortran_unit.h"

/* The source as the compiler reads it: preprocessed, with the files that it includes. */
static bool read_source(struct stage_work *run, struct str *text)
{
	ENDED_BY(words_fini) struct words places = WORDS_INIT;
	OWNED_STR source = STR_INIT;
	struct words argv = WORDS_INIT;
	const char *file = stage_fortran_cpp(run->argv);
	int fd;

	if (file) {
		stage_fortran_preprocess(&run->plan, run->argv, &argv);
		memory_empty(run->text);
		if (!stage_silent(run, &argv, -1, run->text))
			return false;
		run->has_words = !memory_is_empty(run->said);
		memory_text(run->text, &source);
		fd = *file ? open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
		if (fd >= 0) {
			(void)!write(fd, source.text, source.n);
			close(fd);
		}
	} else {
		fd = open(stage_source(run), O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return false;
		memory_text(fd, &source);
		close(fd);
	}
	memory_empty(run->text);
	stage_fortran_places(&run->plan, run->argv, &places);
	fortran_include(source.text, source.n, stage_source(run),
			(const char *const *)places.list.data, text);
	return true;
}

/* Procedures that the rules exclude have no hooks, where the compiler's option can say that. */
static void exclude(struct stage_work *run, struct fortran_unit *unit, bool warn)
{
	static const char option[] = "-finstrument-functions-exclude-function-list=";
	OWNED_STR list = STR_INIT, kept = STR_INIT;

	fortran_unit_excluded(unit, &list, &kept);
	str_clear(&run->without);
	if (list.n)
		str_add_fmt(&run->without, "%s%s", option, list.text);
	if (warn && kept.n && !run->options.quiet)
		notice_print("tvcc",
			     "warning: %s: not excluded, as their names are parts of others: %s",
			     stage_source(run), kept.text);
}

/* Writes the text with calls, and what they call. `rejected` is what the compiler said of an
 * earlier one. */
static bool put_calls(struct stage_work *run, const char *rejected)
{
	const struct fortran_form form = stage_fortran_form(&run->plan, run->argv);
	OWNED_STR text = STR_INIT, out = STR_INIT, helpers = STR_INIT;
	char directory[PATH_MAX] = "";
	const struct fortran_options options = {
		.file = stage_source(run),
		.directory = getcwd(directory, sizeof directory) ? directory : "",
		.rules = run->options.rules,
		.helper_end = stage_fortran_underscore(run->argv),
		.all = run->options.all,
		.rejected = rejected,
	};
	struct fortran_lines lines;
	struct fortran_unit unit;
	bool ok;

	memory_empty(run->probed);
	if (!read_source(run, &text))
		return false;
	fortran_lines_init(&lines, stage_source(run), text.text, text.n, &form);
	ok = fortran_unit_init(&unit, &lines, &options) && !lines.preprocessor;
	run->has_nothing = ok && !unit.sites.n;
	ok = ok && unit.sites.n;
	if (ok) {
		exclude(run, &unit, !*rejected);
		fortran_unit_text(&unit, &out);
		fortran_unit_helpers(&unit, &helpers);
		ok = write(run->text, out.text, out.n) == (ssize_t)out.n &&
		     write(run->probed, helpers.text, helpers.n) == (ssize_t)helpers.n;
	}
	fortran_unit_fini(&unit);
	fortran_lines_fini(&lines);
	return ok;
}

static bool compile_calls(struct stage_work *run, bool warnings)
{
	struct words argv = WORDS_INIT;
	char text[32];

	snprintf(text, sizeof text, "/proc/self/fd/%d", run->text);
	stage_fortran_compile(&run->plan, run->argv, text, stage_output(run), warnings, &argv);
	if (run->without.n)
		words_add(&argv, run->without.text);
	return stage_silent(run, &argv, -1, -1);
}

/* What the calls call goes into the same object. */
static bool append_helpers(struct stage_work *run)
{
	struct words argv = WORDS_INIT;
	OWNED_STR text = STR_INIT, out = STR_INIT;
	char list[32];
	bool ok;

	snprintf(list, sizeof list, "/proc/self/fd/%d", run->list);
	stage_fortran_helpers(run->argv, list, &argv);
	memory_rewind(run->probed);
	ok = program_succeeded(program_run(&argv, run->probed, -1, run->said));
	words_fini(&argv);
	if (!ok)
		return false;
	memory_text(run->list, &text);
	stage_fortran_append(&out, text.text, text.n);
	return stage_append(run, out.text, out.n);
}

/* The compiler has accepted the file itself. Loops stay alone that it rejects with calls: an
 * external function may not be seen in a BLOCK first (gfortran 12). */
static bool compile_accepted(struct stage_work *run)
{
	enum { ATTEMPTS = 3 };
	OWNED_STR messages = STR_INIT;

	for (int i = 0; i < ATTEMPTS; i++) {
		if (compile_calls(run, false))
			return append_helpers(run);
		memory_text(run->said, &messages);
		if (!put_calls(run, messages.text))
			return false;
	}
	return false;
}

static int compile_hooks_of_fortran(struct stage_work *run)
{
	ENDED_BY(words_fini) struct words argv = WORDS_INIT;

	stage_hook_words(run, &argv);
	return program_run(&argv, -1, -1, -1);
}

int stage_calls(struct stage_work *run)
{
	const char *reason = stage_fortran_reason(&run->plan, run->argv);
	bool calls;
	int status;

	if (!rules_file(run->options.rules, stage_source(run)) ||
	    !strcmp(path_name(stage_source(run)), "tview.f90"))
		return stage_as_it_is(run);
	calls = !reason && put_calls(run, "");
	/* Dependencies are those of the file itself. */
	if (calls && !run->has_words && !stage_fortran_writes_dependencies(run->argv) &&
	    compile_calls(run, true) && memory_is_empty(run->said) && append_helpers(run))
		return 0;
	status = compile_hooks_of_fortran(run);
	if (!program_succeeded(status))
		return status;
	if (calls && compile_accepted(run))
		return 0;
	/* The output is spoilt; all was said already. */
	if (calls && !stage_compile_hooks(run, false))
		return EXIT_FAILURE << 8;
	if (run->has_nothing)
		return 0;
	str_add_fmt(&run->why, "loops unknown: %s",
		    reason  ? reason
		    : calls ? "the compiler rejects calls around them"
			    : "the statements of the file are not understood");
	stage_note(run, STAGE_ONLY_HOOKS);
	return status;
}
