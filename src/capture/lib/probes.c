/* What the probes of tvcc call (sites.h): procedures and loops are entered and left, statements
 * announced. */
#include "capture/lib/probes.h"

#include "capture/lib/blanks.h"
#include "capture/lib/counters.h"
#include "capture/lib/gap_tables.h"
#include "capture/lib/pause.h"

/* ---- probes that are timed ----
 *
 * Where only rows are kept, one probe of some hundreds is timed, by two more readings of the clock
 * around the very code that all others run: the next after a probe whose time stamp has some bits
 * that are 0, so that others pay for a test of a value in a register. */

enum { CHANCE_BITS = 0xff << 6 };

static inline void choose_next(struct tv_thread *t, uint64_t now)
{
	if (TV_UNLIKELY(!(now & CHANCE_BITS)) && t->mode == TV_ON && !t->keep)
		t->mode = TV_PROBED;
}

/* A probe was interrupted if it takes much longer. */
static void note_probed(struct tv_statistic *row, struct tv_probed *probed, uint64_t inside,
			uint64_t around)
{
	if (inside > tv.microsecond || around > tv.microsecond)
		return;
	tv_row_begin(row);
	probed->number++;
	probed->inside += inside;
	probed->around += around;
	tv_row_end(row);
}

static struct tv_probed *probed_of(struct tv_statistic *row)
{
	return row->kind == TV_STAT_LOOP ? &row->loop.probed : &row->procedure.probed;
}

static void note_entered(struct tv_thread *t, unsigned token, uint64_t from, uint64_t now)
{
	const struct tv_frame *f;

	if (!token || token != t->rows.depth || !tv_busy_begin(t, false))
		return;
	f = tv_top(&t->rows);
	note_probed(f->entry->row, probed_of(f->entry->row), now - f->start, f->start - from);
	tv_busy_end(t);
}

/* ---- procedures ---- */

/* Clears the call statement that a call of a function without probes has left there. */
static void leave_left_out(struct tv_thread *t)
{
	if (t->rows.depth && tv_top(&t->rows)->at)
		*tv_top(&t->rows)->at = NULL;
	t->statement = NULL;
}

/* The call statement that a procedure is entered from; `from` is that of its own module. It is that
 * of the frame below, even of another library. A procedure that is called by a function with the
 * compiler's hooks but without probes of tvcc has no call statement. */
static const struct tv_site *call_statement(const struct tv_thread *t, const struct tv_site **at,
					    const struct tv_site *from)
{
	const struct tv_frame *below;

	if (t->rows.depth == 0)
		return from;
	below = tv_top(&t->rows);
	if (TV_LIKELY(below->at == at))
		return from;
	if (below->flags & (TV_FRAME_FUNCTION | TV_FRAME_GUARDED))
		return NULL;
	if (!below->at)
		return from;
	from = *below->at;
	*below->at = NULL;
	return from;
}

static inline __attribute__((always_inline)) unsigned
site_open(struct tv_thread *t, struct tv_entry *entry, const struct tv_site *site,
	  const struct tv_site **at, void *frame, uint32_t flags, uint64_t now)
{
	uint64_t *words = NULL;
	struct tv_frame *f;
	uint32_t slot = 0;

	if (TV_LIKELY(!entry->procedure->limited))
		words = tv_visit_enter_room(t, entry, entry->what, &slot);
	f = tv_open(t, entry, (uint64_t)(uintptr_t)site, frame, at,
		    words ? flags | TV_FRAME_WRITTEN : flags);
	if (TV_LIKELY(!now))
		now = tv_now();
	if (words)
		tv_visit_commit(t, entry, words, TV_WORD_RECORD, slot, now);
	if (TV_UNLIKELY(!f))
		return 0;
	f->start = now;
	f->iteration = 0;
	f->parent = site->parent;
	if (!words)
		choose_next(t, now);
	return t->rows.depth;
}

/* In a gap the stack is as deep as it will be when the notes are records. */
static unsigned note_enter(struct tv_thread *t, const struct tv_site *site, uint64_t loop,
			   const struct tv_site *from, void *frame, const struct tv_site **at)
{
	const uint32_t depth = ++t->segment.depth;

	tv_note(t, (struct tv_note){ .what = TV_SITE_ENTER | (uint64_t)(uintptr_t)site << 8 | loop,
				     .with = (uintptr_t)from,
				     .frame = frame,
				     .at = at });
	return t->mode == TV_GAP ? depth : t->rows.depth;
}

