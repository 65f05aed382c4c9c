/* export_json: a table as one JSON object, as doc/export.schema.json describes it: what it is
 * about, its columns, its rows, one a line, and what was left out. */
#pragma once

#include <stdio.h>

#include "views/export/export.h"

bool export_json(struct table *table, const struct export_options *options,
		 const struct export_columns *columns, FILE *out, struct err *err);
