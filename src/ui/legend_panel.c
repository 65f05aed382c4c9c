/* The legend: what the colours mean, and how much of the window each of them takes. */
#include "model/shading.h"
#include "ui/difference.h"
#include "ui/panel.h"
#include "ui/timeline_draw.h"

enum { WIDTH = 46, NAME_COLUMN = 8, SHARE_COLUMN = 28 };

struct legend_panel {
	struct panel panel;
	uint64_t sums[CLASS_COUNT]; /* ticks */
	uint64_t all;
};

static const enum action actions[] = { ACTION_CANCEL, ACTION_NONE };

static const char *class_title(unsigned cls)
{
	static const char *const titles[CLASS_COUNT] = {
		[CLASS_USER] = "user code",
		[CLASS_P2P] = "point-to-point",
		[CLASS_COLLECTIVE] = "collectives",
		[CLASS_SYNC] = "synchronisation",
		[CLASS_IO] = "file I/O",
		[CLASS_MPI_OTHER] = "other MPI",
		[CLASS_OVERHEAD] = "measuring itself",
		[CLASS_OUTSIDE] = "not traced",
	};
	return titles[cls];
}

/* Sums over the rows that are shown: cost is rows, not events. */
static bool open_panel(struct panel *panel, struct session *session, struct err *err)
{
	struct legend_panel *p = (struct legend_panel *)panel;
	(void)err;
	const struct shading *shading = trace_class_shading(session->trace, session->base);
	for (size_t i = 0; i < session->rows.n; i++) {
		uint64_t sums[SHADING_SLOTS] = { 0 };
		shading_window(shading, session->rows.data[i], session->window.t0,
			       session->window.t1, sums);
		for (unsigned c = 0; c < CLASS_COUNT; c++) {
			p->sums[c] += sums[c];
			p->all += sums[c];
		}
	}
	return true;
}

static void draw_class(const struct legend_panel *p, struct canvas *canvas, struct rect row,
		       unsigned cls)
{
	const enum role role = (enum role)(ROLE_CLASS_FIRST + cls);
	const bool fill = !canvas->mono && cls != CLASS_OUTSIDE;
	for (int x = 0; x < 4; x++)
		canvas_put(canvas, row.x + 2 + x, row.y,
			   fill ? ' ' : theme_class_glyph(cls, canvas->ascii), role,
			   fill ? role : ROLE_DEFAULT, 0);
	canvas_text(canvas, row.x + NAME_COLUMN, row.y, row.w - NAME_COLUMN, class_title(cls),
		    ROLE_DEFAULT, ROLE_DEFAULT, 0);
	struct str s = STR_INIT;
	const double share = p->all ? (double)p->sums[cls] / (double)p->all : 0;
	str_add_fmt(&s, "%.1f %%", share * 100);
	canvas_text_right(canvas, row.x + SHARE_COLUMN - 3, row.y, 8, s.text, ROLE_VALUE,
			  ROLE_DEFAULT, 0);
	str_clear(&s);
	units_human_time(&s, (int64_t)p->sums[cls], trace_scale(p->panel.session->trace), 4);
	canvas_text_right(canvas, row.x + SHARE_COLUMN + 5, row.y, row.w - SHARE_COLUMN - 7, s.text,
			  ROLE_MUTED, ROLE_DEFAULT, 0);
	str_fini(&s);
}

static void draw_frame(struct canvas *canvas, struct rect box)
{
	const uint32_t h = theme_glyph(GLYPH_LINE_H, canvas->ascii);
	const uint32_t v = theme_glyph(GLYPH_LINE_V, canvas->ascii);
	const uint32_t corner[4] = { canvas->ascii ? '+' : 0x256d, canvas->ascii ? '+' : 0x256e,
				     canvas->ascii ? '+' : 0x2570, canvas->ascii ? '+' : 0x256f };
	canvas_fill(canvas, box, ' ', ROLE_DEFAULT, ROLE_DEFAULT);
	for (int x = 1; x < box.w - 1; x++) {
		canvas_put(canvas, box.x + x, box.y, h, ROLE_FRAME, ROLE_DEFAULT, 0);
		canvas_put(canvas, box.x + x, box.y + box.h - 1, h, ROLE_FRAME, ROLE_DEFAULT, 0);
	}
	for (int y = 1; y < box.h - 1; y++) {
		canvas_put(canvas, box.x, box.y + y, v, ROLE_FRAME, ROLE_DEFAULT, 0);
		canvas_put(canvas, box.x + box.w - 1, box.y + y, v, ROLE_FRAME, ROLE_DEFAULT, 0);
	}
	for (int i = 0; i < 4; i++)
		canvas_put(canvas, i & 1 ? box.x + box.w - 1 : box.x,
			   i & 2 ? box.y + box.h - 1 : box.y, corner[i], ROLE_FRAME, ROLE_DEFAULT,
			   0);
}

