/* What the timeline shows before any key has moved it. */
#include "ui/timeline/panel/timeline_state.h"
#include "views/facts/run_core.h"

/* The program's own part of the run: MPI_Init may take most of it. A run that is compared is shown
 * as a whole. */
static void look_at_core(struct session *s)
{
	const double run = (double)s->run.t1 - (double)s->run.t0;
	const double core = (double)s->core.t1 - (double)s->core.t0;

	session_show_window(s, s->core);
	if (!s->notice[0])
		session_notice(s, false, "%s%.0f %% of the run left out; %s shows all of it",
			       core / run < 0.005 ? "over " : "",
			       core / run < 0.005 ? 99 : 100 * (1 - core / run),
			       session_key(s, ACTION_WHOLE_RUN).text);
}

/* An unmoved cursor goes to the middle of that part, where zooming in shows something. */
void timeline_look_first(struct timeline_panel *t)
{
	struct session *s = t->panel.session;
	struct span core;

	if (t->looked)
		return;
	t->looked = true;
	if (s->timed || s->cursor.event != EVENT_NONE || s->cursor.time != s->run.t0 ||
	    s->window.t0 != s->run.t0 || s->window.t1 != s->run.t1)
		return;
	session_find_core(s);
	if (!s->other && (s->core.t0 != s->run.t0 || s->core.t1 != s->run.t1))
		look_at_core(s);
	core = run_core(s->trace, s->base, s->window, true);
	s->cursor.time = core.t0 + (core.t1 - core.t0) / 2;
}
