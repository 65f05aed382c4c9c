/* bindings: what each key does: as the tables of actions and views say, but for what the user has
 * bound. A key is bound to a command, as it is typed after ':': the name of an action or a view, or
 * a command with its argument. Help, hints, tabs and :map take the keys from here.
 *
 *	struct bindings *keys = bindings_new(&all_views);
 *	if (!bindings_bind(keys, "F5 zoom-in", &err)) ...
 *	bindings_find(keys, "F5").action == ACTION_ZOOM_IN
 *	bindings_keys(keys, ACTION_ZOOM_IN)			"F5 w +"
 */
#pragma once

#include "base/err.h"
#include "ui/options/action.h"
#include "views/export/view_registry.h"

enum { KEY_BYTES = 16 };

struct bindings;

struct bindings *bindings_new(const struct view_registry *views);
void bindings_free(struct bindings *bindings);

/* Binds by a line "KEY COMMAND". A key is named as in the help, in any case; in quotes, too, as ';'
 * begins a comment in a file of settings. The command "none" takes its meaning from the key,
 * "default" gives back that of the table. What the key did before is no longer done by it. False
 * with err: no such key or command, or one without which the program cannot be used would have no
 * key left. */
bool bindings_bind(struct bindings *bindings, const char *line, struct err *err);

/* What a key does: one of these, or nothing. */
struct bound {
	enum action action;           /* ACTION_NONE */
	const struct view_info *view; /* NULL */
	const char *command;          /* a command with an argument, as it was typed; NULL */
};
struct bound bindings_find(const struct bindings *bindings, const char *key);

/* The keys of an action or a view on the screen, separated by blanks, the user's first; "" for
 * none. Without bindings those of the table. */
const char *bindings_keys(const struct bindings *bindings, enum action action);
const char *bindings_view_keys(const struct bindings *bindings, const struct view_info *view);
/* Appends the first one of them. */
void bindings_add_key(const struct bindings *bindings, enum action action, struct str *out);

/* The first one of them for a sentence; where there is none, the command as it is typed. */
struct key_text {
	char text[KEY_BYTES + 16];
};
struct key_text bindings_key(const struct bindings *bindings, enum action action);

/* The user's own ones, in the order of keys; false beyond the last. `command` is "none" for a key
 * that has lost its meaning. */
bool bindings_own(const struct bindings *bindings, size_t i, const char **key,
		  const char **command);

/* The name of a key as the program has it, from n bytes typed by a person: "Ctrl-r" of "ctrl-R",
 * "Tab" of "Ctrl-i", which terminals cannot tell apart. False with err. */
bool key_name(char name[KEY_BYTES], const char *typed, size_t n, struct err *err);
