/* views: the table of all views (view_registry.h). To add a view, add a row to views.c and write
 * the view's own files. */
#pragma once

#include "views/export/view_registry.h"

extern const struct view_registry all_views;
