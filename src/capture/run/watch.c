#define _GNU_SOURCE
#include "capture/run/watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "capture/lib/proc_stat.h"
#include "capture/run/run_list.h"

#if !defined(SYS_pidfd_open)
#define SYS_pidfd_open 434 /* Linux 5.3 */
#endif

enum {
	HEADER = 4096, /* as much of it as has what is needed here */
	SETTLED =
		200, /* milliseconds: no file of a folder that has not changed for so long is new */
	WATCHED = 4096, /* ranks at most */
};

_Static_assert(offsetof(struct tv_file, call) <= HEADER, "what is mapped has what is needed");

struct watched {
	struct tv_file *head; /* mapped; NULL: a file that is not to be looked at */
	char *name;           /* of the file */
	int fd;               /* can be read when the process is gone; -1 none */
	bool gone;
	uint64_t alive;    /* nanoseconds: when it was not about to go yet */
	uint64_t triggers; /* its number of them at the last look */
};

struct watch {
	struct str folder;
	struct timespec changed; /* the folder, when it was read */
	VEC(struct watched) list;
	VEC(struct pollfd) polled; /* the signals, then those of the list */
};

struct watch *watch_new(const char *folder)
{
	struct watch *watch = xcalloc(1, sizeof *watch);

	str_add(&watch->folder, folder);
	return watch;
}

void watch_free(struct watch *watch)
{
	struct watched *w;

	vec_each (w, &watch->list) {
		if (w->head)
			munmap(w->head, HEADER);
		if (w->fd >= 0)
			close(w->fd);
		free(w->name);
	}
	vec_fini(&watch->list);
	vec_fini(&watch->polled);
	str_fini(&watch->folder);
	free(watch);
}

/* ---- new ranks ---- */

/* NULL: its process is still writing it. */
static struct tv_file *map_header(const struct watch *watch, const char *name)
{
	struct tv_file *head = MAP_FAILED;
	OWNED_STR path = STR_INIT;
	struct stat st;
	int fd;

	str_add_fmt(&path, "%s/%s", watch->folder.text, name);
	fd = open(path.text, O_RDWR | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size >= TV_HEADER_SIZE)
		head = mmap(NULL, HEADER, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (head == MAP_FAILED)
		return NULL;
	if (!memcmp(head->magic, TV_MAGIC, sizeof head->magic))
		return head;
	munmap(head, HEADER);
	return NULL;
}

static bool is_known(const struct watch *watch, const char *name)
{
	const struct watched *w;

	vec_each (w, &watch->list)
		if (!strcmp(w->name, name))
			return true;
	return false;
}

/* False: it has to be looked at again. */
static bool add(struct watch *watch, const char *name)
{
	struct watched fresh = { .head = map_header(watch, name), .fd = -1 };

	if (!fresh.head)
		return false;
	if (fresh.head->version != TV_VERSION || !rank_is_here(fresh.head)) {
		munmap(fresh.head, HEADER);
		fresh.head = NULL;
	} else {
		fresh.fd = (int)syscall(SYS_pidfd_open, fresh.head->pid, 0);
	}
	fresh.name = xstrdup(name);
	vec_push(&watch->list, fresh);
	return true;
}

static bool same_moment(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static int64_t milliseconds_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)(now.tv_sec - then->tv_sec) * 1000 +
	       (now.tv_nsec - then->tv_nsec) / 1000000;
}

/* The folder is read only when it has changed. */
static void find_new(struct watch *watch)
{
	const struct dirent *entry;
	bool whole = true;
	struct stat st;
	DIR *folder;

	if (stat(watch->folder.text, &st) != 0 || same_moment(&st.st_mtim, &watch->changed))
		return;
	folder = opendir(watch->folder.text);
	while (folder && (entry = readdir(folder)))
		if (str_ends_with(entry->d_name, ".tvrank") && watch->list.n < WATCHED &&
		    !is_known(watch, entry->d_name))
			whole &= add(watch, entry->d_name);
	if (folder)
		closedir(folder);
	/* The folder's time stamp comes from a coarse clock. */
	if (whole && milliseconds_since(&st.st_mtim) > SETTLED)
		watch->changed = st.st_mtim;
}

