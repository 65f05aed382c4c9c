#define _GNU_SOURCE
#include "capture/lib/callstack.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdlib.h>
#include <string.h>

#include "capture/lib/modules.h"
#include "capture/lib/python_frames.h"

enum { OWN = 8, KNOWN_BITS = 16, PROBES_MAX = 32 };

/* What was defined so far. */
struct table {
	uint32_t n;
	struct known {
		uint64_t hash; /* 0: free */
		uint32_t id;   /* from 1; 0: it has none */
	} known[1 << KNOWN_BITS];
};

static struct {
	/* Return addresses, the innermost first; NULL: they are not wanted. */
	int (*unwind)(void **addresses, int most);
	uint32_t most;        /* of them */
	bool python;          /* its frames can be read, */
	bool paths;           /* and all are wanted, not the innermost one alone */
	uint64_t start, size; /* of the interpreter's code */
	pthread_mutex_t lock;
	struct table stacks, frames;
} stacks = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* libunwind is several times faster than the C library's unwinder, but may be missing. */
static void start_unwinding(void)
{
	void *library = dlopen("libunwind.so.8", RTLD_LAZY | RTLD_LOCAL), *first[1];

	if (library)
		*(void **)&stacks.unwind = dlsym(library, "unw_backtrace");
	if (!stacks.unwind)
		stacks.unwind = backtrace;
	/* Its first call loads and learns things: that must not happen in the program's time. */
	stacks.unwind(first, 1);
}

uint32_t tv_callstack_start(void)
{
	const char *value = getenv("TVIEW_CALLSTACK"), *python = getenv("TVIEW_PYTHON");
	const uint32_t n = value ? (uint32_t)strtoul(value, NULL, 10) : 0;

	stacks.most = tv.statistics ? 0 : n < TV_STACK_MAX ? n : TV_STACK_MAX;
	stacks.paths = !tv.statistics && python && !strcmp(python, "path");
	stacks.python = (!python || strcmp(python, "off") != 0) &&
			tv_python_start(&stacks.start, &stacks.size);
	if (stacks.most)
		start_unwinding();
	return stacks.most ? stacks.most : stacks.python;
}

static uint64_t hash_of(void *const *address, uint32_t n)
{
	uint64_t hash = (uint64_t)n + 1;

	for (uint32_t i = 0; i < n; i++)
		hash = (hash ^ (uint64_t)(uintptr_t)address[i]) * UINT64_C(0x9e3779b97f4a7c15) ^
		       hash >> 29;
	return hash;
}

/* The slot that has the hash, or the free one for it; NULL: there is no room. */
static struct known *slot_of(struct table *table, uint64_t hash)
{
	for (uint64_t i = 0; i < PROBES_MAX; i++) {
		struct known *k =
			&table->known[((hash >> 20) + i) & ((UINT64_C(1) << KNOWN_BITS) - 1)];
		const uint64_t is = __atomic_load_n(&k->hash, __ATOMIC_ACQUIRE);
		if (!is || is == hash)
			return k;
	}
	return NULL;
}

static bool is_known(struct table *table, uint64_t hash, uint32_t *id)
{
	const struct known *k = slot_of(table, hash);

	if (!k || __atomic_load_n(&k->hash, __ATOMIC_ACQUIRE) != hash)
		return false;
	*id = k->id;
	return true;
}

/* With the lock held. */
static bool has_room(struct table *table, uint64_t hash)
{
	return slot_of(table, hash) != NULL;
}

/* With the lock held: notes that what has this hash is defined under this number. */
static void learn(struct table *table, uint64_t hash, uint32_t id)
{
	struct known *k = slot_of(table, hash);

	if (!k || k->hash)
		return;
	k->id = id;
	__atomic_store_n(&k->hash, hash, __ATOMIC_RELEASE);
}

/* ---- frames of Python ---- */

static uint32_t define_frame(struct tv_thread *t, const struct tv_python_frame *frame,
			     uint64_t hash)
{
	struct tv_python_text text;
	struct tv_def_frame def;

	if (!has_room(&stacks.frames, hash))
		return 0;
	if (!tv_python_describe(frame, &text)) {
		learn(&stacks.frames, hash, 0);
		return 0;
	}
	def = (struct tv_def_frame){ text.line, text.first_line };
	if (!tv_define(t, TV_DEF_FRAME, stacks.frames.n + 1, &def, sizeof def, text.text,
		       text.length))
		return 0;
	learn(&stacks.frames, hash, ++stacks.frames.n);
	return stacks.frames.n;
}

