/* random_script: programs drawn from a seed (program "script"): messages blocking and nonblocking, from given
 * sources and from any, collectives of each class, work with probes. All end.
 *
 * Messages are in an order in which all ranks could go through the program one step at a time: the
 * nth receive from any source of a rank comes after n such messages to it have been sent. Those
 * received from given sources have other tags. */
#pragma once

#include "base/str.h"

enum { SCRIPT_RANKS = 8 /* at most */ };

/* What is between computations. */
enum script_probes {
	SCRIPT_NONE,
	SCRIPT_COSTS,  /* probes of drawn costs, up to 9 us */
	SCRIPT_VISITS, /* visits of functions */
};

struct random_script {
	struct str text[SCRIPT_RANKS];
	const char *script[SCRIPT_RANKS + 1]; /* for settings.script; NULL after the last rank */
	uint32_t ranks;
};

/* `probes_seed`: of costs, and how many visits, drawn apart so that a program may have others. */
void random_script_init(struct random_script *d, uint64_t seed, enum script_probes probes,
			uint64_t probes_seed);
void random_script_fini(struct random_script *d);

/* The next number of a seed, below a limit. */
uint64_t random_script_draw(uint64_t *seed, uint64_t below);
