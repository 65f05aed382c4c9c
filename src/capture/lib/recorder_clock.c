/* The clock of the records: which one, and its calibration in the file's header. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/lib/recorder.h"

#if defined(__x86_64__)
static bool file_has(const char *path, const char *a, const char *b)
{
	char text[8192];
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, sizeof text - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	return strstr(text, a) && strstr(text, b);
}
#endif

/* The TSC counts evenly and alike on all cores only where the processor says so and the kernel
 * found it so. */
uint32_t tv_choose_clock(void)
{
#if defined(__x86_64__)
	const char *wanted = getenv("TVIEW_CLOCK");

	if (wanted && !strcmp(wanted, "monotonic"))
		return TV_CLOCK_MONOTONIC;
	if (wanted && !strcmp(wanted, "tsc"))
		return TV_CLOCK_TSC;
	if (file_has("/proc/cpuinfo", "constant_tsc", "nonstop_tsc") &&
	    file_has("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc",
		     "tsc"))
		return TV_CLOCK_TSC;
#endif
	return TV_CLOCK_MONOTONIC;
}

uint64_t tv_now_slow(void)
{
	return tv_nanoseconds();
}

void tv_stamp(void)
{
	uint64_t tick = 0, nano = 0;

	if (!tv.file)
		return;
	tv_ticks_and_nanos(tv.clock, &tick, &nano);
	tv.file->last_tick = tick;
	tv.file->last_nano = nano;
}

/* Nanoseconds as ticks, from so many nanoseconds of both clocks. */
uint64_t tv_ticks_of(uint64_t wanted, uint64_t span)
{
	uint64_t from[2] = { 0, 0 }, to[2] = { 0, 0 };

	if (wanted == 0 || tv.clock == TV_CLOCK_MONOTONIC)
		return wanted;
	tv_ticks_and_nanos(tv.clock, &from[0], &from[1]);
	do
		tv_ticks_and_nanos(tv.clock, &to[0], &to[1]);
	while (to[1] - from[1] < span);
	return wanted * (to[0] - from[0]) / (to[1] - from[1]);
}
