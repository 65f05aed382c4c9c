/* screen_terminfo: what terminfo says of the terminal. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "ui/terminal/writer.h"

/* False with err unless stdout is a terminal that can place its cursor. Asked first, because
 * curses' own answer is a line on the terminal. A type that terminfo does not have, here or in
 * lib/tview/terminfo, becomes one that it has (terminal_kin()). */
bool screen_check_terminal(const char **term, struct err *err);
/* Appends what gives the terminal back: plain colours, its cursor, its keys, its screen. */
void screen_add_leaving(struct str *out);
/* Can the terminal what frames are made of? Not where it must be given time for it. */
struct writer_terminal screen_describe(void);
