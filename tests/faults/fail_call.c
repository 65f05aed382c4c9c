/* fail_call: runs a program whose n-th system call of a kind fails, or is when a signal comes.
 *
 *	fail_call [-f] [-p TEXT] [-a TEXT] [-c FILE] [-m TEXT] CALL N HOW PROGRAM [ARGUMENT...]
 *
 * CALL	write, open, rename (and link), truncate, allocate, fork (and threads), sync, map, read
 * N	which one counts, of the program and all it starts, from 1 on; 0: none, they are counted
 * HOW	the error (ENOSPC ...), or the signal (TERM ...) that comes instead of the call's failure
 * -f	those after it fail, too
 * -p	only calls on files whose path has TEXT in it
 * -a	only calls after the first open of a file whose path has TEXT in it
 * -c	writes the numbers of such calls there, one a line, with the place in the code that makes them
 * -m	that place is looked for in programs and libraries whose path has TEXT in it
 *
 * What is written to standard error always arrives: it is what a failure is told by.
 * The status is the program's, 128 and its number for a signal. stdio's own calls do not go through
 * symbols that could be replaced: so the system's calls are stopped (ptrace), not libc's. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#if !defined(__x86_64__)
int main(void)
{
	return 77;
}
#else

enum {
	OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
		  PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL
};
enum { NO_FILE = -1, PROCESSES = 1 << 22, SYSCALL_STOP = SIGTRAP | 0x80 };

/* Where a call has the descriptor or the path of its file. */
struct call {
	const char *kind;
	long number;
	int descriptor, path; /* number of the argument, NO_FILE none */
};

static const struct call calls[] = {
	{ "write", SYS_write, 0, NO_FILE },
	{ "write", SYS_pwrite64, 0, NO_FILE },
	{ "write", SYS_writev, 0, NO_FILE },
	{ "write", SYS_pwritev, 0, NO_FILE },
	{ "write", SYS_copy_file_range, 2, NO_FILE },
	{ "read", SYS_read, 0, NO_FILE },
	{ "read", SYS_pread64, 0, NO_FILE },
	{ "open", SYS_open, NO_FILE, 0 },
	{ "open", SYS_openat, NO_FILE, 1 },
	{ "open", SYS_mkdir, NO_FILE, 0 },
	{ "rename", SYS_rename, NO_FILE, 1 },
	{ "rename", SYS_renameat, NO_FILE, 3 },
	{ "rename", SYS_renameat2, NO_FILE, 3 },
	{ "rename", SYS_linkat, NO_FILE, 3 },
	{ "truncate", SYS_ftruncate, 0, NO_FILE },
	{ "allocate", SYS_fallocate, 0, NO_FILE },
	{ "sync", SYS_fsync, 0, NO_FILE },
	{ "sync", SYS_fdatasync, 0, NO_FILE },
	{ "fork", SYS_fork, NO_FILE, NO_FILE },
	{ "fork", SYS_vfork, NO_FILE, NO_FILE },
	{ "fork", SYS_clone, NO_FILE, NO_FILE },
	{ "fork", SYS_clone3, NO_FILE, NO_FILE },
	{ "map", SYS_mmap, 4, NO_FILE },
};

static const struct how {
	const char *name;
	int number;
	bool is_signal;
} hows[] = {
	{ "ENOSPC", ENOSPC, false }, { "EDQUOT", EDQUOT, false }, { "EIO", EIO, false },
	{ "EINTR", EINTR, false },   { "ENOMEM", ENOMEM, false }, { "EAGAIN", EAGAIN, false },
	{ "EROFS", EROFS, false },   { "ENOENT", ENOENT, false }, { "EMFILE", EMFILE, false },
	{ "EACCES", EACCES, false }, { "TERM", SIGTERM, true },   { "INT", SIGINT, true },
	{ "KILL", SIGKILL, true },   { "HUP", SIGHUP, true },
};

struct wish {
	const char *kind, *on, *after, *within;
	FILE *counted;
	unsigned long n, seen;
	const struct how *how;
	bool from_then_on, begun;
};

struct process {
	bool known, inside, fails; /* inside a call, which is to fail */
};

