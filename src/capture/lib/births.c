/* Threads are locations from their creation: pthread_create(), and C11's thrd_create(), which does
 * not call it, start the new thread in a function of this library. It ends like all others
 * (recorder.c). Joins are seen for virtual time alone (virtual_births.h). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <threads.h>

#include "capture/lib/modules.h"
#include "capture/lib/teams.h"
#include "capture/lib/virtual_births.h"

bool tv_omp_told;

/* What the program passed, for the new thread, which frees it. */
struct birth {
	void *(*posix)(void *); /* one of both */
	thrd_start_t c11;
	void *argument;
	bool own; /* the program's, not one that MPI makes for itself */
	struct virtual_entry creator;
};

/* MPI created this thread for itself; all threads that such a thread creates are MPI's, too. */
static _Thread_local bool inner;

uint32_t tv_team_new(void)
{
	static uint32_t teams;

	return __atomic_add_fetch(&teams, 1, __ATOMIC_RELAXED);
}

/* In the new thread. */
static struct birth begin(void *context)
{
	const struct birth birth = *(struct birth *)context;
	const int saved = errno;
	const uint64_t begun = tv.virtual_time ? tv_now() : 0;
	struct tv_thread *t;

	free(context);
	inner = !birth.own;
	t = birth.own ? tv_team_opens() : NULL;
	if (t)
		tv_team_enter(t, TV_BORN, 0, 0,
			      birth.posix ? (const void *)(uintptr_t)birth.posix
					  : (const void *)(uintptr_t)birth.c11,
			      NULL);
	if (t && tv.virtual_time)
		tv_virtual_born(t, birth.creator, begun);
	errno = saved;
	return birth;
}

static void *begin_posix(void *context)
{
	const struct birth birth = begin(context);

	return birth.posix(birth.argument);
}

static int begin_c11(void *context)
{
	const struct birth birth = begin(context);

	return birth.c11(birth.argument);
}

/* NULL: the thread starts directly in the program's function. */
static struct birth *birth_new(struct birth birth)
{
	struct birth *copy = tv.teams && tv.file && !tv.dead ? malloc(sizeof *copy) : NULL;

	birth.own = !inner && !tv_self.nested;
	birth.creator = tv_virtual_creates();
	if (copy)
		*copy = birth;
	return copy;
}

TV_PUBLIC int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attr,
			     void *(*routine)(void *), void *restrict argument)
{
	static int (*real)(pthread_t *restrict, const pthread_attr_t *restrict, void *(*)(void *),
			   void *restrict);
	struct birth *birth = birth_new((struct birth){ .posix = routine, .argument = argument });
	int result;

	if (!real)
		*(void **)(void *)&real = tv_look_up(RTLD_NEXT, "pthread_create");
	if (!birth)
		return real(thread, attr, routine, argument);
	result = real(thread, attr, begin_posix, birth);
	if (result != 0)
		free(birth);
	return result;
}

TV_PUBLIC int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
	static int (*real)(thrd_t *, thrd_start_t, void *);
	struct birth *birth = birth_new((struct birth){ .c11 = routine, .argument = argument });
	int result;

	if (!real)
		*(void **)(void *)&real = tv_look_up(RTLD_NEXT, "thrd_create");
	if (!birth)
		return real(thread, routine, argument);
	result = real(thread, begin_c11, birth);
	if (result != thrd_success)
		free(birth);
	return result;
}

TV_PUBLIC int pthread_join(pthread_t thread, void **value)
{
	static int (*real)(pthread_t, void **);
	const struct virtual_entry own = tv_virtual_joins();
	int result;

	if (!real)
		*(void **)(void *)&real = tv_look_up(RTLD_NEXT, "pthread_join");
	result = real(thread, value);
	if (result == 0)
		tv_virtual_joined(thread, own);
	return result;
}

TV_PUBLIC int thrd_join(thrd_t thread, int *value)
{
	static int (*real)(thrd_t, int *);
	const struct virtual_entry own = tv_virtual_joins();
	int result;

	if (!real)
		*(void **)(void *)&real = tv_look_up(RTLD_NEXT, "thrd_join");
	result = real(thread, value);
	if (result == thrd_success)
		tv_virtual_joined(thread, own);
	return result;
}
