#include "ui/widgets/table_tabs.h"

static struct table_tabs *tabs_of(const struct panel *panel)
{
	return (struct table_tabs *)(uintptr_t)panel;
}

struct table_pane *table_tabs_front(const struct panel *panel)
{
	return &tabs_of(panel)->panes[tabs_of(panel)->front];
}

static void make(struct panel *panel, unsigned tab)
{
	const struct table_tabs_info *info = panel->ops->tabs;
	struct table_tabs *t = tabs_of(panel);
	struct query query = session_query(panel->session);
	struct err err = ERR_INIT;
	struct table *table;

	OWNED_STR why = STR_INIT;
	query.width = panel->area.w;
	table = info->make(panel, tab, &query, &err);

	/* A key came first: keep the old table until the next requery. */
	if (!table && session_stopped(panel->session))
		return;
	if (!table)
		session_notice(panel->session, true, "%s", err.text);
	table_pane_take(&t->panes[tab], table);
	table_pane_choose(&t->panes[tab], &panel->session->columns);
	info->empty(panel, tab, &why);
	table_pane_say(&t->panes[tab], why.text);
	t->made[tab] = panel->session->generation;
	t->width[tab] = panel->area.w;
}

static bool is_current(const struct panel *panel, unsigned tab)
{
	const struct table_tabs *t = tabs_of(panel);
	const uint64_t made = t->made[tab];

	if (panel->ops->tabs->tabs[tab].breaks && t->width[tab] != panel->area.w)
		return false;
	return made && (made == panel->session->generation || panel->ops->tabs->whole_run);
}

static unsigned shown(const struct panel *panel)
{
	const struct table_tabs_info *info = panel->ops->tabs;

	return info->shown ? info->shown(panel) : info->n;
}

void table_tabs_requery(struct panel *panel)
{
	const struct table_tabs_info *info = panel->ops->tabs;

	for (unsigned tab = 0; tab < shown(panel); tab++) {
		if (is_current(panel, tab) ||
		    (!info->tabs[tab].counted && tab != tabs_of(panel)->front))
			continue;
		make(panel, tab);
		if (session_stopped(panel->session))
			return;
	}
}

void table_tabs_renew(struct panel *panel)
{
	struct table_tabs *t = tabs_of(panel);

	for (unsigned tab = 0; tab < panel->ops->tabs->n; tab++) {
		t->made[tab] = 0;
		if (tab != t->front)
			table_pane_take(&t->panes[tab], NULL);
	}
}

void table_tabs_close(struct panel *panel)
{
	for (unsigned tab = 0; tab < TABLE_TABS; tab++)
		table_pane_fini(&tabs_of(panel)->panes[tab]);
}

unsigned table_tabs_show(struct panel *panel, unsigned tab, bool again)
{
	tabs_of(panel)->front = tab;
	if (again || !is_current(panel, tab))
		make(panel, tab);
	return REACT_REDRAW;
}

static int draw_names(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct table_tabs *t = tabs_of(panel);
	const struct table_tabs_info *info = panel->ops->tabs;
	OWNED_STR s = STR_INIT;
	int x = area.x + 1;

	for (unsigned tab = 0; tab < shown(panel); tab++) {
		const bool active = tab == t->front;
		str_clear(&s);
		str_add(&s, info->tabs[tab].name);
		if (info->tabs[tab].counted) {
			str_add_char(&s, ' ');
			units_count(&s, t->panes[tab].table ? t->panes[tab].table->rows : 0);
		}
		if (t->note[tab])
			str_add_fmt(&s, " %s", t->note[tab]);
		x += canvas_text(canvas, x, area.y, area.x + area.w - x, s.text,
				 active ? ROLE_VALUE : ROLE_MUTED, ROLE_DEFAULT,
				 active ? ATTR_BOLD | ATTR_UNDERLINE : 0);
		x += 3;
	}
	return x;
}

int table_tabs_draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	table_pane_draw(table_tabs_front(panel), canvas, panel->ops->tabs->area(panel, area));
	return draw_names(panel, canvas, area);
}

unsigned table_tabs_act(struct panel *panel, enum action action, int count)
{
	const struct table_tabs_info *info = panel->ops->tabs;
	const unsigned front = tabs_of(panel)->front;
	struct table_pane *pane = table_tabs_front(panel);
	const uint64_t before = pane->cursor;

	if (action == ACTION_NEXT_PANE)
		return table_tabs_show(panel, (front + 1) % shown(panel), false);
	if (action == ACTION_PREV_PANE)
		return table_tabs_show(panel, (front + shown(panel) - 1) % shown(panel), false);
	if (action == ACTION_SORT && info->tabs[front].fixed)
		return REACT_IGNORED;
	const unsigned reactions =
		table_pane_act(pane, action, count, info->area(panel, panel->area));
	if (panel->ops->moved && pane->cursor != before)
		panel->ops->moved(panel);
	return reactions;
}

void table_tabs_word(const struct panel *panel, struct str *out)
{
	table_pane_word(table_tabs_front(panel), panel->ops->tabs->tabs[tabs_of(panel)->front].word,
			out);
}

bool table_tabs_land(struct panel *panel, const struct selection *selection)
{
	struct table_pane *pane = table_tabs_front(panel);

	if (!pane->table)
		return false;
	if (table_pane_land(pane, selection, panel->session->trace,
			    panel->ops->tabs->area(panel, panel->area)) &&
	    panel->ops->moved)
		panel->ops->moved(panel);
	return true;
}

unsigned table_tabs_click(struct panel *panel, int x, int y, struct rect area)
{
	const struct rect table = panel->ops->tabs->area(panel, area);

	if (x < table.x || y < table.y)
		return REACT_NONE;
	const unsigned reactions = table_pane_click(table_tabs_front(panel), x, y, table);
	if (panel->ops->moved)
		panel->ops->moved(panel);
	return reactions;
}
