/* The help: every key and command, from the tables of actions and views and the user's bindings;
 * those of the current view first. Other lists of keys or settings are shown the same way. */
#include <string.h>

#include "model/trace/gap.h"
#include "ui/panels/panels.h"
#include "ui/widgets/matcher.h"

enum { KEY_COLUMN = 2, HELP_COLUMN = 20, COMMAND_WIDTH = 18 };

struct help_line {
	char *keys;     /* NULL: a headline, or an empty line */
	char *help;     /* or the headline */
	char *command;  /* with its colon; or a value */
	bool text;      /* without keys: no headline */
	bool elsewhere; /* does nothing in this view */
};

struct help_panel {
	struct panel panel;
	VEC(struct help_line) lines;
	unsigned top;
	struct matcher *matcher;
	unsigned hit;    /* line of the current hit; 0: none */
	unsigned origin; /* top where the search began */
};

static const enum action actions[] = { ACTION_DOWN,    ACTION_UP,    ACTION_PAGE_DOWN,
				       ACTION_PAGE_UP, ACTION_FIRST, ACTION_LAST,
				       ACTION_CANCEL,  ACTION_ENTER, ACTION_NONE };

void help_panel_headline(struct panel *help, const char *text)
{
	struct help_panel *p = (struct help_panel *)help;

	if (p->lines.n)
		vec_push(&p->lines, (struct help_line){ .help = xstrdup("") });
	vec_push(&p->lines, (struct help_line){ .help = xstrdup(text) });
}

void help_panel_text(struct panel *help, const char *text)
{
	struct help_panel *p = (struct help_panel *)help;

	vec_push(&p->lines, ((struct help_line){ .help = xstrdup(text), .text = true }));
}

static struct help_line *push(struct help_panel *p, const char *keys, const char *help,
			      const char *last)
{
	vec_push(&p->lines,
		 ((struct help_line){
			 .keys = xstrdup(keys), .help = xstrdup(help), .command = xstrdup(last) }));
	return vec_last(&p->lines);
}

static void add_line(struct help_panel *p, const char *keys, const char *help, const char *command,
		     bool elsewhere)
{
	OWNED_STR name = STR_INIT;

	str_add_fmt(&name, ":%s", command);
	push(p, keys, help, name.text)->elsewhere = elsewhere;
}

void help_panel_line(struct panel *help, const char *keys, const char *text, const char *last)
{
	push((struct help_panel *)help, keys, text, last);
}

static void add_action(struct help_panel *p, const struct bindings *bindings, enum action action,
		       bool elsewhere)
{
	const struct action_info *info = action_info(action);

	add_line(p, bindings_keys(bindings, action), info->help, info->command, elsewhere);
}

static void clear(struct help_panel *p)
{
	for (size_t i = 0; i < p->lines.n; i++)
		free_all(p->lines.data[i].keys, p->lines.data[i].help, p->lines.data[i].command);
	p->lines.n = 0;
}

static void add_views(struct help_panel *p, const struct help_subject *subject)
{
	for (unsigned i = 0; subject->views && i < subject->views->n; i++) {
		const struct view_info *view = &subject->views->views[i];
		if (view->panel && view->key && action_of_key(view->key) == ACTION_NONE)
			add_line(p, bindings_view_keys(subject->bindings, view), view->help,
				 view_command(view), view->two_traces && !subject->two_traces);
	}
}

/* Adds the actions that work everywhere, or those of other views. */
static void add_groups(struct help_panel *p, const struct help_subject *subject, bool elsewhere)
{
	for (int g = 0; g < GROUP_COUNT; g++) {
		bool first = true;
		for (unsigned a = 1; a < ACTION_COUNT; a++) {
			const bool here = panel_knows(subject->panel, (enum action)a);
			const bool everywhere = !here && subject->works_everywhere((enum action)a);
			const bool wanted = elsewhere ? !here && !everywhere : everywhere;
			if (!wanted || action_info((enum action)a)->group != (enum action_group)g)
				continue;
			if (first && !elsewhere)
				help_panel_headline(&p->panel,
						    action_group_name((enum action_group)g));
			first = false;
			add_action(p, subject->bindings, (enum action)a, elsewhere);
		}
		if (g == GROUP_VIEW && !elsewhere)
			add_views(p, subject);
	}
}

void help_panel_about(struct panel *help, const struct help_subject *subject)
{
	struct help_panel *p = (struct help_panel *)help;
	const enum action *mine = subject->panel->ops->actions;
	OWNED_STR title = STR_INIT;
	str_add_fmt(&title, "In this view: %s", subject->title);
	clear(p);
	help_panel_headline(help, title.text);
	if (help->session && trace_has_gaps(help->session->trace))
		help_panel_headline(help, GAP_MARK
				    " before a time: in gaps, more than 1 % of it is estimated");
	for (const enum action *a = mine; a && *a != ACTION_NONE; a++)
		add_action(p, subject->bindings, *a, false);
	add_groups(p, subject, false);
	help_panel_headline(help, "In other views");
	add_groups(p, subject, true);
}

static void close_panel(struct panel *panel)
{
	struct help_panel *p = (struct help_panel *)panel;
	clear(p);
	vec_fini(&p->lines);
	matcher_free(p->matcher);
}

/* The line as one text, for the search. */
static void line_text(const struct help_line *line, struct str *out)
{
	if (!line->keys)
		str_add(out, line->help);
	else
		str_add_fmt(out, "%s  %s  %s", line->keys, line->help, line->command);
}

