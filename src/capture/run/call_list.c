#include "capture/run/call_list.h"

#include <stdlib.h>

struct listed {
	const char *name;
	bool recorded;
};

static const struct listed calls[] = {
#define TV_CALL(name, ...) { "MPI_" #name, true },
#include "capture/lib/calls.def"
#define TV_PASS(name) { "MPI_" #name, false },
#include "capture/lib/calls_passed.def"
};

enum { CALLS = sizeof calls / sizeof *calls };

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct listed *)a)->name, ((const struct listed *)b)->name);
}

void call_list_text(struct str *out)
{
	struct listed sorted[CALLS];

	memcpy(sorted, calls, sizeof sorted);
	qsort(sorted, CALLS, sizeof *sorted, by_name);
	str_add(out,
		"Recorded: each call has its times, and what it sends, moves or waits for.\n"
		"Counted: the call is passed on; its time is its caller's, and the trace says\n"
		"how often it was called.\n"
		"Neither: MPI_T_*, MPI_Abi_*, conversions of handles (MPI_*_c2f, MPI_*_f2c).\n\n");
	for (size_t i = 0; i < CALLS; i++)
		str_add_fmt(out, "%-36s  %s\n", sorted[i].name,
			    sorted[i].recorded ? "recorded" : "counted");
}
