/* Grouping, pinning, sorting and hiding the timeline's rows. */

#include "ui/timeline/panel/timeline_arrange.h"

#include "base/mem.h"
#include "ui/timeline/panel/timeline_state.h"

static struct arrangement *arrangement_of(const struct timeline_panel *t)
{
	return &t->panel.session->arrangement;
}

/* ---- opening ---- */

static bool has_group(const struct timeline_panel *t)
{
	return t->rows.list.n > 0 && timeline_cursor_row(t)->kind == ROW_GROUP;
}

bool timeline_open_group(struct timeline_panel *t)
{
	struct session *s = t->panel.session;

	/* On an event inside a closed group Enter goes to the event. */
	if (!has_group(t) || s->cursor.event != EVENT_NONE)
		return false;
	arrangement_toggle_open(arrangement_of(t), timeline_cursor_row(t)->location);
	s->cursor.group = true;
	session_rearranged(s);
	return true;
}

bool timeline_close_group(struct timeline_panel *t)
{
	struct session *s = t->panel.session;
	const struct grouping *g = &t->rows.grouping;
	uint32_t group, first;

	if (t->rows.list.n == 0)
		return false;
	group = timeline_cursor_row(t)->group;
	if (group == NO_GROUP || group >= g->groups.n || g->groups.data[group].n < 2)
		return false;
	first = g->members[g->groups.data[group].first];
	if (!arrangement_is_open(arrangement_of(t), first))
		return false;
	arrangement_toggle_open(arrangement_of(t), first);
	session_set_cursor(s, first, s->cursor.time, EVENT_NONE);
	s->cursor.group = true;
	s->cursor.metric = UINT32_MAX;
	session_rearranged(s);
	return true;
}

/* ---- grouping ---- */

/* More locations are compared with each other only when the user groups by likeness. */
enum { ALIKE_AT_ONCE = 2000, LEAST_GROUPED = 3 };

/* How many groups of similar locations the rows have. */
static uint32_t count_alike(struct timeline_shades *shades, const struct session *s)
{
	struct timeline_rows rows = { .list = VEC_INIT };
	struct query query = session_query(s);
	struct arrangement a = { .key = BY_LIKENESS, .fit = s->arrangement.fit };
	uint32_t n = 0;

	query.arrangement = &a;
	if (timeline_rows_make(&rows, &query, shades, NULL))
		n = (uint32_t)rows.grouping.groups.n;
	timeline_rows_fini(&rows);
	return n;
}

/* Does grouping the locations by the key say anything: are there several groups, of several
 * members, and at most `most` of them? */
static bool makes_sense(struct timeline_shades *shades, const struct session *s,
			const uint32_t *locations, uint32_t n, enum group_key key, uint32_t most)
{
	uint32_t groups;

	if (key == BY_NONE)
		return true;
	if (n < LEAST_GROUPED)
		return false;
	/* Where all fit, a range is one location. */
	if (key == BY_RANGE)
		return n > s->arrangement.fit;
	groups = key == BY_LIKENESS ? count_alike(shades, s)
				    : grouping_count(s->trace, key, locations, n, n);
	return groups > 1 && groups < n && groups <= most;
}

void timeline_regroup(const struct timeline_rows *rows, struct timeline_shades *shades,
		      struct session *s)
{
	enum group_key key = s->arrangement.key;

	do
		key = (enum group_key)((key + 1) % GROUP_KEYS);
	while (!makes_sense(shades, s, rows->locations, rows->n_locations, key, UINT32_MAX));
	if (key == s->arrangement.key) {
		session_notice(s, false, "nothing to group: %u rows", rows->n_locations);
		return;
	}
	session_group(s, key, 0);
}

void timeline_group_to_fit(struct timeline_shades *shades, struct session *s, uint32_t fit)
{
	static const enum group_key keys[] = { BY_NODE, BY_PROCESS, BY_LIKENESS, BY_RANGE };
	struct arrangement *a = &s->arrangement;
	OWNED uint32_t *locations = xmalloc((s->rows.n + 1) * sizeof *locations);
	uint32_t n = 0;

	/* Locations of counters alone have no row. */
	for (size_t i = 0; i < s->rows.n; i++)
		if (location_has_states(trace_location(s->trace, s->rows.data[i])))
			locations[n++] = s->rows.data[i];
	if (s->grouped || n <= fit)
		return;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		if (keys[i] == BY_LIKENESS && n > ALIKE_AT_ONCE)
			continue;
		if (!makes_sense(shades, s, locations, n, keys[i], fit))
			continue;
		a->key = keys[i];
		a->range = 0;
		a->opened.n = 0;
		s->cursor.group = s->asked.tell_groups = true;
		session_rearranged(s);
		return;
	}
}

/* ---- order, pins, hiding ---- */

void timeline_next_order(struct timeline_panel *t)
{
	struct arrangement *a = arrangement_of(t);

	a->order = a->order == ROWS_BY_RANK ? ROWS_BY_MPI : ROWS_BY_RANK;
	session_notice(t->panel.session, false,
		       a->order == ROWS_BY_MPI ? "sorted by share of MPI time" : "sorted by rank");
	session_rearranged(t->panel.session);
}

void timeline_pin_row(struct timeline_panel *t)
{
	const struct timeline_row *row = timeline_cursor_row(t);
	const bool pinned = arrangement_toggle_pin(arrangement_of(t), row->location,
						   row->kind == ROW_GROUP || row->of_group);

	session_notice(t->panel.session, false,
		       pinned ? "row pinned; %s unpins it" : "row unpinned",
		       session_key(t->panel.session, ACTION_PIN).text);
	session_rearranged(t->panel.session);
}

void timeline_hide_row(struct timeline_panel *t)
{
	struct session *s = t->panel.session;
	const struct timeline_row *row = timeline_cursor_row(t);
	const uint32_t *members;
	uint32_t n;

	if (row->kind == ROW_COUNTER) {
		arrangement_toggle_counter(arrangement_of(t), row->metric);
		s->cursor.metric = UINT32_MAX;
		session_rearranged(s);
		return;
	}
	members = timeline_row_members(&t->rows, row, &n);
	session_hide_all(s, members, n);
}
