#include "harness/rest.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

static bool thread_sleeps(pid_t pid, const char *thread)
{
	char path[320], text[512];
	const char *end;
	size_t n;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)pid, thread);
	f = fopen(path, "r");
	if (!f)
		return true;
	n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[n] = '\0';
	end = strrchr(text, ')');
	return !end || (end[1] == ' ' && (end[2] == 'S' || end[2] == 'Z'));
}

bool rest_sleeps(pid_t pid)
{
	bool all = true;
	char path[64];
	DIR *tasks;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	for (struct dirent *task; tasks && all && (task = readdir(tasks));)
		all = task->d_name[0] == '.' || thread_sleeps(pid, task->d_name);
	if (tasks)
		closedir(tasks);
	return all;
}

/* The number of the system call and its arguments: of poll() the third is the time limit. */
bool rest_polls(pid_t pid)
{
	char path[64];
	unsigned long limit;
	long number;
	bool is;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/syscall", (int)pid);
	f = fopen(path, "r");
	is = f && fscanf(f, "%ld %*x %*x %lx", &number, &limit) == 2 && number == SYS_poll &&
	     (int)limit == -1;
	if (f)
		fclose(f);
	return is;
}

double rest_cpu(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
		return -1;
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
