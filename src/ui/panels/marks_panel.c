/* The list of marks, over the lower part of a view while the key ' waits for a letter: what is at
 * each. Arrows and Enter choose one, too. */
#include "ui/panels/panels.h"

struct marks_panel {
	struct panel panel;
	unsigned row;
};

static const enum action actions[] = { ACTION_DOWN, ACTION_UP, ACTION_ENTER, ACTION_CANCEL,
				       ACTION_NONE };

static unsigned count(const struct session *session)
{
	unsigned n = 0;

	for (unsigned i = 0; i < MARKS; i++)
		n += session->marks[i].set;
	return n;
}

/* The mark of a row; there is one. */
static unsigned mark_of(const struct session *session, unsigned row)
{
	unsigned i = 0;

	for (; i < MARKS; i++)
		if (session->marks[i].set && row-- == 0)
			break;
	return i;
}

unsigned marks_panel_chosen(const struct panel *panel)
{
	return mark_of(panel->session, ((const struct marks_panel *)panel)->row);
}

static int height(const struct panel *panel, struct rect body)
{
	const int wanted = (int)count(panel->session) + 1;

	return wanted < body.h ? wanted : body.h;
}

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct marks_panel *p = (const struct marks_panel *)panel;
	const unsigned n = count(panel->session);
	const unsigned rows = area.h > 1 ? (unsigned)area.h - 1 : 0;
	const unsigned top = p->row >= rows && rows ? p->row - rows + 1 : 0;
	OWNED_STR text = STR_INIT;

	canvas_fill(canvas, area, ' ', ROLE_DEFAULT, ROLE_DEFAULT);
	canvas_rule(canvas, area.x, area.y, area.w);
	canvas_write(canvas, area.x + 2, area.y, area.w - 4, " Marks ", ROLE_HEADER);
	for (unsigned i = 0; i < rows && top + i < n; i++) {
		const unsigned mark = mark_of(panel->session, top + i);
		const int y = area.y + 1 + (int)i;

		str_clear(&text);
		str_add_fmt(&text, "%c  ", 'a' + (char)mark);
		session_mark_text(panel->session, mark, &text);
		canvas_write(canvas, area.x + 1, y, area.w - 2, text.text, ROLE_DEFAULT);
		if (top + i == p->row)
			canvas_paint(canvas, (struct rect){ area.x, y, area.w, 1 }, ROLE_CURSOR,
				     ROLE_CURSOR, 0);
	}
}

static unsigned act(struct panel *panel, enum action action, int times)
{
	struct marks_panel *p = (struct marks_panel *)panel;
	const int64_t last = (int64_t)count(panel->session) - 1;
	const int64_t at = (int64_t)p->row + (action == ACTION_DOWN ? times : -(int64_t)times);

	if (action != ACTION_DOWN && action != ACTION_UP)
		return REACT_IGNORED;
	p->row = (unsigned)(at < 0 ? 0 : at > last ? last : at);
	return REACT_REDRAW;
}

const struct panel_ops marks_panel_ops = {
	.actions = actions,
	.enter_hint = "go there",
	.size = sizeof(struct marks_panel),
	.height = height,
	.draw = draw,
	.act = act,
};
