/* runopts: the options of tvrun, in one table from which parsing, --help and doc/man/tvrun.1
 * come. */
#pragma once

#include "base/str.h"
#include "capture/run/merge.h"

/* Default of --compact-from: about 100 MB as text. */
#define COMPACT_FROM 4000000

struct run_options {
	const char *output;     /* the trace; NULL: --merge decides */
	bool unnamed;           /* without -o: --compact-from chooses its form */
	uint64_t compact_from;  /* events from which on such a trace is compressed; 0: never */
	const char *merge;      /* the folder of a run to merge, NULL: run a command */
	const char *buffer_dir; /* NULL: beside the output, else /dev/shm */
	uint64_t buffer_size;   /* bytes of memory that a rank may use, */
	uint64_t max_size;      /* and of the disk */
	uint64_t max_mem;       /* bytes for making the trace, 0: half of the machine's */
	enum { CLOCK_AUTO, CLOCK_TSC, CLOCK_MONOTONIC_ONLY } clock;
	enum clock_domain domain;
	uint64_t last;           /* nanoseconds: only events of the last ones are kept; 0: all */
	const char *trigger;     /* filter of visits at which a trace is made; NULL: none */
	uint64_t trigger_pause;  /* nanoseconds from one such trace to the next */
	uint64_t trigger_most;   /* of them in a run */
	uint64_t sample;         /* nanoseconds between samples, 0: none */
	const char *counters;    /* names of counters, NULL: none */
	struct str counted;      /* the same for the ranks, of counter_list_parse() */
	uint64_t callstack;      /* functions around a call of MPI that are looked for */
	bool python;             /* and functions of Python, */
	bool no_python;          /* of which not even lines are looked for */
	struct str rules;        /* which functions: lines `only PATTERN`, `exclude PATTERN`,
				   `no-loops PATTERN` */
	unsigned rules_for_tvcc; /* rules of a file that only tvcc can follow */
	bool off;                /* recording starts switched off */
	bool no_functions;
	bool no_threads;
	bool insitu;              /* leave probes out in some segments */
	bool statistics;          /* keep no events */
	bool fore_monitor;        /* hold what waits for partners on other nodes */
	uint64_t limit;           /* calls of a tiny procedure that are kept as events; 0: all */
	bool virtual_time;        /* keep the time without the recorder, too */
	bool order_control;       /* of receives from any source, with virtual_time */
	const char *order;        /* file for choices that depend on time, NULL: none; */
	const char *replay;       /* and one from which they are made again */
	uint64_t replay_wait;     /* nanoseconds, for messages that ranks of other nodes may send */
	uint64_t order_tolerance; /* nanoseconds, UINT64_MAX: by what latencies are */
	uint64_t probe_delay;     /* nanoseconds, for experiments */
	bool anonymous;
	bool yield;
	bool live; /* the views beside the program, in its terminal */
	bool keep;
	bool quiet;
	bool help, version, list_calls, list_counters;
	char **command; /* what is left: the program to run, NULL-terminated */
};

/* Reads argv up to the first word that is not an option. Text stays in argv. */
bool run_options_parse(struct run_options *options, char **argv, struct err *err);

/* As in run_settings. */
uint64_t run_options_compact_from(const struct run_options *options);

/* The options as text for people, and as lines of troff. */
void run_options_help(struct str *out);
void run_options_man(struct str *out);
