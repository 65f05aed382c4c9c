#include "capture/cc/options/cc_options.h"

#include <string.h>

#include "base/option_page.h"
#include "capture/cc/options/filter_from.h"

enum option_id {
	OPTION_ONLY,
	OPTION_EXCLUDE,
	OPTION_NO_LOOPS,
	OPTION_ITERATIONS,
	OPTION_ALL,
	OPTION_FILTER_FILE,
	OPTION_FILTER_FROM,
	OPTION_VERBOSE,
	OPTION_QUIET,
	OPTION_PLAIN,
	OPTION_HELP,
};

static const struct option {
	const char *name;
	const char *argument; /* NULL: a flag */
	const char *help;
} options_table[] = {
	[OPTION_ONLY] = { "only", "PATTERN",
			  "instrument only functions (or files, with file:PATTERN) that match; "
			  "repeatable" },
	[OPTION_EXCLUDE] = { "exclude", "PATTERN",
			     "do not instrument them; the last matching rule wins" },
	[OPTION_NO_LOOPS] = { "no-loops", NULL, "do not instrument loops" },
	[OPTION_ITERATIONS] = { "iterations", NULL, "instrument every iteration of loops, too" },
	[OPTION_ALL] = { "all", NULL,
			 "instrument small procedures, and time short loops without calls, "
			 "too" },
	[OPTION_FILTER_FILE] = { "filter-file", "FILE",
				 "read rules from FILE, one per line: only PATTERN, exclude "
				 "PATTERN, no-loops [PATTERN], iterations [PATTERN]" },
	[OPTION_FILTER_FROM] = { "filter-from", "TRACE",
				 "leave out probes that cost too much in the run TRACE: reads "
				 "TRACE.filter, which tview export filter makes if it does not "
				 "exist" },
	[OPTION_VERBOSE] = { "tv-verbose", NULL,
			     "print what was not instrumented in each file, where and why" },
	[OPTION_QUIET] = { "quiet", NULL,
			   "do not warn about files in which only procedures are instrumented" },
	[OPTION_PLAIN] = { "no-instrument", NULL, "run only the compiler" },
	[OPTION_HELP] = { "help", NULL, "print this help, then that of the compiler" },
};

enum { OPTIONS = sizeof options_table / sizeof options_table[0] };

void cc_options_init(struct cc_options *options)
{
	*options = (struct cc_options){ .rules = rules_new() };
}

void cc_options_fini(struct cc_options *options)
{
	rules_free(options->rules);
	words_fini(&options->given);
}

bool cc_option_takes_next(const char *word)
{
	/* From the options files of GCC 12: what is written as two words. */
	static const char separate[] =
		"-o -x -I -D -U -A -B -F -G -J -L -T -e -h -l -u -z -R -MF -MT -MQ -include "
		"-imacros -isystem -iquote -idirafter -iprefix -iwithprefix -iwithprefixbefore "
		"-isysroot -imultilib -imultiarch -Xlinker -Xassembler -Xpreprocessor -Tbss "
		"-Tdata -Ttext -aux-info -auxbase -auxbase-strip -dumpbase -dumpbase-ext "
		"-dumpdir -specs -wrapper -arch -target -Xclang -mllvm -framework -rpath "
		"-soname --param --sysroot --output --language --include --imacros "
		"--define-macro --undefine-macro --include-directory --include-directory-after "
		"--include-prefix --include-with-prefix --include-with-prefix-after "
		"--include-with-prefix-before --library-directory --for-linker --for-assembler "
		"--force-link --assert --dump --dumpbase --dumpdir --entry --prefix --specs";

	return words_have(separate, word);
}

/* The option that a word names, and its value where it is in the same word; OPTIONS none. */
static unsigned find(const char *word, const char **value)
{
	*value = NULL;
	if (word[0] != '-' || word[1] != '-')
		return OPTIONS;
	for (unsigned i = 0; i < OPTIONS; i++) {
		const size_t n = strlen(options_table[i].name);
		if (strncmp(word + 2, options_table[i].name, n) != 0)
			continue;
		if (!word[2 + n])
			return i;
		if (word[2 + n] == '=' && options_table[i].argument) {
			*value = word + 3 + n;
			return i;
		}
	}
	return OPTIONS;
}

static bool add_rule(struct cc_options *options, enum rule_kind kind, const char *pattern,
		     unsigned id, struct err *err)
{
	char place[32] = "--";

	strncat(place, options_table[id].name, sizeof place - 3);
	return rules_add(options->rules, kind, pattern, place, err);
}

