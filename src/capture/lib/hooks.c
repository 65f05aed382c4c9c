#define _GNU_SOURCE
/* Functions compiled with -finstrument-functions, and the regions that a program marks itself
 * (tview.h). */
#include <stdlib.h>
#include <string.h>

#include "capture/lib/chosen.h"
#include "capture/lib/controls.h"
#include "capture/lib/counters.h"
#include "capture/lib/pause.h"
#include "capture/lib/probes.h"
#include "capture/lib/virtual.h"

/* The compiler's hooks. The time is read last on entry and on leaving alike: only what two
 * neighbouring records cost between their stamps matters, and that is the same either way. */
TV_PUBLIC void __cyg_profile_func_enter(void *function, void *caller);
TV_PUBLIC void __cyg_profile_func_exit(void *function, void *caller);

enum { MODULES_MAX = 64 };

/* The programs and libraries in this process that have inline guards. */
static struct {
	pthread_mutex_t lock;
	uint32_t n;
	struct tview_probes *module[MODULES_MAX];
} guards = { .lock = TV_LOCK_INITIALIZER };

/* Guards belong to the process, modes to a thread: with several threads the guards stay up, and the
 * hooks decide. */
static void set_guards(bool up)
{
	const uint32_t n = __atomic_load_n(&guards.n, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n; i++)
		__atomic_store_n(&guards.module[i]->mode, up, __ATOMIC_RELAXED);
	tv_sites_guards(up);
}

static bool wanted_up(const struct tv_thread *t)
{
	if (!tv.file || tv.dead || !tv.functions)
		return false;
	return __atomic_load_n(&tv.file->threads, __ATOMIC_RELAXED) > 1 ||
	       (t->mode != TV_SKIP && t->mode != TV_OFF && t->mode != TV_BLANK);
}

void tv_set_mode(struct tv_thread *t, enum tv_mode mode)
{
	t->mode = t->live ? mode : TV_OFF;
	set_guards(wanted_up(t));
}

/* Returns how long it was. */
static uint64_t delay(void)
{
	const uint64_t from = tv_now();
	uint64_t now = from;

	while (now - from < tv.delay)
		now = tv_now();
	return now - from;
}

bool tv_probe_slow(struct tv_thread *t, uint64_t site, uint64_t *now)
{
	if (t->mode == TV_OFF && !tv_thread_start())
		return false;
	if (t->mode == TV_SKIP || t->mode == TV_PAUSED || !t->live ||
	    ((t->mode == TV_CALLS_OFF || t->mode == TV_COUNTING) && !tv.functions))
		return false;
	if (tv_counting(t))
		tv_counters_stop(t);
	if (t->mode == TV_SLOW) {
		uint64_t spent;
		if (tv.delay && tv.virtual_time)
			tv_virtual_pause();
		spent = tv.delay ? delay() : 0;
		if (tv.virtual_time)
			tv_virtual_probe(spent);
		if (tv.virtual_time && tv.statistics)
			*now = tv_virtual_now();
	} else if (tv.delay && t->mode != TV_GIVEN) {
		delay();
	}
	if (t->mode == TV_LEARN)
		*now = t->given = tv_learn_time(t, site);
	else if (t->mode == TV_GIVEN)
		*now = t->given;
	return true;
}

static __attribute__((noinline)) void paused_enter(struct tv_thread *t, uint64_t place,
						   const void *frame, uint64_t how)
{
	if (tv.functions)
		tv_pause_enter(t, place, frame, NULL, how ? TV_FRAME_GUARDED : TV_FRAME_FUNCTION);
}

/* Module tview may have hooks as the program has: a region begins and ends in two calls of it. */
static inline bool is_of_module(uint64_t place)
{
	return place - tv.module.start < tv.module.size;
}

/* What a hook knows. `caller` is of the function that the compiler inlined this one into, if it
 * did; `hook`, where the hook itself returns to, is in the code of both. */
struct entering {
	void *function, *caller;
	void *frame;
	const void *hook;
};

