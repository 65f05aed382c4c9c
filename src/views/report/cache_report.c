#include "views/report/cache_report.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "model/cache/cache_folder.h"

static void pad(struct str *out, size_t start, size_t width)
{
	while (out->n - start < width)
		str_add_char(out, ' ');
}

static void sum_line(struct str *out, const char *before, size_t n, uint64_t bytes)
{
	str_add(out, before);
	units_count(out, n);
	str_add(out, n == 1 ? " cache file, " : " cache files, ");
	units_bytes(out, bytes);
	str_add_char(out, '\n');
}

static void entry_line(const struct cache_entry *e, struct str *out)
{
	const size_t start = out->n;
	const time_t used = (time_t)e->used;
	struct tm local;
	char when[32] = "";

	if (localtime_r(&used, &local))
		strftime(when, sizeof when, "%Y-%m-%d %H:%M", &local);
	units_bytes(out, e->bytes);
	pad(out, start, 10);
	str_add_char(out, ' ');
	units_count(out, e->events);
	str_add(out, " events");
	pad(out, start, 34);
	str_add_fmt(out, " %s  ", when);
	const char *name = *e->source ? e->source : e->file;
	str_add_clean(out, name, strlen(name));
	if (!*e->source)
		str_add(out, " (of another version of tview)");
	else if (access(e->source, F_OK) != 0)
		str_add(out, " (gone)");
	str_add_char(out, '\n');
}

static bool is_there(const char *of, size_t n, struct err *err)
{
	if (!of || n > 0)
		return true;
	if (access(of, F_OK) != 0)
		return err_errno(err, STATUS_IO, "cannot open %s", of);
	return err_set(err, STATUS_NO, "%s has no cache file", of);
}

bool cache_report(const char *of, struct str *out, struct err *err)
{
	struct cache_entry *list;
	const size_t n = cache_list(of, &list);
	uint64_t bytes = 0;
	const bool ok = is_there(of, n, err);

	for (size_t i = 0; i < n; i++) {
		entry_line(&list[i], out);
		bytes += list[i].bytes;
	}
	if (ok)
		sum_line(out, "", n, bytes);
	cache_list_free(list, n);
	return ok;
}

bool cache_clear(const char *of, struct str *out, struct err *err)
{
	struct cache_entry *list;
	const size_t n = cache_list(of, &list);
	uint64_t bytes = 0;
	size_t removed = 0;
	bool ok = is_there(of, n, err);

	for (size_t i = 0; i < n; i++) {
		const bool gone = cache_remove(&list[i], err);
		ok = ok && gone;
		removed += gone;
		bytes += gone ? list[i].bytes : 0;
	}
	if (ok || removed)
		sum_line(out, "removed ", removed, bytes);
	cache_list_free(list, n);
	return ok;
}
