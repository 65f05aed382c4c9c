/* filter_ast: tokens and syntax tree of a filter's text, independent of a trace. The inside of the
 * filter (filter_lex.c, filter_parse.c, filter_compile.c), not for others.
 *
 * Every token and node keeps its offset in the text, so that an error found only when the filter is
 * compiled ("rank is a number") has a column, too. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

/* Limits of an expression; beyond them is an error with a sentence, not a crash. */
enum {
	FILTER_TEXT_MAX = 64 * 1024, /* bytes */
	FILTER_DEPTH_MAX = 200,      /* parentheses and `!` inside each other */
	FILTER_TESTS_MAX = 1000,     /* comparisons */
};

/* ---- tokens ---- */

enum filter_token_type {
	TOKEN_END,
	TOKEN_WORD,    /* bare: a field, `in`, or a constant */
	TOKEN_NUMBER,  /* with its unit: 10us */
	TOKEN_STRING,  /* quoted; escapes are resolved */
	TOKEN_PATTERN, /* between slashes */
	TOKEN_AND,
	TOKEN_OR,
	TOKEN_NOT,
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_EQ, /* the comparisons, in the order of enum filter_op */
	TOKEN_NE,
	TOKEN_LT,
	TOKEN_LE,
	TOKEN_GT,
	TOKEN_GE,
	TOKEN_MATCH,
	TOKEN_NO_MATCH,
	TOKEN_COMMA,
	TOKEN_RANGE, /* .. */
	/* ---- of sequences (sequence.h) ---- */
	TOKEN_ANY, /* . */
	TOKEN_GAP, /* ... */
	TOKEN_BAR,
	TOKEN_STAR,
	TOKEN_PLUS,
	TOKEN_MAYBE, /* ? */
	TOKEN_BRACE_OPEN,
	TOKEN_BRACE_CLOSE,
	TOKEN_BRACKET_OPEN,
	TOKEN_BRACKET_CLOSE, /* in a condition, too */
};

struct filter_token {
	enum filter_token_type type;
	size_t offset, length; /* in the text */
	char *value;           /* of words, numbers, strings, patterns; owned by the lexer until the
				  next token, taken by setting it to NULL */
	bool caseless;         /* pattern with an i after it */
};

/* What symbols mean: in an expression, in a sequence, in an expression between its brackets. */
enum filter_symbols { SYMBOLS_EXPRESSION, SYMBOLS_SEQUENCE, SYMBOLS_CONDITION };

struct filter_lexer {
	const char *text;
	size_t at;
	struct filter_token token;   /* the current one */
	enum filter_symbols symbols; /* of the next one */
};

/* What the text is called in messages. */
static inline const char *filter_symbols_of(enum filter_symbols symbols)
{
	return symbols == SYMBOLS_EXPRESSION ? "filter" : "sequence";
}

/* Moves on to the next token; false with err. */
bool filter_lex(struct filter_lexer *lexer, struct err *err);
void filter_lexer_fini(struct filter_lexer *lexer);

/* ---- the tree ---- */

enum filter_op {
	OP_EQ,
	OP_NE,
	OP_LT,
	OP_LE,
	OP_GT,
	OP_GE,
	OP_MATCH,
	OP_NO_MATCH,
	OP_IN,
	OP_NOT_IN
};

enum filter_field {
#define FIELD(field, ...) FILTER_##field,
#include "model/filter/filter_fields.def"
	FILTER_COUNT
};

/* The type of a field's values, which decides what they can be compared with. */
enum filter_type { TYPE_NUMBER, TYPE_RANK, TYPE_TIME, TYPE_BYTES, TYPE_TEXT };

/* The definitions that decide a field: each has a verdict before any row is asked. */
enum filter_subject {
	SUBJECT_NOTHING, /* none: the row has the number */
	SUBJECT_LOCATION,
	SUBJECT_SITE,
	SUBJECT_PATH,
	SUBJECT_COMM,
	SUBJECT_REGION,
	SUBJECT_OBJECT, /* objects, after them metrics */
	SUBJECT_WORD,   /* one of a few words */
};

struct filter_field_info {
	const char *name;
	enum filter_type type;
	enum filter_subject subject;
};

/* The fields that an expression may have: those of events, or columns of a table. */
struct filter_names {
	const struct filter_field_info *fields; /* of one name the first one */
	unsigned n;
};

extern const struct filter_field_info filter_fields[FILTER_COUNT];

struct filter_constant {
	enum filter_token_type type; /* TOKEN_WORD, _NUMBER, _STRING, _PATTERN; TOKEN_END: open end
					of a range */
	char *value;                 /* owned; NULL at an open end */
	size_t offset;
	bool caseless;
};

/* A constant, or a range of them. */
struct filter_element {
	struct filter_constant first, last; /* last: only in a range */
	bool range;
};

/* One comparison: field op constants. */
struct filter_term {
	unsigned field; /* of the names: enum filter_field, if these are those of events */
	enum filter_op op;
	size_t offset;
	VEC(struct filter_element) set; /* one element unless the op is in or !in */
};

enum filter_node_type { NODE_TEST, NODE_NOT, NODE_AND, NODE_OR };

struct filter_node {
	enum filter_node_type type;
	uint32_t left, right; /* nodes; a test's left is its row in terms (and tests) */
};

struct filter_tree {
	VEC(struct filter_node) nodes;
	VEC(struct filter_term) terms;
	uint32_t root;
};

/* False with err; filter_tree_fini() is due in either case. A blank text gives a tree without
 * nodes. */
bool filter_parse(struct filter_tree *tree, const char *text, struct err *err);
bool filter_parse_names(struct filter_tree *tree, const char *text,
			const struct filter_names *names, struct err *err);
/* An expression that begins after the lexer's token, with fields of events, into a zeroed tree;
 * ends on the token after it. */
bool filter_parse_condition(struct filter_lexer *lexer, struct filter_tree *tree, struct err *err);
void filter_tree_fini(struct filter_tree *tree);