/* Where a function was entered from. What the inside of a construct ends with seems to be called by
 * the recorder: the function that was made of the inside tells it from others. */
static inline uint64_t entered_from(struct tv_thread *t, const struct entering *e)
{
	const uint64_t caller = (uint64_t)(uintptr_t)e->caller;
	const struct tv_inside *inside;

	if (TV_LIKELY(caller - (uintptr_t)__start_tv_bodies >=
		      (uintptr_t)__stop_tv_bodies - (uintptr_t)__start_tv_bodies))
		return caller;
	inside = tv_constructs_around(&t->constructs, t->rows.depth);
	return inside && inside->body ? inside->body : caller;
}

/* `how` is 0 or TV_GUARDED; `now` is 0 if the clock must still be read. */
static inline __attribute__((always_inline)) void
function_open(struct tv_thread *t, uint64_t how, const struct entering *e, uint64_t now)
{
	const uint64_t place = (uint64_t)(uintptr_t)e->function;
	const uint64_t what = tv_function_make(place, how);
	struct tv_entry *entry;
	struct tv_frame *f;
	uint64_t *at;
	uint32_t slot;

	if (TV_UNLIKELY(is_of_module(place)))
		return;
	tv_look_for_longjmp(t, e->frame);
	entry = tv_entry_entered(t, place, entered_from(t, e), (uint64_t)(uintptr_t)e->hook);
	at = tv_visit_enter_room(t, entry, what, &slot);
	f = tv_open(t, entry, place, e->frame, NULL,
		    (how ? (uint32_t)TV_FRAME_GUARDED : (uint32_t)TV_FRAME_FUNCTION) |
			    (at ? (uint32_t)TV_FRAME_WRITTEN : 0));
	if (TV_LIKELY(!now))
		now = tv_now();
	if (at)
		tv_visit_commit(t, entry, at, TV_WORD_RECORD, slot, now);
	if (TV_LIKELY(f))
		f->start = now;
}

static __attribute__((noinline)) void counted_open(struct tv_thread *t, uint64_t how,
						   const struct entering *e)
{
	function_open(t, how, e, 0);
	tv_counters_entered(t);
}

/* One test is between a hook and its record. */
static inline __attribute__((always_inline)) void function_enter(struct tv_thread *t, uint64_t how,
								 const struct entering *e)
{
	const uint64_t place = (uint64_t)(uintptr_t)e->function;
	uint64_t now = 0;

	if (TV_UNLIKELY(t->mode != TV_ON)) {
		if (t->mode == TV_GAP) {
			tv_note(t, (struct tv_note){ .what = tv_function_make(place, how),
						     .with = (uintptr_t)e->caller,
						     .frame = e->frame,
						     .hook = e->hook });
			return;
		}
		if (t->mode == TV_BLANK)
			return;
		if (tv.choose && !tv_chosen(t, tv_lasting(t, place)))
			return;
		if (t->mode == TV_PAUSED && tv_pause_holds(t)) {
			paused_enter(t, place, e->frame, how);
			return;
		}
		if (!tv_probe_slow(t, place, &now))
			return;
		if (tv_counting(t)) {
			counted_open(t, how, e);
			return;
		}
	}
	function_open(t, how, e, now);
}

/* The function is not the innermost one: longjmp left those above it. If it is not open at all, it
 * was entered while nothing was recorded. */
static __attribute__((noinline)) bool left_oddly(struct tv_thread *t, uint64_t site, uint64_t now)
{
	const struct tv_procedure *procedure = tv_procedure_find(&t->rows, tv_lasting(t, site));
	const uint32_t depth = procedure && procedure->open ? tv_depth_of(&t->rows, site) : 0;

	if (depth)
		tv_close_lost(t, depth, now, true);
	return depth != 0;
}

static __attribute__((noinline)) void paused_leave(struct tv_thread *t, uint64_t place)
{
	if ((t->rows.depth && tv_top(&t->rows)->site == place) || left_oddly(t, place, tv_now()))
		tv_pause_leave(t);
}

