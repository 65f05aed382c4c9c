#include "views/report/program_text.h"

#include <string.h>

#include "base/mem.h"
#include "base/output.h"
#include "base/path.h"
#include "base/units.h"
#include "views/tables/view_program.h"

/* DEEPEST: deeper statements are not indented further; the others: columns for line numbers, and
 * for places in tables. */
enum { DEEPEST = 24, LINE_W = 6, PLACE_W = 36 };

/* Which statement contains which; children in the order of the text. */
struct program {
	const struct site_tables *tables;
	uint32_t *first, *next; /* [sites] child, sibling; SITE_NONE */
	uint32_t roots;         /* the first; its siblings follow */
};

static const struct static_site *site_of(const struct program *p, uint32_t site)
{
	return site_tables_site(p->tables, site);
}

static void program_init(struct program *p, const struct site_tables *tables)
{
	const uint32_t n = site_tables_count(tables);

	*p = (struct program){ .tables = tables, .roots = SITE_NONE };
	p->first = xmalloc((n + 1) * sizeof *p->first);
	p->next = xmalloc((n + 1) * sizeof *p->next);
	for (uint32_t site = 0; site < n; site++)
		p->first[site] = SITE_NONE;
	/* Backwards, so that each is put before its later siblings. */
	for (uint32_t site = n; site-- > 0;) {
		const uint32_t parent = site_of(p, site)->parent;
		uint32_t *head = parent == SITE_NONE ? &p->roots : &p->first[parent];
		p->next[site] = *head;
		*head = site;
	}
}

static void program_fini(struct program *p)
{
	free_all(p->first, p->next);
}

static void add_clean(struct str *out, const char *text)
{
	str_add_clean(out, text, strlen(text));
}

/* "sweep.c:33". */
static void add_place(struct str *out, const struct static_site *s)
{
	add_clean(out, path_name(s->file));
	str_add_fmt(out, ":%u", s->line);
}

static void add_name(struct str *out, const struct static_site *s)
{
	if (s->kind == TV_SITE_CALL && !*s->name)
		str_add(out, "(through a pointer)");
	else
		add_clean(out, s->name);
	if (s->kind == TV_SITE_PROCEDURE || (s->kind == TV_SITE_CALL && *s->name))
		str_add(out, "()");
}

/* ---- the summary ---- */

static void add_count(struct str *out, uint64_t n, const char *one, const char *many)
{
	str_add(out, out->n && out->text[out->n - 1] != ' ' ? ", " : "");
	units_count(out, n);
	str_add_fmt(out, " %s", n == 1 ? one : many);
}

static void add_head(struct str *out, const struct site_tables *tables, const char *path)
{
	uint64_t kinds[TV_SITE_COMMUNICATION + 1] = { 0 }, alone = 0, loopless = 0, callless = 0;

	for (uint32_t site = 0; site < site_tables_count(tables); site++) {
		const struct static_site *s = site_tables_site(tables, site);
		kinds[s->kind]++;
		alone += (s->flags & TV_SITE_ALONE) != 0;
		/* Such a site shows that the file has instrumented procedures only. */
		loopless += s->kind == TV_SITE_PROCEDURE && s->flags & TV_SITE_ALONE && !s->line;
		callless += s->kind == TV_SITE_CALL &&
			    (s->flags & (TV_SITE_ALONE | TV_SITE_UNTIMED)) == TV_SITE_ALONE;
	}
	add_clean(out, path);
	str_add(out, ": ");
	add_count(out, site_tables_unit_count(tables), "unit", "units");
	add_count(out, kinds[TV_SITE_PROCEDURE], "procedure", "procedures");
	add_count(out, kinds[TV_SITE_LOOP], "loop", "loops");
	add_count(out, kinds[TV_SITE_CALL], "call statement", "call statements");
	add_count(out, kinds[TV_SITE_COMMUNICATION], "communication statement",
		  "communication statements");
	if (alone)
		add_count(out, alone, "of them not instrumented", "of them not instrumented");
	if (loopless)
		add_count(out, loopless, "file whose loops are unknown",
			  "files whose loops are unknown");
	if (callless)
		add_count(out, callless, "place whose calls are unknown",
			  "places whose calls are unknown");
	str_add_char(out, '\n');
}

