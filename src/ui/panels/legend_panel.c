/* The legend: the colours and the share of the window that each takes. */
#include "model/sums/shading.h"
#include "model/trace/gap.h"
#include "ui/timeline/drawing/timeline_critical.h"
#include "ui/timeline/drawing/timeline_draw.h"
#include "ui/widgets/panel.h"
#include "views/facts/difference.h"
#include "views/facts/timeline_shade.h"
#include "views/query/analyses.h"

enum { WIDTH = 48, NAME_COLUMN = 8, SHARE_COLUMN = 30 };

struct legend_panel {
	struct panel panel;
	struct timeline_mix sums; /* of all rows; waits are not part of their class */
};

static const enum action actions[] = { ACTION_CANCEL, ACTION_ENTER, ACTION_NONE };

/* Moves waiting time that the analysis has found so far from the classes to the waits. */
static void add_waits(struct legend_panel *p, const struct session *session)
{
	const struct wait_sums *waits = analyses_wait_sums(session->analyses, session->base);
	const int64_t edges[2] = { session->window.t0, session->window.t1 };
	uint64_t sums[WAIT_SLOTS] = { 0 };
	for (size_t i = 0; waits && i < session->rows.n; i++)
		wait_sums_add(waits, session->rows.data[i], edges, 1, sums);
	if (waits)
		timeline_mix_wait(&p->sums, waits, sums);
}

/* Lists classes, unless there is little room, and kinds of waiting that occur. */
static unsigned states_of(const struct legend_panel *p, bool tight, unsigned states[STATE_COUNT])
{
	unsigned n = 0;
	for (unsigned s = 0; s < STATE_COUNT; s++)
		if (p->sums.of[s] || (s < CLASS_COUNT && !tight))
			states[n++] = s;
	return n;
}

/* Sums shading over the visible rows, so that the cost depends on rows, not on events. */
static void open_panel(struct panel *panel)
{
	struct legend_panel *p = (struct legend_panel *)panel;
	const struct session *session = panel->session;
	const struct shading *shading = trace_class_shading(session->trace, session->base);
	for (size_t i = 0; i < session->rows.n; i++) {
		uint64_t sums[SHADING_SLOTS] = { 0 };
		shading_window(shading, session->rows.data[i], session->window.t0,
			       session->window.t1, sums);
		for (unsigned c = 0; c < CLASS_COUNT; c++) {
			p->sums.of[c] += sums[c];
			p->sums.all += sums[c];
		}
	}
	add_waits(p, session);
}

