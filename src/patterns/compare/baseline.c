#include "patterns/compare/baseline.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/folders.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/output.h"
#include "base/str.h"
#include "base/vec.h"

#define SUFFIX ".figures"

/* ---- folders ---- */

static bool add_folder(struct str *path, struct err *err)
{
	const char *given = getenv("TVIEW_BASELINES"), *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");

	if (given && *given)
		str_add(path, given);
	else if (data && data[0] == '/')
		str_add_fmt(path, "%s/tview/baselines", data);
	else if (home && home[0] == '/')
		str_add_fmt(path, "%s/.local/share/tview/baselines", home);
	else
		return err_set(err, STATUS_IO,
			       "there is no folder for baselines: set TVIEW_BASELINES or HOME");
	return true;
}

static bool is_name(const char *name)
{
	const size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-");

	return n > 0 && n <= BASELINE_NAME && !name[n] && name[0] != '.' && name[0] != '-';
}

static bool folder_of(const char *name, struct str *path, struct err *err)
{
	if (!is_name(name))
		return err_set(
			err, STATUS_USAGE,
			"'%s' cannot be a baseline's name: up to %d letters, digits and . _ -",
			name, BASELINE_NAME);
	if (!add_folder(path, err))
		return false;
	str_add_fmt(path, "/%s", name);
	return true;
}

/* ---- what is in them ---- */

struct names {
	VEC(char *) list;
};

static void names_fini(struct names *names)
{
	char **name;

	vec_each (name, &names->list)
		free(*name);
	vec_fini(&names->list);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in a folder that end so, sorted; none if there is no such folder. */
static bool names_in(const char *folder, const char *end, struct names *names, struct err *err)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;

	if (!dir)
		return errno == ENOENT || err_errno(err, STATUS_IO, "cannot read %s", folder);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && (!*end || str_ends_with(entry->d_name, end)))
			vec_push(&names->list, xstrdup(entry->d_name));
	closedir(dir);
	if (names->list.n)
		vec_sort(&names->list, by_name);
	return true;
}

/* ---- adding ---- */

/* Files sort by when they were added. */
static void add_file(struct str *path)
{
	char when[32] = "", host[64] = "";
	struct timespec now;
	struct tm utc;

	clock_gettime(CLOCK_REALTIME, &now);
	if (gmtime_r(&now.tv_sec, &utc))
		strftime(when, sizeof when, "%Y%m%d-%H%M%S", &utc);
	gethostname(host, sizeof host - 1);
	str_add_fmt(path, "/%s-%09ld-%s-%ld" SUFFIX, when, now.tv_nsec, host, (long)getpid());
}

bool baseline_add(const char *name, const struct cube *cube, enum time_base base,
		  const struct efficiency *efficiency, size_t *n, struct err *err)
{
	ENDED_BY(names_fini) struct names names = { VEC_INIT };
	OWNED_STR folder = STR_INIT, path = STR_INIT;
	struct output output;

	if (!folder_of(name, &folder, err))
		return false;
	str_add(&path, folder.text);
	add_file(&path);
	folders_make(path.text);
	if (!output_open(&output, path.text, NULL, err))
		return false;
	figures_write(output.stream, cube, base, efficiency);
	if (!output_close(&output, true, err) || !names_in(folder.text, SUFFIX, &names, err))
		return false;
	*n = names.list.n;
	return true;
}

/* ---- reading ---- */

static bool none(const char *name, struct err *err)
{
	ENDED_BY(names_fini) struct names names = { VEC_INIT };
	OWNED_STR folder = STR_INIT;

	if (!add_folder(&folder, err) || !names_in(folder.text, "", &names, err))
		return false;
	return err_set(err, STATUS_IO, "there is no baseline '%s' in %s (%s)", name, folder.text,
		       access(name, F_OK) == 0 ? "to compare with a trace: tview report OLD TRACE"
		       : names.list.n          ? "tview baseline list"
					       : "none at all: tview baseline add NAME TRACE");
}

