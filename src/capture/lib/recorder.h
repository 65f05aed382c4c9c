/* recorder: what records a process: one file, a stream of records per thread, and the hot path
 * that appends to it.
 *
 * This library lives in other people's programs. It must be inert where there is nothing to record
 * (mpiexec, shells, children of fork), never call a wrapped function, take no lock and make no
 * system call on the hot path, and leave errno as it was. One process-wide `tv` and one `tv_self`
 * per thread are the state; there is no other.
 *
 * A wrapper reads
 *
 *	int tv_wrap_Foo(int x)
 *	{
 *		struct tv_thread *t = TV_BEGIN(Foo);
 *		const int rc = TV_NEXT(Foo)(x);
 *		if (t) tv_end(t, CALL_Foo);
 *		return rc;
 *	}
 *
 * tv_begin() returns NULL when the call is not recorded: the library is inert, the buffer is full,
 * or MPI made the call inside another one. A signal handler that interrupts its thread inside
 * the library records nothing; what it would have recorded is counted (tv_busy_begin). */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "capture/lib/abi.h"
#include "capture/lib/call.h"
#include "capture/lib/constructs.h"
#include "capture/lib/fortran.h"
#include "capture/lib/function_names.h"
#include "capture/lib/gaps.h"
#include "capture/lib/record_words.h"
#include "capture/lib/rows.h"
#include "capture/lib/thread_parts.h"

/* ---- the functions of MPI ---- */

enum tv_call_id {
#define TV_CALL(name, ...) CALL_##name,
#include "capture/lib/calls.def"
	CALL_setup,      /* the library's own work after MPI_Init */
	CALL_offsets,    /* the clocks are compared */
	CALL_buffer,     /* a new chunk is made */
	CALL_gap,        /* notes of a gap become records */
	CALL_unrecorded, /* what functions did is not known (blanks.h) */
	CALL_cores,      /* the kernel is asked for waits for a core (core_look.h) */
	CALL_COUNT
};

/* ---- state ---- */

struct tv_comm; /* comm.h */

/* Wildcards instead of a rank, the same in all ABIs. */
enum { TV_PEER_NOBODY = -1, TV_PEER_ANYBODY = -2 };

enum {
	TV_FIRST_CHUNKS = 4, /* reserved and touched before the program runs */
	/* One for events, one for statistics, and one for what follows after events have stopped:
	 * definitions and MPI_Finalize. */
	TV_LEAST_CHUNKS = 3,
};

/* What a function's hook does. */
enum tv_mode {
	TV_OFF,    /* no buffer: try to get one */
	TV_ON,     /* record */
	TV_SLOW,   /* record after a delay */
	TV_SKIP,   /* return at once */
	TV_LEARN,  /* record, and teach the model how long functions take (gaps.h) */
	TV_GIVEN,  /* record a note of a gap, at its time (tv_thread.given) */
	TV_PROBED, /* change a row, and time the probe that does it; then TV_ON */
	/* From here on calls of MPI must check the mode, too. */
	TV_GAP,    /* take notes that become records at the end of the gap */
	TV_BLANK,  /* nothing: what is recorded at the end of the segment is estimated (blanks.h) */
	TV_PAUSED, /* recording is switched off, or another thread switched something (pause.h) */
	TV_CALLS_OFF, /* as outside of it, but calls of MPI are not recorded (controls.h) */
	TV_COUNTING,  /* record, with what was counted (counters.h) */
};

