/* record: what a rank writes while the program runs: the layout of its file and of every record in
 * it. The only header that the library in the user's program (capture/lib) shares with tvrun
 * (capture/run). libc only.
 *
 * The file is a header of TV_HEADER_SIZE bytes followed by chunks of TV_CHUNK_SIZE bytes. A chunk
 * belongs to one thread, which appends records to it; the chunks of a thread follow each other by
 * `serial`. The header and some chunks are a shared mapping: what was written stays, however the
 * process ends. When such a chunk is full, its thread writes a copy of it into the next free place
 * of the file, and goes on in the same memory with the next serial.
 * So there may be two chunks of one thread and serial: if both are equally long, the one at `home`
 * counts, as the copy may not be complete; else the longer one, as the other is changing to the
 * next serial.
 *
 * Where only the last seconds are kept (tvrun --last), the place of a chunk that is older than
 * these is used again; a ledger says what its records left open (ledger.h).
 *
 * A reader may look at any moment: `used` is advanced after a record is complete, and a record
 * never changes while its chunk has that serial.
 *
 * A chunk of events is words of 8 bytes (record_words.h), from which the records below are made.
 * They are 16, 32 or 48 bytes (tv_record_size()), definitions a multiple of 16; times are raw
 * ticks of the file's clock. Numbers are those of the machine, little-endian. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "capture/lib/order_counts.h"
#include "capture/lib/record_clock.h"
#include "capture/lib/record_place.h"

#define TV_MAGIC   "tvrank\r\n"
#define TV_VERSION 22u

enum {
	TV_HEADER_SIZE = 64 << 10,
	TV_CHUNK_SIZE = 256 << 10, /* stays in a second-level cache */
	TV_CALLS_MAX = 1024,
	TV_PASSED_AT = TV_HEADER_SIZE - 8 * TV_CALLS_MAX, /* in the header; whole pages */
	TV_NAME_MAX = 40,
	TV_TAIL = 48, /* bytes free at a chunk's end, for 'buffer full' and the thread's end */
};

/* Whose a call is, and whether more than its time is recorded. tvrun knows what a function of MPI
 * means from the model's table. */
enum tv_class { TV_MPI = 1, TV_OVERHEAD, TV_MPI_TIMED };

/* What happened to the process so far. */
enum tv_state {
	TV_INITIALISED = 1 << 0,     /* MPI_Init returned; rank and world are valid */
	TV_FINALISED = 1 << 1,       /* MPI_Finalize returned */
	TV_EXITED = 1 << 2,          /* the process ended by exit() */
	TV_FULL = 1 << 3,            /* the buffer was full: events or rows are missing */
	TV_THREADED = 1 << 4,        /* MPI_THREAD_MULTIPLE was provided */
	TV_ANONYMOUS = 1 << 5,       /* no names, paths, hosts */
	TV_ABORTED = 1 << 6,         /* MPI_Abort was called */
	TV_INITIALISING = 1 << 7,    /* MPI_Init was called */
	TV_STATISTICS = 1 << 8,      /* statistics alone: no events are kept */
	TV_UNKNOWN_MPI = 1 << 9,     /* an MPI of which no call can be recorded */
	TV_UNKNOWN_PYTHON = 1 << 10, /* a Python whose frames cannot be read */
	TV_UNSAMPLED = 1 << 11,      /* samples were wanted, but some threads have none */
	TV_SCALED = 1 << 12,         /* counters took turns: counts are scaled up */
	TV_NO_OPENMP = 1 << 13,      /* OpenMP was used, of which statistics have nothing */
	TV_NO_MEMORY = 1 << 14,      /* there was no memory for what some records are made with */
};

/* How a process ended, as it noted itself (ends.c): the number of a signal, or one of these. */
enum tv_end_way { TV_END_SIGNALS = 65, TV_END_EXIT = TV_END_SIGNALS, TV_END_ABORT };
enum tv_end_flag {
	TV_END_OUTSIDE = 1, /* the launcher or the terminal sent the signal */
	TV_END_IN_MPI = 2,  /* MPI itself ended the process: for an error, or because of others */
};
#define TV_END_NONE UINT32_MAX