/* The frame's number; a new frame is defined first. 0: it has none. */
static uint32_t frame_id(struct tv_thread *t, const struct tv_python_frame *frame)
{
	const uint64_t hash = tv_python_hash(frame, 1) | 1;
	uint32_t id;

	if (is_known(&stacks.frames, hash, &id))
		return id;
	pthread_mutex_lock(&stacks.lock);
	if (!is_known(&stacks.frames, hash, &id))
		id = define_frame(t, frame, hash);
	pthread_mutex_unlock(&stacks.lock);
	return id;
}

/* ---- stacks ---- */

struct around {
	void *address[TV_STACK_MAX + OWN]; /* return addresses; in the end places */
	uint32_t first, n;
	struct tv_python_frame frame[TV_STACK_MAX];
	uint32_t frames;
};

/* Python's own frames say more than the interpreter's functions. */
static void unwind(struct around *a, const void *site)
{
	const uint32_t most = stacks.most;
	uint32_t n = (uint32_t)stacks.unwind(a->address, (int)most + OWN), i = 0;

	while (i < n && a->address[i] != site)
		i++;
	a->first = i;
	n = n - i < most ? n - i : most;
	while (a->n < n && !(a->frames && (uint64_t)(uintptr_t)a->address[i + a->n] - stacks.start <
						  stacks.size))
		a->n++;
	for (uint32_t k = i; tv.unloads && k < i + a->n; k++)
		a->address[k] =
			(void *)(uintptr_t)tv_lasting(&tv_self, (uint64_t)(uintptr_t)a->address[k]);
}

static uint32_t define_stack(struct tv_thread *t, const struct around *a, uint64_t hash)
{
	uint64_t place[TV_STACK_MAX];
	uint32_t n = 0, id = 0;

	for (uint32_t i = 0; i < a->n; i++)
		place[n++] = (uint64_t)(uintptr_t)a->address[a->first + i];
	for (uint32_t i = 0; i < a->frames && n < TV_STACK_MAX; i++) {
		const uint32_t frame = frame_id(t, &a->frame[i]);
		if (frame)
			place[n++] = TV_PLACE_FRAME | frame;
	}
	pthread_mutex_lock(&stacks.lock);
	if (!is_known(&stacks.stacks, hash, &id) && n && has_room(&stacks.stacks, hash) &&
	    tv_define(t, TV_DEF_STACK, stacks.stacks.n + 1, place, n * sizeof *place, NULL, 0)) {
		id = ++stacks.stacks.n;
		learn(&stacks.stacks, hash, id);
	}
	pthread_mutex_unlock(&stacks.lock);
	return id;
}

static void write_stack(struct tv_thread *t, const struct around *a)
{
	uint64_t hash = hash_of(a->address + a->first, a->n);
	uint32_t id;

	for (uint32_t i = 0; i < a->frames; i++)
		hash = tv_python_hash(&a->frame[i], hash);
	hash |= 1;
	if (!is_known(&stacks.stacks, hash, &id))
		id = define_stack(t, a, hash);
	if (id)
		tv_write(t, tv_now(), TV_STACK, 0, 0, id);
}

/* The trace says that there are no lines. */
static uint32_t walk_python(struct tv_python_frame *frames)
{
	const uint32_t n = tv_python_walk(frames, stacks.paths ? TV_STACK_MAX : 1);

	if (!n && tv_python_is_unknown()) {
		stacks.python = false;
		__atomic_fetch_or(&tv.file->state, TV_UNKNOWN_PYTHON, __ATOMIC_RELAXED);
	}
	return n;
}

/* A line of Python is a place for a call that a library of its own makes for it. */
void *tv_callstack(struct tv_thread *t, void *site)
{
	struct around a;
	uint32_t id = 0;

	a.first = a.n = a.frames = 0;
	if (stacks.python)
		a.frames = walk_python(a.frame);
	if (a.frames && !stacks.unwind)
		id = frame_id(t, &a.frame[0]);
	a.frames = stacks.paths ? a.frames : 0;
	if (stacks.unwind)
		unwind(&a, site);
	if (t->keep && (a.n || a.frames))
		write_stack(t, &a);
	return id ? (void *)(uintptr_t)(TV_PLACE_FRAME | id) : site;
}
