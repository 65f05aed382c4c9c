#include "ui/panels/loading_panel.h"

#include <stdlib.h>

#include "base/mem.h"
#include "ui/timeline/drawing/timeline_draw.h"

/* CALM: the scale follows only if the expected end is off by more than 1/CALM of the run. */
enum { LABELS = 14, CALM = 8, TICK_PARTS = 16 };

struct loading_panel {
	struct panel panel;
	struct loader *loader;
	struct loader_state state;
	struct preview_state seen;
	int64_t expected;   /* ticks: where the run will probably end */
	struct span window; /* visible part, if `moved` */
	bool moved;
	bool stopping;  /* Escape was pressed */
	uint32_t first; /* row */
};

static struct loading_panel *self(struct panel *panel)
{
	return (struct loading_panel *)panel;
}

void loading_panel_begin(struct panel *panel, struct loader *loader)
{
	self(panel)->loader = loader;
}

struct loader *loading_panel_loader(const struct panel *panel)
{
	return ((const struct loading_panel *)panel)->loader;
}

const struct preview_state *loading_panel_seen(const struct panel *panel)
{
	return &((const struct loading_panel *)panel)->seen;
}

void loading_panel_stage(const struct panel *panel, const char *key, struct str *out)
{
	const struct loading_panel *p = (const struct loading_panel *)panel;

	if (p->state.correcting)
		str_add_fmt(out, "Correcting clocks; %s shows measured times", key);
	else if (p->state.reading && !p->stopping)
		str_add_fmt(out, "%s shows what has been read", key);
	else
		str_add(out, "Putting in order what was read");
}

static void loading_close(struct panel *panel)
{
	loader_free(self(panel)->loader);
}

/* ---- how far ---- */

/* Expected end if the rest is like the part read so far: a share s of n locations has been read,
 * whether that is s of each or all of some. */
static int64_t expect_end(const struct loading_panel *p)
{
	const struct loader_state *s = &p->state;
	const double share = !s->reading ? 1 : s->all ? (double)s->done / (double)s->all : 1;
	const double n = p->seen.locations ? p->seen.locations : 1;
	const double length = share > 0 ? p->seen.covered / (n * share) : 0;
	const double most = (double)(INT64_MAX / 4) - (double)p->seen.begin;
	const int64_t end = p->seen.begin + (int64_t)(length < most ? length : most);

	return end > p->seen.end ? end : p->seen.end;
}

bool loading_panel_update(struct panel *panel)
{
	struct loading_panel *p = self(panel);
	int64_t end, off;

	p->state = loader_state(p->loader);
	preview_state(loader_preview(p->loader), &p->seen);
	if (!p->seen.any)
		return !p->state.ended;
	end = expect_end(p);
	off = end > p->expected ? end - p->expected : p->expected - end;
	/* Following every guess would make the picture jump. */
	if (p->seen.end > p->expected || !p->state.reading ||
	    off > (p->expected - p->seen.begin) / CALM)
		p->expected = end;
	return !p->state.ended;
}

/* "412 of 1,204 MB"; small numbers have one decimal. */
static void add_megabytes(struct str *out, uint64_t bytes, uint64_t all)
{
	const uint64_t million = 1000000;

	if ((all ? all : bytes) < 10 * million)
		str_add_fmt(out, "%.1f", (double)bytes / (double)million);
	else
		units_count(out, (bytes + million / 2) / million);
	if (all && all < 10 * million) {
		str_add_fmt(out, " of %.1f", (double)all / (double)million);
	} else if (all) {
		str_add(out, " of ");
		units_count(out, (all + million / 2) / million);
	}
	str_add(out, " MB");
}

/* Coarser for longer times, so that it does not flicker. */
static void add_left(struct str *out, int64_t ms)
{
	const int64_t s = (ms + 999) / 1000;

	if (s <= 10)
		str_add_fmt(out, "%d s left", (int)s);
	else if (s < 60)
		str_add_fmt(out, "%d s left", (int)((s + 4) / 5 * 5));
	else
		str_add_fmt(out, "%d min left", (int)((s + 59) / 60));
}

