/* recorder: the process's recorder: one file, a stream of records per thread, and the hot path that
 * appends to it.
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
 *		struct tv_thread *t = tv_begin(CALL_Foo, __builtin_return_address(0));
 *		const int rc = TV_NEXT(Foo)(x);
 *		if (t) tv_end(t, CALL_Foo);
 *		return rc;
 *	}
 *
 * tv_begin() is NULL where nothing is recorded: inert, buffer full, or a call made inside another
 * MPI call. A signal handler that strikes while its thread is in here is not recorded: what it
 * would have recorded is counted (tv_busy_begin). */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "capture/lib/abi.h"
#include "capture/lib/gaps.h"
#include "capture/lib/rows.h"

/* ---- the functions of MPI ---- */

enum tv_call_id {
#define TV_CALL(name, ...) CALL_##name,
#include "capture/lib/calls.def"
	CALL_setup,   /* the library's own work after MPI_Init */
	CALL_offsets, /* the clocks are compared */
	CALL_buffer,  /* a new chunk is made */
	CALL_gap,     /* notes of a gap become records */
	CALL_COUNT
};

/* ---- state ---- */

struct tv_comm; /* comm.h */

/* Wildcards instead of a rank, the same in all ABIs. */
enum { TV_PEER_NOBODY = -1, TV_PEER_ANYBODY = -2 };

enum {
	TV_FIRST_CHUNKS = 4, /* reserved and touched before the program runs */
	/* Of events, of statistics, and one for what comes after events have stopped: definitions,
	 * and MPI_Finalize. */
	TV_LEAST_CHUNKS = 3,
};

/* What a function's hook does. */
enum tv_mode {
	TV_OFF,   /* no buffer: try to get one */
	TV_ON,    /* record */
	TV_SLOW,  /* record after a delay */
	TV_SKIP,  /* return at once */
	TV_LEARN, /* record, and teach the model how long functions take (gaps.h) */
	TV_GIVEN, /* record at the time that is given: what was a note */
	/* From here on calls of MPI have to ask, too. */
	TV_GAP,    /* take notes that become records at the end of the gap */
	TV_PAUSED, /* recording is switched off, or was by another thread (pause.h) */
};

/* In tv_thread.nested: what a call of MPI is recorded as. */
enum { TV_CALL_RECORDED = 1, TV_CALL_PAUSED };

struct tv_process {
	struct tv_file *file; /* the mapped header; NULL: not recording */
	uint32_t clock;
	bool functions;     /* record function hooks */
	bool teams;         /* record births of threads, and what OpenMP does (teams.h) */
	bool insitu;        /* read no clock in some segments (gaps.h) */
	uint32_t usual;     /* enum tv_mode of a thread outside of such segments, */
	uint32_t normal;    /* or TV_PAUSED */
	bool paused;        /* recording is switched off */
	uint32_t callstack; /* not 0: what is around a call of MPI is looked for (callstack.h) */
	bool choose;        /* not all functions are recorded (chosen.h) */
	uint64_t delay; /* ticks that every function record is to take longer, for experiments */
	bool anonymous;
	bool multi;  /* MPI_THREAD_MULTIPLE: tables need their lock */
	bool wanted; /* tvrun asked for it: takes part in what ranks do together, buffer or not */
	bool dead;   /* child of a fork, or could not be opened: never record */
	pthread_mutex_t lock; /* chunks, opening */
	int fd;
	struct tv_chunk *spare; /* mapped, of no thread (recorder_chunks.c) */
	uint32_t spares, mapped;
	uint32_t copies;          /* written so far */
	uint32_t comm_generation; /* advanced when a communicator is freed: caches of threads are
				     void */
	uint64_t limit;           /* bytes of mapped chunks, */
	uint64_t most;            /* of copies; */
	uint64_t end;             /* of the file, where the process has a limit of its own */
	int next_file;            /* numbers of MPI files */
	uint32_t requests;        /* numbers of requests that threads have taken to give */
	bool statistics;          /* rows alone: no events are kept */
	bool fore_monitor;    /* calls are held until partners of other nodes are ready (carry.h) */
	uint64_t often;       /* activations after which a short procedure has no events; 0 never */
	uint64_t microsecond; /* ticks: mean time of such a one */
	uint32_t generation;  /* of the programs and libraries with sites: advanced when one goes */
	struct tv_thread *threads; /* those that record, under `lock` */
};

