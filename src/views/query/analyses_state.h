/* analyses_state: what the files that make analyses share: analyses.c (asking, cubes),
 * analyses_thread.c (the thread that makes them). */
#pragma once

#include <pthread.h>

#include "views/query/analyses.h"

enum { CUBES = 4 }; /* kept windows */

struct kept_cube {
	struct cube *cube;
	enum time_base base;
	int64_t t0, t1;
};

/* The results for one time base. */
struct one {
	struct analysis *analysis; /* with its waits */
	struct wait_sums *sums;
	const struct causes *causes;   /* owned by the analysis */
	struct iterations *iterations; /* that were kept; NULL: none, or not asked for */
	struct path_stretch *path;     /* [stretches] that was kept; NULL the same */
	size_t stretches;
	struct graph_sizes sizes;
	struct graph *graph; /* source of `sizes`; NULL: handed out already */
	bool sized;          /* `sizes` are valid */
	bool unsized, tried; /* they are requested; were made, or could not be */
	bool wanted, done;   /* requested but incomplete; complete */
	bool told;           /* the error was reported */
	struct err err;
};

struct analyses {
	struct trace *trace;
	struct analysis_options options;
	char *topology;                /* a copy that `options` points to */
	struct grids *grids;           /* where no analysis has them; NULL: not made */
	VEC(char *) iterated;          /* copies of all names of iterations so far */
	struct kept_cube cubes[CUBES]; /* most recently requested first */
	bool running;                  /* the thread exists */
	pthread_t thread;
	int pipe[2]; /* both ends -1: none */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Guarded by the lock. */
	struct one of[BASE_COUNT];
	enum time_base first; /* goes first if several are wanted */
	struct analyses_state state;
	const char *iterated_by; /* one of `iterated`, NULL: they are found */
	bool ahead;              /* sums of waits and the ideal network come without a request */
	bool stop;
};

/* Wakes who reads analyses_fd(). */
void analyses_tell(struct analyses *a);

/* Called under the lock: */

/* Makes the sizes, and the graph, of kept rows; nothing where there are none. */
void analyses_sizes_kept(struct analyses *a, enum time_base base);

/* Starts the thread. False: there is none, and the caller does the work itself. */
bool analyses_start(struct analyses *a);
/* Makes what is wanted next, and gives the lock up meanwhile; false: nothing is. */
bool analyses_make_next(struct analyses *a);
void analyses_set_busy(struct analyses *a, enum time_base base);
