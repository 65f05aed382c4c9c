/* Position, marks and hidden rows of a trace, kept in a file below $XDG_STATE_HOME/tview and
 * restored when the trace is opened again. Each line is a word and numbers; a file that does not
 * fit the trace, or is damaged, is ignored. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/folders.h"
#include "model/trace/detail.h"
#include "ui/app/application.h"
#include "views/facts/iteration_sums.h"

enum { LINE_BYTES = 1024, FILE_LINES = 100000 };
static const char version[] = "tview-state 1";

/* The folder of all files; false if there is none. */
static bool state_folder(struct str *out)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	if (state && state[0] == '/')
		str_add_fmt(out, "%s/tview/", state);
	else if (home && home[0] == '/')
		str_add_fmt(out, "%s/.local/state/tview/", home);
	return out->n > 0;
}

bool app_state_is_first(const struct app *app)
{
	OWNED_STR folder = STR_INIT;
	return !app->options->no_state && state_folder(&folder) && access(folder.text, F_OK) != 0;
}

/* The file of a trace; false if there is no folder for it. */
static bool state_path(const struct app *app, struct str *out)
{
	OWNED char *real = realpath(trace_path(app->session.trace), NULL);
	if (real && state_folder(out))
		str_add_fmt(out, "%016llx", (unsigned long long)XXH64(real, strlen(real), 0));
	return out->n > 0;
}

/* ---- writing ---- */

/* As the key of a grouping that the user did not choose: the next screen may have more rows. */
static const char to_fit[] = "fit";

static void write_arrangement(const struct session *s, FILE *file)
{
	const struct arrangement *a = &s->arrangement;
	fprintf(file, "group %s %" PRIu32 " %d %d\n", s->grouped ? group_key_name(a->key) : to_fit,
		a->range, (int)a->order, s->cursor.group);
	for (size_t i = 0; s->grouped && i < a->opened.n; i++)
		fprintf(file, "opened %" PRIu32 "\n", a->opened.data[i]);
	for (size_t i = 0; i < a->pins.n; i++)
		fprintf(file, "pinned %" PRIu32 " %d\n", a->pins.data[i].location,
			a->pins.data[i].group);
	for (size_t i = 0; i < a->counters.n; i++)
		fprintf(file, "counter %" PRIu32 "\n", a->counters.data[i]);
}

/* One that a line of the file can have. */
static void write_sequence(const struct sequence *sequence, FILE *file)
{
	const char *text = sequence ? sequence_text(sequence) : "";

	if (*text && !strchr(text, '\n') && strlen(text) < LINE_BYTES - sizeof "sequence \n")
		fprintf(file, "sequence %s\n", text);
}

static void write_state(const struct app *app, FILE *file)
{
	const struct session *s = &app->session;
	fprintf(file, "%s\n", version);
	fprintf(file, "events %" PRIu64 "\n", trace_event_count(s->trace));
	fprintf(file, "base %s\n", time_base_name(s->base));
	fprintf(file, "window %" PRId64 " %" PRId64 "\n", s->window.t0, s->window.t1);
	fprintf(file, "cursor %" PRIu32 " %" PRId64 "\n", s->cursor.location, s->cursor.time);
	for (size_t i = 0; i < s->hidden.n; i++)
		fprintf(file, "hidden %" PRIu32 "\n", s->hidden.data[i]);
	write_arrangement(s, file);
	for (size_t i = 0; i < s->columns.list.n; i++)
		fprintf(file, "columns %016" PRIx64 " %s\n", s->columns.list.data[i].table,
			s->columns.list.data[i].names);
	if (s->level != LEVEL_MAIN || s->counting)
		fprintf(file, "iterations %d %d\n", s->level, s->counting);
	write_sequence(s->sequence.sequence, file);
	for (int i = 0; i < MARKS; i++)
		if (app->session.marks[i].set)
			fprintf(file, "mark %c %" PRIu32 " %" PRId64 " %s\n", 'a' + i,
				app->session.marks[i].location, app->session.marks[i].time,
				app->session.marks[i].note);
}

static bool has_marks(const struct app *app)
{
	for (int i = 0; i < MARKS; i++)
		if (app->session.marks[i].set)
			return true;
	return false;
}

