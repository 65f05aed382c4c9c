/* GCC's OpenMP has no interface for tools, so its entry points are wrapped. They do not show that a
 * loop with a static schedule begins, whether the programmer wrote a barrier, or when a thread
 * leaves the barrier at the end of a team. If another runtime reports its constructs itself
 * (ompt.c), the wrappers only pass calls on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "capture/lib/modules.h"
#include "capture/lib/teams.h"

/* ---- the runtime's own functions ---- */

enum entry {
#define FORKS(name)                ENTRY_##name,
#define DURING(name, construct)    ENTRY_##name,
#define BEGINS(name, construct)    ENTRY_##name,
#define ENDS(name, construct, ...) ENTRY_##name,
#define LOCKS(name, ...)           ENTRY_##name,
#define UNLOCKS(name, ...)         ENTRY_##name,
#define OTHER(name)                ENTRY_##name,
#include "capture/lib/gomp.def"
	ENTRIES
};

static const char *const names[ENTRIES] = {
#define FORKS(name)                #name,
#define DURING(name, construct)    #name,
#define BEGINS(name, construct)    #name,
#define ENDS(name, construct, ...) #name,
#define LOCKS(name, ...)           #name,
#define UNLOCKS(name, ...)         #name,
#define OTHER(name)                #name,
#include "capture/lib/gomp.def"
};

static void *real_of(enum entry entry)
{
	static void *found[ENTRIES];
	void *real = __atomic_load_n(&found[entry], __ATOMIC_RELAXED);

	if (TV_LIKELY(real))
		return real;
	real = tv_look_up(RTLD_NEXT, names[entry]);
	/* The runtime may have come with a module that has its libraries to itself. */
	if (!real)
		real = tv_module_function(names[entry]);
	if (!real)
		abort(); /* as the loader would have done */
	__atomic_store_n(&found[entry], real, __ATOMIC_RELAXED);
	return real;
}

/* As many arguments as any of them has: they are in registers and on the stack all the same. */
typedef long function(long a, long b, long c, long d, long e, long f, long g, long h, long i,
		      long j);

static function *any_of(enum entry entry)
{
	function *real;

	*(void **)(void *)&real = real_of(entry);
	return real;
}

/* For what begins, for what ends. */
static struct tv_thread *opens(void)
{
	return tv_omp_told ? NULL : tv_team_opens();
}

static struct tv_thread *closes(void)
{
	return tv_omp_told ? NULL : tv_team_closes();
}

/* Bits of the constructs that this thread is in, by what has begun them. */
static _Thread_local uint32_t open;

/* ---- teams ---- */

typedef void body(void *data);

/* Owned by the first thread; lives until that thread comes back. */
struct team {
	body *part;
	void *data;
	uint32_t number;
	const struct tv_thread *first;
};

static TV_CALLS_BODIES void do_part(void *context)
{
	const struct team *team = context;
	const uint32_t outer = open;
	struct tv_thread *t = opens();

	if (t && t != team->first)
		tv_team_begin(t, team->number, (const void *)(uintptr_t)team->part);
	open = 0;
	team->part(team->data);
	open = outer;
	t = opens();
	if (t)
		tv_team_write(t, TV_TEAM_PART, team->number);
}

static long fork_team(enum entry entry, body *part, void *data, const long more[6],
		      const void *site)
{
	function *real = any_of(entry);
	struct tv_thread *t = opens();
	struct team team = { part, data, 0, t };
	long result;

	if (!t) {
		tv_team_passed();
		return real((long)part, (long)data, more[0], more[1], more[2], more[3], more[4],
			    more[5], 0, 0);
	}
	team.number = tv_team_new();
	tv_team_enter(t, TV_FORK, 0, team.number, site, (const void *)(uintptr_t)part);
	result = real((long)do_part, (long)&team, more[0], more[1], more[2], more[3], more[4],
		      more[5], 0, 0);
	t = closes();
	if (t)
		tv_team_write(t, TV_JOIN, team.number);
	return result;
}

