#include "capture/run/rank_jobs.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"

struct job_begun {
	uint64_t since; /* nanoseconds: its first file */
	uint32_t job;
};

struct finder {
	struct rankfile *const *files;
	size_t n;
	uint32_t *job_of;
	VEC(struct job_begun) jobs;
	uint32_t unnamed; /* the job of those of which nothing is known; NO_JOB: there is none */
};

static void put(struct finder *f, size_t file, uint32_t job)
{
	const uint64_t since = f->files[file]->head->first_nano;

	if (job == f->jobs.n)
		vec_push(&f->jobs, ((struct job_begun){ since, job }));
	if (since < f->jobs.data[job].since)
		f->jobs.data[job].since = since;
	f->job_of[file] = job;
}

/* ---- those that have an identity ---- */

static int by_identity(const void *a, const void *b)
{
	const struct tv_file *x = (*(struct rankfile *const *const *)a)[0]->head;
	const struct tv_file *y = (*(struct rankfile *const *const *)b)[0]->head;

	ORDER_BY(x->job[0], y->job[0]);
	return ORDER(x->job[1], y->job[1]);
}

static void put_named(struct finder *f)
{
	OWNED_VEC(struct rankfile *const *) named = VEC_INIT;

	for (size_t i = 0; i < f->n; i++)
		if (f->files[i]->head->rank >= 0 && f->files[i]->head->state & TV_INITIALISED)
			vec_push(&named, &f->files[i]);
	vec_sort(&named, by_identity);
	for (size_t i = 0; i < named.n; i++) {
		const bool same = i > 0 && by_identity(&named.data[i - 1], &named.data[i]) == 0;
		put(f, (size_t)(named.data[i] - f->files), (uint32_t)f->jobs.n - same);
	}
}

/* ---- the others ---- */

static bool siblings(const struct tv_file *a, const struct tv_file *b)
{
	return a->parent == b->parent && !strncmp(a->host, b->host, sizeof a->host);
}

static bool has_rank(const struct finder *f, uint32_t job, int32_t rank)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->job_of[i] == job && f->files[i]->head->rank == rank)
			return true;
	return false;
}

static void put_unnamed(struct finder *f, size_t file)
{
	const struct tv_file *head = f->files[file]->head;

	for (size_t i = 0; i < f->n; i++) {
		if (f->job_of[i] == NO_JOB || !siblings(head, f->files[i]->head) ||
		    has_rank(f, f->job_of[i], head->rank))
			continue;
		put(f, file, f->job_of[i]);
		return;
	}
	if (f->unnamed == NO_JOB || has_rank(f, f->unnamed, head->rank))
		f->unnamed = (uint32_t)f->jobs.n;
	put(f, file, f->unnamed);
}

/* If some ranks never returned from MPI_Init, those that never called it matter: the launcher
 * numbered them all. Without a number a process that has MPI may be anything. */
static bool init_hangs(const struct finder *f)
{
	for (size_t i = 0; i < f->n; i++)
		if ((f->files[i]->head->state & (TV_INITIALISING | TV_INITIALISED | TV_EXITED)) ==
		    TV_INITIALISING)
			return true;
	return false;
}

static bool may_be_rank(const struct tv_file *head)
{
	return !(head->state & TV_INITIALISED) && head->rank >= 0 && head->rank < head->world;
}

/* ---- all ---- */

ORDERING(by_begin, struct job_begun, since)

size_t rank_jobs(struct rankfile *const *files, size_t n, uint32_t *job_of)
{
	struct finder f = { .files = files, .n = n, .job_of = job_of, .unnamed = NO_JOB };
	size_t jobs;
	uint32_t *number;

	for (size_t i = 0; i < n; i++)
		job_of[i] = NO_JOB;
	put_named(&f);
	for (size_t i = 0; init_hangs(&f) && i < n; i++)
		if (may_be_rank(files[i]->head))
			put_unnamed(&f, i);
	jobs = f.jobs.n;
	number = xcalloc(jobs + 1, sizeof *number);
	vec_sort(&f.jobs, by_begin);
	for (uint32_t i = 0; i < jobs; i++)
		number[f.jobs.data[i].job] = i;
	for (size_t i = 0; i < n; i++)
		job_of[i] = job_of[i] == NO_JOB ? NO_JOB : number[job_of[i]];
	vec_fini(&f.jobs);
	free(number);
	return jobs;
}
