/* Around a call of MPI: its enter, its leave, and its row. Most calls find all that they need at
 * hand, and take the short way through tv_begin() and tv_end_at(), which call no other function: so
 * these save no registers. Both look at what signal handlers change only when they are marked as
 * busy. */
#include "capture/lib/calling.h"
#include "capture/lib/callstack.h"
#include "capture/lib/core_look.h"
#include "capture/lib/counters.h"
#include "capture/lib/open.h"
#include "capture/lib/own_line.h"
#include "capture/lib/pause.h"
#include "capture/lib/replay_board.h"
#include "capture/lib/virtual.h"

/* ---- enter ---- */

static struct tv_thread *begin_recorded(uint32_t call, void *site, const void *frame)
{
	struct tv_thread *t = &tv_self;
	bool segment;

	if (tv_fortran_prepares(&t->fortran, call, site))
		return NULL;
	if (t->nested)
		site = tv_fortran_site(&t->fortran, site, __builtin_frame_address(0));
	if (t->nested && !tv_call_allows(t, call, site, frame))
		return NULL;
	if (!tv_busy_begin(t, true))
		return NULL;
	if (!tv_thread_start() || (uint64_t)(uintptr_t)site - tv_entry.start < tv_entry.size) {
		tv_busy_end(t);
		return NULL;
	}
	if (t->nested)
		t->outer[t->outers++] = tv_call_save(t);
	segment = t->segment.kind && t->mode < TV_GAP;
	if (t->mode == TV_COUNTING)
		tv_counters_stop(t);
	t->call = call;
	t->frame = frame;
	if ((t->mode == TV_PAUSED && tv_pause_holds(t)) || t->mode == TV_CALLS_OFF) {
		t->nested = TV_CALL_PAUSED;
		t->fortran.site = NULL;
		t->statement = NULL;
		t->with = (struct tv_with){ .peer = TV_PEER_NONE };
		t->now = tv_now();
		tv_busy_end(t);
		return t;
	}
	site = tv_fortran_site(&t->fortran, site, __builtin_frame_address(0));
	if (tv_in_gap(t)) {
		t->segment.next =
			(uint64_t)(uintptr_t)(t->statement ? (const void *)t->statement : site);
		tv_gap_end(t);
	}
	t->nested = t->outers ? TV_CALL_INNER : TV_CALL_RECORDED;
	if (tv.callstack && !t->outers)
		site = tv_callstack(t, site);
	tv_write_enter(t, call, site, frame);
	/* After the time stamp, so that its cost belongs to the call, not to a segment. */
	if (segment)
		tv_segment_end(t, t->now);
	if (t->mode == TV_COUNTING) {
		t->nested = TV_CALL_COUNTED;
		tv_counters_at(t, t->now);
		tv_counters_go(t);
	}
	tv_busy_end(t);
	return t;
}

static __attribute__((noinline)) struct tv_thread *begin(uint32_t call, void *site,
							 const void *frame)
{
	struct tv_thread *t = begin_recorded(call, site, frame);

	if (t && t->nested == TV_CALL_RECORDED && tv_core_look_due(t, t->now))
		tv_core_look(t, t->now);
	/* What MPI calls itself is part of the program's call. */
	if (TV_UNLIKELY(tv.deferred != NULL) &&
	    (t || (!tv_self.nested && (uint64_t)(uintptr_t)site - tv_entry.start >= tv_entry.size)))
		tv.deferred(t, call);
	return t;
}

/* Whether the process records calls in some way that only begin() knows. */
static inline bool begins_oddly(const struct tv_thread *t)
{
	return tv.clock != TV_CLOCK_TSC || tv.callstack || tv.unloads || tv.board ||
	       (tv.line && (tv.deferred || !tv_line_is_own(t)));
}

static __attribute__((noinline)) struct tv_thread *end_segment(struct tv_thread *t)
{
	tv_segment_end(t, t->now);
	tv_busy_end(t);
	if (tv_core_look_due(t, t->now))
		tv_core_look(t, t->now);
	return t;
}

static __attribute__((noinline)) struct tv_thread *begin_with_look(struct tv_thread *t)
{
	tv_busy_end(t);
	tv_core_look(t, t->now);
	return t;
}

struct tv_thread *tv_begin(uint32_t call, void *site, const void *frame)
{
	struct tv_thread *t = &tv_self;
	uint64_t place = (uint64_t)(uintptr_t)site, *at;
	uint32_t slot;

