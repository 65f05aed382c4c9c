#define _GNU_SOURCE
#include "capture/lib/ends.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "capture/lib/lifetimes.h"
#include "capture/lib/modules.h"
#include "capture/lib/own_line.h"
#include "capture/lib/proc_stat.h"
#include "capture/lib/recorder.h"
#include "capture/lib/replay_board.h"

/* ---- the note ---- */

/* Not in a child, which may share the memory (vfork). */
static bool is_this(const struct tv_file *file)
{
	return file && syscall(SYS_getpid) == file->pid;
}

/* `ends`: for certain. */
static void note(uint32_t way, uint32_t flags, int code, uint64_t address, bool ends)
{
	const struct tv_thread *t = &tv_self;
	struct tv_file *file = tv.file;
	struct tv_end *end;

	if (!is_this(file))
		return;
	if (ends) {
		tv_line_done();
		tv_board_done();
	}
	if (file->end.way)
		return;
	end = &file->end;
	end->tick = tv_now();
	end->flags = flags;
	end->address = tv_lasting_known(address);
	end->call = t->nested ? t->call : TV_END_NONE;
	end->place = t->nested && t->nested != TV_CALL_PAUSED ? t->place : 0;
	end->thread = t->begun ? t->number : TV_END_NONE;
	end->code = code;
	__atomic_store_n(&end->way, way, __ATOMIC_RELEASE);
}

void tv_end_note(uint32_t way, int code, const void *address)
{
	const uint64_t at = (uint64_t)(uintptr_t)address;

	note(way, at - tv_entry.start < tv_entry.size ? (uint32_t)TV_END_IN_MPI : 0, code, at,
	     true);
}

/* ---- who sends signals ---- */

enum { ANCESTORS = 16 };

static pid_t ancestors[ANCESTORS]; /* up to tvrun, or to the launcher's server on another node */

static pid_t parent_of(pid_t pid)
{
	char text[TV_PROC_STAT];
	const char *stat = tv_proc_stat(pid, text);

	return stat ? (pid_t)strtol(stat + 1, NULL, 10) : 0;
}

static void find_ancestors(void)
{
	const pid_t tvrun = (pid_t)tv_number_set("TVIEW_TVRUN", 0);
	pid_t pid = getppid();

	for (size_t i = 0; i < ANCESTORS && pid > 1; i++, pid = parent_of(pid)) {
		ancestors[i] = pid;
		if (pid == tvrun)
			break;
	}
}

/* True for a signal that the program did not cause itself. */
static bool is_outside(int number, const siginfo_t *info)
{
	if (info->si_code == SI_KERNEL)
		return number == SIGINT || number == SIGQUIT || number == SIGHUP;
	if (info->si_code == SI_USER && info->si_pid > 0)
		for (size_t i = 0; i < ANCESTORS && ancestors[i]; i++)
			if (info->si_pid == ancestors[i])
				return true;
	return false;
}

/* ---- signals ---- */

static const int numbers[] = { SIGSEGV, SIGBUS,    SIGFPE,  SIGILL,  SIGABRT,   SIGTRAP,
			       SIGSYS,  SIGQUIT,   SIGTERM, SIGINT,  SIGHUP,    SIGXCPU,
			       SIGXFSZ, SIGPIPE,   SIGALRM, SIGPROF, SIGVTALRM, SIGUSR1,
			       SIGUSR2, SIGSTKFLT, SIGIO,   SIGPWR };

enum { SIGNALS = sizeof numbers / sizeof *numbers };

/* libc's own: UCX's sigaction() sets nothing for signals that it handles itself. */
static int (*set_action)(int, const struct sigaction *, struct sigaction *) = sigaction;

static struct sigaction earlier[TV_END_SIGNALS]; /* by number */
static bool held[TV_END_SIGNALS];                /* ours may come back after MPI_Init */

/* The instruction faults again as soon as the handler returns. */
static bool faults_again(int number, int code)
{
	return code > 0 && (number == SIGSEGV || number == SIGFPE || number == SIGILL ||
			    (number == SIGBUS && code != BUS_MCEERR_AO));
}

static uint64_t instruction(const void *context)
{
	const ucontext_t *at = context;

#if defined(__x86_64__)
	return (uint64_t)at->uc_mcontext.gregs[REG_RIP];
#else
	return at->uc_mcontext.pc;
#endif
}

static bool is_default(const struct sigaction *action)
{
	return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}

