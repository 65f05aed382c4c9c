#include "capture/cc/driver/stage.h"

#include <string.h>

#include "base/path.h"

static bool begins(const char *word, const char *with)
{
	return strncmp(word, with, strlen(with)) == 0;
}

/* Options that only cc1 has with an argument: its -MD and -MMD take the file's name. */
bool stage_takes_next(const char *word)
{
	return words_have("-MD -MMD -fintrinsic-modules-path", word) || cc_option_takes_next(word);
}

/* Words with which cc1 makes no code. */
static bool is_question(const char *word)
{
	static const char questions[] =
		"-E -M -MM -fsyntax-only --help --version --help= --target-help -version-only";

	return words_have(questions, word) || words_begin("--help= --output-pch=", word);
}

/* Why a file is compiled as it is, by an option. */
static const char *reason_of(const char *word)
{
	if (!strcmp(word, "-ffreestanding"))
		return "-ffreestanding: there may be no C library, which probes need";
	if (begins(word, "-fmodules-ts") || begins(word, "-fmodule-"))
		return "C++ modules are not instrumented";
	return NULL;
}

static bool is_debug(const char *word)
{
	return begins(word, "-g") && strcmp(word, "-g0") != 0 && !begins(word, "-gno-") &&
	       !begins(word, "-grecord-");
}

static void look_at(struct stage_plan *plan, const char *word)
{
	if (begins(word, "-W") && !begins(word, "-Wno-"))
		plan->warns = true;
	plan->analyses = plan->analyses || !strcmp(word, "-fanalyzer");
	plan->preprocessed = plan->preprocessed || !strcmp(word, "-fpreprocessed");
	if (is_debug(word)) {
		plan->lines = true;
		plan->macros = plan->macros || word[strlen(word) - 1] == '3';
	}
}

struct stage_plan stage_plan(char *const *argv)
{
	struct stage_plan plan = { .kind = STAGE_RUN };
	const char *program = path_name(argv[0]);
	size_t inputs = 0;
	bool question = false;

	if (!strcmp(program, "f951"))
		plan.kind = STAGE_HOOKS;
	else if (!strcmp(program, "cc1") || !strcmp(program, "cc1plus"))
		plan.kind = STAGE_PROBES;
	else
		return plan;
	plan.cxx = !strcmp(program, "cc1plus");
	for (size_t i = 1; argv[i]; i++) {
		const char *word = argv[i];
		question = question || is_question(word);
		plan.reason = plan.reason ? plan.reason : reason_of(word);
		look_at(&plan, word);
		if (stage_takes_next(word) && argv[i + 1]) {
			i++;
			if (!strcmp(word, "-o"))
				plan.output = i;
		} else if ((word[0] != '-' || !word[1]) && word[0] != '@') {
			/* Of a file that it preprocesses gfortran gives f951 the name twice. */
			inputs += !plan.input || strcmp(argv[plan.input], word) != 0;
			plan.input = i;
		}
	}
	if (question || inputs != 1) {
		plan.kind = STAGE_RUN;
		plan.reason = NULL;
	} else if (plan.kind == STAGE_PROBES && plan.reason) {
		plan.kind = STAGE_RUN;
	}
	return plan;
}

/* ---- the steps ---- */

void stage_preprocess(const struct stage_plan *plan, char *const *argv, struct words *out)
{
	words_add(out, argv[0]);
	words_add(out, "-E");
	if (plan->macros)
		words_add(out, "-dD");
	for (size_t i = 1; argv[i]; i++) {
		if (plan->output && (i == plan->output || i + 1 == plan->output))
			continue;
		words_add(out, argv[i]);
	}
}

/* Options that would write dependencies of the text instead of the file's, or read files into it
 * once more, or put the hooks beside the probes. */
static bool is_done(const char *word)
{
	static const char done[] =
		"-MD -MMD -MF -MT -MQ -MP -MG -include -imacros -finstrument-functions "
		"-fpreprocessed -fpch-preprocess -H";

	return words_have(done, word);
}

void stage_check(const struct stage_plan *plan, char *const *argv, struct words *out)
{
	static const char writing[] = "-MD -MMD -MF -MT -MQ -MP -MG -H";

	words_add(out, argv[0]);
	words_add(out, "-fsyntax-only");
	for (size_t i = 1; argv[i]; i++) {
		const bool two = stage_takes_next(argv[i]) && argv[i + 1];
		if (words_have(writing, argv[i]) || (plan->output && i + 1 == plan->output)) {
			i += two;
			continue;
		}
		words_add(out, argv[i]);
		if (two)
			words_add(out, argv[++i]);
	}
	/* Without a name it would write one of its own making. */
	words_add(out, "-o");
	words_add(out, "/dev/null");
}

void stage_compile(const struct stage_plan *plan, char *const *argv, const char *input,
		   const char *output, bool warnings, struct words *out)
{
	words_add(out, argv[0]);
	words_add(out, "-fpreprocessed");
	for (size_t i = 1; argv[i]; i++) {
		if (i != plan->input && is_done(argv[i])) {
			i += stage_takes_next(argv[i]) && argv[i + 1];
			continue;
		}
		if (i == plan->input)
			words_add(out, input);
		else if (output && i == plan->output)
			words_add(out, output);
		else
			words_add(out, argv[i]);
		/* What follows an option is its own, whatever it looks like. */
		if (stage_takes_next(argv[i]) && argv[i + 1] && i != plan->input &&
		    i + 1 != plan->output)
			words_add(out, argv[++i]);
	}
	if (!warnings)
		words_add(out, "-w");
}

void stage_hooks(const struct stage_plan *plan, char *const *argv, const char *output,
		 struct words *out)
{
	for (size_t i = 0; argv[i]; i++)
		words_add(out, output && plan->output && i == plan->output ? output : argv[i]);
	words_add(out, "-finstrument-functions");
	/* Call sites are found by their addresses. */
	if (!plan->lines)
		words_add(out, "-g1");
}

void stage_flags(char *const *argv, struct words *out)
{
	/* What is said of the language; the rest of -f is about code. */
	static const char language[] =
		"-std= -m32 -m64 -mx32 -ansi -traditional -fpermissive -fgnu89-inline "
		"-funsigned- -fsigned- -fno-unsigned- -fno-signed- -fshort- -fms-extensions "
		"-fplan9-extensions -fno-exceptions -fexceptions -fno-rtti -fchar8_t "
		"-fno-char8_t -fconcepts -fcoroutines -fno-asm -fasm -fno-gnu-keywords "
		"-faligned-new -fsized-deallocation -fno-sized-deallocation -fwrapv -march= "
		"-mavx -msse -mfma -mf16c -mbmi -maes -mpclmul -mpopcnt -mlzcnt";

	for (size_t i = 1; argv[i]; i++) {
		if (words_begin(language, argv[i]))
			words_add(out, argv[i]);
		if (stage_takes_next(argv[i]) && argv[i + 1])
			i++;
	}
}
