#define _GNU_SOURCE
#include "capture/lib/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/lib/abi.h"
#include "capture/lib/callstack.h"
#include "capture/lib/choices.h"
#include "capture/lib/chosen.h"
#include "capture/lib/core_look.h"
#include "capture/lib/counters.h"
#include "capture/lib/imports.h"
#include "capture/lib/own_line.h"
#include "capture/lib/pause.h"
#include "capture/lib/probes.h"
#include "capture/lib/recorder_chunks.h"
#include "capture/lib/replay_board.h"
#include "capture/lib/ring.h"
#include "capture/lib/sampling.h"
#include "capture/lib/virtual.h"
#include "capture/lib/virtual_births.h"

struct tv_process tv = { .lock = TV_LOCK_INITIALIZER, .fd = -1 };
_Thread_local struct tv_thread tv_self;

static pthread_key_t thread_key; /* runs thread_end() */

/* If only statistics are kept, memory must not grow with threads that come and go: a new thread
 * takes over the number and the rows of one that has ended. */
struct stream {
	struct stream *next;
	struct tv_chunk *chunk;
	struct tv_strings *strings;
	uint32_t number, serial;
	struct tv_rows rows;
};
static struct stream *idle; /* under tv.lock */

static void say(const char *text)
{
	char line[256];
	const int n = snprintf(line, sizeof line, "tview: %s\n", text);

	if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0)
		return;
}

void tv_no_memory(const char *what)
{
	char text[200];

	if (!tv.file ||
	    __atomic_fetch_or(&tv.file->state, TV_NO_MEMORY, __ATOMIC_RELAXED) & TV_NO_MEMORY)
		return;
	snprintf(text, sizeof text, "no memory to record %s: records of this process are missing",
		 what);
	say(text);
}

/* ---- opening ---- */

enum { HOST = sizeof((struct tv_file *)NULL)->host };

/* The process's file in a folder. */
static bool file_path(char path[PATH_MAX], const char *folder, char host[HOST])
{
	snprintf(host, HOST, "host");
	gethostname(host, HOST - 1);
	for (char *p = host; *p; p++)
		if (*p == '/')
			*p = '_';
	return snprintf(path, PATH_MAX, "%s/%s-%ld.tvrank", folder, host, (long)getpid()) <
	       PATH_MAX;
}

void tv_move_file(const char *folder)
{
	char from[PATH_MAX], to[PATH_MAX], host[HOST];
	const char *mine = getenv("TVIEW_DIR");
	const int saved = errno;

	/* The mapping stays. */
	if (mine && *folder && strcmp(mine, folder) != 0 && file_path(from, mine, host) &&
	    file_path(to, folder, host))
		rename(from, to);
	errno = saved;
}

static bool make_file(const char *folder)
{
	char path[PATH_MAX], host[HOST] = "";
	void *header;

	if (!file_path(path, folder, host))
		return false;
	tv.fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (tv.fd < 0)
		return false;
	if (posix_fallocate(tv.fd, 0, TV_HEADER_SIZE) != 0)
		return false;
	header = mmap(NULL, TV_HEADER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		      tv.fd, 0);
	if (header == MAP_FAILED)
		return false;
	tv.file = header;
	memcpy(tv.file->host, host, sizeof host);
	tv_count_in(tv.fd);
	return true;
}

static void fill_header(void)
{
	struct tv_file *file = tv.file;

	file->version = TV_VERSION;
	file->header_size = TV_HEADER_SIZE;
	file->chunk_size = TV_CHUNK_SIZE;
	file->clock = tv.clock;
	tv_ask_launcher(file);
	file->pid = (int32_t)getpid();
	file->parent = (int32_t)getppid();
	file->limit = tv.limit;
	file->most = tv.most;
	file->state = (tv.anonymous ? (uint32_t)TV_ANONYMOUS : 0) |
		      (tv.statistics ? (uint32_t)TV_STATISTICS : 0);
	tv_calls_fill(file);
	tv_ticks_and_nanos(tv.clock, &file->first_tick, &file->first_nano);
	file->last_tick = file->first_tick;
	file->last_nano = file->first_nano;
	memcpy(file->magic, TV_MAGIC, sizeof file->magic);
}

