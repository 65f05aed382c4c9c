#include "capture/run/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/folders.h"
#include "base/path.h"
#include "capture/run/choice_list.h"
#include "capture/run/run_list.h"

#define SETTINGS "tvrun.settings"

/* ---- the folder ---- */

/* For ranks of a launcher: the same folder for all processes that it started. Others can know its
 * name before. */
static bool make_folder(struct str *folder, const char *where, const char *name,
			const struct launcher *launcher)
{
	char absolute[PATH_MAX];

	if (!realpath(where, absolute))
		return false;
	str_clear(folder);
	str_add_fmt(folder, "%s/%s.ranks-", absolute, name);
	if (launcher->rank >= 0) {
		str_add(folder, launcher->job.text);
		return mkdir(folder->text, 0700) == 0 ||
		       (errno == EEXIST && folder_is_private(folder->text));
	}
	str_add(folder, "XXXXXX");
	return mkdtemp(folder->text) != NULL;
}

/* The folder that a file is in. */
static void folder_of(const char *path, struct str *out)
{
	const char *slash = strrchr(path, '/');

	str_add_n(out, slash ? path : ".", slash ? (size_t)(slash - path) : 1);
	if (!out->n)
		str_add(out, "/");
}

bool run_folder_make(struct str *folder, const struct run_options *options,
		     const struct launcher *launcher, struct err *err)
{
	const char *output = options->output, *slash = strrchr(output, '/');
	const char *name = slash ? slash + 1 : output;
	struct str beside = STR_INIT;
	bool ok;

	if (options->buffer_dir) {
		if (make_folder(folder, options->buffer_dir, name, launcher))
			return true;
		return err_errno(err, STATUS_IO, "--buffer-dir %s: cannot make a folder there",
				 options->buffer_dir);
	}
	folder_of(output, &beside);
	ok = make_folder(folder, beside.text, name, launcher) ||
	     make_folder(folder, "/dev/shm", name, launcher);
	str_fini(&beside);
	return ok ||
	       err_errno(err, STATUS_IO,
			 "cannot make a folder for the buffers beside %s or in /dev/shm", output);
}

void run_folder_remove(const char *folder)
{
	const struct dirent *entry;
	DIR *d = opendir(folder);

	if (!d)
		return;
	while ((entry = readdir(d))) {
		if (str_ends_with(entry->d_name, ".tvrank") ||
		    !strcmp(entry->d_name, CHOICE_LIST_FILE) || !strcmp(entry->d_name, SETTINGS))
			unlinkat(dirfd(d), entry->d_name, 0);
	}
	closedir(d);
	rmdir(folder);
}

void run_folder_settle(const char *folder, int seconds)
{
	const struct timespec moment = { 0, 20000000 };

	for (int i = 0; i < seconds * 50 && run_folder_any(folder, rank_is_alive, NULL); i++)
		nanosleep(&moment, NULL);
}

static bool is_rank(const struct tv_file *head, void *context)
{
	(void)context;
	return head->state & TV_INITIALISED;
}

static bool is_first(const struct tv_file *head, void *context)
{
	(void)context;
	return head->state & TV_INITIALISED && head->rank == 0;
}

bool run_folder_is_apart(const char *folder)
{
	return run_folder_any(folder, is_rank, NULL) && !run_folder_any(folder, is_first, NULL);
}

/* ---- the settings ---- */

static void join_words(struct str *out, char *const *words, char *const *stop)
{
	for (; *words && words != stop; words++) {
		if (out->n)
			str_add_char(out, ' ');
		str_add(out, *words);
	}
}

void run_add_date(struct str *out)
{
	const time_t now = time(NULL);
	char date[64];
	struct tm utc;

	if (gmtime_r(&now, &utc) && strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc))
		str_add(out, date);
}

void run_settings_of(struct run_settings *settings, const struct run_options *options, char **argv)
{
	char absolute[PATH_MAX] = "";
	OWNED_STR beside = STR_INIT;

	*settings = (struct run_settings){ .domain = options->domain,
					   .anonymous = options->anonymous,
					   .insitu = options->insitu,
					   .limit = options->limit,
					   .compact_from = run_options_compact_from(options) };
	join_words(&settings->command, options->command, NULL);
	join_words(&settings->options, argv + 1, options->command);
	if (getcwd(absolute, sizeof absolute))
		str_add(&settings->directory, absolute);
	run_add_date(&settings->date);
	folder_of(options->output, &beside);
	if (realpath(beside.text, absolute))
		str_add_fmt(&settings->output, "%s/%s", strcmp(absolute, "/") ? absolute : "",
			    path_name(options->output));
	else
		str_add(&settings->output, options->output);
}