/* ---- the graph ---- */

static void add_statement(struct str *out, const struct program *p, uint32_t site, unsigned depth)
{
	const struct static_site *s = site_of(p, site);

	str_add_fmt(out, "%*u  %*s", LINE_W, s->line, (int)(depth < DEEPEST ? depth : DEEPEST) * 2,
		    "");
	add_name(out, s);
	if (s->end_line > s->line)
		str_add_fmt(out, "  to line %u", s->end_line);
	if (s->flags & TV_SITE_LOCAL)
		str_add(out, "  static");
	if (s->callee != SITE_NONE) {
		str_add(out, "  -> ");
		add_place(out, site_of(p, s->callee));
	}
	if (s->flags & TV_SITE_ITERATIONS)
		str_add(out, "  every iteration");
	if (s->flags & TV_SITE_UNCOUNTED)
		str_add(out, "  iterations not counted");
	if ((s->flags & (TV_SITE_ALONE | TV_SITE_UNTIMED)) == TV_SITE_UNTIMED)
		str_add(out, "  counted, not timed");
	if (s->flags & TV_SITE_ALONE) {
		str_add(out, "  not instrumented: ");
		add_clean(out, *s->reason ? s->reason : "no reason was given");
	}
	str_add_char(out, '\n');
}

/* Adds a procedure or loop with its contents; without recursion, as nesting may be deep. */
static void add_branch(struct str *out, const struct program *p, uint32_t root)
{
	uint32_t site = root;
	unsigned depth = 0;

	for (;;) {
		add_statement(out, p, site, depth);
		if (p->first[site] != SITE_NONE) {
			site = p->first[site];
			depth++;
			continue;
		}
		while (site != root && p->next[site] == SITE_NONE) {
			site = site_of(p, site)->parent;
			depth--;
		}
		if (site == root)
			return;
		site = p->next[site];
	}
}

static void add_unit(struct str *out, const struct program *p, uint32_t unit)
{
	const struct site_unit *u = site_tables_unit(p->tables, unit);
	const struct site_section *section = site_tables_section_at(p->tables, u->section);

	str_add_char(out, '\n');
	if (section->member) {
		add_clean(out, section->member);
		str_add(out, ": ");
	}
	add_clean(out, u->source);
	if (*u->directory) {
		str_add(out, "  compiled in ");
		add_clean(out, u->directory);
	}
	str_add_char(out, '\n');
}

static void add_graph(struct str *out, const struct program *p)
{
	uint32_t unit = UINT32_MAX;
	const char *file = "";

	for (uint32_t site = p->roots; site != SITE_NONE; site = p->next[site]) {
		const struct static_site *s = site_of(p, site);
		if (s->unit != unit) {
			unit = s->unit;
			file = site_tables_unit(p->tables, unit)->source;
			add_unit(out, p, unit);
		}
		/* Statements from an #include. */
		if (strcmp(s->file, file) != 0) {
			file = s->file;
			str_add(out, "  in ");
			add_clean(out, file);
			str_add_char(out, '\n');
		}
		add_branch(out, p, site);
	}
}

/* ---- the static tables ---- */

static const struct {
	const char *name, *title, *columns[3];
} tables_of[] = {
	{ "PL", "loops of procedures", { "l_p", "l_l", NULL } },
	{ "PCom", "communication statements of procedures", { "l_p", "l_c", NULL } },
	{ "PC", "call statements of procedures", { "l_p", "l_pc", "l_pi" } },
	{ "L", "loops in loops", { "l_l", "l_il", NULL } },
	{ "LCom", "communication statements of loops", { "l_l", "l_c", NULL } },
	{ "LC", "call statements of loops", { "l_l", "l_pc", "l_pi" } },
};
enum { TABLES = sizeof tables_of / sizeof *tables_of };

