#include "capture/run/counter_list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture/lib/perf_counter.h"
#include "capture/run/summary.h"

enum { NAME = 32 };

/* A cache's events: which, what is done, and with what result. */
#define CACHE(which, operation, result)                                                    \
	((uint64_t)PERF_COUNT_HW_CACHE_##which | PERF_COUNT_HW_CACHE_OP_##operation << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct named {
	const char *name;
	uint32_t type;
	uint64_t config;
} named[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "L1-dcache-loads", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS) },
	{ "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS) },
	{ "L1-icache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1I, READ, MISS) },
	{ "LLC-loads", PERF_TYPE_HW_CACHE, CACHE(LL, READ, ACCESS) },
	{ "LLC-load-misses", PERF_TYPE_HW_CACHE, CACHE(LL, READ, MISS) },
	{ "LLC-stores", PERF_TYPE_HW_CACHE, CACHE(LL, WRITE, ACCESS) },
	{ "LLC-store-misses", PERF_TYPE_HW_CACHE, CACHE(LL, WRITE, MISS) },
	{ "dTLB-loads", PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, ACCESS) },
	{ "dTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, MISS) },
	{ "iTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, MISS) },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
};

enum { NAMES = sizeof named / sizeof *named };

/* ---- names ---- */

/* "r1a8": the processor's own number of an event. */
static bool is_raw(const char *name, uint64_t *config)
{
	char *end;

	if (*name != 'r' || !isxdigit((unsigned char)name[1]))
		return false;
	*config = strtoull(name + 1, &end, 16);
	return !*end;
}

/* What a name means, of which a ":u" or ":k" is cut off. */
static struct tv_counter counter_of(char *name)
{
	struct tv_counter counter = { TV_COUNTER_UNKNOWN, 0, TV_COUNT_ALL };
	char *mode = strchr(name, ':');
	uint64_t config;

	if (mode && !strcmp(mode, ":u"))
		counter.where = TV_COUNT_USER;
	else if (mode && !strcmp(mode, ":k"))
		counter.where = TV_COUNT_KERNEL;
	else if (mode)
		return counter;
	if (mode)
		*mode = '\0';
	if (is_raw(name, &config)) {
		counter.type = PERF_TYPE_RAW;
		counter.config = config;
	}
	for (size_t i = 0; i < NAMES; i++) {
		if (strcmp(name, named[i].name) != 0)
			continue;
		counter.type = named[i].type;
		counter.config = named[i].config;
	}
	return counter;
}

/* The next name of a list, which *at passes; false: there are no more. */
static bool next_name(const char **at, char name[NAME])
{
	size_t n;

	while (**at == ',')
		++*at;
	n = strcspn(*at, ",");
	snprintf(name, NAME, "%.*s", (int)n, *at);
	*at += n;
	return n != 0;
}

bool counter_list_parse(struct str *out, const char *text, struct err *err)
{
	char name[NAME], plain[NAME];
	unsigned n = 0;

	for (const char *p = text; *p; p++)
		if (isspace((unsigned char)*p) || !isprint((unsigned char)*p))
			return err_set(
				err, STATUS_USAGE,
				"--counters %s: must be names between commas, without blanks",
				text);
	str_clear(out);
	for (const char *at = text; next_name(&at, name); n++) {
		struct tv_counter counter;
		memcpy(plain, name, sizeof plain);
		counter = counter_of(plain);
		str_add_fmt(out, "%u %llx %u %s\n", counter.type,
			    (unsigned long long)counter.config, (unsigned)counter.where, name);
	}
	if (!n)
		return err_set(err, STATUS_USAGE,
			       "--counters needs names, such as cycles,instructions (see tvrun "
			       "--list-counters)");
	return n <= TV_COUNTERS_MAX ||
	       err_set(err, STATUS_USAGE, "--counters: at most %d counters can be recorded",
		       TV_COUNTERS_MAX);
}

/* ---- this machine ---- */

/* Whether it counts here; *counter as it does. */
static enum tv_counter_lack try_here(struct tv_counter *counter)
{
	int fd;

	if (counter->type == TV_COUNTER_UNKNOWN)
		return TV_COUNTER_NO_NAME;
	fd = tv_counter_open(counter, -1);
	if (fd < 0)
		return tv_counter_lack_of(errno);
	close(fd);
	return TV_COUNTER_OK;
}

/* The kernel's setting that decides who may count; -9 unknown. */
static int paranoid(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = -9;

	if (file && fscanf(file, "%d", &level) != 1)
		level = -9;
	if (file)
		fclose(file);
	return level;
}

static void add_reason(struct str *out, enum tv_counter_lack lack)
{
	const int level = paranoid();

	switch (lack) {
	case TV_COUNTER_NO_NAME:
		str_add(out, "no counter has this name (see tvrun --list-counters)");
		return;
	case TV_COUNTER_NO_HARDWARE:
		str_add(out, "the processor does not offer it (virtual machines often have no "
			     "hardware counters)");
		return;
	case TV_COUNTER_FORBIDDEN:
		str_add(out, "the kernel does not allow it");
		if (level > -9)
			str_add_fmt(out, " (/proc/sys/kernel/perf_event_paranoid is %d)", level);
		return;
	case TV_COUNTER_NO_KERNEL: str_add(out, "this kernel has no perf_event_open"); return;
	case TV_COUNTER_NO_FILES: str_add(out, "too many files are open"); return;
	default: str_add(out, "the kernel refuses it"); return;
	}
}

void counter_list_warn(const char *text)
{
	char name[NAME], plain[NAME];

	while (next_name(&text, name)) {
		OWNED_STR why = STR_INIT;
		struct tv_counter counter;
		enum tv_counter_lack lack;
		memcpy(plain, name, sizeof plain);
		counter = counter_of(plain);
		lack = try_here(&counter);
		add_reason(&why, lack);
		if (lack != TV_COUNTER_OK)
			print_line("warning: %s is not counted: %s", name, why.text);
	}
}

void counter_list_text(struct str *out)
{
	str_add(out,
		"Names for tvrun --counters. :u after a name counts the program's own code alone, "
		":k\nthe kernel's alone. rNNN is the processor's own event number NNN "
		"(hexadecimal).\n\n");
	for (size_t i = 0; i < NAMES; i++) {
		struct tv_counter counter = { named[i].type, named[i].config, TV_COUNT_ALL };
		const enum tv_counter_lack lack = try_here(&counter);
		str_add_fmt(out, "%-24s  ", named[i].name);
		if (lack != TV_COUNTER_OK)
			add_reason(out, lack);
		else
			str_add(out, counter.where == TV_COUNT_USER
					     ? "counted, of the program's own code alone"
					     : "counted");
		str_add_char(out, '\n');
	}
}