struct tv_process {
	struct tv_file *file; /* the mapped header; NULL: not recording */
	uint32_t clock;
	bool functions;           /* record function hooks */
	bool teams;               /* record births of threads, and what OpenMP does (teams.h) */
	bool insitu;              /* read no clock in some segments (gaps.h) */
	bool order;               /* control the order of receives in virtual time, */
	uint64_t order_tolerance; /* to so many ticks; UINT64_MAX: by what latencies are */
	struct rank_line *line;   /* NULL: the order of receives is not controlled (own_line.h) */
	const struct tv_thread *liner; /* whose calls the line tells; NULL: of several at once */
	/* Receives are deferred (mpi/deferred.h): called as a call begins, `t` NULL where it is not
	 * recorded. NULL: none are. */
	void (*deferred)(struct tv_thread *t, uint32_t call);
	bool choices, replays; /* choices are noted, or made again (choices.h) */
	bool answers; /* replays, or receives are deferred: calls with requests may not be MPI's */
	struct tv_replay_rank *board; /* of such a run; NULL: none (replay_board.h) */
	uint32_t usual;               /* enum tv_mode of a thread outside of such segments, */
	uint32_t normal;              /* or TV_PAUSED or TV_CALLS_OFF */
	bool paused;                  /* recording is switched off */
	uint32_t off;                 /* bits of enum tview_kind: those that are not recorded */
	uint32_t callstack;           /* not 0: record what is around calls of MPI (callstack.h) */
	uint64_t sample;       /* nanoseconds of CPU time between samples (sampling.h), 0: none */
	uint64_t core_every;   /* ticks between looks for waits for a core (core_look.h) */
	bool choose;           /* not all functions are recorded (chosen.h) */
	struct tv_span module; /* of tview's: they are not the program's */
	uint64_t delay; /* ticks added to the cost of every function record, for experiments */
	bool anonymous, multi; /* multi: MPI_THREAD_MULTIPLE, tables need their lock */
	bool wanted;           /* tvrun started it: joins in what all ranks do, buffer or not */
	bool dead;             /* child of a fork, or could not be opened: never record */
	pthread_mutex_t lock;  /* chunks, opening */
	int fd;
	struct tv_chunk *spare; /* mapped, and not used by any thread (recorder_chunks.c) */
	uint32_t spares, mapped;
	uint64_t written;         /* bytes of copies so far */
	uint32_t comm_generation; /* a freed communicator advances it: voids caches */
	uint64_t limit;           /* bytes that mapped chunks may take, */
	uint64_t most;            /* and copies; */
	uint64_t end;             /* most bytes of the file (RLIMIT_FSIZE) */
	uint64_t scarce;          /* bytes free on the disk where functions stop */
	bool low;      /* room is scarce: functions and loops get no records any more, MPI does */
	int next_file; /* next number of an MPI file */
	uint32_t requests; /* request numbers that threads have reserved */
	bool statistics;   /* rows alone: no events are kept */
	bool fore_monitor; /* calls are held until partners of other nodes are ready (carry.h) */
	bool virtual_time; /* it is kept (virtual.h), */
	bool carries;      /* or statistics are: partners tell each other their times (carry.h) */
	uint64_t often; /* activations after which a short procedure gets no more events; 0 never */
	uint64_t microsecond;       /* in ticks; a short procedure takes less on average */
	uint32_t generation;        /* of the mapped modules: unloading one advances it */
	uint32_t unloads;           /* modules that are not mapped any more (lifetimes.h) */
	struct tv_thread *threads;  /* those that record, under `lock` */
	struct tv_regions *regions; /* the only ones that are recorded; NULL: all (controls.h) */
};

struct tv_thread {
	/* Stack pointer where the library began to change this, or to write a record; 0: neither */
	uintptr_t busy, writing;
	pthread_mutex_t *held[2]; /* locks, the inner one last */
	struct tv_chunk *chunk;   /* of events and definitions; NULL: none yet, or full */
	struct tv_chunk *defined; /* of definitions, where events are overwritten; NULL: none yet */
	struct tv_wording wording; /* in it */
	bool live;                 /* it records: events or rows or both */
	bool keep;                 /* events are written to `chunk`, */
	bool visits;               /* those of functions and loops, too */
	uint32_t mode;             /* enum tv_mode; TV_ON only where it is live */
	uint32_t nested;           /* inside an MPI call: enum tv_call_as */
	uint32_t call;             /* which, */
	const void *frame; /* and its wrapper's stack frame; NULL: one of the library's own */
	uint64_t paused;   /* ticks: when it saw that recording was switched off; 0 is on */
	bool has_paused;   /* what is open may have no record of its enter, for that or tv.low */
	uint32_t number;
	uint32_t random;                 /* state of the generator that draws gaps, never 0 */
	uint64_t now;                    /* time of the latest tv_begin() */
	uint64_t returned;               /* of the latest tv_returned() */
	uint64_t place;                  /* of the call of MPI that is under way */
	struct tv_contents *entered;     /* of its enter, or of another call's; NULL: none was */
	const struct tv_site *statement; /* of the next one, announced by its probe */
	struct tv_with with;
	uint32_t outers; /* calls of MPI around the one under way, outermost first: */
	struct tv_call_state outer[TV_OUTERS_MAX];
	uint32_t serial, defined_serial, request, request_end; /* reserved requests: next, last */
	bool begun, full;
	struct tv_comm *comm; /* the latest looked up, */
	uint64_t comm_handle; /* under this handle, */
	uint32_t comm_generation;
	struct tv_strings *strings; /* user regions seen by this thread */
	struct tv_fortran fortran;
	struct tv_thread *next; /* of tv.threads */
	struct tv_rows rows;
	struct tv_constructs constructs;
	struct tv_segment segment;
	struct tv_gaps gaps;
	uint64_t given;      /* time of the probe, in TV_LEARN and TV_GIVEN */
	uint64_t since, cpu; /* ticks after MPI_Init, and its CPU time then, in nanoseconds */
	struct tv_core_seen core;
	struct tv_place_cache known[TV_KNOWN_PLACES];
};

