/* live: jobs that run under tvrun, looked at while they run: a list of them, and the trace of one
 * of them up to now. A look maps the ranks' files for reading: the job does not notice it, and
 * never waits for it.
 *
 *	struct live live;
 *	if (!live_find(&live, "4711", &err)) ...	// process, folder, trace's name; NULL
 *	trace = live_look(&live, &err);			// as often as one likes
 *	live_fini(&live); */
#pragma once

#include "capture/run/rank_fold.h"
#include "capture/run/run_folder.h"
#include "model/trace/trace.h"

struct live {
	pid_t tvrun; /* 0 unknown */
	struct str folder;
	struct run_settings settings;
	int32_t world;   /* ranks of its MPI job; 0: no rank has begun */
	bool statistics; /* alone, of some rank */
	bool running;    /* tvrun, or one of the ranks */
	bool merging;    /* the program has ended, and tvrun makes its trace */
	double seconds;  /* since tvrun began; below 0 unknown */
};

/* The run of that name, without one the only one that there is. False with err where there is none,
 * or where it could be several. */
bool live_find(struct live *live, const char *name, struct err *err);
void live_fini(struct live *live);
/* As it is now; NULL with err where no rank has begun. A run that has ended, and was not merged, is
 * seen as it ended. With folds (rank_fold.h) no more than the latest events of a run that goes on,
 * and what came before is read once. */
struct trace *live_look(struct live *live, struct rank_folds *folds, struct err *err);
/* All of this at once; the context is struct rank_folds. For load_options.live. */
struct trace *live_trace(void *folds, const char *name, struct err *err);
/* Bytes of events that the views of a job show. */
#define LIVE_ROOM (UINT64_C(16) << 20)

/* Appends one line for each run of this user on this machine, or a JSON array of them. */
void live_list(struct str *out, bool json);
