/* Where things are on the page. Narrow: bars beside the miniature, findings and details below.
 * Wide: bars above the miniature, findings and details beside them. */
#include <string.h>

#include "ui/panels/overview/overview_panel_state.h"

enum {
	LEAST_W = 60,
	LEAST_H = 11,
	WIDE = 150,
	LEFT_LEAST = 46,
	LEFT_MOST = 100,
	BARS_LEAST = 3,
	BARS_NARROW = 6,
	BARS_MOST = 11,
	DETAILS_LEAST = 2,
	LABELS = 6,     /* "rank", or a number */
	ROW_NARROW = 3, /* lines of a row */
	ROW_MOST = 8
};

const struct report_section *overview_section(const struct report *report, const char *key)
{
	for (size_t s = 0; s < report->sections.n; s++)
		if (strcmp(report->sections.data[s]->key, key) == 0)
			return report->sections.data[s];
	return NULL;
}

const struct report_line *overview_bar(const struct report *report, unsigned n)
{
	for (size_t s = 0; s < report->sections.n; s++) {
		const struct report_section *section = report->sections.data[s];
		for (size_t l = 0; l < section->lines.n; l++)
			if (section->lines.data[l].share >= 0 && !n--)
				return &section->lines.data[l];
	}
	return NULL;
}

const struct report_line *overview_finding(const struct overview_panel *p, unsigned n)
{
	return n < p->n ? &p->report.sections.data[p->list[n].section]->lines.data[p->list[n].line]
			: NULL;
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

static int bars_of(const struct overview_panel *p, int most)
{
	int n = 0;

	while (n < most && overview_bar(&p->report, (unsigned)n))
		n++;
	return n;
}

/* The miniature: a ruler, labels, rows. */
static void put_picture(struct overview_page *page, struct rect r)
{
	page->ruler = (struct rect){ r.x + LABELS, r.y, r.w - LABELS - 1, 1 };
	page->labels = (struct rect){ r.x, r.y + 1, LABELS, r.h - 1 };
	page->picture = (struct rect){ r.x + LABELS, r.y + 1, r.w - LABELS - 1, r.h - 1 };
}

/* Lines of the band of bars and miniature, of `most`: no more than these have. */
static int band_of(const struct overview_panel *p, int most)
{
	const struct query query = session_query(p->panel.session);
	const int bars = bars_of(p, most);
	int lines = 0;

	for (uint32_t i = 0; i < query_location_count(&query) && lines < most; i++)
		if (location_runs_code(trace_location(query.trace, query_location(&query, i))))
			lines += ROW_NARROW;
	return bars > least(lines, most) ? bars : least(lines, most);
}

static void put_narrow(const struct overview_panel *p, struct rect r, struct overview_page *page)
{
	const int list = 1 + (p->n ? (int)p->n : 1);
	const int third = least(r.h / 3, BARS_MOST), half = r.w / 2;
	int band = 1 + band_of(p, third < BARS_NARROW ? BARS_NARROW : third);

	band = least(band, r.h - list - 1 - DETAILS_LEAST);
	band = band < 1 + BARS_LEAST ? 1 + BARS_LEAST : band;
	page->bars = (struct rect){ r.x, r.y, half - 1, band };
	if (trace_event_count(p->panel.session->trace))
		put_picture(page, (struct rect){ r.x + half, r.y, r.w - half, band });
	else
		page->bars.w = r.w;
	r.y += band;
	r.h -= band;
	page->list = (struct rect){ r.x, r.y, r.w, least(list, r.h) };
	page->details = (struct rect){ r.x, r.y + list, r.w, r.h - list };
}

static void put_wide(const struct overview_panel *p, struct rect r, struct overview_page *page)
{
	const int bars = 1 + bars_of(p, least(BARS_MOST, r.h / 2 - 1));
	const int list = 1 + (p->n ? (int)p->n : 1);
	int left = r.w * 2 / 5, y;

	left = left < LEFT_LEAST ? LEFT_LEAST : least(left, LEFT_MOST);
	page->bars = (struct rect){ r.x, r.y, left, bars };
	y = bars + 1;
	if (r.h - y > 2)
		put_picture(page, (struct rect){ r.x + 1, r.y + y, left - 1, r.h - y - 1 });
	r.x += left + 2;
	r.w -= left + 2;
	page->list = (struct rect){ r.x, r.y, r.w, least(list, r.h) };
	page->details = (struct rect){ r.x, r.y + list + 1, r.w, r.h - list - 1 };
}

bool overview_page_of(const struct overview_panel *p, struct rect area, struct overview_page *page)
{
	*page = (struct overview_page){ .title = { area.x, area.y, area.w, 1 } };
	if (area.w < LEAST_W || area.h < LEAST_H || !p->report.title)
		return false;
	area.y += 1;
	area.h -= 1;
	if (area.w >= WIDE)
		put_wide(p, (struct rect){ area.x, area.y + 1, area.w, area.h - 1 }, page);
	else
		put_narrow(p, area, page);
	if (page->details.h < DETAILS_LEAST)
		page->details.h = 0;
	return true;
}

int overview_row_lines(const struct overview_panel *p, const struct overview_page *page)
{
	const int lines = p->miniature.rows ? page->picture.h / p->miniature.rows : 1;

	return lines < 1 ? 1 : least(lines, ROW_MOST);
}
