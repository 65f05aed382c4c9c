/* Brings the picture up to date, and draws it. */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "ui/timeline/drawing/timeline_critical.h"
#include "ui/timeline/drawing/timeline_pixels.h"
#include "ui/timeline/panel/timeline_arrange.h"
#include "ui/timeline/panel/timeline_state.h"
#include "views/facts/clock_bounds.h"
#include "views/facts/iteration_sums.h"
#include "views/facts/wait_find.h"
#include "views/query/analyses.h"

/* Nanoseconds that the strip may take of a frame, and of a slice. */
enum { DETAIL_LINES = 2 };

/* The query of the rows that are shown: the session's, or a comparison's. */
static struct query timeline_frame_query(const struct timeline_panel *t)
{
	return t->panel.session->comparison.on ? timeline_compare_query(t)
					       : session_query(t->panel.session);
}

/* "ranks" if every location is one. */
static const char *noun_of_rows(const struct trace *trace)
{
	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		if (trace_location(trace, l)->thread > 0 || trace_location(trace, l)->rank < 0)
			return "locations";
	return "ranks";
}

/* A notice on how the rows are grouped. */
static void announce(struct timeline_panel *t)
{
	struct session *s = t->panel.session;
	const struct grouping *g = &t->rows.grouping;
	const unsigned n = (unsigned)g->groups.n, all = t->rows.n_locations;
	const char *noun = noun_of_rows(s->trace);

	s->asked.tell_groups = false;
	if (s->notice[0])
		return;
	switch (s->arrangement.key) {
	case BY_NODE: session_notice(s, false, "%u %s on %u nodes", all, noun, n); break;
	case BY_PROCESS: session_notice(s, false, "%u %s in %u processes", all, noun, n); break;
	case BY_RANGE:
		session_notice(s, false,
			       "%u %s in rows of %u; %s opens a row, %s changes the grouping", all,
			       noun, g->range, session_key(s, ACTION_ENTER).text,
			       session_key(s, ACTION_GROUP).text);
		break;
	case BY_LIKENESS:
		session_notice(
			s, false,
			"%u %s in %u groups of similar behaviour (time differs by up to %u %%)",
			all, noun, n, g->threshold);
		break;
	default: session_notice(s, false, "one row per %.*s", (int)strlen(noun) - 1, noun); break;
	}
}

/* The rows, and the cursor's row among them. */
static bool find_rows(struct timeline_panel *t, const struct query *query, struct err *err)
{
	struct session *s = t->panel.session;

	if (!t->rows.trace || t->rows_generation != s->rows_generation) {
		struct arrangement *a = &s->arrangement;

		/* Between keys they go on with groups; where no row is left no frame follows. */
		timeline_sums_forget(t->sums);
		timeline_counts_forget(t->counts);
		if (!timeline_rows_make(&t->rows, query, t->shades, err))
			return false;
		t->rows_generation = s->rows_generation;
		/* A grouping that was made to fit stays as it is, whatever is hidden later. */
		if (a->key == BY_RANGE && !s->comparison.on)
			a->range = t->rows.grouping.range;
		if (s->asked.tell_groups)
			announce(t);
	}
	if (t->rows.list.n == 0)
		return true;
	if (s->cursor.location >= trace_location_count(s->trace) ||
	    t->rows.group_of[s->cursor.location] == NO_GROUP) {
		s->cursor.location = t->rows.list.data[0].location;
		s->cursor.event = EVENT_NONE;
	}
	t->row =
		timeline_rows_find(&t->rows, s->cursor.location, s->cursor.group, s->cursor.metric);
	return true;
}

void timeline_frame_item(struct timeline_panel *t)
{
	const struct session *s = t->panel.session;
	const struct query query = timeline_frame_query(t);
	const struct time_scale *scale = &t->picture.scale;

	timeline_item_find(&t->item, &query, s->cursor.location, scale,
			   time_scale_column(scale, s->cursor.time), s->cursor.event, t->depth);
	t->focus = (struct timeline_focus){ -1, t->item.message, NO_HIT, NULL };
	if (t->item.message == NO_ROW && t->item.copy != NO_ROW)
		t->focus.message = ARROW_COPY | t->item.copy;
	if (t->item.member != NO_ROW)
		t->focus.collective = trace_member_collective(query.trace, t->item.member);
	if (s->comparison.on) {
		t->focus.message = timeline_compare_arrow(t);
	} else {
		timeline_chain_find(&t->chain, &t->picture, &query, t->focus.message,
				    t->focus.collective);
		t->focus.chain = &t->chain;
	}
	t->focus.row = timeline_nth_of(&t->picture, t->row);
}

