/* Time bases: the next one, and what it changed. */
#include "ui/app/application.h"
#include "views/facts/difference.h"
#include "views/facts/place_words.h"

/* Why there is only one base. */
static const char *why_alone(const struct session *session)
{
	const struct corrections *c = session->corrections;
	return c && c->fit.why[0] ? c->fit.why
				  : "neither clock offsets nor measurement costs were recorded";
}

void app_act_next_base(struct app *app)
{
	struct session *session = &app->session;
	enum time_base base = session->base;
	do
		base = (base + 1) % BASE_COUNT;
	while (base != session->base && !trace_has_base(session->trace, base));
	struct err err = ERR_INIT;
	if (base == session->base)
		session_notice(session, false, "only %s times are available: %s",
			       time_base_name(base), why_alone(session));
	else if (session_set_base(session, base, &err))
		session_notice(session, false, "now showing %s times (%s)", time_base_name(base),
			       words_base(base));
	else
		session_notice(session, true, "%s", err.text);
}

/* How far the selected event was moved. */
static void add_move(const struct session *session, struct str *out)
{
	const enum time_base from =
		difference_reference(session->trace, session->corrections, session->base);
	const uint32_t event = session->chosen.event;
	if (event == EVENT_NONE || from == session->base)
		return;
	str_add(out, "this event ");
	difference_move_text(out,
			     trace_event_time(session->trace, session->base, event) -
				     trace_event_time(session->trace, from, event),
			     trace_scale(session->trace), 4);
	str_add(out, "; ");
}

void app_act_difference(struct app *app)
{
	struct session *session = &app->session;
	const bool on = !session->difference;
	struct err err = ERR_INIT;
	OWNED_STR text = STR_INIT;
	if (!session_set_difference(session, on, &err)) {
		session_notice(session, true, "%s", err.text);
		return;
	}
	app_take_selection(app);
	add_move(session, &text);
	difference_sentence(session->trace, session->corrections, session->base, &text);
	session_notice(session, false, "%s", on ? text.text : "differences off");
}
