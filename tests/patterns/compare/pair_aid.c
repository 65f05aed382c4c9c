#include "patterns/compare/pair_aid.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/build/builder.h"
#include "model/sums/profile.h"

enum { LEVELS = 16, NAME = 64, MS = 1000 };

struct level {
	char name[NAME];
	uint32_t line;
};

static unsigned levels_of(const char *text, struct level levels[LEVELS], long *ms)
{
	unsigned n = 0;

	for (;;) {
		const size_t length = strcspn(text, ":");
		char *end;

		memcpy(levels[n].name, text, length);
		levels[n].name[length] = '\0';
		levels[n++].line = (uint32_t)strtoul(text + length + 1, &end, 10);
		text = end + 1;
		if (*end == ' ')
			break;
	}
	*ms = strtol(text, NULL, 10);
	return n;
}

static uint32_t site_of(struct builder *b, const struct level *level)
{
	const bool mpi = strncasecmp(level->name, "mpi_", 4) == 0;

	return builder_site(b,
			    builder_region(b, level->name, mpi ? CLASS_P2P : CLASS_USER,
					   mpi ? -51 : 1),
			    0, level->line, mpi ? -51 : 1);
}

static void feed(struct builder *b, uint32_t location, const char *const *visits)
{
	struct level open[LEVELS], next[LEVELS];
	unsigned depth = 0;
	int64_t t = 0;

	for (; *visits; visits++) {
		long ms;
		const unsigned n = levels_of(*visits, next, &ms);
		unsigned same = 0;

		while (same < depth && same + 1 < n &&
		       strcmp(open[same].name, next[same].name) == 0 &&
		       open[same].line == next[same].line)
			same++;
		while (depth > same)
			builder_leave(b, location, t, site_of(b, &open[--depth]));
		for (; depth < n; depth++) {
			open[depth] = next[depth];
			builder_enter(b, location, t, site_of(b, &open[depth]));
		}
		t += ms * MS;
	}
	while (depth)
		builder_leave(b, location, t, site_of(b, &open[--depth]));
}

struct trace *pair_trace(const char *const *visits, int ranks)
{
	const struct timescale scale = { 1000000, 6 };
	struct builder *b = builder_new("pair.trc", &scale, NULL);

	for (int r = 0; r < ranks; r++)
		feed(b, builder_location(b, &(struct location){ .rank = r, .process = -1 }),
		     visits);
	return builder_finish(b, &(struct builder_options){ 0 }, NULL, NULL);
}

struct cube *pair_cube(const struct trace *trace)
{
	struct cube *cube = cube_new(trace);

	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		struct profile profile;

		if (!profile_make(&profile, trace, BASE_MEASURED, PROFILE_CALLPATH, &l, 1,
				  INT64_MIN, INT64_MAX, NULL, NULL))
			abort();
		for (uint32_t p = 0; p < profile.n; p++) {
			cube_add(cube, CUBE_TIME, p, l, (double)profile.rows[p].exclusive);
			cube_add(cube, CUBE_VISITS, p, l, (double)profile.rows[p].count);
		}
		profile_fini(&profile);
	}
	cube_settle(cube);
	return cube;
}

uint32_t pair_path(const struct trace *trace, const char *text)
{
	struct str s = STR_INIT;
	uint32_t found = UINT32_MAX;

	for (uint32_t p = 1; p < trace_callpath_count(trace) && found == UINT32_MAX; p++) {
		str_clear(&s);
		trace_callpath_text(trace, p, &s);
		if (trace_callpath(trace, p)->canon == p && strcmp(s.text, text) == 0)
			found = p;
	}
	str_fini(&s);
	return found;
}
