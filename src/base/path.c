#include "base/path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

const char *path_trace_name(const char *path, size_t *n)
{
	const char *name = path_name(path), *end = name > path ? name - 1 : path, *from = end;

	while (from > path && from[-1] != '/')
		from--;
	/* As Score-P and EZTrace call all of theirs. Not of "traces.otf2", "./traces.otf2" and
	 * "../traces.otf2": they name no folder. */
	if ((strcmp(name, "traces.otf2") == 0 || strcmp(name, "eztrace_log.otf2") == 0) &&
	    strspn(from, "./") < (size_t)(end - from)) {
		*n = (size_t)(end - from);
		return from;
	}
	*n = strlen(name);
	return name;
}

void path_add_names(const char *const *paths, size_t n, struct str *out)
{
	const char *first = path_name(paths[0]);
	const size_t length = strlen(first);
	size_t before = length, after;

	for (size_t i = 1; i < n; i++)
		for (size_t same = 0; same < before; same++)
			if (path_name(paths[i])[same] != first[same])
				before = same;
	after = length - before;
	for (size_t i = 1; i < n; i++) {
		const char *rest = path_name(paths[i]) + before;
		const size_t room = strlen(rest);
		after = after < room ? after : room;
		for (size_t same = 0; same < after; same++)
			if (rest[room - same - 1] != first[length - same - 1])
				after = same;
	}
	str_add_n(out, first, before);
	if (n > 1)
		str_add_fmt(out, "*%s: %zu files", first + length - after, n);
}

bool path_of_library(struct str *path, const char *name)
{
	static const char *const places[] = { "lib/tview", "../lib/tview" };
	char self[PATH_MAX] = "", found[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	self[n > 0 ? n : 0] = '\0';
	if (n > 0)
		*strrchr(self, '/') = '\0';
	for (size_t i = 0; n > 0 && i < sizeof places / sizeof *places; i++) {
		str_clear(path);
		str_add_fmt(path, "%s/%s/%s", self, places[i], name);
		if (!realpath(path->text, found))
			continue;
		str_clear(path);
		str_add(path, found);
		return true;
	}
	str_clear(path);
	str_add(path, self);
	return false;
}
