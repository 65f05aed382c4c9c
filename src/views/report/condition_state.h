/* condition_state: what the parts of condition share. No other file includes it.
 *
 * condition_parse.c	from text to nodes
 * condition.c		answers, and their reasons */
#pragma once

#include "base/vec.h"
#include "views/report/condition.h"

enum { NO_NODE = -1 };

enum node_kind { NODE_OR, NODE_AND, NODE_NOT, NODE_TEST };
enum operator{ OP_LESS, OP_LESS_EQUAL, OP_MORE, OP_MORE_EQUAL, OP_EQUAL, OP_UNEQUAL, OPERATORS };
enum measure { AS_IT_IS, OF_TIME, OF_OTHER };

struct test {
	int metric; /* enum cube_metric, or CUBE_METRICS + enum condition_efficiency */
	uint8_t op; /* enum operator */
	uint8_t measure;
	double number;  /* in the unit of the values, or a ratio */
	size_t at, end; /* of the test in the text */
};

struct node {
	enum node_kind kind;
	int first, next; /* first child and next sibling */
	struct test test;
};

struct condition {
	char *text;
	VEC(struct node) nodes;
	int root;
};

/* Words for each operator, and for its denial. */
struct condition_operator {
	const char *sign, *words, *denial;
};
extern const struct condition_operator condition_operators[OPERATORS];

static inline bool condition_is_efficiency(int metric)
{
	return metric >= CUBE_METRICS;
}
/* Of a metric or an efficiency. */
const char *condition_name(int metric);
