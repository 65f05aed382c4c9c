/* picl_divided: a file whose text several processes divide: the state of picl_divide.c (stretches
 * of the text), picl_owners.c (who has which location) and picl_made.c (definitions that records
 * make). */
#pragma once

#include "base/exchange.h"
#include "model/picl/read/picl_dealt.h"
#include "model/picl/read/picl_reader.h"

/* The processors of a process begin here. */
struct picl_owner {
	int32_t first;
	uint32_t process;
};

/* A processor and process with records in this stretch, and the line of the first one. */
struct picl_told_place {
	uint64_t line;
	int32_t processor, process;
	uint64_t whole; /* 1: of those records that may be for all processes of the processor */
};

/* The places of the latest records, by processor. */
struct picl_seat {
	int32_t processor, process;
	uint32_t owner;
	bool known[2]; /* [whole] */
};

enum { PICL_SEATS = 1 << 12 };

enum picl_told_kind { TOLD_SITE, TOLD_REGION, TOLD_LOOSE, TOLD_TEXT };

/* What one process tells all of a line: before its text. */
struct picl_told {
	uint64_t line;
	int64_t time;
	uint32_t kind, n; /* n: bytes of text, with a NUL and padding after it */
	int32_t evtype;
	uint32_t call;
};

struct picl_divided {
	struct exchange *x;
	bool dealt; /* the events of own locations are at hand, from all stretches */

	/* picl_divide.c */
	uint64_t size, from;     /* of the file; what is left of it begins here */
	uint64_t lines;          /* before that */
	uint64_t begin, end;     /* this process' stretch of a round */
	uint64_t *before;        /* [processes] lines before theirs */
	size_t told_before;      /* bytes told before the round */
	struct picl_deal *deals; /* [processes] */
	struct picl_seat *seats; /* [PICL_SEATS] */
	struct keymap known;     /* (processor, process, whole) */
	VEC(struct picl_told_place) places;
	bool cannot; /* a definition in the middle of the file */

	/* picl_owners.c */
	VEC(struct picl_owner) owners;
	bool mixed; /* all parts of the file have records of all processes */

	/* picl_made.c */
	uint64_t line;                     /* of the record at hand */
	struct str told;                   /* struct picl_told with their texts */
	uint32_t first_site, first_region; /* numbers from here on are this process' own */
	VEC(struct key) sites, regions;    /* own ones: type and call */
	struct keymap region_rows;         /* type: row of regions */
	uint32_t *site_ids, *region_ids;   /* of own ones, until the join */
	size_t texts;                      /* of the feed, that were told */
};

/* ---- picl_owners.c ---- */

/* Looks at samples of the file, and deals processors out, by their numbers of records. r->stop
 * is set where a process has no room for its part. */
void picl_owners_deal(struct picl_reader *r);
uint32_t picl_owner_of(const struct picl_divided *d, int32_t processor);

/* ---- picl_made.c ---- */

/* Before and after the events are read. */
void picl_made_begin(struct picl_reader *r);
void picl_made_end(struct picl_reader *r);
/* After each record: what it made. */
void picl_made_tell(struct picl_reader *r);
/* The lines before a stretch became known: what was told of it, from there on, gets its place in
 * the file. */
void picl_made_move(struct picl_divided *d, size_t from, uint64_t lines);
