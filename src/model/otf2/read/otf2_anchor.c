/* Finding an archive: recognising an anchor, and the anchor of a folder. */
#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/str.h"
#include "base/vec.h"
#include "model/otf2/otf2.h"

/* A file of OTF2 begins with the mark of a chunk (3) and that of its byte order; an anchor goes on
 * with its name, any other file with the number of a chunk, of 8 bytes. */
enum { MARK_CHUNK = 3, MARK_BIG = 'B', MARK_LITTLE = '#', HEAD = 2 };

static bool has_marks(const char *bytes, size_t n)
{
	return n >= HEAD && bytes[0] == MARK_CHUNK &&
	       (bytes[1] == MARK_BIG || bytes[1] == MARK_LITTLE);
}

bool otf2_recognise(const char *bytes, size_t n)
{
	return has_marks(bytes, n) && n >= HEAD + 4 && memcmp(bytes + HEAD, "OTF2", 4) == 0;
}

bool otf2_is_part(const char *bytes, size_t n)
{
	return has_marks(bytes, n) && !otf2_recognise(bytes, n);
}

/* NAME.def is beside its anchor, NAME/3.evt below it. */
char *otf2_anchor_of(const char *path)
{
	static const char ends[] = { '.', '/' };
	OWNED_STR anchor = STR_INIT;

	for (size_t i = 0; i < sizeof ends; i++) {
		const char *end = strrchr(path, ends[i]);
		if (!end)
			continue;
		str_clear(&anchor);
		str_add_n(&anchor, path, (size_t)(end - path));
		str_add(&anchor, ".otf2");
		if (access(anchor.text, R_OK) == 0)
			return str_take(&anchor);
	}
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void tell_several(const char *folder, char *const *names, size_t n, struct err *err)
{
	OWNED_STR text = STR_INIT;

	for (size_t i = 0; i < n && i < 5; i++) {
		str_add(&text, i ? ", " : "");
		str_add_clean(&text, names[i], strlen(names[i]));
	}
	if (n > 5)
		str_add_fmt(&text, " and %zu more", n - 5);
	err_set(err, STATUS_IO, "%s holds %zu OTF2 archives: name one of %s", folder, n, text.text);
}

char *otf2_anchor_in(const char *folder, struct err *err)
{
	DIR *dir = opendir(folder);
	OWNED_VEC(char *) names = VEC_INIT;
	OWNED_STR path = STR_INIT;
	const struct dirent *entry;
	char *found = NULL;

	if (!dir) {
		err_errno(err, STATUS_IO, "cannot look into %s", folder);
		return NULL;
	}
	while ((entry = readdir(dir)))
		if (str_ends_with(entry->d_name, ".otf2"))
			vec_push(&names, xstrdup(entry->d_name));
	closedir(dir);
	vec_sort(&names, by_name);
	if (names.n == 1) {
		str_add_fmt(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/",
			    names.data[0]);
		found = str_take(&path);
	} else if (names.n == 0) {
		err_set(err, STATUS_IO,
			"%s is a folder without an OTF2 anchor (NAME.otf2): name the trace file in "
			"it",
			folder);
	} else {
		tell_several(folder, names.data, names.n, err);
	}
	for (size_t i = 0; i < names.n; i++)
		free(names.data[i]);
	return found;
}
