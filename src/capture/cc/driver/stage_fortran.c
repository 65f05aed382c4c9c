#include "capture/cc/driver/stage_fortran.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/path.h"

static bool has(char *const *argv, const char *list)
{
	for (size_t i = 1; argv[i]; i++)
		if (words_have(list, argv[i]))
			return true;
	return false;
}

const char *stage_fortran_reason(const struct stage_plan *plan, char *const *argv)
{
	if (!plan->output)
		return "the assembly is not written to a file";
	if (!strcmp(argv[plan->input], "-"))
		return "the source is standard input";
	for (size_t i = 1; argv[i]; i++) {
		if (!strncmp(argv[i], "-flto", 5) || !strncmp(argv[i], "-fdump-", 7))
			return "loops are unknown with -flto and -fdump-";
	}
	return NULL;
}

static bool is_fixed(const char *source)
{
	static const char *const ends[] = { ".f", ".for", ".ftn", ".f77", ".fpp" };
	const char *dot = strrchr(path_name(source), '.');

	for (size_t i = 0; dot && i < sizeof ends / sizeof ends[0]; i++)
		if (!strcasecmp(dot, ends[i]))
			return true;
	return false;
}

struct fortran_form stage_fortran_form(const struct stage_plan *plan, char *const *argv)
{
	static const char length[] = "-ffixed-line-length-";
	struct fortran_form form = { .fixed = is_fixed(argv[plan->input]), .columns = 72 };

	form.openmp = has(argv, "-fopenmp -fopenmp-simd");
	form.openacc = has(argv, "-fopenacc");
	for (size_t i = 1; argv[i]; i++) {
		if (!strcmp(argv[i], "-ffree-form"))
			form.fixed = false;
		else if (!strcmp(argv[i], "-ffixed-form"))
			form.fixed = true;
		else if (!strncmp(argv[i], length, sizeof length - 1)) /* "none" is 0: no limit */
			form.columns = (uint32_t)strtoul(argv[i] + sizeof length - 1, NULL, 10);
	}
	return form;
}

const char *stage_fortran_underscore(char *const *argv)
{
	return has(argv, "-fno-underscoring") ? "" : "_";
}

const char *stage_fortran_cpp(char *const *argv)
{
	static const char cpp[] = "-cpp";
	const char *file = NULL;

	for (size_t i = 1; argv[i]; i++) {
		if (!strncmp(argv[i], cpp, sizeof cpp - 1))
			file = argv[i][sizeof cpp - 1] == '=' ? argv[i] + sizeof cpp : "";
		else if (!strcmp(argv[i], "-nocpp"))
			file = NULL;
	}
	return file;
}

bool stage_fortran_writes_dependencies(char *const *argv)
{
	for (size_t i = 1; argv[i]; i++)
		if (!strncmp(argv[i], "-M", 2))
			return true;
	return false;
}

/* Writes dependencies, or is about them. */
static bool is_dependency(const char *word)
{
	return !strncmp(word, "-M", 2) || !strcmp(word, "-H");
}

/* For the preprocessor alone; what it says is in the text already. */
static bool is_preprocessing(const char *word)
{
	static const char whole[] = "-cpp -nocpp -undef -C -CC -P -D -U -A -imultiarch -iprefix "
				    "-isysroot -isystem -iquote -idirafter";

	return words_have(whole, word) || words_begin("-cpp= -D -U -A", word) ||
	       is_dependency(word);
}

void stage_fortran_preprocess(const struct stage_plan *plan, char *const *argv, struct words *out)
{
	words_add(out, argv[0]);
	words_add(out, "-E");
	for (size_t i = 1; argv[i]; i++) {
		const bool two = stage_takes_next(argv[i]) && argv[i + 1];
		if (is_dependency(argv[i]) || !strcmp(argv[i], "-P") ||
		    (two && i + 1 == plan->output)) {
			i += two;
			continue;
		}
		words_add(out, argv[i]);
		if (two)
			words_add(out, argv[++i]);
	}
}

/* The folder of the source is the first one, then those of -I. */
void stage_fortran_places(const struct stage_plan *plan, char *const *argv, struct words *out)
{
	const char *source = argv[plan->input], *name = path_name(source);
	OWNED_STR folder = STR_INIT;

	str_add_n(&folder, source, name > source ? (size_t)(name - source) - 1 : 0);
	words_add(out, name == source ? "." : folder.n ? folder.text : "/");
	for (size_t i = 1; argv[i]; i++) {
		if (!strcmp(argv[i], "-I") && argv[i + 1])
			words_add(out, argv[++i]);
		else if (!strncmp(argv[i], "-I", 2))
			words_add(out, argv[i] + 2);
		else
			i += stage_takes_next(argv[i]) && argv[i + 1];
	}
}

void stage_fortran_compile(const struct stage_plan *plan, char *const *argv, const char *input,
			   const char *output, bool warnings, struct words *out)
{
	ENDED_BY(words_fini) struct words hooks = WORDS_INIT;
	const char *source = argv[plan->input]; /* named twice if it is preprocessed */

	stage_hooks(plan, argv, output, &hooks);
	for (size_t i = 0; hooks.list.data[i]; i++) {
		const char *word = hooks.list.data[i];
		const char *next =
			i != plan->input && stage_takes_next(word) ? hooks.list.data[i + 1] : NULL;
		if (i == plan->input) {
			words_add(out, input);
		} else if (!is_preprocessing(word) && (next || strcmp(word, source) != 0)) {
			words_add(out, word);
			if (next)
				words_add(out, next);
		}
		i += next != NULL;
	}
	words_add(out, "-fpreprocessed");
	words_add(out, stage_fortran_form(plan, argv).fixed ? "-ffixed-form" : "-ffree-form");
	if (!warnings)
		words_add(out, "-w");
}

void stage_fortran_helpers(char *const *argv, const char *output, struct words *out)
{
	static const char code[] = "-fpic -fPIC -fpie -fPIE -fno-pic -fno-PIC -fno-pie -fno-PIE "
				   "-fcf-protection -fcf-protection= -ffunction-sections";
	OWNED_STR program = STR_INIT;
	const char *name = path_name(argv[0]);

	str_add_n(&program, argv[0], (size_t)(name - argv[0]));
	str_add(&program, "cc1");
	words_add(out, program.text);
	words_add(out, "-quiet");
	words_add(out, "-w");
	words_add(out, "-O2");
	for (size_t i = 1; argv[i]; i++)
		if (!strncmp(argv[i], "-m", 2) || words_have(code, argv[i]) ||
		    words_begin("-fcf-protection=", argv[i]))
			words_add(out, argv[i]);
	words_add(out, "-");
	words_add(out, "-o");
	words_add(out, output);
}

void stage_fortran_append(struct str *out, const char *text, size_t n)
{
	for (const char *p = text, *end, *stop = text + n; p < stop; p = end + 1) {
		end = memchr(p, '\n', (size_t)(stop - p));
		end = end ? end : stop;
		if (!strncmp(p, "\t.file", 6) || !strncmp(p, "\t.ident", 7))
			continue;
		for (; p < end; p++) {
			const bool label = p + 2 < end && p[0] == '.' && p[1] == 'L' &&
					   (p == text || !isalnum((unsigned char)p[-1]));
			str_add(out, label ? ".Ltview_" : "");
			if (label)
				p++;
			else
				str_add_char(out, *p);
		}
		str_add_char(out, '\n');
	}
}
