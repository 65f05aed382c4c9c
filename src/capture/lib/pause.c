#include "capture/lib/pause.h"

#include "capture/lib/controls.h"
#include "capture/lib/counters.h"

/* Open statements do not include the time in which recording was off. */
static void shift(struct tv_rows *rows, uint64_t by)
{
	for (uint32_t i = 0; i < rows->depth; i++) {
		rows->stack[i].start += by;
		if (rows->stack[i].iteration)
			rows->stack[i].iteration += by;
	}
}

static void begin(struct tv_thread *t)
{
	if (tv_in_gap(t))
		tv_gap_stop(t);
	t->segment.kind = NULL;
	t->paused = tv_now();
	t->has_paused = true;
	tv_counters_at(t, t->paused);
	tv_define(t, TV_DEF_PAUSE, 1, NULL, 0, NULL, 0);
	tv_set_mode(t, TV_PAUSED);
}

static void end(struct tv_thread *t)
{
	const uint64_t now = tv_now();

	shift(&t->rows, now - t->paused);
	t->paused = 0;
	tv_define(t, TV_DEF_PAUSE, 0, NULL, 0, NULL, 0);
	tv_counters_at(t, now);
	tv_set_mode(t, (enum tv_mode)tv.normal);
}

bool tv_pause_holds(struct tv_thread *t)
{
	const bool off = __atomic_load_n(&tv.paused, __ATOMIC_RELAXED);

	if (!t->live)
		return false;
	if (off && !t->paused)
		begin(t);
	else if (!off && t->paused)
		end(t);
	else if (!off && t->mode == TV_PAUSED) /* on again before this thread saw it was off */
		tv_set_mode(t, (enum tv_mode)tv.normal);
	return off;
}

/* Threads that are changing their own mode at this moment are not told: they ask at their next
 * segment. */
static void tell_threads(void)
{
	tv_take(&tv.lock);
	for (struct tv_thread *t = tv.threads; t; t = t->next)
		if (t != &tv_self &&
		    (t->mode == TV_ON || t->mode == TV_PROBED || t->mode == TV_SLOW ||
		     t->mode == TV_SKIP || t->mode == TV_CALLS_OFF || t->mode == TV_COUNTING))
			__atomic_store_n(&t->mode, (uint32_t)TV_PAUSED, __ATOMIC_RELAXED);
	tv_give(&tv.lock);
}

/* enum tv_mode of threads from now on. */
static void choose_normal(void)
{
	const uint32_t mode = tv.paused                    ? (uint32_t)TV_PAUSED
			      : tv.off & 1u << TVIEW_CALLS ? (uint32_t)TV_CALLS_OFF
							   : tv.usual;

	__atomic_store_n(&tv.normal, mode, __ATOMIC_RELAXED);
}

void tv_pause(bool off)
{
	struct tv_thread *t = &tv_self;
	const uintptr_t before = tv_busy_save(t);

	__atomic_store_n(&tv.paused, off, __ATOMIC_RELAXED);
	choose_normal();
	if (off && t->live)
		tell_threads();
	if (t->live && !t->nested)
		tv_pause_holds(t);
	tv_busy_restore(t, before);
}

void tv_pause_follow(struct tv_thread *t)
{
	choose_normal();
	tell_threads();
	if (t->paused)
		return;
	if (tv_in_gap(t))
		tv_gap_stop(t);
	t->segment.kind = NULL;
	tv_set_mode(t, (enum tv_mode)tv.normal);
}

enum { LIFTED_PAUSE = 1, LIFTED_CALLS = 2 };

static void switch_calls(bool off)
{
	const uintptr_t before = tv_busy_save(&tv_self);

	tv.off = off ? tv.off | 1u << TVIEW_CALLS : tv.off & ~(1u << TVIEW_CALLS);
	tv_pause_follow(&tv_self);
	tv_busy_restore(&tv_self, before);
}

uint32_t tv_pause_lift(void)
{
	const uint32_t lifted =
		(__atomic_load_n(&tv.paused, __ATOMIC_RELAXED) ? (uint32_t)LIFTED_PAUSE : 0) |
		(tv.off & 1u << TVIEW_CALLS ? (uint32_t)LIFTED_CALLS : 0);

	if (lifted & LIFTED_PAUSE)
		tv_pause(false);
	if (lifted & LIFTED_CALLS)
		switch_calls(false);
	return lifted;
}

void tv_pause_again(uint32_t lifted)
{
	if (lifted & LIFTED_CALLS)
		switch_calls(true);
	if (lifted & LIFTED_PAUSE)
		tv_pause(true);
}

uint32_t tv_pause_enter(struct tv_thread *t, uint64_t site, const void *frame,
			const struct tv_site **at, uint32_t flags)
{
	struct tv_frame *f;

	if (frame)
		tv_look_for_longjmp(t, frame);
	f = tv_open(t, t->rows.spare, site, frame, at, flags & ~(uint32_t)TV_FRAME_WRITTEN);
	if (!f)
		return 0;
	f->start = t->paused;
	f->iteration = 0;
	return t->rows.depth;
}

void tv_pause_leave(struct tv_thread *t)
{
	const struct tv_frame *f = tv_top(&t->rows);

	if (f->flags & TV_FRAME_WRITTEN)
		tv_write_left(t, f, tv_now());
	tv_close_as(t, t->paused, 0, f->flags & TV_FRAME_LOOP, 0);
}
