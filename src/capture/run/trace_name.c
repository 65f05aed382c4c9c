#include "capture/run/trace_name.h"

#include <string.h>

#include "base/path.h"

void trace_name_with(struct str *out, const char *path, const char *text)
{
	const char *name = path_name(path), *end = strrchr(name, '.');

	if (end && !strcmp(end, ".zst"))
		while (end > name && *--end != '.')
			;
	if (!end || end == name)
		end = name + strlen(name);
	str_add_n(out, path, (size_t)(end - path));
	str_add(out, text);
	str_add(out, end);
}

void trace_name_compact(struct str *out, const char *path)
{
	str_add_fmt(out, "%s.zst", path);
}

bool trace_name_form(struct str *out, const char *path, const struct trace *trace, uint64_t from)
{
	if (!from || trace_event_count(trace) < from) {
		str_add(out, path);
		return false;
	}
	trace_name_compact(out, path);
	return true;
}
