#include "capture/lib/virtual_births.h"

#include "capture/lib/teams.h"

enum { ENDS = 1024 }; /* a power of 2 */

struct thread_end {
	pthread_t thread; /* 0: none; written last */
	struct virtual_entry end;
};

static struct thread_end ends[ENDS];

/* Their stacks are far apart: the upper bits of the product differ. */
static struct thread_end *end_of(pthread_t thread)
{
	const uint64_t mixed = (uint64_t)thread * UINT64_C(0x9e3779b97f4a7c15);

	return &ends[mixed >> 54 & (ENDS - 1)];
}

static void forget(pthread_t thread)
{
	struct thread_end *e = end_of(thread);

	if (__atomic_load_n(&e->thread, __ATOMIC_ACQUIRE) == thread)
		__atomic_store_n(&e->thread, 0, __ATOMIC_RELEASE);
}

struct virtual_entry tv_virtual_creates(void)
{
	const struct tv_thread *t = &tv_self;

	return tv.virtual_time && t->live && !t->nested ? tv_virtual_here()
							: (struct virtual_entry){ 0 };
}

void tv_virtual_born(struct tv_thread *t, struct virtual_entry creator, uint64_t begun)
{
	struct virtual_entry e = tv_virtual_here();

	forget(pthread_self());
	e.intrusion = creator.intrusion + e.time - (int64_t)begun;
	e.error = creator.time ? creator.error : VIRTUAL_NO_BOUND;
	tv_virtual_follow(t, e, begun, false);
}

void tv_virtual_dies(struct tv_thread *t)
{
	const struct virtual_entry end = tv_virtual_here();
	struct thread_end *e = end_of(pthread_self());

	tv_virtual_idles(t, end);
	__atomic_store_n(&e->thread, 0, __ATOMIC_RELEASE);
	e->end = end;
	__atomic_store_n(&e->thread, pthread_self(), __ATOMIC_RELEASE);
}

struct virtual_entry tv_virtual_joins(void)
{
	struct virtual_entry own = { 0 };

	if (!tv.virtual_time || tv_self.nested || !tv_team_closes())
		return own;
	own = tv_virtual_here();
	tv_virtual_pause();
	return own;
}

void tv_virtual_joined(pthread_t thread, struct virtual_entry own)
{
	struct thread_end *e = end_of(thread);
	struct virtual_entry end;

	if (!own.time || __atomic_load_n(&e->thread, __ATOMIC_ACQUIRE) != thread)
		return;
	end = e->end;
	forget(thread);
	tv_virtual_waited(&tv_self, own, end, false);
}
