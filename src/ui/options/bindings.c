#include "ui/options/bindings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"
#include "ui/options/command.h"

struct binding {
	char key[KEY_BYTES];
	char *command; /* owned; "none": the key does nothing */
};

struct bindings {
	const struct view_registry *views;
	VEC(struct binding) own; /* by key */
	struct str keys[ACTION_COUNT], view_keys[VIEWS_MOST];
};

/* ---- looking up ---- */

static const struct binding *own_of(const struct bindings *b, const char *key)
{
	for (size_t i = 0; i < b->own.n; i++)
		if (strcmp(b->own.data[i].key, key) == 0)
			return &b->own.data[i];
	return NULL;
}

struct bound bindings_find(const struct bindings *b, const char *key)
{
	const struct binding *own = own_of(b, key);
	struct bound bound = { ACTION_NONE, NULL, NULL };

	if (own && strcmp(own->command, "none") == 0)
		return bound;
	bound.action = own ? action_of_command(own->command) : action_of_key(key);
	if (bound.action == ACTION_NONE)
		bound.view =
			own ? view_of_command(b->views, own->command) : view_of_key(b->views, key);
	if (own && bound.action == ACTION_NONE && !bound.view)
		bound.command = own->command;
	return bound;
}

/* ---- the keys of actions and views ---- */

/* Adds those keys of a table that the user has not bound. */
static void add_defaults(const struct bindings *b, const char *keys, struct str *out)
{
	while (*keys) {
		const size_t n = strcspn(keys, " ");
		char key[KEY_BYTES];

		snprintf(key, sizeof key, "%.*s", (int)n, keys);
		if (!own_of(b, key))
			str_add_fmt(out, "%s%s", out->n ? " " : "", key);
		keys += n;
		keys += strspn(keys, " ");
	}
}

static void list_keys(struct bindings *b)
{
	for (unsigned a = 1; a < ACTION_COUNT; a++)
		str_clear(&b->keys[a]);
	for (unsigned v = 0; v < b->views->n; v++)
		str_clear(&b->view_keys[v]);
	for (size_t i = 0; i < b->own.n; i++) {
		const char *key = b->own.data[i].key;
		const struct bound bound = bindings_find(b, key);
		struct str *of = bound.view ? &b->view_keys[bound.view - b->views->views]
					    : &b->keys[bound.action];
		if (bound.view || bound.action != ACTION_NONE)
			str_add_fmt(of, "%s%s", of->n ? " " : "", key);
	}
	for (unsigned a = 1; a < ACTION_COUNT; a++)
		add_defaults(b, action_info((enum action)a)->keys, &b->keys[a]);
	for (unsigned v = 0; v < b->views->n; v++) {
		const char *key = b->views->views[v].key;
		const enum action opens = key ? action_of_key(key) : ACTION_NONE;
		if (opens != ACTION_NONE)
			str_add(&b->view_keys[v], b->keys[opens].text);
		else if (key)
			add_defaults(b, key, &b->view_keys[v]);
	}
}

struct bindings *bindings_new(const struct view_registry *views)
{
	struct bindings *b = xcalloc(1, sizeof *b);

	b->views = views;
	for (unsigned i = 0; i < ACTION_COUNT; i++)
		str_init(&b->keys[i]);
	for (unsigned i = 0; i < VIEWS_MOST; i++)
		str_init(&b->view_keys[i]);
	list_keys(b);
	return b;
}

void bindings_free(struct bindings *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->own.n; i++)
		free(b->own.data[i].command);
	vec_fini(&b->own);
	for (unsigned i = 0; i < ACTION_COUNT; i++)
		str_fini(&b->keys[i]);
	for (unsigned i = 0; i < VIEWS_MOST; i++)
		str_fini(&b->view_keys[i]);
	free(b);
}

const char *bindings_keys(const struct bindings *b, enum action action)
{
	return b ? b->keys[action].text : action_info(action)->keys;
}

const char *bindings_view_keys(const struct bindings *b, const struct view_info *view)
{
	const char *key = view->key ? view->key : "";

	return b ? b->view_keys[view - b->views->views].text : key;
}

void bindings_add_key(const struct bindings *b, enum action action, struct str *out)
{
	const char *keys = bindings_keys(b, action);

	str_add_n(out, keys, strcspn(keys, " "));
}

