/* visit_names: what the visits of a rank are called that runs, as its trace calls them, from the
 * definitions that are met in its records. */
#pragma once

#include "capture/run/rankfile.h"
#include "capture/run/symbols.h"

struct visit_names;

/* What a visit is of: the same for all of its visits in the rank. */
struct visit_place {
	uint32_t kind;   /* of the record that begins it */
	uint32_t thread; /* of a region that the program named; else 0 */
	uint64_t what;   /* address, site, string, or call */
};

struct visit_place visit_place_of(const struct tv_head *enter, uint32_t thread);

/* Borrows the symbols. */
struct visit_names *visit_names_new(struct symbols *symbols);
void visit_names_free(struct visit_names *names);
/* Takes a definition of a thread; it is copied. */
void visit_names_define(struct visit_names *names, uint32_t thread, const struct tv_head *head);
/* Appends the name; a place in a program where that has none. */
void visit_names_add(struct visit_names *names, const struct tv_file *file,
		     struct visit_place place, struct str *out);
