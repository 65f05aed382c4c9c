/* unit_note: the static table of a file that has no probes of tvcc's: one procedure by the file's
 * name that is not instrumented, and why. It tells in the program and its traces which parts are
 * not recorded. */
#pragma once

#include "base/str.h"

/* Appends it as text for the assembler, for the section that capture/lib/sites.h names. */
void unit_note(struct str *out, const char *source, const char *directory, const char *reason);