/* Whether the records of the segment under way come at its end. */
static inline bool tv_in_gap(const struct tv_thread *t)
{
	return t->mode == TV_GAP || t->mode == TV_BLANK;
}

extern struct tv_process tv;
extern _Thread_local struct tv_thread tv_self;

#define TV_LIKELY(x)   __builtin_expect(!!(x), 1)
#define TV_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define TV_PUBLIC      __attribute__((visibility("default")))

/* Not inline: a call needs a stack frame, which the path that reads the TSC saves. */
uint64_t tv_now_slow(void);

static inline uint64_t tv_now(void)
{
#if defined(__x86_64__)
	if (TV_LIKELY(tv.clock == TV_CLOCK_TSC))
		return __rdtsc();
#endif
	return tv_now_slow();
}

/* The same where the clock is known to be the TSC. */
static inline uint64_t tv_now_tsc(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#else
	return tv_now_slow();
#endif
}

/* The time, of MPI's return to the wrapper: virtual time, which needs it, does not read the clock
 * again. */
static inline uint64_t tv_returned(struct tv_thread *t)
{
	return t->returned = tv_now();
}

/* Equal for all calls from one place at one depth of the stack; its value does not matter. */
static inline __attribute__((always_inline)) uint64_t tv_stack_pointer(void)
{
#if defined(__x86_64__)
	uint64_t at;

	__asm__ volatile("mov %%rsp, %0" : "=r"(at));
	return at;
#else
	return (uint64_t)(uintptr_t)__builtin_frame_address(0);
#endif
}

/* ---- signal handlers ----
 *
 * A handler may interrupt its own thread inside the library, with half a record written or a lock
 * held. Every function that the program calls works between tv_busy_begin() and tv_busy_end();
 * probes of a handler find the mark between them, and return. As a handler ends before the
 * interrupted code continues, either all or nothing of it is recorded. */

/* For a busy thread: true if a signal handler calls, whose record is then counted if `counted`;
 * false if longjmp has left the busy code, whose locks are then released. */
bool tv_is_interrupting(struct tv_thread *t, uintptr_t stack, bool counted);

static inline __attribute__((always_inline)) void tv_busy_set(struct tv_thread *t)
{
	t->busy = (uintptr_t)tv_stack_pointer();
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* False: a signal handler calls, record nothing. `counted`: count the record that is left out. */
static inline __attribute__((always_inline)) bool tv_busy_begin(struct tv_thread *t, bool counted)
{
	if (TV_UNLIKELY(t->busy | t->writing) &&
	    tv_is_interrupting(t, (uintptr_t)tv_stack_pointer(), counted))
		return false;
	tv_busy_set(t);
	return true;
}

static inline void tv_busy_end(struct tv_thread *t)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->busy = 0;
}

/* The same for the library's own work, whether the mark is set or not; tv_busy_restore() takes the
 * result. */
static inline uintptr_t tv_busy_save(struct tv_thread *t)
{
	const uintptr_t before = t->busy;

	if (!before)
		tv_busy_set(t);
	return before;
}

static inline void tv_busy_restore(struct tv_thread *t, uintptr_t before)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->busy = before;
}

/* ---- appending ---- */

/* Slow paths: open the file, get the thread a chunk. NULL: there is no room, or nothing to do. */
struct tv_thread *tv_thread_start(void);
/* There was no memory for `what`, so that records are missing: noted in the header, and said once a
 * process. */
