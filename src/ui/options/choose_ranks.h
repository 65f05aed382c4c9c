/* choose_ranks: lists of ranks, and the place of the cursor, for choose.c. */
#pragma once

#include "ui/options/choose.h"

/* The ranges of a list such as "0-3,8,host"; for choice_part_fini(). False with err. */
bool choose_list(const char *list, struct load_part *part, struct err *err);
/* Sets the locations; NULL: all. */
bool choose_ranks(struct choice *choice, const char *list, struct err *err);
/* Sets what --at and --rank say. */
bool choose_cursor(struct choice *choice, const struct options *options, struct err *err);