/* "sweep.c:33 MPI_Send", as wide as a column, or wider. */
static void add_cell(struct str *out, const struct static_site *s, bool last)
{
	const size_t begin = out->n;

	str_add(out, "  ");
	add_place(out, s);
	str_add_char(out, ' ');
	add_name(out, s);
	while (!last && out->n - begin < PLACE_W)
		str_add_char(out, ' ');
}

static void add_row(struct str *out, const struct program *p, const struct static_site *s,
		    bool calls)
{
	add_cell(out, site_of(p, s->parent), false);
	add_cell(out, s, !calls);
	if (calls && s->callee != SITE_NONE)
		add_cell(out, site_of(p, s->callee), true);
	else if (calls)
		str_add(out, s->flags & TV_SITE_POINTER ? "  through a pointer"
							: "  not in these tables");
	str_add_char(out, '\n');
}

static void add_tables(struct str *out, const struct program *p)
{
	const uint32_t n = site_tables_count(p->tables);

	for (int t = 0; t < TABLES; t++) {
		const bool calls = tables_of[t].columns[2] != NULL;
		uint64_t rows = 0;
		for (uint32_t site = 0; site < n; site++)
			rows += strcmp(program_table_name(p->tables, site), tables_of[t].name) == 0;
		str_add_fmt(out, "\n%s: %s, %llu\n", tables_of[t].name, tables_of[t].title,
			    (unsigned long long)rows);
		if (rows)
			str_add_fmt(out, "  %-*s  %-*s%s%s\n", PLACE_W - 2, tables_of[t].columns[0],
				    calls ? PLACE_W - 2 : 0, tables_of[t].columns[1],
				    calls ? "  " : "", calls ? tables_of[t].columns[2] : "");
		for (uint32_t site = 0; rows && site < n; site++)
			if (strcmp(program_table_name(p->tables, site), tables_of[t].name) == 0)
				add_row(out, p, site_of(p, site), calls);
	}
}

static void add_alone(struct str *out, const struct program *p)
{
	const uint32_t n = site_tables_count(p->tables);
	bool any = false;

	for (uint32_t site = 0; site < n; site++) {
		const struct static_site *s = site_of(p, site);
		if (!(s->flags & TV_SITE_ALONE))
			continue;
		str_add(out, any ? "" : "\nNot instrumented:\n");
		any = true;
		str_add(out, "  ");
		add_place(out, s);
		str_add_char(out, ' ');
		add_name(out, s);
		str_add(out, ": ");
		add_clean(out, *s->reason ? s->reason : "no reason was given");
		str_add_char(out, '\n');
	}
}

static void program_text(const struct site_tables *tables, const char *path, struct str *out)
{
	struct program p;

	program_init(&p, tables);
	add_head(out, tables, path);
	add_graph(out, &p);
	str_add(out, "\nStatic tables (Li and Zhang): l_p procedure, l_l loop, l_c communication, "
		     "l_pc call,\nl_pi invoked procedure, l_il inner loop\n");
	add_tables(out, &p);
	add_alone(out, &p);
	program_fini(&p);
}

bool program_write(const struct site_tables *tables, const char *path, enum export_format format,
		   FILE *out, struct err *err)
{
	const struct export_options options = { .format = format,
						.about = { "graph", path, NULL } };
	OWNED_STR text = STR_INIT;
	struct table *table;
	bool ok;

	if (!site_tables_count(tables))
		return err_set(
			err, STATUS_NO,
			"%s was not made by tvcc: it has no tables of statements; compile and "
			"link it with tvcc instead of mpicc (of a trace: tview export graph %s)",
			path, path);
	if (format == EXPORT_CUBE)
		return err_set(err, STATUS_USAGE,
			       "only patterns can be exported as cube (tview export patterns)");
	if (format != EXPORT_TEXT) {
		table = program_table_new(tables);
		ok = export_table(table, &options, out, err);
		table_free(table);
		return ok;
	}
	program_text(tables, path, &text);
	fwrite(text.text, 1, text.n, out);
	return output_check(out, err);
}