struct tv_end {
	uint32_t way;     /* written last; 0: nothing was noted */
	uint32_t flags;   /* enum tv_end_flag */
	uint64_t tick;    /* when */
	uint64_t address; /* of the instruction, or to which the call returns */
	uint64_t place;   /* of the call of MPI that is under way, 0 unknown, */
	uint32_t call;    /* and which; TV_END_NONE: none is */
	uint32_t thread;  /* TV_END_NONE: one without records */
	int32_t code;     /* of exit() and MPI_Abort() */
};

/* What tvrun sees of a process of its own node, in nanoseconds of CLOCK_MONOTONIC_RAW. */
struct tv_seen {
	uint64_t alive; /* the last time at which it was not about to end, */
	uint64_t gone;  /* and the first at which it had ended; 0: never seen */
	int32_t status; /* as of wait(), -1 unknown */
};

struct tv_call {
	char name[TV_NAME_MAX]; /* "MPI_Send", NUL-terminated */
	uint32_t cls;           /* enum tv_class */
};

/* At the file's start. Two readings of both clocks, taken together, calibrate the first. */
struct tv_file {
	char magic[8];
	uint32_t version, header_size, chunk_size;
	uint32_t chunks; /* places for chunks so far; not all need to be in use */
	uint32_t clock;  /* enum tv_clock: unit of all times; nanoseconds where it is not the TSC */
	uint32_t state;  /* enum tv_state */
	int32_t rank, world; /* until TV_INITIALISED what the launcher says, -1 and 0 unknown */
	int32_t pid;
	uint32_t threads;                /* that recorded something */
	uint64_t first_tick, first_nano; /* at the start */
	uint64_t last_tick, last_nano;   /* latest of: a new chunk, MPI_Finalize, exit */
	uint64_t intrusion; /* ticks without which rows of the first thread count: virtual time */
	uint64_t limit;     /* bytes that mapped chunks may take */
	uint64_t most;      /* and copies */
	uint64_t job[2];    /* of TV_INITIALISED: of the ranks of one MPI job */
	/* Visits and calls in signal handlers that struck while their thread was recording. */
	uint64_t interrupting;
	/* Ticks: the first visit of a function or loop that was left out for lack of room; 0: none
	 * was. Calls of MPI go on, maybe to TV_BUFFER_FULL. */
	uint64_t functions_stopped;
	int32_t parent; /* process; ranks of one job and node often share it */
	struct tv_end end;
	struct tv_seen seen; /* written by tvrun */
	char host[64];
	char node[128];    /* where the rank ran */
	uint64_t ring;     /* ticks: only the last records are kept, so many at least; 0: all are */
	uint64_t triggers; /* calls of tview_trigger() */
	struct tv_order order;
	uint32_t left_out; /* functions that were entered, but not chosen (chosen.h) */
	uint32_t calls;
	struct tv_call call[TV_CALLS_MAX]; /* [tv_head.call] */
};

/* At TV_PASSED_AT: how often each function of tv_file.call, those of TV_OVERHEAD left out, was
 * passed on without a record. */
static inline const uint64_t *tv_passed(const struct tv_file *file)
{
	return (const uint64_t *)(const void *)((const char *)file + TV_PASSED_AT);
}

/* What a chunk is made of. */
enum tv_holds {
	TV_HOLDS_EVENTS,
	TV_HOLDS_ROWS,        /* struct tv_statistic from byte TV_STATISTIC_SIZE on */
	TV_HOLDS_DEFINITIONS, /* words as of events, of definitions that a ring must not lose */
	TV_HOLDS_LEDGER,      /* ledger.h; the latest of a thread has the largest serial */
	TV_HOLDS_ORDER,       /* struct tv_choice of the process (order_record.h) */
};

/* At a chunk's start. */
struct tv_chunk {
	uint64_t used;   /* bytes, this header included; 0 = not handed out */
	uint32_t thread; /* 0 = the one that loaded the library */
	uint32_t serial; /* index among the thread's chunks of events, or of statistics */
	/* The message that the latest blocking call waits for: the only record of it if the call
	 * never returns. It belongs to the call whose TV_ENTER ends at the offset in `awaited`, so
	 * it need not be cleared. */
	int32_t awaited_peer, awaited_tag; /* as in tv_message */
	uint64_t awaited;                  /* tv_awaited_make(), written after the other two */
	uint32_t holds;                    /* enum tv_holds */
	uint32_t home; /* its place in the file; of a copy that of the original */
	uint64_t unused;
};

