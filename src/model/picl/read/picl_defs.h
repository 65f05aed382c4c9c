/* picl_defs: the definition records of a PICL file: labels (-5), aliases of data descriptors (-6),
 * subsets (-201 to -203); each with its scope, looked up most specific first.
 *
 * A scope is an event type, a processor and a process, each exact, a subset (< -1) or -1 for all.
 * Owned by the reader; strings are copies. */
#pragma once

#include "base/keymap.h"
#include "base/vec.h"
#include "model/picl/descriptor.h"
#include "model/picl/read/picl_scan.h"
#include "model/trace/record_type.h"

struct picl_scope {
	int32_t evtype, processor, process;
};

/* A label, or the control string that a number represents. */
struct picl_definition {
	struct picl_scope scope;
	int32_t number; /* of an alias */
	char *text;
	struct descriptor descriptor; /* of an alias; without values if it is not understood */
};

struct picl_subset {
	int32_t rectype; /* its name space: REC_SUBSET_* */
	int32_t id;
	int32_t *members;
	size_t n;
};

/* Definitions by scope. Scopes without subsets are found by their hash; those with are few and
 * looked through. */
struct picl_definitions {
	VEC(struct picl_definition) rows;
	struct keymap exact; /* number, event type, processor, process: row */
	VEC(uint32_t) loose; /* rows */
};

struct picl_defs {
	struct picl_definitions labels, aliases;
	struct keymap subset_index; /* record type, id: row */
	uint32_t event_subsets;     /* subsets of event types */
	VEC(struct picl_subset) subsets;
	uint32_t scoped_labels; /* labels that are not for all processors and processes */
	bool first_only;        /* the first definition counts: later ones are ignored */
	struct descriptor predefined[6];
};

void picl_defs_init(struct picl_defs *defs);
void picl_defs_fini(struct picl_defs *defs);

enum picl_define {
	DEFINED_NEW,
	DEFINED_SAME,    /* as it was */
	DEFINED_CHANGED, /* another meaning from here on */
};

enum picl_define picl_defs_label(struct picl_defs *defs, const struct picl_scope *scope,
				 const char *text, size_t n);
enum picl_define picl_defs_alias(struct picl_defs *defs, const struct picl_scope *scope,
				 int32_t number, const char *control, size_t n);
enum picl_define picl_defs_subset(struct picl_defs *defs, int32_t rectype, int32_t id,
				  const int32_t *members, size_t n);

/* The label of an event type in a scope, which must be exact; NULL without. */
const char *picl_defs_label_of(const struct picl_defs *defs, const struct picl_scope *scope);
/* The descriptor that an integer represents in a scope: an alias, else a predefined one. NULL if it
 * is not defined, or not understood (then *known is true). */
const struct descriptor *picl_defs_descriptor(const struct picl_defs *defs,
					      const struct picl_scope *scope, int64_t number,
					      bool *known);
const struct picl_subset *picl_defs_subset_of(const struct picl_defs *defs, int32_t rectype,
					      int32_t id);
