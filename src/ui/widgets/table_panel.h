/* table_panel: what all panels of tables share for the table in front (panel_ops.pane):
 * TABLE_PANEL_SLOTS fills these slots of their panel_ops. */
#pragma once

#include "ui/widgets/panel.h"
#include "ui/widgets/table_pane.h"

bool table_panel_search(struct panel *panel, const char *pattern, int direction, struct err *err);
bool table_panel_work(struct panel *panel, unsigned *reactions);
void table_panel_chosen(const struct panel *panel, struct selection *selection);
void table_panel_describe(const struct panel *panel, struct str *out);
void table_panel_status(const struct panel *panel, struct str *out);

#define TABLE_PANEL_SLOTS                                                                         \
	.search = table_panel_search, .work = table_panel_work, .describe = table_panel_describe, \
	.status = table_panel_status