static inline uint64_t tv_awaited_make(uint64_t at, uint32_t comm, uint32_t flags)
{
	return at | (uint64_t)(comm & 0xffffffu) << 32 | (uint64_t)flags << 56;
}

enum tv_kind {
	TV_NONE,
	TV_FUNCTION_ENTER,    /* tv_function */
	TV_FUNCTION_LEAVE,    /* tv_function */
	TV_USER_ENTER,        /* head, id: string of the thread */
	TV_USER_LEAVE,        /* head, id */
	TV_USER_MARK,         /* head, id */
	TV_ENTER,             /* tv_enter: an MPI call */
	TV_LEAVE,             /* head, call */
	TV_SEND,              /* tv_message: id = request, 0 where the call itself completes it */
	TV_SEND_COMPLETE,     /* head, id = request */
	TV_RECV_REQUEST,      /* tv_message */
	TV_RECV,              /* tv_message: id = request, 0 for a blocking receive */
	TV_REQUEST_TEST,      /* head, id = request: asked, not complete */
	TV_REQUEST_CANCELLED, /* head, id = request */
	TV_REQUEST_FREED,     /* head, id = request: it will not be completed */
	TV_COLL_BEGIN,        /* tv_collective */
	TV_COLL_END,          /* head, id = communicator */
	TV_FILE_IO,           /* tv_io */
	TV_THREAD_END,        /* head */
	TV_BUFFER_FULL,       /* head: nothing is recorded from here on, or to TV_RESUMED */
	/* head: a gap ends (gaps.h). id = records of functions in it, for `call` of which the clock
	 * was read; flags: 0 or TV_SEGMENT_BLANK */
	TV_SEGMENT,
	TV_DEFINE,     /* tv_define, variable length */
	TV_SITE_ENTER, /* tv_function: a procedure or a loop that tvcc put a probe at */
	TV_SITE_LEAVE, /* tv_function */
	/* tv_function, right before one of these two: the call statement that the procedure was
	 * entered from, in another module. */
	TV_SITE_FROM,
	TV_COLL_REQUEST,  /* head, id = request: a collective that a later call completes */
	TV_COLL_COMPLETE, /* tv_collective: its completion says what it was */
	TV_RESUMED,       /* head: after TV_BUFFER_FULL; MPI_Finalize follows */
	TV_RMA_BEGIN,     /* head, call: what all ranks of a window do together */
	TV_RMA,           /* tv_rma */
	TV_RMA_COMPLETE,  /* head, id = request: of an access */
	/* Threads (teams.h). A team's number is of the process, and counts from 1. */
	TV_BORN,       /* tv_enter: the thread begins; site: the function that it runs, 0 unknown */
	TV_FORK,       /* tv_enter, id = team: its first thread begins it, and is in it */
	TV_JOIN,       /* head, id = team: all its threads are done, and it is over */
	TV_TEAM_BEGIN, /* head, id = team: another thread is in it */
	TV_TEAM_PART,  /* head, id = team: it has done its part, and waits for the others */
	TV_TEAM_END,   /* head, id = team: as TV_JOIN, of another thread; may be late */
	TV_OMP_ENTER,  /* tv_enter, call = enum tv_construct */
	TV_OMP_LEAVE,  /* head, call = enum tv_construct */
	TV_LOCKED,     /* tv_function, the address of a lock that was acquired */
	TV_UNLOCKED,   /* tv_function, the address of a lock that was released */
	TV_STACK,   /* head, id: the functions around the call of MPI that follows (TV_DEF_STACK) */
	TV_SAMPLE,  /* tv_function: an address at which a timer found the thread (sampling.h) */
	TV_COUNTED, /* tv_counted, variable length: counters.h */
	TV_VIRTUAL, /* tv_virtual: right before the leave of a call of MPI */
	TV_REFUSED, /* head, call, id = lower half of its begin: MPI took no send, no collective */
	TV_CORE_WAIT, /* tv_function, kept whole: nanoseconds without a core so far (core_look.h) */
};
#define TV_KINDS (TV_CORE_WAIT + 1)