static bool path_of_descriptor(pid_t pid, long fd, char *path, size_t size)
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/%d/fd/%d", pid, (int)fd);
	n = readlink(link, path, size - 1);
	if (n < 0)
		return false;
	path[n] = '\0';
	return true;
}

static bool text_at(pid_t pid, uint64_t at, char *text, size_t size)
{
	struct iovec here = { text, size - 1 };
	const uint64_t rest = 4096 - at % 4096; /* the page after it may not be there */
	struct iovec there = { (void *)(uintptr_t)at, rest < size - 1 ? rest : size - 1 };
	ssize_t n = process_vm_readv(pid, &here, 1, &there, 1, 0);

	if (n == (ssize_t)rest && !memchr(text, 0, (size_t)n)) {
		here = (struct iovec){ text + n, size - 1 - (size_t)n };
		there = (struct iovec){ (void *)(uintptr_t)(at + rest), here.iov_len };
		const ssize_t more = process_vm_readv(pid, &here, 1, &there, 1, 0);
		n += more > 0 ? more : 0;
	}
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static bool file_of(pid_t pid, const struct call *call, const struct user_regs_struct *r,
		    char *path, size_t size)
{
	const unsigned long long arguments[] = { r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9 };

	path[0] = '\0';
	if (call->path != NO_FILE)
		return text_at(pid, arguments[call->path], path, size);
	return call->descriptor != NO_FILE &&
	       path_of_descriptor(pid, (long)arguments[call->descriptor], path, size);
}

/* Text of a program or library. */
struct range {
	uint64_t from, to, at; /* at: in the file */
	char name[64];
};

enum { RANGES = 16 };

static size_t ranges_of(pid_t pid, const char *within, struct range *ranges)
{
	char maps[64], line[4096];
	size_t n = 0;
	FILE *in;

	snprintf(maps, sizeof maps, "/proc/%d/maps", pid);
	in = fopen(maps, "re");
	while (in && n < RANGES && fgets(line, sizeof line, in)) {
		const char *path = strchr(line, '/'), *name = strrchr(line, '/');
		if (!path || !strstr(line, " r-xp ") || !strstr(path, within) ||
		    sscanf(line, "%lx-%lx %*s %lx", &ranges[n].from, &ranges[n].to,
			   &ranges[n].at) != 3)
			continue;
		snprintf(ranges[n].name, sizeof ranges[n].name, "%.60s", name + 1);
		ranges[n].name[strcspn(ranges[n].name, "\n")] = '\0';
		n++;
	}
	if (in)
		fclose(in);
	return n;
}

/* The two innermost words of the stack that are in the text of a program or library of interest:
 * where the call was made, and who asked for it. libc's own frames have no such words; those of
 * calls that ended may be seen, too, which makes two places of one. */
static void print_place(const struct wish *wish, pid_t pid, uint64_t sp)
{
	uint64_t stack[512];
	struct iovec here = { stack, sizeof stack },
		     there = { (void *)(uintptr_t)sp, sizeof stack };
	const ssize_t bytes = process_vm_readv(pid, &here, 1, &there, 1, 0);
	struct range ranges[RANGES];
	const size_t n = ranges_of(pid, wish->within, ranges);
	int places = 0;

	for (size_t i = 0; bytes > 0 && i < (size_t)bytes / sizeof *stack && places < 2; i++)
		for (size_t k = 0; k < n; k++)
			if (stack[i] >= ranges[k].from && stack[i] < ranges[k].to) {
				fprintf(wish->counted, "%c%s+%lx", places++ ? ',' : ' ',
					ranges[k].name, stack[i] - ranges[k].from + ranges[k].at);
				break;
			}
}

/* Whether the call that a process begins is one that is to fail. */
static bool counts(struct wish *wish, pid_t pid, const struct user_regs_struct *r)
{
	const struct call *call = NULL;
	char path[4096];

	for (size_t i = 0; i < sizeof calls / sizeof *calls && !call; i++)
		if (calls[i].number == (long)r->orig_rax)
			call = &calls[i];
	if (!call)
		return false;
	file_of(pid, call, r, path, sizeof path);
	if (!wish->begun && strcmp(call->kind, "open") == 0 && strstr(path, wish->after))
		wish->begun = true;
	if (!wish->begun || strcmp(call->kind, wish->kind) != 0 ||
	    (call->number == SYS_write && r->rdi == STDERR_FILENO) ||
	    (wish->on && !strstr(path, wish->on)))
		return false;
	wish->seen++;
	if (wish->counted) {
		fprintf(wish->counted, "%lu", wish->seen);
		print_place(wish, pid, r->rsp);
		fputc('\n', wish->counted);
	}
	return wish->n && (wish->seen == wish->n || (wish->from_then_on && wish->seen > wish->n));
}

static void enter(struct wish *wish, pid_t pid, struct process *p)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &r) != 0 || !counts(wish, pid, &r))
		return;
	if (wish->how->is_signal) {
		kill(pid, wish->how->number);
		return;
	}
	r.orig_rax = (unsigned long long)-1;
	p->fails = ptrace(PTRACE_SETREGS, pid, NULL, &r) == 0;
}

