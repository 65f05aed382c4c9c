/* The chain of causes, hop by hop: the cursor goes to each place on the way from the wait to what
 * caused it, and a sentence says what happened there. */
#include <string.h>

#include "base/mem.h"
#include "patterns/severity/plain_path.h"
#include "ui/panels/explain/explain_panel_state.h"
#include "views/facts/cause_words.h"
#include "views/facts/diagnosis.h"

enum { MARGIN = 3 };

/* ---- named causes of the run ---- */

/* The one that a place is: that call path of that location, or of another one each time; n: none.
 */
static uint32_t named_at(const struct trace *trace, const struct cause_names *names,
			 const struct explain_line *line)
{
	struct plain_paths plain;
	uint32_t i;

	if (line->path >= trace_callpath_count(trace))
		return names->n;
	plain_paths_init(&plain, trace);
	for (i = 0; i < names->n; i++)
		if (names->of[i].path < plain.n &&
		    plain.of[names->of[i].path] == plain.of[line->path] &&
		    (names->of[i].location == line->location ||
		     names->of[i].location == UINT32_MAX))
			break;
	plain_paths_fini(&plain);
	return i;
}

/* " Named cause of the run, 84 % of all waiting: rank 1 calls ..." */
static void find_named(struct explain_panel *p, const struct explain_line *line)
{
	const struct session *s = p->panel.session;
	struct phrases phrases = { .trace = s->trace };
	OWNED struct diagnosis *d = xcalloc(1, sizeof *d);
	struct query query = session_query(s);
	uint32_t i;

	query.t0 = INT64_MIN;
	query.t1 = INT64_MAX;
	query.locations = NULL;
	if (diagnosis_make(d, &query, false, NULL) != DIAGNOSIS_THERE)
		return;
	i = named_at(s->trace, &d->names, line);
	if (i < d->names.n)
		str_add_fmt(&p->named, " Named cause of the run: %s; %s of all waiting%s.",
			    cause_sentence(&phrases, &d->names, i),
			    phrase_share(&phrases, d->names.of[i].share),
			    d->names.of[i].share < EXPLAIN_ENOUGH ? ", the rest has other causes"
								  : "");
	phrases_fini(&phrases);
}

/* ---- playing ---- */

static void tell_session(const struct explain_panel *p)
{
	p->panel.session->chain = (struct session_chain){
		.at = p->playing ? (uint32_t)p->hop + 1 : 0,
		.n = p->playing ? (uint32_t)p->e.hops.n : 0,
	};
}

void explain_play_end(struct explain_panel *p)
{
	p->playing = false;
	str_clear(&p->named);
	tell_session(p);
}

unsigned explain_play(struct explain_panel *p, int by)
{
	struct session *s = p->panel.session;
	const size_t n = p->e.hops.n;
	/* The wait is where the cursor is: the first hop goes to what it was for. */
	const int64_t at = (int64_t)(p->playing ? p->hop : 0) + by;

	if (n == 0) {
		session_notice(s, false,
			       p->e.waiting ? "wait states are being looked for: a moment"
					    : "no wait state here, so no chain of causes");
		return REACT_REDRAW;
	}
	if (at >= (int64_t)n && p->playing && p->hop == n - 1)
		session_notice(s, false, "the chain ends here; %s goes back, %s closes it",
			       session_key(s, ACTION_SEARCH_PREV).text,
			       session_key(s, ACTION_CANCEL).text);
	p->hop = at < 0 ? 0 : at >= (int64_t)n ? n - 1 : (size_t)at;
	p->playing = true;
	p->line = p->e.hops.data[p->hop].line;
	str_clear(&p->named);
	if (p->e.hops.data[p->hop].end)
		find_named(p, &p->e.lines.data[p->line]);
	tell_session(p);
	explain_panel_go(p, &p->e.lines.data[p->line]);
	return REACT_REDRAW;
}

/* ---- drawing ---- */

/* The sentence in rows of a width; NULL: only counts them. */
static int draw_sentence(const struct explain_panel *p, struct canvas *canvas, struct rect r)
{
	const int width = r.w > 2 * MARGIN + 10 ? r.w - 2 * MARGIN : r.w;
	OWNED_STR text = STR_INIT;
	const char *rest;
	int rows = 0;

	str_add(&text, p->e.hops.data[p->hop].text);
	str_add(&text, p->named.text);
	for (rest = text.text; *rest; rows++) {
		const size_t n = canvas_row_of(rest, width);
		OWNED_STR part = STR_INIT;

		str_add_n(&part, rest, n);
		if (canvas && rows < r.h)
			canvas_text(canvas, r.x + MARGIN, r.y + rows, width, part.text,
				    ROLE_DEFAULT, ROLE_DEFAULT, 0);
		rest += n;
		rest += strspn(rest, " ");
	}
	return rows;
}

int explain_play_height(const struct explain_panel *p, int width)
{
	return 1 + draw_sentence(p, NULL, (struct rect){ 0, 0, width, 0 });
}

void explain_play_draw(const struct explain_panel *p, struct canvas *canvas, struct rect area)
{
	const struct rect r = { area.x, area.y + 1, area.w, area.h - 1 };
	OWNED_STR title = STR_INIT;

	str_add_fmt(&title, " Chain of causes: hop %zu of %zu ", p->hop + 1, p->e.hops.n);
	canvas_rule(canvas, area.x, area.y, area.w);
	canvas_write(canvas, area.x + 2, area.y, area.w - 4, title.text, ROLE_HEADER);
	canvas_fill(canvas, r, ' ', ROLE_DEFAULT, ROLE_DEFAULT);
	draw_sentence(p, canvas, r);
}
