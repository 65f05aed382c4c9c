/* Places in views: the list of those that the user jumped from, to go back and forth along; and
 * marks, which have letters. */
#include <string.h>

#include "ui/app/application.h"

enum { PLACES_MOST = 100 };

/* ---- the list of jumps ---- */

struct place app_place(const struct app *app)
{
	const struct session *s = &app->session;
	const struct panel *panel = app->views[app->view].panel;
	struct place place = { .view = app->view,
			       .cursor = s->cursor,
			       .base = s->base,
			       .window = s->window,
			       .chosen = SELECTION_NONE };

	if (panel->ops->chosen && app->views[app->view].seen.generation == s->generation)
		panel->ops->chosen(panel, &place.chosen);
	return place;
}

static bool is_same(const struct place *a, const struct place *b)
{
	return a->view == b->view && a->cursor.location == b->cursor.location &&
	       a->cursor.event == b->cursor.event && a->cursor.time == b->cursor.time &&
	       selection_same(&a->chosen, &b->chosen);
}

/* Adds a place at the end of the list, which is cut where one stood in it. */
static void push(struct app *app, const struct place *place)
{
	struct jumps *j = &app->jumps;

	if (j->at < j->list.n)
		j->list.n = j->at + 1;
	if (j->list.n && is_same(vec_last(&j->list), place))
		j->list.n--;
	if (j->list.n == PLACES_MOST)
		memmove(j->list.data, j->list.data + 1, --j->list.n * sizeof *j->list.data);
	vec_push(&j->list, *place);
	j->at = j->list.n;
}

void app_jumped(struct app *app, const struct place *from)
{
	const struct session *s = &app->session;

	if (from->view != app->view || from->cursor.location != s->cursor.location ||
	    from->cursor.event != s->cursor.event || from->cursor.time != s->cursor.time)
		push(app, from);
}

/* Shows a place; of another time base only what has an event is exactly where it was. */
static void go(struct app *app, const struct place *place)
{
	struct session *s = &app->session;
	struct selection chosen = place->chosen;

	session_compare_end(s);
	if (app->overlay)
		app_close_overlay(app);
	if (place->view != app->view) {
		app->stack.n = 0;
		app_show_view(app, place->view);
	}
	if (place->base == s->base)
		session_zoom(s, place->window.t0, place->window.t1);
	if (place->cursor.event != EVENT_NONE)
		session_go_event(s, place->cursor.event);
	else if (place->base == s->base)
		session_set_cursor(s, place->cursor.location, place->cursor.time, EVENT_NONE);
	s->cursor.group = place->cursor.group;
	s->cursor.metric = place->cursor.metric;
	if (selection_is_none(&chosen)) {
		app_selection_seen(app, app->view);
		return;
	}
	const struct query query = session_query(s);
	selection_complete(&chosen, &query);
	session_select(s, &chosen);
}

static void say(struct app *app)
{
	const struct jumps *j = &app->jumps;

	if (!app->session.notice[0])
		session_notice(&app->session, false, "place %zu of %zu; %s back, %s forth",
			       j->at + 1, j->list.n,
			       session_key(&app->session, ACTION_JUMP_BACK).text,
			       session_key(&app->session, ACTION_JUMP_FORTH).text);
}

void app_act_jump(struct app *app, int by)
{
	struct jumps *j = &app->jumps;
	const struct place here = app_place(app);

	if (by < 0 && j->at == j->list.n && j->list.n) {
		/* To come forth again to where one is now. */
		push(app, &here);
		j->at--;
	}
	if (by < 0 ? j->at == 0 : j->at + 1 >= j->list.n) {
		session_notice(&app->session, false,
			       by < 0 ? "no earlier place" : "no later place");
		return;
	}
	j->at += by < 0 ? -(size_t)1 : 1;
	go(app, &j->list.data[j->at]);
	say(app);
}

void app_forget_places(struct app *app)
{
	app->jumps.list.n = app->jumps.at = 0;
}

/* ---- marks ---- */

static bool has_marks(const struct session *s)
{
	for (unsigned i = 0; i < MARKS; i++)
		if (s->marks[i].set)
			return true;
	return false;
}

void app_await_mark(struct app *app, int action)
{
	if (action == ACTION_MARK_GO && !has_marks(&app->session)) {
		session_notice(&app->session, false, "no mark is set; %s and a letter sets one",
			       session_key(&app->session, ACTION_MARK_SET).text);
		return;
	}
	app->awaiting = (enum action)action;
	if (action == ACTION_MARK_GO)
		app_open_overlay(app, &marks_panel_ops);
}

static void go_to_mark(struct app *app, unsigned mark)
{
	const struct place from = app_place(app);

	app_take_selection(app);
	session_go_mark(&app->session, mark);
	/* A view that does not show places gives way to one that does. */
	if (!app->views[app->view].panel->ops->land) {
		app->session.asked.goto_view = "timeline";
		app_react(app, REACT_REDRAW);
	}
	app_jumped(app, &from);
}

static void close_list(struct app *app)
{
	if (app->overlay && app->overlay->ops == &marks_panel_ops)
		app_close_overlay(app);
}

/* What moves in the list of marks; false: it is not for this. */
static bool list_key(struct app *app, const struct input *input)
{
	const enum action action =
		input->ch ? ACTION_NONE : bindings_find(app->options->bindings, input->key).action;
	struct panel *list = app->overlay;

	if (!list || list->ops != &marks_panel_ops)
		return false;
	if (strcmp(input->key, "Enter") == 0) {
		const unsigned mark = marks_panel_chosen(list);

		app->awaiting = ACTION_NONE;
		close_list(app);
		go_to_mark(app, mark);
		return true;
	}
	if (action == ACTION_NONE || action == ACTION_CANCEL || !panel_knows(list, action))
		return false;
	app_react(app, panel_act(list, action, 1));
	return true;
}

bool app_mark(struct app *app, int action, const char *argument, struct err *err)
{
	struct session *session = &app->session;
	const char letter[] = { argument[0], '\0' };
	const unsigned mark = (unsigned)(letter[0] - 'a');
	const char *note = *letter ? argument + 1 + strspn(argument + 1, " ") : "";
	OWNED_STR key = STR_INIT;

	if (letter[0] < 'a' || letter[0] > 'z' ||
	    (argument[1] && (argument[1] != ' ' || action != ACTION_MARK_SET)))
		return err_set(err, STATUS_USAGE, "marks are the letters a to z");
	bindings_add_key(app->options->bindings,
			 action == ACTION_MARK_SET ? ACTION_MARK_GO : ACTION_MARK_SET, &key);
	if (action == ACTION_MARK_SET) {
		session_mark(session, mark, note);
		session_notice(session, false, "mark %s set; %s%s returns to it", letter, key.text,
			       letter);
	} else if (session->marks[mark].set) {
		go_to_mark(app, mark);
	} else {
		return err_set(err, STATUS_USAGE, "mark %s is not set; press %s%s to set it",
			       letter, key.text, letter);
	}
	return true;
}

void app_mark_key(struct app *app, const struct input *input)
{
	const enum action action = app->awaiting;
	const char letter[] = { (char)input->ch, '\0' };
	struct err err = ERR_INIT;

	if (list_key(app, input))
		return;
	app->awaiting = ACTION_NONE;
	close_list(app);
	if (strcmp(input->key, "Escape") == 0)
		return;
	if (!app_mark(app, (int)action, input->ch < 128 ? letter : "", &err))
		session_notice(&app->session, true, "%s", err.text);
}
