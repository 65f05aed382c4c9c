/* corrections_facts: what the title, the overview, `check` and the view of the corrections all
 * say of the corrections of a trace. */
#pragma once

#include "correct/correct.h"
#include "views/facts/phrases.h"

/* Above these multiples of the time that is left, an overhead taken out is shown in grey, and
 * not at all: one per cent of the cost of a record is then a tenth, and a third, of the result. */
#define OVERHEAD_DOUBTFUL 10.0
#define OVERHEAD_NO_CLAIM 30.0

/* Do all ranks share one clock, so that fitted times are the measured ones? NULL: not known. */
bool corrected_one_clock(const struct corrections *corrections);
/* What the compensated times are times of. */
#define OVERHEAD_REFERENCE "the same functions, unprobed, not inlined"

enum overhead_trust { OVERHEAD_TRUSTED, OVERHEAD_GREY, OVERHEAD_UNCLAIMED };

struct corrected {
	/* The times that offsets alone give (measured without any), and the best clock. */
	enum time_base before, after;
	const struct check *check_before, *check_after; /* NULL: not checked */
	bool moved;                                     /* the logical clock moved something: */
	uint64_t messages;                              /* so many had an end moved, */
	int64_t most;                                   /* ticks: by so much at most */
	uint32_t most_event;                            /* the event, EVENT_NONE none */
	bool one_clock; /* all ranks share one: the measured offsets were noise */
	bool overhead;  /* is known, and claimed: */
	enum overhead_trust trust;
	double removed, least, largest; /* shares of the measured run that were overhead: best
					   estimate, and its bounds */
};

struct corrected corrected_of(const struct trace *trace, const struct corrections *corrections);

/* "37 messages moved (max 323 us)", "clocks moved (max 18 us)", "one clock": what was done to
 * get the base; nothing for measured and linear. `brief`: "moved 37". */
void corrected_moves(const struct corrections *corrections, const struct trace *trace,
		     enum time_base base, bool brief, struct str *out);
/* "overhead -4.1 % [3.2..4.9]" where a base is shown without it, "overhead 4.1 % ..." where it is
 * known; nothing where it is not. `brief`: without bounds. */
void corrected_overhead(const struct corrected *facts, enum time_base base, bool brief,
			struct str *out);

/* The figures that the view of corrections begins with, and the report takes from: titles, and
 * values without a full stop; "" if there is none. */
enum corrections_figure {
	FIGURE_LEFT,
	FIGURE_BEFORE,
	FIGURE_DONE,
	FIGURE_SHIFT,
	FIGURE_OVERHEAD,
	CORRECTIONS_FIGURES
};
const char *corrections_figure_title(enum corrections_figure figure);
const char *corrections_figure(struct phrases *phrases, enum corrections_figure figure,
			       const struct corrections *corrections);
/* "7.5 % of the run (6.8 to 7.6 %)"; "" unknown. */
const char *corrections_overhead(struct phrases *phrases, const struct corrected *facts);

/* "reference", "shared", ...: for people. */
const char *clock_state_name(enum clock_state state);
/* "none", "given", "loop", "sampled". */
const char *overhead_source_name(enum overhead_source source);
