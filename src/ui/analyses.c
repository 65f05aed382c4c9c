#include "ui/analyses.h"

#include <stdlib.h>

#include "base/mem.h"

enum { CUBES = 4 };

struct kept_cube {
	struct cube *cube;
	enum time_base base;
	int64_t t0, t1;
};

struct analyses {
	struct trace *trace;
	struct analysis_options options;
	struct analysis *of[BASE_COUNT];
	struct kept_cube cubes[CUBES]; /* the last asked for first */
};

struct analyses *analyses_new(struct trace *trace, const struct analysis_options *options)
{
	struct analyses *a = xcalloc(1, sizeof *a);

	a->trace = trace;
	a->options = *options;
	return a;
}

void analyses_free(struct analyses *a)
{
	if (!a)
		return;
	for (int i = 0; i < CUBES; i++)
		cube_free(a->cubes[i].cube);
	for (int base = 0; base < BASE_COUNT; base++)
		analysis_free(a->of[base]);
	free(a);
}

struct analysis *analyses_get(struct analyses *a, enum time_base base,
			      const struct progress *progress, struct err *err)
{
	if (!a->of[base])
		a->of[base] = analysis_new(a->trace, base, &a->options, progress, err);
	return a->of[base];
}

struct analysis *analyses_peek(struct analyses *a, enum time_base base)
{
	return analyses_get(a, base, NULL, NULL);
}

static void to_front(struct analyses *a, int i)
{
	const struct kept_cube front = a->cubes[i];

	for (; i > 0; i--)
		a->cubes[i] = a->cubes[i - 1];
	a->cubes[0] = front;
}

const struct cube *analyses_cube(struct analyses *a, enum time_base base, int64_t t0, int64_t t1,
				 const struct progress *progress, struct err *err)
{
	struct analysis *analysis = analyses_get(a, base, progress, err);
	struct kept_cube made = { NULL, base, t0, t1 };

	for (int i = 0; i < CUBES; i++)
		if (a->cubes[i].cube && a->cubes[i].base == base && a->cubes[i].t0 == t0 &&
		    a->cubes[i].t1 == t1) {
			to_front(a, i);
			return a->cubes[0].cube;
		}
	if (analysis)
		made.cube = analysis_cube(analysis, t0, t1, CUBE_ALL, progress, err);
	if (!made.cube)
		return NULL;
	cube_free(a->cubes[CUBES - 1].cube);
	a->cubes[CUBES - 1] = made;
	to_front(a, CUBES - 1);
	return made.cube;
}

int analyses_fd(const struct analyses *a)
{
	(void)a;
	return -1;
}

bool analyses_told(struct analyses *a)
{
	(void)a;
	return false;
}
