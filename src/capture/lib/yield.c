/* libtvyield: makes MPICH on UCX usable with more ranks than cores (tvrun --yield). Its ranks poll
 * endlessly while they wait; with this library a rank that has found nothing several times in a row
 * sleeps for a moment, so that a rank with work gets the core. Waits stay real, but the ends of
 * receives become as coarse as the sleep: use it for trials, not for measurements. In a program
 * without UCX it does nothing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <time.h>

enum { PATIENCE = 20, NAP_NS = 50000, SLACK_NS = 1000 };

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void *worker);

/* UCX may be in a scope of its own, as where MPI is opened by Python: the first module beside this
 * one that has the function. */
static int look_into(struct dl_phdr_info *info, size_t size, void *context)
{
	void **found = context, *handle, *at;

	(void)size;
	if (!info->dlpi_name || !*info->dlpi_name)
		return 0;
	handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
	at = handle ? dlsym(handle, "ucp_worker_progress") : NULL;
	if (handle)
		dlclose(handle);
	if (at && at != (void *)(uintptr_t)ucp_worker_progress)
		*found = at;
	return *found != NULL;
}

static void *find_real(void)
{
	void *found = dlsym(RTLD_NEXT, "ucp_worker_progress");

	if (!found)
		dl_iterate_phdr(look_into, &found);
	return found;
}

unsigned ucp_worker_progress(void *worker)
{
	static unsigned (*real)(void *);
	static _Thread_local int idle;
	const struct timespec nap = { 0, NAP_NS };
	unsigned events;

	if (!real) {
		*(void **)(void *)&real = find_real();
		if (!real)
			return 0;
		/* Else the kernel adds 50 us to every nap. */
		prctl(PR_SET_TIMERSLACK, (unsigned long)SLACK_NS, 0, 0, 0);
	}
	events = real(worker);
	if (events)
		idle = 0;
	else if (++idle > PATIENCE)
		nanosleep(&nap, NULL);
	return events;
}
