#define _GNU_SOURCE
#include "capture/lib/sampling.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "capture/lib/lifetimes.h"
#include "capture/lib/modules.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* The kernel's clock interrupt comes at least every 10 ms, on a virtual machine sometimes later. A
 * signal for more time than this was blocked meanwhile, and its address says nothing of it. */
enum { LONGEST_NS = 100000000 };

static struct {
	int signal; /* 0: none */
	bool no_perf;
	uint32_t most;          /* periods that one signal may stand for */
	uint64_t own, own_size; /* this library's code */
} sampling;

/* What interrupts this thread. In a child of fork it is the parent's. */
static _Thread_local struct {
	enum { SAMPLER_NONE, SAMPLER_PERF, SAMPLER_TIMER } clock;
	int fd;
	timer_t timer;
	int64_t counted; /* perf: CPU time that signals stood for, ns */
	uint64_t call;   /* tv_thread.now at the latest signal */
} sampler;

/* Of the instruction that would have been next. */
static uint64_t address_of(const void *context)
{
	const ucontext_t *interrupted = context;

#if defined(__x86_64__)
	return (uint64_t)interrupted->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (uint64_t)interrupted->uc_mcontext.pc;
#else
	(void)interrupted;
	return 0;
#endif
}

/* Nothing is recorded while the thread is in MPI or in this library, or is switched off; nor where
 * room is scarce, as of functions. */
static bool is_wanted(const struct tv_thread *t, uint64_t address)
{
	return t->live && t->keep && !t->nested && !t->busy && !t->writing && !tv.low &&
	       t->mode != TV_PAUSED && address >> 48 == 0 &&
	       address - sampling.own >= sampling.own_size;
}

static void write_sample(struct tv_thread *t, uint64_t address, uint32_t periods)
{
	if (tv.unloads)
		address = tv_lasting_known(address);
	tv_write_function(t, TV_SAMPLE, tv_sample_make(address, periods), NULL);
}

static int64_t cpu_time(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0)
		return 0;
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* perf says nothing of interrupts that came late, and counts time that a virtual machine's host
 * took: the periods are those of CPU time since the last signal, if the thread called nothing of
 * MPI in between. */
static uint32_t perf_periods(const struct tv_thread *t)
{
	const bool same = sampler.call == t->now;
	const int64_t period = (int64_t)tv.sample, now = cpu_time();
	int64_t ahead = now - sampler.counted;

	sampler.call = t->now;
	if (!same || ahead < -period || ahead > period * sampling.most) {
		sampler.counted = now;
		return 1;
	}
	ahead = ahead < 0 ? 0 : (ahead + period / 2) / period;
	sampler.counted += ahead * period;
	return (uint32_t)ahead;
}

static uint32_t periods_of(const struct tv_thread *t, const siginfo_t *info)
{
	const uint32_t periods =
		info->si_code == SI_TIMER ? 1 + (uint32_t)info->si_overrun : perf_periods(t);

	return periods > sampling.most ? 1 : periods;
}

static void on_sample(int number, siginfo_t *info, void *context)
{
	struct tv_thread *t = &tv_self;
	const uint64_t address = address_of(context);
	const int saved = errno;
	uint32_t periods;

	(void)number;
	/* Signals of the program have codes of 0 and less. */
	if (info->si_code != SI_TIMER && info->si_code <= 0)
		return;
	periods = periods_of(t, info);
	errno = saved;
	if (!periods || !is_wanted(t, address))
		return;
	tv_busy_set(t);
	for (; periods > TV_SAMPLE_PERIODS; periods -= TV_SAMPLE_PERIODS)
		write_sample(t, address, TV_SAMPLE_PERIODS);
	write_sample(t, address, periods);
	tv_busy_end(t);
	errno = saved;
}

/* A real-time signal that has no handler, from the last one down: programs count from the first. */
static int free_signal(void)
{
	struct sigaction known;

	for (int number = SIGRTMAX - 1; number > SIGRTMIN; number--)
		if (sigaction(number, NULL, &known) == 0 && !(known.sa_flags & SA_SIGINFO) &&
		    known.sa_handler == SIG_DFL)
			return number;
	return 0;
}

