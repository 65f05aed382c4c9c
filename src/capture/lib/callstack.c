#define _GNU_SOURCE
#include "capture/lib/callstack.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdlib.h>

enum { OWN = 8, KNOWN_BITS = 14, PROBES_MAX = 32 };

static struct {
	/* Return addresses, the innermost first. */
	int (*unwind)(void **addresses, int most);
	pthread_mutex_t lock;
	uint32_t n;
	struct known {
		uint64_t hash; /* 0: free */
		uint32_t id;   /* from 1 */
	} known[1 << KNOWN_BITS];
} stacks = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* libunwind is several times faster than what the C library has; it need not be there. */
uint32_t tv_callstack_start(void)
{
	const char *value = getenv("TVIEW_CALLSTACK");
	const uint32_t n = value ? (uint32_t)strtoul(value, NULL, 10) : 0;
	void *library, *first[1];

	if (!n)
		return 0;
	library = dlopen("libunwind.so.8", RTLD_LAZY | RTLD_LOCAL);
	if (library)
		*(void **)&stacks.unwind = dlsym(library, "unw_backtrace");
	if (!stacks.unwind)
		stacks.unwind = backtrace;
	/* What it loads and learns at its first call is of no program's time. */
	stacks.unwind(first, 1);
	return n < TV_STACK_MAX ? n : TV_STACK_MAX;
}

static uint64_t hash_of(void *const *address, int n)
{
	uint64_t hash = (uint64_t)n + 1;

	for (int i = 0; i < n; i++)
		hash = (hash ^ (uint64_t)(uintptr_t)address[i]) * UINT64_C(0x9e3779b97f4a7c15) ^
		       hash >> 29;
	return hash | 1;
}

/* The slot that has it, or would; NULL: there is no room. */
static struct known *slot_of(uint64_t hash)
{
	for (uint64_t i = 0; i < PROBES_MAX; i++) {
		struct known *k =
			&stacks.known[((hash >> 20) + i) & ((UINT64_C(1) << KNOWN_BITS) - 1)];
		const uint64_t is = __atomic_load_n(&k->hash, __ATOMIC_ACQUIRE);
		if (!is || is == hash)
			return k;
	}
	return NULL;
}

/* Its number, defined where it is new; 0: no room. */
static uint32_t number_of(struct tv_thread *t, void *const *address, int n)
{
	const uint64_t hash = hash_of(address, n);
	struct known *k = slot_of(hash);
	uint32_t id;

	if (k && __atomic_load_n(&k->hash, __ATOMIC_ACQUIRE) == hash)
		return k->id;
	pthread_mutex_lock(&stacks.lock);
	k = slot_of(hash);
	if (k && !k->hash &&
	    tv_define(t, TV_DEF_STACK, stacks.n + 1, address, (size_t)n * sizeof *address, NULL,
		      0)) {
		k->id = ++stacks.n;
		__atomic_store_n(&k->hash, hash, __ATOMIC_RELEASE);
	}
	id = k && k->hash == hash ? k->id : 0;
	pthread_mutex_unlock(&stacks.lock);
	return id;
}

void tv_callstack(struct tv_thread *t, const void *site)
{
	void *address[TV_STACK_MAX + OWN];
	const int n = stacks.unwind(address, (int)tv.callstack + OWN);
	int first = 0, count;
	uint32_t id;

	while (first < n && address[first] != site)
		first++;
	count = n - first < (int)tv.callstack ? n - first : (int)tv.callstack;
	id = count > 0 ? number_of(t, address + first, count) : 0;
	if (id)
		tv_write(t, tv_now(), TV_STACK, 0, 0, id);
}
