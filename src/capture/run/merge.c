#include "capture/run/merge.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jobs.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/path.h"
#include "base/slab.h"
#include "capture/run/merge_job.h"
#include "capture/run/rank_cut.h"
#include "capture/run/rank_fold.h"
#include "capture/run/rank_jobs.h"

/* ---- the files of the job ---- */

/* Whether `a` rather than `b` is taken for the rank that both name. */
static bool is_later(const struct tv_file *a, const struct tv_file *b)
{
	const bool is_a = a->state & TV_INITIALISED, is_b = b->state & TV_INITIALISED;

	return is_a != is_b ? is_a : a->first_nano >= b->first_nano;
}

/* Takes the file. */
static void take_file(struct job *job, struct rankfile *file)
{
	const struct tv_file *head = file->head;
	struct rank *rank;

	vec_each (rank, &job->ranks) {
		if (rank->number != head->rank)
			continue;
		/* Buffers that do not say whose job they are. */
		job->summary->passed_over++;
		if (!is_later(head, rank->file->head)) {
			rankfile_close(file);
			return;
		}
		rankfile_close(rank->file);
		rank->file = file;
		return;
	}
	rank = vec_add(&job->ranks);
	rank->file = file;
	rank->number = head->rank;
}

ORDERING(by_number, struct rank, number)

/* Takes those of the job that is wanted, and closes the others. */
static void take_files(struct job *job, struct rankfile **files, size_t n)
{
	OWNED uint32_t *job_of = xcalloc(n + 1, sizeof *job_of);

	job->summary->jobs = rank_jobs(files, n, job_of);
	for (size_t i = 0; i < n; i++) {
		job->summary->unknown_mpi += (files[i]->head->state & TV_UNKNOWN_MPI) != 0;
		if (job_of[i] == job->options->job)
			take_file(job, files[i]);
		else
			rankfile_close(files[i]);
	}
	vec_sort(&job->ranks, by_number);
}

static bool is_rankfile(const struct dirent *entry)
{
	return str_ends_with(entry->d_name, ".tvrank");
}

static uint32_t count_files(DIR *folder)
{
	const struct dirent *entry;
	uint32_t n = 0;

	while ((entry = readdir(folder)))
		n += is_rankfile(entry);
	rewinddir(folder);
	return n;
}

static struct rankfile *open_file(const struct job *job, const char *path, uint32_t files,
				  struct err *err)
{
	struct rank_folds *folds = job->options->folds;

	if (!job->options->live)
		return rankfile_open(path, err);
	return rankfile_look(path, job->options->last, folds ? rank_folds_of(folds, path) : NULL,
			     folds ? rank_folds_room(folds, files) : 0, err);
}

static void note_trouble(struct merge_summary *summary, const struct err *trouble)
{
	summary->passed_over++;
	if (!*summary->first_trouble)
		snprintf(summary->first_trouble, sizeof summary->first_trouble, "%.*s",
			 (int)sizeof summary->first_trouble - 1, trouble->text);
}

static bool open_files(struct job *job, struct err *err)
{
	VEC(struct rankfile *) files = { 0 };
	OWNED_STR path = STR_INIT;
	const struct dirent *entry;
	DIR *folder = opendir(job->options->folder);
	uint32_t n;

	if (!folder)
		return err_errno(err, STATUS_IO, "%s: cannot be read", job->options->folder);
	n = count_files(folder);
	while ((entry = readdir(folder))) {
		struct err trouble = ERR_INIT;
		struct rankfile *file;
		if (!is_rankfile(entry))
			continue;
		job->summary->files++;
		str_clear(&path);
		str_add_fmt(&path, "%s/%s", job->options->folder, entry->d_name);
		file = open_file(job, path.text, n, &trouble);
		if (file)
			vec_push(&files, file);
		else
			note_trouble(job->summary, &trouble);
	}
	closedir(folder);
	take_files(job, files.data, files.n);
	vec_fini(&files);
	return true;
}

static void summarise(struct job *job)
{
	const struct rank *rank;

	vec_each (rank, &job->ranks) {
		const struct tv_file *head = rank->file->head;
		job->summary->ranks++;
		job->summary->world =
			head->world > job->summary->world ? head->world : job->summary->world;
		job->summary->not_finalised +=
			!(head->state & TV_FINALISED) && rank->file->now == UINT64_MAX;
		job->summary->no_memory += (head->state & TV_NO_MEMORY) != 0;
		job->summary->full += (head->state & TV_FULL) != 0;
		job->summary->scarce += head->functions_stopped != 0;
		job->summary->statistics |= (head->state & TV_STATISTICS) != 0;
	}
}

/* ---- building ---- */

static void define_world(struct job *job)
{
	const int32_t size = job->summary->world > 0 ? job->summary->world : 0;
	OWNED int32_t *ranks = xcalloc((size_t)size + 1, sizeof *ranks);

	for (int32_t i = 0; i < size; i++)
		ranks[i] = i;
	builder_world(job->builder, ranks, (uint32_t)size);
}

/* The file has no name: it is gone with the trace, however the program ends. */
static void bound_memory(struct job *job, const char *path)
{
	OWNED_STR beside = STR_INIT;
	const char *folders[] = { ".", job->options->folder, NULL };
	struct slab_pool *pool;

	str_add_n(&beside, path, (size_t)(path_name(path) - path));
	if (beside.n)
		folders[0] = beside.text;
	pool = slab_pool_new(job->options->memory, folders);
	builder_use_pool(job->builder, pool);
	slab_pool_free(pool);
}

static struct trace *build(struct job *job, const char *path, struct err *err)
{
	const struct builder_options options = { .decide_blocked = true,
						 .only_written = job->options->only_written };
	struct rank *rank;

	job->builder = builder_new(path, &units_nanoseconds, err);
	if (!job->builder)
		return NULL;
	if (options.only_written)
		bound_memory(job, path);
	define_world(job);
	job_grids(job);
	job_comms(job);
	job_cut_pairs(job);
	job_properties(job);
	job_program_begin(job);
	vec_each (rank, &job->ranks)
		job_events(job, rank);
	job_records(job);
	job_offsets(job);
	job_choices(job);
	job_lacks(job);
	job_ends(job);
	job_program_end(job);
	return builder_finish(job->builder, &options, NULL, err);
}

/* Each rank's by itself. */
static void define_rank(void *context, unsigned worker, size_t i)
{
	struct job *job = context;

	(void)worker;
	rank_cut(&job->ranks.data[i]);
	rank_define(&job->ranks.data[i]);
}

struct trace *merge_ranks(const char *path, const struct merge_options *options,
			  struct merge_summary *summary, struct err *err)
{
	struct job job = { .options = options, .summary = summary, .next_user = 1 };
	struct trace *trace = NULL;
	struct rank *rank;

	memset(summary, 0, sizeof *summary);
	if (open_files(&job, err)) {
		if (job.ranks.n) {
			summarise(&job);
			jobs_run(jobs_count(options->jobs), job.ranks.n, define_rank, &job);
			job_calibrate(&job);
			job.symbols = symbols_new();
			trace = build(&job, path, err);
		}
	}
	symbols_free(job.symbols);
	keymap_fini(&job.region_of);
	keymap_fini(&job.data_sets);
	keymap_fini(&job.early);
	vec_fini(&job.regions);
	vec_each (rank, &job.ranks) {
		rank_cut_fini(rank);
		rank_fini(rank);
	}
	vec_fini(&job.ranks);
	return trace;
}
