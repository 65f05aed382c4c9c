#define _GNU_SOURCE
#include "capture/lib/core_look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { EVERY_NS = 1000000, LINE = 80 };

/* What two looks may say more than the time between them: what the kernel counts in its ticks. */
#define SLACK_NS UINT64_C(20000000)

uint64_t tv_core_look_every(void)
{
	return tv.statistics || tv.virtual_time || tv.usual == TV_COUNTING ||
			       !tv_flag_set("TVIEW_CORE_WAITS", true)
		       ? UINT64_MAX
		       : tv_ticks_of(EVERY_NS, EVERY_NS);
}

/* System calls that no other tool wraps, and in which no thread is cancelled. */
static void open_it(struct tv_thread *t)
{
	const long fd =
		syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);

	t->core.file = fd < 0 ? TV_CORE_NONE : (int)fd + 1;
}

void tv_core_look_end(struct tv_thread *t)
{
	if (t->core.file > 0)
		syscall(SYS_close, t->core.file - 1);
	t->core.file = TV_CORE_NONE;
}

/* "RUN WAIT SLICES", nanoseconds. False: there is no such file; the program may have closed it, and
 * opened another one. */
static bool read_it(const struct tv_thread *t, uint64_t *run, uint64_t *wait)
{
	char text[LINE], *end;
	const long n = syscall(SYS_pread64, t->core.file - 1, text, sizeof text - 1, (off_t)0);

	if (n <= 0)
		return false;
	text[n] = '\0';
	*run = strtoull(text, &end, 10);
	if (end == text || *end != ' ')
		return false;
	*wait = strtoull(end, &end, 10);
	return *end == ' ';
}

static bool is_later(const struct tv_thread *t, uint64_t run, uint64_t wait, uint64_t now)
{
	const struct tv_core_seen *last = &t->core;

	return !last->now || (run >= last->run && wait >= last->wait &&
			      run - last->run + wait - last->wait <= now - last->now + SLACK_NS);
}

static void write_it(struct tv_thread *t, uint64_t time, uint64_t wait)
{
	struct tv_function *record = tv_room(t, sizeof *record);

	if (!record)
		return;
	*record = (struct tv_function){ time, TV_CORE_WAIT | wait << 8 };
	tv_commit(t, sizeof *record);
}

uint64_t tv_core_look(struct tv_thread *t, uint64_t time)
{
	const int saved = errno;
	const uintptr_t before = tv_busy_save(t);
	uint64_t run, wait, after;

	t->core.looked = time;
	if (t->core.file == 0)
		open_it(t);
	if (t->keep && t->core.file > 0) {
		const uint64_t now = tv_nanoseconds();
		if (read_it(t, &run, &wait) && is_later(t, run, wait, now)) {
			write_it(t, time, wait);
			t->core.now = now;
			t->core.run = run;
			t->core.wait = wait;
		} else {
			t->core.file = TV_CORE_NONE;
		}
		after = tv_write_own(t, CALL_cores, time);
		t->with.children += after - time;
		time = after;
	}
	tv_busy_restore(t, before);
	errno = saved;
	return time;
}
