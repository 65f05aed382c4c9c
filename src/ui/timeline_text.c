/* The timeline as lines of text: `tview export timeline`. */
#include "ui/timeline_draw.h"

enum { NARROWEST_TEXT = 20, LINES_ABOVE = 2, MOST_GAP_ROWS = 40 };

/* Lines for all rows: with room for arrows between them where there are not many. */
static int body_height(const struct query *query)
{
	const uint32_t rows = query_location_count(query);

	if (rows == 0)
		return 1;
	return rows <= MOST_GAP_ROWS ? (int)rows * 2 - 1 : (int)(rows < 100000 ? rows : 100000);
}

bool timeline_text(const struct query *query, int width, int height, bool ascii, struct str *out,
		   struct err *err)
{
	struct timeline_shades *shades = timeline_shades_new();
	struct timeline_picture picture = { 0 };
	struct timeline_strip strip = { 0 };
	const struct timeline_focus focus = { -1, NO_HIT, NO_HIT };
	struct timeline_layout layout;
	struct timeline_options options;
	struct canvas canvas;
	bool ok;

	if (width < NARROWEST_TEXT)
		width = NARROWEST_TEXT;
	if (height < 1)
		height = body_height(query) + LINES_ABOVE;
	if (height < 6)
		height = 6;
	layout = timeline_layout(query, (struct rect){ 0, 0, width, height }, 0);
	options = (struct timeline_options){ .width = layout.body.w,
					     .height = layout.body.h,
					     .ascii = ascii };
	canvas_init(&canvas, width, height, ascii);
	canvas.mono = true;
	ok = timeline_picture_make(&picture, query, shades, &options, err) &&
	     timeline_strip_make(&strip, query, shades, layout.strip.w, err);
	if (ok) {
		timeline_draw(&(struct timeline_view){ .query = query,
						       .picture = &picture,
						       .strip = &strip,
						       .focus = &focus },
			      &layout, &canvas);
		canvas_to_text(&canvas, out);
	}
	canvas_fini(&canvas);
	timeline_picture_fini(&picture);
	timeline_strip_fini(&strip);
	timeline_shades_free(shades);
	return ok;
}