/* ---- ranks that end ---- */

/* What /proc says of a process. */
struct state {
	bool gone;      /* it is no more, or waits for its parent to ask for its status */
	bool ending;    /* the kernel has begun to end it */
	int32_t status; /* as of wait(), -1: not known */
};

static struct state state_of(pid_t pid)
{
	enum { FLAGS = 6, PF_EXITING = 4 }; /* words between the state and the flags, and it */
	struct state state = { .status = -1 };
	char text[TV_PROC_STAT];
	const char *at = tv_proc_stat(pid, text);

	/* "STATE ... FLAGS ... STATUS" */
	state.gone = !at || strchr("ZXx", *at);
	if (at && *at == 'Z')
		state.status = (int32_t)strtol(strrchr(at, ' '), NULL, 10);
	for (int i = 0; at && i < FLAGS; i++)
		at = strchr(at + 1, ' ');
	state.ending = state.gone || (at && strtoul(at, NULL, 10) & PF_EXITING);
	return state;
}

static void note_gone(struct watched *w, uint64_t now, int32_t status)
{
	struct tv_seen *seen = &w->head->seen;
	uint64_t none = 0;

	w->gone = true;
	/* Several tvrun processes of a node may watch the same rank. */
	if (__atomic_load_n(&seen->gone, __ATOMIC_RELAXED))
		return;
	seen->alive = w->alive;
	seen->status = status;
	__atomic_compare_exchange_n(&seen->gone, &none, now, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
}

/* False: it is gone, and that has been noted. */
static bool is_there(struct watched *w)
{
	struct pollfd fd = { .fd = w->fd, .events = POLLIN };
	struct state state;

	if (w->fd >= 0 && poll(&fd, 1, 0) <= 0)
		return true;
	state = state_of(w->head->pid);
	if (!state.gone && w->fd < 0)
		return true;
	note_gone(w, tv_nanoseconds(), state.status);
	return false;
}

/* A launcher learns that a process ends some time before it has ended, and may have ended others by
 * then: among the ranks that are left, those that are about to end may have been first. */
void watch_look(struct watch *watch)
{
	uint64_t now = tv_nanoseconds();
	struct watched *w;
	bool any = false;

	vec_each (w, &watch->list) {
		if (!w->head || w->gone || is_there(w))
			continue;
		any = true;
		now = w->head->seen.gone;
	}
	vec_each (w, &watch->list)
		if (w->head && !w->gone && (!any || !state_of(w->head->pid).ending))
			w->alive = now;
	find_new(watch);
}

uint64_t watch_triggers(struct watch *watch, int32_t *rank)
{
	struct watched *w;
	uint64_t fresh = 0;

	vec_each (w, &watch->list) {
		const uint64_t now =
			w->head ? __atomic_load_n(&w->head->triggers, __ATOMIC_ACQUIRE) : 0;
		if (now <= w->triggers)
			continue;
		if (!fresh)
			*rank = w->head->state & TV_INITIALISED ? w->head->rank : -1;
		fresh += now - w->triggers;
		w->triggers = now;
	}
	return fresh;
}

void watch_wait(struct watch *watch, int signals, int milliseconds)
{
	const struct watched *w;

	watch->polled.n = 0;
	vec_push(&watch->polled, ((struct pollfd){ .fd = signals, .events = POLLIN }));
	vec_each (w, &watch->list)
		if (w->fd >= 0 && !w->gone)
			vec_push(&watch->polled,
				 ((struct pollfd){ .fd = w->fd, .events = POLLIN }));
	poll(watch->polled.data, watch->polled.n, milliseconds);
	watch_look(watch);
}
