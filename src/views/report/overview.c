/* overview: what a person sees first: the sentences of the report, on one screen of eighty columns. */
#include <stdlib.h>
#include <string.h>

#include "views/query/table_list.h"
#include "views/query/view_common.h"
#include "views/report/report_trace.h"

enum { LINE_COLUMNS = 78, INDENT = 2 };

static void add_line(struct overview *overview, const struct report_line *from, const char *text)
{
	struct overview_line *line;

	if (overview->n == ARRAY_SIZE(overview->lines))
		return;
	line = &overview->lines[overview->n++];
	line->role = from->role;
	line->view = from->view;
	line->share = from->share;
	str_clean(line->text, sizeof line->text, text, strlen(text));
}

/* A sentence, broken into lines. */
static void add_text(struct overview *overview, const struct report_line *from)
{
	struct str line = STR_INIT;

	for (const char *p = from->text; *p; p += strspn(p, " ")) {
		const int in = p == from->text ? 0 : INDENT;
		const size_t n = report_break(p, LINE_COLUMNS - in);
		str_clear(&line);
		str_add_fmt(&line, "%*s", in, "");
		str_add_n(&line, p, n);
		add_line(overview, from, line.text);
		p += n;
	}
	str_fini(&line);
}

static void blank(struct overview *overview)
{
	add_line(overview, &(const struct report_line){ .role = TEXT_PLAIN, .share = -1 }, "");
}

/* Blank lines stand before and behind bars. */
static void add_section(struct overview *overview, const struct report_section *section)
{
	for (size_t i = 0; i < section->lines.n; i++) {
		const struct report_line *line = &section->lines.data[i];
		const bool bar = line->share >= 0;
		if (line->page_only)
			continue;
		if (overview->n && bar != (overview->lines[overview->n - 1].share >= 0) &&
		    *overview->lines[overview->n - 1].text)
			blank(overview);
		if (bar)
			add_line(overview, line, line->text);
		else
			add_text(overview, line);
	}
}

void overview_make(struct overview *overview, const struct query *query, bool wait)
{
	struct report report;

	memset(overview, 0, sizeof *overview);
	report_init(&report);
	if (report_trace(&report, query, wait, NULL))
		add_text(overview, &(const struct report_line){ .text = report.title,
								.role = TEXT_TITLE,
								.view = "timeline",
								.share = -1 });
	for (size_t i = 0; i < report.sections.n; i++)
		add_section(overview, report.sections.data[i]);
	report_fini(&report);
}

/* ---- as a table ---- */

struct overview_table {
	struct list_table list;
	struct overview overview;
};

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct overview_line *line = &((struct overview_table *)list)->overview.lines[item];

	v[0] = value_text(line->text);
	v[1] = (struct value){ .known = line->share >= 0, .real = line->share };
	v[2] = value_text(line->view);
}

struct table *overview_table_new(const struct query *query, struct err *err)
{
	static const struct column columns[] = {
		{ "text", "overview", COLUMN_TEXT, 0, true, true },
		{ "share", "share", COLUMN_SHARE, 8, true, true },
		{ "view", "view", COLUMN_TEXT, 12, true, false },
	};
	static const struct list_ops ops = { .cells = cells };
	struct overview_table *t = xcalloc(1, sizeof *t);

	(void)err;
	overview_make(&t->overview, query, true);
	list_table_init(&t->list, &ops, columns, ARRAY_SIZE(columns), trace_scale(query->trace));
	for (uint32_t i = 0; i < t->overview.n; i++)
		if (*t->overview.lines[i].text)
			list_table_add(&t->list, i);
	return &t->list.table;
}