static inline __attribute__((always_inline)) void function_close(struct tv_thread *t, uint64_t how,
								 void *function, uint64_t now)
{
	const uint64_t place = (uint64_t)(uintptr_t)function;
	struct tv_entry *entry = t->rows.spare;
	uint64_t *at;
	uint32_t slot;

	if (TV_UNLIKELY(is_of_module(place)))
		return;
	if (TV_LIKELY(!now))
		now = tv_now();
	if (TV_LIKELY((t->rows.depth && tv_top(&t->rows)->site == place) ||
		      left_oddly(t, place, now))) {
		const uint32_t flags = tv_top(&t->rows)->flags;
		entry = tv_top(&t->rows)->entry;
		tv_close(t, now, 0);
		if (TV_UNLIKELY(!(flags & TV_FRAME_WRITTEN)) && t->has_paused)
			return;
	} else if (t->has_paused) {
		return;
	}
	at = tv_visit_room(t, entry, tv_function_make(place, how), &slot);
	if (TV_LIKELY(at))
		tv_visit_commit(t, entry, at, TV_WORD_LEFT, slot, now);
}

static __attribute__((noinline)) void counted_close(struct tv_thread *t, uint64_t how,
						    void *function)
{
	function_close(t, how, function, tv_counters_leave(t));
	tv_counters_go(t);
}

static inline __attribute__((always_inline)) void function_leave(struct tv_thread *t, uint64_t how,
								 void *function)
{
	const uint64_t place = (uint64_t)(uintptr_t)function;
	uint64_t now = 0;

	if (TV_UNLIKELY(t->mode != TV_ON)) {
		if (t->mode == TV_GAP) {
			tv_note(t,
				(struct tv_note){ .what = TV_FUNCTION_LEAVE | place << 8 | how });
			return;
		}
		if (t->mode == TV_BLANK)
			return;
		if (tv.choose && !tv_chosen(t, tv_lasting(t, place)))
			return;
		if (t->mode == TV_PAUSED && tv_pause_holds(t)) {
			paused_leave(t, place);
			return;
		}
		if (!tv_probe_slow(t, place, &now))
			return;
		if (tv_counting(t)) {
			counted_close(t, how, function);
			return;
		}
	}
	function_close(t, how, function, now);
}

void tv_record_note(struct tv_thread *t, const struct tv_note *note)
{
	void *function = (void *)(uintptr_t)tv_function_address(note->what);
	const uint64_t how = note->what & TV_GUARDED;

	switch (note->what & 0xff) {
	case TV_FUNCTION_ENTER:
		function_enter(t, how,
			       &(struct entering){ function, (void *)(uintptr_t)note->with,
						   note->frame, note->hook });
		break;
	case TV_FUNCTION_LEAVE: function_leave(t, how, function); break;
	default: tv_record_site(t, note); break;
	}
}

static inline __attribute__((always_inline)) void hook_enter(uint64_t how, const struct entering *e)
{
	struct tv_thread *t = &tv_self;

	if (TV_UNLIKELY(!tv_busy_begin(t, true)))
		return;
	function_enter(t, how, e);
	tv_busy_end(t);
}

static inline __attribute__((always_inline)) void hook_leave(uint64_t how, void *function)
{
	struct tv_thread *t = &tv_self;

	if (TV_UNLIKELY(!tv_busy_begin(t, false)))
		return;
	function_leave(t, how, function);
	tv_busy_end(t);
}

void __cyg_profile_func_enter(void *function, void *caller)
{
	hook_enter(0, &(struct entering){ function, caller, __builtin_frame_address(0),
					  __builtin_return_address(0) });
}

void __cyg_profile_func_exit(void *function, void *caller)
{
	(void)caller;
	hook_leave(0, function);
}

static void guarded_enter(void *function)
{
	hook_enter(TV_GUARDED,
		   &(struct entering){ .function = function, .frame = __builtin_frame_address(0) });
}

static void guarded_leave(void *function)
{
	hook_leave(TV_GUARDED, function);
}

