/* Tokens to a tree: `||` binds weakest, then `&&`, then `!`. */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "model/filter/filter.h"
#include "model/filter/filter_ast.h"

const struct filter_field_info filter_fields[] = {
#define FIELD(field, word, type, subject) { word, TYPE_##type, SUBJECT_##subject },
#include "model/filter/filter_fields.def"
};

struct parser {
	struct filter_lexer lexer;
	struct filter_tree *tree;
	const struct filter_names *names;
	unsigned depth;
	struct err *err;
};

static bool fail_at(struct parser *p, size_t offset, const char *reason)
{
	return err_set_at(p->err, filter_symbols_of(p->lexer.symbols), p->lexer.text, offset, "%s",
			  reason);
}

static bool fail(struct parser *p, const char *reason)
{
	return fail_at(p, p->lexer.token.offset, reason);
}

static bool advance(struct parser *p)
{
	return filter_lex(&p->lexer, p->err);
}

static uint32_t add_node(struct parser *p, enum filter_node_type type, uint32_t left,
			 uint32_t right)
{
	const struct filter_node node = { type, left, right };

	vec_push(&p->tree->nodes, node);
	return (uint32_t)(p->tree->nodes.n - 1);
}

static bool is_word(const struct parser *p, const char *word)
{
	return p->lexer.token.type == TOKEN_WORD && strcmp(p->lexer.token.value, word) == 0;
}

/* Looked for by name; what is not a field gets a sentence that says what would be. */
static bool parse_field(struct parser *p, unsigned *field)
{
	OWNED_STR reason = STR_INIT;

	if (p->lexer.token.type != TOKEN_WORD)
		return fail(p,
			    p->lexer.token.type == TOKEN_END
				    ? "the expression ends before a comparison (example: region == "
				      "MPI_Send)"
				    : "expected a field here (rank, region, dur, ...)");
	for (unsigned i = 0; i < p->names->n; i++)
		if (strcmp(p->lexer.token.value, p->names->fields[i].name) == 0) {
			*field = i;
			return advance(p);
		}
	str_add(&reason, "'");
	str_add_n(&reason, p->lexer.token.value, strnlen(p->lexer.token.value, 40));
	str_add(&reason, "' is not a field; the fields are");
	for (unsigned i = 0; i < p->names->n; i++)
		str_add_fmt(&reason, "%s %s", i ? "," : "", p->names->fields[i].name);
	return fail(p, reason.text);
}

static bool parse_op(struct parser *p, enum filter_op *op)
{
	const enum filter_token_type type = p->lexer.token.type;

	if (type >= TOKEN_EQ && type <= TOKEN_NO_MATCH) {
		*op = OP_EQ + (type - TOKEN_EQ);
		return advance(p);
	}
	if (is_word(p, "in")) {
		*op = OP_IN;
		return advance(p);
	}
	if (type == TOKEN_NOT) {
		*op = OP_NOT_IN;
		if (!advance(p))
			return false;
		if (is_word(p, "in"))
			return advance(p);
	}
	return fail(p, "expected a comparison here: == != < <= > >= in !in =~ !~");
}

static bool parse_constant(struct parser *p, struct filter_constant *constant)
{
	struct filter_token *token = &p->lexer.token;

	if (token->type < TOKEN_WORD || token->type > TOKEN_PATTERN)
		return fail(p, "expected a constant here: a number, a name, \"text\" or /pattern/");
	*constant = (struct filter_constant){ token->type, token->value, token->offset,
					      token->caseless };
	token->value = NULL;
	return advance(p);
}

/* a, a..b, a.., ..b */
static bool parse_element(struct parser *p, struct filter_element *element)
{
	const size_t start = p->lexer.token.offset;

	if (p->lexer.token.type != TOKEN_RANGE && !parse_constant(p, &element->first))
		return false;
	if (p->lexer.token.type != TOKEN_RANGE)
		return true;
	element->range = true;
	element->first.offset = start;
	element->last.offset = p->lexer.token.offset;
	if (!advance(p))
		return false;
	if (p->lexer.token.type >= TOKEN_WORD && p->lexer.token.type <= TOKEN_PATTERN)
		return parse_constant(p, &element->last);
	return element->first.value ||
	       fail_at(p, start, "a range needs at least one end: 4.. or ..7");
}

static bool parse_set(struct parser *p, struct filter_term *term)
{
	const bool many = term->op == OP_IN || term->op == OP_NOT_IN;

	for (;;) {
		if (!parse_element(p, vec_add(&term->set)))
			return false;
		if (!many && vec_last(&term->set)->range)
			return fail_at(p, vec_last(&term->set)->first.offset,
				       "a range needs in or !in: rank in 0..3");
		if (p->lexer.token.type != TOKEN_COMMA)
			return true;
		if (!many)
			return fail(p, "a list needs in or !in: rank in 0..3,8");
		if (!advance(p))
			return false;
	}
}