static void strike(int number, siginfo_t *info, void *context)
{
	const int saved = errno;

	note((uint32_t)number, is_outside(number, info) ? (uint32_t)TV_END_OUTSIDE : 0, 0,
	     instruction(context), is_default(&earlier[number]));
	set_action(number, &earlier[number], NULL);
	/* The signal is blocked until this returns, and is then delivered as it was sent. */
	if (!faults_again(number, info->si_code) &&
	    syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), number, info) != 0)
		raise(number);
	errno = saved;
}

static bool is_ours(const struct sigaction *action)
{
	return action->sa_flags & SA_SIGINFO && action->sa_sigaction == strike;
}

static bool is_ignored(const struct sigaction *action)
{
	return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_IGN;
}

static void install(int number, const struct sigaction *before)
{
	struct sigaction ours = { .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART };

	ours.sa_sigaction = strike;
	sigemptyset(&ours.sa_mask);
	earlier[number] = *before;
	set_action(number, &ours, NULL);
}

/* After a stack overflow a handler needs another stack. */
static void give_stack(void)
{
	static char room[128 << 10];
	const stack_t ours = { .ss_sp = room, .ss_size = sizeof room };
	stack_t there;

	if (sigaltstack(NULL, &there) == 0 && there.ss_flags & SS_DISABLE)
		sigaltstack(&ours, NULL);
}

/* Runs once. */
static void prepare(void)
{
	void *own = tv_look_up(RTLD_DEFAULT, "__sigaction");

	if (*ancestors)
		return;
	if (own)
		*(void **)(void *)&set_action = own;
	find_ancestors();
	give_stack();
}

void tv_ends_start(void)
{
	struct sigaction there;

	prepare();
	/* The program has not begun: what is not default is a library's, UCX's for one. */
	for (size_t i = 0; i < SIGNALS; i++)
		if (set_action(numbers[i], NULL, &there) == 0 && !is_ignored(&there))
			install(numbers[i], &there);
}

void tv_ends_hold(void)
{
	struct sigaction there;

	if (tv.file)
		prepare();
	for (size_t i = 0; i < SIGNALS; i++) {
		const int number = numbers[i];
		if (!tv.file || set_action(number, NULL, &there) != 0)
			continue;
		held[number] = is_ours(&there) || is_default(&there);
		if (is_ours(&there))
			set_action(number, &earlier[number], NULL);
	}
}

void tv_ends_resume(void)
{
	struct sigaction there;

	for (size_t i = 0; i < SIGNALS; i++) {
		const int number = numbers[i];
		if (held[number] && set_action(number, NULL, &there) == 0 && !is_ignored(&there) &&
		    !is_ours(&there))
			install(number, &there);
		held[number] = false;
	}
}

/* Signals that interrupt a program which goes on. */
static const int passing[] = {
	SIGALRM, SIGPROF, SIGVTALRM, SIGIO, SIGURG, SIGUSR1, SIGUSR2, SIGCHLD
};

static bool has_handler(int number)
{
	struct sigaction there;

	return set_action(number, NULL, &there) == 0 && !is_default(&there) &&
	       !is_ignored(&there) && !is_ours(&there);
}

bool tv_ends_handlers(void)
{
	for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
		if (has_handler(passing[i]))
			return true;
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		if (has_handler(number))
			return true;
	return false;
}

/* ---- calls that end the process ---- */

/* The library's constructor may not have run yet. */
static void end_by(const char *name, int status)
{
	void (*real)(int);

	*(void **)(void *)&real = tv_look_up(RTLD_NEXT, name);
	if (real)
		real(status);
}

TV_PUBLIC _Noreturn void exit(int status)
{
	tv_end_note(TV_END_EXIT, status, __builtin_return_address(0));
	end_by("exit", status);
	abort();
}

TV_PUBLIC _Noreturn void quick_exit(int status)
{
	tv_end_note(TV_END_EXIT, status, __builtin_return_address(0));
	end_by("quick_exit", status);
	abort();
}

/* No look-up: a signal handler may call it, and so may a child of vfork. */
static _Noreturn void leave(int status)
{
	for (;;)
		syscall(SYS_exit_group, status);
}

TV_PUBLIC _Noreturn void _exit(int status)
{
	tv_end_note(TV_END_EXIT, status, __builtin_return_address(0));
	leave(status);
}

TV_PUBLIC _Noreturn void _Exit(int status)
{
	tv_end_note(TV_END_EXIT, status, __builtin_return_address(0));
	leave(status);
}