static inline __attribute__((always_inline)) unsigned
procedure_enter(struct tv_thread *t, const struct tv_site *site, const struct tv_site **at,
		const struct tv_site *from, void *frame, uint64_t now)
{
	tv_look_for_longjmp(t, frame);
	from = call_statement(t, at, from);
	return site_open(t, tv_entry_find(t, (uintptr_t)site, (uintptr_t)from, TV_KEY_SITE), site,
			 at, frame, TV_FRAME_SITE, now);
}

static __attribute__((noinline)) unsigned counted_enter(struct tv_thread *t,
							const struct tv_site *site,
							const struct tv_site **at,
							const struct tv_site *from, void *frame)
{
	const unsigned token = procedure_enter(t, site, at, from, frame, 0);

	tv_counters_entered(t);
	return token;
}

static unsigned enter(const struct tv_site *site, const struct tv_site **at, void *frame);
/* As programs call it. */
static unsigned (*volatile const call_enter)(const struct tv_site *site, const struct tv_site **at,
					     void *frame) = enter;

static __attribute__((noinline)) unsigned probed_enter(struct tv_thread *t,
						       const struct tv_site *site,
						       const struct tv_site **at, void *frame)
{
	uint64_t from;
	unsigned token;

	t->mode = TV_ON;
	tv_busy_end(t);
	from = tv_now();
	token = call_enter(site, at, frame);
	note_entered(t, token, from, tv_now());
	return token;
}

static inline __attribute__((always_inline)) unsigned
site_enter(struct tv_thread *t, const struct tv_site *site, const struct tv_site **at, void *frame)
{
	const struct tv_site *from = *at;
	uint64_t now = 0;

	if (TV_UNLIKELY(t->mode == TV_PROBED))
		return probed_enter(t, site, at, frame);
	*at = NULL;
	if (TV_UNLIKELY(t->mode != TV_ON)) {
		if (t->mode == TV_GAP) {
			t->segment.at = at;
			return note_enter(t, site, 0, from, frame, at);
		}
		if (t->mode == TV_BLANK)
			return 0;
		if (tv_site_out(t, site)) {
			tv_site_left_out(t, site);
			return 0;
		}
		if (t->mode == TV_PAUSED && tv_pause_holds(t))
			return tv_pause_enter(t, (uintptr_t)site, frame, at, TV_FRAME_SITE);
		if (!tv_probe_slow(t, (uintptr_t)site, &now))
			return 0;
		if (tv_counting(t))
			return counted_enter(t, site, at, from, frame);
	}
	return procedure_enter(t, site, at, from, frame, now);
}

static unsigned enter(const struct tv_site *site, const struct tv_site **at, void *frame)
{
	struct tv_thread *t = &tv_self;
	unsigned token;

	if (TV_UNLIKELY(!tv_busy_begin(t, true)))
		return 0;
	token = site_enter(t, site, at, frame);
	tv_busy_end(t);
	return token;
}

/* Leaves a function that was entered while probes were off: only writes the event. */
static void left_alone(struct tv_thread *t, const struct tv_site *site, uint64_t now)
{
	const uint64_t place = tv_site_place(site);
	const struct tv_procedure *procedure = tv_procedure_find(&t->rows, place);
	uint64_t *words;
	uint32_t slot;

	if (!place || (procedure && procedure->limited))
		return;
	words = tv_visit_room(t, t->rows.spare, tv_site_what(place, 0), &slot);
	if (words)
		tv_visit_commit(t, t->rows.spare, words, TV_WORD_LEFT, slot, now);
}

/* True: the site is now the innermost one, and ends. */
static __attribute__((noinline)) bool left_oddly(struct tv_thread *t, const struct tv_site *site,
						 unsigned token, uint64_t now)
{
	const struct tv_rows *rows = &t->rows;
	const uint64_t address = (uint64_t)(uintptr_t)site;

	if (token == 0 && rows->depth && tv_top(rows)->site == address &&
	    tv_top(rows)->flags & TV_FRAME_BLANK)
		return true;
	if (token == 0 && t->has_paused)
		return false;
	if (token == 0) {
		left_alone(t, site, now);
		return false;
	}
	/* After a longjmp in a gap tokens are too large. What is not there was ended already. */
	if (token > rows->depth || rows->stack[token - 1].site != address)
		token = tv_depth_of(rows, address);
	if (token)
		tv_close_lost(t, token, now, true);
	return token != 0;
}

