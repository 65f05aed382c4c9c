/* explain_sides: both sides of the comparison that explains a wait (causes_explain.c): what the
 * waiter and the one that it waited for did, each from their last common point until the call in
 * which they met. Where several processes share the trace, each side is known to one of them. */
#pragma once

#include "patterns/causes/causes_state.h"

/* A side of the comparison: what a location did from a point until a call. */
struct explain_side {
	uint32_t location;
	uint32_t from; /* point */
	uint32_t last; /* point: the last one before the call */
	int64_t end;   /* ticks: the call's enter */
};

/* What the waiter's process says of a wait. */
struct explain_ask {
	bool is;              /* it has causes */
	bool stored;          /* as a delay: for `other_point` of the delayer */
	uint32_t delayer;     /* location, UINT32_MAX unknown */
	uint32_t other_point; /* stored */
	uint64_t number;      /* of the event that was waited for, if not stored */
	int64_t length;
	struct explain_side mine;
};

/* A call path in the waiter's interval. */
struct explain_row {
	uint32_t path;
	bool estimated; /* the estimated part, else what it did */
	int64_t ticks;
};

struct explain_rows {
	struct explain_row *data;
	size_t n, cap;
};

/* In the waiter's process: what it knows of one of its waits. */
void explain_ask_wait(const struct causes *causes, uint32_t location, uint32_t index,
		      struct explain_ask *ask);
/* Adds the number of the event that was waited for, where no delay was stored. All processes call
 * it. */
void explain_ask_number(const struct causes *causes, uint32_t location, uint32_t index,
			struct explain_ask *ask);
/* In the delayer's process. */
struct explain_side explain_their_side(const struct causes *causes, const struct explain_ask *ask);

/* ---- what a side did, in its process ---- */

/* Writes X of section 8.2 to the sheet. */
void explain_profile(const struct causes *causes, const struct explain_side *side,
		     struct path_sheet *sheet);
/* Adds the estimated part of it. */
void explain_estimated(const struct causes *causes, const struct explain_side *side,
		       struct path_sheet *sheet);
/* Both as rows, which the caller frees. */
void explain_rows_of(const struct causes *causes, const struct explain_side *side,
		     struct explain_rows *rows);
