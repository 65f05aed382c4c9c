/* Which files of an archive there are, and whether they have their end. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "model/otf2/read/otf2_archive.h"

/* Bytes of an anchor's name before ".otf2". */
static size_t stem(const char *anchor)
{
	const size_t n = strlen(anchor);

	return n > 5 ? n - 5 : n;
}

static const char *file_name(const struct otf2_archive *a, uint64_t location, const char *ending,
			     struct str *out)
{
	str_clear(out);
	str_add_n(out, a->anchor, stem(a->anchor));
	str_add_fmt(out, "/%" PRIu64 ".%s", location, ending);
	return out->text;
}

/* True if a file exists but has lost its end. */
static bool is_cut(const char *path, bool (*is_whole)(const char *path), uint64_t *bytes,
		   bool *is_there)
{
	struct stat st;

	*is_there = stat(path, &st) == 0;
	*bytes = *is_there ? (uint64_t)st.st_size : 0;
	return *is_there && !is_whole(path);
}

void otf2_find_files(struct otf2_archive *a)
{
	OWNED_STR name = STR_INIT;
	uint64_t bytes;

	for (size_t i = 0; i < a->places.n; i++) {
		struct otf2_place *place = &a->places.data[i];
		if (place->absent || !otf2_part_has(a, place))
			continue;
		place->cut = is_cut(file_name(a, place->id, "evt", &name), otf2_guard_is_whole,
				    &place->bytes, &place->has_file);
		a->cut |= place->cut;
		a->cut |= is_cut(file_name(a, place->id, "def", &name), otf2_guard_defs_are_whole,
				 &bytes, &place->has_defs);
	}
	if (a->cut)
		otf2_guard_zeros(true);
}

bool otf2_has_whole_definitions(const struct otf2_archive *a)
{
	OWNED_STR name = STR_INIT;
	uint64_t bytes;
	bool is_there;

	str_add_n(&name, a->anchor, stem(a->anchor));
	str_add(&name, ".def");
	return !is_cut(name.text, otf2_guard_defs_are_whole, &bytes, &is_there);
}
