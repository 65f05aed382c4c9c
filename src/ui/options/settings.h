/* settings: the file of settings, and :set. A setting is an option of the command line that is a
 * matter of taste (theme, view, ...), by its name; the table of options says which are (option.h).
 *
 *	# ~/.config/tview/config
 *	theme = light
 *	no-mouse = yes
 *	bind = F5 zoom-in
 *
 * The command line comes before the file. Only the screen reads the file: what is exported is the
 * same for everybody. */
#pragma once

#include "base/vec.h"
#include "ui/options/bindings.h"
#include "ui/options/option.h"

struct settings;

/* Both are borrowed, and changed; values live as long as the settings. */
struct settings *settings_new(struct options *options, struct bindings *bindings);
void settings_free(struct settings *settings);
struct options *settings_options(const struct settings *settings);

/* Sets one by "NAME VALUE" or "NAME = VALUE"; a flag without a value is yes. Returns its row, NULL
 * with err: no such setting, wrong value. */
const struct option_info *settings_set(struct settings *settings, const char *line,
				       struct err *err);
/* True if the file or :set has set it. */
bool settings_has(const struct settings *settings, const struct option_info *option);
/* The rows of the table, one after the other, from `after` (NULL: the first one); NULL: no more. */
const struct option_info *settings_next(const struct option_info *after);
/* Appends the value as it would be typed; nothing where there is none. */
void settings_add_value(const struct settings *settings, const struct option_info *option,
			struct str *out);

/* Reads the user's file, if there is one. As settings_read(). */
bool settings_read_user(struct settings *settings, struct str *wrong);
/* Appends the name of the user's file: $TVIEWRC, else tview/config below $XDG_CONFIG_HOME or
 * ~/.config; nothing where it is "" or there is no home. True if it must exist. */
bool settings_path(struct str *out);
/* Reads a file: lines "NAME = VALUE", and "bind = KEY COMMAND". Options that were given on the
 * command line stay. For each line that is wrong, a sentence with file and line is appended to
 * `wrong`, a line each; the others count. False if there are such, or the file cannot be read. */
bool settings_read(struct settings *settings, const char *path, struct str *wrong);
/* The same from a text, by this name. */
bool settings_parse(struct settings *settings, const char *name, const char *text, size_t n,
		    struct str *wrong);
