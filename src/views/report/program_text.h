/* program_text: prints the tables that tvcc left in an executable, a library or an object file
 * (model/formats/site_tables.h): `tview graph APP`.
 *
 * As text the program graph, indented (procedure > loop > call, communication statement), then the
 * six static tables of Li and Zhang: PL, PCom, PC, L, LCom, LC, and the statements that are not
 * instrumented, with the reasons. As CSV, JSON and Markdown the table of
 * views/tables/view_program.h. All text is clean. O(statements). */
#pragma once

#include "model/formats/site_tables.h"
#include "views/export/export.h"

/* False with err: a program without tables (STATUS_NO), a format that cannot hold them, or the
 * stream failed. */
bool program_write(const struct site_tables *tables, const char *path, enum export_format format,
		   FILE *out, struct err *err);
