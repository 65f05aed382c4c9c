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
