#include "capture/lib/open.h"

#include "capture/lib/calling.h"
#include "capture/lib/replay_board.h"
#include "capture/lib/virtual.h"

void tv_write_left(struct tv_thread *t, const struct tv_frame *f, uint64_t now)
{
	uint64_t what, *at;
	uint32_t slot;

	if (f->flags & TV_FRAME_USER) {
		tv_write(t, now, TV_USER_LEAVE, 0, 0, (uint32_t)f->site);
		return;
	}
	what = f->flags & TV_FRAME_SITE
		       ? f->entry->what
		       : tv_function_make(f->site, f->flags & TV_FRAME_GUARDED ? TV_GUARDED : 0);
	at = tv_visit_room(t, f->entry, what, &slot);
	if (at)
		tv_visit_commit(t, f->entry, at, TV_WORD_LEFT, slot, now);
}

uint64_t tv_row_time_slow(void)
{
	if (tv.virtual_time)
		tv_virtual_probe(0);
	return tv.virtual_time && tv.statistics ? tv_virtual_now() : tv_now();
}

void tv_visit_missed(void)
{
	if (!tv.file->functions_stopped)
		tv.file->functions_stopped = tv_now();
}

uint64_t *tv_visit_define(struct tv_thread *t, struct tv_entry *entry, uint64_t what, uint64_t *at)
{
	struct tv_wording *w = &t->wording;

	if ((what & 0xff) == TV_FUNCTION_ENTER)
		what = tv_function_make(entry->place ? entry->place
						     : tv_lasting(t, tv_function_address(what)),
					what & TV_GUARDED);
	/* The spare entry is that of several functions. */
	if (entry == t->rows.spare || w->slots == TV_WORD_SLOTS)
		return tv_words_slot(w, at, what, 0, 0, &w->found);
	entry->stamp = w->stamp;
	entry->slot = w->found = w->slots++;
	return tv_words_define(w, at, w->found, &(struct tv_contents){ .what = what });
}

void tv_close_lost(struct tv_thread *t, uint32_t depth, uint64_t now, bool events)
{
	while (t->rows.depth > depth) {
		const struct tv_frame *f = tv_top(&t->rows);
		if (events && f->flags & TV_FRAME_WRITTEN)
			tv_write_left(t, f, now);
		tv_close(t, now, TV_STAT_LOST);
	}
}

uint32_t tv_depth_of(const struct tv_rows *rows, uint64_t site)
{
	for (uint32_t depth = rows->depth; depth > 0; depth--)
		if (rows->stack[depth - 1].site == site)
			return depth;
	return 0;
}

static bool on_stack(const struct tv_rows *rows, uintptr_t frame)
{
	return frame >= rows->low && frame < rows->high;
}

void tv_longjmp(struct tv_thread *t, uintptr_t frame)
{
	const struct tv_rows *rows = &t->rows;
	uint32_t depth = rows->depth;

	if (!on_stack(rows, frame))
		return;
	while (depth && on_stack(rows, rows->stack[depth - 1].frame) &&
	       rows->stack[depth - 1].frame < frame)
		depth--;
	if (depth < rows->depth)
		tv_close_lost(t, depth, tv_probe_time(t), true);
}

void tv_close_all(struct tv_thread *t, uint64_t now)
{
	tv_close_lost(t, 0, now, false);
}

/* ---- calls of MPI ---- */

/* Functions that never wait for a partner: all of their time is their own. */
#define ONE(name)  [CALL_##name] = true,
#define BOTH(name) ONE(name) ONE(name##_c) /* also for large counts */

/* clang-format off */
static const bool own[CALL_COUNT] = {
	BOTH(Isend) BOTH(Ibsend) BOTH(Issend) BOTH(Irsend) BOTH(Irecv) BOTH(Imrecv) BOTH(Bsend)
	BOTH(Isendrecv) BOTH(Isendrecv_replace)
	ONE(Start) ONE(Startall) ONE(Pready) ONE(Pready_range) ONE(Pready_list)
	ONE(Improbe) ONE(Iprobe) ONE(Test) ONE(Testany) ONE(Testall) ONE(Testsome)
};
/* clang-format on */

