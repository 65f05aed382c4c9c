/* All sentences, with bars beside the classes. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "ui/panels/overview/overview_panel_state.h"

enum { BAR_LEAST = 8, BAR_MOST = 40 };

unsigned overview_text_top(const struct overview_panel *p, int h)
{
	return h > 0 && p->line >= (unsigned)h ? p->line - (unsigned)h + 1 : 0;
}

/* Column at which all bars begin, after the longest text of a line with a bar. */
static int bar_column(const struct overview *overview, int w)
{
	int widest = 0;
	for (unsigned i = 0; i < overview->lines.n; i++) {
		const int taken = text_width(overview->lines.data[i].text);
		if (overview->lines.data[i].share >= 0 && taken > widest)
			widest = taken;
	}
	return widest + 3 <= w - BAR_LEAST ? widest + 3 : w - BAR_LEAST;
}

/* A bar in eighths of a column if the terminal has such characters. */
static void draw_bar(struct canvas *canvas, int x, int y, int w, double share, enum role role)
{
	static const uint32_t eighths[] = { ' ',    0x258f, 0x258e, 0x258d,
					    0x258c, 0x258b, 0x258a, 0x2589 };
	if (share > 1)
		share = 1;
	const int parts = (int)(share * w * 8 + 0.5);
	for (int i = 0; i < w && i * 8 < parts; i++) {
		const int full = parts - i * 8;
		uint32_t ch = theme_glyph(GLYPH_FULL, canvas->ascii);
		if (full < 8)
			ch = canvas->ascii ? (full >= 4 ? '#' : ' ') : eighths[full];
		canvas_put(canvas, x + i, y, ch, role, ROLE_DEFAULT, 0);
	}
	if (parts == 0 && share > 0)
		canvas_glyph(canvas, x, y, GLYPH_LINE_V, role);
}

static void draw_line(const struct overview_panel *p, struct canvas *canvas, struct rect row,
		      unsigned nth, int bar_x)
{
	const struct overview_line *line = &p->text.lines.data[nth];
	const int bar_w = row.w - bar_x - 1 < BAR_MOST ? row.w - bar_x - 1 : BAR_MOST;
	const bool bar = line->share >= 0 && bar_w >= BAR_LEAST;
	const int room = bar ? bar_x - 2 : row.w - 2;
	const bool chosen = nth == p->line && line->view;
	canvas_write(canvas, row.x + 1, row.y, room, line->text,
		     line->share >= 0 ? ROLE_DEFAULT : theme_ink(line->role));
	size_t begin, end;
	if (bar)
		draw_bar(canvas, row.x + bar_x, row.y, bar_w, line->share,
			 line->role == TEXT_PLAIN ? ROLE_PROGRESS : theme_role(line->role));
	if (chosen)
		canvas_paint(canvas, (struct rect){ row.x, row.y, room + 2, 1 }, ROLE_CURSOR,
			     ROLE_CURSOR, 0);
	else if (nth == p->line)
		canvas_glyph(canvas, row.x, row.y, GLYPH_TREE_CLOSED, ROLE_MUTED);
	if (p->matcher &&
	    matcher_find(p->matcher, line->text, strlen(line->text), 0, &begin, &end)) {
		OWNED char *head = xstrndup(line->text, begin);
		canvas_text_fmt(canvas, row.x + 1 + text_width(head), row.y, room, ROLE_MATCH,
				"%.*s", (int)(end - begin), line->text + begin);
		canvas_paint(canvas,
			     (struct rect){ row.x + 1 + text_width(head), row.y, (int)(end - begin),
					    1 },
			     ROLE_MATCH, ROLE_MATCH, 0);
	}
}

void overview_draw_text(const struct overview_panel *p, struct canvas *canvas, struct rect area)
{
	const int bar_x = bar_column(&p->text, area.w);
	const unsigned top = overview_text_top(p, area.h);
	for (int y = 0; y < area.h && top + (unsigned)y < p->text.lines.n; y++)
		draw_line(p, canvas, (struct rect){ area.x, area.y + y, area.w, 1 },
			  top + (unsigned)y, bar_x);
}

void overview_text_move(struct overview_panel *p, int by)
{
	const int n = (int)p->text.lines.n;
	for (; by != 0; by += by < 0 ? 1 : -1) {
		const int step = by < 0 ? -1 : 1;
		int at = (int)p->line + step;
		while (at >= 0 && at < n && !p->text.lines.data[at].view)
			at += step;
		if (at < 0 || at >= n)
			at = step < 0 ? 0 : n - 1;
		p->line = (unsigned)at;
	}
}
