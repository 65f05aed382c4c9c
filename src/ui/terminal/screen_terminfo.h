/* screen_terminfo: what terminfo says of the terminal. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

/* False with err unless stdout is a terminal that can place its cursor. Asked first, because
 * curses' own answer is a line on the terminal. */
bool screen_check_terminal(const char *term, struct err *err);
/* Appends a capability without its padding (`$<5>`), which only tputs() can obey. */
void screen_add_capability(struct str *out, const char *name);
/* Can the terminal delete and insert characters? Not where it must be given time for it. */
bool screen_knows_moves(void);