/* What the program's functions are to be recorded like. */
static void choose_functions(void)
{
	tv.functions = tv_flag_set("TVIEW_FUNCTIONS", true);
	tv.statistics = tv_flag_set("TVIEW_STATISTICS", false);
	tv.teams = !tv.statistics && tv_flag_set("TVIEW_THREADS", true);
	tv.virtual_time = tv_flag_set("TVIEW_VIRTUAL_TIME", false);
	tv.carries = tv.statistics || tv.virtual_time;
	tv.order = tv.virtual_time && tv_flag_set("TVIEW_ORDER_CONTROL", true);
	tv.order_tolerance = tv_number_set("TVIEW_ORDER_TOLERANCE_NS", UINT64_MAX);
	if (tv.order && tv.order_tolerance != UINT64_MAX)
		tv.order_tolerance = tv_ticks_of(tv.order_tolerance, 100000);
	tv_order_begin(!tv.statistics && !tv_number_set("TVIEW_LAST_NS", 0));
	tv.fore_monitor = tv.statistics && tv_flag_set("TVIEW_FORE_MONITOR", false);
	tv.insitu = tv.functions && !tv.statistics && tv_flag_set("TVIEW_INSITU", false);
	tv.delay =
		tv.functions ? tv_ticks_of(tv_number_set("TVIEW_PROBE_DELAY_NS", 0), 2000000) : 0;
	tv.often = tv_number_set("TVIEW_LIMIT", 1000000);
	tv.microsecond = tv_ticks_of(1000, 100000);
	tv.choose = tv.functions && tv_chosen_start();
	tv.module = tv_functions_of_module();
	tv.callstack = tv_callstack_start();
	tv.insitu &= !tv.choose && !tv.virtual_time;
	tv.usual = !tv.functions                              ? TV_SKIP
		   : tv.delay || tv.choose || tv.virtual_time ? TV_SLOW
							      : TV_ON;
	if (!tv.statistics && tv_counters_start())
		tv.usual = TV_COUNTING;
	tv.core_every = tv_core_look_every();
	tv.paused = tv_flag_set("TVIEW_OFF", false);
	tv.normal = tv.paused ? (uint32_t)TV_PAUSED : tv.usual;
}

/* Opens the process's file, once. With tv.lock held. */
static void open_locked(void)
{
	const char *folder = getenv("TVIEW_DIR");

	if (tv.file || tv.dead)
		return;
	tv.clock = tv_choose_clock();
	choose_functions();
	tv.anonymous = tv_flag_set("TVIEW_ANONYMOUS", false);
	tv_choose_sizes();
	if (!make_file(folder)) {
		tv.dead = true;
		say("cannot make a buffer in the folder that --buffer-dir or -o names; "
		    "this process is not recorded");
		return;
	}
	fill_header();
	tv_choose_scarce();
	tv_ring_start();
	tv_sampling_start();
	if (!tv_chunks_map(TV_FIRST_CHUNKS) && tv.mapped < TV_LEAST_CHUNKS) {
		tv.dead = true;
		tv.file->state |= TV_FULL;
		say("no room for the buffer (--buffer-dir, --buffer-size); "
		    "this process is not recorded");
	}
}

static void process_open(void)
{
	const int saved = errno;

	tv_take(&tv.lock);
	open_locked();
	tv_give(&tv.lock);
	errno = saved;
}

static void thread_add(struct tv_thread *t)
{
	tv_take(&tv.lock);
	t->next = tv.threads;
	tv.threads = t;
	tv_give(&tv.lock);
}

/* False: the process's end came first. */
static bool thread_remove(const struct tv_thread *t)
{
	bool there = false;

	tv_take(&tv.lock);
	for (struct tv_thread **at = &tv.threads; *at; at = &(*at)->next) {
		if (*at != t)
			continue;
		*at = t->next;
		there = true;
		break;
	}
	tv_give(&tv.lock);
	return there;
}

