#include "capture/cc/fortran/fortran_words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static size_t name_length(const char *p)
{
	size_t n = 0;

	while (isalnum((unsigned char)p[n]) || p[n] == '_')
		n++;
	return n;
}

/* After a parenthesis and its partner; `p` where there is none. */
static const char *after_parenthesis(const char *p)
{
	int depth = 0;

	if (*p != '(')
		return p;
	for (const char *q = p; *q; q++) {
		depth += (*q == '(') - (*q == ')');
		if (!depth)
			return q + 1;
	}
	return p;
}

/* The first such character outside of parentheses. */
static const char *outside(const char *text, char c)
{
	int depth = 0;

	for (; *text; text++) {
		depth += (*text == '(') - (*text == ')');
		if (!depth && *text == c)
			return text;
	}
	return NULL;
}

/* ---- procedures ---- */

/* After one prefix of a procedure; `p` where there is none. */
static const char *after_prefix(const char *p, bool *pure)
{
	static const char *const types[] = {
		"doubleprecision", "doublecomplex", "integer", "real", "complex",
		"logical",         "character",     "type",    "class"
	};
	static const char *const words[] = { "recursive", "nonrecursive", "impure",
					     "pure",      "elemental",    "module" };

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (!begins(p, words[i]))
			continue;
		*pure = *pure || !strcmp(words[i], "pure") || !strcmp(words[i], "elemental");
		return p + strlen(words[i]);
	}
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
		if (!begins(p, types[i]))
			continue;
		p += strlen(types[i]);
		if (*p == '*' && isdigit((unsigned char)p[1]))
			for (p++; isdigit((unsigned char)*p);)
				p++;
		else if (*p == '*')
			p++;
		return after_parenthesis(p);
	}
	return p;
}

static bool is_procedure(const char *text, struct fortran_meaning *m)
{
	static const char *const kinds[] = { "subroutine", "function", "moduleprocedure",
					     "program" };
	bool pure = false;

	if (outside(text, '=') || strstr(text, "::"))
		return false;
	for (const char *p = text, *next;; p = next) {
		for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
			const char *name = p + strlen(kinds[i]);
			if (!begins(p, kinds[i]) || !isalpha((unsigned char)*name) ||
			    (kinds[i][0] == 'p' && p != text))
				continue;
			*m = (struct fortran_meaning){ .word = FORTRAN_PROCEDURE,
						       .pure = pure,
						       .program = kinds[i][0] == 'p',
						       .name = name,
						       .length = name_length(name) };
			return true;
		}
		next = after_prefix(p, &pure);
		if (next == p)
			return false;
	}
}

static bool is_module(const char *text)
{
	if (outside(text, '=') || strstr(text, "::"))
		return false;
	if (begins(text, "submodule("))
		return true;
	return begins(text, "blockdata") ||
	       (begins(text, "module") && isalpha((unsigned char)text[6]) &&
		!text[6 + name_length(text + 6)] && !begins(text, "moduleprocedure"));
}

/* END, alone or with what it ends. */
static bool is_end(const char *text)
{
	static const char *const ends[] = { "subroutine", "function",  "program",  "procedure",
					    "module",     "submodule", "blockdata" };

	if (!begins(text, "end") || outside(text, '='))
		return false;
	if (!text[3])
		return true;
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
		if (begins(text + 3, ends[i]) && !text[3 + name_length(text + 3)])
			return true;
	return false;
}

/* ---- loops ---- */

static bool is_do(const char *text, struct fortran_meaning *m)
{
	const char *name = text, *p = text + name_length(text);
	const char *equals;

	m->name = NULL;
	if (*p == ':' && p[1] != ':' && p > text) {
		m->name = name;
		m->length = (size_t)(p - text);
		text = p + 1;
	}
	if (!begins(text, "do"))
		return false;
	p = text + 2;
	m->label = (uint32_t)strtoul(p, NULL, 10);
	while (isdigit((unsigned char)*p))
		p++;
	p += *p == ',' && p > text + 2;
	m->word = FORTRAN_DO;
	m->how = FORTRAN_DO_FOREVER;
	if (!*p)
		return true;
	m->how = FORTRAN_DO_WHILE;
	if (begins(p, "while(") && !*after_parenthesis(p + 5))
		return true;
	m->how = FORTRAN_DO_CONCURRENT;
	if (begins(p, "concurrent("))
		return true;
	m->how = FORTRAN_DO_COUNT;
	equals = p + name_length(p);
	if (equals > p && *equals == '=' && outside(equals, ','))
		return true;
	m->word = FORTRAN_OTHER;
	return false;
}

