#include "capture/live/live.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/path.h"
#include "base/text.h"
#include "base/units.h"
#include "capture/run/run_list.h"
#include "capture/run/snapshot.h"

/* ---- what is known of a run ---- */

static bool look_at_rank(const struct tv_file *head, void *context)
{
	struct live *live = context;

	if (head->state & TV_INITIALISED && head->world > live->world)
		live->world = head->world;
	live->statistics |= (head->state & TV_STATISTICS) != 0;
	live->running |= rank_lives(head);
	return false;
}

/* From "2026-11-23T18:00:00Z". */
static double seconds_since(const char *date)
{
	struct tm tm = { 0 };

	return strptime(date, "%Y-%m-%dT%H:%M:%SZ", &tm) ? difftime(time(NULL), timegm(&tm)) : -1;
}

/* False: the folder has no settings yet, or they are already gone. */
static bool describe(struct live *live, const char *folder, const struct run_entry *entry)
{
	bool known;

	*live = (struct live){ .folder = STR_INIT };
	str_add(&live->folder, folder);
	known = run_settings_read(folder, &live->settings);
	if (entry) {
		live->tvrun = entry->tvrun;
		live->running = entry->running;
		/* Written when the program has ended. */
		live->merging = entry->has_tvrun && live->settings.last.tick;
	}
	run_folder_any(folder, look_at_rank, live);
	live->seconds = seconds_since(live->settings.date.text);
	return known;
}

void live_fini(struct live *live)
{
	str_fini(&live->folder);
	run_settings_fini(&live->settings);
}

/* ---- finding one ---- */

static bool is_number(const char *name)
{
	return *name && strspn(name, "0123456789") == strlen(name);
}

static bool is_named(const struct live *live, const char *name)
{
	return is_number(name) ? live->tvrun == strtol(name, NULL, 10)
			       : !strcmp(path_name(live->settings.output.text), name);
}

static bool is_folder(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 && S_ISDIR(st.st_mode);
}

bool live_find(struct live *live, const char *name, struct err *err)
{
	char folder[PATH_MAX];
	struct run_list list;
	size_t found = 0;

	*live = (struct live){ .folder = STR_INIT };
	if (name && !is_number(name) && is_folder(name) && realpath(name, folder)) {
		describe(live, folder, NULL);
		return true;
	}
	run_list_read(&list);
	for (size_t i = 0; i < list.runs.n; i++) {
		struct live one;
		describe(&one, list.runs.data[i].folder.text, &list.runs.data[i]);
		if ((name ? is_named(&one, name) : one.running) && !found++)
			*live = one;
		else
			live_fini(&one);
	}
	run_list_fini(&list);
	if (found == 1)
		return true;
	if (found)
		live_fini(live);
	return found  ? err_set(err, STATUS_USAGE,
				"%zu runs could be meant: tview live lists them; name one by its "
				 "number or folder",
				found)
	       : name ? err_set(err, STATUS_USAGE,
				"no run of yours on this machine has the number, the trace or the "
				"folder '%s' (tview live lists them)",
				name)
		      : err_set(err, STATUS_USAGE,
				"no program runs under your tvrun on this machine; of a run on "
				"another one, name the folder of its buffers");
}

/* ---- looking ---- */

struct trace *live_look(struct live *live, struct rank_folds *folds, struct err *err)
{
	OWNED_STR path = STR_INIT;

	str_add(&path, live->settings.output.n ? live->settings.output.text : live->folder.text);
	if (!live->running)
		str_add(&path, " (not merged)");
	return snapshot(path.text, &live->settings, live->folder.text, NULL, folds, &live->running,
			err);
}

struct trace *live_trace(void *folds, const char *name, struct err *err)
{
	struct trace *trace = NULL;
	struct live live;

	if (live_find(&live, name, err)) {
		trace = live_look(&live, folds, err);
		live_fini(&live);
	}
	return trace;
}

/* ---- the list ---- */

static const char *state_of(const struct live *live)
{
	return live->merging    ? "being merged"
	       : !live->running ? "ended, not merged"
	       : live->world    ? "running"
				: "starting";
}

static void add_time(struct str *out, double seconds)
{
	static const struct timescale milli = { 1000, 3 };

	if (seconds < 0)
		str_add(out, "?");
	else
		units_human_time(out, (int64_t)(seconds * 1000), &milli, 3);
}

static void add_line(struct str *out, const struct live *live)
{
	struct str since = STR_INIT;

	add_time(&since, live->seconds);
	str_add_fmt(out, "%8ld  %6ld  %-10s %-18s ", (long)live->tvrun, (long)live->world,
		    since.text, state_of(live));
	str_add_clean_text(out, live->settings.command.text);
	str_add(out, "\n");
	if (!live->running) {
		str_add(out, "          tvrun --merge ");
		str_add_clean_text(out, live->folder.text);
		str_add(out, "\n");
	}
	str_fini(&since);
}

static void add_field(struct str *out, const char *name, const char *text)
{
	str_add_fmt(out, ", \"%s\": ", name);
	str_add_json(out, text);
}

static void add_object(struct str *out, const struct live *live)
{
	str_add_fmt(out, "{ \"run\": %ld, \"ranks\": %ld", (long)live->tvrun, (long)live->world);
	if (live->seconds >= 0)
		str_add_fmt(out, ", \"seconds\": %.0f", live->seconds);
	add_field(out, "state", state_of(live));
	add_field(out, "command", live->settings.command.text);
	add_field(out, "folder", live->folder.text);
	add_field(out, "trace", live->settings.output.text);
	str_add(out, " }");
}

#define HEADER "     run   ranks  for        state              command\n"

void live_list(struct str *out, bool json)
{
	size_t shown = 0;
	struct run_list list;

	run_list_read(&list);
	for (size_t i = 0; i < list.runs.n; i++) {
		struct live one;
		if (describe(&one, list.runs.data[i].folder.text, &list.runs.data[i])) {
			if (json)
				str_add(out, shown ? ",\n  " : "[\n  ");
			else if (!shown)
				str_add(out, HEADER);
			if (json)
				add_object(out, &one);
			else
				add_line(out, &one);
			shown++;
		}
		live_fini(&one);
	}
	if (json)
		str_add(out, shown ? "\n]\n" : "[]\n");
	else if (!shown)
		str_add(out, "No program runs under your tvrun on this machine.\n");
	run_list_fini(&list);
}
