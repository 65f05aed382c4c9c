/* event: the vocabulary of the store: kinds of events, and what their 27-bit id points to.
 *
 * An event is a time, a kind and an id. Where it happened is its block's location; which call path
 * is open there follows from the enters and leaves around it. Everything rarer is in side tables
 * that the id names. */
#pragma once

#include <stdint.h>

#include "model/meaning/class.h"

/* EV_ENTER, EV_LEAVE, ...: event_kinds.def says what they are, and their names for export. */
enum event_kind {
#define EVENT(kind, name) EV_##kind,
#include "model/trace/event_kinds.def"
	EV_KINDS
};

enum { WHAT_ID_BITS = 27 };
#define WHAT_ID_MASK ((1u << WHAT_ID_BITS) - 1)
#define ID_NONE      WHAT_ID_MASK /* "no such row" in a 27-bit id */
#define EVENT_NONE   UINT32_MAX   /* no event */

static inline uint32_t what_make(enum event_kind kind, uint32_t id)
{
	return (uint32_t)kind << WHAT_ID_BITS | id;
}

static inline enum event_kind what_kind(uint32_t what)
{
	return (enum event_kind)(what >> WHAT_ID_BITS);
}

static inline uint32_t what_id(uint32_t what)
{
	return what & WHAT_ID_MASK;
}

/* "enter", "leave", "mark", "send", ...: the names of `tview export events`. */
const char *event_kind_name(enum event_kind kind);

/* Time bases (design section 3). `compensated` is the best estimate, `lower` and `upper` its
 * bounds. */
enum time_base {
	BASE_MEASURED,
	BASE_LINEAR,
	BASE_FITTED,
	BASE_CLC,
	BASE_COMPENSATED,
	BASE_LOWER,
	BASE_UPPER,
	BASE_COUNT
};

const char *time_base_name(enum time_base base);
/* BASE_COUNT where no base has the name. */
enum time_base time_base_find(const char *name);