/* What a call of MPI adds to its row; wrappers fill it in between tv_begin() and tv_end(). */
struct tv_with {
	int32_t peer; /* -1 several, or all; TV_PEER_NONE */
	uint32_t comm;
	uint32_t flags; /* TV_STAT_SENT, TV_STAT_RECEIVED */
	uint64_t sent, received;
	/* When the partner was ready, in this rank's ticks; 0 unknown. Of that, what the call
	 * waited is separated from the transfer. */
	uint64_t partner_ready;
	bool untold;              /* unknown for one of several partners */
	bool detected;            /* it is the time at which this rank saw it */
	struct tv_statistic *row; /* of the call, where it has been looked for already */
};

enum { TV_KNOWN_STATEMENTS = 64 };

struct tv_statement_cache {
	const struct tv_site *site;
	uint64_t place;
	uint32_t generation;
};

struct tv_thread {
	/* Where on the stack the library changes what is here, or writes a record; 0: it does
	 * not. */
	uintptr_t busy, writing;
	pthread_mutex_t *held[2]; /* locks, the inner one last */
	struct tv_chunk *chunk;   /* of events and definitions; NULL: none yet, or full */
	struct tv_packer *packer; /* NULL: nothing was written out yet, or no memory */
	bool live;                /* it records: events or rows or both */
	bool keep;                /* events are written to `chunk` */
	uint32_t mode;            /* enum tv_mode; TV_ON only where it is live */
	uint32_t nested;          /* inside an MPI call: TV_CALL_RECORDED, TV_CALL_PAUSED */
	uint32_t call;            /* which, */
	const void *frame; /* and its wrapper's stack frame; NULL: one of the library's own */
	uint64_t paused;   /* ticks: when it saw that recording was switched off; 0 is on */
	bool has_paused;
	uint32_t number;
	uint32_t random;                 /* what gaps are drawn by, never 0 */
	uint64_t now;                    /* time of the latest tv_begin() */
	uint64_t place;                  /* of the call of MPI that is under way */
	const struct tv_site *statement; /* of the next one, announced by its probe */
	struct tv_with with;
	uint32_t serial;
	uint32_t request, request_end; /* numbers of requests that are this thread's to give */
	bool begun, full;
	struct tv_comm *comm; /* the latest looked up, */
	uint64_t comm_handle; /* under this handle, */
	uint32_t comm_generation;
	struct tv_strings *strings; /* user regions seen by this thread */
	/* The latest call of an entry point of Fortran's (fortran.c): from where, and the stack
	 * there. */
	void *fortran_site, *fortran_stack;
	struct tv_thread *next; /* of tv.threads */
	struct tv_rows rows;
	struct tv_segment segment;
	struct tv_gaps gaps;
	uint64_t given; /* time of the probe, in TV_LEARN and TV_GIVEN */
	struct tv_statement_cache known[TV_KNOWN_STATEMENTS];
};

extern struct tv_process tv;
extern _Thread_local struct tv_thread tv_self;

#define TV_LIKELY(x)   __builtin_expect(!!(x), 1)
#define TV_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define TV_PUBLIC      __attribute__((visibility("default")))

/* Out of the way of those who have the TSC: what calls it needs a stack frame. */
uint64_t tv_now_slow(void);

static inline uint64_t tv_now(void)
{
#if defined(__x86_64__)
	if (TV_LIKELY(tv.clock == TV_CLOCK_TSC))
		return __rdtsc();
#endif
	return tv_now_slow();
}

