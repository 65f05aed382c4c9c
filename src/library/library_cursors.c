/* library_cursors: cursors over records of any kind. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "library/library_cursor.h"
#include "model/trace/program.h"

static const struct library_kind *const kinds[] = {
	[TVIEW_EVENTS] = &library_events,     [TVIEW_VISITS] = &library_visits,
	[TVIEW_MESSAGES] = &library_messages, [TVIEW_COLLECTIVES] = &library_collectives,
	[TVIEW_MEMBERS] = &library_members,   [TVIEW_SEVERITIES] = &library_severities,
	[TVIEW_NODES] = &library_nodes,
};

static const struct library_kind *kind_of(enum tview_kind kind)
{
	return (unsigned)kind < ARRAY_SIZE(kinds) ? kinds[kind] : NULL;
}

const char *tview_kind_name(enum tview_kind kind)
{
	return kind_of(kind) ? kind_of(kind)->name : NULL;
}

size_t tview_record_size(enum tview_kind kind)
{
	return kind_of(kind) ? kind_of(kind)->size : 0;
}

const struct tview_field *tview_record_fields(enum tview_kind kind)
{
	return kind_of(kind) ? kind_of(kind)->fields : NULL;
}

/* Options that choose records; those of tables say how rows are shown. */
static bool check_options(enum tview_kind kind, const char *const *options, struct err *err)
{
	static const char *const names[] = { "base", "time", "ranks", "filter", "metric" };

	for (; options && *options; options++) {
		const size_t n = strcspn(*options, "=");
		bool found = false;
		for (size_t i = 0; i < ARRAY_SIZE(names); i++)
			found = found ||
				(strlen(names[i]) == n && strncmp(names[i], *options, n) == 0 &&
				 (i < 4 || kind == TVIEW_SEVERITIES));
		if (!found)
			return err_set(err, STATUS_USAGE, "%s have no option '%.*s'",
				       kinds[kind]->name, (int)n, *options);
	}
	return true;
}

static bool keep_location(tview_cursor *c, uint32_t location, struct err *err)
{
	if (location == TVIEW_NONE)
		return true;
	if (location >= trace_location_count(c->query->trace))
		return err_set(err, STATUS_USAGE, "the trace has no location %u (it has %u)",
			       location, trace_location_count(c->query->trace));
	c->location = location;
	c->of.choice.query.locations = &c->location;
	c->of.choice.query.n_locations = 1;
	return true;
}

static bool open_cursor(tview_cursor *c, uint32_t location, const char *const *options,
			struct err *err)
{
	if (!kind_of(c->kind))
		return err_set(err, STATUS_USAGE, "there is no kind %u of records", c->kind);
	if (!check_options(c->kind, options, err) ||
	    !library_choose(&c->of, c->trace, options, err))
		return false;
	c->query = &c->of.choice.query;
	if (c->kind != TVIEW_NODES && trace_records_alone(c->query->trace))
		return err_set(err, STATUS_NO, "%s has statement records, no %s (nodes have them)",
			       trace_path(c->query->trace), kinds[c->kind]->name);
	return keep_location(c, location, err) && kinds[c->kind]->open(c, err);
}

tview_cursor *tview_cursor_open(tview_trace *trace, enum tview_kind kind, uint32_t location,
				const char *const *options, struct tview_error *error)
{
	tview_cursor *c = xcalloc(1, sizeof *c);
	struct err err = ERR_INIT;

	c->kind = kind;
	c->trace = trace;
	pthread_mutex_lock(&trace->making);
	c->opened = open_cursor(c, location, options, &err);
	pthread_mutex_unlock(&trace->making);
	if (c->opened)
		return c;
	library_tell(error, &err);
	tview_cursor_close(c);
	return NULL;
}

void tview_cursor_close(tview_cursor *c)
{
	if (!c)
		return;
	if (c->opened)
		kinds[c->kind]->close(c);
	library_choice_fini(&c->of);
	free(c);
}

size_t tview_cursor_read(tview_cursor *c, enum tview_kind kind, void *records, size_t n)
{
	const struct library_kind *k = kinds[c->kind];
	size_t got = 0;

	if (kind != c->kind)
		return 0;
	while (got < n && k->next(c, (char *)records + got * k->size))
		got++;
	return got;
}
