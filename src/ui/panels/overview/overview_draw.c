/* The page: bars, the miniature, findings, and the details of the one under the cursor. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ui/canvas/chart.h"
#include "ui/panels/overview/overview_panel_state.h"
#include "ui/timeline/drawing/timeline_draw.h"
#include "views/query/view_common.h"

enum { MARGIN = 1, BAR_LEAST = 8, BAR_TEXT = 25, WAITING_TEXT = 17, SEVERITY = 8, READABLE = 100 };

/* ---- bars ---- */

/* The share of total time in which calls of this class waited. */
static double waiting_of(const struct overview_panel *p, const struct report_line *bar)
{
	const struct miniature *m = &p->miniature;
	const int cls = (int)bar->role - TEXT_CLASS;
	const double whole = (double)(m->scale.t1 - m->scale.t0) * m->n;
	double share;

	if (!m->done || cls < 0 || cls >= CLASS_COUNT || whole <= 0)
		return 0;
	share = (double)m->waiting[cls] / whole;
	return share < bar->share ? share : bar->share;
}

static void draw_bar(const struct overview_panel *p, struct canvas *canvas, struct rect row,
		     const struct report_line *bar)
{
	const double waiting = waiting_of(p, bar);
	const struct chart_part parts[] = {
		{ "", bar->role == TEXT_PLAIN ? TEXT_CLASS : bar->role },
		{ "waiting", TEXT_WAIT },
	};
	const struct table_chart chart = { parts, 2, { bar->share - waiting, waiting } };
	const bool words = row.w >= BAR_TEXT + BAR_LEAST + WAITING_TEXT + 4;
	const int w = row.w - BAR_TEXT - 3 - (words ? WAITING_TEXT : 0);
	OWNED_STR s = STR_INIT;

	canvas_write(canvas, row.x + MARGIN, row.y, row.w - MARGIN, bar->text, ROLE_DEFAULT);
	if (w < BAR_LEAST)
		return;
	chart_draw(canvas, row.x + MARGIN + BAR_TEXT + 2, row.y, w, &chart, ROLE_DEFAULT);
	if (!words || waiting < 0.0005)
		return;
	units_share(&s, waiting);
	str_add(&s, " waiting");
	canvas_text_right(canvas, row.x + row.w - WAITING_TEXT, row.y, WAITING_TEXT, s.text,
			  ROLE_MUTED, ROLE_DEFAULT);
}

static void draw_bars(const struct overview_panel *p, struct canvas *canvas, struct rect r)
{
	const struct report_section *time = overview_section(&p->report, "time");
	static const struct chart_part waiting = { "waiting", TEXT_WAIT };
	const struct report_line *bar;
	int end = r.x + MARGIN;

	if (time) {
		OWNED_STR title = STR_INIT;

		/* What is in brackets, or nothing of it: the first line has it, too. */
		str_add(&title, time->title);
		if (text_width(title.text) > r.w - MARGIN)
			title.text[title.n = strcspn(title.text, "(")] = '\0';
		end += canvas_write(canvas, end, r.y, r.w - MARGIN, title.text, ROLE_HEADER);
	}
	if (p->miniature.done && p->miniature.waits_known && r.x + r.w - end > 12 && !canvas->mono)
		chart_legend(canvas, r.x + r.w - 10, r.y, 10, &waiting, 1);
	for (int y = 1; y < r.h && (bar = overview_bar(&p->report, (unsigned)y - 1)); y++) {
		OWNED_STR s = STR_INIT;
		double rest = 0;

		if (y + 1 < r.h || !overview_bar(&p->report, (unsigned)y)) {
			draw_bar(p, canvas, (struct rect){ r.x, r.y + y, r.w, 1 }, bar);
			continue;
		}
		for (unsigned i = (unsigned)y - 1; (bar = overview_bar(&p->report, i)); i++)
			rest += bar->share;
		str_add_fmt(&s, "%-17s %5.1f %%", "others", 100 * rest);
		canvas_write(canvas, r.x + MARGIN, r.y + y, r.w - MARGIN, s.text, ROLE_MUTED);
	}
}

/* ---- the miniature ---- */

static void draw_picture(const struct overview_panel *p, struct canvas *canvas,
			 const struct overview_page *page)
{
	const struct miniature *m = &p->miniature;
	const int lines = overview_row_lines(p, page);

	if (page->picture.h < 1 || !m->locations)
		return;
	canvas_write(canvas, page->labels.x, page->ruler.y, page->labels.w, "rank", ROLE_MUTED);
	timeline_draw_ruler(&m->scale, trace_scale(p->panel.session->trace), canvas, page->ruler.x,
			    page->ruler.y);
	for (int row = 0; row < m->rows && (row + 1) * lines <= page->picture.h; row++) {
		const struct rect r = { page->picture.x, page->picture.y + row * lines,
					page->picture.w, lines };
		const int32_t rank = miniature_rank(m, row);
		OWNED_STR s = STR_INIT;

		if (m->done)
			timeline_put_cells(canvas, r, m->cells + (size_t)row * (size_t)m->scale.n,
					   m->mixes, m->scale.n, 0);
		else
			canvas_fill(canvas, r, theme_glyph(GLYPH_DOT, canvas->ascii), ROLE_FRAME,
				    ROLE_DEFAULT);
		if (rank == RANK_HOST)
			str_add(&s, "host");
		else if (rank >= 0)
			str_add_int(&s, rank);
		canvas_text_right(canvas, page->labels.x, r.y + (lines - 1) / 2, page->labels.w - 1,
				  s.text, ROLE_MUTED, ROLE_DEFAULT);
	}
}