/* The folder and the runs of a baseline that has some. */
static bool runs_of(const char *name, struct str *folder, struct names *runs, struct err *err)
{
	return folder_of(name, folder, err) && names_in(folder->text, SUFFIX, runs, err) &&
	       (runs->list.n > 0 || none(name, err));
}

static bool read_runs(const struct names *names, const char *folder, struct figures *figures,
		      unsigned *n, struct err *err)
{
	const size_t from = names->list.n > BASELINE_RUNS ? names->list.n - BASELINE_RUNS : 0;

	for (size_t i = from; i < names->list.n; i++) {
		OWNED_STR path = STR_INIT;
		str_add_fmt(&path, "%s/%s", folder, names->list.data[i]);
		if (!figures_read(&figures[*n], path.text, err))
			return false;
		(*n)++;
		const uint32_t first = trace_location_count(figures[0].trace);
		const uint32_t this = trace_location_count(figures[*n - 1].trace);
		if (this != first)
			return err_set(err, STATUS_USAGE,
				       "%s has runs of %u and of %u locations: a baseline is of "
				       "one kind of run",
				       folder, first, this);
	}
	return true;
}

bool baseline_read(const char *name, struct figures **figures, unsigned *n, struct err *err)
{
	ENDED_BY(names_fini) struct names names = { VEC_INIT };
	OWNED_STR folder = STR_INIT;

	*n = 0;
	if (!runs_of(name, &folder, &names, err))
		return false;
	*figures = xcalloc(BASELINE_RUNS, sizeof **figures);
	if (read_runs(&names, folder.text, *figures, n, err))
		return true;
	while (*n > 0)
		figures_fini(&(*figures)[--*n]);
	free(*figures);
	return false;
}

/* ---- looking and removing ---- */

static void add_line(struct str *out, const char *name, const struct names *runs)
{
	const char *last = runs->list.n ? runs->list.data[runs->list.n - 1] : "";

	/* 20261129-143501 */
	str_add_fmt(out, "%-24s %3zu %s", name, runs->list.n, runs->list.n == 1 ? "run " : "runs");
	if (strlen(last) > 15)
		str_add_fmt(out, "  last %.4s-%.2s-%.2s %.2s:%.2s UTC", last, last + 4, last + 6,
			    last + 9, last + 11);
	str_add_char(out, '\n');
}

bool baseline_list(struct str *out, struct err *err)
{
	ENDED_BY(names_fini) struct names names = { VEC_INIT };
	OWNED_STR folder = STR_INIT;

	if (!add_folder(&folder, err) || !names_in(folder.text, "", &names, err))
		return false;
	for (size_t i = 0; i < names.list.n; i++) {
		ENDED_BY(names_fini) struct names runs = { VEC_INIT };
		OWNED_STR path = STR_INIT;
		if (!is_name(names.list.data[i]))
			continue;
		str_add_fmt(&path, "%s/%s", folder.text, names.list.data[i]);
		if (!names_in(path.text, SUFFIX, &runs, err))
			return false;
		add_line(out, names.list.data[i], &runs);
	}
	if (!names.list.n) {
		str_add(out, "There are no baselines in ");
		str_add_clean_text(out, folder.text);
		str_add(out, ".\n");
	}
	return true;
}

bool baseline_remove(const char *name, struct err *err)
{
	ENDED_BY(names_fini) struct names names = { VEC_INIT };
	OWNED_STR folder = STR_INIT;

	if (!runs_of(name, &folder, &names, err))
		return false;
	for (size_t i = 0; i < names.list.n; i++) {
		OWNED_STR path = STR_INIT;
		str_add_fmt(&path, "%s/%s", folder.text, names.list.data[i]);
		if (unlink(path.text) && errno != ENOENT)
			return err_errno(err, STATUS_IO, "cannot remove %s", path.text);
	}
	/* Something else may be in it. */
	rmdir(folder.text);
	return true;
}
