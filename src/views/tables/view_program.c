#include "views/tables/view_program.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

#define COLUMNS(ROW)                                                                    \
	ROW(P_TABLE, "table", "table", COLUMN_TEXT, 5, true, true)                      \
	ROW(P_KIND, "kind", "kind", COLUMN_TEXT, 13, true, true)                        \
	ROW(P_NAME, "name", "name", COLUMN_NAME, 20, true, true)                        \
	ROW(P_FILE, "file", "file", COLUMN_TEXT, 20, true, true)                        \
	ROW(P_LINE, "line", "line", COLUMN_INT, 6, true, true)                          \
	ROW(P_END, "end_line", "to", COLUMN_INT, 6, true, true)                         \
	ROW(P_COLUMN, "column", "column", COLUMN_INT, 6, true, false)                   \
	ROW(P_PARENT, "within", "within", COLUMN_TEXT, 16, true, true)                  \
	ROW(P_PARENT_LINE, "within_line", "line", COLUMN_INT, 6, true, true)            \
	ROW(P_CALLED_FILE, "called_file", "called in", COLUMN_TEXT, 20, true, true)     \
	ROW(P_CALLED_LINE, "called_line", "line", COLUMN_INT, 6, true, true)            \
	ROW(P_FLAGS, "flags", "flags", COLUMN_TEXT, 16, true, true)                     \
	ROW(P_REASON, "reason", "not instrumented because", COLUMN_TEXT, 0, true, true) \
	ROW(P_UNIT, "unit", "unit", COLUMN_TEXT, 0, true, false)
enum { COLUMNS(COLUMN_ID) P_COLUMNS };
static const struct column columns[P_COLUMNS] = { COLUMNS(COLUMN_ROW) };

struct program_table {
	struct list_table list;
	const struct site_tables *tables;
};

const char *program_table_name(const struct site_tables *tables, uint32_t site)
{
	static const char *const names[2][TV_SITE_COMMUNICATION + 1] = {
		{ [TV_SITE_LOOP] = "PL", [TV_SITE_CALL] = "PC", [TV_SITE_COMMUNICATION] = "PCom" },
		{ [TV_SITE_LOOP] = "L", [TV_SITE_CALL] = "LC", [TV_SITE_COMMUNICATION] = "LCom" },
	};
	const struct static_site *s = site_tables_site(tables, site);
	bool in_loop;

	if (s->kind == TV_SITE_PROCEDURE)
		return "P";
	if (s->parent == SITE_NONE)
		return "";
	in_loop = site_tables_site(tables, s->parent)->kind == TV_SITE_LOOP;
	return names[in_loop][s->kind];
}

static const char *kind_name(uint8_t kind)
{
	static const char *const names[] = { [TV_SITE_PROCEDURE] = "procedure",
					     [TV_SITE_LOOP] = "loop",
					     [TV_SITE_CALL] = "call",
					     [TV_SITE_COMMUNICATION] = "communication" };

	return names[kind];
}

static void add_flags(uint8_t flags, struct str *out)
{
	static const struct {
		uint8_t flag;
		const char *name;
	} all[] = { { TV_SITE_ALONE, "alone" },         { TV_SITE_POINTER, "pointer" },
		    { TV_SITE_LOCAL, "static" },        { TV_SITE_ITERATIONS, "iterations" },
		    { TV_SITE_UNCOUNTED, "uncounted" }, { TV_SITE_UNTIMED, "untimed" } };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (flags & all[i].flag)
			str_add_fmt(out, "%s%s", out->n ? " " : "", all[i].name);
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	struct program_table *t = (struct program_table *)list;
	const struct static_site *s = site_tables_site(t->tables, item);
	const struct static_site *within =
		s->parent != SITE_NONE ? site_tables_site(t->tables, s->parent) : NULL;
	const struct static_site *called =
		s->callee != SITE_NONE ? site_tables_site(t->tables, s->callee) : NULL;
	struct str *flags = list_table_text(list);

	add_flags(s->flags, flags);
	v[P_TABLE] = value_text(program_table_name(t->tables, item));
	v[P_KIND] = value_text(kind_name(s->kind));
	v[P_NAME] = value_text(s->name);
	v[P_FILE] = value_text(s->file);
	v[P_LINE] = value_integer(s->line, s->line);
	v[P_END] = value_integer(s->end_line, s->end_line);
	v[P_COLUMN] = value_integer(s->column, s->column);
	v[P_PARENT] = value_text(within ? within->name : NULL);
	v[P_PARENT_LINE] = value_integer(within, within ? within->line : 0);
	v[P_CALLED_FILE] = value_text(called ? called->file : NULL);
	v[P_CALLED_LINE] = value_integer(called, called ? called->line : 0);
	v[P_FLAGS] = value_text(flags->text);
	v[P_REASON] = value_text(s->reason);
	v[P_UNIT] = value_text(site_tables_unit(t->tables, s->unit)->source);
}

struct table *program_table_new(const struct site_tables *tables)
{
	static const struct list_ops ops = { .cells = cells };
	struct program_table *t = list_table_new(sizeof *t, &ops, columns, P_COLUMNS, NULL);

	t->tables = tables;
	list_table_add_all(&t->list, site_tables_count(tables));
	return &t->list.table;
}
