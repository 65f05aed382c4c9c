#include "capture/cc/fortran/fortran_lines.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "capture/cc/fortran/fortran_include.h"

/* A statement that is being read. */
struct reader {
	struct fortran_lines *out;
	const struct fortran_form *form;
	struct fortran_statement now;
	bool open;     /* `now` has text, or expects some */
	bool more;     /* free form: the line ended in & */
	char quote;    /* the string that is open */
	size_t nested; /* statements of this line before `now` */
};

/* The name's offset in `files`. */
static uint32_t file_of(struct fortran_lines *lines, const char *name)
{
	size_t at = 0;

	while (at < lines->files.n && strcmp(lines->files.text + at, name) != 0)
		at += strlen(lines->files.text + at) + 1;
	if (at == lines->files.n)
		str_add_n(&lines->files, name, strlen(name) + 1);
	return (uint32_t)at;
}

static void split_lines(struct fortran_lines *out, size_t n)
{
	uint32_t number = 0, file = 0;

	for (size_t at = 0; at < n;) {
		const char *begin = out->source + at;
		const char *end = memchr(begin, '\n', n - at);
		const size_t length = end ? (size_t)(end - begin) : n - at;
		OWNED_STR name = STR_INIT;
		uint32_t mark;
		vec_push(&out->lines,
			 ((struct fortran_line){ (uint32_t)at, (uint32_t)length, file, ++number }));
		at += length + 1;
		if (fortran_mark(begin, length, &mark, &name)) {
			number = mark - 1;
			file = name.n ? file_of(out, name.text) : file;
		} else if (length && *begin == '#') {
			out->preprocessor = true;
		}
	}
}

/* ---- one statement ---- */

static void statement_end(struct reader *r)
{
	struct fortran_lines *out = r->out;

	if (r->open && out->texts.n > r->now.text) {
		str_add_char(&out->texts, '\0');
		vec_push(&out->statements, r->now);
	} else {
		out->texts.n = r->open ? r->now.text : out->texts.n;
	}
	r->open = r->more = false;
	r->quote = '\0';
}

static void statement_begin(struct reader *r, uint32_t line, enum fortran_statement_kind kind)
{
	r->now = (struct fortran_statement){ .kind = (uint8_t)kind,
					     .first = line,
					     .last = line,
					     .text = (uint32_t)r->out->texts.n };
	r->open = true;
}

static bool has_text(const struct reader *r)
{
	return r->open && r->out->texts.n > r->now.text;
}

/* A semicolon: what is before it shares its line with what comes. */
static void split(struct reader *r, uint32_t line)
{
	const uint8_t kind = r->now.kind;

	r->now.shared = true;
	statement_end(r);
	statement_begin(r, line, kind);
	r->now.shared = true;
}

/* Appends a part of a line; false: a comment begins. */
static bool add_char(struct reader *r, uint32_t line, char c)
{
	struct str *texts = &r->out->texts;

	if (r->quote) {
		if (c == r->quote) {
			r->quote = '\0';
			str_add_char(texts, '\'');
		}
		return true;
	}
	if (c == '!')
		return false;
	if (c == ';') {
		split(r, line);
	} else if (c == '\'' || c == '"') {
		r->quote = c;
		str_add_char(texts, '\'');
	} else if (!isspace((unsigned char)c)) {
		if (isdigit((unsigned char)c) && !has_text(r) && r->now.kind == FORTRAN_STATEMENT)
			r->now.label = r->now.label * 10 + (uint32_t)(c - '0');
		else
			str_add_char(texts, (char)tolower((unsigned char)c));
	}
	return true;
}

/* ---- directives ---- */

/* The kind of a directive, and where its words begin; -1: the line is none. */
static int directive(const struct reader *r, const char *p, size_t n, size_t *words)
{
	static const struct {
		const char *text;
		int kind;
	} sentinels[] = { { "!$omp", FORTRAN_OPENMP },
			  { "!$acc", FORTRAN_OPENACC },
			  { "!gcc$", FORTRAN_ADVICE } };
	size_t at = 0;

	while (!r->form->fixed && at < n && isspace((unsigned char)p[at]))
		at++;
	if (n - at < 5 || (p[at] != '!' && !(r->form->fixed && strchr("cC*", p[at]))))
		return -1;
	for (size_t i = 0; i < sizeof sentinels / sizeof sentinels[0]; i++) {
		if (strncasecmp(p + at + 1, sentinels[i].text + 1, 4) != 0 ||
		    (sentinels[i].kind == FORTRAN_OPENMP && !r->form->openmp) ||
		    (sentinels[i].kind == FORTRAN_OPENACC && !r->form->openacc))
			continue;
		*words = at + 5;
		return sentinels[i].kind;
	}
	return -1;
}

