/* sequence_tree: a pattern over calls, parsed. The inside of sequence_*.c, not for others.
 *
 * Nodes stand in postorder: what is below a node is the stretch just before it. */
#pragma once

#include "model/filter/filter_ast.h"
#include "model/filter/sequence.h"

enum sequence_type {
	SEQUENCE_ELEMENT, /* left: which */
	SEQUENCE_GAP,     /* calls that may not go on */
	SEQUENCE_CHAIN,   /* left, then right */
	SEQUENCE_EITHER,  /* left or right */
	SEQUENCE_MANY,    /* left, once or more */
	SEQUENCE_MAYBE,   /* left or nothing */
};

struct sequence_node {
	enum sequence_type type;
	uint32_t left, right;
	size_t offset; /* of an element or gap in the text */
};

struct sequence_element {
	struct filter_tree tree; /* without nodes: any call */
	bool negate, named;
};

enum { SEQUENCE_NONE = -1 };

struct sequence_tree {
	VEC(struct sequence_node) nodes; /* the last one is the root */
	VEC(struct sequence_element) elements;
	int among;      /* element; SEQUENCE_NONE */
	int64_t within; /* ticks; INT64_MAX */
};

/* False with err; sequence_tree_fini() is due in either case. */
bool sequence_parse(struct sequence_tree *tree, const char *text, const struct timescale *scale,
		    struct err *err);
void sequence_tree_fini(struct sequence_tree *tree);