static void leave(const struct wish *wish, pid_t pid, struct process *p)
{
	struct user_regs_struct r;

	if (p->fails && ptrace(PTRACE_GETREGS, pid, NULL, &r) == 0) {
		r.rax = (unsigned long long)-wish->how->number;
		ptrace(PTRACE_SETREGS, pid, NULL, &r);
	}
	p->fails = false;
}

/* The signal that the process is to get when it goes on. */
static int stopped(struct wish *wish, pid_t pid, struct process *p, int status)
{
	const int signal = WSTOPSIG(status);

	if (signal == SYSCALL_STOP) {
		p->inside = !p->inside;
		if (p->inside)
			enter(wish, pid, p);
		else
			leave(wish, pid, p);
		return 0;
	}
	if (status >> 16) /* fork, exec ... */
		return 0;
	if (!p->known) { /* a new one stops before its first call */
		p->known = true;
		return signal == SIGSTOP ? 0 : signal;
	}
	return signal;
}

static int run(struct wish *wish, pid_t first)
{
	struct process *processes = calloc(PROCESSES, sizeof *processes);
	int result = 125, status;

	for (;;) {
		const pid_t pid = waitpid(-1, &status, __WALL);
		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0 || pid >= PROCESSES)
			break;
		if (WIFSTOPPED(status)) {
			const int signal = stopped(wish, pid, &processes[pid], status);
			ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(intptr_t)signal);
			continue;
		}
		processes[pid] = (struct process){ false, false, false };
		if (pid == first)
			result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	free(processes);
	return result;
}

static const struct how *find_how(const char *name)
{
	for (size_t i = 0; i < sizeof hows / sizeof *hows; i++)
		if (strcmp(hows[i].name, name) == 0)
			return &hows[i];
	return NULL;
}

static pid_t start(char **argv)
{
	const pid_t first = fork();
	int status;

	if (first == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (first < 0 || waitpid(first, &status, 0) != first || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, first, NULL, (void *)(intptr_t)OPTIONS) != 0)
		return -1;
	ptrace(PTRACE_SYSCALL, first, NULL, NULL);
	return first;
}

static bool parse(struct wish *wish, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "+fp:a:c:m:")) != -1) {
		switch (option) {
		case 'f': wish->from_then_on = true; break;
		case 'p': wish->on = optarg; break;
		case 'a': wish->after = optarg; break;
		case 'c':
			wish->counted = fopen(optarg, "we");
			if (!wish->counted)
				return false;
			break;
		case 'm': wish->within = optarg; break;
		default: return false;
		}
	}
	if (argc - optind < 4)
		return false;
	wish->begun = !wish->after;
	wish->kind = argv[optind];
	wish->n = strtoul(argv[optind + 1], NULL, 10);
	wish->how = find_how(argv[optind + 2]);
	return wish->how != NULL;
}

int main(int argc, char **argv)
{
	struct wish wish = { .within = "tv" };
	pid_t first;
	int status;

	if (!parse(&wish, argc, argv)) {
		fputs("usage: fail_call [-f] [-p TEXT] [-a TEXT] [-c FILE] [-m TEXT] CALL N HOW PROGRAM...\n",
		      stderr);
		return 2;
	}
	first = start(argv + optind + 3);
	if (first < 0)
		return 77; /* not allowed here */
	status = run(&wish, first);
	return wish.counted && fclose(wish.counted) != 0 ? 125 : status;
}
#endif
