/* views: the table of all views (view_registry.h). To add a view, add a row to views.c and write
 * the view's own files. */
#ifndef TVIEW_UI_APP_VIEWS_H
#define TVIEW_UI_APP_VIEWS_H

#include "views/export/view_registry.h"

extern const struct view_registry all_views;

#endif
