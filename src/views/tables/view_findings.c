/* view_findings: damage, guesses and deviations in a trace: those that the reader and the builder
 * counted, and those that depend on the time base (messages received before they were sent). */
#include <stdio.h>

#include "views/query/table_list.h"
#include "views/query/view_common.h"

enum findings_column { F_KIND, F_CODE, F_COUNT, F_LINES, F_TEXT, F_COLUMNS };

static const struct column columns[F_COLUMNS] = {
	[F_KIND] = { "kind", "kind", COLUMN_TEXT, 7, true, true },
	[F_CODE] = { "code", "code", COLUMN_TEXT, 24, true, true },
	[F_COUNT] = { "count", "count", COLUMN_COUNT, 10, true, true },
	[F_LINES] = { "lines", "first lines", COLUMN_TEXT, 20, true, true },
	[F_TEXT] = { "text", "what it means", COLUMN_TEXT, 0, true, true },
};

/* Stable words of exports. */
static const char *finding_kind_name(enum finding_kind kind)
{
	switch (kind) {
	case FINDING_ODDITY: return "oddity";
	case FINDING_GUESS: return "guess";
	case FINDING_DAMAGE: return "damage";
	case FINDING_INFO: return "info";
	case FINDING_MISSING: return "missing";
	}
	return "";
}

/* "17 20 33 ..." */
static void finding_lines(const struct finding *finding, struct str *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(finding->lines) && finding->lines[i]; i++)
		str_add_fmt(out, "%s%llu", i ? " " : "", (unsigned long long)finding->lines[i]);
	if (finding->lines[ARRAY_SIZE(finding->lines) - 1] &&
	    finding->count > ARRAY_SIZE(finding->lines))
		str_add(out, " ...");
}

/* ---- findings of a time base ---- */

static struct finding reversed(const struct query *query)
{
	const struct reversed_messages r = messages_reversed(query);
	struct finding f = { .kind = FINDING_INFO, .code = "reversed-message" };
	OWNED_STR by = STR_INIT;

	f.count = r.count;
	units_human_time(&by, r.worst, trace_scale(query->trace), 4);
	snprintf(f.text, sizeof f.text,
		 "received before it was sent, by up to %s in base %s: the clocks disagree",
		 by.text, time_base_name(query->base));
	return f;
}

/* ---- the table ---- */

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct finding *f = list_table_row(list, item);
	struct str *lines = list_table_text(list);

	finding_lines(f, lines);
	v[F_KIND] = value_text(finding_kind_name(f->kind));
	v[F_CODE] = value_text(f->code);
	v[F_COUNT] = value_integer(true, (int64_t)f->count);
	v[F_LINES] = value_text(lines->text);
	v[F_TEXT] = value_text(f->text);
}

struct table *findings_table_new(const struct query *query, struct err *err)
{
	static const enum finding_kind by_weight[] = { FINDING_DAMAGE, FINDING_MISSING,
						       FINDING_GUESS, FINDING_ODDITY,
						       FINDING_INFO };
	static const struct list_ops ops = { .cells = cells, .row_size = sizeof(struct finding) };
	const struct finding late = reversed(query);
	struct list_table *list =
		list_table_new(sizeof *list, &ops, columns, F_COLUMNS, query->trace);

	(void)err;
	for (size_t k = 0; k < ARRAY_SIZE(by_weight); k++)
		for (size_t i = 0; i < trace_finding_count(query->trace); i++)
			if (trace_finding(query->trace, i)->kind == by_weight[k])
				list_table_add_row(list, trace_finding(query->trace, i));
	if (late.count)
		list_table_add_row(list, &late);
	return &list->table;
}
