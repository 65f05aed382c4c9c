/* option_text: help, manual and completion, from the tables of options and verbs. */
#include <string.h>

#include "base/option_page.h"
#include "base/version.h"
#include "ui/options/option.h"

static void pad_to(struct str *out, size_t line_start, size_t column)
{
	do
		str_add_char(out, ' ');
	while (out->n - line_start < column);
}

static void add_option(const struct option_info *o, struct str *out)
{
	const size_t start = out->n;

	if (o->letter)
		str_add_fmt(out, "  -%c, --%s", o->letter, o->name);
	else
		str_add_fmt(out, "      --%s", o->name);
	if (o->argument)
		str_add_fmt(out, " %s", o->argument);
	if (out->n - start > 30)
		str_add_fmt(out, "\n%30s", "");
	else
		pad_to(out, start, 30);
	str_add(out, o->help);
	if (o->fallback)
		str_add_fmt(out, " [%s]", o->fallback);
	str_add_char(out, '\n');
}

/* --help itself is listed once, in the help of the program, which begins with the version. */
static bool is_listed(const struct option_info *o, enum verb verb)
{
	return o->verbs & 1u << verb && strcmp(o->name, "version") != 0 &&
	       (verb == VERB_OPEN || strcmp(o->name, "help") != 0);
}

/* Help is a screen: the options of reading and correcting are explained by the verb that has little
 * else, those of pictures by the manual, and named by the others, as many as a line
 * holds. */
static bool is_only_named(enum option_group group, enum verb verb)
{
	const bool rows = verb == VERB_EXPORT || verb == VERB_QUERY;

	return (group == OPTIONS_PICTURE && (rows || verb == VERB_OPEN)) ||
	       group == OPTIONS_SCREEN ||
	       (group == OPTIONS_READING && (verb == VERB_OPEN || rows || verb == VERB_REPORT)) ||
	       (group == OPTIONS_CORRECTING && verb != VERB_CHECK);
}

static void name_options(enum option_group group, enum verb verb, struct str *out)
{
	const size_t start = out->n;
	const char *before = "--";

	/* Where there are so many others one line has to do for both. */
	const bool both = verb == VERB_OPEN || verb == VERB_EXPORT || verb == VERB_QUERY;
	const bool manual = group == OPTIONS_PICTURE || group == OPTIONS_SCREEN;

	if (both && group == OPTIONS_CORRECTING)
		return;
	for (const struct option_info *o = option_table(); o->name; o++) {
		if (!is_listed(o, verb) || o->group != group)
			continue;
		if (out->n == start)
			str_add_fmt(out, "%s%s (%s): ", option_group_name(group),
				    both && !manual ? ", correcting" : "",
				    manual ? "man tview" : "tview help check");
		if (out->n - start + strlen(o->name) > 70) {
			str_add(out, ", ...");
			break;
		}
		str_add_fmt(out, "%s%s", before, o->name);
		before = ", --";
	}
	if (out->n > start)
		str_add_char(out, '\n');
}

static void add_options(enum verb verb, struct str *out)
{
	for (int group = 0; group < OPTION_GROUPS; group++) {
		bool any = false;
		if (is_only_named((enum option_group)group, verb)) {
			name_options((enum option_group)group, verb, out);
			continue;
		}
		for (const struct option_info *o = option_table(); o->name; o++) {
			if (!is_listed(o, verb) || (int)o->group != group)
				continue;
			/* Below a list of verbs or views there is no room for headings. */
			if (!any && verb != VERB_OPEN && verb != VERB_EXPORT && verb != VERB_QUERY)
				str_add_fmt(out, "%s:\n",
					    option_group_name((enum option_group)group));
			any = true;
			add_option(o, out);
		}
	}
}

/* The verb `help`, the last, does what --help does. */
static void add_verbs(struct str *out)
{
	for (int v = 0; v < VERB_HELP; v++) {
		const struct verb_info *info = verb_info((enum verb)v);
		const size_t start = out->n;
		str_add_fmt(out, "  tview%s%s %s", *info->name ? " " : "", info->name, info->args);
		pad_to(out, start, 30);
		str_add_fmt(out, "%s\n", info->help);
	}
}

