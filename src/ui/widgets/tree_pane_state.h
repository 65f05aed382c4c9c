/* tree_pane_state: what items, rows and keys (tree_pane.c) and columns and drawing
 * (tree_pane_draw.c) of a tree share; no other file includes it. */
#pragma once

#include "ui/widgets/tree_pane.h"

enum { TREE_MARK = 2 }; /* columns of an expand mark */

/* The first row on a screen of h rows: as it was, but the cursor is in sight. */
uint32_t tree_pane_top(const struct tree_pane *tree, int h);
/* The column of an item's expand mark; right of the area if it is too deep. */
int tree_pane_mark(const struct tree_pane *tree, uint32_t item, struct rect area);
