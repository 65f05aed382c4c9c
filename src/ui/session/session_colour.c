/* What the colours of the timeline are. */
#include <string.h>

#include "ui/session/session.h"
#include "views/facts/timeline_shade.h"

void session_next_colours(struct session *session)
{
	struct colouring *c = &session->colouring;
	struct err err = ERR_INIT;

	if (!c->by_function &&
	    !colouring_choose(c, session->trace, session->base, session->progress, &err)) {
		if (*err.text)
			session_notice(session, true, "%s", err.text);
		return;
	}
	if (!c->by_function && c->n == 0) {
		session_notice(session, false, "no function takes any time");
		return;
	}
	c->by_function = !c->by_function;
	/* No function is hidden where classes are shown. */
	if (!c->by_function)
		c->hidden &= (UINT32_C(1) << STATE_FUNCTION) - 1;
	session->generation++;
	session_notice(session, false,
		       c->by_function ? "colours of the %u functions that take most time; %s names "
					"them, %s: by class"
				      : "colours by class",
		       c->n, session_key(session, ACTION_LEGEND).text,
		       session_key(session, ACTION_COLOUR).text);
}

void session_set_hidden_states(struct session *session, uint32_t states)
{
	if (states == session->colouring.hidden)
		return;
	session_remember(session, CHANGE_STATES);
	session->colouring.hidden = states;
	session->generation++;
}

void session_hide_state(struct session *session, unsigned state)
{
	session_set_hidden_states(session, state == UINT32_MAX ? 0
							       : session->colouring.hidden ^
									 UINT32_C(1) << state);
}

void session_states_text(const struct session *session, struct str *out)
{
	const uint32_t hidden = session->colouring.hidden;
	const struct query query = session_query(session);
	unsigned state = 0, n = 0;

	for (unsigned i = 0; i < STATE_COUNT; i++)
		if (hidden >> i & 1) {
			state = i;
			n++;
		}
	if (n == 1)
		timeline_state_text(&query, state, out);
	else if (n)
		str_add_fmt(out, "%u colours", n);
	str_add(out, n ? " hidden" : "all colours shown");
}

static uint32_t region_of_name(const struct trace *trace, const char *name)
{
	for (uint32_t r = 0; r < trace_region_count(trace); r++)
		if (strcmp(trace_region_name(trace, r), name) == 0)
			return r;
	return UINT32_MAX;
}

/* The same functions, by their names, in another trace of the same job. */
void session_continue_colours(struct session *now, const struct session *before)
{
	struct colouring *c = &now->colouring;

	*c = before->colouring;
	for (unsigned i = 0; i < c->n; i++) {
		c->function[i] = region_of_name(now->trace,
						trace_region_name(before->trace, c->function[i]));
		if (c->function[i] == UINT32_MAX) {
			*c = (struct colouring){ .hidden = 0 };
			return;
		}
	}
}
