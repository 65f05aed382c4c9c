/* export_text: tables as aligned text and as Markdown, the overview as text. */
#pragma once

#include <stdio.h>

#include "views/export/export.h"

/* Columns are as wide as the widest of the first rows (LOOK_AHEAD of them); a later cell that is
 * wider shifts its line. Lines are cut at the options' width. */
bool export_text(struct table *table, const struct export_options *options,
		 const struct export_columns *columns, FILE *out, struct err *err);
bool export_markdown(struct table *table, struct exchange *x, const struct export_columns *columns,
		     FILE *out, struct err *err);
/* Iterations: sentences on those that differ, then the rows. */
bool iterations_text(const struct query *query, const struct export_options *options,
		     struct str *out, struct err *err);
bool overview_text(const struct query *query, const struct export_options *options, struct str *out,
		   struct err *err);
