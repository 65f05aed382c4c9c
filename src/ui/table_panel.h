/* table_panel: what all panels of tables do alike with the table in front, which panel_ops.pane names:
 * values for the slots of the same names. */
#ifndef TVIEW_UI_TABLE_PANEL_H
#define TVIEW_UI_TABLE_PANEL_H

#include "ui/panel.h"

bool table_panel_search(struct panel *panel, const char *pattern, int direction, struct err *err);
bool table_panel_work(struct panel *panel, unsigned *reactions);
void table_panel_describe(const struct panel *panel, struct str *out);
void table_panel_status(const struct panel *panel, struct str *out);

#endif
