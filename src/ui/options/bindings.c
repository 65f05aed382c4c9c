#include "ui/options/bindings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/text.h"
#include "base/vec.h"
#include "ui/options/command.h"

struct binding {
	char key[KEY_BYTES];
	char *command; /* owned; "none": the key does nothing */
};

/* The keys of actions and views, made when they are asked for after a change: a file binds many. */
struct key_lists {
	bool made;
	struct str keys[ACTION_COUNT], view_keys[VIEWS_MOST];
};

struct bindings {
	const struct view_registry *views;
	VEC(struct binding) own; /* by key */
	struct key_lists *lists;
};

/* ---- looking up ---- */

/* The place of a key among the user's own, or where it would be. */
static size_t place_of(const struct bindings *b, const char *key)
{
	size_t low = 0, high = b->own.n;

	BISECT(low, high, i, strcmp(b->own.data[i].key, key) < 0);
	return low;
}

static const struct binding *own_of(const struct bindings *b, const char *key)
{
	const size_t i = place_of(b, key);

	return i < b->own.n && strcmp(b->own.data[i].key, key) == 0 ? &b->own.data[i] : NULL;
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

static void list_own(const struct bindings *b, struct key_lists *l)
{
	for (size_t i = 0; i < b->own.n; i++) {
		const char *key = b->own.data[i].key;
		const struct bound bound = bindings_find(b, key);
		struct str *of = bound.view ? &l->view_keys[bound.view - b->views->views]
					    : &l->keys[bound.action];
		if (bound.view || bound.action != ACTION_NONE)
			str_add_fmt(of, "%s%s", of->n ? " " : "", key);
	}
}

static const struct key_lists *lists(const struct bindings *b)
{
	struct key_lists *l = b->lists;

	if (l->made)
		return l;
	for (unsigned a = 1; a < ACTION_COUNT; a++)
		str_clear(&l->keys[a]);
	for (unsigned v = 0; v < b->views->n; v++)
		str_clear(&l->view_keys[v]);
	list_own(b, l);
	for (unsigned a = 1; a < ACTION_COUNT; a++)
		add_defaults(b, action_info((enum action)a)->keys, &l->keys[a]);
	for (unsigned v = 0; v < b->views->n; v++) {
		const char *key = b->views->views[v].key;
		const enum action opens = key ? action_of_key(key) : ACTION_NONE;
		if (opens != ACTION_NONE)
			str_add(&l->view_keys[v], l->keys[opens].text);
		else if (key)
			add_defaults(b, key, &l->view_keys[v]);
	}
	l->made = true;
	return l;
}

struct bindings *bindings_new(const struct view_registry *views)
{
	struct bindings *b = xcalloc(1, sizeof *b);

	b->views = views;
	b->lists = xcalloc(1, sizeof *b->lists);
	for (unsigned i = 0; i < ACTION_COUNT; i++)
		str_init(&b->lists->keys[i]);
	for (unsigned i = 0; i < VIEWS_MOST; i++)
		str_init(&b->lists->view_keys[i]);
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
		str_fini(&b->lists->keys[i]);
	for (unsigned i = 0; i < VIEWS_MOST; i++)
		str_fini(&b->lists->view_keys[i]);
	free_all(b->lists, b);
}

const char *bindings_keys(const struct bindings *b, enum action action)
{
	return b ? lists(b)->keys[action].text : action_info(action)->keys;
}

const char *bindings_view_keys(const struct bindings *b, const struct view_info *view)
{
	const char *key = view->key ? view->key : "";

	return b ? lists(b)->view_keys[view - b->views->views].text : key;
}

void bindings_add_key(const struct bindings *b, enum action action, struct str *out)
{
	const char *keys = bindings_keys(b, action);

	str_add_n(out, keys, strcspn(keys, " "));
}

struct key_text bindings_key(const struct bindings *b, enum action action)
{
	const char *keys = bindings_keys(b, action);
	struct key_text key;

	if (*keys)
		snprintf(key.text, sizeof key.text, "%.*s", (int)strcspn(keys, " "), keys);
	else
		snprintf(key.text, sizeof key.text, ":%s", action_info(action)->command);
	return key;
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
	const size_t i = place_of(b, key);

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
	b->lists->made = false;
}

/* Without these nothing could be mended. */
static bool is_needed(enum action action)
{
	return action == ACTION_COMMAND || action == ACTION_CANCEL || action == ACTION_QUIT_ALL;
}

bool bindings_bind(struct bindings *b, const char *line, struct err *err)
{
	const struct binding *old;
	OWNED_STR was = STR_INIT;
	OWNED_STR text = STR_INIT;
	const char *command;
	char key[KEY_BYTES];
	enum action was_action;
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
	was_action = bindings_find(b, key).action;
	put(b, key, strcmp(text.text, "default") == 0 ? NULL : text.text);
	if (!is_needed(was_action) || *bindings_keys(b, was_action))
		return true;
	put(b, key, had ? was.text : NULL);
	return err_set(
		err, STATUS_USAGE,
		"%s is the only key of %s (%s), which needs one: bind another key to it first", key,
		action_info(was_action)->command, action_info(was_action)->help);
}
