/* Functions compiled with -finstrument-functions, and the regions that a program marks itself (tview.h). */
#include <stdlib.h>
#include <string.h>

#include "capture/lib/recorder.h"
#include <tview.h>

/* The compiler's hooks. The time is read last on entry and on leaving alike: only what two neighbouring records cost
 * between their stamps matters, and that is the same either way. */
TV_PUBLIC void __cyg_profile_func_enter(void *function, void *caller);
TV_PUBLIC void __cyg_profile_func_exit(void *function, void *caller);

static void function_slow(enum tv_kind kind, void *function)
{
	struct tv_thread *t = tv_thread_start();

	if (t && tv.functions)
		tv_write_function(t, kind, function);
}

void __cyg_profile_func_enter(void *function, void *caller)
{
	struct tv_thread *t = &tv_self;

	(void)caller;
	if (TV_UNLIKELY(!t->chunk))
		function_slow(TV_FUNCTION_ENTER, function);
	else if (TV_LIKELY(tv.functions))
		tv_write_function(t, TV_FUNCTION_ENTER, function);
}

void __cyg_profile_func_exit(void *function, void *caller)
{
	struct tv_thread *t = &tv_self;

	(void)caller;
	if (TV_UNLIKELY(!t->chunk))
		function_slow(TV_FUNCTION_LEAVE, function);
	else if (TV_LIKELY(tv.functions))
		tv_write_function(t, TV_FUNCTION_LEAVE, function);
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

TV_PUBLIC const struct tview_api tview_api = { 1, api_begin, api_end, api_mark };
