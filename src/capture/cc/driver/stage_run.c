#define _GNU_SOURCE /* NOLINT: memfd_create() */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "capture/cc/driver/driver.h"
#include "capture/cc/driver/stage.h"
#include "capture/cc/driver/stage_fortran.h"
#include "capture/cc/driver/unit_note.h"
#include "capture/cc/fortran/fortran_unit.h"
#include "capture/cc/instrument/instrument_main.h"

struct run {
	char **argv;
	struct stage_plan plan;
	struct cc_options options;
	int text;         /* what cc1 -E wrote */
	int probed;       /* with probes */
	int list;         /* what was not instrumented, or why nothing could be done */
	int said;         /* what a silent step said */
	int warned;       /* what is said of the file itself */
	int out;          /* where the output is "-": what is to go there; else -1 */
	int input;        /* where the input is "-": what came from there; else -1 */
	char output[32];  /* the name of `out` */
	struct str why;   /* there are no probes: why */
	bool has_words;   /* the compiler had something to say */
	bool has_nothing; /* no place of the file is to have a probe */
};

/* ---- files in memory ---- */

static int memory_file(const char *name)
{
	return memfd_create(name, 0);
}

static void rewind_file(int fd)
{
	(void)lseek(fd, 0, SEEK_SET);
}

static void empty_file(int fd)
{
	rewind_file(fd);
	(void)!ftruncate(fd, 0);
}

static bool is_empty(int fd)
{
	return lseek(fd, 0, SEEK_END) == 0;
}

/* False where the reader or the disk fails. */
static bool copy_file(int from, int to)
{
	char bytes[65536];
	ssize_t n;

	while ((n = read(from, bytes, sizeof bytes)) > 0) {
		for (ssize_t done = 0; done < n;) {
			const ssize_t wrote = write(to, bytes + done, (size_t)(n - done));
			if (wrote < 0 && errno != EINTR)
				return false;
			done += wrote > 0 ? wrote : 0;
		}
	}
	return n == 0;
}

static void read_words(int fd, struct str *text)
{
	enum { MOST = 1000 };
	char bytes[MOST];
	ssize_t n;

	rewind_file(fd);
	n = read(fd, bytes, sizeof bytes);
	while (n > 0 && bytes[n - 1] == '\n')
		n--;
	if (n > 0)
		str_add_clean(text, bytes, (size_t)n);
}

/* ---- processes ---- */