/* What OpenMP's threads are in. */
enum tv_construct {
	TV_OMP_BARRIER,
	TV_OMP_IMPLICIT_BARRIER,
	TV_OMP_LOOP,
	TV_OMP_SECTIONS,
	TV_OMP_SINGLE,
	TV_OMP_CRITICAL,
	TV_OMP_LOCK,
	TV_OMP_ORDERED,
	TV_OMP_TASK,
	TV_OMP_TASKWAIT,
	TV_OMP_CONSTRUCTS
};

struct tv_head {
	uint64_t time; /* ticks */
	uint8_t kind;  /* enum tv_kind */
	uint8_t flags; /* of the kind */
	uint16_t call; /* index into tv_file.call */
	uint32_t id;
};

struct tv_function {
	uint64_t time;
	uint64_t what; /* kind, the function's address from bit 8 on, TV_GUARDED */
};

/* In tv_head.flags of TV_SEGMENT: nothing was noted, records are those of a gap like it. */
#define TV_SEGMENT_BLANK 1u

/* In tv_function.what: the probe came after tview.h's inline guard. */
#define TV_GUARDED (UINT64_C(1) << 63)

static inline uint64_t tv_function_make(uint64_t address, uint64_t how)
{
	return TV_FUNCTION_ENTER | address << 8 | how;
}

static inline uint64_t tv_function_address(uint64_t what)
{
	return (what & ~TV_GUARDED) >> 8;
}

/* An address in a module that was mapped where other files were before has its number among those
 * from this bit on (lifetimes.h). The last number is that of all further ones, without a
 * definition. */
enum { TV_ADDRESS_BITS = 48, TV_MODULE_NUMBERS = 128 };

/* tv_function.what of a sample: kind; from bit 8 the address, without its module's number; from bit
 * 56 how many periods of the timer it is for; from bit 60 that number, if it is small. */
enum { TV_SAMPLE_PERIODS = 15, TV_SAMPLE_NUMBERS = 16 };

static inline uint64_t tv_sample_make(uint64_t address, uint32_t periods)
{
	const uint64_t number = address >> TV_ADDRESS_BITS;

	return (address & ((UINT64_C(1) << TV_ADDRESS_BITS) - 1)) << 8 | (uint64_t)periods << 56 |
	       (number < TV_SAMPLE_NUMBERS ? number : TV_SAMPLE_NUMBERS - 1) << 60;
}

static inline uint32_t tv_sample_periods(uint64_t what)
{
	return (uint32_t)(what >> 56) & TV_SAMPLE_PERIODS;
}

static inline uint64_t tv_sample_address(uint64_t what)
{
	const uint64_t number = what >> 60;

	return (what >> 8 & ((UINT64_C(1) << TV_ADDRESS_BITS) - 1)) |
	       (number < TV_SAMPLE_NUMBERS - 1 ? number : (uint64_t)TV_MODULE_NUMBERS - 1)
		       << TV_ADDRESS_BITS;
}

/* tv_function.what of sites (sites.h): kind; from bit 8 the module (TV_DEF_SITES); from bit 16 the
 * site's slot; from bit 40 the slot of the call statement that a procedure was entered from, in the
 * same module, 0 unknown. */
enum { TV_SLOTS_MAX = 1 << 24, TV_SITE_MODULES_MAX = 255 };

static inline uint64_t tv_site_make(uint32_t kind, uint32_t module, uint32_t slot, uint32_t from)
{
	return kind | (uint64_t)module << 8 | (uint64_t)slot << 16 | (uint64_t)from << 40;
}

static inline uint32_t tv_site_module(uint64_t what)
{
	return (uint32_t)(what >> 8) & 0xffu;
}

static inline uint32_t tv_site_slot(uint64_t what)
{
	return (uint32_t)(what >> 16) & 0xffffffu;
}

static inline uint32_t tv_site_from(uint64_t what)
{
	return (uint32_t)(what >> 40);
}

