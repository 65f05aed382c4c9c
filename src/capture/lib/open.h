/* open: the stack of a thread: procedures, loops and regions are entered and left, calls of MPI
 * are added up. Each changes one row when it ends; what is open is on the stack only.
 *
 * Time: O(1) for each, amortised: what longjmp left open is ended once. */
#pragma once

#include "capture/lib/recorder.h"

struct tv_entry *tv_entry_miss(struct tv_thread *t, uint64_t a, uint64_t b, enum tv_key_kind kind);
struct tv_entry *tv_entry_entered_miss(struct tv_thread *t, uint64_t function, uint64_t caller,
				       uint64_t hook);
/* Decides whether a procedure that was activated often still gets events. */
void tv_limit_check(struct tv_procedure *procedure);
bool tv_frames_more(struct tv_rows *rows);
/* A chunk for rows; the first one has room for the stack. False: no room. */
bool tv_rows_chunk(struct tv_thread *t);

/* Place of a site; 0: of no program or library that joined. */
uint64_t tv_site_place(const struct tv_site *site);

/* The row of a place if it was the latest one of its kind; else NULL. */
static inline struct tv_entry *tv_entry_cached(const struct tv_rows *rows, uint64_t a, uint64_t b)
{
	const uint64_t mixed = (a ^ b << 7 ^ b >> 23) * UINT64_C(0x9e3779b97f4a7c15);
	const struct tv_cached *cached = &rows->cache[mixed >> (64 - TV_CACHE_BITS)];

	return TV_LIKELY(cached->a == a && cached->b == b &&
			 rows->generation == __atomic_load_n(&tv.generation, __ATOMIC_RELAXED))
		       ? cached->entry
		       : NULL;
}

/* The row of a place; never NULL. */
static inline struct tv_entry *tv_entry_find(struct tv_thread *t, uint64_t a, uint64_t b,
					     enum tv_key_kind kind)
{
	struct tv_entry *entry = tv_entry_cached(&t->rows, a, b);

	return TV_LIKELY(entry != NULL) ? entry : tv_entry_miss(t, a, b, kind);
}

/* The key of where a function was entered from: by its caller, and where its hook returns to. */
static inline uint64_t tv_entered_make(uint64_t caller, uint64_t hook)
{
	return caller ^ hook * UINT64_C(0x9e3779b97f4a7c15);
}

/* The row of a function that its hook enters; never NULL. */
static inline struct tv_entry *tv_entry_entered(struct tv_thread *t, uint64_t function,
						uint64_t caller, uint64_t hook)
{
	struct tv_entry *entry = tv_entry_cached(&t->rows, function, tv_entered_make(caller, hook));

	return TV_LIKELY(entry != NULL) ? entry : tv_entry_entered_miss(t, function, caller, hook);
}

/* The innermost frame; there is one. */
static inline struct tv_frame *tv_top(const struct tv_rows *rows)
{
	return &rows->stack[rows->depth - 1];
}

