/* The ends of the message under the cursor: who sent and received it, and in which call. */
#include "base/text.h"
#include "ui/timeline/drawing/timeline_parts_draw.h"
#include "views/facts/place_words.h"

enum { NARROWEST = 8, WIDEST = 44 };

/* "rank 1 MPI_Recv <- exchange() <- step()", as far as it fits. */
static void add_end(struct str *out, const struct trace *trace, uint32_t event, int width)
{
	uint32_t path = trace_event_path(trace, event);

	words_location(trace, trace_event_location(trace, event), false, out);
	for (int i = 0; trace_callpath(trace, path)->depth;
	     i++, path = trace_callpath(trace, path)->parent) {
		const size_t before = out->n;

		const uint32_t region = trace_callpath_region(trace, path);

		str_add(out, i ? " <- " : " ");
		if (i)
			words_caller(trace, region, out);
		else
			str_add_clean_text(out, trace_region_name(trace, region));
		if (text_width(out->text) > width) {
			str_end(out, out->text + before);
			break;
		}
	}
}

/* In the line between rows that is next to its row: what is received is named after the head, what
 * is sent before the stroke. An end outside the window is named at its edge. */
static void draw_end(const struct timeline_view *v, struct rect body, struct canvas *canvas,
		     const struct timeline_arrow *a, bool sent)
{
	const struct timeline_picture *p = v->picture;
	const struct message *m = trace_message(v->query->trace, a->id);
	const int32_t row = sent ? a->from : a->to, other = sent ? a->to : a->from;
	const int top = timeline_row_y(p, (uint32_t)row);
	const int y = other < row ? top - 1 : top + timeline_row_lines(p);
	const int64_t half = sent ? a->x0 : a->x1;
	const int64_t x = half >> 1 < 0 ? -1 : half >> 1 > p->scale.n ? p->scale.n : half >> 1;
	const bool right = x < 0 || (!sent && x < p->scale.n);
	const int room = (int)(right ? p->scale.n - x - 2 : x - 2);
	OWNED_STR text = STR_INIT;
	int width;

	if (y < 0 || y >= body.h || room < NARROWEST)
		return;
	add_end(&text, v->query->trace, sent ? m->send : m->recv, room < WIDEST ? room : WIDEST);
	width = text_width(text.text);
	width = width < room ? width : room;
	canvas_text(canvas, body.x + (int)(right ? x + 2 : x - 1 - width), body.y + y, width,
		    text.text, ROLE_MESSAGE_SELECTED, ROLE_KEEP, 0);
}

void timeline_ends_draw(const struct timeline_view *v, struct rect body, struct canvas *canvas)
{
	const struct timeline_chain *chain = v->focus->chain;

	if (!chain || chain->n == 0 || v->picture->gap == 0)
		return;
	draw_end(v, body, canvas, &chain->messages[0], true);
	draw_end(v, body, canvas, &chain->messages[0], false);
}
