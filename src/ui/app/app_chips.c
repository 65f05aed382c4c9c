/* The line under the views' names: what narrows or alters what they show, each with the key that
 * takes it back. It is there only while there is something to say. A click takes one back, the
 * action CLEAR the last one. */
#include <string.h>

#include "base/text.h"
#include "ui/app/application.h"
#include "views/facts/aligned_times.h"
#include "views/facts/match_search.h"
#include "views/query/second_trace.h"

enum chip_kind {
	CHIP_WINDOW,
	CHIP_ROWS,
	CHIP_STATES,
	CHIP_BESIDE,
	CHIP_BASE,
	CHIP_FILTER,
	CHIP_SEQUENCE,
	CHIP_CHAIN,
	CHIPS
};

static bool is_on(const struct session *s, enum chip_kind kind)
{
	switch (kind) {
	case CHIP_WINDOW: return s->window.t0 != s->run.t0 || s->window.t1 != s->run.t1;
	case CHIP_ROWS: return s->hidden.n > 0;
	case CHIP_STATES: return s->colouring.hidden != 0;
	case CHIP_BESIDE: return s->other && !s->other_hidden;
	case CHIP_BASE: return s->base != s->usual_base;
	case CHIP_FILTER: return s->filter != NULL;
	case CHIP_SEQUENCE: return s->sequence.sequence != NULL;
	case CHIP_CHAIN: return s->chain.n > 0;
	default: return false;
	}
}

/* The action that takes back such a one alone; ACTION_NONE: there is no key but CLEAR. */
static enum action action_of(enum chip_kind kind)
{
	return kind == CHIP_WINDOW  ? ACTION_WHOLE_RUN
	       : kind == CHIP_ROWS  ? ACTION_SHOW_ALL
	       : kind == CHIP_CHAIN ? ACTION_CANCEL
				    : ACTION_NONE;
}

/* "sequence, 80 found: MPI_Isend+ MPI_Waitall", brief "sequence: MPI_Isend+ MPI_Waitall". */
static void add_sequence(const struct session *s, bool brief, struct str *out)
{
	const struct match_search *found = brief ? NULL : session_found(s);

	str_add(out, "sequence");
	if (found) {
		str_add(out, ", ");
		units_count(out, match_search_count(found));
		str_add(out, " found");
	}
	if (found && !match_search_ended(found))
		str_add_fmt(out, " so far (%.0f %%)", 100 * match_search_done(found));
	str_add(out, ": ");
	str_add_clean_text(out, sequence_text(s->sequence.sequence));
}

/* `brief`: for want of room. */
static void add_text(const struct session *s, enum chip_kind kind, bool brief, struct str *out)
{
	const struct timescale *scale = trace_scale(s->trace);

	switch (kind) {
	case CHIP_WINDOW:
		str_add(out, s->window_restored ? "window of the last session " : "window ");
		units_span(out, s->window.t0, s->window.t1, scale, 2);
		if (brief)
			break;
		str_add(out, " of ");
		units_human_time(out, s->run.t1 - 1 - s->run.t0, scale, 3);
		if (s->window.t0 == s->core.t0 && s->window.t1 == s->core.t1)
			str_add(out, ", without MPI_Init and MPI_Finalize");
		break;
	case CHIP_ROWS:
		str_add_fmt(out, "%zu of %zu rows hidden", s->hidden.n, s->hidden.n + s->rows.n);
		break;
	case CHIP_STATES: session_states_text(s, out); break;
	case CHIP_BESIDE:
		str_add(out, "beside ");
		trace_add_name(s->other->all[0].trace, out);
		if (s->alignment != ALIGNED_BY_TIME)
			str_add_fmt(out, " by %s",
				    times_alignment_name((enum times_alignment)s->alignment));
		break;
	case CHIP_BASE: str_add_fmt(out, "%s times", time_base_name(s->base)); break;
	case CHIP_FILTER:
		str_add(out, "filter ");
		str_add_clean_text(out, filter_text(s->filter));
		break;
	case CHIP_SEQUENCE: add_sequence(s, brief, out); break;
	case CHIP_CHAIN:
		str_add_fmt(out, "chain of causes: hop %u of %u", s->chain.at, s->chain.n);
		break;
	default: break;
	}
}

static enum chip_kind last_one(const struct session *s)
{
	enum chip_kind last = CHIPS;

