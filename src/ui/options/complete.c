/* Completion for shells: what follows is written from the tables of verbs, options, views, commands
 * and actions. */
#include "ui/options/complete.h"

#include <string.h>

#include "ui/options/action.h"
#include "ui/options/command.h"
#include "ui/options/option.h"

/* Between blanks. */
static void add_list(const char *const *words, struct str *out)
{
	for (const char *const *word = words; *word; word++)
		str_add_fmt(out, "%s%s", word == words ? "" : " ", *word);
}

static void add_commands(const struct view_registry *views, struct str *out)
{
	const char *names[COMMAND_NAMES_MOST];

	command_names(views, names);
	add_list(names, out);
}

static void add_views(const struct view_registry *views, bool exports, struct str *out)
{
	const char *names[VIEWS_MOST + 1];

	if (exports)
		view_export_names(views, names);
	else
		view_names(views, names);
	add_list(names, out);
}

/* Words of an option's table, which has a bar between them, but for those with a number. */
static void add_words(struct str *out, const char *words)
{
	const size_t start = out->n;

	for (size_t n; *words; words += n + (words[n] == '|')) {
		n = strcspn(words, "|");
		if (memchr(words, ':', n))
			continue;
		str_add(out, out->n > start ? " " : "");
		str_add_n(out, words, n);
	}
}

/* ---- bash ---- */

void complete_bash(const struct view_registry *views, struct str *out)
{
	str_add(out, "# bash completion for tview, made from its tables\n"
		     "_tview() {\n"
		     "\tlocal verb=${COMP_WORDS[1]} cur=${COMP_WORDS[COMP_CWORD]} "
		     "prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
		     "\tcase $prev:$cur in\n");
	for (const struct option_info *o = option_table(); o->name; o++)
		if (o->words) {
			str_add_fmt(out, "\t--%s:*) words='", o->name);
			add_words(out, o->words);
			str_add(out, "' ;;\n");
		}
	str_add(out, "\t--view:*) words='");
	add_views(views, false, out);
	str_add(out, "' ;;\n\t-c:*|--command:*) words='");
	add_commands(views, out);
	str_add(out, "' ;;\n\texport:|export:[!-]*) words='");
	add_views(views, true, out);
	str_add(out, "' ;;\n\t*) case $verb in\n");
	for (int v = VERB_COUNT - 1; v >= 0; v--) {
		str_add_fmt(out, "\t\t%s) words='", v ? verb_info((enum verb)v)->name : "*");
		for (const struct option_info *o = option_table(); o->name; o++)
			if (o->verbs & 1u << v)
				str_add_fmt(out, "--%s ", o->name);
		str_add(out, "' ;;\n");
	}
	str_add(out, "\tesac ;;\n\tesac\n\t[ $COMP_CWORD = 1 ] && words=\"$words");
	for (int v = VERB_OPEN + 1; v < VERB_COUNT; v++)
		str_add_fmt(out, " %s", verb_info((enum verb)v)->name);
	str_add(out, "\"\n"
		     "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
		     "}\n"
		     "complete -o default -F _tview tview\n");
}

/* ---- zsh ---- */

/* Within single quotes; `special` ones with a backslash, too. */
static void add_quoted(struct str *out, const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'')
			str_add(out, "'\\''");
		else if (strchr(special, *text))
			str_add_fmt(out, "\\%c", *text);
		else
			str_add_char(out, *text);
	}
}

/* The value of an option: its words, a file, or anything. */
static void zsh_value(const struct option_info *o, const struct view_registry *views,
		      struct str *out)
{
	if (o->kind == OPTION_FLAG)
		return;
	str_add_fmt(out, ":%s:", o->argument);
	if (o->words) {
		str_add_char(out, '(');
		add_words(out, o->words);
		str_add_char(out, ')');
	} else if (o->kind == OPTION_VIEW) {
		str_add_char(out, '(');
		add_views(views, false, out);
		str_add_char(out, ')');
	} else if (o->kind == OPTION_TEXTS) {
		str_add_char(out, '(');
		add_commands(views, out);
		str_add_char(out, ')');
	} else {
		str_add(out, strcmp(o->argument, "FILE") == 0 || strcmp(o->argument, "DIRS") == 0
				     ? "_files"
				     : " ");
	}
}