static void api_join(struct tview_probes *probes)
{
	const uintptr_t before = tv_busy_save(&tv_self);

	probes->enter = guarded_enter;
	probes->leave = guarded_leave;
	tv_take(&guards.lock);
	if (guards.n < MODULES_MAX) {
		guards.module[guards.n] = probes;
		__atomic_store_n(&guards.n, guards.n + 1, __ATOMIC_RELEASE);
	}
	tv_give(&guards.lock);
	set_guards(wanted_up(&tv_self));
	tv_busy_restore(&tv_self, before);
}

/* A library is unloaded. */
static void api_part(struct tview_probes *probes)
{
	const uintptr_t before = tv_busy_save(&tv_self);

	tv_take(&guards.lock);
	for (uint32_t i = 0; i < guards.n; i++) {
		if (guards.module[i] != probes)
			continue;
		guards.module[i] = guards.module[guards.n - 1];
		__atomic_store_n(&guards.n, guards.n - 1, __ATOMIC_RELEASE);
	}
	tv_give(&guards.lock);
	tv_busy_restore(&tv_self, before);
}

/* ---- regions by name ---- */

enum { STRINGS_MAX = 4096 };

/* Names this thread has used: found by their address, checked by their text. A power of two, never
 * more than half full; the thread's own, so no lock. */
struct tv_strings {
	uint32_t n;
	bool further; /* the name of those that have no room was defined */
	struct name {
		const char *address;
		char *copy;
		uint32_t id;
	} slot[STRINGS_MAX];
};

static uint32_t name_id(struct tv_thread *t, const char *name)
{
	const uint64_t key = (uint64_t)(uintptr_t)name * UINT64_C(0x9e3779b97f4a7c15);
	struct tv_strings *strings = t->strings;
	uint32_t at = (uint32_t)(key >> 52);

	if (!strings)
		strings = t->strings = calloc(1, sizeof *strings);
	if (!strings)
		return UINT32_MAX;
	for (; strings->slot[at].address; at = (at + 1) % STRINGS_MAX)
		if (strings->slot[at].address == name && !strcmp(strings->slot[at].copy, name))
			return strings->slot[at].id;
	/* A full table: each use defines the name again, which is expensive but correct. Where
	 * memory must not grow, all further names share one. */
	if (tv.statistics && strings->n == STRINGS_MAX / 2) {
		if (strings->further)
			return STRINGS_MAX / 2;
		strings->further = true;
		name = "(further names)";
	}
	const uint32_t id = strings->n;
	if (!tv_define(t, TV_DEF_STRING, id, name, strlen(name) + 1, NULL, 0))
		return UINT32_MAX;
	if (strings->n < STRINGS_MAX / 2) {
		char *copy = strdup(name);
		if (copy) {
			strings->slot[at] = (struct name){ name, copy, id };
			strings->n++;
		}
	}
	return id;
}

struct tv_thread *tv_named(const char *name, uint32_t *id)
{
	struct tv_thread *t = tv_self.live ? &tv_self : tv_thread_start();

	if (!t || !name)
		return NULL;
	if (tv_in_gap(t))
		tv_gap_stop(t);
	if (t->mode == TV_PAUSED)
		tv_pause_holds(t);
	*id = name_id(t, name);
	return *id != UINT32_MAX ? t : NULL;
}

/* Names that are defined again each time have no rows. */
static bool has_row(uint32_t id)
{
	return id < STRINGS_MAX / 2 || tv.statistics;
}