#define FORKS(name)                                                                            \
	TV_PUBLIC long name(body *part, void *data, long a, long b, long c, long d, long e,    \
			    long f);                                                           \
	TV_PUBLIC long name(body *part, void *data, long a, long b, long c, long d, long e,    \
			    long f)                                                            \
	{                                                                                      \
		const long more[6] = { a, b, c, d, e, f };                                     \
		return fork_team(ENTRY_##name, part, data, more, __builtin_return_address(0)); \
	}
#include "capture/lib/gomp.def"

/* ---- constructs ---- */

static long pass_during(enum entry entry, enum tv_construct construct, long argument,
			const void *site)
{
	function *real = any_of(entry);
	struct tv_thread *t = opens();
	long result;

	if (t)
		tv_omp_enter(t, construct, site);
	result = real(argument, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	t = closes();
	if (t)
		tv_omp_leave(t, construct);
	return result;
}

static void begin(enum tv_construct construct, const void *site)
{
	struct tv_thread *t = opens();

	if (!t)
		return;
	open |= 1u << construct;
	tv_omp_enter(t, construct, site);
}

static void end(enum tv_construct construct)
{
	struct tv_thread *t = closes();

	if (t && open & 1u << construct)
		tv_omp_leave(t, construct);
	open &= ~(1u << construct);
}

static long end_with(enum entry entry, enum tv_construct construct, bool barrier, const void *site)
{
	end(construct);
	return barrier ? pass_during(entry, TV_OMP_IMPLICIT_BARRIER, 0, site)
		       : any_of(entry)(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}

#define DURING(name, construct)                                                \
	TV_PUBLIC long name(long argument);                                    \
	TV_PUBLIC long name(long argument)                                     \
	{                                                                      \
		return pass_during(ENTRY_##name, TV_OMP_##construct, argument, \
				   __builtin_return_address(0));               \
	}
#define BEGINS(name, construct)                                                             \
	TV_PUBLIC function name;                                                            \
	TV_PUBLIC long name(long a, long b, long c, long d, long e, long f, long g, long h, \
			    long i, long j)                                                 \
	{                                                                                   \
		begin(TV_OMP_##construct, __builtin_return_address(0));                     \
		return any_of(ENTRY_##name)(a, b, c, d, e, f, g, h, i, j);                  \
	}
#define ENDS(name, construct, barrier)                                     \
	TV_PUBLIC long name(void);                                         \
	TV_PUBLIC long name(void)                                          \
	{                                                                  \
		return end_with(ENTRY_##name, TV_OMP_##construct, barrier, \
				__builtin_return_address(0));              \
	}
#include "capture/lib/gomp.def"

/* ---- locks ---- */

/* A lock is identified by the address that the program gives, so no lock has these values. */
enum { NO_LOCK = 0, UNNAMED_CRITICAL = 1 };

static void have_lock(enum entry entry, enum tv_construct construct, long argument, uint64_t lock,
		      const void *site)
{
	function *real = any_of(entry);
	struct tv_thread *t = opens();

	if (t)
		tv_omp_enter(t, construct, site);
	real(argument, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	t = closes();
	if (!t)
		return;
	if (lock != NO_LOCK)
		tv_omp_lock(t, TV_LOCKED, lock);
	if (construct == TV_OMP_LOCK)
		tv_omp_leave(t, construct);
}

static void give_lock(enum entry entry, long argument, uint64_t lock)
{
	struct tv_thread *t = closes();

	if (t && lock != NO_LOCK)
		tv_omp_lock(t, TV_UNLOCKED, lock);
	else if (t)
		tv_omp_leave(t, TV_OMP_ORDERED);
	any_of(entry)(argument, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}

#define LOCKS(name, construct, which)                                                \
	TV_PUBLIC void name(long lock);                                              \
	TV_PUBLIC void name(long lock)                                               \
	{                                                                            \
		have_lock(ENTRY_##name, TV_OMP_##construct, lock, (uint64_t)(which), \
			  __builtin_return_address(0));                              \
	}
#define UNLOCKS(name, which)                                      \
	TV_PUBLIC void name(long lock);                           \
	TV_PUBLIC void name(long lock)                            \
	{                                                         \
		give_lock(ENTRY_##name, lock, (uint64_t)(which)); \
	}
#include "capture/lib/gomp.def"

/* ---- tasks ---- */

typedef void copier(void *to, void *from);

/* In front of the data of a task, which the runtime copies. */
struct task {
	body *part;
	copier *copy;  /* NULL: bytes */
	void *data;    /* the program's */
	size_t offset; /* where its copy is */
	size_t size;
	const void *site;
};

/* Of GOMP_task: untied, final, mergeable, depend, priority. With any other flag the runtime writes
 * into the data. */
enum { PLAIN_FLAGS = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 };

static void copy_task(void *to, void *from)
{
	const struct task *task = from;
	char *data = (char *)to + task->offset;

	memcpy(to, task, sizeof *task);
	if (task->copy)
		task->copy(data, task->data);
	else if (task->size)
		memcpy(data, task->data, task->size);
}

static TV_CALLS_BODIES void do_task(void *block)
{
	const struct task *task = block;
	struct tv_thread *t = opens();
	const bool recorded = t != NULL;

	if (t)
		tv_team_enter(t, TV_OMP_ENTER, TV_OMP_TASK, 0, task->site,
			      (const void *)(uintptr_t)task->part);
	task->part((char *)block + task->offset);
	t = closes();
	if (t && recorded)
		tv_omp_leave(t, TV_OMP_TASK);
}

TV_PUBLIC void GOMP_task(body *part, void *data, copier *copy, long size, long align, bool deferred,
			 unsigned flags, void **depend, int priority, void *detach);
TV_PUBLIC void GOMP_task(body *part, void *data, copier *copy, long size, long align, bool deferred,
			 unsigned flags, void **depend, int priority, void *detach)
{
	const size_t aligned = (size_t)align > 16 ? (size_t)align : 16;
	struct task task = { part,         copy,
			     data,         (sizeof task + aligned - 1) / aligned * aligned,
			     (size_t)size, __builtin_return_address(0) };
	void (*real)(void (*)(void *), void *, copier *, long, long, bool, unsigned, void **, int,
		     void *);

	*(void **)(void *)&real = real_of(ENTRY_GOMP_task);
	if (!opens() || flags & ~(unsigned)PLAIN_FLAGS)
		real(part, data, copy, size, align, deferred, flags, depend, priority, detach);
	else
		real(do_task, &task, copy_task, (long)task.offset + size, (long)aligned, deferred,
		     flags, depend, priority, detach);
}