static bool parse_comparison(struct parser *p, uint32_t *node)
{
	struct filter_term *term;

	if (p->tree->terms.n == FILTER_TESTS_MAX)
		return fail(p, "more than 1,000 comparisons in one expression");
	*node = add_node(p, NODE_TEST, (uint32_t)p->tree->terms.n, 0);
	term = vec_add(&p->tree->terms);
	term->offset = p->lexer.token.offset;
	return parse_field(p, &term->field) && parse_op(p, &term->op) && parse_set(p, term);
}

static bool parse_chain(struct parser *p, enum filter_token_type link, uint32_t *node);

/* The recursion of the grammar: its depth is bounded here. */
static bool parse_unary(struct parser *p, uint32_t *node)
{
	const size_t offset = p->lexer.token.offset;
	const enum filter_token_type type = is_word(p, "not") ? TOKEN_NOT : p->lexer.token.type;

	if (type != TOKEN_NOT && type != TOKEN_OPEN)
		return parse_comparison(p, node);
	if (p->depth == FILTER_DEPTH_MAX)
		return fail(p, "parentheses and ! are nested more than 200 deep");
	if (!advance(p))
		return false;
	p->depth++;
	if (type == TOKEN_NOT) {
		if (!parse_unary(p, node))
			return false;
		*node = add_node(p, NODE_NOT, *node, 0);
	} else {
		if (!parse_chain(p, TOKEN_OR, node))
			return false;
		if (p->lexer.token.type == TOKEN_END)
			return fail_at(p, offset, "this parenthesis is not closed");
		if (p->lexer.token.type != TOKEN_CLOSE)
			return fail(p, "expected &&, || or ) here");
		if (!advance(p))
			return false;
	}
	p->depth--;
	return true;
}

static bool is_link(const struct parser *p, enum filter_token_type link)
{
	return p->lexer.token.type == link || is_word(p, link == TOKEN_AND ? "and" : "or");
}

static bool parse_operand(struct parser *p, enum filter_token_type link, uint32_t *node)
{
	return link == TOKEN_OR ? parse_chain(p, TOKEN_AND, node) : parse_unary(p, node);
}

/* Operands with || between them, or the operands of one with && between them. */
static bool parse_chain(struct parser *p, enum filter_token_type link, uint32_t *node)
{
	uint32_t right = 0;

	if (!parse_operand(p, link, node))
		return false;
	while (is_link(p, link)) {
		if (!advance(p) || !parse_operand(p, link, &right))
			return false;
		*node = add_node(p, link == TOKEN_OR ? NODE_OR : NODE_AND, *node, right);
	}
	return true;
}

static bool parse_all(struct parser *p)
{
	if (!advance(p))
		return false;
	if (p->lexer.token.type == TOKEN_END)
		return true;
	if (!parse_chain(p, TOKEN_OR, &p->tree->root))
		return false;
	if (p->lexer.token.type == TOKEN_END)
		return true;
	return fail(p, p->lexer.token.type == TOKEN_CLOSE ? "this parenthesis has no opening one"
							  : "expected && or || here");
}

static const struct filter_names of_events = { filter_fields, FILTER_COUNT };

bool filter_parse(struct filter_tree *tree, const char *text, struct err *err)
{
	return filter_parse_names(tree, text, &of_events, err);
}

bool filter_parse_names(struct filter_tree *tree, const char *text,
			const struct filter_names *names, struct err *err)
{
	struct parser p = { .lexer = { .text = text }, .tree = tree, .names = names, .err = err };
	bool ok;

	*tree = (struct filter_tree){ 0 };
	if (strnlen(text, FILTER_TEXT_MAX + 1) > FILTER_TEXT_MAX)
		return err_set(err, STATUS_USAGE, "the filter is longer than 64 KiB");
	ok = parse_all(&p);
	filter_lexer_fini(&p.lexer);
	return ok;
}

bool filter_parse_condition(struct filter_lexer *lexer, struct filter_tree *tree, struct err *err)
{
	struct parser p = { .lexer = *lexer, .tree = tree, .names = &of_events, .err = err };
	const bool ok = advance(&p) && parse_chain(&p, TOKEN_OR, &tree->root);

	*lexer = p.lexer;
	return ok;
}

void filter_tree_fini(struct filter_tree *tree)
{
	struct filter_term *term;
	struct filter_element *element;

	vec_each (term, &tree->terms) {
		vec_each (element, &term->set) {
			free_all(element->first.value, element->last.value);
		}
		vec_fini(&term->set);
	}
	vec_fini(&tree->terms);
	vec_fini(&tree->nodes);
}