int app_state_save(const struct app *app)
{
	OWNED_STR path = STR_INIT, draft = STR_INIT;
	int failure = 0;
	if (state_path(app, &path)) {
		folders_make(path.text);
		str_add_fmt(&draft, "%s.%ld", path.text, (long)getpid());
		FILE *file = fopen(draft.text, "w");
		failure = file ? 0 : errno;
		if (file) {
			write_state(app, file);
			const bool whole = fflush(file) == 0 && !ferror(file);
			/* Replaces the file as a whole; if the disk is full, the old one stays. */
			if (fclose(file) != 0 || !whole || rename(draft.text, path.text) != 0) {
				failure = errno;
				unlink(draft.text);
			}
		}
	}
	return has_marks(app) ? failure : 0;
}

/* ---- restoring ---- */

/* Contents of a file, applied only if all of it is valid. */
struct kept {
	uint64_t events;
	enum time_base base;
	struct span window;
	bool has_window, has_cursor;
	struct mark cursor;
	struct mark marks[MARKS];
	VEC(uint32_t) hidden;
	bool has_arrangement, cursor_group;
	bool fits; /* the grouping is none of the user's choice */
	int level, counting;
	struct arrangement arrangement;
	struct column_choices columns;
	char sequence[LINE_BYTES]; /* "" none */
};

static bool read_place(const char *text, uint32_t locations, struct mark *mark)
{
	int end = 0;

	mark->set =
		sscanf(text, "%" SCNu32 " %" SCNd64 " %n", &mark->location, &mark->time, &end) == 2;
	mark->event = EVENT_NONE;
	str_clean(mark->note, sizeof mark->note, text + end, end ? strlen(text + end) : 0);
	return mark->set && mark->location < locations;
}

/* Reads a line about the arrangement of the rows. */
static bool read_arrangement(const char *line, const char *value, uint32_t locations,
			     struct kept *kept)
{
	struct arrangement *a = &kept->arrangement;
	char word[16];
	uint32_t number = 0;
	int more = 0, on = 0;
	if (strncmp(line, "group ", 6) == 0) {
		kept->has_arrangement =
			sscanf(value, "%15s %" SCNu32 " %d %d", word, &a->range, &more, &on) == 4;
		kept->cursor_group = on != 0;
		kept->fits = kept->has_arrangement && strcmp(word, to_fit) == 0;
		a->key = kept->fits              ? BY_NONE
			 : kept->has_arrangement ? group_key_find(word, strlen(word))
						 : GROUP_KEYS;
		a->order = (enum row_order)more;
		return a->key < GROUP_KEYS && more >= 0 && more < ROW_ORDERS;
	}
	if (sscanf(value, "%" SCNu32 " %d", &number, &more) < 1 || number == UINT32_MAX)
		return false;
	if (strncmp(line, "counter ", 8) == 0) {
		vec_push(&a->counters, number);
		return true;
	}
	if (number >= locations)
		return false;
	if (strncmp(line, "opened ", 7) == 0)
		vec_push(&a->opened, number);
	else if (strncmp(line, "pinned ", 7) == 0)
		vec_push(&a->pins, ((struct pin){ number, more != 0 }));
	else
		return false;
	return true;
}

/* "0123456789abcdef region count": a kind of table, and names. */
static bool read_columns(const char *value, struct kept *kept)
{
	uint64_t key;
	int end = 0;

	return sscanf(value, "%16" SCNx64 " %n", &key, &end) == 1 && end > 0 &&
	       column_choices_restore(&kept->columns, key, value + end);
}

static bool read_line(const char *line, uint32_t locations, struct kept *kept)
{
	const char *value = strchr(line, ' ');
	if (!value)
		return false;
	const size_t n = (size_t)(value++ - line);
	if (n == 6 && memcmp(line, "events", n) == 0)
		return sscanf(value, "%" SCNu64, &kept->events) == 1;
	if (n == 4 && memcmp(line, "base", n) == 0)
		return (kept->base = time_base_find(value)) < BASE_COUNT;
	if (n == 6 && memcmp(line, "window", n) == 0)
		return kept->has_window = sscanf(value, "%" SCNd64 " %" SCNd64, &kept->window.t0,
						 &kept->window.t1) == 2 &&
					  kept->window.t0 < kept->window.t1;
	if (n == 6 && memcmp(line, "cursor", n) == 0)
		return kept->has_cursor = read_place(value, locations, &kept->cursor);
	if (n == 4 && memcmp(line, "mark", n) == 0)
		return value[0] >= 'a' && value[0] <= 'z' && value[1] == ' ' &&
		       read_place(value + 2, locations, &kept->marks[value[0] - 'a']);
	if (n == 10 && memcmp(line, "iterations", n) == 0)
		return sscanf(value, "%d %d", &kept->level, &kept->counting) == 2 &&
		       kept->level >= LEVEL_MAIN;
	if (n == 8 && memcmp(line, "sequence", n) == 0)
		return snprintf(kept->sequence, sizeof kept->sequence, "%s", value) > 0;
	if (n == 7 && memcmp(line, "columns", n) == 0)
		return read_columns(value, kept);
	uint32_t location;
	if (n != 6 || memcmp(line, "hidden", n) != 0)
		return read_arrangement(line, value, locations, kept);
	if (sscanf(value, "%" SCNu32, &location) != 1 || location >= locations)
		return false;
	vec_push(&kept->hidden, location);
	return true;
}

