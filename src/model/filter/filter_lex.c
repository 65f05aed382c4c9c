/* Characters to tokens. Bytes above 0x7f count as letters, so that names in any language can be
 * written bare. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "model/filter/filter_ast.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

/* Inside a bare word: node01.cluster-a, ns::name, lib.so@version. */
static bool continues_word(char c)
{
	return is_letter(c) || is_digit(c) || (c && strchr(".:$@-", c));
}

struct symbol {
	const char *text; /* the longer ones first */
	enum filter_token_type type;
};
static const struct symbol of_expressions[] = {
	{ "&&", TOKEN_AND },      { "||", TOKEN_OR },    { "==", TOKEN_EQ },   { "!=", TOKEN_NE },
	{ "!~", TOKEN_NO_MATCH }, { "=~", TOKEN_MATCH }, { "<=", TOKEN_LE },   { ">=", TOKEN_GE },
	{ "..", TOKEN_RANGE },    { "<", TOKEN_LT },     { ">", TOKEN_GT },    { "!", TOKEN_NOT },
	{ "(", TOKEN_OPEN },      { ")", TOKEN_CLOSE },  { ",", TOKEN_COMMA }, { NULL, TOKEN_END },
};
static const struct symbol of_sequences[] = {
	{ "...", TOKEN_GAP },         { ".", TOKEN_ANY },         { "|", TOKEN_BAR },
	{ "*", TOKEN_STAR },          { "+", TOKEN_PLUS },        { "?", TOKEN_MAYBE },
	{ "{", TOKEN_BRACE_OPEN },    { "}", TOKEN_BRACE_CLOSE }, { "[", TOKEN_BRACKET_OPEN },
	{ "]", TOKEN_BRACKET_CLOSE }, { "!", TOKEN_NOT },         { "(", TOKEN_OPEN },
	{ ")", TOKEN_CLOSE },         { ",", TOKEN_COMMA },       { NULL, TOKEN_END },
};
static const struct symbol of_conditions[] = { { "]", TOKEN_BRACKET_CLOSE }, { NULL, TOKEN_END } };

/* Operators of other languages, and the ones to use here. */
static const struct {
	char wrong;
	const char *right;
} mistaken[] = {
	{ '=', "==" },
	{ '&', "&&" },
	{ '|', "||" },
	{ '~', "=~" },
};

static bool fail_at(const struct filter_lexer *lexer, size_t at, struct err *err,
		    const char *reason)
{
	return err_set_at(err, filter_symbols_of(lexer->symbols), lexer->text, at, "%s", reason);
}

static bool is_symbol(struct filter_lexer *lexer, const struct symbol *symbol)
{
	for (; symbol->text; symbol++) {
		const size_t n = strlen(symbol->text);
		if (strncmp(lexer->text + lexer->at, symbol->text, n) != 0)
			continue;
		lexer->token.type = symbol->type;
		lexer->token.length = n;
		return true;
	}
	return false;
}

static bool lex_symbol(struct filter_lexer *lexer, struct err *err)
{
	const char *p = lexer->text + lexer->at;
	const bool sequence = lexer->symbols == SYMBOLS_SEQUENCE;
	char shown[8];

	if (is_symbol(lexer, sequence ? of_sequences : of_expressions) ||
	    (lexer->symbols == SYMBOLS_CONDITION && is_symbol(lexer, of_conditions)))
		return true;
	for (size_t i = 0; i < sizeof mistaken / sizeof *mistaken && !sequence; i++)
		if (*p == mistaken[i].wrong)
			return err_set_at(err, filter_symbols_of(lexer->symbols), lexer->text,
					  lexer->at, "'%c' is written %s here", *p,
					  mistaken[i].right);
	str_clean(shown, sizeof shown, p, 1);
	return err_set_at(err, filter_symbols_of(lexer->symbols), lexer->text, lexer->at,
			  "'%s' has no meaning here (text with other characters than letters and "
			  "digits needs quotes)",
			  shown);
}

static void take_value(struct filter_lexer *lexer, enum filter_token_type type, size_t length)
{
	lexer->token.type = type;
	lexer->token.length = length;
	lexer->token.value = xstrndup(lexer->text + lexer->at, length);
}

