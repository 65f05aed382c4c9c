#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/path.h"
#include "capture/cc/driver/driver.h"
#include "capture/cc/driver/stage_calls.h"
#include "capture/cc/driver/stage_work.h"
#include "capture/cc/instrument/instrument_main.h"

/* Ends as a program did that was run in place of this one. */
static int end_like(int status)
{
	if (WIFSIGNALED(status)) {
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

/* ---- the steps ---- */

static bool preprocess(struct stage_work *run)
{
	struct words argv = WORDS_INIT;
	bool ok;

	if (run->plan.preprocessed) {
		const int fd = run->input >= 0 ? run->input : open(stage_source(run), O_RDONLY);
		if (run->input >= 0)
			memory_rewind(fd);
		ok = fd >= 0 && memory_copy(fd, run->text);
		if (fd >= 0 && fd != run->input)
			close(fd);
	} else {
		stage_preprocess(&run->plan, run->argv, &argv);
		ok = stage_silent(run, &argv, run->input, run->text);
		run->has_words = run->plan.analyses || !memory_is_empty(run->said);
	}
	if (!ok) {
		run->has_words = true;
		str_add(&run->why, "the compiler cannot preprocess it separately");
	}
	/* These are appended to, once is enough. */
	unsetenv("DEPENDENCIES_OUTPUT");
	unsetenv("SUNPRO_DEPENDENCIES");
	return ok;
}

static bool put_probes(struct stage_work *run)
{
	struct str program = STR_INIT;
	ENDED_BY(words_fini) struct words argv = WORDS_INIT;
	int status;

	if (!path_of_library(&program, INSTRUMENT_PROGRAM)) {
		str_fini(&program);
		str_add(&run->why,
			INSTRUMENT_PROGRAM " not found (searched lib/tview next to tvcc)");
		return false;
	}
	words_add(&argv, program.text);
	words_add(&argv, run->plan.cxx ? INSTRUMENT_WORD_CXX : INSTRUMENT_WORD_C);
	words_add(&argv, run->plan.preprocessed || run->input >= 0 ? "" : stage_source(run));
	stage_flags(run->argv, &argv);
	str_fini(&program);
	memory_rewind(run->text);
	status = program_run(&argv, run->text, run->probed, run->list);
	if (program_succeeded(status))
		return true;
	run->has_nothing = WIFEXITED(status) && WEXITSTATUS(status) == INSTRUMENT_NOTHING;
	memory_words(run->list, &run->why);
	if (!run->why.n)
		str_add_fmt(&run->why, INSTRUMENT_PROGRAM " ended with status %d", status);
	return false;
}

/* Starts to parse the file itself, if any warning was requested. */
static pid_t start_check(struct stage_work *run)
{
	ENDED_BY(words_fini) struct words argv = WORDS_INIT;

	if (!run->plan.warns || run->has_words)
		return -1;
	stage_check(&run->plan, run->argv, &argv);
	if (run->input >= 0)
		memory_rewind(run->input);
	return program_start(&argv, run->input, run->warned, run->warned);
}

static void end_check(struct stage_work *run, pid_t child)
{
	if (child >= 0 &&
	    (!program_succeeded(program_wait(child)) || !memory_is_empty(run->warned)))
		run->has_words = true;
}

static bool compile_probed(struct stage_work *run, bool warnings)
{
	struct words argv = WORDS_INIT;

	stage_compile(&run->plan, run->argv, "-", stage_output(run), warnings, &argv);
	return stage_silent(run, &argv, run->probed, -1);
}

/* Compiles the file itself, with all of its diagnostics. */
static int compile_plain(struct stage_work *run, int say)
{
	ENDED_BY(words_fini) struct words argv = WORDS_INIT;

	words_add_all(&argv, run->argv);
	if (run->out >= 0) {
		free(argv.list.data[run->plan.output]);
		argv.list.data[run->plan.output] = xstrdup(run->output);
		memory_empty(run->out);
	}
	if (run->input >= 0)
		memory_rewind(run->input);
	return program_run(&argv, run->input, -1, say);
}

/* ---- all of it ---- */

static void print_skipped(const struct stage_work *run)
{
	if (!run->options.verbose)
		return;
	memory_rewind(run->list);
	(void)memory_copy(run->list, 2);
}

/* Uses hooks at procedures if there can be no probes, or else compiles the file as it is. If
 * has_words is set, the compiler has printed its messages already. */
static int fall_back(struct stage_work *run)
{
	bool hooked = rules_file(run->options.rules, stage_source(run));
	int status;

	hooked = hooked && stage_compile_hooks(run, !run->has_words);
	if (hooked && !run->has_words && !memory_is_empty(run->said)) {
		status = compile_plain(run, -1);
		if (!program_succeeded(status))
			return status;
		hooked = stage_compile_hooks(run, false);
	}
	if (hooked) {
		stage_print(run, STAGE_ONLY_HOOKS);
		stage_note(run, STAGE_ONLY_HOOKS);
		return 0;
	}
	status = compile_plain(run, run->has_words ? run->said : -1);
	if (program_succeeded(status)) {
		stage_print(run, "not instrumented");
		stage_note(run, "not instrumented");
	}
	return status;
}

/* Whether the text with probes is the result, and the compiler prints nothing. */
static bool compile_quietly(struct stage_work *run)
{
	const bool ok = compile_probed(run, true);

	run->has_words = !ok || !memory_is_empty(run->said);
	return !run->has_words;
}

static int compile(struct stage_work *run)
{
	bool probed = preprocess(run);
	int status = 0;

	if (probed) {
		const pid_t check = start_check(run);
		probed = put_probes(run);
		end_check(run, check);
	}
	if (probed && !run->has_words && compile_quietly(run)) {
		print_skipped(run);
		return 0;
	}
	if (run->has_words || run->has_nothing)
		status = compile_plain(run, -1);
	if (!program_succeeded(status) || run->has_nothing)
		return status;
	if (probed && compile_probed(run, false)) {
		print_skipped(run);
		return 0;
	}
	if (probed)
		memory_words(run->said, &run->why);
	return fall_back(run);
}

static bool prepare(struct stage_work *run)
{
	run->text = memory_file("text");
	run->probed = memory_file("probed");
	run->list = memory_file("list");
	run->said = memory_file("said");
	run->warned = memory_file("warned");
	if (run->text < 0 || run->probed < 0 || run->list < 0 || run->said < 0 || run->warned < 0)
		return false;
	if (run->plan.output && !strcmp(run->argv[run->plan.output], "-")) {
		run->out = memory_file("out");
		snprintf(run->output, sizeof run->output, "/proc/self/fd/%d", run->out);
		if (run->out < 0)
			return false;
	}
	if (!strcmp(stage_source(run), "-") && run->plan.kind == STAGE_PROBES) {
		run->input = memory_file("input");
		if (run->input < 0 || !memory_copy(0, run->input))
			return false;
	}
	return true;
}

static int compile_and_end(struct stage_work *run)
{
	int status;

	if (!prepare(run))
		return stage_as_it_is(run);
	status = run->plan.kind == STAGE_HOOKS ? stage_calls(run) : compile(run);
	if (program_succeeded(status) && run->out >= 0) {
		memory_rewind(run->out);
		if (!memory_copy(run->out, 1))
			return EXIT_FAILURE;
	}
	return end_like(status);
}

int stage_run(char **argv)
{
	struct stage_work run = {
		.argv = argv, .out = -1, .input = -1, .why = STR_INIT, .without = STR_INIT
	};
	struct err err = ERR_INIT;
	int status;

	run.plan = stage_plan(argv);
	cc_options_init(&run.options);
	if (run.plan.kind == STAGE_RUN && !run.plan.reason)
		return stage_as_it_is(&run);
	if (!cc_options_take_text(&run.options, getenv(CC_OPTIONS_VARIABLE), CC_OPTIONS_VARIABLE,
				  &err)) {
		fprintf(stderr, "tvcc: %s\n", err.text);
		return EXIT_FAILURE;
	}
	if (run.plan.kind == STAGE_RUN) {
		str_add(&run.why, run.plan.reason);
		if (run.options.verbose)
			stage_print(&run, "not instrumented");
		status = stage_as_it_is(&run);
	} else {
		status = compile_and_end(&run);
	}
	str_fini(&run.why);
	str_fini(&run.without);
	cc_options_fini(&run.options);
	return status;
}
