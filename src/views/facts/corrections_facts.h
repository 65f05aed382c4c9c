/* corrections_facts: figures and words about a trace's corrections, for the title, the overview,
 * `check` and the view of corrections. */
#pragma once

#include "correct/correct.h"
#include "views/facts/phrases.h"

/* An overhead of more than so many times the remaining time is shown in grey, or not at all: an
 * error of 1 % in the cost of a record is then 10 %, or 30 %, of the result. */
#define OVERHEAD_DOUBTFUL 10.0
#define OVERHEAD_NO_CLAIM 30.0

/* True if all ranks share one clock, so that fitted times are the measured ones; false for NULL. */
bool corrected_one_clock(const struct corrections *corrections);
/* The program whose times the compensated times estimate. */
#define OVERHEAD_REFERENCE "the same functions, unprobed, not inlined"

enum overhead_trust { OVERHEAD_TRUSTED, OVERHEAD_GREY, OVERHEAD_UNCLAIMED };

struct corrected {
	/* The base that clock offsets alone give (measured without offsets), and the base of the
	 * best clock. */
	enum time_base before, after;
	const struct check *check_before, *check_after; /* NULL: not checked */
	bool moved;                                     /* the logical clock moved something: */
	uint64_t messages;                              /* so many had an end moved, */
	int64_t most;                                   /* ticks: by so much at most */
	bool one_clock; /* all ranks share one: the measured offsets were noise */
	bool overhead;  /* the overhead is known and shown: */
	enum overhead_trust trust;
	double removed, least, largest; /* shares of the measured run that were overhead: best
					   estimate, and its bounds */
};

struct corrected corrected_of(const struct trace *trace, const struct corrections *corrections);

/* Appends "37 messages moved (max 323 us)", "clocks moved (max 18 us)", "one clock": how the base
 * was made; nothing for measured and linear. `brief`: "moved 37". */
void corrected_moves(const struct corrections *corrections, const struct trace *trace,
		     enum time_base base, bool brief, struct str *out);
/* Appends "overhead -4.1 % [3.2..4.9]" for a base without the overhead, "overhead 4.1 % ..." for
 * others; nothing if it is unknown. `brief`: without bounds. */
void corrected_overhead(const struct corrected *facts, enum time_base base, bool brief,
			struct str *out);

/* The figures at the top of the view of corrections, which the report uses, too: titles, and values
 * without a full stop, "" if there is none. */
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
