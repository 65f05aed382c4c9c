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
/* Names between blanks or commas in their order; with + or - before the first one, columns are
 * added to those `shown` [n] or taken from them. "": the table's own choice, *n_chosen 0. Fills in
 * `chosen`; false with err: an unknown name, or none is left. */
bool column_choice_parse(const struct table *table, const unsigned *shown, unsigned n,
			 const char *text, unsigned chosen[TABLE_COLUMNS], unsigned *n_chosen,
			 struct err *err);
/* The i-th column that can be chosen, NULL after the last one. */
const struct column *column_choice_nth(const struct table *table, unsigned i);

/* Keeps it; no columns: forgets it. */
void column_choices_keep(struct column_choices *choices, const struct table *table,
			 const unsigned *chosen, unsigned n);
/* From the state file; false: not a name. */
bool column_choices_restore(struct column_choices *choices, uint64_t key, const char *names);
/* NULL: none was made. */
const char *column_choices_find(const struct column_choices *choices, const struct table *table);
void column_choices_fini(struct column_choices *choices);
