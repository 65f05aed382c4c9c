/* overview: the first view: the sentences of the report, broken into lines for a screen. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"
#include "views/report/report_trace.h"

enum { LINE_COLUMNS = 78, INDENT = 2 };

static void add_line(struct overview *overview, const struct report_line *from, int indent,
		     const char *text, size_t n)
{
	OWNED_STR line = STR_INIT;

	str_add_fmt(&line, "%*s%.*s", indent, "", (int)n, text);
	vec_push(&overview->lines, ((struct overview_line){ .text = xstrdup(line.text),
							    .role = from->role,
							    .view = from->view,
							    .share = from->share,
							    .about = from->about }));
}

/* Adds a sentence broken into lines; all but the first are indented. */
static void add_text(struct overview *overview, const struct report_line *from, int indent,
		     int width)
{
	for (const char *p = from->text; *p; p += strspn(p, " ")) {
		const int in = indent + (p == from->text ? 0 : INDENT);
		const size_t n = report_break(p, width - in);

		add_line(overview, from, in, p, n);
		p += n;
	}
}

static void add_section(struct overview *overview, const struct report_section *section, int width)
{
	bool headed = !*section->title;

	for (size_t i = 0; i < section->lines.n; i++) {
		const struct report_line *line = &section->lines.data[i];

		if (line->page_only)
			continue;
		if (!headed)
			add_text(overview,
				 &(const struct report_line){
					 .text = section->title, .role = TEXT_HEADER, .share = -1 },
				 0, width);
		headed = true;
		add_text(overview, line, *section->title ? INDENT : 0, width);
	}
}

void overview_lines(struct overview *overview, const struct report *report, int width)
{
	*overview = (struct overview){ .lines = VEC_INIT, .searching = report->searching };
	if (report->title)
		add_text(overview,
			 &(const struct report_line){ .text = report->title,
						      .role = TEXT_TITLE,
						      .view = "timeline",
						      .share = -1 },
			 0, width);
	for (size_t i = 0; i < report->sections.n; i++)
		add_section(overview, report->sections.data[i], width);
}

void overview_make(struct overview *overview, const struct query *query, bool wait)
{
	struct report report;

	report_init(&report);
	report.brief = true;
	report_trace(&report, query, wait, NULL);
	overview_lines(overview, &report, LINE_COLUMNS);
	report_fini(&report);
}

void overview_fini(struct overview *overview)
{
	for (size_t i = 0; i < overview->lines.n; i++)
		free(overview->lines.data[i].text);
	vec_fini(&overview->lines);
}

/* ---- as a table ---- */

struct overview_table {
	struct list_table list;
	struct overview overview;
};

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct overview_line *line =
		&((struct overview_table *)list)->overview.lines.data[item];

	v[0] = value_text(line->text);
	v[1] = (struct value){ .known = line->share >= 0, .real = line->share };
	v[2] = value_text(line->view);
}

static void fini(struct list_table *list)
{
	overview_fini(&((struct overview_table *)list)->overview);
}

struct table *overview_table_new(const struct query *query, struct err *err)
{
	static const struct column columns[] = {
		{ "text", "overview", COLUMN_TEXT, 0, true, true },
		{ "share", "share", COLUMN_SHARE, 8, true, true },
		{ "view", "view", COLUMN_TEXT, 12, true, false },
	};
	static const struct list_ops ops = { .cells = cells, .fini = fini };
	struct overview_table *t =
		list_table_new(sizeof *t, &ops, columns, ARRAY_SIZE(columns), query->trace);

	(void)err;
	overview_make(&t->overview, query, true);
	list_table_add_all(&t->list, t->overview.lines.n);
	return &t->list.table;
}