struct tv_statistic *tv_call_row(struct tv_thread *t, uint32_t call, int32_t peer, uint32_t comm,
				 uint32_t flags)
{
	const uintptr_t before = tv_busy_save(t);
	const struct tv_entry *entry =
		t->nested == TV_CALL_PAUSED
			? t->rows.spare
			: tv_entry_find(t, t->place, tv_with_make(peer, comm, call, flags),
					TV_KEY_WITH);

	tv_busy_restore(t, before);
	return entry->row;
}

/* That of the call under way, which is recorded. */
static inline struct tv_statistic *own_row(struct tv_thread *t, uint32_t call)
{
	const struct tv_with *with = &t->with;

	if (with->row)
		return with->row;
	return tv_entry_find(t, t->place, tv_with_make(with->peer, with->comm, call, with->flags),
			     TV_KEY_WITH)
		->row;
}

void tv_calling_begins(struct tv_thread *t, uint32_t call)
{
	struct tv_calling *c = tv_calling_change(t);

	c->call = (uint16_t)call;
	c->kind = TV_CALLING_OTHER;
	c->since = t->now;
	c->place = t->place;
	tv_calling_told(c);
}

static void calling_ends(struct tv_thread *t, uint32_t call, uint64_t time)
{
	struct tv_calling *c = tv_calling_change(t);

	c->call = (uint16_t)call;
	c->kind = TV_CALLING_OUTSIDE;
	c->since = time;
	tv_calling_told(c);
}

void tv_account(struct tv_thread *t, uint32_t call, uint64_t time)
{
	const struct tv_with *with = &t->with;
	uint64_t took = time - t->now;
	/* Without what MPI called back. */
	uint64_t spent = with->children < took ? took - with->children : 0;
	struct virtual_end end = { 0 };
	struct tv_statistic *row;

	t->rows.told->latest = time;
	if (TV_UNLIKELY(tv.carries)) {
		if (tv.statistics && t->nested == TV_CALL_RECORDED)
			calling_ends(t, call, time);
		if (tv.virtual_time && !t->outers)
			end = tv_virtual_leave(t, call, time);
		if (tv.virtual_time && tv.statistics && !t->outers)
			spent = took = (uint64_t)(end.synchronisation + end.transmission);
	}
	tv_call_spent(t, took);
	row = own_row(t, call);
	tv_row_begin(row);
	tv_row_extremes(row, row->count, took);
	row->count++;
	row->time += took;
	row->children += with->children;
	row->communication.sent += with->sent;
	row->communication.received += with->received;
	if (own[call]) {
		row->communication.own++;
		row->communication.trans += spent;
	} else if (with->partner_ready && !with->untold) {
		const uint64_t waited =
			with->partner_ready <= t->now ? 0 : with->partner_ready - t->now;
		const uint64_t real = waited < spent ? waited : spent;
		const uint64_t sync =
			tv.virtual_time && !t->outers ? (uint64_t)end.synchronisation : real;
		row->communication.carried++;
		row->flags |= (uint8_t)(with->detected ? TV_STAT_DETECTED : 0);
		row->communication.sync += sync;
		row->communication.trans += spent - sync;
	}
	tv_row_end(row);
	if (TV_UNLIKELY(tv.virtual_time) && !t->outers)
		tv_virtual_record(t, call, time);
	if (TV_UNLIKELY(tv.board))
		tv_board_returns(t);
}

void tv_account_send(struct tv_thread *t, uint32_t call, int32_t peer, uint32_t comm,
		     uint64_t bytes)
{
	struct tv_statistic *row = tv_call_row(t, call, peer, comm, TV_STAT_SENT);

	tv_row_begin(row);
	row->count++;
	row->communication.sent += bytes;
	tv_row_end(row);
}
