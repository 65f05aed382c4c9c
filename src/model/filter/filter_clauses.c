#include "model/filter/filter_clauses.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "model/filter/filter_ast.h"

struct split {
	struct filter_lexer lexer;
	struct err *err;
	const char *text;
};

static const struct {
	const char *word;
	size_t field;
} kinds[] = {
	{ "where", offsetof(struct filter_clauses, where) },
	{ "select", offsetof(struct filter_clauses, select) },
	{ "order", offsetof(struct filter_clauses, order) },
	{ "limit", offsetof(struct filter_clauses, limit) },
	{ "of", offsetof(struct filter_clauses, of) },
};
enum { OF = sizeof kinds / sizeof *kinds - 1, KINDS = OF };

static bool is_word(const struct filter_token *token, const char *word)
{
	return token->type == TOKEN_WORD && strcmp(token->value, word) == 0;
}

/* The clause that a token begins, KINDS: none. After an operator a word is a constant. */
static unsigned kind_of(const struct filter_token *token, bool constant)
{
	unsigned k = 0;

	while (k < KINDS && (constant || !is_word(token, kinds[k].word)))
		k++;
	return k;
}

static bool wants_constant(const struct filter_token *token)
{
	return (token->type >= TOKEN_EQ && token->type <= TOKEN_RANGE) || is_word(token, "in");
}

/* Takes what is from `from` to the current token as a clause. */
static bool take(struct split *s, struct filter_clauses *clauses, unsigned kind, size_t from)
{
	char **field = (char **)(void *)((char *)clauses + kinds[kind].field);
	size_t n = s->lexer.token.offset - from;

	if (*field)
		return err_set_at(s->err, "query", s->text, from, "'%s' is there twice",
				  kinds[kind].word);
	while (n && strchr(" \t\r\n", s->text[from + n - 1]))
		n--;
	*field = xstrndup(s->text + from, n);
	return n || err_set_at(s->err, "query", s->text, from, "something should follow '%s'",
			       kinds[kind].word);
}

static bool advance(struct split *s)
{
	return filter_lex(&s->lexer, s->err);
}

/* After FROM, where tables have a column of that name: a sequence, which has symbols of its own. */
static bool split_of(struct split *s, struct filter_clauses *clauses)
{
	struct filter_lexer *l = &s->lexer;
	size_t from;

	if (!is_word(&l->token, "of"))
		return true;
	l->symbols = SYMBOLS_SEQUENCE;
	if (!advance(s))
		return false;
	from = l->token.offset;
	while (l->token.type != TOKEN_END &&
	       (l->symbols == SYMBOLS_CONDITION || kind_of(&l->token, false) == KINDS)) {
		if (l->token.type == TOKEN_BRACKET_OPEN)
			l->symbols = SYMBOLS_CONDITION;
		else if (l->token.type == TOKEN_BRACKET_CLOSE)
			l->symbols = SYMBOLS_SEQUENCE;
		if (!advance(s))
			return false;
	}
	l->symbols = SYMBOLS_EXPRESSION;
	return take(s, clauses, OF, from);
}

/* After these: clauses to the end. */
static bool split_rest(struct split *s, struct filter_clauses *clauses)
{
	while (s->lexer.token.type != TOKEN_END) {
		const unsigned kind = kind_of(&s->lexer.token, false);
		unsigned depth = 0;
		bool constant = false;
		size_t from;

		if (kind == KINDS)
			return err_set_at(s->err, "query", s->text, s->lexer.token.offset,
					  "expected where, select, order by or limit here");
		if (!advance(s))
			return false;
		if (strcmp(kinds[kind].word, "order") == 0) {
			if (!is_word(&s->lexer.token, "by"))
				return err_set_at(s->err, "query", s->text, s->lexer.token.offset,
						  "expected 'by' here: order by COLUMN desc");
			if (!advance(s))
				return false;
		}
		from = s->lexer.token.offset;
		while (s->lexer.token.type != TOKEN_END &&
		       (depth || kind_of(&s->lexer.token, constant) == KINDS)) {
			depth += s->lexer.token.type == TOKEN_OPEN;
			depth -= s->lexer.token.type == TOKEN_CLOSE && depth;
			constant = wants_constant(&s->lexer.token);
			if (!advance(s))
				return false;
		}
		if (!take(s, clauses, kind, from))
			return false;
	}
	return true;
}

bool filter_clauses_split(struct filter_clauses *clauses, const char *text, struct err *err)
{
	struct split s = { .lexer = { .text = text }, .err = err, .text = text };
	bool ok;

	*clauses = (struct filter_clauses){ 0 };
	if (strnlen(text, FILTER_TEXT_MAX + 1) > FILTER_TEXT_MAX)
		return err_set(err, STATUS_USAGE, "the query is longer than 64 KiB");
	ok = advance(&s);
	if (ok && s.lexer.token.type != TOKEN_WORD)
		ok = err_set_at(err, "query", text, s.lexer.token.offset,
				"a query begins with a table: calls where dur > 1ms");
	if (ok) {
		clauses->from = s.lexer.token.value;
		s.lexer.token.value = NULL;
		ok = advance(&s) && split_of(&s, clauses) && split_rest(&s, clauses);
	}
	filter_lexer_fini(&s.lexer);
	return ok;
}

void filter_clauses_fini(struct filter_clauses *c)
{
	free_all(c->from, c->of, c->where, c->select, c->order, c->limit);
}