static bool region_begin(const char *name, uint64_t caller)
{
	const bool kept = name && tv_region_kept(name);
	const struct tv_frame *below;
	struct tv_frame *f = NULL;
	struct tv_thread *t;
	uint32_t id = 0;
	uint64_t place, now;

	t = tv_named(name, &id);
	if (!t)
		return false;
	place = TV_PLACE_REGION | id;
	/* A region may be left elsewhere than it was begun in: it belongs where its parent is. */
	below = t->rows.depth ? tv_top(&t->rows) : NULL;
	if (t->paused) {
		tv_pause_enter(t, place, NULL, below ? below->at : NULL, TV_FRAME_USER);
		return false;
	}
	if (has_row(id))
		f = tv_open(t,
			    tv_entry_find(t, place,
					  tv_begun_in(below, is_of_module(caller) ? 0 : caller),
					  TV_KEY_PLACE),
			    place, NULL, below ? below->at : NULL,
			    (uint32_t)TV_FRAME_USER |
				    (t->keep && kept ? (uint32_t)TV_FRAME_WRITTEN : 0));
	now = tv_row_time(t);
	t->has_paused |= !kept;
	if (kept)
		tv_write(t, now, TV_USER_ENTER, 0, 0, id);
	if (kept && tv_counting(t))
		tv_counters_at(t, now);
	if (!f)
		return kept;
	f->start = now;
	f->frame = below ? below->frame : 0;
	return kept;
}

static bool region_end(const char *name)
{
	const bool gap = tv_in_gap(&tv_self);
	uint64_t now = tv_row_time(&tv_self), place;
	struct tv_thread *t;
	bool written = true;
	uint32_t id = 0;

	t = tv_named(name, &id);
	if (!t)
		return false;
	if (gap)
		now = tv_now();
	place = TV_PLACE_REGION | id;
	if (t->paused) {
		paused_leave(t, place);
		return false;
	}
	if (has_row(id) &&
	    ((t->rows.depth && tv_top(&t->rows)->site == place) || left_oddly(t, place, now))) {
		written = tv_top(&t->rows)->flags & TV_FRAME_WRITTEN;
		tv_close(t, now, 0);
	} else {
		written = !has_row(id) && tv_region_kept(name);
	}
	if (!written && t->has_paused)
		return false;
	if (tv_counting(t))
		tv_counters_at(t, now);
	tv_write(t, now, TV_USER_LEAVE, 0, 0, id);
	return true;
}

static void mark(const char *name)
{
	struct tv_thread *t;
	uint32_t id;

	t = tv_named(name, &id);
	if (t && !t->paused && tv_region_kept(name))
		tv_write(t, tv_now(), TV_USER_MARK, 0, 0, id);
}

static void api_begin(const char *name)
{
	if (!tv_busy_begin(&tv_self, true))
		return;
	region_begin(name, (uint64_t)(uintptr_t)__builtin_return_address(0));
	tv_busy_end(&tv_self);
}

static void api_end(const char *name)
{
	if (!tv_busy_begin(&tv_self, false))
		return;
	region_end(name);
	tv_busy_end(&tv_self);
}

static void api_begin_at(const char *name, int location, int parameter)
{
	if (!tv_busy_begin(&tv_self, true))
		return;
	if (region_begin(name, (uint64_t)(uintptr_t)__builtin_return_address(0)))
		tv_write_block(&tv_self, location, parameter);
	tv_busy_end(&tv_self);
}

static void api_end_at(const char *name, int location, int parameter)
{
	if (!tv_busy_begin(&tv_self, false))
		return;
	if (region_end(name))
		tv_write_block(&tv_self, location, parameter);
	tv_busy_end(&tv_self);
}

static void api_mark(const char *name)
{
	if (!tv_busy_begin(&tv_self, true))
		return;
	mark(name);
	tv_busy_end(&tv_self);
}

/* ---- switching recording ---- */

static void api_record(int on)
{
	tv_pause(!on);
}

TV_PUBLIC const struct tview_api tview_api = {
	.version = 6,
	.begin = api_begin,
	.end = api_end,
	.mark = api_mark,
	.join = api_join,
	.part = api_part,
	.topology = tv_api_topology,
	.coords = tv_api_coords,
	.record = api_record,
	.begin_at = api_begin_at,
	.end_at = api_end_at,
	.level = tv_api_level,
	.regions = tv_api_regions,
	.data = tv_api_data,
	.message = tv_api_message,
	.info = tv_api_info,
	.flush = tv_api_flush,
	.trigger = tv_api_trigger,
};