void tv_no_memory(const char *what);
uint64_t *tv_room_more(struct tv_thread *t, size_t bytes);
/* The number, or the flag (0: no), in a variable of the environment; `otherwise` if not set. */
uint64_t tv_number_set(const char *variable, uint64_t otherwise);
bool tv_flag_set(const char *variable, bool otherwise);
/* Visits are recorded if the thread's events are, room is not scarce, and functions are on. */
void tv_visits_follow(struct tv_thread *t);
/* Before MPI_Finalize, which is recorded even if a full buffer has stopped events. True: call
 * tv_stop_again() after it. */
bool tv_resume(struct tv_thread *t);
void tv_stop_again(struct tv_thread *t);

/* From here to tv_commit() no handler of this thread writes. */
static inline void tv_writing_begin(struct tv_thread *t)
{
	t->writing = (uintptr_t)tv_stack_pointer();
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void tv_writing_end(struct tv_thread *t)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->writing = 0;
}

/* Room for words, which begin there; NULL: they are not kept. */
static inline uint64_t *tv_words_room(struct tv_thread *t, size_t bytes)
{
	if (TV_UNLIKELY(!t->keep))
		return NULL;
	tv_writing_begin(t);
	if (TV_UNLIKELY(t->chunk->used + bytes > TV_CHUNK_SIZE - TV_TAIL))
		return tv_room_more(t, bytes);
	return (uint64_t *)(void *)((char *)t->chunk + t->chunk->used);
}

/* The same where the caller is busy, or writes, already. NULL also where there is no room yet. */
static inline uint64_t *tv_words_at_hand(const struct tv_thread *t, size_t bytes)
{
	if (TV_UNLIKELY(!t->keep || t->chunk->used + bytes > TV_CHUNK_SIZE - TV_TAIL))
		return NULL;
	return (uint64_t *)(void *)((char *)t->chunk + t->chunk->used);
}

/* `end` is where the words end that were written there. */
static inline void tv_words_commit(struct tv_thread *t, const uint64_t *end)
{
	/* The record first, then the position: a reader, or the merge after a crash, sees whole
	 * records only. */
	__atomic_store_n(&t->chunk->used, (uint64_t)((const char *)end - (const char *)t->chunk),
			 __ATOMIC_RELEASE);
	tv_writing_end(t);
}

/* Room for a record kept as it is, written in place, then committed; NULL: it is not kept. */
static inline void *tv_room(struct tv_thread *t, size_t bytes)
{
	uint64_t *at = tv_words_room(t, sizeof *at + bytes);

	return at ? at + 1 : NULL;
}

static inline void tv_commit(struct tv_thread *t, size_t bytes)
{
	uint64_t *at = (void *)((char *)t->chunk + t->chunk->used);

	at[0] = tv_word(TV_WORD_WHOLE, 0);
	t->wording.time = at[1];
	t->wording.besides += sizeof *at + bytes;
	tv_words_commit(t, at + 1 + bytes / sizeof *at);
}

static inline void tv_write(struct tv_thread *t, uint64_t time, enum tv_kind kind, uint32_t flags,
			    uint32_t call, uint32_t id)
{
	struct tv_wording *w = &t->wording;
	uint64_t what = (uint64_t)kind | flags << 8 | call << 16, *at;
	uint32_t slot;

	at = tv_words_room(t, TV_WORDS_MOST);
	if (TV_UNLIKELY(!at))
		return;
	if (flags == 0 && id == 0) {
		at = tv_words_put(w, at, time,
				  tv_word(TV_WORD_HEAD, call) | (uint64_t)kind << TV_WORD_BACK_AT);
	} else if (TV_KINDS_NUMBERED & TV_KIND(kind)) {
		at = tv_words_slot(w, at, what, 0, 0, &slot);
		at = tv_words_put_numbered(w, at, time, slot, id);
	} else {
		at = tv_words_slot(w, at, what | (uint64_t)id << 32, 0, 0, &slot);
		at = tv_words_put(w, at, time, tv_word(TV_WORD_RECORD, slot));
	}
	tv_words_commit(t, at);
}

/* A record of 32 bytes. */
static inline void tv_write_long(struct tv_thread *t, uint64_t time, struct tv_contents contents)
{
	uint64_t *at = tv_words_room(t, TV_WORDS_MOST);
	uint32_t slot;

	if (TV_UNLIKELY(!at))
		return;
	at = tv_words_slot(&t->wording, at, contents.what, contents.second, contents.third, &slot);
	tv_words_commit(t, tv_words_put(&t->wording, at, time, tv_word(TV_WORD_RECORD, slot)));
}