/* A stream of events, definitions and rows. */
static bool stream_begin(struct tv_thread *t)
{
	struct stream *stream;

	tv_take(&tv.lock);
	stream = idle;
	if (stream)
		idle = stream->next;
	tv_give(&tv.lock);
	if (stream) {
		t->number = stream->number;
		t->serial = stream->serial;
		t->chunk = stream->chunk;
		t->rows = stream->rows;
		t->strings = stream->strings;
		free(stream);
		return true;
	}
	t->number = __atomic_fetch_add(&tv.file->threads, 1, __ATOMIC_RELAXED);
	t->random = ((uint32_t)getpid() << 8 ^ t->number) * 2654435761u | 1;
	t->chunk = tv_chunk_new(t, TV_CHUNK_EVENTS);
	return t->chunk && tv_rows_init(&t->rows, NULL) &&
	       (tv.statistics || tv_wording_init(&t->wording));
}

/* Keeps the stream for the next thread; false: it has to end. */
static bool stream_keep(struct tv_thread *t)
{
	struct stream *stream = tv.statistics && t->chunk ? malloc(sizeof *stream) : NULL;

	if (!stream)
		return false;
	*stream = (struct stream){ .chunk = t->chunk,
				   .strings = t->strings,
				   .number = t->number,
				   .serial = t->serial,
				   .rows = t->rows };
	t->strings = NULL;
	memset(&t->rows, 0, sizeof t->rows);
	tv_take(&tv.lock);
	stream->next = idle;
	idle = stream;
	tv_give(&tv.lock);
	return true;
}

static void process_prepare(void);

static void thread_begin(struct tv_thread *t)
{
	/* First: opening may load a library, and so run this one's constructor in its middle. */
	t->begun = true;
	process_prepare();
	process_open();
	if (!tv.file || tv.dead)
		return;
	if (stream_begin(t)) {
		pthread_setspecific(thread_key, t);
		tv_rows_find_stack(&t->rows);
		thread_add(t);
		if (!t->rows.chunk && !tv_rows_chunk(t))
			__atomic_fetch_or(&tv.file->state, TV_FULL, __ATOMIC_RELAXED);
		t->live = true;
		t->keep = !tv.statistics;
		tv_visits_follow(t);
		tv_sites_note(t);
		tv_sampling_begin(t);
		tv_counters_begin(t);
	} else {
		if (t->chunk) /* else the buffer is full, which is noted where it is */
			tv_no_memory("a thread");
		t->chunk = NULL;
		t->full = true;
	}
	tv_set_mode(t, tv.normal);
	tv_pause_holds(t);
}

struct tv_thread *tv_thread_start(void)
{
	struct tv_thread *t = &tv_self;
	const int saved = errno;
	uintptr_t before;

	if (t->live)
		return t;
	if (tv.dead || t->full || t->begun)
		return NULL;
	before = tv_busy_save(t);
	thread_begin(t);
	tv_busy_restore(t, before);
	/* The modules are written again after MPI_Init, but some processes never return from it. */
	if (t->live && t->number == 0) {
		tv_note_modules(t);
		tv_ends_start();
	}
	errno = saved;
	return t->live ? t : NULL;
}

/* Writes a record in the space that is kept free for this; another thread's, too. */
static void write_last(struct tv_chunk *chunk, enum tv_kind kind, uint64_t now)
{
	uint64_t *at = (void *)((char *)chunk + chunk->used);
	struct tv_head *head = (void *)(at + 1);
	const uint64_t used = chunk->used + sizeof *at + sizeof *head;

	if (used > TV_CHUNK_SIZE)
		return;
	*at = tv_word(TV_WORD_WHOLE, 0);
	*head = (struct tv_head){ now, (uint8_t)kind, 0, 0, 0 };
	__atomic_store_n(&chunk->used, used, __ATOMIC_RELEASE);
}

