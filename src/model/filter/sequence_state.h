/* sequence_state: a compiled sequence. The inside of sequence_*.c, not for others. */
#pragma once

#include "model/filter/sequence_tree.h"

struct sequence_test {
	struct filter *filter;
	bool negate, named;
	bool by_call; /* definitions do not decide it */
};

struct sequence_place {
	enum sequence_type type;
	uint32_t left, right;
	bool may_be_empty;
	uint64_t stops; /* of a gap: elements that end it, as bits */
};

struct sequence {
	char *text;
	const struct trace *trace;
	struct sequence_place places[SEQUENCE_PLACES_MAX]; /* in postorder */
	uint32_t n_places;
	struct sequence_test tests[SEQUENCE_ELEMENTS_MAX + 1];
	unsigned n_tests;
	uint64_t last; /* elements that a match can end with */
	int among;     /* test; SEQUENCE_NONE */
	int64_t within;
	bool has_gap, skips_user;
};
