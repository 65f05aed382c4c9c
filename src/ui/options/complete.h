/* complete: scripts that complete tview's command line, for shells; appended. */
#pragma once

#include "base/str.h"
#include "views/export/view_registry.h"

void complete_bash(const struct view_registry *views, struct str *out);
void complete_zsh(const struct view_registry *views, struct str *out);
void complete_fish(const struct view_registry *views, struct str *out);
