/* manual: fills the tables of the program into a manual page, or a script for shells.
 *
 *	manual <doc/man/tview.1.in >doc/man/tview.1
 *
 * A line "@keys@" becomes the action table, "@commands@" and "@settings@" theirs, "@views@" and "@columns@" the views, "@options@" that
 * of tview's options, "@run-options@" that of tvrun's, "@cc-options@" that of tvcc's. What the
 * program does and what its manual says so come from one place; make doc writes the page, make
 * check compares it. */
#include <stdio.h>
#include <string.h>

#include "base/version.h"
#include "capture/cc/options/cc_options.h"
#include "capture/run/runopts.h"
#include "ui/app/views.h"
#include "ui/options/action.h"
#include "ui/options/command.h"
#include "ui/options/complete.h"
#include "ui/options/option.h"
#include "ui/options/settings.h"

/* Text as roff wants it: '-' is what is typed, '\' and a leading '.' or ''' mean themselves. */
static void put(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++) {
		if (*text == '-')
			fputs("\\-", stdout);
		else if (*text == '\\')
			fputs("\\e", stdout);
		else
			putchar(*text);
	}
}

/* Keys are separated by blanks in the table, by commas in the manual. */
static void put_keys(const char *keys)
{
	fputs(".TP\n", stdout);
	while (*keys) {
		const size_t n = strcspn(keys, " ");
		char key[32];

		snprintf(key, sizeof key, "%.*s", (int)n, keys);
		fputs("\\fB", stdout);
		put(key);
		fputs("\\fR", stdout);
		keys += n + (keys[n] == ' ');
		if (*keys)
			fputs(", ", stdout);
	}
	putchar('\n');
}

static void put_actions(void)
{
	for (int group = 0; group < GROUP_COUNT; group++) {
		fputs(".SS ", stdout);
		put(action_group_name((enum action_group)group));
		putchar('\n');
		for (int action = ACTION_NONE + 1; action < ACTION_COUNT; action++) {
			const struct action_info *info = action_info((enum action)action);

			if ((int)info->group != group)
				continue;
			put_keys(info->keys);
			put(info->help);
			fputs(" (\\fB:", stdout);
			put(info->command);
			fputs("\\fR)\n", stdout);
		}
	}
}

/* Commands with an argument. */
static void put_commands(void)
{
	for (unsigned c = 0; c < COMMAND_COUNT; c++) {
		const struct command_info *info = command_info((enum command)c);

		printf(".TP\n\\fB:%s\\fR \\fI%s\\fR\n", info->name, info->argument);
		put(info->help);
		putchar('\n');
	}
}

static void put_settings(void)
{
	for (const struct option_info *o = NULL; (o = settings_next(o));) {
		fputs(".TP\n.B ", stdout);
		put(o->name);
		putchar('\n');
		put(o->help);
		if (o->kind == OPTION_FLAG)
			fputs(" (yes or no)", stdout);
		putchar('\n');
	}
}

static void put_text(void (*add)(struct str *out))
{
	struct str text = STR_INIT;

	add(&text);
	fputs(text.text, stdout);
	str_fini(&text);
}

static void put_completion(void (*add)(const struct view_registry *views, struct str *out))
{
	struct str text = STR_INIT;

	add(&all_views, &text);
	fputs(text.text, stdout);
	str_fini(&text);
}

/* "graph (key 5)", and what it shows. */
static void put_views(void)
{
	for (unsigned i = 0; i < all_views.n; i++) {
		const struct view_info *view = &all_views.views[i];
		const char *name = view_export_name(view);

		fputs(".TP\n.B ", stdout);
		put(view->name);
		if (view->key)
			printf(" \\fR(key %s%s%s)", view->key,
			       name && strcmp(name, view->name) != 0 ? ", export " : "",
			       name && strcmp(name, view->name) != 0 ? name : "");
		putchar('\n');
		put(view->help);
		fputs(view->manual ? ".\n" : "\n", stdout);
		if (view->manual)
			put(view->manual);
		if (view->manual)
			putchar('\n');
	}
}

/* The columns of exports, then those that name theirs in the first line alone. */
static void put_columns(void)
{
	for (unsigned i = 0; i < all_views.n; i++)
		if (all_views.views[i].columns) {
			fputs(".TP\n.B ", stdout);
			put(view_export_name(&all_views.views[i]));
			putchar('\n');
			put(all_views.views[i].columns);
			putchar('\n');
		}
}

int main(void)
{
	char line[1024];

	while (fgets(line, sizeof line, stdin)) {
		if (strcmp(line, "@keys@\n") == 0)
			put_actions();
		else if (strcmp(line, "@commands@\n") == 0)
			put_commands();
		else if (strcmp(line, "@settings@\n") == 0)
			put_settings();
		else if (strcmp(line, "@synopsis@\n") == 0)
			put_text(option_synopsis_manual);
		else if (strcmp(line, "@verbs@\n") == 0)
			put_text(option_verbs_manual);
		else if (strcmp(line, "@views@\n") == 0)
			put_views();
		else if (strcmp(line, "@columns@\n") == 0)
			put_columns();
		else if (strcmp(line, "@run-options@\n") == 0)
			put_text(run_options_man);
		else if (strcmp(line, "@cc-options@\n") == 0)
			put_text(cc_options_man);
		else if (strcmp(line, "@options@\n") == 0)
			put_text(option_manual);
		else if (strcmp(line, "@bash@\n") == 0)
			put_completion(complete_bash);
		else if (strcmp(line, "@zsh@\n") == 0)
			put_completion(complete_zsh);
		else if (strcmp(line, "@fish@\n") == 0)
			put_completion(complete_fish);
		else if (strncmp(line, "@title ", 7) == 0)
			printf(".TH %.*s \"\" \"tview %s\" \"tview manual\"\n",
			       (int)strcspn(line + 7, "\n"), line + 7, TVIEW_VERSION);
		else
			fputs(line, stdout);
	}
	return ferror(stdin) || fflush(stdout) || ferror(stdout);
}