/* The strip shows the run: a zoom does not change it. */
static bool make_strip(struct timeline_panel *t, const struct query *query, struct err *err)
{
	if (t->layout.strip.h == 0 ||
	    (t->strip.width == t->layout.strip.w && t->strip_generation == t->rows_generation &&
	     !timeline_strip_stale(&t->strip, query, t->shades)))
		return true;
	t->strip_generation = t->rows_generation;
	if (!timeline_strip_begin(&t->strip, query, t->shades, t->layout.strip.w, err))
		return false;
	timeline_strip_work(&t->strip, query, &t->rows, t->shades, FIRST_SLICE_NS, err);
	return true;
}

static bool is_stale(const struct timeline_panel *t, struct rect area)
{
	return !t->made || t->refined || t->generation != t->panel.session->generation ||
	       memcmp(&area, &t->area, sizeof area) != 0 || t->picture.first != t->first ||
	       t->picture.options.depth != t->depth || t->picture.options.ascii != t->ascii;
}

static bool make_all(struct timeline_panel *t, struct rect area, struct err *err)
{
	timeline_compare_choose(t);
	const struct query query = timeline_frame_query(t);
	const bool comparing = t->panel.session->comparison.on;
	struct timeline_options options;

	if (area.h > 0 && !comparing)
		t->panel.session->arrangement.fit = area.h > 8 ? (uint32_t)area.h - 4 : 4;
	if (area.h > 0 && !comparing && !t->fitted) {
		t->fitted = true;
		timeline_group_to_fit(t->shades, t->panel.session,
				      t->panel.session->arrangement.fit);
	}
	if (!find_rows(t, &query, err))
		return false;
	t->layout = timeline_layout(&query, &t->rows, area, DETAIL_LINES);
	if (comparing)
		timeline_compare_split(t);
	t->beside.layout.body.h = 0;
	const bool beside = timeline_beside_wanted(t);
	if (beside)
		timeline_beside_split(t);
	options = timeline_options_of(t, &t->layout, &t->rows);
	options.difference = query.difference;
	options.critical_path = query.critical_path;
	options.sums = t->sums;
	options.counts = t->counts;
	options.rows_generation = t->rows_generation;
	t->first = timeline_scroll(t->first, t->row, (uint32_t)t->rows.list.n, t->rows.pinned,
				   &options);
	options.first = t->first;
	return (!is_stale(t, area) ||
		(timeline_picture_make(&t->picture, &query, t->shades, &options, err) &&
		 (!comparing || timeline_compare_make(t, err)) &&
		 (!beside || timeline_beside_make(t, err)))) &&
	       make_strip(t, &query, err);
}

/* Of the cursor's location, or of its rank's first one: a thread has those of its process. False:
 * it has none. */
static bool find_level(const struct timeline_panel *t, const struct iterations *iterations,
		       int level, struct timeline_iterations *found)
{
	const struct session *s = t->panel.session;
	const int32_t rank = trace_location(s->trace, s->cursor.location)->rank;
	const uint32_t first = rank < 0 ? UINT32_MAX : trace_location_of_rank(s->trace, rank);

	found->begin = iterations_begins(iterations, level, s->cursor.location, &found->n);
	if (!found->begin && first != UINT32_MAX)
		found->begin = iterations_begins(iterations, level, first, &found->n);
	return found->begin != NULL;
}

bool timeline_frame_can_count(const struct timeline_panel *t)
{
	const struct session *s = t->panel.session;

	return analyses_iterations_kept(s->analyses, s->base, s->level) ||
	       analyses_causes(s->analyses, s->base);
}

/* The level that is shown; if that is one of several loops, all of them. */
static void find_iterations(struct timeline_panel *t)
{
	const struct session *s = t->panel.session;
	const struct query query = session_query(s);
	const struct iterations *iterations = NULL;
	const struct iteration_level *levels;
	struct err err = ERR_INIT;
	size_t n, shown;
	unsigned loops = 0;

	memset(t->iterations, 0, sizeof t->iterations);
	if (!s->counting || s->comparison.on || !timeline_frame_can_count(t) ||
	    !query_iterations(&query, s->level, &iterations, &err) || !iterations)
		return;
	levels = iterations_levels(iterations, &n, &shown);
	if (s->level != LEVEL_MAIN && (size_t)s->level < n)
		shown = (size_t)s->level;
	for (size_t i = 0; i < n && loops < TIMELINE_LOOPS; i++)
		if (i == shown || (levels[shown].loop && levels[i].loop))
			loops += find_level(t, iterations, (int)i, &t->iterations[loops]);
}

void timeline_frame_make(struct timeline_panel *t, struct rect area)
{
	struct err err = ERR_INIT;

	t->made = make_all(t, area, &err);
	t->generation = t->panel.session->generation;
	t->refined = false;
	t->area = area;
	str_clean(t->trouble, sizeof t->trouble, err.text, strlen(err.text));
	if (!t->made || t->rows.list.n == 0)
		return;
	timeline_frame_item(t);
	find_iterations(t);
}