/* ---- findings ---- */

static enum role ink_of(const struct report_line *line)
{
	return line->role == TEXT_ERROR || line->role == TEXT_WARNING || line->role == TEXT_GOOD
		       ? theme_role(line->role)
		       : ROLE_MUTED;
}

/* Takes the share out of a sentence that follows it: "Late Sender: 27.0 ms (2.1 %) in 44 waits". */
static void leave_out_share(struct str *text, const char *share)
{
	OWNED_STR said = STR_INIT;
	char *at;

	str_add_fmt(&said, " (%s)", share);
	at = strstr(text->text, said.text);
	if (!at)
		return;
	memmove(at, at + said.n, strlen(at + said.n) + 1);
	text->n -= said.n;
}

/* Colour is for what is severe: the share and the mark, not the sentence. */
static void draw_finding(const struct overview_panel *p, struct canvas *canvas, struct rect row,
			 unsigned nth)
{
	const struct report_line *line = overview_finding(p, nth);
	const bool chosen = nth == p->cursor;
	const int x = row.x + MARGIN + SEVERITY;
	OWNED_STR s = STR_INIT;
	OWNED_STR share = STR_INIT;

	str_add(&s, line->text);
	if (line->severity > 0) {
		units_share(&share, line->severity);
		leave_out_share(&s, share.text);
	}
	highlight_fit(&s, row.w - SEVERITY - 2 * MARGIN, canvas->ascii ? "~" : "\u2026");
	canvas_text_right(canvas, row.x, row.y, SEVERITY - 1, share.text, ink_of(line),
			  ROLE_DEFAULT);
	if (line->severity <= 0)
		canvas_glyph(canvas, x - 3, row.y,
			     line->role == TEXT_PLAIN ? GLYPH_DOT : GLYPH_TREE_CLOSED,
			     ink_of(line));
	canvas_write(canvas, x, row.y, row.w - SEVERITY - 2 * MARGIN, s.text,
		     line->role == TEXT_ERROR ? ROLE_ERROR : ROLE_DEFAULT);
	if (chosen)
		canvas_paint(canvas, row, ROLE_CURSOR, ROLE_CURSOR, 0);
	for (size_t at = 0; (at = matcher_paint(p->matcher, canvas, row, x, &s, at)) != 0;)
		;
}

static void draw_list(const struct overview_panel *p, struct canvas *canvas, struct rect r)
{
	const struct report_section *waits = overview_section(&p->report, "waits");
	int x = r.x + MARGIN;

	x += canvas_write(canvas, x, r.y, r.w - MARGIN, "Findings, the most severe first",
			  ROLE_HEADER);
	if (p->report.searching && waits && waits->lines.n)
		canvas_text_right(canvas, x + 2, r.y, r.x + r.w - x - 3, waits->lines.data[0].text,
				  ROLE_MUTED, ROLE_DEFAULT);
	if (!p->n && r.h > 1)
		canvas_write(canvas, r.x + MARGIN, r.y + 1, r.w - MARGIN, "nothing to say",
			     ROLE_MUTED);
	for (unsigned i = 0; i < p->n && (int)i + 1 < r.h; i++)
		draw_finding(p, canvas, (struct rect){ r.x, r.y + 1 + (int)i, r.w, 1 }, i);
}

/* ---- details ---- */

/* Lines of a sentence, as many as fit; returns where the next one begins. */
static int draw_sentence(struct canvas *canvas, struct rect r, int y, const char *text,
			 enum role ink)
{
	const int w = r.w - 2 * MARGIN < READABLE ? r.w - 2 * MARGIN : READABLE;

	for (const char *p = text; *p && y < r.h; p += strspn(p, " ")) {
		const int in = p == text ? 0 : 2;
		const size_t n = report_break(p, w - in);

		canvas_text_fmt(canvas, r.x + MARGIN + in, r.y + y++, w - in, ink, "%.*s", (int)n,
				p);
		p += n;
	}
	return y;
}

/* The whole sentence of the finding, then the others of its section. */
static void draw_details(const struct overview_panel *p, struct canvas *canvas, struct rect r)
{
	const struct report_line *line = overview_finding(p, p->cursor);
	const struct report_section *section;
	int y = 1;

	if (!line || r.h < 2)
		return;
	section = p->report.sections.data[p->list[p->cursor].section];
	canvas_rule(canvas, r.x, r.y, r.w);
	if (*section->title)
		canvas_text_fmt(canvas, r.x + 2, r.y, r.w - 4, ROLE_HEADER, " %s ", section->title);
	y = draw_sentence(canvas, r, y, line->text, ROLE_DEFAULT);
	for (size_t l = 0; l < section->lines.n && y < r.h; l++) {
		const struct report_line *other = &section->lines.data[l];
		if (other != line && other->share < 0)
			y = draw_sentence(canvas, r, y, other->text, ROLE_MUTED);
	}
}

void overview_draw_page(const struct overview_panel *p, struct canvas *canvas,
			const struct overview_page *page)
{
	canvas_write(canvas, page->title.x + MARGIN, page->title.y, page->title.w - 2 * MARGIN,
		     p->report.title, ROLE_VALUE);
	draw_bars(p, canvas, page->bars);
	draw_picture(p, canvas, page);
	draw_list(p, canvas, page->list);
	draw_details(p, canvas, page->details);
}
