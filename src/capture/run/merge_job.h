/* merge_job: what the parts of a merge know together: the ranks' files with what they define, and
 * the builder that they feed. Internal to capture/run. Strings and records stay in the mapped
 * files, which the job owns. */
#pragma once

#include "base/keymap.h"
#include "capture/run/merge.h"
#include "capture/run/rankfile.h"
#include "capture/run/symbols.h"
#include "model/build/builder.h"
#include "model/meaning/recorded.h"
#include "model/trace/program.h"

/* A communicator as one rank knows it. */
struct rank_comm {
	const struct tv_def_comm *def; /* NULL: never defined */
	const int32_t *members;        /* world ranks, then the remote group's; NULL unknown */
	const char *name;
	const int32_t *cart;    /* dims, then size and periodic of each; NULL none */
	const int32_t *sources; /* [n_sources] ranks of it that this one receives from; NULL: not
				   known */
	uint32_t n_sources;
	uint32_t id; /* the builder's */
};

/* A window, and a group that an epoch was opened for, as one rank knows them. */
struct rank_window {
	const struct tv_def_window *def; /* NULL: never defined */
	const char *name;
	uint32_t comm;   /* of the rank's */
	uint32_t object; /* the builder's; UINT32_MAX none */
};

struct rank_group {
	const struct tv_def_comm *def; /* NULL: never defined, or its members are missing */
	const int32_t *members;
	uint32_t object;
};

/* A function of Python with a call in it. */
struct rank_frame {
	const struct tv_def_frame *def; /* NULL: never defined */
	const char *name, *file;
};

/* A stack around calls of MPI. */
struct rank_stack {
	const uint64_t *address; /* return addresses and frames, the innermost first */
	uint32_t n;
};

struct rank_string {
	uint32_t thread, id;
	const char *text;
};

struct rank_module {
	struct tv_def_module where;
	const char *path;
};

/* A site that was not recorded because of a rule (--only, --exclude, --filter-file). */
struct rank_left_out {
	uint32_t module, slot;
};

/* A program or library with sites, as one rank had it mapped. */
struct rank_sites {
	struct tv_def_sites where;
	const char *path; /* NULL: never defined */
	uint32_t module;  /* place in the program's modules, UINT32_MAX: it cannot be read */
};

/* A call of tview_topology() or tview_coords(). */
struct rank_grid {
	const struct tv_def_grid *def; /* checked: its values and the name are there */
	const char *name;
	bool place; /* tview_coords() */
};

/* A module without symbols, and how many functions in it have no name. */
struct nameless {
	const char *path;
	uint64_t functions;
};

/* A team of OpenMP's threads. */
struct rank_team {
	uint64_t site;    /* address of the call that forked it */
	uint64_t body;    /* of the function that its threads execute; 0 unknown */
	uint64_t join;    /* tick at which it was over, 0: never */
	uint32_t first;   /* thread that forked it; UINT32_MAX: that was not recorded */
	uint32_t level;   /* teams of that thread that it is in */
	uint32_t threads; /* beside the first */
};

/* From there on these kinds of events were recorded (TV_DEF_LEVELS). */
enum { LEVEL_KINDS = 3 };
struct rank_levels {
	uint64_t time;        /* ticks */
	const int32_t *level; /* [LEVEL_KINDS] */
};

/* A region, and the event type it is written as. */
struct named_region {
	uint32_t region;
	int32_t picl;
};

/* What a site is of, beside a call of MPI: a sample, a function, and OpenMP's constructs. */
enum { SAMPLE_CALL = 0xfffe, FUNCTION_CALL, CONSTRUCT_CALL };
/* Beside those of enum tv_construct. */
enum { CONSTRUCT_PARALLEL = TV_OMP_PARALLEL, CONSTRUCT_INSIDE, CONSTRUCTS };

/* What a rank shares with processes of other jobs (rank_outside.c). */
struct outside {
	bool any;                /* it has a communicator with such a process */
	uint64_t sent, received; /* messages */
	uint64_t collectives;    /* calls on such communicators */
	uint64_t calls;          /* of statistics, instead of all these: at least so many */
	struct keymap requests;  /* numbers of their messages' requests */
};

/* A thread's records before the cut. */
struct cut_thread {
	struct tv_ledger *ledger;     /* what they leave to the others */
	const struct tv_chunk *chunk; /* of its latest call of MPI there, */
	uint64_t at;                  /* and where its TV_ENTER ends in it */
};

