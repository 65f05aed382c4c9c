/* Initial position of the cursor. */
#include "ui/timeline/panel/timeline_state.h"
#include "views/facts/run_core.h"

/* An unmoved cursor goes to the middle of the program's own part, where zooming in shows
 * something. */
void timeline_look_first(struct timeline_panel *t)
{
	struct session *s = t->panel.session;
	const double run = (double)s->run.t1 - (double)s->run.t0;
	struct span core;

	if (t->looked)
		return;
	t->looked = true;
	if (s->timed || s->cursor.event != EVENT_NONE || s->cursor.time != s->run.t0 ||
	    s->window.t0 != s->run.t0 || s->window.t1 != s->run.t1)
		return;
	core = run_core(s->trace, s->base, s->run, true);
	s->cursor.time = core.t0 + (core.t1 - core.t0) / 2;
	if ((double)core.t1 - (double)core.t0 < run / 2 && !s->notice[0])
		session_notice(s, false,
			       "MPI_Init and MPI_Finalize take %.0f %% of the run; w zooms in "
			       "between them",
			       100 * (1 - ((double)core.t1 - (double)core.t0) / run));
}
