/* builder_calls: calls of the builder as bytes, any sequence that a reader might make: for fuzzing
 * and for random tests. */
#pragma once

#include "model/build/builder.h"

enum { CALLED_REGIONS = 5, CALLED_COMMS = 5 };

/* Bytes that choose; behind their end they are 0. */
struct call_bytes {
	const uint8_t *at, *end;
	int64_t now; /* of the call before */
};

/* What calls refer to. */
struct called {
	uint32_t region[CALLED_REGIONS], site[CALLED_REGIONS], comm[CALLED_COMMS];
	uint32_t parameter, attribute[2], known; /* known: a string */
};

unsigned call_byte(struct call_bytes *in);
/* Defines it; the locations 0 to 2 and the ranks 0 to 2 must be there. */
void called_define(struct builder *b, struct called *called);
/* One call for a location, by b or a child of the builder that has the definitions. */
void call_builder(struct builder *b, const struct called *called, uint32_t location,
		  struct call_bytes *in);