/* Where the trace of a rank begins that kept only its last seconds (rank_cut.h). */
struct rank_cut {
	bool is;                        /* at rankfile.since; else it kept all */
	bool unknown;                   /* how many messages and collectives were before */
	VEC(struct cut_thread) threads; /* by number */
	VEC(uint8_t) skip;              /* of each message and collective: 1 is left out */
	size_t at;                      /* in `skip` */
	struct keymap requests;         /* those whose beginning is left out */
	bool collective_out;            /* the one under way */
	uint64_t halves, rma;           /* what was left out: messages and collectives; one-sided */
};

/* One rank: its file and what it defines. */
struct rank {
	struct rankfile *file;
	struct rank_cut cut;
	int32_t number;
	struct calibration clock;
	uint64_t first, last;        /* ticks of its earliest and latest record */
	uint64_t functions, guarded; /* records of functions, and those after inline guards */
	uint64_t gaps, gap_time;     /* segments without readings of the clock; ticks in them */
	uint64_t full;               /* ticks: when events stopped first, 0 never */
	uint64_t paused;             /* ticks that threads were switched off, together */
	bool has_paused;
	bool damaged;    /* some of its records could not be read (job_damaged()), */
	bool wrong_rows; /* as of its statistics */
	VEC(struct rank_comm) comms;
	VEC(struct rank_window) windows;
	VEC(struct rank_group) groups;
	VEC(struct rank_string) strings;
	VEC(struct rank_stack) stacks; /* by number, from 1 */
	VEC(struct rank_frame) frames; /* by number, from 1 */
	VEC(struct rank_module) modules;
	VEC(struct rank_sites) site_modules; /* by number */
	VEC(const struct tv_def_offset *) offsets;
	VEC(const char *) properties;
	VEC(struct rank_grid) grids;
	VEC(struct rank_team) teams; /* by number */
	struct keymap team_comms;    /* (first thread, level) -> the builder's communicator */
	struct keymap locks;         /* address -> number in the trace */
	VEC(struct rank_left_out) left_out; /* procedures and loops that rules leave out */
	VEC(uint64_t) functions_out;        /* functions that rules leave out; addresses */
	struct outside outside;
	VEC(const char *) bypasses;     /* paths of modules whose calls of MPI were not seen */
	VEC(struct rank_levels) levels; /* by time */
	const char *tool;  /* module of a tool between the program and MPI; NULL: none */
	uint64_t *entered; /* [TV_CALLS_MAX]: calls of each function of MPI */
	uint64_t *refused; /* [TV_CALLS_MAX]: those that MPI refused */
	/* At the begin, and at the end; NULL: unknown. */
	const struct tv_def_cost *cost, *last_cost;
	const uint64_t *spent;     /* TV_DEF_SPENT; NULL: unknown */
	struct keymap frame_sites; /* (frame, caller's frame) -> the builder's site */
	/* (address, call or FUNCTION_CALL or SAMPLE_CALL) -> the builder's site */
	struct keymap sites;
	uint32_t location;       /* of its first thread */
	VEC(uint32_t) locations; /* by number; UINT32_MAX: nothing is there of it */
};

/* Of a collective's begin (model/trace/message.h); of a region's begin and end, by the program. */
enum job_attribute {
	JOB_CALLS_BEFORE,
	JOB_ELEMENT_TYPE,
	JOB_OPERATION,
	JOB_FROM_ALL,
	JOB_BLOCK_LOCATION,
	JOB_BLOCK_PARAMETER,
	JOB_ATTRIBUTES
};

struct program; /* rank_sites.c */

struct job {
	const struct merge_options *options;
	struct merge_summary *summary;
	struct builder *builder;
	struct symbols *symbols;
	VEC(struct rank) ranks;  /* by number */
	int64_t zero;            /* nanoseconds of the earliest record */
	struct keymap data_sets; /* (string of the name, values) -> metric set; feed_counted.c */
	bool cut;                /* some rank kept only its last seconds */
	struct keymap early;     /* (communicator, from, to, tag) -> sent before; rank_cut.c */
	struct keymap region_of; /* (string of the name) -> place in regions */
	VEC(struct named_region) regions;
	struct program *program;
	struct keymap left_out; /* (statement), (name, 1), (name, 2, file) of procedures */
	uint32_t attribute[JOB_ATTRIBUTES]; /* job_attribute() + 1, 0: not made yet */
	uint32_t sampler;                   /* job_sampler() + 1, the same */
	uint32_t virtual_set;               /* of feed_virtual.c + 1, the same */
	uint32_t core_set;                  /* of feed_core.c + 1, the same */
	int32_t next_user; /* the next event type for a region without a PICL number */
	VEC(struct nameless) nameless;
	struct keymap nameless_names; /* strings of the names of such functions */
	VEC(char *) departures;       /* sentences, of job_choices() to job_lacks() */
};