static void zsh_option(const struct option_info *o, const struct view_registry *views,
		       struct str *out)
{
	str_add(out, " \\\n\t\t\t'");
	if (o->kind == OPTION_TEXTS)
		str_add_char(out, '*');
	else if (o->letter)
		str_add_fmt(out, "(-%c --%s)", o->letter, o->name);
	if (o->letter)
		str_add_fmt(out, "'{-%c,--%s}'", o->letter, o->name);
	else
		str_add_fmt(out, "--%s", o->name);
	str_add_char(out, '[');
	add_quoted(out, o->help, "[]");
	str_add_char(out, ']');
	zsh_value(o, views, out);
	str_add_char(out, '\'');
}

void complete_zsh(const struct view_registry *views, struct str *out)
{
	str_add(out, "#compdef tview\n# zsh completion for tview, made from its tables\n"
		     "_tview() {\n\tlocal verb=$words[2]\n\tcase $verb in\n");
	for (int v = VERB_COUNT - 1; v >= 0; v--) {
		str_add_fmt(out, "\t%s) _arguments", v ? verb_info((enum verb)v)->name : "*");
		for (const struct option_info *o = option_table(); o->name; o++)
			if (o->verbs & 1u << v)
				zsh_option(o, views, out);
		if (v == VERB_EXPORT) {
			str_add(out, " \\\n\t\t\t'1: :(export)' '2:view:(");
			add_views(views, true, out);
			str_add(out, ")'");
		} else if (v == VERB_OPEN) {
			str_add(out, " \\\n\t\t\t'1: :_tview_first'");
		} else {
			str_add_fmt(out, " \\\n\t\t\t'1: :(%s)'", verb_info((enum verb)v)->name);
		}
		str_add(out, " \\\n\t\t\t'*:trace:_files' ;;\n");
	}
	str_add(out, "\tesac\n}\n_tview_first() {\n\tlocal -a verbs=(");
	for (int v = VERB_OPEN + 1; v < VERB_COUNT; v++) {
		str_add_fmt(out, "\n\t\t'%s:", verb_info((enum verb)v)->name);
		add_quoted(out, verb_info((enum verb)v)->help, ":");
		str_add_char(out, '\'');
	}
	str_add(out, ")\n\t_describe -t verbs verb verbs\n\t_files\n}\n_tview \"$@\"\n");
}

/* ---- fish ---- */

static void fish_option(const struct option_info *o, const struct view_registry *views,
			struct str *out)
{
	str_add(out, "complete -c tview");
	if (!(o->verbs & 1u << VERB_OPEN)) {
		str_add(out, " -n '__fish_seen_subcommand_from");
		for (int v = VERB_OPEN + 1; v < VERB_COUNT; v++)
			if (o->verbs & 1u << v)
				str_add_fmt(out, " %s", verb_info((enum verb)v)->name);
		str_add_char(out, '\'');
	}
	str_add_fmt(out, " -l %s", o->name);
	if (o->letter)
		str_add_fmt(out, " -s %c", o->letter);
	str_add(out, " -d '");
	add_quoted(out, o->help, "\\");
	str_add_char(out, '\'');
	if (o->words || o->kind == OPTION_VIEW || o->kind == OPTION_TEXTS) {
		str_add(out, " -x -a '");
		if (o->words)
			add_words(out, o->words);
		else if (o->kind == OPTION_VIEW)
			add_views(views, false, out);
		else
			add_commands(views, out);
		str_add_char(out, '\'');
	} else if (o->kind != OPTION_FLAG) {
		str_add(out, " -r");
	}
	str_add_char(out, '\n');
}

void complete_fish(const struct view_registry *views, struct str *out)
{
	str_add(out, "# fish completion for tview, made from its tables\n");
	for (int v = VERB_OPEN + 1; v < VERB_COUNT; v++) {
		str_add_fmt(out, "complete -c tview -n __fish_use_subcommand -a %s -d '",
			    verb_info((enum verb)v)->name);
		add_quoted(out, verb_info((enum verb)v)->help, "");
		str_add(out, "'\n");
	}
	str_add(out, "complete -c tview -n '__fish_seen_subcommand_from export' -a '");
	add_views(views, true, out);
	str_add(out, "'\n");
	for (const struct option_info *o = option_table(); o->name; o++)
		fish_option(o, views, out);
}
