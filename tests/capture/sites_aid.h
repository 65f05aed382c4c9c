/* sites_aid: runs the program with probes by hand (programs/sites.c), and reads the rows of its ranks'
 * files raw. Sites are numbered as there; their slots are one more, behind the unit's head. What goes
 * wrong fails the test. */
#pragma once

#include <glob.h>

#include "base/mem.h"
#include "base/str.h"
#include "capture/programs/sites.h"
#include "capture/run/rankfile.h"
#include "harness/files.h"

enum { NOBODY = -1 };

struct site_ranks {
	struct str said; /* standard output */
	char folder[FOLDER_NAME];
	struct rankfile *file[8]; /* by rank */
};

/* The library is preloaded by hand: what is tested is what it writes. Skips the test where there is
 * no mpiexec. `settings`: of the environment. */
struct site_ranks *site_ranks_run(int n, const char *settings, const char *arguments);
/* One that ends with another status. */
struct site_ranks *site_ranks_run_to(int status, int n, const char *settings,
				     const char *arguments);
/* Removes the folder as well. */
void site_ranks_free(struct site_ranks *r);
FREES(site_ranks_free, struct site_ranks)
#define OWNED_SITE_RANKS FREED_BY(site_ranks_free) struct site_ranks

/* The files of ranks in a folder. The caller says globfree(). */
glob_t site_files(const char *folder);
/* Opens those in r->folder. */
void site_ranks_open(struct site_ranks *r);

/* The place of a site, of NOBODY 0. */
uint64_t site_place(int site);
/* The row of a thread (-1: any), of a procedure from a call statement; there is one at most. */
bool site_row_find(const struct site_ranks *r, int rank, int thread, int site, int from,
		   struct tv_statistic *found);
/* That of rank 0, which must have it. */
struct tv_statistic site_row(const struct site_ranks *r, int thread, int site, int from);