struct tv_enter {
	struct tv_head head;
	uint64_t site; /* place of the call: its return address, or a communication statement */
	/* Stack pointer: with the site it identifies most call paths; of OpenMP the function that
	 * the compiler made of the inside. 0 unknown. */
	uint64_t frame;
};

/* Virtual time around a call: real time less intrusion, in ticks (virtual_time.h). */
struct tv_virtual {
	struct tv_head head; /* time: of the leave; id: ticks of recording right after it */
	uint64_t entered;
	int64_t before, left;   /* intrusion where it was entered, and left */
	uint32_t unsure, error; /* bounds of their errors; UINT32_MAX: none */
	int64_t timed, inside;  /* of `before`, since the last call; until MPI was called */
};

/* tv_virtual.inside: a wait for a thread, or the birth of one, of which events do not show the
 * other thread. */
#define TV_VIRTUAL_UNSHOWN (-1)

enum tv_message_flag {
	TV_MODE_MASK = 3, /* standard, buffered, synchronous, ready */
	TV_ANY_SOURCE = 4,
	TV_ANY_TAG = 8,
	TV_NO_BYTES = 16, /* of a receive: their number is not known */
};

struct tv_message {
	struct tv_head head; /* id = request, 0 none */
	int32_t peer; /* rank in the communicator (the remote group of an inter-communicator); -1
			 any */
	int32_t tag;
	uint64_t size; /* bytes in 40 bits, communicator above them: tv_size_*() */
};

struct tv_collective {
	struct tv_head head;    /* id = communicator; TV_COLL_COMPLETE: request, flags: from all */
	uint64_t sent_root;     /* bytes sent in 40 bits, root above: rank in the communicator,
				   TV_NO_ROOT none */
	uint64_t received_comm; /* bytes received in 40 bits; above them TV_COLL_BEGIN: operands.h,
				   TV_COLL_COMPLETE: communicator */
};

/* What a tv_rma says, by its flags. */
enum tv_rma_what {
	TV_RMA_NOTHING,
	/* They end what TV_RMA_BEGIN began; id: 1 where MPI makes the window's memory. */
	TV_RMA_CREATE,
	TV_RMA_FREE,
	TV_RMA_FENCE,
	/* Epochs; id: the group (TV_DEF_GROUP). */
	TV_RMA_POST,
	TV_RMA_START,
	TV_RMA_EPOCH_COMPLETE,
	TV_RMA_WAIT,
	/* Of one target, or all; id of a lock: 1 where it is shared. */
	TV_RMA_LOCK,
	TV_RMA_UNLOCK,
	TV_RMA_FLUSH,
	TV_RMA_FLUSH_LOCAL,
	/* Accesses; id: the request, 0 none. */
	TV_RMA_PUT,
	TV_RMA_GET,
	TV_RMA_ACCUMULATE,
	TV_RMA_FETCH_AND_ACCUMULATE,
	TV_RMA_COMPARE_AND_SWAP,
	TV_RMA_WHATS
};

struct tv_rma {
	struct tv_head head;
	uint64_t sent_target; /* bytes that leave this rank in 40 bits, target above: rank in the
				 window's communicator, TV_NO_ROOT all */
	uint64_t received_window; /* bytes that come in 40 bits, window above */
};

struct tv_io {
	struct tv_head head; /* id = file's number in the process */
	uint64_t bytes;
	uint64_t reserved;
};

/* All counters of the run, in their order (TVIEW_COUNTERS). */
struct tv_counted {
	struct tv_head head; /* id: how many */
	uint64_t value[];    /* so far, of the thread; TV_NOT_COUNTED: that one is not counted */
};

#define TV_NOT_COUNTED UINT64_MAX

static inline size_t tv_counted_size(uint32_t n)
{
	return sizeof(struct tv_counted) + n * sizeof(uint64_t);
}

enum { TV_SOURCES_MOST = 64 }; /* more ranks from which one receives are not recorded */

/* TV_ROOT_BESIDE: the root is in this group of an inter-communicator, where only the root knows. */
enum { TV_SIZE_BITS = 40, TV_NO_ROOT = 0xffffff, TV_ROOT_BESIDE = 0xfffffe };
#define TV_SIZE_MASK ((UINT64_C(1) << TV_SIZE_BITS) - 1)

