/* timeline_chain: what is drawn brightly in a picture: the message under the cursor with those that
 * came before it, and the collective under the cursor, whether the picture draws them otherwise or
 * not. */
#pragma once

#include "ui/timeline/picture/timeline_picture.h"

enum { CHAIN_MESSAGES = 4 };

struct timeline_chain {
	/* The first is the one under the cursor; each other one is the last that the sender of the
	 * one before it had received when it sent. All have two visible rows; those before the
	 * first are received inside the window. */
	struct timeline_arrow messages[CHAIN_MESSAGES];
	unsigned n;
	VEC(struct timeline_part) parts; /* of the collective, by row */
};

/* The ids are UINT32_MAX where there is none. The chain must be zeroed or found before. Costs a
 * bounded number of steps, rows and, where rows are groups, locations. */
void timeline_chain_find(struct timeline_chain *chain, const struct timeline_picture *picture,
			 const struct query *query, uint32_t message, uint32_t collective);
void timeline_chain_fini(struct timeline_chain *chain);
