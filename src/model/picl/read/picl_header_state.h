/* picl_header_state: the reader's state from tview's header (picl_header_read.c,
 * picl_header_tables.c). */
#pragma once

#include "model/picl/picl_values.h"
#include "model/picl/read/picl_words.h"

typedef bool picl_take_key(struct picl_reader *r, struct picl_words *w);

/* A key, and the function that reads its lines. */
struct picl_key {
	const char *key; /* NULL: the end of a list */
	picl_take_key *take;
};

/* ---- state ---- */

enum { PICL_MAX_DIMS = 16 };

struct picl_own_topology {
	int32_t comm; /* subset */
	uint32_t name;
	uint32_t dims;
	int32_t size[PICL_MAX_DIMS];
	uint8_t periodic[PICL_MAX_DIMS];
	VEC(int32_t) coords;
};

/* A communicator of the tables: properties that its subset does not have. */
struct picl_own_comm {
	uint8_t kind;
	uint32_t flags, name;
	int32_t parent; /* subset, -1 none */
	VEC(int32_t) remote;
};

struct picl_header {
	VEC(struct location) places; /* by processor and process in the records */
	struct keymap place_rows;
	struct keymap comm_names; /* subset: string */
	VEC(struct picl_own_topology) topologies;

	/* Tables: by number. */
	VEC(uint32_t) texts;     /* string; 0 is "" */
	VEC(uint32_t) regions;   /* region */
	VEC(uint32_t) locations; /* location */
	VEC(struct picl_own_comm) comms;
	struct keymap comm_rows; /* subset: row of comms */
	VEC(uint8_t) object_types;
	VEC(uint64_t) attribute_types; /* by object: OTF2_Type, of attributes */
	VEC(uint32_t) set_sizes;       /* by metric set */
	VEC(uint8_t) details;          /* by number: enum detail_type, DETAIL_TYPES unknown */
	uint32_t tree, processes, metrics;
	VEC(uint64_t) values; /* scratch */
	VEC(int32_t) team;    /* scratch */
};

/* ---- picl_places.c ---- */

/* Sets the location of a place in the records; the first call for a place counts. */
void picl_header_place(struct picl_reader *r, int32_t processor, int32_t process,
		       const struct location *location);
/* Call site number `id` (from 1); `file` is a string. False if the number is out of range. */
bool picl_header_site(struct picl_reader *r, int64_t id, uint32_t line, uint32_t file);
/* Makes the communicators of the subsets that are defined, in the file's order, used or not. */
void picl_header_comms(struct picl_reader *r);

/* ---- picl_header_tables.c ---- */

/* The lines of the tables. */
extern const struct picl_key picl_table_keys[];
/* True if n values are enough for a detail or object. */
bool picl_is_enough(enum detail_type type, size_t n);
void picl_tables_drop(struct picl_header *header);
