#include "harness/one_sided.h"

#include <stdio.h>

#include "harness/made_run.h"
#include "harness/random.h"

enum { ONE_SIDED_RANKS = 6, ONE_SIDED_STEPS = 120, LONGEST = 40 };

struct one_sided {
	struct made_run run;
	uint64_t random;
	int64_t now[ONE_SIDED_RANKS];
};

static int64_t some(struct one_sided *s)
{
	return 2 + (int64_t)draw(&s->random, LONGEST);
}

/* A call of a rank, with what it does in the middle. */
static void call(struct one_sided *s, uint32_t rank, const char *name, const char *what,
		 char window, const char *more)
{
	const int64_t begin = s->now[rank] + some(s), end = begin + 2 * some(s);

	made_run_write(&s->run, "rank %u: %s@%ld-%ld [%s %c %s @%ld]", rank, name, (long)begin,
		       (long)end, what, window, more, (long)((begin + end) / 2));
	s->now[rank] = end;
}

static void put(struct one_sided *s, uint32_t rank, uint32_t target, char window)
{
	char more[32];

	snprintf(more, sizeof more, "%u 100", target);
	call(s, rank, "MPI_Put", "rma-put", window, more);
}

/* All come, and leave together, or some before others came. */
static void fence(struct one_sided *s, char window)
{
	int64_t begin[ONE_SIDED_RANKS], last = 0;

	for (uint32_t r = 0; r < ONE_SIDED_RANKS; r++) {
		begin[r] = s->now[r] + some(s);
		last = begin[r] > last ? begin[r] : last;
	}
	for (uint32_t r = 0; r < ONE_SIDED_RANKS; r++) {
		s->now[r] = draw(&s->random, 20) ? last + some(s) : begin[r] + some(s);
		if (s->now[r] <= begin[r])
			s->now[r] = begin[r] + 1;
		made_run_write(&s->run, "rank %u: MPI_Win_fence@%ld-%ld fence %c", r,
			       (long)begin[r], (long)s->now[r], window);
	}
}

static void epoch(struct one_sided *s, uint32_t origin, uint32_t target, char window)
{
	char at_origin[32], at_target[32];

	snprintf(at_origin, sizeof at_origin, "to_%u", target);
	snprintf(at_target, sizeof at_target, "to_%u", origin);
	call(s, origin, "MPI_Win_start", "rma-group-sync 0", window, at_origin);
	call(s, target, "MPI_Win_post", "rma-group-sync 0", window, at_target);
	if (draw(&s->random, 2))
		put(s, origin, target, window);
	call(s, origin, "MPI_Win_complete", "rma-group-sync 0", window, at_origin);
	call(s, target, "MPI_Win_wait", "rma-group-sync 0", window, at_target);
}

static void lock(struct one_sided *s, uint32_t rank, uint32_t target, char window)
{
	char more[32];

	snprintf(more, sizeof more, "%u 0 %u", target, (unsigned)draw(&s->random, 2));
	call(s, rank, "MPI_Win_lock", "rma-acquire-lock", window, more);
	put(s, rank, target, window);
	snprintf(more, sizeof more, "%u 0", target);
	call(s, rank, "MPI_Win_unlock", "rma-release-lock", window, more);
}

struct trace *one_sided_random(uint64_t seed)
{
	struct one_sided s = { .random = seed };
	struct trace *trace;

	made_run_begin(&s.run, CLASS_RMA);
	made_run_write(&s.run,
		       "mpi mpi; ranks %d; window v; window w; group to_0 0; group to_1 1; "
		       "group to_2 2; group to_3 3; group to_4 4; group to_5 5; inset 1",
		       ONE_SIDED_RANKS);
	for (int step = 0; step < ONE_SIDED_STEPS; step++) {
		const uint32_t a = (uint32_t)draw(&s.random, ONE_SIDED_RANKS);
		const uint32_t b =
			(a + 1 + (uint32_t)draw(&s.random, ONE_SIDED_RANKS - 1)) % ONE_SIDED_RANKS;
		const char window = draw(&s.random, 2) ? 'v' : 'w';
		switch (draw(&s.random, 4)) {
		case 0: fence(&s, window); break;
		case 1: epoch(&s, a, b, window); break;
		case 2: lock(&s, a, b, window); break;
		default: put(&s, a, b, window); break;
		}
	}
	made_run_finish(&s.run);
	trace = s.run.t;
	s.run.t = NULL;
	made_run_fini(&s.run);
	return trace;
}