static bool set(struct cc_options *options, unsigned id, const char *value, struct err *err)
{
	switch ((enum option_id)id) {
	case OPTION_ONLY: return add_rule(options, RULE_ONLY, value, id, err);
	case OPTION_EXCLUDE: return add_rule(options, RULE_EXCLUDE, value, id, err);
	case OPTION_NO_LOOPS: return add_rule(options, RULE_NO_LOOPS, NULL, id, err);
	case OPTION_ITERATIONS: return add_rule(options, RULE_ITERATIONS, NULL, id, err);
	case OPTION_ALL: options->all = true; return true;
	case OPTION_FILTER_FILE:
	case OPTION_FILTER_FROM: return rules_add_file(options->rules, value, err);
	case OPTION_VERBOSE: options->verbose = true; return true;
	case OPTION_QUIET: options->quiet = true; return true;
	case OPTION_PLAIN: options->plain = true; return true;
	case OPTION_HELP: options->help = true; return true;
	}
	return true;
}

/* Reads the option at *at, which it moves to its last word. */
static bool take_one(struct cc_options *options, unsigned id, const char *value, char *const **at,
		     struct err *err)
{
	const bool inside = value != NULL;
	OWNED_STR filter = STR_INIT;

	if (options_table[id].argument && !inside) {
		value = *(*at + 1);
		if (!value)
			return err_set(err, STATUS_USAGE, "--%s needs %s", options_table[id].name,
				       options_table[id].argument);
	}
	if (id == OPTION_FILTER_FROM) {
		if (!filter_from_trace(value, &filter, err))
			return false;
		/* The stages find the file. */
		words_add(&options->given, "--filter-file");
		words_add(&options->given, filter.text);
		value = filter.text;
	} else {
		words_add(&options->given, **at);
		if (value && !inside)
			words_add(&options->given, value);
	}
	*at += value && !inside;
	return set(options, id, value, err);
}

static bool any_ours(char *const *argv)
{
	const char *value;

	for (; *argv; argv++) {
		if (find(*argv, &value) < OPTIONS)
			return true;
		if (cc_option_takes_next(*argv) && argv[1])
			argv++;
	}
	return false;
}

static bool take_words(struct cc_options *options, char *const *argv, struct words *rest,
		       struct err *err)
{
	for (char *const *at = argv; *at; at++) {
		const char *value;
		const unsigned id = find(*at, &value);
		if (id < OPTIONS) {
			if (!take_one(options, id, value, &at, err))
				return false;
			continue;
		}
		words_add(rest, *at);
		if (cc_option_takes_next(*at) && at[1])
			words_add(rest, *++at);
	}
	return true;
}

bool cc_options_take(struct cc_options *options, char *const *argv, struct words *rest,
		     struct err *err)
{
	ENDED_BY(words_fini) struct words inner = WORDS_INIT;

	for (char *const *word = argv; *word; word++) {
		if ((*word)[0] == '@') {
			words_expand(&inner, argv);
			break;
		}
	}
	return take_words(options,
			  inner.list.n && any_ours(inner.list.data) ? inner.list.data : argv, rest,
			  err);
}

bool cc_options_take_text(struct cc_options *options, const char *text, const char *place,
			  struct err *err)
{
	ENDED_BY(words_fini) struct words words = WORDS_INIT, rest = WORDS_INIT;
	bool ok = true;

	words_split(&words, text ? text : "");
	if (words.list.n) {
		ok = take_words(options, words.list.data, &rest, err);
		if (ok && rest.list.n)
			ok = err_set(err, STATUS_USAGE, "%s: tvcc has no option %s", place,
				     rest.list.data[0]);
	}
	return ok;
}

/* ---- help and manual page ---- */

static struct option_page page_of(const struct option *option)
{
	return (struct option_page){ .name = option->name,
				     .argument = option->argument,
				     .help = option->help };
}

void cc_options_help(struct str *out, const char *program)
{
	str_add_fmt(out,
		    "usage: %s [options] [the compiler's options] FILE...\n"
		    "Compiles like the compiler it calls, and adds probes for tvrun to the "
		    "program.\n\n",
		    program);
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option_page page = page_of(&options_table[i]);
		option_page_help(out, &page);
	}
	str_add(out,
		"\nEnvironment: TVIEW_CC, TVIEW_CXX, TVIEW_FC name the compilers [mpicc, mpicxx,\n"
		"mpifort]; TVIEW_CC_OPTIONS holds options of tvcc for builds that cannot pass "
		"any.\n");
}

void cc_options_man(struct str *out)
{
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option_page page = page_of(&options_table[i]);
		option_page_manual(out, &page);
	}
}