/* A function's; `how` is 0 or TV_GUARDED, of a sample tv_sample_make(). */
static inline void tv_write_function(struct tv_thread *t, enum tv_kind kind, uint64_t how,
				     const void *function)
{
	uint64_t *at = tv_words_room(t, TV_WORDS_MOST);
	uint32_t slot;

	if (TV_UNLIKELY(!at))
		return;
	at = tv_words_slot(&t->wording, at,
			   (uint64_t)kind | (uint64_t)(uintptr_t)function << 8 | how, 0, 0, &slot);
	tv_words_commit(t, tv_words_put(&t->wording, at, tv_now(), tv_word(TV_WORD_RECORD, slot)));
}

/* A record of 32 bytes; with the number of a request, unless that is 0. A function of its own, with
 * so few arguments that none is on the stack. */
void tv_write_numbered(struct tv_thread *t, uint64_t time, uint64_t what, uint32_t request,
		       uint64_t second, uint64_t third);

static inline __attribute__((always_inline)) void
tv_write_message(struct tv_thread *t, uint64_t time, enum tv_kind kind, uint32_t flags,
		 uint32_t request, int peer, int tag, uint64_t bytes, uint32_t comm)
{
	tv_write_numbered(t, time, (uint64_t)kind | flags << 8, request,
			  (uint32_t)peer | (uint64_t)(uint32_t)tag << 32,
			  tv_size_make(bytes, comm));
}

/* After tv_begin(), before any other record of the call: the message that it waits for. */
static inline void tv_await(const struct tv_thread *t, int peer, int tag, uint32_t comm,
			    uint32_t flags)
{
	struct tv_chunk *chunk = t->chunk;

	if (TV_UNLIKELY(!t->keep))
		return;
	chunk->awaited_peer = peer;
	chunk->awaited_tag = tag;
	__atomic_store_n(&chunk->awaited, tv_awaited_make(chunk->used, comm, flags),
			 __ATOMIC_RELEASE);
}

/* A definition with `length` bytes of payload in up to two pieces. False where it could not be
 * kept. */
bool tv_define(struct tv_thread *t, enum tv_definition what, uint32_t id, const void *first,
	       size_t first_length, const void *second, size_t second_length);

/* Puts the thread in a mode, and the guards of probes (tview.h) up or down (hooks.c). */
void tv_set_mode(struct tv_thread *t, enum tv_mode mode);

/* Writes a region of the library's own, from `from` to now; returns now. */
static inline uint64_t tv_write_own(struct tv_thread *t, uint32_t call, uint64_t from)
{
	uint64_t now;

	tv_write_long(t, from, (struct tv_contents){ .what = TV_ENTER | call << 16 });
	now = tv_now();
	tv_write(t, now, TV_LEAVE, 0, call, 0);
	return now;
}

/* ---- around an MPI call ---- */

/* Gives the place to record the call under (callstack.h). */
void *tv_callstack(struct tv_thread *t, void *site);

/* The place of the statement that was announced. */
uint64_t tv_statement_place(struct tv_thread *t);

/* Where it is remembered, maybe as that of another one. */
static inline struct tv_place_cache *tv_statement_cached(struct tv_thread *t,
							 const struct tv_site *statement)
{
	return &t->known[(uintptr_t)statement / TV_SLOT_SIZE % TV_KNOWN_PLACES];
}

/* 0: it is not. */
static inline uint64_t tv_statement_known(struct tv_thread *t, const struct tv_site *statement)
{
	const struct tv_place_cache *known = tv_statement_cached(t, statement);

	return known->address == (uintptr_t)statement &&
			       known->generation ==
				       __atomic_load_n(&tv.generation, __ATOMIC_RELAXED)
		       ? known->place
		       : 0;
}

/* The place of an address; what is a place already stays as it is (lifetimes.h). */
uint64_t tv_lasting_find(struct tv_thread *t, uint64_t address);

static inline uint64_t tv_lasting(struct tv_thread *t, uint64_t address)
{
	return TV_UNLIKELY(tv.unloads) ? tv_lasting_find(t, address) : address;
}

/* For ranks that hold receives (own_line.h), or wait for what a list says (replay_board.h). */
void tv_line_calls(const struct tv_thread *t);
void tv_board_calls(const struct tv_thread *t);

