/* Functions compiled with -finstrument-functions, and the regions that a program marks itself (tview.h). */
#include <stdlib.h>
#include <string.h>

#include "capture/lib/recorder.h"
#define TVIEW_NO_PROBES
#include <tview.h>

/* The compiler's hooks. The time is read last on entry and on leaving alike: only what two neighbouring records cost
 * between their stamps matters, and that is the same either way. */
TV_PUBLIC void __cyg_profile_func_enter(void *function, void *caller);
TV_PUBLIC void __cyg_profile_func_exit(void *function, void *caller);

enum { COUNTED_HOOKS = 1 << 16, MODULES_MAX = 64 };

/* The programs and libraries in this process that have inline guards. */
static struct {
	pthread_mutex_t lock;
	uint32_t n;
	struct tview_probes *module[MODULES_MAX];
} guards = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Guards are the process's, modes a thread's: with several threads the guards stay up, and the hooks decide. */
static void set_guards(bool up)
{
	const uint32_t n = __atomic_load_n(&guards.n, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n; i++)
		__atomic_store_n(&guards.module[i]->mode, up, __ATOMIC_RELAXED);
}

static bool wanted_up(const struct tv_thread *t)
{
	if (!tv.file || tv.dead || !tv.functions)
		return false;
	return __atomic_load_n(&tv.file->threads, __ATOMIC_RELAXED) > 1 ||
	       (t->mode != TV_SKIP && !t->full);
}

void tv_set_mode(struct tv_thread *t, enum tv_mode mode)
{
	t->mode = t->chunk ? mode : TV_OFF;
	set_guards(wanted_up(t));
}

static void delay(void)
{
	const uint64_t from = tv_now();

	while (tv_now() - from < tv.delay)
		;
}

/* A segment between two chunks ends: as deep as it began, so that what is open is the same. */
static void end_counted(struct tv_thread *t)
{
	tv_write(t, tv_now(), TV_SEGMENT, 0, 0, 0);
	tv_set_mode(t, tv.normal);
}

/* True when the hook is one of a segment without records. */
static bool counted(struct tv_thread *t, enum tv_kind kind)
{
	if (t->depth == 0 && (kind == TV_FUNCTION_LEAVE || t->left == 0)) {
		end_counted(t);
		return false;
	}
	t->depth += kind == TV_FUNCTION_ENTER ? 1u : -1u;
	t->left -= t->left > 0;
	return true;
}

static bool begin_counted(struct tv_thread *t)
{
	if (!tv_draw(t)) {
		tv_set_mode(t, tv.normal);
		return false;
	}
	t->depth = 1;
	t->left = COUNTED_HOOKS;
	tv_write(t, tv_now(), TV_SEGMENT, TV_UNRECORDED, 0, 0);
	tv_set_mode(t, TV_COUNTED);
	return true;
}

/* Whatever is not the usual. */
static __attribute__((noinline)) void function_slow(enum tv_kind kind, uint64_t how, void *function)
{
	struct tv_thread *t = &tv_self;

	if (t->mode == TV_OFF && !tv_thread_start())
		return;
	if (t->mode == TV_SKIP || (t->mode == TV_COUNTED && counted(t, kind)) ||
	    (t->mode == TV_DRAW && kind == TV_FUNCTION_ENTER && begin_counted(t)))
		return;
	if (!t->chunk)
		return;
	if (t->mode == TV_SLOW)
		delay();
	tv_write_function(t, kind, how, function);
}

/* One test stands between a hook and its record. */
static inline void function_hook(enum tv_kind kind, uint64_t how, void *function)
{
	struct tv_thread *t = &tv_self;

	if (TV_LIKELY(t->mode == TV_ON))
		tv_write_function(t, kind, how, function);
	else if (t->mode != TV_SKIP)
		function_slow(kind, how, function);
}

void __cyg_profile_func_enter(void *function, void *caller)
{
	(void)caller;
	function_hook(TV_FUNCTION_ENTER, 0, function);
}

void __cyg_profile_func_exit(void *function, void *caller)
{
	(void)caller;
	function_hook(TV_FUNCTION_LEAVE, 0, function);
}

static void guarded_enter(void *function)
{
	function_hook(TV_FUNCTION_ENTER, TV_GUARDED, function);
}

static void guarded_leave(void *function)
{
	function_hook(TV_FUNCTION_LEAVE, TV_GUARDED, function);
}

static void api_join(struct tview_probes *probes)
{
	probes->enter = guarded_enter;
	probes->leave = guarded_leave;
	pthread_mutex_lock(&guards.lock);
	if (guards.n < MODULES_MAX) {
		guards.module[guards.n] = probes;
		__atomic_store_n(&guards.n, guards.n + 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&guards.lock);
	set_guards(wanted_up(&tv_self));
}

/* A library is unloaded. */
static void api_part(struct tview_probes *probes)
{
	pthread_mutex_lock(&guards.lock);
	for (uint32_t i = 0; i < guards.n; i++) {
		if (guards.module[i] != probes)
			continue;
		guards.module[i] = guards.module[guards.n - 1];
		__atomic_store_n(&guards.n, guards.n - 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&guards.lock);
}

/* ---- regions by name ---- */

enum { STRINGS_MAX = 4096 };

/* Names this thread has used: found by their address, checked by their text. A power of two, never more than half
 * full; the thread's own, so no lock. */
struct tv_strings {
	uint32_t n;
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
	/* A full table: each use defines the name anew, which is dear but right. */
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

static void named(enum tv_kind kind, const char *name)
{
	struct tv_thread *t = tv_self.chunk ? &tv_self : tv_thread_start();
	uint32_t id;

	if (!t || !name)
		return;
	id = name_id(t, name);
	if (t->chunk && id != UINT32_MAX)
		tv_write(t, tv_now(), kind, 0, 0, id);
}

static void api_begin(const char *name)
{
	named(TV_USER_ENTER, name);
}

static void api_end(const char *name)
{
	named(TV_USER_LEAVE, name);
}

static void api_mark(const char *name)
{
	named(TV_USER_MARK, name);
}

/* ---- topologies by hand ---- */

_Static_assert((int)TV_GRID_DIMS == (int)TVIEW_DIMS,
	       "tview.h promises as many dimensions as are kept");

/* The values of both arrays behind each other. Whether they make sense is for tvrun to say, who knows all ranks. */
static void define_grid(enum tv_definition what, const char *name, int dims, const int *first,
			const int *second)
{
	struct tv_thread *t = tv_self.chunk ? &tv_self : tv_thread_start();
	int32_t text[2 + 2 * TV_GRID_DIMS];
	struct tv_def_grid def = { dims, 0 };

	if (!t)
		return;
	if (first && dims >= 1 && dims <= TV_GRID_DIMS)
		def.values = what == TV_DEF_GRID ? 2 * dims : dims;
	for (int i = 0; i < def.values; i++)
		text[2 + i] = i < dims ? first[i] : second && second[i - dims] != 0;
	memcpy(text, &def, sizeof def);
	name = name ? name : "";
	tv_define(t, what, 0, text, sizeof def + (size_t)def.values * sizeof *text, name,
		  strlen(name) + 1);
}

static void api_topology(const char *name, int dims, const int *size, const int *periodic)
{
	define_grid(TV_DEF_GRID, name, dims, size, periodic);
}

static void api_coords(const char *name, int dims, const int *coords)
{
	define_grid(TV_DEF_PLACE, name, dims, coords, NULL);
}

TV_PUBLIC const struct tview_api tview_api = { 3,        api_begin, api_end,      api_mark,
					       api_join, api_part,  api_topology, api_coords };