static inline uint64_t tv_size_make(uint64_t bytes, uint32_t upper)
{
	return (bytes < TV_SIZE_MASK ? bytes : TV_SIZE_MASK) | (uint64_t)upper << TV_SIZE_BITS;
}

static inline uint64_t tv_size_bytes(uint64_t size)
{
	return size & TV_SIZE_MASK;
}

static inline uint32_t tv_size_upper(uint64_t size)
{
	return (uint32_t)(size >> TV_SIZE_BITS);
}

/* ---- definitions: head.call = enum tv_definition, payload after the struct ---- */

enum tv_definition {
	TV_DEF_STRING = 1, /* id; text: a user region's or mark's name, ids count per thread */
	TV_DEF_COMM,       /* id; tv_def_comm */
	TV_DEF_COMM_NAME,  /* id; text */
	TV_DEF_CART,       /* id = communicator; int32: dims, then size and periodic of each */
	TV_DEF_MODULE,     /* tv_def_module, path */
	TV_DEF_OFFSET,     /* tv_def_offset, written by rank 0 */
	TV_DEF_COST,       /* tv_def_cost */
	TV_DEF_PROPERTY,   /* text "key=value" */
	TV_DEF_FILE,       /* id; text: name of an MPI file */
	TV_DEF_GRID,   /* tv_def_grid, size of each dimension, 1 or 0 for periodic of each; name */
	TV_DEF_PLACE,  /* tv_def_grid, where this rank is in each dimension; name */
	TV_DEF_SITES,  /* id = module; tv_def_sites: a program or library with sites (sites.h) */
	TV_DEF_TOOL,   /* text: path of a tool's module that is between the program and MPI */
	TV_DEF_WINDOW, /* id; tv_def_window */
	TV_DEF_WINDOW_NAME, /* id; text */
	TV_DEF_GROUP,       /* id; tv_def_comm of its members */
	TV_DEF_STACK,    /* id from 1; uint64: return addresses and frames, the innermost first */
	TV_DEF_PAUSE,    /* id 1: the thread's recording is switched off, 0: on again; no payload */
	TV_DEF_FRAME,    /* id from 1; tv_def_frame, name of the function, file */
	TV_DEF_LEFT_OUT, /* id = module; uint32: slot of a site, entered, not chosen (chosen.h) */
	TV_DEF_LEVELS,   /* int32 of each enum tview_kind: 0 off, 1 on, TV_LEVEL_SOME; from here on,
			    in all threads */
	TV_DEF_DATA,     /* id = string of the thread; doubles: values of the program, now */
	TV_DEF_MESSAGE,  /* text for the trace, now */
	TV_DEF_BLOCK,    /* two int32: location and parameter of the record before it */
	TV_DEF_BYPASS,   /* text: path of a module whose calls of MPI are bound to MPI itself */
	TV_DEF_SPENT, /* two uint64: ticks, and nanoseconds of CPU time of the thread meanwhile */
	TV_DEF_FUNCTION_OUT, /* uint64: place of a function that was entered, but is not chosen */
	TV_DEF_SOURCES, /* id = communicator of a graph, or an unrecorded grid; int32: ranks from
			   which this one receives */
};

/* Definitions that are records at a time of the run, as an enter is. */
static inline bool tv_is_of_run(uint32_t definition)
{
	return definition == TV_DEF_PAUSE ||
	       (definition >= TV_DEF_LEVELS && definition <= TV_DEF_BLOCK);
}

/* Of regions: those that the program chose. */
enum { TV_LEVEL_SOME = 2 };

enum { TV_STACK_MAX = 64 };

/* A function of Python; its name with its NUL and the file's follow. */
struct tv_def_frame {
	uint32_t line;  /* where in it the call is, */
	uint32_t first; /* and where it begins; 0 unknown */
};

struct tv_def_window {
	uint32_t comm;
	uint32_t allocated; /* 1: MPI has made its memory */
};

