/* Tokens to the tree of a sequence: `|` binds weakest, then what follows, then repetition. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/filter/sequence_tree.h"

enum { NESTED_MAX = 100, TIMES_MAX = 1000 };

struct parser {
	struct filter_lexer lexer;
	struct sequence_tree *tree;
	const struct timescale *scale;
	unsigned depth;
	struct err *err;
};

static bool fail_at(struct parser *p, size_t offset, const char *reason)
{
	return err_set_at(p->err, "sequence", p->lexer.text, offset, "%s", reason);
}

static bool fail(struct parser *p, const char *reason)
{
	return fail_at(p, p->lexer.token.offset, reason);
}

static bool advance(struct parser *p)
{
	return filter_lex(&p->lexer, p->err);
}

static enum filter_token_type token(const struct parser *p)
{
	return p->lexer.token.type;
}

static bool is_word(const struct parser *p, const char *word)
{
	return token(p) == TOKEN_WORD && strcmp(p->lexer.token.value, word) == 0;
}

static uint32_t size(const struct parser *p)
{
	return (uint32_t)p->tree->nodes.n;
}

/* It becomes the root. */
static bool add_node(struct parser *p, enum sequence_type type, uint32_t left, uint32_t right)
{
	if (size(p) == SEQUENCE_PLACES_MAX)
		return fail(p, "the sequence is too long when its repetitions are written out");
	vec_push(&p->tree->nodes,
		 ((struct sequence_node){ type, left, right, p->lexer.token.offset }));
	return true;
}

/* ---- elements ---- */

static bool begins_element(const struct parser *p)
{
	switch (token(p)) {
	case TOKEN_WORD: return !is_word(p, "within") && !is_word(p, "among");
	case TOKEN_STRING:
	case TOKEN_PATTERN:
	case TOKEN_ANY:
	case TOKEN_NOT:
	case TOKEN_BRACKET_OPEN: return true;
	default: return false;
	}
}

static bool begins_atom(const struct parser *p)
{
	return begins_element(p) || token(p) == TOKEN_GAP || token(p) == TOKEN_OPEN;
}

/* region == NAME, region =~ /PATTERN/ */
static void add_name(struct parser *p, struct sequence_element *element)
{
	struct filter_tree *tree = &element->tree;
	struct filter_token *t = &p->lexer.token;
	struct filter_term *term = vec_add(&tree->terms);

	term->field = FILTER_REGION;
	term->op = t->type == TOKEN_PATTERN ? OP_MATCH : OP_EQ;
	term->offset = t->offset;
	vec_push(&term->set, ((struct filter_element){
				     .first = { t->type, t->value, t->offset, t->caseless } }));
	t->value = NULL;
	vec_push(&tree->nodes, ((struct filter_node){ NODE_TEST, 0, 0 }));
	element->named = true;
}

/* Joined to the name, if there is one. */
static bool parse_condition(struct parser *p, struct sequence_element *element)
{
	struct filter_tree *tree = &element->tree;
	const uint32_t name = tree->root;
	const bool named = tree->nodes.n > 0;

	p->lexer.symbols = SYMBOLS_CONDITION;
	if (!filter_parse_condition(&p->lexer, tree, p->err))
		return false;
	if (token(p) != TOKEN_BRACKET_CLOSE)
		return fail(p, "expected && or || or the ] of the condition here");
	if (named) {
		vec_push(&tree->nodes, ((struct filter_node){ NODE_AND, name, tree->root }));
		tree->root = (uint32_t)tree->nodes.n - 1;
	}
	p->lexer.symbols = SYMBOLS_SEQUENCE;
	return advance(p);
}

static bool parse_element(struct parser *p)
{
	struct sequence_element *element;

	if (p->tree->elements.n == SEQUENCE_ELEMENTS_MAX)
		return fail(p, "a sequence has at most 64 elements");
	element = vec_add(&p->tree->elements);
	if (token(p) == TOKEN_NOT) {
		element->negate = true;
		if (!advance(p))
			return false;
		if (!begins_element(p) || token(p) == TOKEN_NOT)
			return fail(p, "expected the name of a function or a [condition] after !");
	}
	if (token(p) != TOKEN_BRACKET_OPEN) {
		if (token(p) != TOKEN_ANY)
			add_name(p, element);
		if (!advance(p))
			return false;
	}
	return token(p) != TOKEN_BRACKET_OPEN || parse_condition(p, element);
}

