/* perf_counter: a counter of the kernel's perf events, as tvrun (capture/run) and the recorder name
 * and open it. libc and the kernel's headers alone; no state. */
#pragma once

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How many a run may have. */
enum { TV_COUNTERS_MAX = 16 };

/* What it counts of. */
enum tv_counter_where { TV_COUNT_ALL, TV_COUNT_USER, TV_COUNT_KERNEL };

/* TVIEW_COUNTERS: one a line, "TYPE CONFIG WHERE NAME". TYPE and CONFIG as in perf_event_attr,
 * TYPE TV_COUNTER_UNKNOWN where tvrun does not know the name. */
#define TV_COUNTER_UNKNOWN UINT32_MAX
#define TV_COUNTERS        "TVIEW_COUNTERS"

struct tv_counter {
	uint32_t type;
	uint64_t config;
	enum tv_counter_where where;
};

/* Why there is none; words in a trace. */
enum tv_counter_lack {
	TV_COUNTER_OK,
	TV_COUNTER_NO_NAME,
	TV_COUNTER_NO_HARDWARE,
	TV_COUNTER_FORBIDDEN,
	TV_COUNTER_NO_FILES,
	TV_COUNTER_NO_KERNEL,
	TV_COUNTER_REFUSED,
	TV_COUNTER_LACKS
};

#define TV_COUNTER_WORDS                                                                  \
	{                                                                                 \
		"", "unknown", "hardware", "forbidden", "files", "unsupported", "refused" \
	}

/* These happen in the kernel: a process that may count user code alone would see none. */
static inline bool tv_counter_of_kernel(const struct tv_counter *counter)
{
	return counter->type == PERF_TYPE_SOFTWARE &&
	       (counter->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		counter->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

/* Values with the times for which the group was wanted and counted, each of all counters of the
 * group: nr, enabled, running, value[nr]. */
enum {
	TV_COUNTER_FORMAT =
		PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING
};

static inline int tv_counter_open_as(const struct tv_counter *counter, int group,
				     enum tv_counter_where where)
{
	struct perf_event_attr attributes = { .size = sizeof attributes,
					      .type = counter->type,
					      .config = counter->config,
					      .read_format = TV_COUNTER_FORMAT,
					      .exclude_user = where == TV_COUNT_KERNEL,
					      .exclude_kernel = where == TV_COUNT_USER,
					      .exclude_hv = 1 };

	return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

/* A descriptor that counts for the calling thread from now on, in the group of that one (-1: a new
 * one); -1 with errno. Where the kernel allows user code alone, counts that, and changes
 * `where`. */
static inline int tv_counter_open(struct tv_counter *counter, int group)
{
	int fd = tv_counter_open_as(counter, group, counter->where);

	if (fd < 0 && (errno == EACCES || errno == EPERM) && counter->where == TV_COUNT_ALL &&
	    !tv_counter_of_kernel(counter)) {
		fd = tv_counter_open_as(counter, group, TV_COUNT_USER);
		if (fd >= 0)
			counter->where = TV_COUNT_USER;
		else
			errno = EACCES;
	}
	return fd;
}

static inline enum tv_counter_lack tv_counter_lack_of(int error)
{
	switch (error) {
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP: return TV_COUNTER_NO_HARDWARE;
	case EACCES:
	case EPERM: return TV_COUNTER_FORBIDDEN;
	case EMFILE:
	case ENFILE: return TV_COUNTER_NO_FILES;
	case ENOSYS: return TV_COUNTER_NO_KERNEL;
	default: return TV_COUNTER_REFUSED;
	}
}
