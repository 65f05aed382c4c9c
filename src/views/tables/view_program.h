/* view_program: the statements that tvcc found in a program as a table, a row each, with the static
 * table of Li and Zhang that it is a row of. */
#pragma once

#include "model/formats/site_tables.h"
#include "views/query/table.h"

/* "PL", "PCom", "PC", "L", "LCom", "LC"; "P": a procedure, which is a key of these; "": in none. */
const char *program_table_name(const struct site_tables *tables, uint32_t site);
/* Borrows the tables. */
struct table *program_table_new(const struct site_tables *tables);
