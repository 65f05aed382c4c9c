/* The prompt. Search moves while the user types; a filter counts its matches meanwhile. */
#include <stdio.h>
#include <string.h>

#include "ui/app/application.h"

static const char *const labels[PROMPT_KINDS] = {
	[PROMPT_SEARCH] = "/",
	[PROMPT_FILTER] = "filter: ",
	[PROMPT_SEQUENCE] = "sequence: ",
	[PROMPT_COMMAND] = ":",
	[PROMPT_EXPORT] = "write to (.txt .csv .json .md .svg): ",
};

/* Keeps the first line of an error: the rest points into text that the prompt shows anyway. */
static void keep_error(struct app *app, const struct err *err)
{
	const size_t n = strcspn(err->text, "\n");
	str_clean(app->line.error, sizeof app->line.error, err->text, n);
}

static void filter_changed(struct app *app)
{
	struct err err = ERR_INIT;
	filter_count_free(app->line.filter_count);
	app->line.filter_count = filter_count_new(app->session.trace, app->session.base,
						  app->line.prompt.text, &err);
	if (!app->line.filter_count)
		keep_error(app, &err);
}

static void sequence_changed(struct app *app)
{
	const char *text = app->line.prompt.text;
	struct sequence *sequence = NULL;
	struct err err = ERR_INIT;
	if (text[strspn(text, " ")])
		sequence = sequence_compile(text, app->session.trace, &err);
	if (err_is_set(&err))
		keep_error(app, &err);
	sequence_free(sequence);
}

static void search_changed(struct app *app)
{
	struct panel *panel = app_front(app);
	struct err err = ERR_INIT;
	app_busy_begin(app);
	if (!panel->ops->search(panel, app->line.prompt.text, 0, &err))
		keep_error(app, &err);
	app_busy_end(app);
}

/* Handles a changed line: once for all keys that came together. */
static void changed(struct app *app)
{
	app->line.changed = false;
	app->line.error[0] = '\0';
	if (app->line.kind == PROMPT_FILTER)
		filter_changed(app);
	else if (app->line.kind == PROMPT_SEQUENCE)
		sequence_changed(app);
	else if (app->line.kind == PROMPT_SEARCH)
		search_changed(app);
}

void app_prompt_begin(struct app *app, enum prompt_kind kind, const char *text)
{
	struct panel *panel = app_front(app);
	app->line.on = true;
	app->line.kind = kind;
	if (!app->line.paths)
		app->line.paths = app_paths_new();
	prompt_begin(&app->line.prompt, labels[kind], &app->line.histories[kind], text);
	if (kind == PROMPT_SEARCH) { /* the search begins at the current item */
		app->search_from = app_place(app);
		panel->ops->search(panel, "", 1, NULL);
	}
	changed(app);
}

void app_prompt_close(struct app *app)
{
	filter_count_free(app->line.filter_count);
	app->line.filter_count = NULL;
	app->line.error[0] = '\0';
	app->line.on = false;
	app->dirty = true;
}

bool app_prompt_work(struct app *app)
{
	if (app->line.on && app->line.changed) {
		changed(app);
		app->dirty = true;
	}
	if (!app->line.filter_count)
		return false;
	const bool more = filter_count_work(app->line.filter_count);
	app->dirty = true;
	/* Once counted, the result stays until the text changes. */
	return more;
}

void app_search(struct app *app, const char *pattern, int direction)
{
	struct panel *panel = app_front(app);
	struct err err = ERR_INIT;
	app->dirty = true;
	app->session.sequence.leads = false;
	if (!panel->ops->search) {
		session_notice(&app->session, true, "there is nothing to search in this view");
		return;
	}
	app_busy_begin(app);
	if (!panel->ops->search(panel, pattern, direction, &err))
		session_notice(&app->session, true, "%s", err.text);
	app_busy_end(app);
}

static void cancel(struct app *app)
{
	struct panel *panel = app_front(app);
	if (app->line.kind == PROMPT_SEARCH)
		panel->ops->search(panel, "", 0, NULL);
	app_prompt_close(app);
}

static void accept_search(struct app *app)
{
	/* An empty line repeats the last search. */
	if (app->line.prompt.n)
		memcpy(app->line.last_search, app->line.prompt.text, app->line.prompt.n + 1);
	else if (app->line.last_search[0])
		app_search(app, app->line.last_search, 1);
	app->session.sequence.leads = false;
	app_jumped(app, &app->search_from);
	if (app->line.error[0])
		session_notice(&app->session, true, "%s", app->line.error);
	app_prompt_close(app);
}

