/* event: kinds of events, and the meaning of their 27-bit id.
 *
 * An event is a time, a kind and an id. Its location is that of its block; the call path open there
 * follows from the enters and leaves around it. Everything rarer is in side tables, in the row of
 * the id. */
#pragma once

#include <stdint.h>

#include "model/meaning/class.h"

/* EV_ENTER, EV_LEAVE, ...: event_kinds.def has their meanings and their names for export. */
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

/* Time bases (doc/corrections.md). `compensated` is the best estimate of the times without
 * measurement overhead, `lower` and `upper` its bounds; `virtual` is the one that the ranks kept
 * while they ran. */
enum time_base {
	BASE_MEASURED,
	BASE_LINEAR,
	BASE_FITTED,
	BASE_CLC,
	BASE_COMPENSATED,
	BASE_LOWER,
	BASE_UPPER,
	BASE_VIRTUAL,
	BASE_COUNT
};

const char *time_base_name(enum time_base base);
/* BASE_COUNT if no base has the name. */
enum time_base time_base_find(const char *name);