static void draw_state(const struct legend_panel *p, struct canvas *canvas, struct rect row,
		       unsigned cls)
{
	const enum role role = timeline_state_role(cls, 0);
	const uint32_t glyph = timeline_state_glyph(cls, canvas->ascii);
	const bool fill = !canvas->mono && cls != CLASS_OUTSIDE;
	for (int x = 0; x < 4; x++)
		canvas_put(canvas, row.x + 2 + x, row.y, fill ? ' ' : glyph, role,
			   fill ? role : ROLE_DEFAULT, 0);
	canvas_write(canvas, row.x + NAME_COLUMN, row.y, row.w - NAME_COLUMN,
		     timeline_state_title(cls), ROLE_DEFAULT);
	OWNED_STR s = STR_INIT;
	units_share(&s, p->sums.all ? (double)p->sums.of[cls] / (double)p->sums.all : 0);
	canvas_text_right(canvas, row.x + SHARE_COLUMN - 3, row.y, 8, s.text, ROLE_VALUE,
			  ROLE_DEFAULT);
	str_clear(&s);
	units_human_time(&s, (int64_t)p->sums.of[cls], trace_scale(p->panel.session->trace), 4);
	canvas_text_right(canvas, row.x + SHARE_COLUMN + 5, row.y, row.w - SHARE_COLUMN - 7, s.text,
			  ROLE_MUTED, ROLE_DEFAULT);
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

/* The steps of a difference, in two columns below its name: number of lines. */
enum { STEP_LINES = 3 + DIFFERENCE_STEPS / 2, STEP_WIDTH = 22 };

static void draw_steps(const struct session *session, struct canvas *canvas, struct rect box, int y)
{
	const enum time_base from =
		difference_reference(session->trace, session->corrections, session->base);
	const bool share = difference_is_share(session->base);
	const int bottom = box.y + box.h - 1;
	if (y + 1 < bottom)
		canvas_text_fmt(canvas, box.x + 2, y + 1, box.w - 4, ROLE_HEADER,
				share ? "Share of %s removed in %s" : "Moved from %s to %s",
				time_base_name(from), time_base_name(session->base));
	for (unsigned step = 1; step <= DIFFERENCE_STEPS; step++) {
		const int line = y + 2 + (int)(step - 1) % (DIFFERENCE_STEPS / 2);
		const int x = box.x + 3 + (step > DIFFERENCE_STEPS / 2 ? STEP_WIDTH : 0);
		if (line >= bottom)
			continue;
		timeline_difference_put(canvas, x, line, step, false);
		canvas_write(canvas, x + 3, line, STEP_WIDTH - 4, difference_step_name(share, step),
			     ROLE_DEFAULT);
	}
	y += STEP_LINES - 1;
	if (!share || y >= bottom)
		return;
	timeline_difference_put(canvas, box.x + 3, y, 1, true);
	canvas_write(canvas, box.x + 6, y, box.w - 8, "longer, because it waits more",
		     ROLE_DEFAULT);
}

/* What is drawn over or into the colours. */
struct legend_mark {
	uint32_t ch;
	enum role role, background;
	const char *text;
};

/* Those that there can be in the window: number of them. */
static int marks_of(const struct session *session, const struct canvas *canvas,
		    struct legend_mark marks[4])
{
	int n = 0;
	marks[n++] =
		(struct legend_mark){ theme_glyph(GLYPH_STROKE_DOWN, canvas->ascii), ROLE_MESSAGE,
				      ROLE_DEFAULT, "message, sender to receiver" };
	marks[n++] =
		(struct legend_mark){ theme_glyph(GLYPH_LINE_V, canvas->ascii),
				      ROLE_COLLECTIVE_LINE, ROLE_DEFAULT, "collective operation" };
	if (session->critical_path)
		marks[n++] = (struct legend_mark){ timeline_critical_glyph(canvas->ascii),
						   ROLE_CRITICAL, ROLE_DEFAULT, "critical path" };
	if (trace_has_gaps(session->trace))
		marks[n++] = (struct legend_mark){ TIMELINE_HATCH, ROLE_DEFAULT,
						   canvas->mono ? ROLE_DEFAULT
								: ROLE_CLASS_FIRST + CLASS_USER,
						   "gap: its functions are estimated" };
	return n;
}

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct legend_panel *p = (const struct legend_panel *)panel;
	const bool difference = session_query(panel->session).difference;
	unsigned states[STATE_COUNT];
	struct legend_mark marks[4];
	const int count = marks_of(panel->session, canvas, marks);
	const int more = 3 + count + (difference ? STEP_LINES : 0);
	int n = (int)states_of(p, false, states);
	if (n + more > area.h)
		n = (int)states_of(p, true, states);
	const int wanted = n + more;
	const int w = WIDTH < area.w ? WIDTH : area.w;
	const int h = wanted < area.h ? wanted : area.h;
	const struct rect box = { area.x + area.w - w, area.y, w, h };
	draw_frame(canvas, box);
	canvas_write(canvas, box.x + 2, box.y, w - 4, " Colours, and their share of the window ",
		     ROLE_HEADER);
	const int rows = h - 2;
	for (int i = 0; i < n && i < rows; i++)
		draw_state(p, canvas, (struct rect){ box.x, box.y + 1 + i, w, 1 }, states[i]);
	for (int i = 0; i < count && n + 1 + i < rows; i++) {
		const int y = box.y + n + 2 + i;
		canvas_put(canvas, box.x + 3, y, marks[i].ch, marks[i].role, marks[i].background,
			   0);
		canvas_write(canvas, box.x + NAME_COLUMN - 2, y, w - NAME_COLUMN, marks[i].text,
			     ROLE_DEFAULT);
	}
	if (difference)
		draw_steps(panel->session, canvas, box, box.y + n + 2 + count);
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	(void)panel;
	(void)count;
	return action == ACTION_ENTER ? REACT_POP : REACT_IGNORED;
}

const struct panel_ops legend_panel_ops = {
	.actions = actions,
	.size = sizeof(struct legend_panel),
	.open = open_panel,
	.draw = draw,
	.act = act,
};
