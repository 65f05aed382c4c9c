/* The legend: the colours and the share of the window that each takes. */
#include "model/sums/shading.h"
#include "model/trace/gap.h"
#include "ui/timeline/drawing/timeline_critical.h"
#include "ui/timeline/drawing/timeline_draw.h"
#include "ui/widgets/panel.h"
#include "views/facts/difference.h"
#include "views/facts/timeline_shade.h"
#include "views/query/analyses.h"

enum { WIDTH = 48, NAME_COLUMN = 8, NAME_WIDTH = 20, SHARE_COLUMN = 30 };

struct legend_panel {
	struct panel panel;
	struct timeline_mix sums; /* of all rows; waits are not part of their class */
	uint64_t generation;      /* of the session, that they are of */
	unsigned at;              /* the cursor's, of those that are listed */
};

struct legend_list {
	unsigned states[STATE_COUNT], n;
};

static const enum action actions[] = { ACTION_ENTER,    ACTION_SHOW_ALL, ACTION_COLOUR,
				       ACTION_CANCEL,   ACTION_UP,       ACTION_DOWN,
				       ACTION_HIDE_ROW, ACTION_NONE };

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

/* Sums shading over the visible rows, so that the cost depends on rows, not on events. */
static void sum_classes(struct legend_panel *p, const struct session *session)
{
	const struct shading *shading = trace_class_shading(session->trace, session->base);
	for (size_t i = 0; i < session->rows.n; i++) {
		const struct location *location =
			trace_location(session->trace, session->rows.data[i]);
		uint64_t sums[SHADING_SLOTS] = { 0 };
		if (!location_has_states(location))
			continue;
		shading_window(shading, session->rows.data[i], session->window.t0,
			       session->window.t1, sums);
		/* It is idle then, which has no colour. */
		if (location->type == LOCATION_ACCELERATOR)
			sums[CLASS_OUTSIDE] = 0;
		for (unsigned c = 0; c < CLASS_COUNT; c++)
			timeline_mix_put(&p->sums, c, sums[c]);
	}
}

/* From the sums of profiles: what is neither of a function nor outside is of others. */
static void sum_functions(struct legend_panel *p, const struct session *session)
{
	const struct query query = session_query(session);
	struct timeline_mix classes;
	struct err err = ERR_INIT;
	struct profile profile;
	uint64_t named = 0;
	sum_classes(p, session);
	classes = p->sums;
	p->sums = (struct timeline_mix){ .all = 0 };
	if (!profile_make(&profile, session->trace, session->base, PROFILE_REGION,
			  session->rows.data, session->rows.n, query.t0, query.t1,
			  session->progress, &err))
		return;
	for (unsigned i = 0; i < session->colouring.n; i++) {
		const int64_t ticks = profile.rows[session->colouring.function[i]].exclusive;
		timeline_mix_put(&p->sums, STATE_FUNCTION + i, (uint64_t)ticks);
		named += (uint64_t)ticks;
	}
	timeline_mix_put(&p->sums, CLASS_OUTSIDE, classes.of[CLASS_OUTSIDE]);
	if (classes.all > p->sums.all)
		timeline_mix_put(&p->sums, STATE_OTHERS,
				 classes.all - classes.of[CLASS_OUTSIDE] - named);
	profile_fini(&profile);
}

static bool is_listed(const struct legend_panel *p, unsigned state, bool tight)
{
	const struct colouring *c = &p->panel.session->colouring;
	if (p->sums.of[state] || c->hidden >> state & 1)
		return true;
	return !c->by_function && !tight && state < CLASS_COUNT;
}

static struct legend_list list_all(const struct legend_panel *p, bool tight)
{
	struct legend_list list = { .n = 0 };
	for (unsigned s = STATE_FUNCTION; s < STATE_COUNT; s++)
		if (is_listed(p, s, tight))
			list.states[list.n++] = s;
	for (unsigned s = 0; s < STATE_FUNCTION; s++)
		if (is_listed(p, s, tight))
			list.states[list.n++] = s;
	return list;
}

/* Steps of a difference in two columns, below their title; and all lines that are not of states. */
enum { STEP_LINES = 3 + DIFFERENCE_STEPS / 2, STEP_WIDTH = 22 };

static int other_lines(const struct session *session)
{
	return 5 + session->critical_path + trace_has_gaps(session->trace) +
	       (session_query(session).difference ? STEP_LINES : 0);
}

/* What is listed in so many lines. */
static struct legend_list list_of(const struct legend_panel *p, int lines)
{
	const struct legend_list all = list_all(p, false);
	return (int)all.n + other_lines(p->panel.session) > lines ? list_all(p, true) : all;
}

static void sum(struct panel *panel)
{
	struct legend_panel *p = (struct legend_panel *)panel;
	const struct session *session = panel->session;
	if (p->generation == session->generation)
		return;
	p->generation = session->generation;
	p->sums = (struct timeline_mix){ .all = 0 };
	if (session->colouring.by_function) {
		sum_functions(p, session);
	} else {
		sum_classes(p, session);
		add_waits(p, session);
	}
}

static void open_panel(struct panel *panel)
{
	((struct legend_panel *)panel)->generation = panel->session->generation + 1;
	sum(panel);
}

