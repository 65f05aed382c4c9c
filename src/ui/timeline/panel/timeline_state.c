#include "ui/timeline/panel/timeline_state.h"

const struct timeline_row *timeline_cursor_row(const struct timeline_panel *t)
{
	return &t->rows.list.data[t->row];
}

struct timeline_options timeline_options_of(const struct timeline_panel *t,
					    const struct timeline_layout *layout,
					    const struct timeline_rows *rows)
{
	return (struct timeline_options){ .width = layout->body.w,
					  .height = layout->body.h,
					  .depth = t->depth,
					  .first = t->first,
					  .ascii = t->ascii,
					  .rows = rows };
}