static void draw_line(const struct help_line *line, struct canvas *canvas, struct rect row)
{
	if (!line->keys) {
		canvas_write(canvas, row.x + 1, row.y, row.w - 1, line->help,
			     line->text ? ROLE_DEFAULT : ROLE_HEADER);
		return;
	}
	const enum role ink = line->elsewhere ? ROLE_MUTED : ROLE_DEFAULT;
	const int keys = row.w < 50 ? 12 : HELP_COLUMN - KEY_COLUMN - 1;
	canvas_write(canvas, row.x + KEY_COLUMN, row.y, keys, line->keys,
		     line->elsewhere ? ROLE_MUTED : ROLE_HINT_KEY);
	const int x = KEY_COLUMN + keys + 1;
	const bool command = row.w >= x + 50 + COMMAND_WIDTH;
	canvas_write(canvas, row.x + x, row.y, row.w - x - (command ? COMMAND_WIDTH : 0),
		     line->help, ink);
	if (command) {
		canvas_write(canvas, row.x + row.w - COMMAND_WIDTH, row.y, COMMAND_WIDTH,
			     line->command, ROLE_MUTED);
	}
}

static unsigned last_top(const struct help_panel *p, int h)
{
	return p->lines.n > (size_t)h ? (unsigned)p->lines.n - (unsigned)h : 0;
}

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct help_panel *p = (const struct help_panel *)panel;
	canvas_fill(canvas, area, ' ', ROLE_DEFAULT, ROLE_DEFAULT);
	const unsigned top = p->top < last_top(p, area.h) ? p->top : last_top(p, area.h);
	OWNED_STR text = STR_INIT;
	for (int y = 0; y < area.h && top + (unsigned)y < p->lines.n; y++) {
		const struct rect row = { area.x, area.y + y, area.w, 1 };
		const struct help_line *line = &p->lines.data[top + (unsigned)y];
		size_t begin, end;
		draw_line(line, canvas, row);
		str_clear(&text);
		line_text(line, &text);
		if (p->matcher && matcher_find(p->matcher, text.text, text.n, 0, &begin, &end))
			canvas_paint(canvas, row,
				     top + (unsigned)y == p->hit ? ROLE_CURSOR : ROLE_KEEP,
				     top + (unsigned)y == p->hit ? ROLE_CURSOR : ROLE_KEEP,
				     ATTR_BOLD);
	}
}

static unsigned scroll(struct help_panel *p, int by)
{
	const unsigned last = last_top(p, p->panel.area.h);
	const int64_t top = (int64_t)(p->top < last ? p->top : last) + by;
	p->top = top < 0 ? 0 : top > last ? last : (unsigned)top;
	return REACT_REDRAW;
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	struct help_panel *p = (struct help_panel *)panel;
	const int page = panel->area.h > 1 ? panel->area.h - 1 : 1;
	switch (action) {
	case ACTION_DOWN: return scroll(p, count);
	case ACTION_UP: return scroll(p, -count);
	case ACTION_PAGE_DOWN: return scroll(p, page * count);
	case ACTION_PAGE_UP: return scroll(p, -page * count);
	case ACTION_FIRST: return scroll(p, INT32_MIN / 2);
	case ACTION_LAST: return scroll(p, INT32_MAX / 2);
	case ACTION_ENTER: return REACT_POP;
	default: return REACT_IGNORED;
	}
}

static bool search(struct panel *panel, const char *pattern, int direction, struct err *err)
{
	struct help_panel *p = (struct help_panel *)panel;
	const unsigned n = (unsigned)p->lines.n;
	if (!p->matcher)
		p->origin = p->hit = p->top;
	if (!matcher_change(&p->matcher, pattern, err))
		return false;
	if (!p->matcher) {
		p->top = direction == 0 ? p->origin : p->top;
		return true;
	}
	OWNED_STR text = STR_INIT;
	bool found = false;
	const unsigned from = direction == 0 ? p->origin : p->hit;
	for (unsigned i = direction != 0; !found && i < n + (direction != 0); i++) {
		const unsigned at = direction < 0 ? (from + n - i % n) % n : (from + i) % n;
		str_clear(&text);
		line_text(&p->lines.data[at], &text);
		found = matcher_hits(p->matcher, text.text, text.n);
		if (found)
			p->hit = at;
	}
	if (!found)
		return err_set(err, STATUS_NO, "no line matches '%s'", pattern);
	const unsigned h = panel->area.h > 0 ? (unsigned)panel->area.h : 1;
	if (p->hit < p->top || p->hit >= p->top + h)
		p->top = p->hit > h / 2 ? p->hit - h / 2 : 0;
	return true;
}

static void status(const struct panel *panel, struct str *out)
{
	const struct help_panel *p = (const struct help_panel *)panel;
	const unsigned last = last_top(p, panel->area.h);
	if (last)
		str_add_fmt(out, "%u %%", (p->top < last ? p->top : last) * 100 / last);
}

const struct panel_ops help_panel_ops = {
	.actions = actions,
	.size = sizeof(struct help_panel),
	.close = close_panel,
	.draw = draw,
	.act = act,
	.search = search,
	.status = status,
};

const struct panel_ops list_panel_ops = {
	.actions = actions,
	.size = sizeof(struct help_panel),
	.close = close_panel,
	.draw = draw,
	.act = act,
	.search = search,
	.status = status,
};
