/* The tutor: its lines stand between view and status line, so that they cover nothing, while its
 * trace is in front. After each key it looks whether the step is done. */
#include <string.h>

#include "base/text.h"
#include "ui/app/application.h"

/* Rows of the text, and how much of a small screen they may take. */
enum { TEXT_MOST = 6, MARGIN = 1 };

bool app_teaches(const struct app *app)
{
	return app->teaches && app->has_session && app->screen;
}

void app_tutor_begin(struct app *app)
{
	app->teaches = load_is_tutor(app->path);
	app->tutor = TUTOR_BEGIN;
	if (app->teaches)
		app->session.source_text = tutor_source();
}

void app_tutor_look(struct app *app)
{
	const struct session *s = &app->session;
	const struct panel_ops *over = app->overlay ? app->overlay->ops : NULL;
	const struct tutor_seen seen = {
		.view = app_view_info(app, app->view)->name,
		.rank = trace_location(s->trace, s->cursor.location)->rank,
		.shown = (double)(s->window.t1 - s->window.t0) / (double)(s->run.t1 - s->run.t0),
		.explains = over == &explain_panel_ops,
		.helps = over == &help_panel_ops,
		.hops = s->chain.n && s->chain.at > 1,
		.filters = s->filter != NULL,
		.exports = app->line.on && app->line.kind == PROMPT_EXPORT,
	};

	if (app_teaches(app) && tutor_look(&app->tutor, &seen))
		app->dirty = true;
}

/* ---- actions ---- */

void app_act_tutor(struct app *app)
{
	struct err err = ERR_INIT;

	if (load_is_tutor(app->path))
		app_tutor_begin(app);
	else if (!app_open_beside(app, LOAD_TUTOR, &err))
		session_notice(&app->session, true, "%s", err.text);
}

void app_act_tutor_go(struct app *app, int by)
{
	if (app_teaches(app))
		tutor_go(&app->tutor, by);
	else
		session_notice(&app->session, false,
			       "no tutor is here; the command tutor begins it");
}

void app_act_tutor_end(struct app *app)
{
	if (!app_teaches(app))
		app_act_tutor_go(app, 0);
	else if (app_trace_count(app) > 1)
		app->quit = true;
	app->teaches = false;
}

/* ---- drawing ---- */

/* Bytes of a text with marked keys that fit into a row: whole words. */
static size_t row_of(const char *text, int width)
{
	size_t end = 0;

	for (size_t n = 0; text[n];) {
		OWNED_STR row = STR_INIT;
		n += strspn(text + n, " ");
		n += strcspn(text + n, " ");
		for (size_t i = 0; i < n; i++)
			if (text[i] != TUTOR_KEY && text[i] != TUTOR_TEXT)
				str_add_char(&row, text[i]);
		if (text_width(row.text) > width && end)
			break;
		end = n;
	}
	return end;
}

/* A row whose keys stand out. `key`: it begins inside of one; returns whether it ends there. */
static bool draw_row(struct canvas *canvas, int x, int y, const char *text, size_t n, bool key)
{
	const int end = canvas->w - MARGIN;

	while (n) {
		size_t part = 0;
		OWNED_STR s = STR_INIT;
		while (part < n && text[part] != TUTOR_KEY && text[part] != TUTOR_TEXT)
			part++;
		str_add_n(&s, text, part);
		if (x < end)
			x += canvas_text(canvas, x, y, end - x, s.text,
					 key ? ROLE_HINT_KEY : ROLE_DEFAULT, ROLE_DEFAULT,
					 key ? ATTR_BOLD : 0);
		if (part < n)
			key = text[part++] == TUTOR_KEY;
		text += part;
		n -= part;
	}
	return key;
}

/* Draws the text, or with NULL counts its rows. */
static int draw_text(const struct app *app, struct canvas *canvas, struct rect r)
{
	OWNED_STR text = STR_INIT;
	bool key = false;
	int rows = 0;

	tutor_text(&app->tutor, app->options->bindings, app->options->views, &text);
	for (const char *rest = text.text; *rest; rows++) {
		const size_t n = row_of(rest, r.w - 2 * MARGIN);

		if (canvas && rows < r.h)
			key = draw_row(canvas, r.x + MARGIN, r.y + rows, rest, n, key);
		rest += n;
		rest += strspn(rest, " ");
	}
	return rows;
}

int app_tutor_height(const struct app *app)
{
	const struct canvas *canvas = &app->canvas;
	const int most = canvas->h / 3 < TEXT_MOST + 1 ? canvas->h / 3 : TEXT_MOST + 1;
	int rows;

	if (!app_teaches(app))
		return 0;
	rows = 1 + draw_text(app, NULL, (struct rect){ 0, 0, canvas->w, 0 });
	return rows < most ? rows : most;
}

void app_draw_tutor(const struct app *app, struct canvas *canvas, int y)
{
	const int h = app_tutor_height(app);
	const struct rect row = { 0, y, canvas->w, 1 };
	OWNED_STR keys = STR_INIT;
	int x = MARGIN;

	if (!h)
		return;
	canvas_fill(canvas, row, ' ', ROLE_TITLE, ROLE_TITLE);
	x += canvas_text_fmt(canvas, x, y, canvas->w - x, ROLE_TITLE, "Tutor %u of %u",
			     app->tutor.step + 1, tutor_steps());
	tutor_add_keys("{tutor-next} on  {tutor-back} back  {tutor-end} end",
		       app->options->bindings, app->options->views, &keys);
	for (size_t i = 0, n = 0; i <= keys.n; i++)
		if (keys.text[i] != TUTOR_KEY && keys.text[i] != TUTOR_TEXT)
			keys.text[n++] = keys.text[i];
	if (x + text_width(keys.text) + 2 < canvas->w)
		canvas_text_right(canvas, 0, y, canvas->w - MARGIN, keys.text, ROLE_TITLE,
				  ROLE_TITLE);
	draw_text(app, canvas, (struct rect){ 0, y + 1, canvas->w, h - 1 });
}