/* ---- between frames ---- */

/* What is refined is shown at once where it ends, and else now and then. */
enum { REFINED_MS = 80 };

static void work_strip(struct timeline_panel *t, unsigned *reactions)
{
	const struct query query = timeline_frame_query(t);
	struct err err = ERR_INIT;

	if (!timeline_strip_work(&t->strip, &query, &t->rows, t->shades, SLICE_NS, &err))
		*reactions |= REACT_REDRAW;
}

bool timeline_frame_work(struct timeline_panel *t, unsigned *reactions)
{
	bool changed = false, more, open;

	if (!t->made || t->generation != t->panel.session->generation)
		return false;
	if (!timeline_sums_open(t->sums) && t->strip.width > 0 && !t->strip.done) {
		work_strip(t, reactions);
		return true;
	}
	if (!timeline_sums_open(t->sums) && timeline_counts_work(t->counts, &changed)) {
		open = more = true;
	} else {
		more = timeline_sums_work(t->sums, &changed);
		open = timeline_sums_open(t->sums);
	}
	t->refined |= changed;
	if (t->refined && (!open || clock_ms() - t->drawn > REFINED_MS)) {
		t->drawn = clock_ms();
		timeline_frame_make(t, t->area);
		*reactions |= REACT_REDRAW;
	}
	return more;
}

/* ---- drawing ---- */

/* "waits 1.702 ms": of a call whose waiting is kept with the trace, without an analysis. */
static void add_kept_waiting(const struct query *query, const struct timeline_item *item,
			     struct str *out)
{
	const struct wait_sums *sums = analyses_wait_sums(query->analyses, query->base);
	const int64_t edges[2] = { item->t0, item->t1 };
	uint64_t slots[WAIT_SLOTS] = { 0 }, all = 0;

	if (!sums || item->t0 >= item->t1 ||
	    trace_callpath_class(query->trace, item->path) == CLASS_USER)
		return;
	wait_sums_add(sums, item->location, edges, 1, slots);
	for (unsigned i = 0; i < WAIT_SLOTS; i++)
		all += slots[i];
	if (!all)
		return;
	str_add(out, "waits ");
	units_human_time(out, (int64_t)all, trace_scale(query->trace), 4);
}

/* "Late Sender 1.702 ms" of the visit under the cursor, at the end of the first line; columns that
 * it takes. */
static int draw_wait(const struct timeline_panel *t, const struct query *query,
		     struct canvas *canvas)
{
	const struct rect r = t->layout.details;
	const struct timeline_item *item = &t->item;
	const struct analysis *analysis = analyses_look(query->analyses, query->base);
	OWNED_STR text = STR_INIT;
	struct visit_waits waits = { NULL, 0, 0 };

	if (!query->analyses || !item->known || !item->path ||
	    timeline_cursor_row(t)->kind != ROW_LOCATION)
		return 0;
	if (analysis)
		waits = waits_of_visit(analysis, item->location, item->path, item->t0, item->t1);
	else
		add_kept_waiting(query, item, &text);
	if (waits.longest) {
		struct wait_bounds bounds;

		wait_bounds_begin(&bounds, query, BOUNDS_PEEK);
		wait_text(query->trace, &bounds, item->location, waits.longest, &text);
		if (waits.n > 1)
			str_add_fmt(&text, " and %zu more", waits.n - 1);
		if (query->corrections &&
		    clock_bounds_unsure(&query->corrections->room, query->trace, query->base,
					item->location, waits.longest))
			str_add(&text, ", uncertain");
	}
	if (!text.n)
		return 0;
	canvas_text_right(canvas, r.x, r.y, r.w, text.text, ROLE_WARNING, ROLE_DEFAULT);
	return text_width(text.text) + 2;
}

static void draw_details(const struct timeline_panel *t, const struct query *query,
			 struct canvas *canvas)
{
	const struct rect r = t->layout.details;
	const bool on_event = t->panel.session->cursor.event != EVENT_NONE;
	const uint8_t kind = timeline_cursor_row(t)->kind;
	OWNED_STR what = STR_INIT, where = STR_INIT, marker = STR_INIT;

