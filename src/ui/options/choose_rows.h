/* choose_rows: which rows a picture has, and in which order, for choose.c: groups, those that are
 * open or pinned, counters, hidden ranks. */
#pragma once

#include "ui/options/choose.h"

/* After choose_ranks(), of whose locations some are hidden. False with err. */
bool choose_rows(struct choice *choice, const struct options *options, struct err *err);
/* --colour and --hide-colour. After the base. */
bool choose_colours(struct choice *choice, const struct options *options, struct err *err);

/* Lists: of groups, by their first ranks, to be opened; of ranks, or with + of groups, to be
 * pinned. A range such as 0-3 has single rows. False with err. */
bool choose_opened(struct arrangement *arrangement, const struct trace *trace, const char *list,
		   struct err *err);
bool choose_pins(struct arrangement *arrangement, const struct trace *trace, const char *list,
		 struct err *err);
/* The colour of a name as in the legend. False with err. */
bool choose_state(const struct query *query, const char *name, unsigned *state, struct err *err);

/* Append the lists that these take, and that of --hide-colour. */
void choose_add_opened(const struct trace *trace, const struct arrangement *arrangement,
		       struct str *out);
void choose_add_pins(const struct trace *trace, const struct arrangement *arrangement,
		     struct str *out);
void choose_add_hidden_colours(const struct query *query, struct str *out);
/* A name to such a list, as --counter takes it: a comma in it is written \, there. */
void choose_add_name(const char *name, struct str *out);
