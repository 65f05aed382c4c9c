/* proc_stat: what the kernel says of a process (proc(5), /proc/PID/stat). No memory is taken and
 * nothing is locked, so that it may be asked in a signal handler. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { TV_PROC_STAT = 1024 };

/* The words after the name, from the state on: "S 4711 ..."; NULL: there is no such process.
 * `text` has the words. */
static inline const char *tv_proc_stat(pid_t pid, char text[TV_PROC_STAT])
{
	char path[64];
	const char *name_end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, TV_PROC_STAT - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	/* A name may have brackets and blanks of its own. */
	name_end = strrchr(text, ')');
	return name_end && name_end[1] == ' ' && name_end[2] ? name_end + 2 : NULL;
}

/* A process that is no more, or waits for its parent alone. */
static inline bool tv_proc_is_dead(pid_t pid)
{
	char text[TV_PROC_STAT];
	const char *stat = tv_proc_stat(pid, text);

	if (!stat)
		return kill(pid, 0) != 0 && errno == ESRCH;
	return *stat == 'Z' || *stat == 'X';
}