static bool read_state(FILE *file, uint32_t locations, struct kept *kept)
{
	char line[LINE_BYTES];
	for (int i = 0; i < FILE_LINES && fgets(line, sizeof line, file); i++) {
		char *end = strchr(line, '\n');
		if (!end)
			return false;
		*end = '\0';
		if (i == 0 ? strcmp(line, version) != 0 : !read_line(line, locations, kept))
			return false;
	}
	return kept->has_window && kept->has_cursor;
}

/* A grouping from the command line takes precedence. */
static void take_arrangement(struct app *app, struct kept *kept)
{
	struct session *s = &app->session;
	if (!kept->has_arrangement || s->grouped)
		return;
	for (size_t i = 0; i < kept->arrangement.counters.n; i++)
		if (kept->arrangement.counters.data[i] >= trace_metric_count(s->trace))
			return;
	if (kept->fits) {
		kept->arrangement.key = s->arrangement.key;
		kept->arrangement.range = s->arrangement.range;
		kept->cursor_group = s->cursor.group;
	}
	s->grouped = !kept->fits;
	arrangement_fini(&s->arrangement);
	s->arrangement = kept->arrangement;
	s->cursor.group = kept->cursor_group;
	kept->arrangement = (struct arrangement){ .key = BY_NONE };
	session_rearranged(s);
}

/* Settings of the command line take precedence. */
static void apply(struct app *app, struct kept *kept)
{
	struct session *s = &app->session;
	memcpy(s->marks, kept->marks, sizeof s->marks);
	column_choices_fini(&s->columns);
	s->columns = kept->columns;
	kept->columns = (struct column_choices){ .list = VEC_INIT };
	/* A comparison covers whole runs: part of one against all of the other has no meaning. */
	if (s->other || s->placed)
		return;
	if (!s->sequence.sequence)
		session_set_sequence(s, kept->sequence, NULL);
	if (s->hidden.n == 0)
		session_hide_all(s, kept->hidden.data, (uint32_t)kept->hidden.n);
	take_arrangement(app, kept);
	s->level = kept->level;
	s->counting = kept->counting != 0;
	const bool whole = s->window.t0 == s->run.t0 && s->window.t1 == s->run.t1;
	if (!whole)
		return;
	session_zoom(s, kept->window.t0, kept->window.t1);
	session_find_core(s);
	s->window_restored = (s->window.t0 != s->run.t0 || s->window.t1 != s->run.t1) &&
			     (s->window.t0 != s->core.t0 || s->window.t1 != s->core.t1);
	session_set_cursor(s, kept->cursor.location, kept->cursor.time, EVENT_NONE);
	s->notice[0] = '\0';
	const struct key_text all = session_key(s, ACTION_SHOW_ALL);
	if (s->window_restored)
		session_notice(s, false,
			       "window of the last session; press %s for the whole run%s%s%s",
			       session_key(s, ACTION_WHOLE_RUN).text, s->hidden.n ? ", " : "",
			       s->hidden.n ? all.text : "", s->hidden.n ? " for all ranks" : "");
	else if (s->hidden.n)
		session_notice(s, false, "rows of the last session; press %s for all ranks",
			       all.text);
}

void app_state_restore(struct app *app)
{
	OWNED_STR path = STR_INIT;
	struct kept kept = { .base = BASE_COUNT, .level = LEVEL_MAIN };
	FILE *file = state_path(app, &path) ? fopen(path.text, "r") : NULL;
	if (file) {
		const bool fits = read_state(file, trace_location_count(app->session.trace), &kept);
		if (fits && kept.events == trace_event_count(app->session.trace) &&
		    kept.base == app->session.base)
			apply(app, &kept);
		fclose(file);
	}
	vec_fini(&kept.hidden);
	arrangement_fini(&kept.arrangement);
	column_choices_fini(&kept.columns);
}
