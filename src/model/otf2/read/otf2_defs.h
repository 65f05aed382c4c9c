/* otf2_defs: the definitions of an archive, collected as they are before any is interpreted, since
 * they may come in any order and several times. Strings stay text, references stay the archive's
 * ids; otf2_resolve.c resolves them. */
#pragma once

#include <otf2/otf2.h>

#include "base/fields.h"
#include "base/keymap.h"
#include "base/str.h"
#include "base/vec.h"

/* From 32-bit ids of the archive to rows: an array for small ids, a hash for the few large ones. */
struct otf2_ids {
	VEC(uint32_t) dense; /* row + 1, 0 none */
	struct keymap sparse;
};

enum { OTF2_DENSE = 1 << 20 };

void otf2_ids_set(struct otf2_ids *ids, uint32_t id, uint32_t row);
void otf2_ids_fini(struct otf2_ids *ids);

/* UINT32_MAX where nothing has that id. */
static inline uint32_t otf2_ids_get(const struct otf2_ids *ids, uint32_t id)
{
	const uint32_t *row;

	if (id < ids->dense.n)
		return ids->dense.data[id] - 1;
	if (id < OTF2_DENSE)
		return UINT32_MAX;
	row = keymap_find(&ids->sparse, KEY_OF(id));
	return row ? *row : UINT32_MAX;
}

#define OTF2_FIELD(i, type, name) type name;
#define PLAIN(table, name, record, ...)              \
	struct otf2_##name {                         \
		FIELDS_EACH(OTF2_FIELD, __VA_ARGS__) \
	};
#include "model/otf2/read/otf2_defs.def"

struct otf2_group_def {
	uint32_t id, name, flags, n;
	uint64_t *members;
	uint8_t type, paradigm;
};

struct otf2_comm_def {
	uint32_t id, name, group, remote, parent, flags; /* remote: of an inter-communicator */
	bool inter;
};

struct otf2_class_def {
	uint32_t id, n;
	uint32_t *members;
	uint8_t occurrence;
};

struct otf2_cart_def {
	uint32_t id, name, comm;
	uint8_t n;
	uint32_t *dims;    /* [n] */
	uint32_t topology; /* what otf2_comms() made of it; UINT32_MAX nothing */
};

struct otf2_coord_def {
	uint32_t cart, rank;
	uint8_t n;
	uint32_t *at; /* [n] */
};

struct otf2_io_paradigm_def {
	uint32_t identification, name, flags;
	uint8_t id, cls;
	uint8_t properties; /* so many of io_properties, in turn */
};

struct otf2_io_property_def {
	uint8_t property;
	OTF2_Type type;
	OTF2_AttributeValue value;
};

struct otf2_file_def {
	uint32_t id, name, node;
	bool directory;
};

struct otf2_property_def {
	const char *of; /* "system-node", "process", "location", "file", "calling-context" */
	uint64_t id;
	uint32_t name;
	OTF2_Type type;
	OTF2_AttributeValue value;
};

struct otf2_defs {
	struct str text; /* strings, NUL-terminated, one after the other */
	VEC(size_t) strings;
	struct otf2_ids string_ids;

	bool has_clock;
	uint64_t resolution, offset, length, realtime;

#define PLAIN(table, name, record, ...) VEC(struct otf2_##name) table;
#define SPECIAL(table, name)            VEC(struct otf2_##name) table;
#include "model/otf2/read/otf2_defs.def"
	uint64_t unknown; /* records of a later version */
};

void otf2_defs_init(struct otf2_defs *defs);
void otf2_defs_fini(struct otf2_defs *defs);

/* Collects the global definitions of an opened archive. False if the library gave up before their
 * end; those before it stay. */
bool otf2_defs_read(struct otf2_defs *defs, OTF2_Reader *reader);

/* The text of a string; "" where there is none. */
const char *otf2_text(const struct otf2_defs *defs, uint32_t id);

/* Breaks cycles of parents; parent[i] is a row, UINT32_MAX none. */
void otf2_break_cycles(uint32_t *parent, size_t n);
/* The same; returns all rows in an order in which parents come before their children, which the
 * caller frees. */
uint32_t *otf2_parents_first(uint32_t *parent, size_t n);

/* A value as a number; floats and doubles as the bits of a double, references as their ref. */
uint64_t otf2_number(OTF2_Type type, OTF2_AttributeValue value);