	if (TV_UNLIKELY(t->nested | t->busy | t->writing | (uintptr_t)t->fortran.site) ||
	    TV_UNLIKELY(t->mode - 1 >= TV_GAP - 1) || TV_UNLIKELY(begins_oddly(t)))
		return begin(call, site, frame);
	/* MPI implements its file operations with messages and collectives: those are not the
	 * program's. */
	if (TV_UNLIKELY(place - tv_entry.start < tv_entry.size))
		return NULL;
	/* Before a look at what handlers of signals change. */
	tv_busy_set(t);
	if (t->statement)
		place = tv_statement_known(t, t->statement);
	at = tv_words_at_hand(t, TV_WORDS_MOST);
	if (TV_UNLIKELY(!at || !place ||
			!tv_words_known(&t->wording, TV_ENTER | call << 16, place,
					(uint64_t)(uintptr_t)frame, &slot))) {
		tv_busy_end(t);
		return begin(call, site, frame);
	}
	t->nested = TV_CALL_RECORDED;
	t->call = call;
	t->frame = frame;
	t->place = place;
	t->statement = NULL;
	t->entered = &t->wording.known[slot];
	t->with = (struct tv_with){ .peer = TV_PEER_NONE };
	if (TV_UNLIKELY(tv.line != NULL))
		rank_line_calls(tv.line);
	t->now = tv_now_tsc();
	tv_words_commit(t, tv_words_put(&t->wording, at, t->now, tv_word(TV_WORD_RECORD, slot)));
	if (TV_UNLIKELY(t->segment.kind != NULL))
		return end_segment(t);
	if (TV_UNLIKELY(tv_core_look_due(t, t->now)))
		return begin_with_look(t);
	tv_busy_end(t);
	return t;
}

/* ---- rows ---- */

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

/* A row that the statement under way used last, if it is the one that is wanted; else NULL. */
static inline struct tv_statistic *row_used_last(const struct tv_thread *t, uint32_t call,
						 int32_t peer, uint32_t comm, uint32_t flags)
{
	struct tv_statistic *row = t->entered ? t->entered->row : NULL;

	return row && row->place == t->place && row->call == call &&
			       row->communication.peer == peer && row->communication.comm == comm &&
			       (row->flags & (TV_STAT_SENT | TV_STAT_RECEIVED)) == flags
		       ? row
		       : NULL;
}

static __attribute__((noinline)) struct tv_statistic *
row_find(struct tv_thread *t, uint32_t call, int32_t peer, uint32_t comm, uint32_t flags)
{
	const uintptr_t before = tv_busy_save(t);
	struct tv_statistic *row =
		t->nested == TV_CALL_PAUSED
			? t->rows.spare->row
			: tv_entry_find(t, t->place, tv_with_make(peer, comm, call, flags),
					TV_KEY_WITH)
				  ->row;

	if (t->entered)
		t->entered->row = row;
	tv_busy_restore(t, before);
	return row;
}

