/* loading_panel: the screen while a trace loads: progress, remaining time, and a coarse timeline of
 * the part read so far, the rest shown as missing. It can be zoomed, panned and scrolled; then the
 * trace opens at that place.
 *
 * The panel owns the loader. Its session stays NULL. */
#pragma once

#include "ui/session/loader.h"
#include "ui/widgets/panel.h"

extern const struct panel_ops loading_panel_ops;

void loading_panel_begin(struct panel *panel, struct loader *loader /* taken */);
struct loader *loading_panel_loader(const struct panel *panel);
/* Appends the present step, and what `key` does, that cancels. */
void loading_panel_stage(const struct panel *panel, const char *key, struct str *out);
/* Handles the loader's progress; false when it has ended. */
bool loading_panel_update(struct panel *panel);
/* The state of the preview at the last update. */
const struct preview_state *loading_panel_seen(const struct panel *panel);
/* The line above the picture: "reading  37 %  412 of 1,204 MB  8 s left". */
void loading_panel_progress(const struct panel *panel, struct canvas *canvas, struct rect row);
/* The window and row reached by keys; false if no key moved them. Ticks of the measured base. */
bool loading_panel_place(const struct panel *panel, struct span *window, uint32_t *location);
