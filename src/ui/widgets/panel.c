#include "ui/widgets/panel.h"

#include <stdlib.h>

#include "base/mem.h"

struct panel *panel_new(const struct panel_ops *ops, struct session *session, struct err *err)
{
	struct panel *panel = xcalloc(1, ops->size);
	panel->ops = ops;
	panel->session = session;
	if (ops->open && !ops->open(panel, session, err)) {
		free(panel);
		return NULL;
	}
	return panel;
}

void panel_free(struct panel *panel)
{
	if (!panel)
		return;
	if (panel->ops->close)
		panel->ops->close(panel);
	free(panel);
}
