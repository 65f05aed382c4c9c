/* OpenMP's interface for tools (OMPT): a runtime that has it (clang's, Intel's) calls
 * ompt_start_tool(), and reports its constructs from then on. Numbers are those of OpenMP 5.0 and
 * 5.1; only the part of the interface that is needed is declared here.
 *
 * A worker's end of the last barrier of a team, and of its part, is told when the next team begins
 * or the process ends: tvrun clips it. */
#include <string.h>

#include "capture/lib/teams.h"

/* ---- the interface ---- */

union data {
	uint64_t value;
	void *pointer;
};

typedef void callback(void);
typedef callback *lookup(const char *name);
typedef int set_callback(int which, callback *function);

struct start {
	int (*initialise)(lookup *find, int device, union data *data);
	void (*finalise)(union data *data);
	union data data;
};

enum event {
	PARALLEL_BEGIN = 3,
	PARALLEL_END = 4,
	TASK_CREATE = 5,
	TASK_SCHEDULE = 6,
	IMPLICIT_TASK = 7,
	MUTEX_RELEASED = 17,
	WORK = 20,
	SYNC_REGION = 23,
	MUTEX_ACQUIRE = 26,
	MUTEX_ACQUIRED = 27,
};
enum endpoint { BEGIN = 1, END = 2 };
enum { LEAGUE = 1 << 30 };
enum { INITIAL_TASK = 1, EXPLICIT_TASK = 4 };
enum { TASK_COMPLETE = 1, TASK_CANCELLED = 3 };

TV_PUBLIC struct start *ompt_start_tool(unsigned version, const char *runtime);

/* ---- the meaning of numbers; -1: not recorded ---- */

static int construct_of_sync(int kind)
{
	static const signed char constructs[] = {
		-1,
		TV_OMP_BARRIER,
		TV_OMP_IMPLICIT_BARRIER,
		TV_OMP_BARRIER,
		TV_OMP_IMPLICIT_BARRIER, /* of the runtime's own */
		TV_OMP_TASKWAIT,
		TV_OMP_TASKWAIT, /* the end of a task group */
		-1,              /* reduction */
		TV_OMP_IMPLICIT_BARRIER,
		TV_OMP_IMPLICIT_BARRIER,
	};

	return kind >= 0 && kind < (int)sizeof constructs ? constructs[kind] : -1;
}

static int construct_of_work(int kind)
{
	static const signed char constructs[] = { -1, TV_OMP_LOOP, TV_OMP_SECTIONS, TV_OMP_SINGLE,
						  TV_OMP_SINGLE };

	return kind >= 0 && kind < (int)sizeof constructs ? constructs[kind] : -1;
}

static int construct_of_mutex(int kind)
{
	static const signed char constructs[] = { -1, TV_OMP_LOCK,     -1, TV_OMP_LOCK,
						  -1, TV_OMP_CRITICAL, -1, TV_OMP_ORDERED };

	return kind >= 0 && kind < (int)sizeof constructs ? constructs[kind] : -1;
}

static void endpoint(int construct, int which, const void *site)
{
	struct tv_thread *t = construct < 0    ? NULL
			      : which == BEGIN ? tv_team_opens()
					       : tv_team_closes();

	if (t && which == BEGIN)
		tv_omp_enter(t, (enum tv_construct)construct, site);
	else if (t && which == END)
		tv_omp_leave(t, (enum tv_construct)construct);
}

/* ---- teams: the data of a team, and of an implicit task, is the team's number ---- */

static void on_parallel_begin(const union data *task, const void *frame, union data *parallel,
			      unsigned requested, int flags, const void *site)
{
	struct tv_thread *t = flags & LEAGUE ? NULL : tv_team_opens();

	(void)task;
	(void)frame;
	(void)requested;
	parallel->value = t ? tv_team_new() : 0;
	if (!t)
		tv_team_passed();
	else
		tv_team_enter(t, TV_FORK, 0, (uint32_t)parallel->value, site, NULL);
}

static void on_parallel_end(const union data *parallel, const union data *task, int flags,
			    const void *site)
{
	struct tv_thread *t = parallel && parallel->value ? tv_team_closes() : NULL;

	(void)task;
	(void)flags;
	(void)site;
	if (t)
		tv_team_write(t, TV_JOIN, (uint32_t)parallel->value);
}

static void on_implicit_task(int which, const union data *parallel, union data *task,
			     unsigned threads, unsigned index, int flags)
{
	struct tv_thread *t;

	(void)threads;
	if (flags & INITIAL_TASK)
		return;
	if (which == BEGIN)
		task->value = parallel ? parallel->value : 0;
	if (index == 0 || !task->value)
		return;
	t = which == BEGIN ? tv_team_opens() : tv_team_closes();
	if (t)
		tv_team_write(t, which == BEGIN ? TV_TEAM_BEGIN : TV_TEAM_END,
			      (uint32_t)task->value);
}