/* Takes the note of a probe in a gap. */
static inline void tv_note(struct tv_thread *t, struct tv_note note)
{
	const uint64_t what = note.what;

	*t->segment.note = note;
	/* Whole notes only, should a signal handler jump away. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->segment.note++;
	if (TV_UNLIKELY(--t->segment.blind == 0 ||
			!t->gaps.brief[tv_gap_hash(tv_function_address(what), TV_BRIEF_BITS)]))
		tv_gap_read(t);
}

uint64_t tv_row_time_slow(void);
/* Now, as rows count time; no probe. */
uint64_t tv_row_now(void);

/* The time of a probe: the given one if it is known already, else the clock's. */
static inline uint64_t tv_probe_time(const struct tv_thread *t)
{
	return t->mode == TV_LEARN || t->mode == TV_GIVEN ? t->given : tv_now();
}

/* The same of a probe that may only change rows. */
static inline uint64_t tv_row_time(const struct tv_thread *t)
{
	return TV_UNLIKELY(t->mode == TV_SLOW) ? tv_row_time_slow() : tv_now();
}

/* The innermost activation of a site that is open; 0: none is. */
uint32_t tv_depth_of(const struct tv_rows *rows, uint64_t site);

/* Puts it on the stack, without its start; NULL: too deep. */
static inline struct tv_frame *tv_open(struct tv_thread *t, struct tv_entry *entry, uint64_t site,
				       const void *frame, const struct tv_site **at, uint32_t flags)
{
	struct tv_rows *rows = &t->rows;
	struct tv_procedure *procedure = entry->procedure;
	struct tv_frame *f;

	if (TV_UNLIKELY(rows->depth == rows->frames && !tv_frames_more(rows)))
		return NULL;
	f = &rows->stack[rows->depth];
	f->start = 0;
	f->children = 0;
	f->row = entry->at;
	f->entry = entry;
	f->frame = (uintptr_t)frame;
	f->site = site;
	f->at = at;
	f->flags = flags;
	procedure->open++;
	if (TV_UNLIKELY(++procedure->count >= procedure->check))
		tv_limit_check(procedure);
	rows->told->open = ++rows->depth;
	return f;
}

/* What ended was entered inside the call of MPI under way, and what is around it was not. Notes of
 * gaps are read when a call has begun, but are older. */
static inline bool tv_is_called_in(const struct tv_thread *t, const struct tv_frame *ended)
{
	return t->mode != TV_GIVEN && ended->start >= t->now &&
	       (!t->rows.depth || tv_top(&t->rows)->start < t->now);
}

/* The innermost one ends; `flags`: TV_STAT_LOST or 0. `iterations` of a loop that were begun. */
static inline __attribute__((always_inline)) void
tv_close_as(struct tv_thread *t, uint64_t now, uint32_t flags, bool loop, uint64_t iterations)
{
	struct tv_rows *rows = &t->rows;
	const struct tv_frame *f = tv_top(rows);
	struct tv_statistic *row = f->entry->row;
	const uint64_t took = now - f->start;
	uint64_t up = took;

	tv_row_begin(row);
	if (TV_LIKELY(--f->entry->procedure->open == 0)) {
		tv_row_extremes(row, row->count - row->procedure.inner, took);
		row->time += took;
		row->children += f->children;
		if (loop && iterations && !f->iteration)
			tv_row_iteration(row, iterations == 1 ? took * 16 : took * 16 / iterations);
	} else {
		/* Its time belongs to the outer one; what it called still has a caller. */
		row->procedure.inner++;
		up = f->children;
	}
	if (loop)
		row->loop.iterations += iterations;
	if (loop && f->iteration)
		tv_row_iteration(row, (now - f->iteration) * 16);
	row->count++;
	row->flags |= (uint8_t)flags;
	tv_row_end(row);
	rows->told->latest = now;
	rows->told->open = --rows->depth;
	/* MPI called it back: the call's caller gets the time of the call as a whole. */
	if (TV_UNLIKELY(t->nested) && tv_is_called_in(t, f))
		t->with.children += up;
	else if (rows->depth)
		rows->stack[rows->depth - 1].children += up;
}

static inline void tv_close(struct tv_thread *t, uint64_t now, uint32_t flags)
{
	tv_close_as(t, now, flags, false, 0);
}

static inline void tv_close_loop(struct tv_thread *t, uint64_t now, uint64_t iterations)
{
	tv_close_as(t, now, 0, true, iterations);
}

/* Of a loop with a probe in it: an iteration that began at `from` (0: none) is over. */
static inline void tv_loop_iterated(const struct tv_entry *entry, uint64_t from, uint64_t now)
{
	struct tv_statistic *row = entry->row;

	tv_row_begin(row);
	row->loop.iterated = 1;
	if (from)
		tv_row_iteration(row, (now - from) * 16);
	tv_row_end(row);
}

/* Writes what the slot of an entry is, or finds another one: tv_wording.found. */
uint64_t *tv_visit_define(struct tv_thread *t, struct tv_entry *entry, uint64_t what, uint64_t *at);

/* A visit gets no records for lack of room: notes when this happened first. */
void tv_visit_missed(void);

/* Room for the words of a visit, and the slot of its enter: `what` is that of tv_function. NULL: it
 * is not kept. */
static inline __attribute__((always_inline)) uint64_t *
tv_visit_room(struct tv_thread *t, struct tv_entry *entry, uint64_t what, uint32_t *slot)
{
	uint64_t *at = tv_words_room(t, 2 * TV_WORDS_MOST);

	*slot = entry->slot;
	if (TV_UNLIKELY(entry->stamp != t->wording.stamp) && at) {
		at = tv_visit_define(t, entry, what, at);
		*slot = t->wording.found;
	}
	return at;
}

/* The same of an enter; visits are left out where room is scarce. */
static inline __attribute__((always_inline)) uint64_t *
tv_visit_enter_room(struct tv_thread *t, struct tv_entry *entry, uint64_t what, uint32_t *slot)
{
	if (TV_LIKELY(t->visits))
		return tv_visit_room(t, entry, what, slot);
	if (TV_UNLIKELY(tv.low))
		tv_visit_missed();
	return NULL;
}

/* Of a site, which may have been called from another module. */
static __attribute__((cold, unused)) uint64_t *
tv_visit_across(struct tv_thread *t, const struct tv_entry *entry, uint64_t *at, uint64_t time)
{
	uint32_t slot;

	at = tv_words_slot(&t->wording, at, entry->across, 0, 0, &slot);
	return tv_words_put(&t->wording, at, time, tv_word(TV_WORD_RECORD, slot));
}

/* TV_WORD_RECORD or TV_WORD_LEFT, where tv_visit_room() said. */
static inline __attribute__((always_inline)) void tv_visit_commit(struct tv_thread *t,
								  const struct tv_entry *entry,
								  uint64_t *at, enum tv_word word,
								  uint32_t slot, uint64_t time)
{
	if (TV_UNLIKELY(entry->across))
		at = tv_visit_across(t, entry, at, time);
	tv_words_commit(t, tv_words_put(&t->wording, at, time, tv_word(word, slot)));
}

/* Writes the event of a frame's end. */
void tv_write_left(struct tv_thread *t, const struct tv_frame *f, uint64_t now);

/* Ends what is above `depth`, which was left without a probe. `events`: writes that, too, unless
 * the run is over. */
void tv_close_lost(struct tv_thread *t, uint32_t depth, uint64_t now, bool events);

/* What a region is begun in: the procedure, loop or region that is open; of functions with hooks,
 * and outside of all, the call `caller`, or where that is 0 the function. */
uint64_t tv_begun_in(const struct tv_frame *below, uint64_t caller);

/* Ends what has a deeper frame than a site that is entered: longjmp left it. */
void tv_longjmp(struct tv_thread *t, uintptr_t frame);

static inline void tv_look_for_longjmp(struct tv_thread *t, const void *frame)
{
	if (t->rows.depth && TV_UNLIKELY(tv_top(&t->rows)->frame < (uintptr_t)frame))
		tv_longjmp(t, (uintptr_t)frame);
}

/* Everything that is open ends with the run, or the thread: without events. */
void tv_close_all(struct tv_thread *t, uint64_t now);

/* A further row of the call of MPI that is under way: it sent something to another rank as
 * well. */
void tv_account_send(struct tv_thread *t, uint32_t call, int32_t peer, uint32_t comm,
		     uint64_t bytes);