void tv_sampling_start(void)
{
	struct sigaction action = { .sa_sigaction = on_sample,
				    .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };
	const char *clock = getenv("TVIEW_SAMPLE_CLOCK");

	tv.sample = tv.statistics ? 0 : tv_number_set("TVIEW_SAMPLE", 0);
	if (!tv.sample)
		return;
	sampling.no_perf = clock && !strcmp(clock, "timer");
	sampling.most = (uint32_t)(LONGEST_NS / tv.sample) + 1;
	tv_module_span((const void *)(uintptr_t)on_sample, &sampling.own, &sampling.own_size);
	sampling.signal = free_signal();
	sigfillset(&action.sa_mask);
	if (!sampling.signal || sigaction(sampling.signal, &action, NULL) != 0) {
		sampling.signal = 0;
		tv.sample = 0;
		__atomic_fetch_or(&tv.file->state, TV_UNSAMPLED, __ATOMIC_RELAXED);
	}
}

static void note_sampler(struct tv_thread *t)
{
	const char *clock =
		sampler.clock == SAMPLER_PERF ? "sample-clock=perf" : "sample-clock=timer";
	char text[64];
	const int n = snprintf(text, sizeof text, "sample-ns=%llu", (unsigned long long)tv.sample);

	if (n > 0)
		tv_define(t, TV_DEF_PROPERTY, 0, text, (size_t)n + 1, NULL, 0);
	tv_define(t, TV_DEF_PROPERTY, 0, clock, strlen(clock) + 1, NULL, 0);
}

/* ---- clocks ---- */

static bool perf_begin(void)
{
	struct perf_event_attr attributes = { .size = sizeof attributes,
					      .type = PERF_TYPE_SOFTWARE,
					      .config = PERF_COUNT_SW_TASK_CLOCK,
					      .sample_period = tv.sample,
					      .wakeup_events = 1,
					      .disabled = 1,
					      .exclude_kernel = 1,
					      .exclude_hv = 1 };
	const struct f_owner_ex owner = { F_OWNER_TID, (pid_t)syscall(SYS_gettid) };
	int fd;

	if (sampling.no_perf)
		return false;
	fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return false;
	if (fcntl(fd, F_SETOWN_EX, &owner) != 0 || fcntl(fd, F_SETSIG, sampling.signal) != 0 ||
	    fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) != 0 ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) != 0) {
		close(fd);
		return false;
	}
	sampler.fd = fd;
	sampler.clock = SAMPLER_PERF;
	return true;
}

static bool timer_begin(void)
{
	const struct timespec period = { (time_t)(tv.sample / 1000000000),
					 (long)(tv.sample % 1000000000) };
	const struct itimerspec times = { period, period };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = sampling.signal };

	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &sampler.timer) != 0)
		return false;
	sampler.clock = SAMPLER_TIMER;
	timer_settime(sampler.timer, 0, &times, NULL);
	return true;
}

void tv_sampling_begin(struct tv_thread *t)
{
	const int saved = errno;
	sigset_t set;

	if (!tv.sample || sampler.clock)
		return;
	/* The program may have blocked it, with all others, before this thread was born. */
	sigemptyset(&set);
	sigaddset(&set, sampling.signal);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	if (!perf_begin() && !timer_begin())
		__atomic_fetch_or(&tv.file->state, TV_UNSAMPLED, __ATOMIC_RELAXED);
	else if (t->number == 0)
		note_sampler(t);
	errno = saved;
}

void tv_sampling_end(void)
{
	if (sampler.clock == SAMPLER_PERF)
		close(sampler.fd);
	if (sampler.clock == SAMPLER_TIMER)
		timer_delete(sampler.timer);
	sampler.clock = SAMPLER_NONE;
}

/* ---- programs that block all signals ---- */

/* The kernel's call, as the C library makes it: its own two signals are never blocked. */
static int change_mask(int how, const sigset_t *set, sigset_t *old)
{
	const uint64_t of_libc = UINT64_C(3) << 31;
	uint64_t wanted = 0;

	if (set) {
		memcpy(&wanted, set, sizeof wanted);
		if (how != SIG_UNBLOCK) {
			wanted &= ~of_libc;
			if (sampling.signal)
				wanted &= ~(UINT64_C(1) << (sampling.signal - 1));
		}
	}
	if (old)
		sigemptyset(old);
	return (int)syscall(SYS_rt_sigprocmask, how, set ? &wanted : NULL, old, sizeof wanted);
}

TV_PUBLIC int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	return change_mask(how, set, old);
}

TV_PUBLIC int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	const int saved = errno;
	const int error = change_mask(how, set, old) == 0 ? 0 : errno;

	errno = saved;
	return error;
}