/* Time of the trace. */
static inline int64_t job_time(const struct job *job, const struct rank *rank, uint64_t tick)
{
	return ticks_to_nanoseconds(&rank->clock, tick) - job->zero;
}

/* Reads all definitions of a rank (rank_defs.c). */
void rank_define(struct rank *rank);
void rank_fini(struct rank *rank);

/* At the end of rank_define(). */
void rank_survey_outside(struct rank *rank);
/* Is it of a message to or from a process of another job, or of its request? */
bool rank_is_outside(const struct rank *rank, const struct tv_head *head);

/* The ranks' clocks, the trace's zero (rank_clocks.c); then the offsets, which need the
 * locations. */
void job_calibrate(struct job *job);
void job_offsets(struct job *job);
/* Of one node, with one clock. */
bool job_same_node(const struct rank *a, const struct rank *b);
/* The shift that makes a rank's times comparable with rank 0's; false: not known. */
bool job_shift(const struct job *job, const struct rank *rank, int64_t *shift);

/* Communicators and topologies of all ranks, windows, groups (rank_comms.c). Sets rank_comm.id and
 * the objects. */
void job_comms(struct job *job);
/* rank_graphs.c: for it. */
void job_graphs(struct job *job);
/* World rank of a member of a rank's communicator; RANK_UNKNOWN if not recorded. */
int32_t rank_member(const struct rank *rank, uint32_t comm, int32_t peer);
/* False if the communicator has no such member: the call failed. */
bool rank_has_member(const struct rank *rank, uint32_t comm, int32_t peer);
uint32_t rank_comm_id(const struct rank *rank, uint32_t comm);

/* Topologies that the program gave by hand (rank_grids.c). */
void job_grids(struct job *job);

/* What the trace says of itself (run_header.c). */
void job_properties(struct job *job);

/* Choices that depend on time (rank_choices.c), after job_program_begin(). */
void job_choices(struct job *job);

/* What it lacks (rank_lacks.c), after all else. */
void job_lacks(struct job *job);
/* Notes that a function of a module has only this name, made of its address. */
void job_name_missing(struct job *job, const struct rank_module *module, const char *name);

/* Which rank ended first (rank_ends.c), after job_program_begin(). */
void job_ends(struct job *job);
/* Appends " in MPI_Recv (farm.c:61)" of a call that the program made at a place. */
void job_add_call(struct str *out, struct job *job, struct rank *rank, uint32_t call,
		  uint64_t place);

/* Regions and sites (run_names.c). `address` is where the call was made: a place as in record.h. */
uint32_t job_mpi_site(struct job *job, struct rank *rank, uint32_t call, uint64_t address);
uint32_t job_mpi_region(struct job *job, const struct rank *rank, uint32_t call);
uint32_t job_mpi_name(const struct job *job, const struct rank *rank, uint32_t call); /* string */
uint32_t job_function_site(struct job *job, struct rank *rank, uint64_t address);
/* The same of a place in a function, found on the stack of a call. */
uint32_t job_stack_site(struct job *job, struct rank *rank, uint64_t address);
/* The line and function at an address where the program was found; and the object that says how
 * often it was looked (run_samples.c). */
uint32_t job_sample_site(struct job *job, struct rank *rank, uint64_t address);
uint32_t job_sampler(struct job *job);
/* The region of a name (run_names.c). */
struct named_region job_region_named(struct job *job, const char *name, enum region_class cls);
/* That of a function: functions of one name that are defined in different places are two. */
struct named_region job_function_region(struct job *job, const char *name,
					const struct symbol *symbol, enum region_paradigm paradigm);
/* Frames of Python, places with TV_PLACE_FRAME (run_frames.c). NULL: it is not defined. */
const struct rank_frame *rank_frame_at(const struct rank *rank, uint64_t place);
/* The site of its function; `caller`: the frame that called it, 0 none. */
uint32_t job_frame_site(struct job *job, struct rank *rank, uint64_t place, uint64_t caller);
/* Where the call in it is: file (a string) and line, 0 if they must stay unknown. */
void job_frame_source(const struct job *job, const struct rank_frame *frame, uint32_t *file,
		      uint32_t *line);
