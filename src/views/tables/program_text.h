/* program_text: what tvcc left in an executable, a library or an object file (model/site_tables.h), for people and for programs:
 * `tview graph APP`.
 *
 * As text the program graph, indented (procedure > loop > call, communication statement), then the six static tables of paper 1
 * (Li and Zhang, section 5.2): PL, PCom, PC, L, LCom, LC, and what is not instrumented, with the reasons. As CSV and JSON a row for
 * each statement, with the table that it is a row of. All text is clean. O(statements). */
#ifndef TVIEW_VIEWS_TABLES_PROGRAM_TEXT_H
#define TVIEW_VIEWS_TABLES_PROGRAM_TEXT_H

#include <stdio.h>

#include "model/formats/site_tables.h"
#include "views/export/export.h"
#include "views/query/table.h"

/* "PL", "PCom", "PC", "L", "LCom", "LC"; "P" of a procedure, which is a key of these; "" outside of all. */
const char *program_table_name(const struct site_tables *tables, uint32_t site);
/* A row for each statement. Borrows the tables. */
struct table *program_table_new(const struct site_tables *tables);
void program_text(const struct site_tables *tables, const char *path, struct str *out);
/* One of these. False with err: a format that it cannot be written in, or the stream failed. */
bool program_write(const struct site_tables *tables, const char *path, enum export_format format,
		   FILE *out, struct err *err);

#endif