void loading_panel_progress(const struct panel *panel, struct canvas *canvas, struct rect row)
{
	const struct loading_panel *p = (const struct loading_panel *)panel;
	const struct loader_state *s = &p->state;
	const double share = s->all ? (double)s->done / (double)s->all : 0;
	OWNED_STR words = STR_INIT;
	int x = row.x + 1, bar;

	if (s->all)
		str_add_fmt(&words, "%3d %%", (int)(100 * (share < 1 ? share : 1)));
	if (s->reading && s->done) {
		str_add(&words, words.n ? "  " : "");
		add_megabytes(&words, s->done, s->all);
	}
	if (s->left_ms >= 0) {
		str_add(&words, "  ");
		add_left(&words, s->left_ms);
	}
	canvas_fill(canvas, row, ' ', ROLE_DEFAULT, ROLE_DEFAULT);
	x += canvas_write(canvas, x, row.y, 16, s->what[0] ? s->what : "opening", ROLE_DEFAULT);
	x += 2;
	bar = row.x + row.w / 2 - x;
	for (int i = 0; s->all && i < bar; i++) {
		const bool filled = i < (int)(share * bar);
		canvas_glyph(canvas, x + i, row.y, filled ? GLYPH_FULL : GLYPH_LIGHT_SHADE,
			     filled ? ROLE_PROGRESS : ROLE_FRAME);
	}
	if (s->all && bar > 0)
		x += bar + 2;
	canvas_write(canvas, x, row.y, row.x + row.w - x, words.text, ROLE_VALUE);
}

/* ---- the picture ---- */

static struct span whole_of(const struct loading_panel *p)
{
	const int64_t end = p->expected > p->seen.begin + 4 ? p->expected : p->seen.begin + 4;

	return (struct span){ p->seen.begin, end };
}

static struct span window_of(const struct loading_panel *p)
{
	return p->moved ? p->window : whole_of(p);
}

/* Half a cell in parts of a tick, as it may be shorter than one tick. Empty: as not recorded. */
static struct timeline_mix mix_of(const double *sums)
{
	struct timeline_mix mix = { .all = 0 };

	for (unsigned c = 0; c < CLASS_COUNT; c++)
		timeline_mix_put(&mix, c, (uint64_t)(sums[c] * TICK_PARTS));
	if (mix.all == 0)
		timeline_mix_put(&mix, CLASS_OUTSIDE, 1);
	return mix;
}

static void draw_row(const struct loading_panel *p, struct canvas *canvas, struct rect body, int y,
		     uint32_t row)
{
	struct preview *preview = loader_preview(p->loader);
	const struct span w = window_of(p);
	const int64_t reached = preview_reached(preview, row);
	const struct time_scale scale = { w.t0, w.t1, body.w };
	double(*sums)[CLASS_COUNT] = xcalloc(2 * (size_t)body.w, sizeof *sums);
	OWNED struct timeline_cell *cells = xcalloc((size_t)body.w, sizeof *cells);
	OWNED struct timeline_mix *mixes = xcalloc((size_t)body.w, sizeof *mixes);

	preview_sweep(preview, row, w.t0, w.t1, 2 * body.w, sums);
	for (int x = 0; x < body.w; x++) {
		const struct timeline_mix left = mix_of(sums[2 * x]),
					  right = mix_of(sums[2 * x + 1]);
		cells[x] = timeline_cell_of(&left, &right);
		mixes[x] = timeline_mix_sum(&left, &right);
		if (cells[x].mixed || cells[x].left != cells[x].right)
			cells[x].mix = (uint32_t)x;
	}
	timeline_put_cells(canvas, (struct rect){ body.x, y, body.w, 1 }, cells, mixes, body.w, 0);
	for (int x = 0; x < body.w && p->state.reading; x++)
		if (time_scale_tick(&scale, x) > reached)
			canvas_glyph(canvas, body.x + x, y, GLYPH_DOT, ROLE_FRAME);
	free(sums);
}

/* Leaves blank lines between rows if there is room. */
static int pitch_of(const struct loading_panel *p, int h)
{
	return p->seen.rows && (int64_t)p->seen.rows * 2 <= h ? 2 : 1;
}

static void loading_draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct loading_panel *p = (const struct loading_panel *)panel;
	const int labels = p->seen.per_row > 1 ? 2 * LABELS : LABELS;
	const struct rect body = { area.x + labels + 2, area.y + 1, area.w - labels - 3,
				   area.h - 1 };
	const struct time_scale scale = { window_of(p).t0, window_of(p).t1, body.w };
	const int pitch = pitch_of(p, body.h);
	char name[2 * PREVIEW_NAME + 8];

	if (body.w < 4 || body.h < 1)
		return;
	if (!p->seen.any) {
		canvas_write(canvas, area.x + 1, area.y + area.h / 2, area.w - 2,
			     p->state.reading && !p->state.done ? "Waiting for the first events."
								: "No events yet.",
			     ROLE_MUTED);
		return;
	}
	timeline_draw_ruler(&scale, &p->seen.scale, canvas, body.x, area.y);
	for (uint32_t row = p->first; row < p->seen.rows; row++) {
		const int y = (int)(row - p->first) * pitch;
		if (y >= body.h)
			break;
		preview_name(loader_preview(p->loader), row, name, sizeof name);
		canvas_write(canvas, area.x + 1, body.y + y, labels, name, ROLE_LABEL);
		draw_row(p, canvas, body, body.y + y, row);
	}
}

