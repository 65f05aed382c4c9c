/* merge: makes one trace of the files that the ranks of a run wrote, complete or not.
 *
 * It is one more reader of the model: it knows the records of capture/lib/record.h and calls the
 * builder, which matches messages and collectives and decides which receives waited. Times are
 * nanoseconds from the earliest record. What a crash left open stays open, and the trace says which
 * ranks did not end.
 *
 *	struct merge_options options = { .folder = dir, .command = "mpiexec -n 4 ./app" };
 *	struct merge_summary summary;
 *	struct trace *trace = merge_ranks("run.trc", &options, &summary, &err);
 */
#pragma once

#include "capture/run/ticks.h"
#include "model/trace/trace.h"

enum clock_domain {
	CLOCK_DOMAIN_AUTO, /* ranks of one node share a clock where the measurement does not
			      contradict it */
	CLOCK_DOMAIN_NODE, /* ranks of one node share a clock */
	CLOCK_DOMAIN_RANK, /* every rank has its own */
};

struct rank_folds;

struct merge_options {
	const char *folder; /* with the ranks' files */
	size_t job;         /* which of the MPI jobs that wrote there; 0: the first */
	int jobs;           /* threads, 0: as many as cores */
	enum clock_domain domain;
	bool anonymous;             /* no names, paths, hosts */
	bool insitu;                /* the ranks were to leave functions out in some segments */
	uint64_t limit;             /* calls of a tiny procedure that are kept as events; 0: all */
	struct reading first, last; /* of this machine's TSC, around the run; ticks 0: none */
	struct rank_folds *folds;   /* of looks at a run that goes on: not all events; NULL: all */
	bool only_written;          /* no view will ask for the trace */
	uint64_t memory;            /* bytes for such a trace, 0: half of the machine's; the rest is
				       in a file beside the trace or the ranks' files */
	const char *live;    /* date and time of `last`, if the run goes on; NULL: it has ended */
	const char *trigger; /* what asked for a trace of a run that goes on; NULL: a person */
	const char *command; /* the program's command line, and the others for the header; NULL:
				left out */
	const char *options;
	const char *directory;
	const char *date;
};

/* What came out, for people. */
/* Receives from any source in virtual time, of all ranks. */
struct merge_order {
	uint64_t wildcards, held, held_ns, close, departed, uncontrolled;
	uint64_t exchanges, again, narrowed, fetches, clocks, unsure; /* with other nodes */
	uint64_t looks, collected;                                    /* at the ranks of the node */
	uint64_t strangers; /* connections that were not of the job */
};

struct merge_summary {
	size_t jobs;             /* MPI jobs of which there are files */
	int32_t ranks, world;    /* found, and the size that they say the world has */
	uint32_t files;          /* buffers in the folder, also of processes without a rank */
	uint32_t not_finalised;  /* ranks that ended without MPI_Finalize */
	char ended_first[512];   /* which rank, and how; "" all ended normally */
	uint32_t no_memory;      /* ranks that had none for some records */
	uint32_t full;           /* ranks whose buffer was full, */
	uint32_t scarce;         /* or so nearly that functions were not recorded any more */
	uint32_t damaged;        /* ranks whose buffer is cut off or damaged */
	uint32_t passed_over;    /* second buffers of a rank, or unreadable */
	char first_trouble[256]; /* sentence about the first unreadable buffer; "" none */
	uint32_t statements;     /* of the program, those that never ran included */
	uint64_t records;        /* what was kept of them */
	uint64_t torn;           /* records that a process was changing when it died */
	uint64_t limited;        /* records of procedures of which not all are events */
	bool statistics;         /* no events were kept */
	uint64_t unknown_mpi;    /* processes with an MPI of unknown kind */
	struct merge_order order;
	bool replay;                /* choices were to be made again, */
	uint64_t replayed;          /* which were, */
	uint32_t departed;          /* ranks that came to another one */
	char first_departure[512];  /* where the first one did, "" none */
	uint32_t wrong_grids;       /* calls of tview_topology() and tview_coords() left out */
	char first_wrong_grid[256]; /* sentence about the first; "" none */
};

/* Builds the trace; path is what it will be called. NULL with err where the folder cannot be read
 * or a limit was met, NULL without err where no rank was found. The summary is filled in any
 * case. */
struct trace *merge_ranks(const char *path, const struct merge_options *options,
			  struct merge_summary *summary, struct err *err);