bool bindings_own(const struct bindings *b, size_t i, const char **key, const char **command)
{
	if (i >= b->own.n)
		return false;
	*key = b->own.data[i].key;
	*command = b->own.data[i].command;
	return true;
}

/* ---- binding ---- */

/* Splits "KEY COMMAND"; a key in quotes may be any. */
static bool split(const char *line, char key[KEY_BYTES], const char **command, struct err *err)
{
	const char *end;
	size_t n;

	line += strspn(line, " \t");
	if ((*line == '"' || *line == '\'') && (end = strchr(line + 1, *line)) && end > line + 1) {
		n = (size_t)(end - line - 1);
		line++;
		end++;
	} else {
		n = strcspn(line, " \t");
		end = line + n;
	}
	if (!key_name(key, line, n, err))
		return false;
	*command = end + strspn(end, " \t");
	return **command || err_set(err, STATUS_USAGE,
				    "bind needs a key and a command, such as %s zoom-in", key);
}

static bool exists(const struct bindings *b, const char *command, struct err *err)
{
	const char *names[COMMAND_NAMES_MOST], *near;
	const size_t n = strcspn(command, " ");
	const enum command with = command_find(command, n);

	if (strcmp(command, "none") == 0 || strcmp(command, "default") == 0 ||
	    action_of_command(command) != ACTION_NONE || view_of_command(b->views, command))
		return true;
	if (with != COMMAND_COUNT && (command[n] || command_info(with)->alone))
		return true;
	if (with != COMMAND_COUNT)
		return err_set(err, STATUS_USAGE, "%s needs %s", command, command_info(with)->what);
	command_names(b->views, names);
	near = nearest_word(command, names);
	return err_set(err, STATUS_USAGE,
		       near ? "there is no command '%s'; did you mean '%s'?"
			    : "there is no command '%s' (press ? for all)",
		       command, near);
}

/* Sets or, with NULL, removes the user's command of a key. */
static void put(struct bindings *b, const char *key, const char *command)
{
	size_t i = 0;

	while (i < b->own.n && strcmp(b->own.data[i].key, key) < 0)
		i++;
	if (i < b->own.n && strcmp(b->own.data[i].key, key) == 0) {
		free(b->own.data[i].command);
		b->own.n--;
		memmove(&b->own.data[i], &b->own.data[i + 1], (b->own.n - i) * sizeof *b->own.data);
	}
	if (command) {
		(void)vec_add(&b->own);
		memmove(&b->own.data[i + 1], &b->own.data[i],
			(b->own.n - 1 - i) * sizeof *b->own.data);
		snprintf(b->own.data[i].key, KEY_BYTES, "%s", key);
		b->own.data[i].command = xstrdup(command);
	}
	list_keys(b);
}

/* An action without which nothing could be mended, and that has no key; ACTION_NONE. */
static enum action lost(const struct bindings *b)
{
	static const enum action needed[] = { ACTION_COMMAND, ACTION_CANCEL, ACTION_QUIT_ALL };

	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
		if (!b->keys[needed[i]].n)
			return needed[i];
	return ACTION_NONE;
}

bool bindings_bind(struct bindings *b, const char *line, struct err *err)
{
	const struct binding *old;
	OWNED_STR was = STR_INIT;
	OWNED_STR text = STR_INIT;
	const char *command;
	char key[KEY_BYTES];
	enum action gone;
	bool had;

	if (!split(line, key, &command, err))
		return false;
	str_add_clean_text(&text, command + (*command == ':'));
	while (text.n && text.text[text.n - 1] == ' ')
		text.text[--text.n] = '\0';
	if (!exists(b, text.text, err))
		return false;
	old = own_of(b, key);
	had = old != NULL;
	str_add(&was, had ? old->command : "");
	put(b, key, strcmp(text.text, "default") == 0 ? NULL : text.text);
	gone = lost(b);
	if (gone == ACTION_NONE)
		return true;
	put(b, key, had ? was.text : NULL);
	return err_set(
		err, STATUS_USAGE,
		"%s is the only key of %s (%s), which needs one: bind another key to it first", key,
		action_info(gone)->command, action_info(gone)->help);
}