/* -12.5us, 64k, 1e3 (a number with an unknown unit, which the parser refuses). The point
 * belongs to the number only when a digit follows: 0..3 is a range. "10 us" is one number too. */
static void lex_number(struct filter_lexer *lexer)
{
	static const char *const units[] = { "s", "ms", "us", "\xc2\xb5s", "ns", "ps" };
	const char *const start = lexer->text + lexer->at;
	const char *p = start + (*start == '-' || *start == '+');
	const char *unit;

	while (is_digit(*p) || (*p == '.' && is_digit(p[1])))
		p++;
	unit = p + strspn(p, " ");
	if (unit > p)
		for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
			const size_t n = strlen(units[i]);
			if (strncmp(unit, units[i], n) == 0 && !continues_word(unit[n])) {
				p = unit + n;
				break;
			}
		}
	while (is_letter(*p) || is_digit(*p))
		p++;
	take_value(lexer, TOKEN_NUMBER, (size_t)(p - start));
}

static void lex_word(struct filter_lexer *lexer)
{
	size_t n = 1;
	const char *const p = lexer->text + lexer->at;

	while (continues_word(p[n]) && strncmp(p + n, "..", 2) != 0)
		n++;
	while (lexer->symbols == SYMBOLS_SEQUENCE && n > 1 && p[n - 1] == '.')
		n--;
	take_value(lexer, TOKEN_WORD, n);
}

static bool lex_string(struct filter_lexer *lexer, struct err *err)
{
	static const char escapes[] = "\\\"'/nrt", means[] = "\\\"'/\n\r\t";
	const char *const start = lexer->text + lexer->at;
	OWNED_STR value = STR_INIT;
	const char *p = start + 1;

	for (; *p && *p != *start; p++) {
		const char *escape;
		if (*p != '\\') {
			str_add_char(&value, *p);
			continue;
		}
		escape = p[1] ? strchr(escapes, p[1]) : NULL;
		if (!escape) {
			const size_t at = (size_t)(p - lexer->text);
			return fail_at(lexer, at, err,
				       "this escape is not known (\\\\ \\\" \\' \\n \\r \\t are)");
		}
		str_add_char(&value, means[escape - escapes]);
		p++;
	}
	if (!*p) {
		return err_set_at(err, filter_symbols_of(lexer->symbols), lexer->text, lexer->at,
				  "this string has no closing %c", *start);
	}
	lexer->token.type = TOKEN_STRING;
	lexer->token.length = (size_t)(p + 1 - start);
	lexer->token.value = str_take(&value);
	return true;
}

/* A slash inside is written \/, as PCRE2 understands it; everything else stays as it is. */
static bool lex_pattern(struct filter_lexer *lexer, struct err *err)
{
	const char *const start = lexer->text + lexer->at;
	const char *p = start + 1;

	while (*p && *p != '/')
		p += p[0] == '\\' && p[1] ? 2 : 1;
	if (!*p)
		return fail_at(lexer, lexer->at, err, "this pattern has no closing /");
	lexer->token.type = TOKEN_PATTERN;
	lexer->token.value = xstrndup(start + 1, (size_t)(p - start - 1));
	p++;
	if (*p == 'i' && !continues_word(p[1])) {
		lexer->token.caseless = true;
		p++;
	}
	lexer->token.length = (size_t)(p - start);
	return true;
}

bool filter_lex(struct filter_lexer *lexer, struct err *err)
{
	const char *p;

	filter_lexer_fini(lexer);
	lexer->at += lexer->token.length;
	while (is_blank(lexer->text[lexer->at]))
		lexer->at++;
	lexer->token = (struct filter_token){ .type = TOKEN_END, .offset = lexer->at };
	p = lexer->text + lexer->at;
	if (!*p)
		return true;
	if (is_digit(*p) ||
	    (lexer->symbols != SYMBOLS_SEQUENCE && (*p == '-' || *p == '+') && is_digit(p[1])))
		return lex_number(lexer), true;
	if (is_letter(*p))
		return lex_word(lexer), true;
	if (*p == '"' || *p == '\'')
		return lex_string(lexer, err);
	if (*p == '/')
		return lex_pattern(lexer, err);
	return lex_symbol(lexer, err);
}

void filter_lexer_fini(struct filter_lexer *lexer)
{
	free(lexer->token.value);
	lexer->token.value = NULL;
}
