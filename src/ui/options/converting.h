/* converting: writes the chosen part of a trace to a file, as the verb convert does. */
#pragma once

#include "model/formats/save.h"
#include "ui/options/opened.h"

/* Whether the options ask for an SQLite file (views/export/database.h): what exports say of the
 * trace, for which every correction is made. */
bool converting_to_database(const struct options *options);
/* The format of a trace that the options ask for, or the name of the output, args[1]. */
enum save_format converting_format(const struct options *options);
/* Writes the trace, which was read from args[0]. Of processes that share it all call this. */
bool converting_write(const struct opened *opened, const struct options *options, struct err *err);
/* What the output does not have, as one line; false (and nothing) where it has all. */
bool converting_left_out(const struct opened *opened, const struct options *options,
			 struct str *out);
