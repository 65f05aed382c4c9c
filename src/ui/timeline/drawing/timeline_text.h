/* timeline_text: the timeline as lines of text, for `tview export timeline`. */
#pragma once

#include "views/query/view.h"

/* The picture with strip, ruler and labels as lines of at most `width` columns, for files; `height`
 * 0: as high as all rows need (rows without gaps where they are many). */
bool timeline_text(const struct query *query, int width, int height, bool ascii, struct str *out,
		   struct err *err);