/* Ends a stream, even one without events. */
static void write_end(struct tv_chunk *chunk, uint64_t now)
{
	if (chunk)
		write_last(chunk, TV_THREAD_END, now);
}

/* Events stop; statistics go on, and no segment is left out any more. The first thread, which calls
 * MPI_Finalize, goes on with definitions in the chunk that was kept for them. */
static void stop_events(struct tv_thread *t, uint64_t now)
{
	write_last(t->chunk, TV_BUFFER_FULL, now);
	t->full = true;
	t->keep = t->visits = false;
	t->chunk = t->number == 0 ? tv_chunk_new(t, TV_CHUNK_LAST) : NULL;
	tv_words_forget(&t->wording, true);
	tv_set_mode(t, tv.normal);
	__atomic_fetch_or(&tv.file->state, TV_FULL, __ATOMIC_RELAXED);
}

bool tv_resume(struct tv_thread *t)
{
	if (!t->live || !t->full || t->keep || !t->chunk || tv.statistics)
		return false;
	t->keep = true;
	tv_write(t, tv_now(), TV_RESUMED, 0, 0, 0);
	return true;
}

void tv_stop_again(struct tv_thread *t)
{
	t->keep = false;
	/* If even the reserved chunk became full, TV_BUFFER_FULL says so already. */
	if (t->chunk)
		write_end(t->chunk, tv_now());
}

static uint64_t *room_more(struct tv_thread *t, size_t bytes)
{
	const int saved = errno;
	const struct tv_virtual_mark mark = tv_virtual_mark();
	const uint64_t from = mark.time;

	if (!t->chunk || bytes > TV_CHUNK_SIZE - TV_TAIL - sizeof *t->chunk)
		return NULL;
	if (t->mode == TV_GAP) {
		tv_gap_stop(t);
		return tv_words_room(t, bytes);
	}
	if (t->full || !tv_chunk_next(t)) {
		stop_events(t, from);
		errno = saved;
		return NULL;
	}
	errno = saved;
	/* The time that took is recorded as overhead. The record that wanted room may have an
	 * earlier time than this pair. */
	if (t->keep)
		tv_write_own(t, CALL_buffer, from);
	if (tv.virtual_time)
		tv_virtual_skip(t, mark);
	return (uint64_t *)(void *)((char *)t->chunk + t->chunk->used);
}

uint64_t *tv_room_more(struct tv_thread *t, size_t bytes)
{
	const uintptr_t before = tv_busy_save(t);
	uint64_t *room = room_more(t, bytes);

	/* What was written meanwhile has taken the mark away. */
	if (room)
		tv_writing_begin(t);
	else
		tv_writing_end(t);
	tv_busy_restore(t, before);
	return room;
}

/* Where contents are new, or a chunk has to be made. */
static __attribute__((noinline)) void write_numbered(struct tv_thread *t, uint64_t time,
						     uint64_t what, uint32_t request,
						     uint64_t second, uint64_t third)
{
	uint64_t *at = tv_words_room(t, TV_WORDS_MOST);
	uint32_t slot;

	if (!at)
		return;
	at = tv_words_slot(&t->wording, at, what, second, third, &slot);
	tv_words_commit(t, tv_words_put_numbered(&t->wording, at, time, slot, request));
}

void tv_write_numbered(struct tv_thread *t, uint64_t time, uint64_t what, uint32_t request,
		       uint64_t second, uint64_t third)
{
	uint64_t *at;
	uint32_t slot;

	tv_writing_begin(t);
	at = tv_words_at_hand(t, TV_WORDS_MOST);
	if (TV_UNLIKELY(!at || !tv_words_known(&t->wording, what, second, third, &slot))) {
		tv_writing_end(t);
		write_numbered(t, time, what, request, second, third);
		return;
	}
	tv_words_commit(t, tv_words_put_numbered(&t->wording, at, time, slot, request));
}

/* ---- start and end of the process and its threads ---- */