/* ---- repetition ---- */

/* Adds the nodes [from, to) once more. */
static bool copy(struct parser *p, uint32_t from, uint32_t to)
{
	const uint32_t by = size(p) - from;

	for (uint32_t i = from; i < to; i++) {
		const struct sequence_node n = p->tree->nodes.data[i];
		const uint32_t shift = n.type > SEQUENCE_GAP ? by : 0;
		if (!add_node(p, n.type, n.left + shift, n.right + shift))
			return false;
		vec_last(&p->tree->nodes)->offset = n.offset;
	}
	return true;
}

/* The nodes from `from` on, `least` to `most` times (0: any number). */
static bool repeat(struct parser *p, uint32_t from, unsigned least, unsigned most)
{
	const uint32_t to = size(p);
	const unsigned n = most ? most : least ? least : 1;

	for (unsigned k = 0; k < n; k++) {
		const uint32_t before = size(p) - 1;
		if (k && !copy(p, from, to))
			return false;
		if (!most && k + 1 == n && !add_node(p, SEQUENCE_MANY, size(p) - 1, 0))
			return false;
		if (k >= least && !add_node(p, SEQUENCE_MAYBE, size(p) - 1, 0))
			return false;
		if (k && !add_node(p, SEQUENCE_CHAIN, before, size(p) - 1))
			return false;
	}
	return true;
}

static bool parse_times(struct parser *p, unsigned *times)
{
	const char *text = p->lexer.token.value;
	char *end;
	unsigned long n;

	if (token(p) != TOKEN_NUMBER)
		return fail(p, "expected a number here: {2}, {2,}, {2,5}");
	n = strtoul(text, &end, 10);
	if (*end || n > TIMES_MAX)
		return fail(p, "expected a number up to 1000 here");
	*times = (unsigned)n;
	return advance(p);
}

/* {n}, {n,}, {n,m}; the token is on the brace. */
static bool parse_braces(struct parser *p, unsigned *least, unsigned *most)
{
	const size_t offset = p->lexer.token.offset;
	bool any = false;

	if (!advance(p) || !parse_times(p, least))
		return false;
	*most = *least;
	if (token(p) == TOKEN_COMMA) {
		if (!advance(p))
			return false;
		any = token(p) == TOKEN_BRACE_CLOSE;
		if (!any && !parse_times(p, most))
			return false;
	}
	if (token(p) != TOKEN_BRACE_CLOSE)
		return fail(p, "expected } here");
	if (any)
		*most = 0;
	else if (*most == 0 || *least > *most)
		return fail_at(p, offset,
			       "a repetition goes from the smaller to the larger number, which is "
			       "not 0");
	return advance(p);
}

static bool is_repetition(const struct parser *p)
{
	return token(p) >= TOKEN_STAR && token(p) <= TOKEN_BRACE_OPEN;
}

static bool parse_repetition(struct parser *p, uint32_t from)
{
	unsigned least = token(p) == TOKEN_PLUS, most = token(p) == TOKEN_MAYBE;
	const bool ok = token(p) == TOKEN_BRACE_OPEN ? parse_braces(p, &least, &most) : advance(p);

	if (ok && is_repetition(p))
		return fail(p, "two repetitions follow each other; put the first in parentheses");
	return ok && repeat(p, from, least, most);
}

/* ---- the pattern ---- */

static bool parse_either(struct parser *p);

static bool parse_group(struct parser *p)
{
	if (p->depth == NESTED_MAX)
		return fail(p, "parentheses are nested more than 100 deep");
	p->depth++;
	if (!advance(p) || !parse_either(p))
		return false;
	p->depth--;
	if (token(p) != TOKEN_CLOSE)
		return fail(p, "expected ) here, or a further element");
	return advance(p);
}