/* "corrections, -pairs, ...": views of one family are named by what follows its name. */
static void add_views(const struct view_registry *views, struct str *out)
{
	const char *names[VIEWS_MOST + 1];
	size_t start = out->n, family = 0;
	const char *head = "";

	view_export_names(views, names);
	str_add(out, "Views:");
	for (const char *const *view = names; *view; view++) {
		const bool member =
			family && strncmp(*view, head, family) == 0 && (*view)[family] == '-';
		const char *name = member ? *view + family : *view;
		if (!member) {
			head = *view;
			family = strlen(head);
		}
		if (out->n - start + strlen(name) > 76) {
			str_add(out, "\n  ");
			start = out->n;
		}
		str_add_fmt(out, " %s%s", name, view[1] ? "," : "\n");
	}
}

void option_help(enum verb verb, const struct view_registry *views, struct str *out)
{
	const struct verb_info *info = verb_info(verb);

	if (verb == VERB_OPEN) {
		str_add(out, "tview " TVIEW_VERSION ": traces of MPI programs in the terminal\n");
		add_verbs(out);
	} else {
		str_add_fmt(out, "usage: tview %s %s [options]\n", info->name, info->args);
		if (info->text)
			str_add_fmt(out, "%s\n", info->text);
	}
	if (verb == VERB_EXPORT)
		add_views(views, out);
	add_options(verb, out);
	if (*info->example) {
		const bool single = strchr(info->example, '\n')[1] == '\0';
		str_add_fmt(out, single ? "Example:%s" : "Examples:\n%s", info->example);
	}
	/* The help of verbs with many options has no room for this: it is in the manual. */
	if (verb != VERB_OPEN && verb != VERB_EXPORT)
		str_add(out, "Exit status: 0 success, 1 negative result, 2 usage, 3 cannot read or "
			     "write\n");
}

void option_usage(struct str *out)
{
	str_add(out, "usage:\n");
	add_verbs(out);
	str_add(out, "More: tview --help, tview help VERB\n");
}

/* ---- the manual page ---- */

static void manual_option(const struct option_info *o, struct str *out)
{
	bool all = true;

	option_page_manual(out, &(struct option_page){ .name = o->name,
						       .letter = o->letter,
						       .argument = o->argument,
						       .help = o->help,
						       .fallback = o->fallback });
	if (o->words && strlen(o->words) > 16) {
		str_add(out, "One of ");
		for (const char *w = o->words; *w; w++)
			if (*w == '|')
				str_add(out, ", ");
			else
				str_add_char(out, *w);
		str_add(out, ".\n");
	}
	for (int v = 0; v < VERB_HELP; v++)
		all = all && o->verbs & 1u << v;
	if (all)
		return;
	str_add(out, "For");
	for (int v = 0, n = 0; v < VERB_HELP; v++)
		if (o->verbs & 1u << v)
			str_add_fmt(out, "%s %s", n++ ? "," : "",
				    v == VERB_OPEN ? "\\fBtview\\fR \\fITRACE\\fR"
						   : verb_info((enum verb)v)->name);
	str_add(out, ".\n");
}

void option_synopsis_manual(struct str *out)
{
	for (int v = 0; v < VERB_COUNT; v++) {
		const struct verb_info *info = verb_info((enum verb)v);
		str_add_fmt(out, "%s.B tview%s%s\n.RI [ options ]\n.I ", v ? ".br\n" : "",
			    *info->name ? " " : "", info->name);
		option_page_roff(out, info->args);
		str_add_char(out, '\n');
	}
}

void option_verbs_manual(struct str *out)
{
	for (int v = 0; v < VERB_COUNT; v++) {
		const struct verb_info *info = verb_info((enum verb)v);
		str_add_fmt(out, ".TP\n.B tview%s%s\n", *info->name ? " " : "", info->name);
		option_page_roff(out, info->manual);
		str_add_char(out, '\n');
	}
}

void option_manual(struct str *out)
{
	for (int group = 0; group < OPTION_GROUPS; group++) {
		str_add_fmt(out, ".SS %s\n", option_group_name((enum option_group)group));
		for (const struct option_info *o = option_table(); o->name; o++)
			if ((int)o->group == group)
				manual_option(o, out);
	}
}
