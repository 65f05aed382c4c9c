/* cache_shared: what several processes that share a trace (base/exchange.h) write into one cache
 * file: each the rows of its own locations, where the file of one process would have them. Shared
 * by cache_share*.c and cache_io.c; no other file includes it.
 *
 * Numbers of rows and events in a file are those that one process gives: rows are by location, each
 * location's in the order of its events; receives without a send follow all sends; a collective is
 * at its member of the first location, or they are by time where threads call together. So a table
 * of how many rows each location has gives every row its place. The rows that a process has are
 * renumbered where they are. After that the trace can only be written and freed. */
#pragma once

#include "model/cache/cache_state.h"
#include "model/trace/store.h"

/* Rows that are one after the other both here and in the file. */
struct stretch {
	uint64_t from, to, n; /* row here, row in the file, rows */
};

struct stretches {
	VEC(struct stretch) list;
};

/* Rows of a section that this process writes. A section may have several of these. */
struct shared_rows {
	const char *name; /* and index: of the section */
	uint32_t index;
	uint32_t row; /* bytes */
	const void *data;
	const struct stretches *stretches;
	uint64_t rows; /* in the file */
};

struct shared_sections {
	VEC(struct shared_rows) list;
};

/* Rows that are counted by location. */
enum counted {
	COUNT_BLOCK,
	COUNT_SEND,
	COUNT_UNMATCHED, /* receives */
	COUNT_COLLECTIVE,
	COUNT_MEMBER,
	COUNT_ALONE, /* members of no collective */
	COUNT_DETAIL,
	COUNT_VALUE,
	COUNT_RECORD,
	COUNT_ATTRIBUTE,
	COUNT_EXTRA,
	COUNT_TIME_TEXT,
	COUNT_GAP,
	COUNT_GAP_PART,
	COUNT_COPY,
	COUNT_WIDE,                             /* of a time base, as those that follow */
	COUNT_SHADED = COUNT_WIDE + BASE_COUNT, /* superblocks of a shading; their wide rows */
	COUNT_SHADED_WIDE = COUNT_SHADED + BASE_COUNT,
	COUNT_PROFILED = COUNT_SHADED_WIDE + BASE_COUNT, /* of a profile; their sums and ends */
	COUNT_SUM = COUNT_PROFILED + BASE_COUNT,
	COUNT_END = COUNT_SUM + BASE_COUNT,
	COUNT_KINDS = COUNT_END + BASE_COUNT
};

/* What is the same for all members of a collective. */
struct shared_place {
	uint64_t first;      /* begin of its first member, by location */
	uint32_t location;   /* that one's */
	uint32_t reserved;   /* 0 */
	int64_t time;        /* at which the earliest member began */
	uint64_t time_event; /* that begin */
};

/* A collective that this process writes. */
struct shared_group {
	struct shared_place place;
	uint32_t row, members;
	uint64_t number, to; /* row in the file, and of its first member */
};

/* Where a member is. */
struct seat {
	struct shared_place place; /* the collective */
	uint32_t nth;              /* among its members */
};

struct shared {
	struct trace *trace;
	struct exchange *x;
	bool counting;               /* nothing is renumbered yet */
	uint64_t *next[COUNT_KINDS]; /* [locations] rows; then the next one's place in the file */
	uint64_t all[COUNT_KINDS];
	uint64_t common[COUNT_KINDS];     /* rows before those of locations, the same in all */
	struct stretches at[COUNT_KINDS]; /* rows that this process writes */
	uint64_t *first_event;            /* [locations] */
	uint32_t *message, *member;       /* [rows] place in the file */
	uint32_t *detail, *record;        /* [rows] location, UINT32_MAX: of none; then the same */
	uint32_t *text;                   /* [strings] number in the file */
	VEC(struct shared_group) groups;  /* by first member */
	struct seat *seats;               /* [members of collectives with members elsewhere] */
	uint32_t group_members;           /* rows of members that have a collective */
	struct collective *collectives;
	struct member *members;
	VEC(uint32_t) lists;     /* blocks of the locations here */
	struct stretches listed; /* where these are in the file */
	struct shared_sections sections;
};

/* ---- cache_share_places.c ---- */

/* Counts rows (counting), or gives n of them their place: that of the first one. Rows from `row` on
 * are then written there; NO_ROW: they are not here. */
#define NO_ROW UINT64_MAX
uint64_t shared_place(struct shared *s, enum counted kind, uint32_t location, uint64_t row,
		      uint64_t n);
void stretches_add(struct stretches *s, uint64_t from, uint64_t to, uint64_t n);
/* The number of an event in the file. */
uint64_t shared_event(const struct shared *s, uint32_t event);

/* ---- cache_share_texts.c ---- */

/* Numbers the texts of all processes; the first one gets those of all. */
bool shared_texts(struct shared *s, struct err *err);

/* ---- cache_share_groups.c ---- */

/* Finds out which collectives this process writes, and counts them. */
void shared_groups_find(struct shared *s);
/* Places them and all members, and takes the members that this process writes. */
void shared_groups_place(struct shared *s);

/* ---- cache_share_bases.c ---- */

/* Drops sums that a process has not made of all its locations: who needs them makes all. All
 * processes call it. */
void shared_bases_drop(struct trace *trace);
/* Counts, or places, the rows of all bases. */
void shared_bases_go_over(struct shared *s);

/* ---- cache_share_rows.c ---- */

/* Numbers everything, and lists what this process writes. All processes call it. False with err, in
 * all of them, where there is more than a trace can have. */
bool shared_make(struct shared *s, struct trace *trace, struct err *err);
void shared_fini(struct shared *s);

/* ---- cache_share_orders.c ---- */

struct shared_order {
	enum time_base base;
	bool collectives;
	uint32_t rows;
};

enum { SHARED_ORDERS = 2 * BASE_COUNT };

/* This process' stretch of an order that all make together: of its rows, of the earlier ends of its
 * chunks, and of the nodes of its tree. */
struct made_order {
	uint32_t *rows;
	int64_t *chunks, *nodes[ORDER_LEVELS];
	struct stretches at_rows, at_chunks, at_nodes[ORDER_LEVELS];
};

/* The orders that there will be. */
uint32_t shared_orders_list(const struct shared *s, struct shared_order list[SHARED_ORDERS]);
/* Tells the trace that it has all of them, and adds their sections, without rows. */
void shared_orders_announce(struct shared *s);
/* The sections of an order; made NULL: it is not made yet. */
void shared_orders_add(struct shared_sections *to, const struct shared_order *o,
		       const struct made_order *made);
/* From the rows of all processes. All processes call it. */
void made_order_make(struct made_order *made, struct exchange *x, const struct trace *whole,
		     const struct shared_order *o);
void made_order_fini(struct made_order *made);

/* ---- cache_share_sections.c ---- */

void shared_sections_make(struct shared *s);
/* Adds rows of a section: all of them, in their order, where `stretches` is NULL. */
void shared_sections_add(struct shared_sections *sections, const struct shared_rows *rows);
/* Whether several processes write a section; its elements. */
bool shared_sections_find(const struct shared_sections *sections, const char *name, uint32_t index,
			  uint32_t element, uint64_t *n);
