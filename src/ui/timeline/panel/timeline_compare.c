/* Two locations in two time bases, one above the other: before above after (session_compare()). The
 * panel's picture is the lower one; the upper one is in the same columns. */
#include "ui/timeline/panel/timeline_state.h"
#include "views/facts/difference.h"

enum { CAPTION = 1, MOST_BAR = 3, MOST_GAP = 3 };
/* Used as message id where the pair is two members of a collective: no row has this id. */
#define PAIR_ARROW (NO_HIT - 1)

static const struct comparison *comparison_of(const struct timeline_panel *t)
{
	return &t->panel.session->comparison;
}

static bool is_single(const struct timeline_panel *t)
{
	return t->compared[0] == t->compared[1];
}

void timeline_compare_choose(struct timeline_panel *t)
{
	const struct comparison *c = comparison_of(t);

	if (!c->on)
		return;
	t->compared[0] = trace_event_location(t->panel.session->trace, c->send);
	t->compared[1] = c->recv == EVENT_NONE
				 ? t->compared[0]
				 : trace_event_location(t->panel.session->trace, c->recv);
}

struct query timeline_compare_query(const struct timeline_panel *t)
{
	const struct session *s = t->panel.session;

	return (struct query){ .trace = s->trace,
			       .base = s->base,
			       .t0 = s->window.t0,
			       .t1 = s->window.t1,
			       .locations = t->compared,
			       .n_locations = is_single(t) ? 1 : 2,
			       .progress = s->progress };
}

static struct query query_before(const struct timeline_panel *t)
{
	const struct comparison *c = comparison_of(t);
	struct query query = timeline_compare_query(t);

	query.base = c->before;
	query.t0 += c->shift;
	query.t1 += c->shift;
	return query;
}

void timeline_compare_split(struct timeline_panel *t)
{
	struct timeline_layout *below = &t->layout, *above = &t->before_layout;
	/* Near each other, that they can be compared: no more lines than the rows take. */
	const int rows = is_single(t) ? 1 : 2;
	const int bar = t->depth > MOST_BAR ? (int)t->depth : MOST_BAR;
	const int most = 2 * (CAPTION + rows * bar + (rows - 1) * MOST_GAP + 1);
	const int h = below->body.h < most ? below->body.h : most, half = h / 2;

	*above = *below;
	above->body.y += CAPTION;
	above->labels.y += CAPTION;
	above->body.h = above->labels.h = half > CAPTION ? half - CAPTION : 0;
	above->strip.h = above->ruler.h = above->details.h = 0;
	below->body.y += half + CAPTION;
	below->labels.y += half + CAPTION;
	below->body.h = below->labels.h = h - half > CAPTION ? h - half - CAPTION : 0;
}

/* ---- the arrow of the pair ---- */

/* The message that both events belong to, NO_ROW without. */
static uint32_t message_of(const struct timeline_panel *t)
{
	const struct trace *trace = t->panel.session->trace;
	const struct comparison *c = comparison_of(t);
	const uint32_t what = trace_event_what(trace, c->send);
	const struct message *m;

	if (c->recv == EVENT_NONE || what_kind(what) != EV_SEND || what_id(what) == ID_NONE)
		return NO_ROW;
	m = trace_message(trace, what_id(what));
	return m->send == c->send && m->recv == c->recv ? what_id(what) : NO_ROW;
}

uint32_t timeline_compare_arrow(const struct timeline_panel *t)
{
	const uint32_t message = message_of(t);

	return message == NO_ROW ? PAIR_ARROW : message;
}

/* The rows are the sender's and the receiver's, in the order in which they are compared. */
static void add_arrow(struct timeline_picture *p, const struct timeline_panel *t,
		      enum time_base base)
{
	const struct trace *trace = t->panel.session->trace;
	const struct comparison *c = comparison_of(t);
	const struct time_scale fine = { p->scale.t0, p->scale.t1, 2 * p->scale.n };
	const uint32_t message = timeline_compare_arrow(t);

	for (size_t i = 0; i < p->arrows.n; i++)
		if (p->arrows.data[i].id == message)
			return;
	if (is_single(t) || c->recv == EVENT_NONE || p->visible < 2)
		return;
	vec_push(&p->arrows,
		 ((struct timeline_arrow){
			 .id = message,
			 .from = 0,
			 .to = 1,
			 .x0 = time_scale_column(&fine, trace_event_time(trace, base, c->send)),
			 .x1 = time_scale_column(&fine, trace_event_time(trace, base, c->recv)) }));
}

bool timeline_compare_make(struct timeline_panel *t, struct err *err)
{
	const struct query query = query_before(t);
	const struct timeline_options options = timeline_options_of(t, &t->before_layout, &t->rows);

	if (!timeline_picture_make(&t->before, &query, t->shades, &options, err))
		return false;
	add_arrow(&t->before, t, query.base);
	add_arrow(&t->picture, t, t->panel.session->base);
	return true;
}

/* ---- drawing ---- */

/* "before (linear)  received 12.3 us before it was sent". */
static void caption_text(const struct timeline_panel *t, const char *when, enum time_base base,
			 bool *reversed, struct str *out)
{
	const struct trace *trace = t->panel.session->trace;
	const struct timescale *units = trace_scale(trace);
	const struct comparison *c = comparison_of(t);
	const int64_t send = trace_event_time(trace, base, c->send);
	const bool message = message_of(t) != NO_ROW;
	int64_t takes;

	str_add_fmt(out, "%s (%s)  ", when, time_base_name(base));
	*reversed = false;
	if (c->recv == EVENT_NONE) {
		str_add(out, "at ");
		units_human_time(out, send, units, 9);
		return;
	}
	takes = trace_event_time(trace, base, c->recv) - send;
	*reversed = takes < 0;
	if (takes < 0)
		str_add(out, message ? "received " : "one left ");
	units_human_time(out, takes < 0 ? -takes : takes, units, 4);
	if (takes < 0)
		str_add(out, message ? " before it was sent" : " before the other entered");
	else
		str_add(out, message ? " from sender to receiver"
				     : " from the begin of one to the end of the other");
}

static void draw_caption(const struct timeline_panel *t, const char *when, enum time_base base,
			 const struct timeline_layout *l, struct canvas *canvas)
{
	const struct comparison *c = comparison_of(t);
	const int x = l->labels.x, w = l->body.x + l->body.w - x;
	OWNED_STR text = STR_INIT;
	bool reversed;

	caption_text(t, when, base, &reversed, &text);
	canvas_write(canvas, x, l->body.y - CAPTION, w, text.text,
		     reversed ? ROLE_WARNING : ROLE_HEADER);
	str_clear(&text);
	if (base == c->before && c->shift) {
		str_add(&text, "shifted ");
		difference_move_text(&text, c->shift, trace_scale(t->panel.session->trace), 6);
		canvas_text_right(canvas, x + w / 2, l->body.y - CAPTION, w - w / 2, text.text,
				  ROLE_MUTED, ROLE_DEFAULT);
	}
}

void timeline_compare_draw(const struct timeline_panel *t, struct canvas *canvas)
{
	const struct query query = query_before(t);
	const struct timeline_focus focus = { -1, t->focus.message, NO_HIT, NULL };
	const struct timeline_view view = { .query = &query,
					    .picture = &t->before,
					    .focus = &focus };

	timeline_draw(&view, &t->before_layout, canvas);
	draw_caption(t, "before", query.base, &t->before_layout, canvas);
	draw_caption(t, "after", t->panel.session->base, &t->layout, canvas);
}