/* ---- lines ---- */

/* Free form: whether a line ends in &, outside of strings and comments; `n` becomes what is before
 * it. */
static bool continues(const struct reader *r, const char *p, size_t *n)
{
	char quote = r->quote;
	size_t last = *n;

	for (size_t i = 0; i < *n; i++) {
		if (quote) {
			quote = p[i] == quote ? '\0' : quote;
		} else if (p[i] == '\'' || p[i] == '"') {
			quote = p[i];
		} else if (p[i] == '!') {
			break;
		}
		if (!isspace((unsigned char)p[i]))
			last = i;
	}
	if (last == *n || p[last] != '&')
		return false;
	*n = last;
	return true;
}

static void read_free(struct reader *r, uint32_t line, const char *p, size_t n)
{
	size_t words = 0, at = 0;
	const int kind = directive(r, p, n, &words);
	bool more;

	while (at < n && isspace((unsigned char)p[at]))
		at++;
	if (kind < 0 && (at == n || (p[at] == '!' && !r->quote))) {
		if (r->form->openmp && n - at > 2 && p[at + 1] == '$' &&
		    isspace((unsigned char)p[at + 2]))
			at += 2; /* conditional compilation */
		else
			return;
	}
	at = kind < 0 ? at : words;
	if (!r->more || (kind >= 0) != (r->now.kind != FORTRAN_STATEMENT)) {
		statement_end(r);
		statement_begin(r, line, kind < 0 ? FORTRAN_STATEMENT : kind);
	}
	if (r->more) {
		while (at < n && isspace((unsigned char)p[at]))
			at++;
		at += at < n && p[at] == '&';
	}
	r->now.last = line;
	p += at;
	n -= at;
	more = continues(r, p, &n);
	for (size_t i = 0; i < n && add_char(r, line, p[i]);)
		i++;
	r->more = more;
	if (!more)
		statement_end(r);
}

static void read_fixed(struct reader *r, uint32_t line, const char *p, size_t n)
{
	enum { CONTINUED = 5, TEXT = 6 };
	size_t words = 0, at = 0;
	const int kind = directive(r, p, n, &words);
	const char *tab = memchr(p, '\t', n < TEXT ? n : TEXT);
	bool next;

	if (r->form->columns && n > r->form->columns)
		n = r->form->columns;
	while (at < n && isspace((unsigned char)p[at]))
		at++;
	if (at == n || (kind < 0 && (strchr("cC*!dD", p[0]) || (p[at] == '!' && at != CONTINUED))))
		return;
	next = tab && kind < 0 ? tab + 1 < p + n && isdigit((unsigned char)tab[1]) && tab[1] != '0'
			       : n > CONTINUED && p[CONTINUED] != ' ' && p[CONTINUED] != '0';
	if (!next || !r->open) {
		statement_end(r);
		statement_begin(r, line, kind < 0 ? FORTRAN_STATEMENT : kind);
	}
	r->now.last = line;
	at = tab && kind < 0 ? (size_t)(tab - p) + 1 + next : TEXT;
	for (size_t i = 0; kind < 0 && !next && i < at && i < n; i++)
		add_char(r, line, p[i]);
	for (size_t i = at; i < n && add_char(r, line, p[i]);)
		i++;
}

void fortran_lines_init(struct fortran_lines *lines, const char *file, const char *source, size_t n,
			const struct fortran_form *form)
{
	struct reader r = { .out = lines, .form = form };

	*lines = (struct fortran_lines){ .source = source, .texts = STR_INIT, .files = STR_INIT };
	str_add_n(&lines->files, file, strlen(file) + 1);
	split_lines(lines, n);
	for (uint32_t i = 0; i < lines->lines.n; i++) {
		const struct fortran_line *line = &lines->lines.data[i];
		const char *p = source + line->at;
		if (line->length && *p == '#')
			continue;
		if (form->fixed)
			read_fixed(&r, i, p, line->length);
		else
			read_free(&r, i, p, line->length);
	}
	statement_end(&r);
}

void fortran_lines_fini(struct fortran_lines *lines)
{
	vec_fini(&lines->lines);
	vec_fini(&lines->statements);
	str_fini(&lines->texts);
	str_fini(&lines->files);
}
