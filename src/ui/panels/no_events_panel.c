/* Shown instead of the views of events if none were recorded: why, and where to look instead. */
#include "ui/panels/panels.h"

struct no_events_panel {
	struct panel panel;
};

static const enum action actions[] = { ACTION_ENTER, ACTION_NONE };

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	OWNED_STR way = STR_INIT;
	str_add_fmt(&way, "Press %s for the program graph.",
		    session_key(panel->session, ACTION_ENTER).text);
	const char *const lines[] = {
		"This run was recorded with tvrun --statistics: no events.",
		"To see calls, messages and waits record it without --statistics.",
		way.text,
	};

	for (int i = 0; i < 3; i++)
		canvas_write(canvas, area.x + 1, area.y + (area.h > 4) + i, area.w - 2, lines[i],
			     i ? ROLE_MUTED : ROLE_DEFAULT);
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	(void)count;
	if (action != ACTION_ENTER)
		return REACT_IGNORED;
	panel->session->asked.goto_view = "graph";
	return REACT_REDRAW;
}

const struct panel_ops no_events_panel_ops = {
	.actions = actions,
	.enter_hint = "graph",
	.size = sizeof(struct no_events_panel),
	.draw = draw,
	.act = act,
};
