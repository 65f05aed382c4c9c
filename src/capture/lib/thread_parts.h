/* thread_parts: parts of struct tv_thread (recorder.h). */
#pragma once

#include <stdint.h>

enum { TV_KNOWN_PLACES = 64, TV_CORE_NONE = -1 };

/* The place of a statement's site, or of code. */
struct tv_place_cache {
	uint64_t address;
	uint64_t place;
	uint32_t generation;
};

/* Waits for a core (core_look.h). */
struct tv_core_seen {
	uint64_t looked;         /* ticks: of the latest look, */
	uint64_t now, run, wait; /* and what it saw, nanoseconds; now 0: nothing yet */
	int file;                /* descriptor + 1; 0: not opened yet; TV_CORE_NONE */
};
