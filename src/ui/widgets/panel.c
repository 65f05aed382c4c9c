#include "ui/widgets/panel.h"

#include <stdlib.h>

#include "base/mem.h"

struct panel *panel_new(const struct panel_ops *ops, struct session *session)
{
	struct panel *panel = xcalloc(1, ops->size);
	panel->ops = ops;
	panel->session = session;
	if (ops->open)
		ops->open(panel);
	return panel;
}

bool panel_knows(const struct panel *panel, enum action action)
{
	for (const enum action *a = panel->ops->actions; a && *a != ACTION_NONE; a++)
		if (*a == action)
			return true;
	return false;
}

unsigned panel_act(struct panel *panel, enum action action, int count)
{
	return panel_knows(panel, action) ? panel->ops->act(panel, action, count) : REACT_IGNORED;
}

void panel_free(struct panel *panel)
{
	if (!panel)
		return;
	if (panel->ops->close)
		panel->ops->close(panel);
	free(panel);
}