/* Appends what its function is called. */
void job_name_frame(const struct job *job, const struct rank_frame *frame, struct str *out);
/* enum tv_construct, or one of CONSTRUCT_; the address is where the runtime was called, the body
 * the function that the compiler made of the inside; 0 unknown. */
uint32_t job_construct_site(struct job *job, struct rank *rank, uint32_t construct,
			    uint64_t address, uint64_t body);
/* Is the name of the function at an address known? */
bool job_has_name(const struct job *job, const struct rank *rank, uint64_t address);
uint32_t job_user_site(struct job *job, const struct rank *rank, uint32_t thread, uint32_t id);
void job_user_name(const struct job *job, const struct rank *rank, uint32_t thread, uint32_t id,
		   struct str *out);
/* The site of gaps: segments whose functions have estimated times. */
uint32_t job_gap_site(struct job *job);
/* The object of an attribute that records have. */
uint32_t job_attribute(struct job *job, enum job_attribute which);
/* The site of the mark at the time when a running job was looked at. */
uint32_t job_now_site(struct job *job);
/* A site of PICL's own tracing events: -901, -913. */
uint32_t job_tracing_site(struct job *job, int32_t picl);
/* The source line at an address, and the symbol it is in. */
struct symbol rank_symbol_at(const struct job *job, const struct rank *rank, uint64_t address);
/* The function at an address, with the place of its definition. */
struct symbol rank_function_at(const struct job *job, const struct rank *rank, uint64_t address);
/* An address of the program; 0 of one in the recorder, which a function that is left by a jump to
 * the runtime returns to. */
uint64_t rank_program_place(const struct rank *rank, uint64_t address);
const struct rank_module *rank_module_at(const struct rank *rank, uint64_t address);
/* Appends what a function is called; its symbol is that of symbols_function(). */
void job_name_function(struct job *job, const struct rank *rank, uint64_t address,
		       const struct symbol *symbol, struct str *out);

/* The program's own tables of statements (rank_sites.c): read from the files that the ranks had
 * mapped, in the order of the ranks. */
void job_program_begin(struct job *job);
void job_program_end(struct job *job);
/* The statement of a site; NO_STATEMENT where its tables cannot be read. */
uint32_t job_statement(const struct job *job, const struct rank *rank, uint32_t module,
		       uint32_t slot);
/* Of the statements so far, to be changed. Good until the next one is added. */
struct statement *job_statement_at(struct job *job, uint32_t statement);
uint32_t job_statement_add(struct job *job, const struct statement *statement);
uint32_t job_statement_count(const struct job *job);
/* Once all tables are read: marks the statements that were not recorded (rank_left_out.c). */
void job_leave_out(struct job *job);
/* It was found by an address: marks a procedure that a rule leaves out as not recorded. */
void job_statement_found(struct job *job, uint32_t id);
/* The first statement of (kind, name, file, line; of a procedure its line does not matter);
 * NO_STATEMENT. */
uint32_t job_statement_named(const struct job *job, enum statement_kind kind, uint32_t name,
			     uint32_t file, uint32_t line);
/* The event site of a procedure or a loop entered from the call statement of a slot, 0 none; `what`
 * is what tv_function.what says from bit 8 on; `across`: all of it of the TV_SITE_FROM before it, 0
 * none. */
uint32_t job_probe_site(struct job *job, const struct rank *rank, uint64_t what, uint64_t across);
/* Appends what a site without tables is called: its place in its file distinguishes it. */
void job_name_unknown(const struct job *job, const struct rank *rank, uint32_t module,
		      uint32_t slot, struct str *out);
/* The region of a statement, made where it has none yet. */
uint32_t job_statement_region(struct job *job, uint32_t statement);

/* The ranks' statistics and the statements they are of, those found by an address included
 * (rank_records.c). After the events. */
void job_records(struct job *job);

/* All events of a rank (feed.c). */
void job_events(struct job *job, struct rank *rank);

/* Adds a finding of damage, "the buffer of rank 3 FORMAT" (rank_damage.c). */
void job_damaged(struct job *job, struct rank *rank, const char *code, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* What is wrong with its file as a whole, if anything. */
void job_file_damaged(struct job *job, struct rank *rank);