static inline __attribute__((always_inline)) void site_close(struct tv_thread *t,
							     const struct tv_site *site,
							     unsigned token, bool loop,
							     uint64_t iterations, uint64_t now)
{
	struct tv_entry *entry;
	const struct tv_frame *f;
	uint64_t *words;
	uint32_t slot;
	bool written;

	if (TV_LIKELY(!now))
		now = tv_now();
	if (TV_UNLIKELY(token != t->rows.depth || token == 0 ||
			tv_top(&t->rows)->site != (uint64_t)(uintptr_t)site) &&
	    !left_oddly(t, site, token, now))
		return;
	f = tv_top(&t->rows);
	entry = f->entry;
	written = f->flags & TV_FRAME_WRITTEN;
	if (!loop) {
		/* Clears the call statement that a call of a function without probes has left
		 * there. */
		if (f->at)
			*f->at = NULL;
		t->statement = NULL;
	}
	if (loop)
		tv_close_loop(t, now, iterations);
	else
		tv_close(t, now, 0);
	if (!written) {
		choose_next(t, now);
		return;
	}
	words = tv_visit_room(t, entry, entry->what, &slot);
	if (TV_LIKELY(words))
		tv_visit_commit(t, entry, words, TV_WORD_LEFT, slot, now);
}

static void note_leave(struct tv_thread *t, const struct tv_site *site, bool loop,
		       uint64_t iterations)
{
	struct tv_segment *s = &t->segment;

	if (!loop) {
		if (s->at)
			*s->at = NULL;
		t->statement = NULL;
	}
	s->depth -= s->depth > 0;
	tv_note(t, (struct tv_note){ .what = TV_SITE_LEAVE | (uint64_t)(uintptr_t)site << 8 |
					     (loop ? TV_NOTE_LOOP : 0),
				     .with = iterations });
}

static __attribute__((noinline)) void paused_leave(struct tv_thread *t, const struct tv_site *site,
						   unsigned token)
{
	if ((token && token == t->rows.depth &&
	     tv_top(&t->rows)->site == (uint64_t)(uintptr_t)site) ||
	    left_oddly(t, site, token, tv_now()))
		tv_pause_leave(t);
}

static __attribute__((noinline)) void slow_close(struct tv_thread *t, const struct tv_site *site,
						 unsigned token, bool loop, uint64_t iterations,
						 uint64_t now)
{
	if (tv_counting(t))
		now = tv_counters_leave(t);
	site_close(t, site, token, loop, iterations, now);
	if (tv_counting(t))
		tv_counters_go(t);
}

static void leave(const struct tv_site *site, unsigned token);
static void leave_loop(const struct tv_site *site, unsigned token, unsigned long iterations);
static void (*volatile const call_leave)(const struct tv_site *site, unsigned token) = leave;
static void (*volatile const call_leave_loop)(const struct tv_site *site, unsigned token,
					      unsigned long iterations) = leave_loop;

static __attribute__((noinline)) void probed_leave(struct tv_thread *t, const struct tv_site *site,
						   unsigned token, bool loop, uint64_t iterations)
{
	const uint32_t depth = t->rows.depth;
	struct tv_entry *entry = depth ? tv_top(&t->rows)->entry : NULL;
	uint64_t from, now;

	t->mode = TV_ON;
	tv_busy_end(t);
	from = tv_now();
	if (loop)
		call_leave_loop(site, token, iterations);
	else
		call_leave(site, token);
	now = tv_now();
	if (!entry || token != depth || t->rows.depth != depth - 1 || !tv_busy_begin(t, false))
		return;
	note_probed(entry->row, probed_of(entry->row), t->rows.told->latest - from,
		    now - t->rows.told->latest);
	tv_busy_end(t);
}

