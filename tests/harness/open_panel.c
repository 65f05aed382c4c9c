#include "harness/open_panel.h"

#include <string.h>

#include "harness/test.h"

void open_init(struct open *o, const struct panel_ops *ops, struct trace *trace, int w, int h)
{
	*o = (struct open){ .text = STR_INIT };
	session_init(&o->session, trace, BASE_MEASURED);
	o->panel = panel_new(ops, &o->session);
	assert_non_null(o->panel);
	canvas_init(&o->canvas, w, h, true);
}

void open_mono(struct open *o, const struct panel_ops *ops, struct trace *trace, int w, int h)
{
	open_init(o, ops, trace, w, h);
	o->canvas.ascii = false;
	o->canvas.mono = true;
}

void requery(struct open *o)
{
	o->panel->area = (struct rect){ 0, 0, o->canvas.w, o->canvas.h };
	o->panel->ops->requery(o->panel);
}

unsigned press(struct open *o, enum action action)
{
	const unsigned reactions = o->panel->ops->act(o->panel, action, 1);

	if (reactions & REACT_REQUERY)
		o->session.generation++;
	requery(o);
	return reactions;
}

void close_panel(struct open *o)
{
	panel_free(o->panel);
	session_fini(&o->session);
	canvas_fini(&o->canvas);
	str_fini(&o->text);
}

int close_opened(void **state)
{
	close_panel(*state);
	return 0;
}

const char *screen(struct open *o)
{
	canvas_clear(&o->canvas);
	str_clear(&o->text);
	o->panel->ops->draw(o->panel, &o->canvas, o->panel->area);
	canvas_to_text(&o->canvas, &o->text);
	return o->text.text;
}

/* Where things stand is not what is asked: blanks count as one. */
bool shows(struct open *o, const char *what)
{
	OWNED_STR flat = STR_INIT;

	for (const char *at = screen(o); *at; at++)
		if (*at != ' ' || at[1] != ' ')
			str_add_char(&flat, *at);
	return strstr(flat.text, what) != NULL;
}

void sees_exactly(struct open *o, const char *what)
{
	if (!strstr(screen(o), what))
		fail_msg("'%s' is not in\n%s", what, o->text.text);
}

void sees(struct open *o, const char *what)
{
	if (!shows(o, what))
		fail_msg("'%s' is not on the screen:\n%s", what, o->text.text);
}

void sees_not(struct open *o, const char *what)
{
	if (shows(o, what))
		fail_msg("'%s' is on the screen:\n%s", what, o->text.text);
}
