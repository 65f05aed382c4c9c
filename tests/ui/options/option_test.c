/* The option table: parsing, what is said about mistakes, and the texts made from it. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "harness/test.h"
#include "ui/app/views.h"
#include "ui/options/complete.h"
#include "ui/options/option.h"

enum { MOST_WORDS = 16 };

/* Splits at blanks and parses; words live in `line`. */
static bool parse(struct options *options, enum verb verb, char *line, struct err *err)
{
	static char *argv[MOST_WORDS + 1];
	int argc = 0;

	for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	*err = (struct err)ERR_INIT;
	return options_parse(options, &all_views, verb, argc, argv, err);
}

TEST(reads_what_is_asked_for)
{
	char line[] = "export events -o x.csv run.trc --width=120 --ranks 0-3,8 -b linear --strict "
		      "-t 1:2 -j4";
	struct options o;
	struct err err;

	assert_true(parse(&o, VERB_EXPORT, line, &err));
	assert_string_equal(o.output, "x.csv");
	assert_string_equal(o.ranks, "0-3,8");
	assert_string_equal(o.base, "linear");
	assert_string_equal(o.time, "1:2");
	assert_int_equal(o.width, 120);
	assert_int_equal(o.reading.jobs, 4);
	assert_true(o.reading.strict);
	assert_int_equal(o.n_args, 2);
	assert_string_equal(o.args[0], "events");
	assert_string_equal(o.args[1], "run.trc");
}

TEST(numbers_of_corrections)
{
	char line[] = "check run.trc --gamma 0.999 --passes 3 --lmin-inter 1us --lmin-intra=0.1us "
		      "--copy-cost 62.5fs";
	char costs[] = "check run.trc --overhead 9.8ns --copy-cost 0.0000000000625 --lmin-inter 0";
	struct options o;
	struct err err;

	assert_false(parse(&o, VERB_CHECK, line, &err));
	assert_string_equal(err.text, "--copy-cost takes a time such as 1us or 50ps, not '62.5fs'");
	assert_true(o.correct.gamma == 0.999);
	assert_int_equal(o.correct.passes, 3);
	assert_true(o.correct.lmin.inter == 1e-6);
	assert_true(o.correct.lmin.intra == 1e-7);
	assert_true(o.correct.overhead.event < 0);
	assert_true(parse(&o, VERB_CHECK, costs, &err));
	assert_true(o.correct.overhead.event == 9.8e-9);
	/* Costs of a byte are not rounded to picoseconds. */
	assert_true(o.correct.overhead.copy_cost == 62.5e-12);
	assert_true(o.correct.lmin.inter == 0);
	assert_true(o.correct.lmin.intra < 0);
}

TEST(double_dash_ends_options)
{
	char line[] = "check -- --strict";
	struct options o;
	struct err err;

	assert_true(parse(&o, VERB_CHECK, line, &err));
	assert_false(o.reading.strict);
	assert_string_equal(o.args[0], "--strict");
}