static inline __attribute__((always_inline)) void
site_leave(const struct tv_site *site, unsigned token, bool loop, uint64_t iterations)
{
	struct tv_thread *t = &tv_self;
	uint64_t now = 0;

	if (TV_UNLIKELY(!tv_busy_begin(t, false)))
		return;
	if (TV_UNLIKELY(t->mode == TV_PROBED))
		probed_leave(t, site, token, loop, iterations);
	else if (TV_UNLIKELY(tv_in_gap(t))) {
		if (t->mode == TV_GAP)
			note_leave(t, site, loop, iterations);
	} else if (TV_UNLIKELY(t->mode != TV_ON) && tv_site_out(t, site)) {
		if (!loop)
			leave_left_out(t);
	} else if (TV_UNLIKELY(t->mode == TV_PAUSED && tv_pause_holds(t)))
		paused_leave(t, site, token);
	else if (TV_LIKELY(t->mode == TV_ON))
		site_close(t, site, token, loop, iterations, 0);
	else if (tv_probe_slow(t, (uintptr_t)site, &now))
		slow_close(t, site, token, loop, iterations, now);
	tv_busy_end(t);
}

static void leave(const struct tv_site *site, unsigned token)
{
	site_leave(site, token, false, 0);
}

/* ---- loops ---- */

/* Loops of the same activation that are open beside this one, not around it: longjmp left them. */
static void look_for_siblings(struct tv_thread *t, const struct tv_site *site, uintptr_t frame)
{
	const struct tv_rows *rows = &t->rows;

	for (uint32_t depth = rows->depth; depth > 0; depth--) {
		const struct tv_frame *f = &rows->stack[depth - 1];
		if (!(f->flags & TV_FRAME_LOOP) || f->frame != frame)
			return;
		if (f->parent != site->parent)
			continue;
		tv_close_lost(t, depth - 1, tv_probe_time(t), true);
		return;
	}
}

static inline unsigned loop_enter(struct tv_thread *t, const struct tv_site *site, void *frame,
				  uint64_t now)
{
	const struct tv_site **at;

	tv_look_for_longjmp(t, frame);
	if (t->rows.depth && tv_top(&t->rows)->flags & TV_FRAME_LOOP)
		look_for_siblings(t, site, (uintptr_t)frame);
	at = t->rows.depth ? tv_top(&t->rows)->at : NULL;
	return site_open(t, tv_entry_find(t, (uintptr_t)site, 0, TV_KEY_SITE), site, at, frame,
			 TV_FRAME_SITE | TV_FRAME_LOOP, now);
}

static __attribute__((noinline)) unsigned
slow_loop_enter(struct tv_thread *t, const struct tv_site *site, void *frame, uint64_t now)
{
	const unsigned token = loop_enter(t, site, frame, now);

	if (tv_counting(t))
		tv_counters_entered(t);
	return token;
}

static unsigned enter_loop(const struct tv_site *site, void *frame);
static unsigned (*volatile const call_enter_loop)(const struct tv_site *site,
						  void *frame) = enter_loop;

static __attribute__((noinline)) unsigned probed_loop_enter(struct tv_thread *t,
							    const struct tv_site *site, void *frame)
{
	uint64_t from;
	unsigned token;

	t->mode = TV_ON;
	tv_busy_end(t);
	from = tv_now();
	token = call_enter_loop(site, frame);
	note_entered(t, token, from, tv_now());
	return token;
}

static unsigned enter_loop(const struct tv_site *site, void *frame)
{
	struct tv_thread *t = &tv_self;
	unsigned token = 0;
	uint64_t now = 0;

	if (TV_UNLIKELY(!tv_busy_begin(t, true)))
		return 0;
	if (TV_UNLIKELY(t->mode == TV_PROBED))
		token = probed_loop_enter(t, site, frame);
	else if (TV_UNLIKELY(tv_in_gap(t))) {
		if (t->mode == TV_GAP)
			token = note_enter(t, site, TV_NOTE_LOOP, NULL, frame, NULL);
	} else if (TV_UNLIKELY(t->mode != TV_ON) && tv_site_out(t, site))
		tv_site_left_out(t, site);
	else if (TV_UNLIKELY(t->mode == TV_PAUSED && tv_pause_holds(t)))
		token = tv_pause_enter(t, (uintptr_t)site, frame,
				       t->rows.depth ? tv_top(&t->rows)->at : NULL,
				       TV_FRAME_SITE | TV_FRAME_LOOP);
	else if (TV_LIKELY(t->mode == TV_ON))
		token = loop_enter(t, site, frame, 0);
	else if (tv_probe_slow(t, (uintptr_t)site, &now))
		token = slow_loop_enter(t, site, frame, now);
	tv_busy_end(t);
	return token;
}

static void leave_loop(const struct tv_site *site, unsigned token, unsigned long iterations)
{
	site_leave(site, token, true, iterations);
}

