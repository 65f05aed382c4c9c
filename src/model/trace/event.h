/* event: the vocabulary of the store: kinds of events, and what their 27-bit id points to.
 *
 * An event is a time, a kind and an id. Where it happened is its block's location; which call path
 * is open there follows from the enters and leaves around it. Everything rarer is in side tables
 * that the id names. */
#pragma once

#include <stdint.h>

#include "model/meaning/class.h"

/* The order is part of the layout of cache files. Names for export: event_kind_name(). */
enum event_kind {
	/* kind			   id */
	EV_ENTER,             /* call path entered */
	EV_LEAVE,             /* call path left; levels that are open inside it end here too */
	EV_STRAY_LEAVE,       /* site: a leave of something that was not open; exported as leave */
	EV_MARK,              /* site: an event without duration */
	EV_SEND,              /* message; the record that starts it, blocking or not */
	EV_SEND_COMPLETE,     /* message */
	EV_RECV_REQUEST,      /* message */
	EV_RECV,              /* message; the completion of its receive, blocking or not */
	EV_REQUEST_TEST,      /* message */
	EV_REQUEST_CANCELLED, /* message */
	EV_COLLECTIVE_BEGIN,  /* member of a collective */
	EV_COLLECTIVE_END,    /* member of a collective */
	EV_DATA,              /* record: user-defined, or of a type that tview does not know */
	EV_MESSAGE_TEXT,      /* record (PICL -7) */
	EV_STATISTICS,        /* record (PICL -101 ...) */
	EV_IO,                /* record: bytes of a file operation (tvrun's) */
	EV_THREAD_BEGIN,      /* detail (detail.h), as all that follow */
	EV_THREAD_END,        /* detail */
	EV_THREAD,            /* detail: fork, join, teams, locks, tasks */
	EV_RMA,               /* detail: one-sided communication */
	EV_METRIC,            /* detail: values of counters */
	EV_PARAMETER,         /* detail */
	EV_FILE,              /* detail: file operations */
	EV_OTHER,             /* detail: the rest */
	EV_TRACING_ON,        /* site: from here the location is traced */
	EV_TRACING_OFF,       /* site: until the next EV_TRACING_ON nothing is known of it */
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