static void draw_state(const struct legend_panel *p, struct canvas *canvas, struct rect row,
		       unsigned state, bool here)
{
	const struct session *session = p->panel.session;
	const struct query query = session_query(session);
	const enum role role = timeline_state_role(state, 0);
	const bool hidden = session->colouring.hidden >> state & 1;
	const uint32_t glyph = timeline_state_glyph(hidden ? STATE_FILTERED : state, canvas->ascii);
	const bool fill = !canvas->mono && state != CLASS_OUTSIDE && !hidden;
	const enum role ink = here ? ROLE_CURSOR : hidden ? ROLE_MUTED : ROLE_DEFAULT;
	const enum role ground = here ? ROLE_CURSOR : ROLE_DEFAULT;
	OWNED_STR s = STR_INIT;
	if (here)
		canvas_fill(canvas, (struct rect){ row.x + 1, row.y, row.w - 2, 1 }, ' ',
			    ROLE_CURSOR, ROLE_CURSOR);
	for (int x = 0; x < 4; x++)
		canvas_put(canvas, row.x + 2 + x, row.y, fill ? ' ' : glyph,
			   hidden ? ROLE_MUTED : role, fill ? role : ROLE_DEFAULT, 0);
	timeline_state_text(&query, state, &s);
	canvas_fit_name(canvas, &s, NAME_WIDTH);
	canvas_text(canvas, row.x + NAME_COLUMN, row.y, NAME_WIDTH, s.text, ink, ground, 0);
	if (trace_records_alone(session->trace)) /* shares are of times of events */
		return;
	str_clear(&s);
	if (hidden)
		str_add(&s, "hidden");
	else
		units_share(&s, p->sums.all ? (double)p->sums.of[state] / (double)p->sums.all : 0);
	canvas_text_right(canvas, row.x + SHARE_COLUMN - 3, row.y, 8, s.text,
			  here ? ROLE_CURSOR : ROLE_VALUE, ground);
	str_clear(&s);
	units_human_time(&s, (int64_t)p->sums.of[state], trace_scale(session->trace), 4);
	canvas_text_right(canvas, row.x + SHARE_COLUMN + 5, row.y, row.w - SHARE_COLUMN - 7, s.text,
			  here ? ROLE_CURSOR : ROLE_MUTED, ground);
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
	struct legend_mark marks[4];
	const struct legend_list list = list_of(p, area.h);
	const int count = marks_of(panel->session, canvas, marks), n = (int)list.n;
	const int wanted = n + other_lines(panel->session);
	const int w = WIDTH < area.w ? WIDTH : area.w;
	const int h = wanted < area.h ? wanted : area.h;
	const struct rect box = { area.x + area.w - w, area.y, w, h };
	draw_frame(canvas, box);
	canvas_write(canvas, box.x + 2, box.y, w - 4,
		     trace_records_alone(panel->session->trace) ? " Colours "
		     : panel->session->colouring.by_function
			     ? " Functions, and their share of the window "
			     : " Colours, and their share of the window ",
		     ROLE_HEADER);
	const int rows = h - 2;
	for (int i = 0; i < n && i < rows; i++)
		draw_state(p, canvas, (struct rect){ box.x, box.y + 1 + i, w, 1 }, list.states[i],
			   (unsigned)i == p->at);
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

/* What was not recorded cannot be hidden. */
static void toggle(struct legend_panel *p, const struct legend_list *list)
{
	if (p->at < list->n && list->states[p->at] != CLASS_OUTSIDE)
		session_hide_state(p->panel.session, list->states[p->at]);
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	struct legend_panel *p = (struct legend_panel *)panel;
	struct session *session = panel->session;
	const struct legend_list list = list_of(p, panel->area.h);
	const unsigned by = count < 1 ? 1 : (unsigned)count, last = list.n ? list.n - 1 : 0;
	switch (action) {
	case ACTION_UP: p->at -= by < p->at ? by : p->at; break;
	case ACTION_DOWN: p->at = by < last - p->at ? p->at + by : last; break;
	case ACTION_ENTER:
	case ACTION_HIDE_ROW: toggle(p, &list); break;
	case ACTION_SHOW_ALL: session_hide_state(session, UINT32_MAX); break;
	case ACTION_COLOUR:
		session_next_colours(session);
		p->at = 0;
		break;
	default: return REACT_IGNORED;
	}
	sum(panel);
	return REACT_REDRAW;
}

static unsigned click(struct panel *panel, int x, int y, struct rect area)
{
	struct legend_panel *p = (struct legend_panel *)panel;
	const struct legend_list list = list_of(p, area.h);
	const int nth = y - area.y - 1;
	if (x < area.x + area.w - WIDTH || nth < 0 || nth >= (int)list.n)
		return REACT_IGNORED;
	p->at = (unsigned)nth;
	toggle(p, &list);
	sum(panel);
	return REACT_REDRAW;
}

const struct panel_ops legend_panel_ops = {
	.actions = actions,
	.enter_hint = "hide or show",
	.click = click,
	.covers_part = true,
	.size = sizeof(struct legend_panel),
	.open = open_panel,
	.requery = sum,
	.draw = draw,
	.act = act,
};