static void count_in_row(struct tv_thread *t, const struct tv_site *site, uint64_t executions,
			 uint64_t iterations)
{
	struct tv_statistic *row = tv_entry_find(t, (uintptr_t)site, 0, TV_KEY_SITE)->row;

	tv_row_begin(row);
	row->count += executions;
	row->loop.iterations += iterations;
	tv_row_end(row);
}

void tv_count_in_row(struct tv_thread *t, const struct tv_gap_count *count)
{
	count_in_row(t, count->site, count->executions, count->iterations);
}

static void count(const struct tv_site *site, unsigned long executions, unsigned long iterations);
static void (*volatile const call_count)(const struct tv_site *site, unsigned long executions,
					 unsigned long iterations) = count;

static void probed_count(struct tv_thread *t, const struct tv_site *site, unsigned long executions,
			 unsigned long iterations)
{
	struct tv_statistic *row;
	uint64_t from, now;

	t->mode = TV_ON;
	from = tv_now();
	call_count(site, executions, iterations);
	now = tv_now();
	row = tv_entry_find(t, (uintptr_t)site, 0, TV_KEY_SITE)->row;
	note_probed(row, &row->loop.probed, 0, now - from);
}

static __attribute__((noinline)) void count_slow(struct tv_thread *t, const struct tv_site *site,
						 unsigned long executions, unsigned long iterations)
{
	if ((t->mode == TV_OFF && !tv_thread_start()) || t->mode == TV_SKIP || !t->live ||
	    t->mode == TV_BLANK)
		return;
	if (t->mode == TV_PROBED) {
		probed_count(t, site, executions, iterations);
		return;
	}
	if (t->mode != TV_ON && tv_site_out(t, site)) {
		if (tv_busy_begin(t, true)) {
			tv_site_left_out(t, site);
			tv_busy_end(t);
		}
		return;
	}
	if (tv_counting(t))
		tv_counters_stop(t);
	if (t->mode == TV_GAP)
		tv_gap_count(t, &(struct tv_gap_count){ site, executions, iterations });
	count_in_row(t, site, executions, iterations);
	if (tv_counting(t))
		tv_counters_go(t);
}

/* Counts executions and iterations of a loop without a time of its own. */
static void count(const struct tv_site *site, unsigned long executions, unsigned long iterations)
{
	struct tv_thread *t = &tv_self;

	if (!executions)
		return;
	if (TV_LIKELY(t->mode == TV_ON))
		count_in_row(t, site, executions, iterations);
	else
		count_slow(t, site, executions, iterations);
}

static void iterate(const struct tv_site *site, unsigned token)
{
	struct tv_thread *t = &tv_self;
	struct tv_frame *f;
	uint64_t now;

	if (TV_UNLIKELY(!t->live || (t->mode >= TV_GAP && t->mode != TV_COUNTING)) || token == 0 ||
	    token > t->rows.depth)
		return;
	f = &t->rows.stack[token - 1];
	if (f->site != (uint64_t)(uintptr_t)site)
		return;
	if (TV_UNLIKELY(!tv_busy_begin(t, false)))
		return;
	now = tv_row_time(t);
	if (token < t->rows.depth)
		tv_close_lost(t, token, now, true);
	tv_loop_iterated(f->entry, f->iteration, now);
	f->iteration = now;
	tv_busy_end(t);
}

void tv_record_site(struct tv_thread *t, const struct tv_note *note)
{
	const struct tv_site *site = (const void *)(uintptr_t)tv_function_address(note->what);
	const bool loop = note->what & TV_NOTE_LOOP;

	if ((note->what & 0xff) == TV_SITE_LEAVE)
		site_close(t, site, t->rows.depth ? t->rows.depth : UINT32_MAX, loop, note->with,
			   t->given);
	else if (loop)
		loop_enter(t, site, note->frame, t->given);
	else
		procedure_enter(t, site, note->at, (const void *)(uintptr_t)note->with, note->frame,
				t->given);
}

static void statement(const struct tv_site *site)
{
	tv_self.statement = site;
}

void tv_probes_fill(struct tv_probes *probes)
{
	probes->enter = enter;
	probes->leave = leave;
	probes->enter_loop = enter_loop;
	probes->leave_loop = leave_loop;
	probes->iterate = iterate;
	probes->count = count;
	probes->statement = statement;
}
