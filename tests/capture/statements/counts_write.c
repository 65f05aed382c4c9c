/* The account of counts.h as text. Compiled without probes. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "counts.h"

struct counts counts;

static const char *const names[COUNTS_PROCEDURES] = {
	"main", "leaf", "nested", "early", "leave_both", "fact", "ping", "pong", "tree", "jump",
	"deep", "pointed", "callbacks", "compare", "twice", "other", "master", "worker", "ring", "collectives",
	"last", "throws", "catches", "Object"
};

long counts_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1000000000L + ts.tv_nsec;
}

void counts_write(const char *file, int rank)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof path, "%s.%d", getenv("COUNTS") ? getenv("COUNTS") : "counts", rank);
	out = fopen(path, "w");
	if (!out)
		return;
	for (int p = 0; p < COUNTS_PROCEDURES; p++)
		for (int line = 0; line < COUNTS_LINES; line++)
			if (counts.call[p][line])
				fprintf(out, "procedure %s %s %d %ld %ld\n", file, names[p], line,
					counts.call[p][line], counts.inner[p][line]);
	for (int line = 0; line < COUNTS_LINES; line++) {
		if (counts.loop[line])
			fprintf(out, "loop %s - %d %ld %ld %ld\n", file, line, counts.loop[line],
				counts.loop_inner[line], counts.step[line]);
		if (counts.inside[line])
			fprintf(out, "time %s leaf %d %ld %ld\n", file, line, counts.inside[line],
				counts.around[line]);
		for (int partner = 0; partner <= COUNTS_RANKS; partner++)
			if (counts.with[line][partner])
				fprintf(out, "with %s - %d %d %ld %ld %ld\n", file, line, partner - 1,
					counts.with[line][partner], counts.sent[line][partner],
					counts.received[line][partner]);
	}
	fclose(out);
}