/* ---- constructs ---- */

static void on_sync_region(int kind, int which, const union data *parallel, const union data *task,
			   const void *site)
{
	(void)parallel;
	(void)task;
	endpoint(construct_of_sync(kind), which, site);
}

static void on_work(int kind, int which, const union data *parallel, const union data *task,
		    uint64_t count, const void *site)
{
	(void)parallel;
	(void)task;
	(void)count;
	endpoint(construct_of_work(kind), which, site);
}

static void on_mutex_acquire(int kind, unsigned hint, unsigned how, uint64_t lock, const void *site)
{
	(void)hint;
	(void)how;
	(void)lock;
	endpoint(construct_of_mutex(kind), BEGIN, site);
}

static void on_mutex_acquired(int kind, uint64_t lock, const void *site)
{
	const int construct = construct_of_mutex(kind);
	struct tv_thread *t =
		construct < 0 || construct == TV_OMP_ORDERED ? NULL : tv_team_closes();

	(void)site;
	if (!t)
		return;
	tv_omp_lock(t, TV_LOCKED, lock);
	if (construct == TV_OMP_LOCK)
		tv_omp_leave(t, TV_OMP_LOCK);
}

static void on_mutex_released(int kind, uint64_t lock, const void *site)
{
	const int construct = construct_of_mutex(kind);
	struct tv_thread *t = construct < 0 ? NULL : tv_team_closes();

	(void)site;
	if (t && construct == TV_OMP_ORDERED)
		tv_omp_leave(t, TV_OMP_ORDERED);
	else if (t)
		tv_omp_lock(t, TV_UNLOCKED, lock);
}

/* ---- explicit tasks: their data says where they were made, and whether they have begun ---- */

#define IS_TASK   (UINT64_C(1) << 63)
#define HAS_BEGUN (UINT64_C(1) << 62)

static void on_task_create(const union data *task, const void *frame, union data *made, int flags,
			   int depends, const void *site)
{
	(void)task;
	(void)frame;
	(void)depends;
	if (made && flags & EXPLICIT_TASK)
		made->value = (uint64_t)(uintptr_t)site | IS_TASK;
}

/* A task that waits for others stays open around them. */
static void on_task_schedule(const union data *prior, int status, union data *next)
{
	struct tv_thread *t = tv_team_closes();

	if (prior && (prior->value & HAS_BEGUN) && (prior->value & IS_TASK) && t &&
	    (status == TASK_COMPLETE || status == TASK_CANCELLED))
		tv_omp_leave(t, TV_OMP_TASK);
	t = tv_team_opens();
	if (!next || !(next->value & IS_TASK) || next->value & HAS_BEGUN || !t)
		return;
	tv_omp_enter(t, TV_OMP_TASK,
		     (const void *)(uintptr_t)(next->value & ~(IS_TASK | HAS_BEGUN)));
	next->value |= HAS_BEGUN;
}

/* ---- start ---- */

static int initialise(lookup *find, int device, union data *data)
{
	static const struct {
		enum event event;
		callback *function;
	} wanted[] = {
		{ PARALLEL_BEGIN, (callback *)on_parallel_begin },
		{ PARALLEL_END, (callback *)on_parallel_end },
		{ TASK_CREATE, (callback *)on_task_create },
		{ TASK_SCHEDULE, (callback *)on_task_schedule },
		{ IMPLICIT_TASK, (callback *)on_implicit_task },
		{ MUTEX_RELEASED, (callback *)on_mutex_released },
		{ WORK, (callback *)on_work },
		{ SYNC_REGION, (callback *)on_sync_region },
		{ MUTEX_ACQUIRE, (callback *)on_mutex_acquire },
		{ MUTEX_ACQUIRED, (callback *)on_mutex_acquired },
	};
	set_callback *set = (set_callback *)find("ompt_set_callback");

	(void)device;
	(void)data;
	if (!set)
		return 0;
	/* The first one is all that statistics need: OpenMP is used. */
	for (size_t i = 0; i < (tv.statistics ? 1 : sizeof wanted / sizeof *wanted); i++)
		set(wanted[i].event, wanted[i].function);
	tv_omp_told = true;
	return 1;
}

static void finalise(union data *data)
{
	(void)data;
}

struct start *ompt_start_tool(unsigned version, const char *runtime)
{
	static struct start start = { .initialise = initialise, .finalise = finalise };

	(void)version;
	(void)runtime;
	return tv.dead || (tv.file && !tv.teams && !tv.statistics) ? NULL : &start;
}
