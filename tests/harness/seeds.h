/* seeds: of a test's random traces. TVIEW_SEEDS=100-999 in the environment has it try these:
 *
 *	const struct seeds seeds = seeds_or(1, 4);
 *	for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) ... */
#pragma once

#include <stdint.h>
#include <stdlib.h>

struct seeds {
	uint64_t first, last;
};

/* Those of the environment, else the test's own. */
static inline struct seeds seeds_or(uint64_t first, uint64_t last)
{
	const char *text = getenv("TVIEW_SEEDS");
	struct seeds seeds = { first, last };
	char *end;

	if (!text)
		return seeds;
	seeds.first = seeds.last = strtoull(text, &end, 10);
	if (*end == '-')
		seeds.last = strtoull(end + 1, NULL, 10);
	return seeds;
}
