/* Where cache files are. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/folders.h"
#include "model/cache/cache_state.h"

bool cache_folder(struct str *path)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && cache[0] == '/')
		str_add_fmt(path, "%s/tview", cache);
	else if (home && home[0] == '/')
		str_add_fmt(path, "%s/.cache/tview", home);
	return path->n > 0;
}

bool cache_path(const char *source, int place, struct str *path)
{
	const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source;

	if (place == 0) {
		str_add_n(path, source, (size_t)(name - source));
		str_add_fmt(path, ".%s.tvcache", name);
		return true;
	}
	OWNED char *real = realpath(source, NULL);
	const bool ok = real && cache_folder(path);
	if (ok)
		str_add_fmt(path, "/%016llx.tvcache",
			    (unsigned long long)XXH64(real, strlen(real), 0));
	return ok;
}

bool cache_room(const char *path, int place, struct str *folder)
{
	OWNED_STR source = STR_INIT, file = STR_INIT;
	bool ok = cache_source(path, &source);

	if (ok)
		ok = cache_path(source.text, place, &file);
	else if (place == 1 && cache_folder(&file)) { /* what comes through a pipe */
		str_add_char(&file, '/');
		ok = true;
	}
	if (ok && place == 1)
		folders_make(file.text);
	const char *slash = strrchr(file.text, '/');
	if (ok)
		str_add_n(folder, slash ? file.text : ".", slash ? (size_t)(slash - file.text) : 1);
	if (ok && !folder->n)
		str_add_char(folder, '/');
	return ok;
}