/* The same for every call from one place at one depth of the stack; what it is exactly does not
 * matter. */
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
 * A handler may strike while its own thread is in here, with half a record written or a lock held.
 * Whatever is called by the program, not by the library, is between tv_busy_begin() and
 * tv_busy_end(); between both a handler's probes find the mark, and return. As a handler ends
 * before what it interrupted goes on, all or nothing of it is recorded. */

/* The thread is busy: whether it is a handler that asks, and what it would have recorded is
 * counted; false: longjmp has left what was busy. */
bool tv_is_interrupting(struct tv_thread *t, uintptr_t stack, bool counted);

static inline __attribute__((always_inline)) void tv_busy_set(struct tv_thread *t)
{
	t->busy = (uintptr_t)tv_stack_pointer();
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* False: nothing is to be recorded. `counted`: something begins that is recorded otherwise. */
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

/* The same for the library's own work, with the mark set or not: tv_busy_restore() takes the
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

/* Slow paths: open the file, get the thread its first or next chunk. NULL where there is no room or
 * nothing to do. */
struct tv_thread *tv_thread_start(void);
void *tv_room_more(struct tv_thread *t, size_t bytes);
/* A variable of the environment. */
uint64_t tv_number_set(const char *variable, uint64_t otherwise);
/* How large the file may be, as TVIEW_BUFFER and TVIEW_MAX say. */
void tv_choose_sizes(void);
/* Maps so many more chunks of the file (recorder_chunks.c), under tv.lock; false: no room. */
bool tv_chunks_map(uint32_t more);

enum tv_chunk_use { TV_CHUNK_EVENTS, TV_CHUNK_STATISTICS, TV_CHUNK_LAST };
/* A chunk of the process's file, NULL: no room. */
struct tv_chunk *tv_chunk_new(struct tv_thread *t, enum tv_chunk_use use);
/* Writes a copy of the thread's chunk into the file and empties the chunk: it has the next serial.
 * False: it could not be written, and nothing has changed. */
bool tv_chunk_flush(struct tv_thread *t);
void tv_packer_free(struct tv_thread *t);
/* The same at a stream's end: the next one gets its memory. */
void tv_chunk_give(struct tv_chunk *chunk);
/* Before MPI_Finalize: where a full buffer has stopped events it is recorded all the same. True:
 * tv_stop_again() is to be called after it. */
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

/* Room for a record, written in place and then committed; NULL: it is not kept. */
static inline void *tv_room(struct tv_thread *t, size_t bytes)
{
	if (TV_UNLIKELY(!t->keep))
		return NULL;
	tv_writing_begin(t);
	if (TV_UNLIKELY(t->chunk->used + bytes > TV_CHUNK_SIZE - TV_TAIL))
		return tv_room_more(t, bytes);
	return (char *)t->chunk + t->chunk->used;
}

static inline void tv_commit(struct tv_thread *t, size_t bytes)
{
	/* The record first, then the position: a reader, or the merge after a crash, sees whole
	 * records only. */
	__atomic_store_n(&t->chunk->used, t->chunk->used + bytes, __ATOMIC_RELEASE);
	tv_writing_end(t);
}

static inline void tv_write(struct tv_thread *t, uint64_t time, enum tv_kind kind, uint32_t flags,
			    uint32_t call, uint32_t id)
{
	struct tv_head *head = tv_room(t, sizeof *head);

	if (TV_UNLIKELY(!head))
		return;
	*head = (struct tv_head){ time, (uint8_t)kind, (uint8_t)flags, (uint16_t)call, id };
	tv_commit(t, sizeof *head);
}

/* `how` is 0 or TV_GUARDED. */
static inline void tv_write_function(struct tv_thread *t, enum tv_kind kind, uint64_t how,
				     const void *function)
{
	struct tv_function *record = tv_room(t, sizeof *record);

	if (TV_UNLIKELY(!record))
		return;
	record->what = (uint64_t)kind | (uint64_t)(uintptr_t)function << 8 | how;
	record->time = tv_now();
	tv_commit(t, sizeof *record);
}

static inline void tv_write_message(struct tv_thread *t, uint64_t time, enum tv_kind kind,
				    uint32_t flags, uint32_t request, int peer, int tag,
				    uint64_t bytes, uint32_t comm)
{
	struct tv_message *record = tv_room(t, sizeof *record);

	if (TV_UNLIKELY(!record))
		return;
	*record = (struct tv_message){ { time, (uint8_t)kind, (uint8_t)flags, 0, request },
				       peer,
				       tag,
				       tv_size_make(bytes, comm) };
	tv_commit(t, sizeof *record);
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

/* A region of the library's own, from a time to now, which is the result. */
static inline uint64_t tv_write_own(struct tv_thread *t, uint32_t call, uint64_t from)
{
	struct tv_enter *enter = tv_room(t, sizeof *enter);
	uint64_t now;

	if (TV_LIKELY(enter)) {
		*enter = (struct tv_enter){ { from, TV_ENTER, 0, (uint16_t)call, 0 }, 0, 0 };
		tv_commit(t, sizeof *enter);
	}
	now = tv_now();
	tv_write(t, now, TV_LEAVE, 0, call, 0);
	return now;
}

/* ---- around an MPI call ---- */

struct tv_thread *tv_begin_slow(uint32_t call, void *site, const void *frame);
/* Gives the place to record the call under (callstack.h). */
void *tv_callstack(struct tv_thread *t, void *site);

/* The place of the statement that was announced. */
uint64_t tv_statement_place(struct tv_thread *t);

/* For those who look (calling.h). */
void tv_calling_begins(struct tv_thread *t, uint32_t call);

static inline __attribute__((always_inline)) void tv_write_enter(struct tv_thread *t, uint32_t call,
								 void *site)
{
	struct tv_enter *record = tv_room(t, sizeof *record);

	t->place = t->statement ? tv_statement_place(t) : (uint64_t)(uintptr_t)site;
	t->with = (struct tv_with){ .peer = TV_PEER_NONE };
	if (TV_LIKELY(record)) {
		record->head.kind = TV_ENTER;
		record->head.flags = 0;
		record->head.call = (uint16_t)call;
		record->head.id = 0;
		record->site = t->place;
		record->frame = tv_stack_pointer();
		record->head.time = t->now = tv_now();
		tv_commit(t, sizeof *record);
	} else {
		t->now = tv_now();
		if (tv.statistics)
			tv_calling_begins(t, call);
	}
}

/* The place a wrapper was called from: where Fortran's entry point was, if that was on the way; a
 * note that was not taken is higher than the reach of MPI's translation, or lower than here. */
static inline void *tv_fortran_site(struct tv_thread *t, void *site, const void *stack)
{
	enum { REACH = 16 << 10 };
	void *noted = t->fortran_site;
	const size_t above = (size_t)((const char *)t->fortran_stack - (const char *)stack);

	t->fortran_site = NULL;
	return above < REACH ? noted : site;
}

static inline __attribute__((always_inline)) struct tv_thread *tv_begin(uint32_t call, void *site)
{
	struct tv_thread *t = &tv_self;

	if (TV_UNLIKELY(!t->live || t->nested || t->mode >= TV_GAP || t->busy || t->writing))
		return tv_begin_slow(call, site, __builtin_frame_address(0));
	/* MPI's files are made of its own messages and collectives. */
	if (TV_UNLIKELY((uint64_t)(uintptr_t)site - tv_entry.start < tv_entry.size))
		return NULL;
	tv_busy_set(t);
	t->nested = TV_CALL_RECORDED;
	t->call = call;
	t->frame = __builtin_frame_address(0);
	if (TV_UNLIKELY(t->fortran_site))
		site = tv_fortran_site(t, site, __builtin_frame_address(0));
	if (TV_UNLIKELY(tv.callstack))
		site = tv_callstack(t, site);
	tv_write_enter(t, call, site);
	/* After the time stamp: what it costs is then the call's, and no segment's. */
	if (t->segment.kind)
		tv_segment_end(t, t->now);
	tv_busy_end(t);
	return t;
}

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

/* The row of the statement under way for a partner (open.c). */
struct tv_statistic *tv_call_row(struct tv_thread *t, uint32_t call, int32_t peer, uint32_t comm,
				 uint32_t flags);
/* Adds the call of MPI that ends to the row of its statement (open.c). */
void tv_account(struct tv_thread *t, uint32_t call, uint64_t time);

/* A call while recording is switched off ends: there is no row, and no record of it. */
static inline bool tv_end_paused(struct tv_thread *t)
{
	if (TV_LIKELY(t->nested == TV_CALL_RECORDED))
		return false;
	t->nested = 0;
	return true;
}

/* The segment after it is as all others. */
static inline void tv_end_last(struct tv_thread *t, uint32_t call)
{
	const uint64_t time = tv_now();

	if (tv_end_paused(t))
		return;
	tv_busy_set(t);
	tv_account(t, call, time);
	tv_write(t, time, TV_LEAVE, 0, call, 0);
	t->nested = 0;
	tv_busy_end(t);
}

static inline void tv_end_at(struct tv_thread *t, uint32_t call, uint64_t time)
{
	if (tv_end_paused(t))
		return;
	tv_busy_set(t);
	tv_account(t, call, time);
	if (tv.insitu && t->keep) {
		if (t->gaps.skip && !__atomic_load_n(&tv.paused, __ATOMIC_RELAXED))
			t->gaps.skip--;
		else
			tv_segment_begin(t, time);
	}
	tv_write(t, time, TV_LEAVE, 0, call, 0);
	t->nested = 0;
	tv_busy_end(t);
}

static inline void tv_end(struct tv_thread *t, uint32_t call)
{
	tv_end_at(t, call, tv_now());
}

#define TV_BEGIN(name) tv_begin(CALL_##name, __builtin_return_address(0))

/* The clock that TVIEW_CLOCK asks for, else the best one (enum tv_clock). */
uint32_t tv_choose_clock(void);
/* Nanoseconds in ticks, measured over `span` nanoseconds. */
uint64_t tv_ticks_of(uint64_t nanoseconds, uint64_t span);
/* Moves the process's file to the folder where those of the other ranks are; it stays where it is
 * if they have no file system in common. */
void tv_move_file(const char *folder);
/* Fills in which rank this is going to be, for those that never come out of MPI_Init. */
void tv_ask_launcher(struct tv_file *file);
/* Brings the calibration in the file's header up to date. */
void tv_stamp(void);
/* When the library is loaded: the process notes from now on which signal ends it (ends.h). */
void tv_ends_start(void);
/* Notes the modules that are mapped now (for the addresses of functions and call sites). */
void tv_note_modules(struct tv_thread *t);

/* ---- locks ----
 *
 * While the thread is busy only, so that no handler of it can want them. They are known to be held,
 * so that none stays held after longjmp out of a handler. */

#define TV_LOCK_INITIALIZER PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP

void tv_take(pthread_mutex_t *mutex);
void tv_give(pthread_mutex_t *mutex);

/* ---- locks that cost nothing without MPI_THREAD_MULTIPLE ---- */

static inline void tv_lock(pthread_mutex_t *mutex)
{
	if (TV_UNLIKELY(tv.multi))
		pthread_mutex_lock(mutex);
}

static inline void tv_unlock(pthread_mutex_t *mutex)
{
	if (TV_UNLIKELY(tv.multi))
		pthread_mutex_unlock(mutex);
}
