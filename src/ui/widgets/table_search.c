/* Searching a table: seeks the next hit and counts them all, in slices that keys wait for. */
#include <string.h>

#include "base/clock.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/table_layout.h"
#include "ui/widgets/table_pane.h"

/* A count that grows is drawn ten times a second. */
enum { SLICE_MS = 5, SHOW_MS = 100, ROWS_A_LOOK = 64 };

static bool hits(const struct table_pane *pane, uint64_t row, struct str *text)
{
	struct value values[TABLE_COLUMNS];
	unsigned shown[TABLE_COLUMNS];
	const unsigned n = table_layout_shown(pane, shown);
	table_cells(pane->table, row, values);
	for (unsigned i = 0; i < n; i++) {
		const unsigned c = shown[i];
		str_clear(text);
		table_show(pane->table, c, &values[c], text);
		if (matcher_hits(pane->search.matcher, text->text, text->n))
			return true;
	}
	return false;
}

/* The row a seek looks at next, round the ends. */
static uint64_t onwards(const struct table_pane *pane, uint64_t row)
{
	struct table *table = pane->table;
	if (pane->search.direction < 0) {
		row = table->ops->prev(table, row);
		return row == ROW_NONE ? table->ops->last(table) : row;
	}
	row = table->ops->next(table, row);
	return row == ROW_NONE ? table->ops->first(table) : row;
}

enum found { FOUND, FOUND_NONE, FOUND_LATER };

static enum found seek(struct table_pane *pane, int64_t deadline)
{
	struct table_search *search = &pane->search;
	OWNED_STR text = STR_INIT;
	enum found found = FOUND_LATER;
	for (unsigned i = 1; found == FOUND_LATER; i++) {
		const uint64_t row = search->seek;
		if (hits(pane, row, &text)) {
			pane->cursor = row;
			found = FOUND;
		} else if (row == search->seek_end) {
			found = FOUND_NONE;
		} else {
			search->seek = onwards(pane, row);
			if (i % ROWS_A_LOOK == 0 && clock_ms() >= deadline)
				break;
		}
	}
	if (found != FOUND_LATER)
		search->seek = ROW_NONE;
	return found;
}

static void count(struct table_pane *pane, int64_t deadline)
{
	struct table_search *search = &pane->search;
	OWNED_STR text = STR_INIT;
	for (unsigned i = 1; search->count_at != ROW_NONE; i++) {
		if (hits(pane, search->count_at, &text)) {
			search->hits++;
			if (search->count_at == pane->cursor)
				search->ordinal = search->hits;
		}
		search->count_at = table_next(pane->table, search->count_at);
		if (i % ROWS_A_LOOK == 0 && clock_ms() >= deadline)
			break;
	}
}

static bool set_pattern(struct table_pane *pane, const char *pattern, struct err *err)
{
	struct table_search *search = &pane->search;
	if (search->matcher && strcmp(matcher_pattern(search->matcher), pattern) == 0)
		return true;
	if (!search->matcher)
		search->origin = pane->cursor;
	if (!matcher_change(&search->matcher, pattern, err))
		return false;
	search->seek = ROW_NONE;
	search->hits = search->ordinal = 0;
	search->count_at = search->matcher ? table_first(pane->table) : ROW_NONE;
	return true;
}

bool table_pane_search(struct table_pane *pane, const char *pattern, int direction, struct err *err)
{
	struct table_search *search = &pane->search;
	if (!pane->table || pane->cursor == ROW_NONE)
		return err_set(err, STATUS_NO, "no rows to search");
	if (!set_pattern(pane, pattern, err))
		return false;
	if (!search->matcher) {
		if (direction == 0)
			pane->cursor = search->origin;
		return true;
	}
	search->direction = direction < 0 ? -1 : 1;
	const uint64_t from = direction == 0 ? search->origin : pane->cursor;
	const uint64_t ordinal = search->ordinal;
	search->seek_end = from;
	search->seek = direction == 0 ? from : onwards(pane, from);
	if (direction == 0) /* once round and back to the row before */
		search->seek_end = pane->table->ops->prev(pane->table, from);
	if (direction == 0 && search->seek_end == ROW_NONE)
		search->seek_end = pane->table->ops->last(pane->table);
	const enum found found = seek(pane, clock_ms() + SLICE_MS);
	search->ordinal = 0;
	if (search->count_at == ROW_NONE && found == FOUND) {
		if (direction != 0 && ordinal)
			search->ordinal = direction > 0
						  ? ordinal % search->hits + 1
						  : (ordinal + search->hits - 2) % search->hits + 1;
		else
			search->count_at = table_first(pane->table), search->hits = 0;
	} else if (search->count_at != ROW_NONE) {
		search->count_at = table_first(pane->table);
		search->hits = 0;
	}
	if (search->count_at != ROW_NONE)
		count(pane, clock_ms() + SLICE_MS / 2);
	if (found == FOUND_NONE)
		return err_set(err, STATUS_NO, "no row matches '%s'", pattern);
	return true;
}

bool table_pane_work(struct table_pane *pane, struct session *session, unsigned *reactions)
{
	struct table_search *search = &pane->search;
	if (!pane->table || !search->matcher ||
	    (search->seek == ROW_NONE && search->count_at == ROW_NONE))
		return false;
	const int64_t deadline = clock_ms() + SLICE_MS;
	const bool sought = search->seek != ROW_NONE;
	if (sought) {
		const enum found found = seek(pane, deadline);
		if (found == FOUND_NONE)
			session_notice(session, true, "no row matches '%s'",
				       matcher_pattern(search->matcher));
		if (found == FOUND && search->count_at == ROW_NONE) {
			search->count_at = table_first(pane->table);
			search->hits = search->ordinal = 0;
		}
	} else {
		count(pane, deadline);
	}
	const bool more = search->seek != ROW_NONE || search->count_at != ROW_NONE;
	const int64_t now = clock_ms();
	if (!more || sought != (search->seek != ROW_NONE) || now - search->shown >= SHOW_MS) {
		search->shown = now;
		*reactions |= REACT_REDRAW;
	}
	return more;
}
