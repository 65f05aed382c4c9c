#include "capture/cc/driver/driver.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/notice.h"
#include "base/path.h"

/* As shells have them. */
enum { CANNOT_RUN = 126, NOT_FOUND = 127 };

static const struct language {
	const char *variable; /* names the compiler */
	const char *compiler; /* else this one */
	const char *under[2]; /* what MPICH and Open MPI call the compiler under it */
} languages[] = {
	[DRIVER_C] = { "TVIEW_CC", "mpicc", { "MPICH_CC", "OMPI_CC" } },
	[DRIVER_CXX] = { "TVIEW_CXX", "mpicxx", { "MPICH_CXX", "OMPI_CXX" } },
	[DRIVER_FORTRAN] = { "TVIEW_FC", "mpifort", { "MPICH_FC", "OMPI_FC" } },
};

enum driver_language driver_language(const char *program)
{
	const char *name = path_name(program);

	if (strstr(name, "tvcxx") || strstr(name, "tvc++"))
		return DRIVER_CXX;
	return strstr(name, "tvf") ? DRIVER_FORTRAN : DRIVER_C;
}

void driver_plan_fini(struct driver_plan *plan)
{
	words_fini(&plan->argv);
}

/* ---- what a command line is about ---- */

/* Options with which the compiler makes no code, or only prints something. */
static bool is_question(const char *word)
{
	static const char questions[] =
		"-### -E -M -MM --preprocess --dependencies --user-dependencies -fsyntax-only "
		"-wrapper -show -show-compile-info -show-link-info -compile-info -compile_info "
		"-link-info -link_info";

	return words_have(questions, word) || !strncmp(word, "-showme", 7) ||
	       !strncmp(word, "--showme", 8);
}

/* An input that no compiler proper reads: the command line only links. */
static bool is_linked(const char *input)
{
	static const char *const ends[] = { ".o", ".a", ".so", ".lo", ".la" };
	const size_t n = strlen(input);

	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		const size_t m = strlen(ends[i]);
		if (n > m && !strcmp(input + n - m, ends[i]))
			return true;
	}
	return strstr(path_name(input), ".so.") != NULL;
}

/* Whether something may be compiled, also by a response file. */
static bool compiles(const struct words *words)
{
	bool sources = false, question = false;
	ENDED_BY(words_fini) struct words all = WORDS_INIT;

	if (!words->list.n)
		return false;
	words_expand(&all, words->list.data);
	for (size_t i = 0; i < all.list.n; i++) {
		const char *word = all.list.data[i];
		question = question || is_question(word);
		if (cc_option_takes_next(word))
			i++;
		else if (word[0] != '-' || !word[1])
			sources = sources || !is_linked(word);
	}
	return sources && !question;
}

static bool has_debug_information(const struct words *words)
{
	for (size_t i = 0; i < words->list.n; i++) {
		if (!strncmp(words->list.data[i], "-g", 2))
			return true;
	}
	return false;
}

/* By its name, or by the name of the compiler that the wrappers of MPI are configured to use. */
static bool is_not_gcc(const struct words *compiler, const struct language *language)
{
	for (size_t i = 0; i < compiler->list.n; i++) {
		if (strstr(path_name(compiler->list.data[i]), "clang"))
			return true;
	}
	for (size_t i = 0; i < 2; i++) {
		const char *under = getenv(language->under[i]);
		if (under && strstr(under, "clang"))
			return true;
	}
	return false;
}

/* ---- what to run ---- */

static bool check_itself(const struct words *words, const char *self, struct err *err)
{
	for (size_t i = 0; i < words->list.n; i++) {
		const char *word = words->list.data[i];
		if (strstr(word, "," DRIVER_STAGE_WORD "="))
			return err_set(err, STATUS_USAGE,
				       "%s calls itself through its compiler; name the real one in "
				       "TVIEW_CC, TVIEW_CXX or TVIEW_FC",
				       path_name(self));
	}
	return true;
}

/* The result of a compilation depends on these files, too. */
static void add_wrapper(struct driver_plan *plan, const struct cc_options *options,
			const char *self)
{
	OWNED_STR wrapper = STR_INIT;
	struct stat st = { 0 };

	if (stat(self, &st) != 0)
		st = (struct stat){ 0 };
	str_add_fmt(&wrapper, "%s," DRIVER_STAGE_WORD "=%016llx%d%d.%llx.%llx.%lx", self,
		    (unsigned long long)rules_hash(options->rules), options->verbose,
		    options->quiet, (unsigned long long)st.st_size,
		    (unsigned long long)st.st_mtim.tv_sec, (unsigned long)st.st_mtim.tv_nsec);
	words_add(&plan->argv, "-wrapper");
	words_add(&plan->argv, wrapper.text);
}