/* A statement that may go elsewhere than to the next one, or out of the loop that it is in; after
 * EXIT or CYCLE of a construct its name. */
static bool leaves(const char *p, struct fortran_meaning *m)
{
	if (begins(p, "if("))
		p = after_parenthesis(p + 2);
	if (begins(p, "call"))
		return strstr(p, "(*") || strstr(p, ",*");
	if ((begins(p, "exit") || begins(p, "cycle")) && !outside(p, '=')) {
		m->name = p + (*p == 'e' ? 4 : 5);
		m->length = strlen(m->name);
		return m->length > 0;
	}
	return !strcmp(p, "return") || begins(p, "return(") || begins(p, "goto") ||
	       strstr(p, "err=") || strstr(p, "end=") || strstr(p, "eor=") ||
	       (isdigit((unsigned char)*p) && strchr(p, ',')); /* arithmetic IF */
}

static bool is_call(const char *p)
{
	if (begins(p, "if("))
		p = after_parenthesis(p + 2);
	return begins(p, "call") && isalpha((unsigned char)p[4]) && !outside(p, '=');
}

struct fortran_meaning fortran_meaning(const char *text)
{
	struct fortran_meaning m = { .word = FORTRAN_OTHER };

	if (is_procedure(text, &m))
		return m;
	if (is_module(text)) {
		m.word = FORTRAN_MODULE;
	} else if (is_end(text)) {
		m.word = FORTRAN_END;
	} else if ((begins(text, "interface") || begins(text, "abstractinterface")) &&
		   !outside(text, '=') && !strstr(text, "::")) {
		m.word = FORTRAN_INTERFACE;
	} else if (begins(text, "endinterface")) {
		m.word = FORTRAN_END_INTERFACE;
	} else if (begins(text, "enddo") && !outside(text, '=')) {
		m.word = FORTRAN_END_DO;
	} else if (!strcmp(text, "continue")) {
		m.word = FORTRAN_CONTINUE;
	} else if (!is_do(text, &m)) {
		m.word = is_call(text) ? FORTRAN_CALL : FORTRAN_OTHER;
		m.leaves = leaves(text, &m);
	}
	return m;
}

enum fortran_openmp fortran_openmp(const char *text)
{
	const bool end = begins(text, "end");
	const char *p = end ? text + 3 : text;
	const bool parallel = begins(p, "paralleldo");
	const char *rest = parallel ? p + 10 : p + 2;

	if (begins(p, "target") && !begins(p, "targetupdate") && !begins(p, "targetenterdata") &&
	    !begins(p, "targetexitdata"))
		return end ? OPENMP_END_TARGET : OPENMP_TARGET;
	if ((parallel || (begins(p, "do") && !begins(p, "doa"))) && !begins(rest, "simd")) {
		if (end)
			return OPENMP_END_DO;
		if (strstr(rest, "collapse(") || strstr(rest, "ordered(") ||
		    strstr(rest, "linear(") || strstr(rest, "lastprivate("))
			return OPENMP_UNKNOWN;
		return parallel ? OPENMP_PARALLEL : OPENMP_DO;
	}
	if (strstr(p, "simd") || begins(p, "taskloop") || begins(p, "distribute") ||
	    begins(p, "teams") || begins(p, "loop") || begins(p, "parallelloop") ||
	    begins(p, "tile") || begins(p, "unroll") || begins(p, "parallelmastertaskloop") ||
	    begins(p, "parallelmaskedtaskloop") || begins(p, "mastertaskloop"))
		return end ? OPENMP_END_DO : OPENMP_UNKNOWN;
	if (begins(p, "parallel") || begins(p, "task") || begins(p, "section"))
		return OPENMP_TEAM;
	return OPENMP_NOT_LOOP;
}