/* Where a section of sites is mapped; the path follows, with its NUL. */
struct tv_def_sites {
	uint64_t bias; /* what was added to the file's addresses */
	uint64_t start, stop;
};

/* A call of tview_topology() or tview_coords(). Values are int32; where the program gave none, or
 * not 1 to TV_GRID_DIMS of them, there are none. */
enum { TV_GRID_DIMS = 8 };

struct tv_def_grid {
	int32_t dims;   /* as the program said */
	int32_t values; /* how many follow; after them the name with its NUL */
};

struct tv_define {
	struct tv_head head; /* flags unused */
	uint32_t size;       /* bytes of the whole record, a multiple of 16 */
	uint32_t length;     /* bytes of payload */
	uint64_t reserved;
	/* payload */
};

enum {
	TV_COMM_INTER = 1,
	TV_COMM_WORLD = 2,
	TV_COMM_TOO_LARGE = 4,
	TV_COMM_SELF = 8,
	TV_COMM_PERSISTENT = 16, /* a copy for a persistent collective, */
	TV_COMM_FILE = 32,       /* for what all ranks of a file do */
};

#define TV_NO_COMM UINT32_MAX

/* Members as world ranks, -1 for a process of another world. Rank 0..size-1, then those of the
 * remote group. */
struct tv_def_comm {
	uint32_t flags;
	int32_t size, rank;
	int32_t remote;
	uint32_t parent; /* the communicator it was made of; TV_NO_COMM: none, or not known */
	uint32_t nth;    /* which call on that one made it, from 1; 0: not known */
	uint32_t tag;    /* of the call, or a hash of the name that it gave */
	/* int32_t members[size + remote]; none where flags say WORLD (they count from 0) or
	 * TOO_LARGE */
};

struct tv_def_module {
	uint64_t bias; /* what was added to the file's addresses, with the module's number */
	/* Of its executable part, as mapped, with the number; the path follows, with its NUL. */
	uint64_t start, end;
};

/* The shortest of several round trips between rank 0 (send, recv) and another rank (there), each
 * in its own ticks. */
struct tv_def_offset {
	int32_t rank;
	uint32_t at_end; /* 0: at MPI_Init, 1: at MPI_Finalize */
	uint64_t send, there, recv;
	uint64_t rounds;
};

enum { TV_COPY_FIRST = 64, TV_COPIES = 16 }; /* 64 bytes to 2 MiB, doubled each time */

/* Costs in thousandths of a tick. */
struct tv_def_cost {
	/* Between the stamps of two records: [first][second]; function enter, leave, MPI's. */
	uint64_t pair[4][4];
	uint64_t clock, hook; /* one reading; both hooks of a leaf function, in total */
	uint64_t work, work_least, work_most;    /* a function's record beside work, in several */
	uint64_t gap, gap_least, gap_most;       /* the same in a gap */
	uint64_t blank, blank_least, blank_most; /* and of a hook that returns at once */
	uint64_t message; /* of a call that sends or receives, beyond one that does neither */
	uint64_t copy[TV_COPIES]; /* memcpy of TV_COPY_FIRST << i bytes */
	/* Probes without records: an empty visit of a procedure, a loop, a call of MPI, each in
	 * total and inside its own time; an iteration. 0: not measured. */
	uint64_t rows[3][2], iteration;
	/* A visit of functions with work: usual, least but one, largest. */
	int64_t inside[3], around[3]; /* added to its own time (or less than 0), around it */
	uint64_t count, timed;        /* a call that only counts; mean of tv_probed */
};

static inline size_t tv_record_size(const struct tv_head *head)
{
	switch (head->kind) {
	case TV_ENTER:
	case TV_BORN:
	case TV_FORK:
	case TV_OMP_ENTER:
	case TV_SEND:
	case TV_RECV:
	case TV_RECV_REQUEST:
	case TV_COLL_BEGIN:
	case TV_COLL_COMPLETE:
	case TV_RMA:
	case TV_FILE_IO: return 32;
	case TV_VIRTUAL: return sizeof(struct tv_virtual);
	case TV_DEFINE: return ((const struct tv_define *)(const void *)head)->size;
	case TV_COUNTED: return tv_counted_size(head->id);
	default: return 16;
	}
}
