/* Each class of operations: what the clock condition, the correction and the patterns make of it,
 * from a run made by hand and from the same run written as PICL and as OTF2. */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "correct/correct.h"
#include "harness/notation.h"
#include "harness/owners.h"
#include "harness/test.h"
#include "model/formats/load.h"
#include "model/formats/save.h"
#include "patterns/patterns.h"

/* Rank 2 comes last, at 11000, and its clock may be 3000 ticks ahead; ranks leave at 11500. */
static const struct operation_case {
	const char *name;
	const char *late;   /* what rank 2 does */
	const char *others; /* what the others do */
	enum cube_metric wait;
} cases[] = {
	{ "message", "MPI_Send@11000-11200 ->0", "MPI_Recv@10000-11500 <-2", CUBE_MPI_LATESENDER },
	{ "barrier", "MPI_Barrier@11000-11500 all", "MPI_Barrier@10000-11500 all",
	  CUBE_MPI_BARRIER_WAIT },
	{ "sync0", "sync0@11000-11500 all", "sync0@10000-11500 all", CUBE_MPI_BARRIER_WAIT },
	{ "1-to-n", "MPI_Bcast@11000-11500 all root 2 32B/8B",
	  "MPI_Bcast@10000-11500 all root 2 0B/8B", CUBE_MPI_LATEBROADCAST },
	{ "n-to-1", "MPI_Reduce@11000-11500 all root 0 8B/0B",
	  "MPI_Reduce@10000-11500 all root 0 8B/32B", CUBE_MPI_EARLYREDUCE },
	{ "n-to-n", "MPI_Allreduce@11000-11500 all 8B", "MPI_Allreduce@10000-11500 all 8B",
	  CUBE_MPI_WAIT_NXN },
	{ "prefix", "MPI_Scan@11000-11500 all 8B", "MPI_Scan@10000-11500 all 8B",
	  CUBE_MPI_EARLYSCAN },
	{ "neighbours", "MPI_Neighbor_allgather@11000-11500 all 8B",
	  "MPI_Neighbor_allgather@10000-11500 all 8B", CUBE_MPI_WAIT_NXN },
	{ "init", "MPI_Init@11000-11500", "MPI_Init@10000-11500", CUBE_MPI_INIT_EXIT },
	{ "finalize", "MPI_Finalize@11000-11500", "MPI_Finalize@10000-11500",
	  CUBE_MPI_FINALIZE_WAIT },
	{ "nonblocking barrier",
	  "MPI_Ibarrier@11000-11010 ask 1 MPI_Wait@11100-11500 got 1 MPI_Ibarrier",
	  "MPI_Ibarrier@10000-10010 ask 1 MPI_Wait@10100-11500 got 1 MPI_Ibarrier",
	  CUBE_MPI_SYNC_COLLECTIVE },
};

static struct trace *run(const struct operation_case *c, bool skewed)
{
	struct notation n;
	const bool message = strcmp(c->name, "message") == 0;

	notation_begin(&n, 1000000000);
	notation_write(&n,
		       "ranks 4; region sync0 class sync picl -402; region MPI_Barrier class sync\n"
		       "mpi %s; grid 4\n",
		       message ? "p2p" : "collective");
	if (skewed)
		notation_write(&n, "clock 2 3000\n");
	for (int r = 0; r < 4; r++)
		if (!message || r == 0 || r == 2)
			notation_write(&n, "rank %d: main@5000 { %s } @20000", r,
				       r == 2 ? c->late : c->others);
	return notation_finish(&n);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static struct trace *again(struct trace *t, enum save_format format)
{
	char folder[] = "/tmp/tview-operations-XXXXXX", path[64];
	struct err err = ERR_INIT;
	struct trace *read;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/%s", folder, format == SAVE_PICL ? "o.trc" : "o.otf2");
	if (!trace_save(t, format, path, NULL, NULL, NULL, &err))
		fail_msg("%s", err.text);
	trace_free(t);
	read = trace_load(path, &(struct load_options){ .no_cache = true }, NULL, &err);
	if (!read)
		fail_msg("%s", err.text);
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return read;
}

static struct trace *in_format(const struct operation_case *c, bool skewed, int format)
{
	struct trace *t = run(c, skewed);

	return format < 0 ? t : again(t, (enum save_format)format);
}

TEST(correction_mends_each_class)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int format = -1; format <= SAVE_OTF2; format++) {
			const struct correct_options options = CORRECT_DEFAULTS;
			OWNED_TRACE *t = in_format(&cases[i], true, format);
			struct err err = ERR_INIT;
			FREED_BY(corrections_free)
			struct corrections *c = correct_run(t, &options, NULL, &err);
			assert_non_null(c);
			if (!c->checked[BASE_MEASURED] || !c->check[BASE_MEASURED].all.violating)
				fail_msg("%s, format %d: nothing is violated", cases[i].name,
					 format);
			const enum time_base best = trace_default_base(t);
			if (best == BASE_MEASURED || !c->checked[best] ||
			    c->check[best].all.violating)
				fail_msg("%s, format %d: still violated", cases[i].name, format);
		}
}

TEST(waits_are_the_same_in_each_format)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		double first[CUBE_METRICS];
		for (int format = -1; format <= SAVE_OTF2; format++) {
			OWNED_TRACE *t = in_format(&cases[i], false, format);
			struct err err = ERR_INIT;
			FREED_BY(analysis_free)
			struct analysis *a =
				analysis_new(patterns, t, BASE_MEASURED, NULL, NULL, &err);
			FREED_BY(cube_free)
			struct cube *cube = analysis_cube(a, INT64_MIN, INT64_MAX,
							  CUBE_TIMES | CUBE_WAITS, NULL, &err);
			assert_non_null(cube);
			if (cube_total(cube, cases[i].wait, NULL) <= 0)
				fail_msg("%s, format %d: no wait", cases[i].name, format);
			for (int m = 0; m < CUBE_METRICS; m++) {
				const double is = cube_total(cube, (enum cube_metric)m, NULL);
				if (format < 0)
					first[m] = is;
				else if (fabs(is - first[m]) > 1e-9)
					fail_msg("%s, format %d: %s is %g, not %g", cases[i].name,
						 format,
						 cube_metric_info((enum cube_metric)m)->name, is,
						 first[m]);
			}
		}
	}
}
