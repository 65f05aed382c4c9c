/* Completion of commands. */
#define _GNU_SOURCE /* strcasestr */
#include <string.h>

#include "ui/app/application.h"

static const char *word_base(const struct app *app, unsigned i)
{
	(void)app;
	return i < BASE_COUNT ? time_base_name((enum time_base)i) : NULL;
}

static const char *word_counter(const struct app *app, unsigned i)
{
	if (i < app->session.counter_names.list.n)
		return app->session.counter_names.list.data[i];
	return i == app->session.counter_names.list.n ? "none" : NULL;
}

static const char *word_region(const struct app *app, unsigned i)
{
	const struct trace *trace = app->session.trace;
	return i < trace_region_count(trace) ? trace_region_name(trace, i) : NULL;
}

static const char *word_group(const struct app *app, unsigned i)
{
	(void)app;
	return i < GROUP_KEYS ? group_key_name((enum group_key)i) : NULL;
}

/* "" for views that can only be exported. */
static const char *word_view(const struct app *app, unsigned i)
{
	if (i >= app->options->views->n)
		return NULL;
	return app_view_info(app, i)->panel ? app_view_info(app, i)->name : "";
}

static const char *word_theme(const struct app *app, unsigned i)
{
	(void)app;
	return theme_names()[i];
}

static const char *word_setting(const struct app *app, unsigned i)
{
	const struct option_info *o = settings_next(NULL);
	(void)app;
	while (o && i--)
		o = settings_next(o);
	return o ? o->name : NULL;
}

/* Candidates for the argument; NULL: free text. */
static const char *(*const arguments[COMMAND_COUNT])(const struct app *app, unsigned i) = {
	[COMMAND_BASE] = word_base,        [COMMAND_COLUMNS] = app_columns_word,
	[COMMAND_COUNTER] = word_counter,  [COMMAND_GROUP] = word_group,
	[COMMAND_ITERATION] = word_region, [COMMAND_OPEN] = app_path_word,
	[COMMAND_PRINT] = word_view,       [COMMAND_SET] = word_setting,
	[COMMAND_THEME] = word_theme,      [COMMAND_VIEW] = word_view,
};

/* Names of counters are long: any part of one will do. */
static void offer_part(const char *candidate, const char *part, const char **found, unsigned max,
		       unsigned *n)
{
	if (!strcasestr(candidate, part))
		return;
	if (*n < max)
		found[*n] = candidate;
	(*n)++;
}

static void offer(const char *candidate, const char *head, const char **found, unsigned max,
		  unsigned *n)
{
	if (strncmp(candidate, head, strlen(head)) != 0)
		return;
	if (*n < max)
		found[*n] = candidate;
	(*n)++;
}

unsigned app_complete(const struct app *app, const char *line, const char **found, unsigned max)
{
	unsigned n = 0;
	const size_t word = strcspn(line, " ");
	if (!line[word]) {
		const char *names[COMMAND_NAMES_MOST];
		const unsigned all = command_names(app->options->views, names);
		for (unsigned i = 0; i < all; i++)
			offer(names[i], line, found, max, &n);
		return n;
	}
	const enum command command = command_find(line, word);
	const char *candidate;
	for (unsigned k = 0; command != COMMAND_COUNT && arguments[command] &&
			     (candidate = arguments[command](app, k));
	     k++)
		if (command == COMMAND_COUNTER)
			offer_part(candidate, line + word + 1, found, max, &n);
		else if (*candidate)
			offer(candidate, line + word + 1, found, max, &n);
	return n;
}