/* For readers of a running process (calling.h). */
void tv_calling_begins(struct tv_thread *t, uint32_t call);

static inline void tv_write_enter(struct tv_thread *t, uint32_t call, void *site, const void *frame)
{
	uint64_t *at = tv_words_room(t, TV_WORDS_MOST);
	uint32_t slot;

	t->place = t->statement ? tv_statement_place(t) : tv_lasting(t, (uint64_t)(uintptr_t)site);
	t->with = (struct tv_with){ .peer = TV_PEER_NONE };
	if (TV_UNLIKELY(tv.line))
		tv_line_calls(t);
	if (TV_UNLIKELY(tv.board))
		tv_board_calls(t);
	if (TV_LIKELY(at)) {
		at = tv_words_slot(&t->wording, at, TV_ENTER | call << 16, t->place,
				   (uint64_t)(uintptr_t)frame, &slot);
		t->entered = &t->wording.known[slot];
		t->now = tv_now();
		tv_words_commit(t, tv_words_put(&t->wording, at, t->now,
						tv_word(TV_WORD_RECORD, slot)));
	} else {
		t->now = tv_now();
		if (tv.statistics && t->nested == TV_CALL_RECORDED)
			tv_calling_begins(t, call);
	}
}

/* `frame` is the wrapper's (call_record.c). */
struct tv_thread *tv_begin(uint32_t call, void *site, const void *frame);

/* Whom the call under way is with, and what it carries. */
static inline void tv_with_sent(struct tv_thread *t, int32_t peer, uint32_t comm, uint64_t bytes)
{
	t->with.peer = peer;
	t->with.comm = comm;
	t->with.flags |= (uint32_t)TV_STAT_SENT;
	t->with.sent += bytes;
}

static inline void tv_with_received(struct tv_thread *t, int32_t peer, uint32_t comm,
				    uint64_t bytes)
{
	t->with.peer = peer;
	t->with.comm = comm;
	t->with.flags |= (uint32_t)TV_STAT_RECEIVED;
	t->with.received += bytes;
}

/* The row of the statement under way for a partner (call_record.c). */
struct tv_statistic *tv_call_row(struct tv_thread *t, uint32_t call, int32_t peer, uint32_t comm,
				 uint32_t flags);
/* Adds the call of MPI that ends to the row of its statement. */
void tv_account(struct tv_thread *t, uint32_t call, uint64_t time);

/* Ends a call that was made while recording is switched off, or inside another call (call.c). */
void tv_end_odd(struct tv_thread *t, uint32_t call, uint64_t time);

void tv_end_at(struct tv_thread *t, uint32_t call, uint64_t time);
/* As tv_end(), but begins no segment (gaps.h). */
void tv_end_last(struct tv_thread *t, uint32_t call);

static inline void tv_end(struct tv_thread *t, uint32_t call)
{
	tv_end_at(t, call, tv_now());
}

#define TV_BEGIN(name) \
	tv_begin(CALL_##name, __builtin_return_address(0), __builtin_frame_address(0))

/* The clock that TVIEW_CLOCK asks for, else the best one (enum tv_clock). */
uint32_t tv_choose_clock(void);
/* Nanoseconds in ticks, measured over `span` nanoseconds. */
uint64_t tv_ticks_of(uint64_t nanoseconds, uint64_t span);
/* Moves the process's file to the folder where those of the other ranks are; it stays where it is
 * if they have no file system in common. */
void tv_move_file(const char *folder);
/* The names and classes of all calls (call_names.c). */
void tv_calls_fill(struct tv_file *file);
/* Fills in the rank that the launcher says, for processes that never return from MPI_Init. */
void tv_ask_launcher(struct tv_file *file);
/* Brings the calibration in the file's header up to date. */
void tv_stamp(void);
/* When the library is loaded: the process notes from now on which signal ends it (ends.h). */
void tv_ends_start(void);
/* Notes the modules that are mapped now (for the addresses of functions and call sites). */
void tv_note_modules(struct tv_thread *t);

/* ---- locks ----
 *
 * Taken only while the thread is busy, so that none of its signal handlers can ask for them. The
 * thread notes which ones it holds, so that none stays held after longjmp out of a handler. */

#define TV_LOCK_INITIALIZER PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP

void tv_take(pthread_mutex_t *mutex);
void tv_give(pthread_mutex_t *mutex);
