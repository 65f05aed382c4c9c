/* explain_sides: both sides of the comparison that explains a wait (causes_explain.c): what the
 * waiter and the one that it waited for did, each from their last common point until the call in
 * which they met. Where several processes share the trace, each side is known to one of them. */
#pragma once

#include "patterns/causes/causes_state.h"

enum { LOOK_EVENTS = 1 << 20 }; /* of a side, at most, one by one */

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
	int64_t from; /* ticks: where it begins */
};

/* Meaning of the number of a row: ticks, the estimated part of them, visits, bytes of messages. */
enum explain_figure {
	EXPLAIN_TIME,
	EXPLAIN_ESTIMATED,
	EXPLAIN_VISITS,
	EXPLAIN_BYTES,
	EXPLAIN_FIGURES
};

/* A call path in the waiter's interval. */
struct explain_row {
	uint32_t path;
	uint32_t figure; /* enum explain_figure */
	int64_t number;
};

struct explain_rows {
	struct explain_row *data;
	size_t n, cap;
};

/* Whether the causes of waits of its kind are searched for. */
bool explain_has_causes(const struct wait *wait);
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
/* Visits that begin on this side, and bytes of messages that are sent or received. False, and
 * nothing is added: functions were left out of the recording there, or it has too many events. */
bool explain_visits(const struct causes *causes, const struct explain_side *side,
		    struct path_sheet *visits, struct path_sheet *bytes);
/* All of it as rows, which the caller frees; without visits and bytes where these are not known:
 * then UINT32_MAX has one. */
void explain_rows_of(const struct causes *causes, const struct explain_side *side,
		     struct explain_rows *rows);