struct tv_statistic *tv_call_row(struct tv_thread *t, uint32_t call, int32_t peer, uint32_t comm,
				 uint32_t flags)
{
	struct tv_statistic *row = row_used_last(t, call, peer, comm, flags);

	return row && t->nested != TV_CALL_PAUSED ? row : row_find(t, call, peer, comm, flags);
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

/* One more call, within tv_row_begin(). */
static inline void count(struct tv_statistic *row, const struct tv_with *with, uint64_t took)
{
	tv_row_extremes(row, row->count, took);
	row->count++;
	row->time += took;
	row->children += with->children;
	/* One by one: read together, the two would have to wait until what was just stored to each
	 * of them is in the cache. */
	if (with->sent)
		row->communication.sent += with->sent;
	if (with->received)
		row->communication.received += with->received;
}

/* Without what MPI called back. */
static inline uint64_t spent_in(const struct tv_with *with, uint64_t took)
{
	return with->children < took ? took - with->children : 0;
}

static inline void account(struct tv_thread *t, uint32_t call, uint64_t time)
{
	const struct tv_with *with = &t->with;
	uint64_t took = time - t->now;
	uint64_t spent = spent_in(with, took);
	struct virtual_end end = { 0 };
	struct tv_statistic *row;

	t->rows.told->latest = time;
	if (TV_UNLIKELY(tv.carries)) {
		if (tv.statistics && t->nested == TV_CALL_RECORDED)
			calling_ends(t, call, time);
		if (tv.virtual_time && !t->outers)
			end = tv_virtual_leave(t, call, time);
		if (tv.virtual_time && tv.statistics && !t->outers) {
			spent = took = (uint64_t)(end.synchronisation + end.transmission);
			t->rows.told->latest = time - (uint64_t)end.intrusion;
		}
	}
	if (t->outers)
		tv_call_spent(t, took);
	else if (t->rows.depth)
		tv_top(&t->rows)->children += took;
	row = with->row ? with->row : row_used_last(t, call, with->peer, with->comm, with->flags);
	if (TV_UNLIKELY(!row || t->nested == TV_CALL_PAUSED))
		row = tv_call_row(t, call, with->peer, with->comm, with->flags);
	tv_row_begin(row);
	count(row, with, took);
	if (own[call] && !end.synchronisation) {
		row->communication.own++;
		row->communication.trans += spent;
	} else if (own[call]) {
		/* The last of a loop of tests, which is one wait in virtual time. */
		row->communication.carried++;
		row->communication.sync += (uint64_t)end.synchronisation;
		row->communication.trans += spent - (uint64_t)end.synchronisation;
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

void tv_account(struct tv_thread *t, uint32_t call, uint64_t time)
{
	account(t, call, time);
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

/* ---- leave ---- */

static inline void leave(struct tv_thread *t, uint64_t *at, uint32_t call, uint64_t time)
{
	tv_words_commit(t, tv_words_put_leave(&t->wording, at, time, call));
	t->nested = 0;
	tv_busy_end(t);
}

static inline bool begins_segment(const struct tv_thread *t)
{
	return tv.insitu && t->visits;
}

static inline bool skips_segment(const struct tv_thread *t)
{
	return t->gaps.skip && !__atomic_load_n(&tv.paused, __ATOMIC_RELAXED);
}

/* The long way. */
static __attribute__((noinline)) void end(struct tv_thread *t, uint32_t call, uint64_t time,
					  bool last)
{
	uint64_t *at;

	if (TV_UNLIKELY(t->nested != TV_CALL_RECORDED)) {
		tv_end_odd(t, call, time);
		return;
	}
	if (tv_core_look_due(t, time))
		time = tv_core_look(t, time);
	tv_busy_set(t);
	account(t, call, time);
	if (!last && begins_segment(t)) {
		if (skips_segment(t))
			t->gaps.skip--;
		else
			tv_segment_begin(t, time);
	}
	at = tv_words_at_hand(t, TV_WORDS_MOST);
	if (TV_LIKELY(at)) {
		leave(t, at, call, time);
		return;
	}
	tv_write(t, time, TV_LEAVE, 0, call, 0);
	t->nested = 0;
	tv_busy_end(t);
}

void tv_end_last(struct tv_thread *t, uint32_t call)
{
	end(t, call, tv_now(), true);
}

/* The call has its row already. */
static __attribute__((noinline)) void leave_for_segment(struct tv_thread *t, uint64_t *at,
							uint32_t call, uint64_t time)
{
	tv_segment_begin(t, time);
	leave(t, at, call, time);
}

void tv_end_at(struct tv_thread *t, uint32_t call, uint64_t time)
{
	const struct tv_with *with = &t->with;
	const uint64_t took = time - t->now;
	struct tv_statistic *row;
	uint64_t *at;

	if (TV_UNLIKELY(t->nested != TV_CALL_RECORDED || tv.carries || tv.board ||
			tv_core_look_due(t, time))) {
		end(t, call, time, false);
		return;
	}
	tv_busy_set(t);
	row = with->row ? with->row : row_used_last(t, call, with->peer, with->comm, with->flags);
	at = tv_words_at_hand(t, TV_WORDS_MOST);
	if (TV_UNLIKELY(!row || !at)) {
		end(t, call, time, false);
		return;
	}
	t->rows.told->latest = time;
	/* No call is around it. */
	if (t->rows.depth)
		tv_top(&t->rows)->children += took;
	tv_row_begin(row);
	count(row, with, took);
	if (own[call]) {
		row->communication.own++;
		row->communication.trans += spent_in(with, took);
	}
	tv_row_end(row);
	if (begins_segment(t)) {
		if (TV_UNLIKELY(!skips_segment(t))) {
			leave_for_segment(t, at, call, time);
			return;
		}
		t->gaps.skip--;
	}
	leave(t, at, call, time);
}