bool driver_plan(struct driver_plan *plan, enum driver_language language,
		 const struct cc_options *options, const char *compiler, const struct words *words,
		 const char *self, struct err *err)
{
	const struct language *l = &languages[language];

	*plan = (struct driver_plan)DRIVER_PLAN_INIT;
	words_split(&plan->argv, compiler && *compiler ? compiler : l->compiler);
	if (!plan->argv.list.n)
		return err_set(err, STATUS_USAGE, "%s names no compiler", l->variable);
	if (!check_itself(words, self, err))
		return false;
	if (!options->plain && compiles(words)) {
		if (is_not_gcc(&plan->argv, l))
			plan->why = "the compiler is not GCC";
		else if (strchr(self, ','))
			plan->why = "the name of its folder has a comma";
		plan->way = plan->why ? DRIVER_FUNCTIONS : DRIVER_STAGED;
	}
	if (plan->way == DRIVER_STAGED) {
		add_wrapper(plan, options, self);
	} else if (plan->way == DRIVER_FUNCTIONS) {
		words_add(&plan->argv, "-finstrument-functions");
	}
	/* Call sites are found by their addresses. Minimal debug information does not change the
	 * code. */
	if ((plan->way == DRIVER_FUNCTIONS ||
	     (plan->way == DRIVER_STAGED && language == DRIVER_FORTRAN)) &&
	    !has_debug_information(words))
		words_add(&plan->argv, "-g1");
	if (words->list.n)
		words_add_all(&plan->argv, words->list.data);
	return true;
}

/* ---- running it ---- */

static bool find_self(char *path, size_t size, struct err *err)
{
	const ssize_t n = readlink("/proc/self/exe", path, size - 1);

	if (n <= 0)
		return err_errno(err, STATUS_IO, "cannot find the folder of tvcc");
	path[n] = '\0';
	return true;
}

static bool export_options(const struct cc_options *options, struct err *err)
{
	OWNED_STR text = STR_INIT;
	bool ok;

	for (size_t i = 0; i < options->given.list.n; i++)
		words_join(&text, options->given.list.data[i]);
	ok = setenv(CC_OPTIONS_VARIABLE, text.text, 1) == 0;
	return ok || err_errno(err, STATUS_IO, CC_OPTIONS_VARIABLE " cannot be set");
}

static void print_help(const char *program)
{
	OWNED_STR help = STR_INIT;

	cc_options_help(&help, path_name(program));
	printf("%s\n", help.text);
	fflush(stdout);
}

static bool prepare(struct driver_plan *plan, struct cc_options *options, char **argv,
		    struct err *err)
{
	const enum driver_language language = driver_language(argv[0]);
	ENDED_BY(words_fini) struct words rest = WORDS_INIT;
	char self[PATH_MAX];
	bool ok;

	ok = find_self(self, sizeof self, err) &&
	     cc_options_take_text(options, getenv("TVIEW_CC_OPTIONS"), "TVIEW_CC_OPTIONS", err) &&
	     cc_options_take(options, argv + 1, &rest, err) &&
	     driver_plan(plan, language, options, getenv(languages[language].variable), &rest, self,
			 err) &&
	     export_options(options, err);
	if (ok && options->help) {
		print_help(argv[0]);
		words_add(&plan->argv, "--help");
	}
	return ok;
}

int driver_run(char **argv)
{
	struct driver_plan plan = DRIVER_PLAN_INIT;
	const char *name = path_name(argv[0]);
	struct cc_options options;
	struct err err = ERR_INIT;
	int status = STATUS_USAGE;

	cc_options_init(&options);
	if (!prepare(&plan, &options, argv, &err)) {
		fprintf(stderr, "%s: %s\n", name, err.text);
	} else {
		if (plan.way == DRIVER_FUNCTIONS && !options.quiet)
			notice_print(name,
				     "warning: only procedures are instrumented "
				     "(-finstrument-functions): %s",
				     plan.why);
		execvp(plan.argv.list.data[0], plan.argv.list.data);
		status = errno == ENOENT ? NOT_FOUND : CANNOT_RUN;
		notice_print(name,
			     "%s: cannot be run: %s (TVIEW_CC, TVIEW_CXX and TVIEW_FC name the "
			     "compilers)",
			     plan.argv.list.data[0], strerror(errno));
	}
	driver_plan_fini(&plan);
	cc_options_fini(&options);
	return status;
}