/* ---- moving ---- */

static void scroll(struct loading_panel *p, int64_t by)
{
	const int h = p->panel.area.h - 1;
	const int64_t fit = h > 0 ? (h + pitch_of(p, h) - 1) / pitch_of(p, h) : 1;
	const int64_t last = (int64_t)p->seen.rows > fit ? (int64_t)p->seen.rows - fit : 0;
	const int64_t first = (int64_t)p->first + by;

	p->first = (uint32_t)(first < 0 ? 0 : first > last ? last : first);
}

static void zoom(struct loading_panel *p, bool in)
{
	const struct span whole = whole_of(p), w = window_of(p);
	const int64_t at = w.t0 + (w.t1 - w.t0) / 2;

	p->window = in ? zoom_in(w, at) : zoom_out(w, at, whole, NULL);
	p->moved = p->window.t0 > whole.t0 || p->window.t1 < whole.t1;
}

static void pan(struct loading_panel *p, int64_t eighths)
{
	const struct span whole = whole_of(p);
	const int64_t width = p->window.t1 - p->window.t0;
	int64_t t0 = p->window.t0 + width / 8 * eighths;

	if (!p->moved)
		return;
	if (t0 > whole.t1 - width)
		t0 = whole.t1 - width;
	if (t0 < whole.t0)
		t0 = whole.t0;
	p->window = (struct span){ t0, t0 + width };
}

static unsigned loading_act(struct panel *panel, enum action action, int count)
{
	struct loading_panel *p = self(panel);
	const int page = panel->area.h > 2 ? panel->area.h - 2 : 1;

	switch (action) {
	case ACTION_CANCEL:
		loader_stop(p->loader, true);
		p->stopping = true;
		break;
	case ACTION_ZOOM_IN: zoom(p, true); break;
	case ACTION_ZOOM_OUT: zoom(p, false); break;
	case ACTION_PAN_LEFT: pan(p, -2 * count); break;
	case ACTION_PAN_RIGHT: pan(p, 2 * count); break;
	case ACTION_LEFT: pan(p, -count); break;
	case ACTION_RIGHT: pan(p, count); break;
	case ACTION_WHOLE_RUN: p->moved = false; break;
	case ACTION_DOWN: scroll(p, count); break;
	case ACTION_UP: scroll(p, -count); break;
	case ACTION_PAGE_DOWN: scroll(p, page); break;
	case ACTION_PAGE_UP: scroll(p, -page); break;
	case ACTION_FIRST: scroll(p, INT32_MIN); break;
	case ACTION_LAST: scroll(p, INT32_MAX); break;
	default: return REACT_IGNORED;
	}
	return REACT_REDRAW;
}

bool loading_panel_place(const struct panel *panel, struct span *window, uint32_t *location)
{
	const struct loading_panel *p = (const struct loading_panel *)panel;

	*window = window_of(p);
	*location = p->first * p->seen.per_row;
	return p->moved || p->first > 0;
}

static void loading_status(const struct panel *panel, struct str *out)
{
	const struct loading_panel *p = (const struct loading_panel *)panel;

	if (!p->seen.any)
		return;
	if (p->moved) {
		units_span(out, p->window.t0, p->window.t1, &p->seen.scale, 2);
		str_add(out, "  ");
	}
	/* After reading, the last picture may lack the last events: no count. */
	if (!p->state.reading)
		return;
	units_count(out, p->seen.events);
	str_add(out, " events so far");
}

static const enum action known[] = { ACTION_CANCEL,   ACTION_ZOOM_IN,   ACTION_ZOOM_OUT,
				     ACTION_PAN_LEFT, ACTION_PAN_RIGHT, ACTION_WHOLE_RUN,
				     ACTION_DOWN,     ACTION_UP,        ACTION_PAGE_DOWN,
				     ACTION_PAGE_UP,  ACTION_FIRST,     ACTION_LAST,
				     ACTION_LEFT,     ACTION_RIGHT,     ACTION_NONE };

const struct panel_ops loading_panel_ops = {
	.actions = known,
	.size = sizeof(struct loading_panel),
	.close = loading_close,
	.draw = loading_draw,
	.act = loading_act,
	.status = loading_status,
};
