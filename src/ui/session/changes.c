#include "ui/session/changes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ui/session/session.h"

enum { UNDO_DEPTH = 200 };

static void change_fini(struct change *change)
{
	free(change->text);
	free(change->locations);
}

void changes_cut(struct changes *changes, size_t undo)
{
	while (changes->undo.n > undo) {
		struct change last = vec_pop(&changes->undo);
		change_fini(&last);
	}
	while (changes->redo.n) {
		struct change last = vec_pop(&changes->redo);
		change_fini(&last);
	}
}

void changes_fini(struct changes *changes)
{
	changes_cut(changes, 0);
	vec_fini(&changes->undo);
	vec_fini(&changes->redo);
}

const struct span *changes_last_window(const struct changes *changes)
{
	const struct change *last = changes->undo.n ? vec_last(&changes->undo) : NULL;

	return last && last->kind == CHANGE_WINDOW ? &last->window : NULL;
}

static void copy_locations(struct change *change, const uint32_t *locations, size_t n)
{
	change->n = (uint32_t)n;
	change->locations = xmalloc((n + 1) * sizeof *change->locations);
	if (n)
		memcpy(change->locations, locations, n * sizeof *locations);
}

/* What the session has now. */
static struct change value_of(const struct session *s, enum change_kind kind)
{
	const struct sequence *sequence = s->sequence.sequence;
	struct change change = { .kind = kind };

	switch (kind) {
	case CHANGE_WINDOW: change.window = s->window; break;
	case CHANGE_FILTER: change.text = s->filter ? xstrdup(filter_text(s->filter)) : NULL; break;
	case CHANGE_SEQUENCE:
		change.text = sequence ? xstrdup(sequence_text(sequence)) : NULL;
		break;
	case CHANGE_ROWS: copy_locations(&change, s->hidden.data, s->hidden.n); break;
	case CHANGE_GROUPS:
		change.key = s->arrangement.key;
		change.range = s->arrangement.range;
		copy_locations(&change, s->arrangement.opened.data, s->arrangement.opened.n);
		break;
	case CHANGE_BASE:
		change.base = s->base;
		change.window = s->window;
		change.cursor = s->cursor.time;
		break;
	case CHANGE_STATES: change.states = s->colouring.hidden; break;
	case CHANGE_OTHER: change.hidden = s->other_hidden; break;
	}
	return change;
}

void session_remember(struct session *s, enum change_kind kind)
{
	struct changes *c = &s->changes;

	if (c->held)
		return;
	changes_cut(c, c->undo.n);
	if (c->undo.n == UNDO_DEPTH) {
		change_fini(&c->undo.data[0]);
		c->undo.n--;
		memmove(c->undo.data, c->undo.data + 1, c->undo.n * sizeof *c->undo.data);
	}
	vec_push(&c->undo, value_of(s, kind));
}

/* ---- back and forth ---- */

static void apply_rows(struct session *s, const struct change *change)
{
	session_show_all(s);
	session_hide_all(s, change->locations, change->n);
}

static void apply_groups(struct session *s, const struct change *change)
{
	session_group(s, change->key, change->range);
	for (uint32_t i = 0; i < change->n; i++)
		vec_push(&s->arrangement.opened, change->locations[i]);
}

/* The values were the session's, so that they fit; a filter may name what a later look at a job
 * lacks. */
static bool apply(struct session *s, const struct change *change)
{
	struct err err = ERR_INIT;
	bool ok = true;

	s->changes.held = true;
	switch (change->kind) {
	case CHANGE_WINDOW: session_show_window(s, change->window); break;
	case CHANGE_FILTER: ok = session_set_filter(s, change->text, &err); break;
	case CHANGE_SEQUENCE: ok = session_set_sequence(s, change->text, &err); break;
	case CHANGE_ROWS: apply_rows(s, change); break;
	case CHANGE_GROUPS: apply_groups(s, change); break;
	case CHANGE_STATES: session_set_hidden_states(s, change->states); break;
	case CHANGE_OTHER: session_hide_other(s, change->hidden); break;
	case CHANGE_BASE:
		ok = session_set_base(s, change->base, &err);
		if (ok) {
			s->cursor.time = change->cursor;
			session_show_window(s, change->window);
		}
		break;
	}
	s->changes.held = false;
	if (!ok)
		session_notice(s, true, "%s", err.text);
	return ok;
}

/* "filter rank == 3": what the session has of that kind. */
static void name(const struct session *s, enum change_kind kind, struct str *out)
{
	const struct timescale *scale = trace_scale(s->trace);
	const struct sequence *sequence = s->sequence.sequence;
	const struct span w = s->window;

	switch (kind) {
	case CHANGE_WINDOW:
		if (w.t0 == s->run.t0 && w.t1 == s->run.t1) {
			str_add(out, "whole run");
			return;
		}
		str_add(out, "window ");
		units_span(out, w.t0, w.t1, scale, 4);
		break;
	case CHANGE_FILTER:
		str_add_fmt(out, s->filter ? "filter %s" : "no filter",
			    s->filter ? filter_text(s->filter) : "");
		break;
	case CHANGE_SEQUENCE:
		str_add_fmt(out, sequence ? "sequence %s" : "no sequence",
			    sequence ? sequence_text(sequence) : "");
		break;
	case CHANGE_ROWS:
		if (s->hidden.n)
			str_add_fmt(out, "%zu hidden row%s", s->hidden.n,
				    s->hidden.n == 1 ? "" : "s");
		else
			str_add(out, "all rows shown");
		break;
	case CHANGE_GROUPS:
		str_add_fmt(out, s->arrangement.key == BY_NONE ? "no groups" : "groups by %s",
			    group_key_name(s->arrangement.key));
		break;
	case CHANGE_BASE: str_add_fmt(out, "%s times", time_base_name(s->base)); break;
	case CHANGE_STATES: session_states_text(s, out); break;
	case CHANGE_OTHER:
		str_add(out, s->other_hidden ? "other trace hidden" : "other trace shown");
		break;
	}
}

/* Takes the latest of `from` back, which goes to `to`. What is undone is named as it was before,
 * what is made again as it is then. */
static bool take_back(struct session *s, change_list *from, change_list *to, bool undo)
{
	OWNED_STR what = STR_INIT;
	struct change change, now;

	if (from->n == 0)
		return false;
	change = vec_pop(from);
	now = value_of(s, change.kind);
	if (undo)
		name(s, change.kind, &what);
	if (apply(s, &change)) {
		if (!undo)
			name(s, change.kind, &what);
		session_notice(s, false, "%s: %s", undo ? "undone" : "redone", what.text);
	}
	vec_push(to, now);
	change_fini(&change);
	return true;
}

bool session_undo(struct session *s)
{
	return take_back(s, &s->changes.undo, &s->changes.redo, true);
}

bool session_redo(struct session *s)
{
	return take_back(s, &s->changes.redo, &s->changes.undo, false);
}