	for (int kind = 0; kind < CHIPS; kind++)
		if (is_on(s, (enum chip_kind)kind))
			last = (enum chip_kind)kind;
	return last;
}

bool app_has_chips(const struct app *app)
{
	return app->has_session && app_has_tabs(&app->canvas) && !app->session.comparison.on &&
	       last_one(&app->session) != CHIPS;
}

/* ---- the line ---- */

/* Key and text of one; "" for the key where it has none. */
static void write_chip(const struct app *app, enum chip_kind kind, bool brief, struct str *key,
		       struct str *text)
{
	const struct session *s = &app->session;
	enum action action = action_of(kind);

	if (action == ACTION_NONE && kind == last_one(s))
		action = ACTION_CLEAR;
	str_clear(key);
	str_clear(text);
	if (action != ACTION_NONE)
		bindings_add_key(app->options->bindings, action, key);
	add_text(s, kind, brief, text);
}

static int width_of(const struct str *key, const struct str *text)
{
	return (key->n ? text_width(key->text) + 1 : 0) + text_width(text->text) + 3;
}

/* Whether they do not fit in full. */
static bool is_tight(const struct app *app)
{
	OWNED_STR key = STR_INIT, text = STR_INIT;
	int w = 1;

	for (int kind = 0; kind < CHIPS; kind++) {
		if (!is_on(&app->session, (enum chip_kind)kind))
			continue;
		write_chip(app, (enum chip_kind)kind, false, &key, &text);
		w += width_of(&key, &text);
	}
	return w - 2 > app->canvas.w;
}

void app_draw_chips(const struct app *app, struct canvas *canvas, int y)
{
	const struct session *s = &app->session;
	const bool brief = is_tight(app);
	OWNED_STR key = STR_INIT, text = STR_INIT;
	int x = 1;

	for (int kind = 0; kind < CHIPS; kind++) {
		if (!is_on(s, (enum chip_kind)kind))
			continue;
		write_chip(app, (enum chip_kind)kind, brief, &key, &text);
		if (x >= canvas->w)
			break;
		if (key.n)
			x += canvas_text(canvas, x, y, canvas->w - x, key.text, ROLE_HINT_KEY,
					 ROLE_DEFAULT, ATTR_BOLD) +
			     1;
		x += canvas_write(canvas, x, y, canvas->w - x - 1, text.text, ROLE_WARNING) + 3;
	}
}

/* Mirrors app_draw_chips(). */
int app_chip_at(const struct app *app, int x)
{
	const struct session *s = &app->session;
	const bool brief = is_tight(app);
	OWNED_STR key = STR_INIT, text = STR_INIT;
	int at = 1;

	for (int kind = 0; kind < CHIPS; kind++) {
		if (!is_on(s, (enum chip_kind)kind))
			continue;
		write_chip(app, (enum chip_kind)kind, brief, &key, &text);
		if (x >= at && x < at + width_of(&key, &text) - 2)
			return kind;
		at += width_of(&key, &text);
	}
	return -1;
}

/* ---- taking back ---- */

void app_clear_chip(struct app *app, int chip)
{
	struct session *s = &app->session;
	struct err err = ERR_INIT;
	bool ok = true;

	switch ((enum chip_kind)chip) {
	case CHIP_WINDOW: session_zoom(s, s->run.t0, s->run.t1); break;
	case CHIP_ROWS: session_show_all(s); break;
	case CHIP_STATES: session_set_hidden_states(s, 0); break;
	case CHIP_BESIDE: session_hide_other(s, true); break;
	case CHIP_BASE: ok = session_set_base(s, s->usual_base, &err); break;
	case CHIP_FILTER: ok = session_set_filter(s, "", &err); break;
	case CHIP_SEQUENCE: ok = session_set_sequence(s, "", &err); break;
	case CHIP_CHAIN: app_close_overlay(app); break;
	default: return;
	}
	if (!ok)
		session_notice(s, true, "%s", err.text);
}

void app_act_clear(struct app *app)
{
	struct session *s = &app->session;
	OWNED_STR text = STR_INIT;
	const enum chip_kind last = last_one(s);

	if (last == CHIPS || s->comparison.on) {
		session_notice(s, false, "nothing narrows the view");
		return;
	}
	add_text(s, last, false, &text);
	app_clear_chip(app, (int)last);
	if (!s->notice[0])
		session_notice(s, false, "cleared: %s; %s brings it back", text.text,
			       session_key(s, ACTION_UNDO).text);
}