/* Starts a program; descriptors of -1 stay as they are. -1: it cannot be. */
static pid_t start_program(const struct words *argv, int in, int out, int say)
{
	const int fds[3] = { in, out, say };
	const pid_t parent = getpid(), child = fork();

	if (child == 0) {
		/* If this process is killed, the program that it started must end, too. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(EXIT_FAILURE);
		for (int i = 0; i < 3; i++) {
			if (fds[i] >= 0)
				dup2(fds[i], i);
		}
		execvp(argv->list.data[0], argv->list.data);
		dprintf(2, "%s: %s\n", argv->list.data[0], strerror(errno));
		_exit(EXIT_FAILURE);
	}
	return child;
}

/* Returns wait()'s status. */
static int wait_for(pid_t child)
{
	int status;

	if (child < 0)
		return EXIT_FAILURE << 8;
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return EXIT_FAILURE << 8;
	}
	return status;
}

static int run_program(const struct words *argv, int in, int out, int say)
{
	return wait_for(start_program(argv, in, out, say));
}

static bool succeeded(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Ends as a program did that was run in place of this one. */
static int end_like(int status)
{
	if (WIFSIGNALED(status)) {
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

/* A step whose messages are not shown. `argv` is freed. */
static bool run_silent(struct run *run, struct words *argv, int in, int out)
{
	int status;

	empty_file(run->said);
	if (in >= 0)
		rewind_file(in);
	if (run->out >= 0)
		empty_file(run->out);
	status = run_program(argv, in, out, run->said);
	words_fini(argv);
	return succeeded(status);
}

static int run_as_it_is(struct run *run)
{
	if (run->input >= 0) {
		rewind_file(run->input);
		dup2(run->input, 0);
	}
	execvp(run->argv[0], run->argv);
	fprintf(stderr, "tvcc: %s: %s\n", run->argv[0], strerror(errno));
	return EXIT_FAILURE;
}

/* ---- the steps ---- */

static const char *source_of(const struct run *run)
{
	return run->argv[run->plan.input];
}

static const char *output_of(const struct run *run)
{
	return run->out >= 0 ? run->output : NULL;
}

static bool preprocess(struct run *run)
{
	struct words argv = WORDS_INIT;
	bool ok;

	if (run->plan.preprocessed) {
		const int fd = run->input >= 0 ? run->input : open(source_of(run), O_RDONLY);
		if (run->input >= 0)
			rewind_file(fd);
		ok = fd >= 0 && copy_file(fd, run->text);
		if (fd >= 0 && fd != run->input)
			close(fd);
	} else {
		stage_preprocess(&run->plan, run->argv, &argv);
		ok = run_silent(run, &argv, run->input, run->text);
		run->has_words = run->plan.analyses || !is_empty(run->said);
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

static bool put_probes(struct run *run)
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
	words_add(&argv, run->plan.preprocessed || run->input >= 0 ? "" : source_of(run));
	stage_flags(run->argv, &argv);
	str_fini(&program);
	rewind_file(run->text);
	status = run_program(&argv, run->text, run->probed, run->list);
	if (succeeded(status))
		return true;
	run->has_nothing = WIFEXITED(status) && WEXITSTATUS(status) == INSTRUMENT_NOTHING;
	read_words(run->list, &run->why);
	if (!run->why.n)
		str_add_fmt(&run->why, INSTRUMENT_PROGRAM " ended with status %d", status);
	return false;
}

/* Starts to parse the file itself, if any warning was requested. */
static pid_t start_check(struct run *run)
{
	ENDED_BY(words_fini) struct words argv = WORDS_INIT;

	if (!run->plan.warns || run->has_words)
		return -1;
	stage_check(&run->plan, run->argv, &argv);
	if (run->input >= 0)
		rewind_file(run->input);
	return start_program(&argv, run->input, run->warned, run->warned);
}

static void end_check(struct run *run, pid_t child)
{
	if (child >= 0 && (!succeeded(wait_for(child)) || !is_empty(run->warned)))
		run->has_words = true;
}

static bool compile_probed(struct run *run, bool warnings)
{
	struct words argv = WORDS_INIT;

	stage_compile(&run->plan, run->argv, "-", output_of(run), warnings, &argv);
	return run_silent(run, &argv, run->probed, -1);
}

static bool compile_hooks(struct run *run, bool warnings)
{
	struct words argv = WORDS_INIT;

	stage_hooks(&run->plan, run->argv, output_of(run), &argv);
	if (!warnings)
		words_add(&argv, "-w");
	return run_silent(run, &argv, run->input, -1);
}

/* Compiles the file itself, with all of its diagnostics. */
static int compile_plain(struct run *run, int say)
{
	ENDED_BY(words_fini) struct words argv = WORDS_INIT;

	words_add_all(&argv, run->argv);
	if (run->out >= 0) {
		free(argv.list.data[run->plan.output]);
		argv.list.data[run->plan.output] = xstrdup(run->output);
		empty_file(run->out);
	}
	if (run->input >= 0)
		rewind_file(run->input);
	return run_program(&argv, run->input, -1, say);
}

/* ---- all of it ---- */

static void print_skipped(const struct run *run)
{
	if (!run->options.verbose)
		return;
	rewind_file(run->list);
	(void)copy_file(run->list, 2);
}

static void print_hooked(const struct run *run, const char *what)
{
	if (!run->options.quiet)
		fprintf(stderr, "tvcc: warning: %s: %s: %s\n",
			run->input >= 0 ? "standard input" : source_of(run), what, run->why.text);
}

static const char only_hooks[] = "only procedures are instrumented (-finstrument-functions)";

/* Puts into the object what the file has no probes for: what is written so far is text for the
 * assembler. */
static void note(const struct run *run, const char *what)
{
	OWNED_STR reason = STR_INIT, text = STR_INIT;
	char directory[PATH_MAX] = "";
	const size_t output = run->plan.output;
	const int fd = run->out >= 0 ? run->out
		       : output      ? open(run->argv[output], O_WRONLY | O_APPEND)
				     : -1;

	str_add_fmt(&reason, "%s: %s", what, run->why.text);
	unit_note(&text, source_of(run), getcwd(directory, sizeof directory) ? directory : "",
		  reason.text);
	if (fd >= 0) {
		(void)lseek(fd, 0, SEEK_END);
		(void)!write(fd, text.text, text.n);
	}
	if (fd >= 0 && fd != run->out)
		close(fd);
}

/* Uses hooks at procedures if there can be no probes, or else compiles the file as it is. If
 * has_words is set, the compiler has printed its messages already. */
static int fall_back(struct run *run)
{
	bool hooked = rules_file(run->options.rules, source_of(run));
	int status;

	hooked = hooked && compile_hooks(run, !run->has_words);
	if (hooked && !run->has_words && !is_empty(run->said)) {
		status = compile_plain(run, -1);
		if (!succeeded(status))
			return status;
		hooked = compile_hooks(run, false);
	}
	if (hooked) {
		print_hooked(run, only_hooks);
		note(run, only_hooks);
		return 0;
	}
	status = compile_plain(run, run->has_words ? run->said : -1);
	if (succeeded(status)) {
		print_hooked(run, "not instrumented");
		note(run, "not instrumented");
	}
	return status;
}

/* Whether the text with probes is the result, and the compiler prints nothing. */
static bool compile_quietly(struct run *run)
{
	const bool ok = compile_probed(run, true);

	run->has_words = !ok || !is_empty(run->said);
	return !run->has_words;
}

static int compile(struct run *run)
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
	if (!succeeded(status) || run->has_nothing)
		return status;
	if (probed && compile_probed(run, false)) {
		print_skipped(run);
		return 0;
	}
	if (probed)
		read_words(run->said, &run->why);
	return fall_back(run);
}

static bool prepare(struct run *run)
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
	if (!strcmp(source_of(run), "-") && run->plan.kind == STAGE_PROBES) {
		run->input = memory_file("input");
		if (run->input < 0 || !copy_file(0, run->input))
			return false;
	}
	return true;
}

/* ---- Fortran ---- */

/* The text of a file in memory. */
static void read_all(int fd, struct str *text)
{
	char bytes[65536];
	ssize_t n;

	rewind_file(fd);
	while ((n = read(fd, bytes, sizeof bytes)) > 0)
		str_add_n(text, bytes, (size_t)n);
}

/* Writes the text with calls, and what they call. */
static bool put_calls(struct run *run)
{
	const struct fortran_form form = stage_fortran_form(&run->plan, run->argv);
	const int fd = open(source_of(run), O_RDONLY | O_CLOEXEC);
	OWNED_STR text = STR_INIT, out = STR_INIT, helpers = STR_INIT;
	char directory[PATH_MAX] = "";
	const struct fortran_options options = {
		.file = source_of(run),
		.directory = getcwd(directory, sizeof directory) ? directory : "",
		.rules = run->options.rules,
		.helper_end = stage_fortran_underscore(run->argv),
		.all = run->options.all,
	};
	struct fortran_lines lines;
	struct fortran_unit unit;
	bool ok;

	if (fd < 0)
		return false;
	read_all(fd, &text);
	close(fd);
	fortran_lines_init(&lines, text.text, text.n, &form);
	ok = fortran_unit_init(&unit, &lines, &options) && !lines.preprocessor;
	run->has_nothing = ok && !unit.sites.n;
	ok = ok && unit.sites.n;
	if (ok) {
		fortran_unit_text(&unit, &out);
		fortran_unit_helpers(&unit, &helpers);
		ok = write(run->text, out.text, out.n) == (ssize_t)out.n &&
		     write(run->probed, helpers.text, helpers.n) == (ssize_t)helpers.n;
	}
	fortran_unit_fini(&unit);
	fortran_lines_fini(&lines);
	return ok;
}

static bool compile_calls(struct run *run, bool warnings)
{
	struct words argv = WORDS_INIT;
	char text[32];

	snprintf(text, sizeof text, "/proc/self/fd/%d", run->text);
	stage_fortran_compile(&run->plan, run->argv, text, output_of(run), warnings, &argv);
	return run_silent(run, &argv, -1, -1);
}

/* What the calls call goes into the same object. */
static bool append_helpers(struct run *run)
{
	struct words argv = WORDS_INIT;
	OWNED_STR text = STR_INIT, out = STR_INIT;
	char list[32];
	int fd;
	bool ok;

	snprintf(list, sizeof list, "/proc/self/fd/%d", run->list);
	stage_fortran_helpers(run->argv, list, &argv);
	if (!run_silent(run, &argv, run->probed, -1))
		return false;
	read_all(run->list, &text);
	stage_fortran_append(&out, text.text, text.n);
	fd = open(run->argv[run->plan.output], O_WRONLY | O_APPEND | O_CLOEXEC);
	ok = fd >= 0 && write(fd, out.text, out.n) == (ssize_t)out.n;
	if (fd >= 0)
		close(fd);
	return ok;
}

static int compile_hooks_of_fortran(struct run *run)
{
	ENDED_BY(words_fini) struct words argv = WORDS_INIT;

	stage_hooks(&run->plan, run->argv, output_of(run), &argv);
	return run_program(&argv, -1, -1, -1);
}

/* With hooks at procedures and calls around loops. If the compiler has something to say, the file
 * itself is compiled first, so that it says that of the file. */
static int run_hooks(struct run *run)
{
	const char *reason = stage_fortran_reason(&run->plan, run->argv);
	bool calls;
	int status;

	if (!rules_file(run->options.rules, source_of(run)))
		return run_as_it_is(run);
	calls = !reason && put_calls(run);
	if (calls && compile_calls(run, true) && is_empty(run->said) && append_helpers(run))
		return 0;
	status = compile_hooks_of_fortran(run);
	if (!succeeded(status))
		return status;
	if (calls && compile_calls(run, false) && append_helpers(run))
		return 0;
	/* The output is spoilt; all was said already. */
	if (calls && !compile_hooks(run, false))
		return EXIT_FAILURE << 8;
	if (run->has_nothing)
		return 0;
	str_add_fmt(&run->why, "loops unknown: %s",
		    reason  ? reason
		    : calls ? "the compiler rejects calls around them"
			    : "the statements of the file are not understood");
	note(run, only_hooks);
	return status;
}

static int compile_and_end(struct run *run)
{
	int status;

	if (!prepare(run))
		return run_as_it_is(run);
	status = run->plan.kind == STAGE_HOOKS ? run_hooks(run) : compile(run);
	if (succeeded(status) && run->out >= 0) {
		rewind_file(run->out);
		if (!copy_file(run->out, 1))
			return EXIT_FAILURE;
	}
	return end_like(status);
}

int stage_run(char **argv)
{
	struct run run = { .argv = argv, .out = -1, .input = -1, .why = STR_INIT };
	struct err err = ERR_INIT;
	int status;

	run.plan = stage_plan(argv);
	cc_options_init(&run.options);
	if (run.plan.kind == STAGE_RUN && !run.plan.reason)
		return run_as_it_is(&run);
	if (!cc_options_take_text(&run.options, getenv(CC_OPTIONS_VARIABLE), CC_OPTIONS_VARIABLE,
				  &err)) {
		fprintf(stderr, "tvcc: %s\n", err.text);
		return EXIT_FAILURE;
	}
	if (run.plan.kind == STAGE_RUN) {
		str_add(&run.why, run.plan.reason);
		if (run.options.verbose)
			print_hooked(&run, "not instrumented");
		status = run_as_it_is(&run);
	} else {
		status = compile_and_end(&run);
	}
	str_fini(&run.why);
	cc_options_fini(&run.options);
	return status;
}
