/* column_choice: which columns of which table were chosen, in which order; the state file of a
 * trace keeps them. A table is known by the names of all columns that it can have. */
#pragma once

#include "base/vec.h"
#include "views/query/table.h"

struct column_choice {
	uint64_t table; /* column_choice_key() */
	char *names;    /* export names between blanks; owned */
};

struct column_choices {
	VEC(struct column_choice) list;
};

uint64_t column_choice_key(const struct table *table);

/* Keeps it; no columns: forgets it. */
void column_choices_keep(struct column_choices *choices, const struct table *table,
			 const unsigned *chosen, unsigned n);
/* From the state file; false: not a name. */
bool column_choices_restore(struct column_choices *choices, uint64_t key, const char *names);
/* NULL: none was made. */
const char *column_choices_find(const struct column_choices *choices, const struct table *table);
void column_choices_fini(struct column_choices *choices);
