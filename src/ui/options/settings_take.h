/* settings_take: a line of the file, for settings_file.c. */
#pragma once

#include "ui/options/settings.h"

/* False with err. */
bool settings_take(struct settings *settings, const char *name, const char *value, struct err *err);