TEST(mistakes)
{
	static const struct {
		enum verb verb;
		const char *line, *said;
	} cases[] = {
		{ VERB_EXPORT, "export --formt csv events x",
		  "there is no option '--formt'; did you mean '--format'? (tview help export lists "
		  "them)" },
		{ VERB_EXPORT, "export --zzzzzz events x",
		  "there is no option '--zzzzzz' (tview help export lists them)" },
		{ VERB_EXPORT, "export -Z events x",
		  "there is no option '-Z' (tview help export lists them)" },
		{ VERB_EXPORT, "export events x --format xml",
		  "--format is one of text|csv|json|md|cube, not 'xml'" },
		{ VERB_EXPORT, "export events x --width 9",
		  "--width takes a whole number from 20 to 1000, not '9'" },
		{ VERB_EXPORT, "export events x --width 100x",
		  "--width takes a whole number from 20 to 1000, not '100x'" },
		{ VERB_EXPORT, "export events x --width",
		  "--width needs a value: N (tview help export)" },
		{ VERB_EXPORT, "export events x -w",
		  "--width needs a value: N (tview help export)" },
		{ VERB_EXPORT, "export events x --strict=yes", "--strict takes no value" },
		{ VERB_REPORT, "report x --format csv",
		  "--format is one of text|md|json|junit|github, not 'csv'" },
		{ VERB_CHECK, "check x --width 100",
		  "tview check has no option --width (see tview help check)" },
		{ VERB_CHECK, "check x --gamma 1.5",
		  "--gamma takes a number above 0, at most 1, not '1.5'" },
		{ VERB_CHECK, "check x --gamma 0",
		  "--gamma takes a number above 0, at most 1, not '0'" },
		{ VERB_CHECK, "check x --gamma 1ms",
		  "--gamma takes a number above 0, at most 1, not '1ms'" },
		{ VERB_CHECK, "check x --lmin-inter -1us",
		  "--lmin-inter takes a time such as 1us or 50ps, not '-1us'" },
		{ VERB_CHECK, "check x --overhead 99999999999999999999999",
		  "--overhead takes a time such as 1us or 50ps, not '99999999999999999999999'" },
		{ VERB_CHECK, "check x --presync fit",
		  "--presync is one of offsets|messages|auto, not 'fit'" },
		{ VERB_CHECK, "check x --passes 0",
		  "--passes takes a whole number from 1 to 100, not '0'" },
		{ VERB_CHECK, "check", "check needs TRACE (tview help check)" },
		{ VERB_CONVERT, "convert a", "convert needs IN OUT (tview help convert)" },
		{ VERB_CHECK, "check a b", "unexpected argument 'b'; usage: tview check TRACE" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char line[128];
		struct options o;
		struct err err;
		strcpy(line, cases[i].line);
		assert_false(parse(&o, cases[i].verb, line, &err));
		assert_string_equal(err.text, cases[i].said);
		assert_int_equal(err.status, STATUS_USAGE);
	}
}

TEST(the_table_is_whole)
{
	for (const struct option_info *o = option_table(); o->name; o++) {
		struct options options = { 0 };
		struct err err = ERR_INIT;
		char word[32];
		assert_non_null(o->help);
		assert_true(o->verbs != 0);
		assert_true(o->field < sizeof(struct options));
		for (int v = 0; v < VERB_COUNT; v++)
			if (o->verbs & 1u << v)
				assert_ptr_equal(option_find(o->name, (enum verb)v), o);
		assert_true((o->kind == OPTION_FLAG) == !o->argument);
		assert_true(o->words || o->kind != OPTION_WORD);
		assert_true(!o->words || o->kind == OPTION_WORD || o->kind == OPTION_TEXT);
		assert_false(o->kind == OPTION_WORD &&
			     option_set(&options, o, "no such word", &err));
		for (const struct option_info *p = option_table(); p < o; p++) {
			/* Rows of one name stand together and are of different verbs. */
			assert_true(strcmp(p->name, o->name) != 0 || !(p->verbs & o->verbs));
			assert_false(o->letter && p->letter == o->letter &&
				     strcmp(p->name, o->name) != 0);
		}
		if (o->kind != OPTION_WORD)
			continue;
		for (const char *w = o->words; *w; w += strspn(w, "|")) {
			const size_t n = strcspn(w, "|");
			memcpy(word, w, n);
			word[n] = '\0';
			if (word[n - 1] == 'N') { /* "range:N" */
				assert_false(option_set(&options, o, word, NULL));
				word[n - 1] = '7';
			}
			err = (struct err)ERR_INIT;
			assert_true(option_set(&options, o, word, &err));
			w += n;
		}
	}
}

TEST(flags_from_a_configuration)
{
	struct options options = { 0 };
	struct err err = ERR_INIT;
	const struct option_info *strict = option_find("strict", VERB_CHECK);

	assert_true(option_set(&options, strict, "yes", &err) && options.reading.strict);
	assert_true(option_set(&options, strict, "no", &err) && !options.reading.strict);
	assert_false(option_set(&options, strict, "maybe", &err));
}

/* At most a screen of 24 lines of 80 columns. */
TEST(help_fits_a_screen)
{
	for (int v = 0; v < VERB_COUNT; v++) {
		OWNED_STR text = STR_INIT;
		int lines = 0;
		option_help((enum verb)v, &all_views, &text);
		for (const char *p = text.text; *p; p += strcspn(p, "\n") + 1, lines++)
			assert_true(strcspn(p, "\n") <= 80);
		assert_true(lines <= 24);
	}
}

TEST(every_option_is_documented)
{
	OWNED_STR manual = STR_INIT, completion = STR_INIT;

	option_manual(&manual);
	complete_bash(&all_views, &completion);
	for (const struct option_info *o = option_table(); o->name; o++) {
		char typed[64] = "--", printed[64] = "";
		strcat(typed, o->name);
		assert_non_null(strstr(completion.text, typed));
		/* A dash of roff is written \-. */
		for (const char *p = o->name; *p; p++)
			sprintf(printed + strlen(printed), "%s%c", *p == '-' ? "\\" : "", *p);
		assert_non_null(strstr(manual.text, printed));
	}
}

TEST(words_near_to_others)
{
	static const char *const words[] = { "export", "check", "convert", "help", NULL };

	assert_string_equal(nearest_word("exprot", words), "export");
	assert_string_equal(nearest_word("chek", words), "check");
	assert_string_equal(nearest_word("convrt", words), "convert");
	assert_null(nearest_word("run", words));
	assert_null(nearest_word("a-very-long-word-that-is-no-verb-of-this-program", words));
}