/* What the line asks for. False with err. */
static bool done(struct app *app, const char *line, struct err *err)
{
	switch (app->line.kind) {
	case PROMPT_FILTER: return session_set_filter(&app->session, line, err);
	case PROMPT_SEQUENCE: return app_look_for(app, line, err);
	default: return app_export(app, line, err);
	}
}

/* A wrong filter or command stays on the prompt with its error, to be corrected. */
static void accept(struct app *app)
{
	struct err err = ERR_INIT;
	char line[PROMPT_BYTES];
	memcpy(line, app->line.prompt.text, app->line.prompt.n + 1);
	if (app->line.changed && app->line.kind == PROMPT_SEARCH)
		changed(app);
	history_add(&app->line.histories[app->line.kind], line);
	if (app->line.kind == PROMPT_SEARCH) {
		accept_search(app);
		return;
	}
	if (app->line.kind != PROMPT_COMMAND) {
		if (done(app, line, &err))
			app_prompt_close(app);
		else
			keep_error(app, &err);
		return;
	}
	app_prompt_close(app); /* first, as a command may open a prompt itself */
	if (!app_command(app, line, &err)) {
		app_prompt_begin(app, PROMPT_COMMAND, line);
		keep_error(app, &err);
	}
}

/* Number of leading bytes that all candidates share. */
static size_t common_head(const char *const *found, unsigned n)
{
	size_t common = strlen(found[0]);
	for (unsigned i = 1; i < n; i++) {
		size_t same = 0;
		while (same < common && found[i][same] == found[0][same])
			same++;
		common = same;
	}
	return common;
}

/* Completes what all candidates have in common; a single one as a whole. If that adds nothing,
 * cycles through the candidates. */
static void complete(struct app *app)
{
	enum { MOST = 64 };
	const char *found[MOST];
	if (!app->line.completing)
		snprintf(app->line.complete_of, sizeof app->line.complete_of, "%s",
			 app->line.prompt.text);
	const char *typed = app->line.complete_of;
	unsigned n = app_complete(app, typed, found, MOST);
	if (n == 0)
		return;
	n = n < MOST ? n : MOST;
	/* Candidates replace the command, or everything after it. */
	const char *space = strchr(typed, ' ');
	const size_t head = space ? (size_t)(space + 1 - typed) : 0;
	const char *taken = found[0];
	size_t length = common_head(found, n);
	const bool begins = strncmp(found[0], typed + head, strlen(typed) - head) == 0;
	if (n > 1 && (head + length <= strlen(typed) || !begins)) {
		if (!app->line.completing)
			app->line.complete_next = 0;
		app->line.completing = true;
		taken = found[app->line.complete_next++ % n];
		length = strlen(taken);
	}
	char line[PROMPT_BYTES];
	snprintf(line, sizeof line, "%.*s%.*s%s", (int)head, typed, (int)length, taken,
		 n == 1 && length && taken[length - 1] != '/' ? " " : "");
	prompt_set(&app->line.prompt, line);
}

void app_prompt_key(struct app *app, const struct input *input)
{
	app->dirty = true;
	app->line.gap = false;
	if (strcmp(input->key, "Tab") != 0)
		app->line.completing = false;
	if (strcmp(input->key, "Enter") == 0) {
		accept(app);
	} else if (strcmp(input->key, "Escape") == 0 || strcmp(input->key, "Ctrl-c") == 0 ||
		   (strcmp(input->key, "Backspace") == 0 && app->line.prompt.n == 0)) {
		cancel(app);
	} else if (strcmp(input->key, "Tab") == 0) {
		if (app->line.kind == PROMPT_COMMAND)
			complete(app);
	} else if (strcmp(input->key, "Ctrl-z") == 0) {
		screen_suspend(app->screen);
	} else if (prompt_key(&app->line.prompt, input->key, input->ch)) {
		app->line.changed = true;
	}
}

void app_prompt_pasted(struct app *app, const struct input *input)
{
	struct prompt *prompt = &app->line.prompt;

	app->line.completing = false;
	if (!input->ch) {
		app->line.gap = true;
		return;
	}
	if (app->line.gap && prompt->cursor > 0 && prompt->text[prompt->cursor - 1] != ' ')
		prompt_key(prompt, "Space", ' ');
	app->line.gap = false;
	if (prompt_key(prompt, input->key, input->ch))
		app->line.changed = true;
}