static bool parse_atom(struct parser *p)
{
	const uint32_t element = (uint32_t)p->tree->elements.n;

	if (token(p) == TOKEN_OPEN)
		return parse_group(p);
	if (token(p) == TOKEN_GAP)
		return add_node(p, SEQUENCE_GAP, 0, 0) && advance(p);
	return add_node(p, SEQUENCE_ELEMENT, element, 0) && parse_element(p);
}

static bool parse_repeated(struct parser *p)
{
	const uint32_t from = size(p);
	const bool gap = token(p) == TOKEN_GAP;

	if (!parse_atom(p))
		return false;
	if (!is_repetition(p))
		return true;
	return gap ? fail(p, "... is any number of calls already") : parse_repetition(p, from);
}

static bool parse_chain(struct parser *p)
{
	if (!begins_atom(p))
		return fail(p, token(p) == TOKEN_END
				       ? "the sequence ends before an element (example: MPI_Isend+ "
					 "MPI_Waitall)"
				       : "expected an element here: a name, /pattern/, ., ..., "
					 "[condition] or (");
	if (!parse_repeated(p))
		return false;
	while (begins_atom(p)) {
		const uint32_t left = size(p) - 1;
		if (!parse_repeated(p) || !add_node(p, SEQUENCE_CHAIN, left, size(p) - 1))
			return false;
	}
	return true;
}

static bool parse_either(struct parser *p)
{
	if (!parse_chain(p))
		return false;
	while (token(p) == TOKEN_BAR) {
		const uint32_t left = size(p) - 1;
		if (!advance(p) || !parse_chain(p) ||
		    !add_node(p, SEQUENCE_EITHER, left, size(p) - 1))
			return false;
	}
	return true;
}

/* ---- what follows it ---- */

static bool parse_within(struct parser *p)
{
	struct err ignored = ERR_INIT;

	if (p->tree->within != INT64_MAX)
		return fail(p, "'within' is there twice");
	if (!advance(p))
		return false;
	if (token(p) != TOKEN_NUMBER ||
	    !units_parse_time(p->lexer.token.value, NULL, p->scale, &p->tree->within, &ignored) ||
	    p->tree->within < 0)
		return fail(p, "'within' needs a time: within 5ms");
	return advance(p);
}

static bool parse_among(struct parser *p)
{
	if (p->tree->among != SEQUENCE_NONE)
		return fail(p, "'among' is there twice");
	if (!advance(p))
		return false;
	if (!begins_element(p))
		return fail(p, "'among' needs an element: among /^MPI_/, among [class == p2p]");
	p->tree->among = (int)p->tree->elements.n;
	return parse_element(p);
}

static bool parse_all(struct parser *p)
{
	if (!advance(p) || !parse_either(p))
		return false;
	while (is_word(p, "within") || is_word(p, "among"))
		if (!(is_word(p, "within") ? parse_within(p) : parse_among(p)))
			return false;
	if (token(p) == TOKEN_END)
		return true;
	return fail(p, token(p) == TOKEN_CLOSE ? "this parenthesis has no opening one"
					       : "expected an element, within or among here");
}

bool sequence_parse(struct sequence_tree *tree, const char *text, const struct timescale *scale,
		    struct err *err)
{
	struct parser p = { .lexer = { .text = text, .symbols = SYMBOLS_SEQUENCE },
			    .tree = tree,
			    .scale = scale,
			    .err = err };
	bool ok;

	*tree = (struct sequence_tree){ .among = SEQUENCE_NONE, .within = INT64_MAX };
	if (strnlen(text, FILTER_TEXT_MAX + 1) > FILTER_TEXT_MAX)
		return err_set(err, STATUS_USAGE, "the sequence is longer than 64 KiB");
	ok = parse_all(&p);
	filter_lexer_fini(&p.lexer);
	return ok;
}

void sequence_tree_fini(struct sequence_tree *tree)
{
	struct sequence_element *element;

	vec_each (element, &tree->elements)
		filter_tree_fini(&element->tree);
	vec_fini(&tree->elements);
	vec_fini(&tree->nodes);
}