/* The steps of a difference, in two columns below its name; lines that they take. */
enum { STEP_LINES = 3 + DIFFERENCE_STEPS / 2, STEP_WIDTH = 22 };

static void draw_steps(const struct session *session, struct canvas *canvas, struct rect box, int y)
{
	const enum time_base from = difference_reference(session->trace, session->base);
	const bool share = difference_is_share(session->base);
	const int bottom = box.y + box.h - 1;
	if (y + 1 < bottom)
		canvas_text_fmt(canvas, box.x + 2, y + 1, box.w - 4, ROLE_HEADER,
				share ? "Share of %s that %s takes out" : "Moved from %s to %s",
				time_base_name(from), time_base_name(session->base));
	for (unsigned step = 1; step <= DIFFERENCE_STEPS; step++) {
		const int line = y + 2 + (int)(step - 1) % (DIFFERENCE_STEPS / 2);
		const int x = box.x + 3 + (step > DIFFERENCE_STEPS / 2 ? STEP_WIDTH : 0);
		if (line >= bottom)
			continue;
		timeline_difference_put(canvas, x, line, step, false);
		canvas_text(canvas, x + 3, line, STEP_WIDTH - 4, difference_step_name(share, step),
			    ROLE_DEFAULT, ROLE_DEFAULT, 0);
	}
	y += STEP_LINES - 1;
	if (!share || y >= bottom)
		return;
	timeline_difference_put(canvas, box.x + 3, y, 1, true);
	canvas_text(canvas, box.x + 6, y, box.w - 8, "longer there: it waits more", ROLE_DEFAULT,
		    ROLE_DEFAULT, 0);
}

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct legend_panel *p = (const struct legend_panel *)panel;
	const bool difference = session_query(panel->session).difference;
	const int wanted = CLASS_COUNT + 5 + (difference ? STEP_LINES : 0);
	const int w = WIDTH < area.w ? WIDTH : area.w;
	const int h = wanted < area.h ? wanted : area.h;
	const struct rect box = { area.x + area.w - w, area.y, w, h };
	draw_frame(canvas, box);
	canvas_text(canvas, box.x + 2, box.y, w - 4, " Colours, and their share of the window ",
		    ROLE_HEADER, ROLE_DEFAULT, 0);
	const int rows = h - 2;
	for (unsigned c = 0; c < CLASS_COUNT && (int)c < rows; c++)
		draw_class(p, canvas, (struct rect){ box.x, box.y + 1 + (int)c, w, 1 }, c);
	static const struct {
		enum role role;
		enum glyph glyph;
		const char *text;
	} lines[] = { { ROLE_MESSAGE, GLYPH_STROKE_DOWN, "message, sender to receiver" },
		      { ROLE_COLLECTIVE_LINE, GLYPH_LINE_V, "collective operation" } };
	for (int i = 0; i < 2 && CLASS_COUNT + 1 + i < rows; i++) {
		const int y = box.y + CLASS_COUNT + 2 + i;
		canvas_put(canvas, box.x + 3, y, theme_glyph(lines[i].glyph, canvas->ascii),
			   lines[i].role, ROLE_DEFAULT, 0);
		canvas_text(canvas, box.x + NAME_COLUMN - 2, y, w - NAME_COLUMN, lines[i].text,
			    ROLE_DEFAULT, ROLE_DEFAULT, 0);
	}
	if (difference)
		draw_steps(panel->session, canvas, box, box.y + CLASS_COUNT + 4);
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	(void)panel;
	(void)count;
	return action == ACTION_ENTER ? REACT_POP : REACT_IGNORED;
}

const struct panel_ops legend_panel_ops = {
	.name = "legend",
	.title = "Legend",
	.actions = actions,
	.size = sizeof(struct legend_panel),
	.open = open_panel,
	.draw = draw,
	.act = act,
};
