/* database: all that exports say of a trace, as one SQLite file for pandas, DuckDB, datasette.
 *
 * A table of an export is a view of the database with the export's name ('-' becomes '_') and the
 * columns of its CSV. Its data is a table NAME_rows, in which texts are numbers of rows of `texts`,
 * since names come again and again; NULL is a value that is unknown. The first times, ranks and
 * functions of a table have an index. A table that can be made by rank, too, comes a second time as
 * NAME_by_rank. Table `about` has what is in the file (program, trace, times, window), and what is
 * not, with the reason.
 *
 * Rows are written as they are made: memory grows with the number of different texts alone.
 *
 *	if (!database_write(&all_views, &query, "run.db", "run.trc", &err)) ...
 */
#pragma once

#include <stdbool.h>

#include "views/export/view_registry.h"

/* True if a name ends as databases do: .db, .sqlite, .sqlite3. */
bool database_is_named(const char *path);

/* Writes all tables of the query; corrections are part of it as far as they were made. `path` is a
 * file, which appears whole or not at all; `input` the one that must not be written (NULL: none).
 * False with err where it cannot be written. By one process alone. */
bool database_write(const struct view_registry *views, const struct query *query, const char *path,
		    const char *input, struct err *err);