/* The thread records nothing more. */
static void thread_stop(struct tv_thread *t)
{
	t->live = false;
	t->keep = t->visits = false;
	t->chunk = t->defined = NULL;
	t->mode = TV_OFF;
	t->segment.kind = NULL;
}

static void thread_end(void *context)
{
	struct tv_thread *t = context;

	tv_busy_set(t);
	if (t != &tv_self || !t->live || !tv.file || !thread_remove(t)) {
		tv_busy_end(t);
		return;
	}
	tv_sampling_end();
	tv_counters_end(t);
	tv_core_look_end(t);
	if (tv_in_gap(t))
		tv_gap_stop(t);
	tv_close_all(t, tv_row_now());
	if (tv.virtual_time && t->keep)
		tv_virtual_dies(t);
	if (!stream_keep(t)) {
		write_end(t->chunk, tv_now());
		tv_chunk_give(t->chunk);
		tv_chunk_give(t->defined);
		tv_chunk_give(t->rows.chunk);
		tv_rows_fini(&t->rows);
	}
	tv_wording_fini(&t->wording);
	thread_stop(t);
	tv_set_mode(t, TV_OFF);
	tv_gaps_fini(&t->gaps);
	free(t->strings);
	t->strings = NULL;
	tv_busy_end(t);
}

/* A child shares the mapping: it must never write to it. */
static void forked(void)
{
	tv.dead = true;
	tv.wanted = false;
	tv.file = NULL;
	tv.line = NULL;
	tv.board = NULL;
	tv_count_in(-1);
	tv_self.full = true;
	thread_stop(&tv_self);
	tv_set_mode(&tv_self, TV_OFF);
}

/* Once: by the constructor, or by a hook in the constructor of a library that comes first. */
static void process_prepare(void)
{
	const char *folder = getenv("TVIEW_DIR");

	if (tv.wanted || tv.dead)
		return;
	tv.wanted = folder && *folder;
	tv.dead = !tv.wanted;
	if (tv.dead)
		return;
	tv_imports_begin();
	pthread_key_create(&thread_key, thread_end);
	pthread_atfork(NULL, NULL, forked);
}

__attribute__((constructor)) static void process_start(void)
{
	/* mpiexec, its proxies and shells have no MPI inside: stay inert, make no file. */
	process_prepare();
	if (tv.wanted && tv_find_mpi())
		tv_thread_start();
}

/* Other threads may still be running, though most wait for something: they record nothing more, and
 * what they have open ends now. */
static void stop_threads(uint64_t now)
{
	tv_take(&tv.lock);
	for (struct tv_thread *t = tv.threads; t; t = t->next) {
		__atomic_store_n(&t->mode, (uint32_t)TV_OFF, __ATOMIC_RELAXED);
		__atomic_store_n(&t->live, false, __ATOMIC_SEQ_CST);
		t->full = true;
		tv_close_all(t, now);
	}
	tv.threads = NULL;
	for (const struct stream *s = idle; s; s = s->next)
		write_end(s->chunk, now);
	idle = NULL;
	tv_give(&tv.lock);
}

__attribute__((destructor)) static void process_end(void)
{
	if (!tv.file || tv.dead)
		return;
	tv_line_done();
	tv_board_done();
	tv_busy_set(&tv_self);
	tv_sampling_end();
	tv_counters_end(&tv_self);
	if (tv_in_gap(&tv_self))
		tv_gap_stop(&tv_self);
	tv_stamp();
	tv_virtual_note(&tv_self);
	/* exit() in main() and Fortran's STOP are as good an end as a return. */
	if (tv_self.live)
		tv_close_lost(&tv_self, 0, tv_row_now(), tv.file->state & TV_FINALISED);
	__atomic_fetch_or(&tv.file->state, TV_EXITED, __ATOMIC_RELAXED);
	stop_threads(tv_now());
	write_end(tv_self.chunk, tv_now());
	tv_self.full = true;
	thread_stop(&tv_self);
	tv_set_mode(&tv_self, TV_OFF);
	tv_busy_end(&tv_self);
}