	if (on_event || kind == ROW_LOCATION)
		timeline_item_difference(&t->item, query, &marker);
	else if (kind == ROW_GROUP)
		timeline_difference_text(&t->picture, query, t->row, t->panel.session->cursor.time,
					 &marker);
	str_add(&marker, marker.n ? "   " : "");
	if (on_event || kind == ROW_LOCATION) {
		const size_t before = marker.n;
		timeline_critical_text(&t->item, query, &marker);
		str_add(&marker, marker.n > before ? "   " : "");
	}
	if (on_event || kind == ROW_LOCATION)
		timeline_item_text(&t->item, query, &what, &where);
	else if (kind == ROW_COUNTER)
		timeline_counter_text(&t->picture, query, t->shades, t->row,
				      t->panel.session->cursor.time, &what, &where);
	else
		timeline_group_text(&t->picture, query, t->row, t->panel.session->cursor.time,
				    &what, &where);
	if (timeline_marker_text(query->trace, &t->picture.scale, t->panel.session->cursor.time,
				 &marker))
		str_add(&marker, "   ");
	str_add(&marker, where.text);
	if (r.h > 0) {
		const int room = r.w - draw_wait(t, query, canvas);

		canvas_write(canvas, r.x, r.y, room, what.text, ROLE_VALUE);
	}
	if (r.h > 1)
		canvas_write(canvas, r.x, r.y + 1, r.w, marker.text, ROLE_MUTED);
}

/* The bars and lines as pixels, where the terminal shows pictures; false: as cells. */
static bool draw_pixels(const struct timeline_panel *t, const struct timeline_view *view,
			struct canvas *canvas)
{
	const struct rect body = t->layout.body;
	struct timeline_options options = timeline_options_of(t, &t->layout, &t->rows);
	struct timeline_picture fine = { 0 };
	bool ok;

	if (canvas->cell_w == 0 || t->panel.session->comparison.on || t->beside.layout.body.h > 0 ||
	    body.w < 1 || body.h < 1)
		return false;
	options.width = body.w * canvas->cell_w;
	options.ascii = true; /* a state a column */
	options.first = t->first;
	ok = timeline_picture_make(&fine, view->query, t->shades, &options, NULL);
	if (ok) {
		canvas_drop_pixels(canvas);
		canvas->pixels = xmalloc(sizeof *canvas->pixels);
		pixels_init(canvas->pixels, body, canvas->cell_w, canvas->cell_h);
		timeline_pixels_draw(view, &fine, canvas->pixels, canvas->cell_w, canvas->cell_h);
	}
	timeline_picture_fini(&fine);
	return ok;
}

static void draw_made(const struct timeline_panel *t, struct canvas *canvas)
{
	const struct session *s = t->panel.session;
	const struct query query = timeline_frame_query(t);
	struct timeline_view view = { .query = &query,
				      .picture = &t->picture,
				      .strip = &t->strip,
				      .focus = &t->focus,
				      .cursor = true,
				      .cursor_time = s->cursor.time,
				      .select = s->selection,
				      .iterations = t->iterations };

	view.pixels = draw_pixels(t, &view, canvas);
	timeline_draw(&view, &t->layout, canvas);
	timeline_matches_draw(t, canvas);
	if (s->comparison.on)
		timeline_compare_draw(t, canvas);
	else if (t->beside.layout.body.h > 0)
		timeline_beside_draw(t, canvas);
	draw_details(t, &query, canvas);
}

void timeline_frame_fini(struct timeline_panel *t)
{
	timeline_sums_free(t->sums);
	timeline_counts_free(t->counts);
	timeline_picture_fini(&t->picture);
	timeline_chain_fini(&t->chain);
	timeline_picture_fini(&t->before);
	timeline_beside_fini(&t->beside);
	timeline_strip_fini(&t->strip);
	timeline_rows_fini(&t->rows);
}

/* Another size than was asked for last: a picture for this frame only. */
static void draw_once(const struct timeline_panel *t, struct canvas *canvas, struct rect area)
{
	struct timeline_panel once = { .panel = t->panel,
				       .shades = t->shades,
				       .depth = t->depth,
				       .first = t->first,
				       .looked = t->looked,
				       .ascii = canvas->ascii };

	timeline_frame_make(&once, area);
	if (once.made)
		draw_made(&once, canvas);
	else
		canvas_write(canvas, area.x + 1, area.y, area.w - 1, once.trouble, ROLE_ERROR);
	timeline_frame_fini(&once);
}

void timeline_frame_draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct timeline_panel *t = (const struct timeline_panel *)panel;
	const struct session *s = panel->session;

	if (s->rows.n == 0)
		canvas_write(canvas, area.x + 1, area.y, area.w - 1, "This trace has no ranks.",
			     ROLE_MUTED);
	else if (t->made && t->rows.list.n == 0)
		canvas_text_fmt(canvas, area.x + 1, area.y, area.w - 1, ROLE_MUTED,
				"The filter excludes all ranks; press %s to change it.",
				session_key(s, ACTION_FILTER).text);
	else if (t->made && memcmp(&area, &t->area, sizeof area) == 0 &&
		 t->generation == s->generation && t->ascii == canvas->ascii)
		draw_made(t, canvas);
	else
		draw_once(t, canvas, area);
}
