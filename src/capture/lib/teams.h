/* teams: births of threads, and teams of OpenMP with their constructs, as the runtime reports them
 * (ompt.c) or its entry points show them (gomp.c).
 *
 * The thread that begins a team writes TV_FORK and TV_JOIN, the others TV_TEAM_BEGIN and _END; all
 * of them name the team by its number, and tvrun puts them together. The moment at which a thread
 * is released from the barrier at the end of a team is not known: it is at TV_JOIN at the latest.
 *
 * None of it is recorded inside a call of MPI, or where no events are kept. */
#pragma once

#include "capture/lib/counters.h"
#include "capture/lib/pause.h"
#include "capture/lib/virtual.h"
#include "capture/lib/virtual_teams.h"

/* Set once before threads begin: a runtime reports what OpenMP does, so the entry points only pass
 * calls on. */
extern bool tv_omp_told;

/* The thread, if it keeps the record of an end; else NULL. */
static inline struct tv_thread *tv_team_closes(void)
{
	struct tv_thread *t = &tv_self;

	if (TV_UNLIKELY(!t->live && (!tv.teams || !tv.file || !tv_thread_start())))
		return NULL;
	if (TV_UNLIKELY(!t->keep || t->nested || !tv.teams))
		return NULL;
	if (TV_UNLIKELY(tv_in_gap(t))) {
		const uintptr_t before = tv_busy_save(t);
		tv_gap_stop(t);
		tv_busy_restore(t, before);
	}
	return t;
}

/* The same for a begin: recording may be switched off. */
static inline struct tv_thread *tv_team_opens(void)
{
	struct tv_thread *t = tv_team_closes();
	uintptr_t before;
	bool off;

	if (TV_LIKELY(!t || t->mode != TV_PAUSED))
		return t;
	before = tv_busy_save(t);
	off = tv_pause_holds(t);
	tv_busy_restore(t, before);
	return off ? NULL : t;
}

/* OpenMP is used: statistics have nothing of it. */
static inline void tv_team_passed(void)
{
	if (TV_UNLIKELY(tv.statistics) && tv.file && !tv.dead &&
	    !(__atomic_load_n(&tv.file->state, __ATOMIC_RELAXED) & TV_NO_OPENMP))
		__atomic_fetch_or(&tv.file->state, TV_NO_OPENMP, __ATOMIC_RELAXED);
}

/* A number for a team. */
uint32_t tv_team_new(void);

/* What was counted, of a record beside it. */
static inline void tv_team_count(struct tv_thread *t, uint64_t now)
{
	if (TV_UNLIKELY(tv_counting(t)))
		tv_counters_at(t, now);
}

static inline bool tv_omp_is_barrier(uint32_t construct)
{
	return construct == TV_OMP_BARRIER || construct == TV_OMP_IMPLICIT_BARRIER;
}

/* A record with a place: TV_BORN, TV_FORK, TV_OMP_ENTER. `body`: the function that the compiler
 * made of the inside, NULL unknown. */
static inline void tv_team_enter(struct tv_thread *t, enum tv_kind kind, uint32_t call, uint32_t id,
				 const void *site, const void *body)
{
	/* First: a module that is seen for the first time is written. */
	const uint64_t place = tv_lasting(t, (uint64_t)(uintptr_t)site);
	const uint64_t inside = body ? tv_lasting(t, (uint64_t)(uintptr_t)body) : 0;
	struct tv_enter *record = tv_room(t, sizeof *record);
	uint64_t now;

	if (TV_UNLIKELY(!record))
		return;
	now = tv_now();
	*record = (struct tv_enter){ { now, (uint8_t)kind, 0, (uint16_t)call, id }, place, inside };
	tv_commit(t, sizeof *record);
	if (kind == TV_FORK)
		tv_constructs_begin(&t->constructs, TV_OMP_PARALLEL, id, inside, t->rows.depth);
	else if (kind == TV_OMP_ENTER)
		tv_constructs_begin(&t->constructs, call, place, inside, t->rows.depth);
	tv_team_count(t, now);
	if (TV_LIKELY(!tv.virtual_time))
		return;
	tv_virtual_probe(0);
	if (kind == TV_FORK)
		tv_virtual_team(t, kind, id, now);
	else if (kind == TV_OMP_ENTER && tv_omp_is_barrier(call))
		tv_virtual_barrier(t, true);
}

static inline void tv_team_write(struct tv_thread *t, enum tv_kind kind, uint32_t id)
{
	uint64_t now;

	if (TV_UNLIKELY(tv.virtual_time) && kind == TV_JOIN)
		tv_virtual_team(t, kind, id, 0);
	now = tv_now();
	tv_team_count(t, now);
	tv_write(t, now, kind, 0, 0, id);
	if (kind == TV_TEAM_BEGIN) {
		/* Its last team may be over without a record. */
		t->constructs.n = 0;
		tv_constructs_begin(&t->constructs, TV_OMP_PARALLEL, id, 0, t->rows.depth);
	} else if (kind != TV_TEAM_PART) {
		tv_constructs_leave(&t->constructs, id);
	}
	if (TV_LIKELY(!tv.virtual_time))
		return;
	tv_virtual_probe(0);
	if (kind != TV_JOIN)
		tv_virtual_team(t, kind, id, now);
}

/* TV_TEAM_BEGIN of a team whose `body` is known. */
static inline void tv_team_begin(struct tv_thread *t, uint32_t id, const void *body)
{
	struct tv_inside *inside;

	tv_team_write(t, TV_TEAM_BEGIN, id);
	inside = tv_constructs_last(&t->constructs);
	if (inside)
		inside->body = tv_lasting(t, (uint64_t)(uintptr_t)body);
}

static inline void tv_omp_enter(struct tv_thread *t, enum tv_construct construct, const void *site)
{
	tv_team_enter(t, TV_OMP_ENTER, construct, 0, site, NULL);
}

static inline void tv_omp_leave(struct tv_thread *t, enum tv_construct construct)
{
	uint64_t now;

	if (TV_UNLIKELY(tv.virtual_time) && tv_omp_is_barrier(construct))
		tv_virtual_barrier(t, false);
	now = tv_now();
	tv_team_count(t, now);
	tv_write(t, now, TV_OMP_LEAVE, 0, construct, 0);
	tv_constructs_end(&t->constructs, construct);
	if (TV_UNLIKELY(tv.virtual_time))
		tv_virtual_probe(0);
}

/* TV_LOCKED, TV_UNLOCKED. */
static inline void tv_omp_lock(struct tv_thread *t, enum tv_kind kind, uint64_t lock)
{
	tv_write_function(t, kind, 0, (const void *)(uintptr_t)lock);
	if (kind == TV_LOCKED)
		tv_constructs_lock(&t->constructs, lock);
	else
		tv_constructs_unlock(&t->constructs, lock);
}