void run_settings_fini(struct run_settings *settings)
{
	str_fini(&settings->output);
	str_fini(&settings->command);
	str_fini(&settings->options);
	str_fini(&settings->directory);
	str_fini(&settings->date);
}

/* What is written, line by line. */
static const struct {
	const char *name;
	size_t offset;
} texts[] = { { "output", offsetof(struct run_settings, output) },
	      { "command", offsetof(struct run_settings, command) },
	      { "options", offsetof(struct run_settings, options) },
	      { "directory", offsetof(struct run_settings, directory) },
	      { "date", offsetof(struct run_settings, date) } };

enum { TEXTS = sizeof texts / sizeof *texts };

static struct str *text_of(struct run_settings *settings, size_t i)
{
	return (struct str *)(void *)((char *)settings + texts[i].offset);
}

void run_settings_write(const char *folder, const struct run_settings *settings)
{
	struct run_settings copy = *settings; /* of which nothing is changed */
	OWNED_STR path = STR_INIT, line = STR_INIT;
	FILE *file;

	str_add_fmt(&path, "%s/" SETTINGS, folder);
	file = fopen(path.text, "w");
	for (size_t i = 0; file && i < TEXTS; i++) {
		const struct str *text = text_of(&copy, i);
		str_clear(&line);
		str_add(&line, text->n ? text->text : "");
		for (size_t at = 0; at < line.n; at++)
			if (line.text[at] == '\n')
				line.text[at] = ' ';
		fprintf(file, "%s %s\n", texts[i].name, line.n ? line.text : "");
	}
	if (file) {
		fprintf(file, "numbers %d %d %d %" PRIu64, (int)settings->domain,
			settings->anonymous, settings->insitu, settings->limit);
		fprintf(file, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			settings->first.tick, settings->first.nano, settings->last.tick,
			settings->last.nano, settings->compact_from);
		fclose(file);
	}
}

static void read_numbers(struct run_settings *settings, const char *text)
{
	uint64_t n[9] = { 0 };
	char *end;

	for (size_t i = 0; i < sizeof n / sizeof *n; i++, text = end)
		n[i] = strtoull(text, &end, 10);
	settings->domain = n[0] <= CLOCK_DOMAIN_RANK ? (enum clock_domain)n[0] : CLOCK_DOMAIN_AUTO;
	settings->anonymous = n[1] != 0;
	settings->insitu = n[2] != 0;
	settings->limit = n[3];
	settings->first = (struct reading){ n[4], n[5] };
	settings->last = (struct reading){ n[6], n[7] };
	settings->compact_from = n[8];
}

static void read_line(struct run_settings *settings, char *line)
{
	char *value = strchr(line, ' ');

	if (!value)
		return;
	*value++ = '\0';
	value[strcspn(value, "\n")] = '\0';
	for (size_t i = 0; i < TEXTS; i++)
		if (!strcmp(line, texts[i].name))
			str_add(text_of(settings, i), value);
	if (!strcmp(line, "numbers"))
		read_numbers(settings, value);
}

bool run_settings_read(const char *folder, struct run_settings *settings)
{
	OWNED_STR path = STR_INIT;
	OWNED char *line = NULL;
	size_t room = 0;
	FILE *file;

	*settings = (struct run_settings){ .output = STR_INIT,
					   .command = STR_INIT,
					   .options = STR_INIT,
					   .directory = STR_INIT,
					   .date = STR_INIT };
	str_add_fmt(&path, "%s/" SETTINGS, folder);
	file = fopen(path.text, "r");
	while (file && getline(&line, &room, file) > 0)
		read_line(settings, line);
	if (file)
		fclose(file);
	return file != NULL;
}

struct merge_options run_settings_merging(const struct run_settings *settings, const char *folder)
{
	return (struct merge_options){ .folder = folder,
				       .domain = settings->domain,
				       .anonymous = settings->anonymous,
				       .insitu = settings->insitu,
				       .limit = settings->limit,
				       .first = settings->first,
				       .last = settings->last,
				       .command = settings->command.text,
				       .options = settings->options.text,
				       .directory = settings->directory.text,
				       .date = settings->date.text };
}
