/* choose: makes the query that all views share from the options that need a trace (base, ranks,
 * time, filter).
 *
 *	struct choice choice;
 *	if (choice_make(&choice, trace, corrections, &options, &err))
 *		export_view(name, &choice.query, ...);
 *	choice_fini(&choice);
 */
#pragma once

#include "base/vec.h"
#include "correct/correct.h"
#include "model/formats/load.h"
#include "ui/options/option.h"
#include "views/query/analyses.h"
#include "views/query/view.h"

struct choice {
	struct query query; /* borrows what follows */
	struct filter *filter;
	struct sequence *sequence;
	struct analyses *analyses;
	VEC(uint32_t) locations;
	struct arrangement arrangement;
	struct colouring colouring;
	bool placed; /* --at or --rank: the screen begins there */
	uint32_t location;
	int64_t time; /* INT64_MIN: at the begin */
};

/* False with err (status 2): the trace has no such base or rank, or a text is not a list, time or
 * expression. choice_fini() is due in any case. Makes the base. `corrections` (borrowed, may be
 * NULL) explains a missing base. If the logical clock had nothing to correct, its base is the one
 * that it would have started from. */
bool choice_make(struct choice *choice, struct trace *trace, const struct corrections *corrections,
		 const struct options *options, struct err *err);
void choice_fini(struct choice *choice);

/* A location by its name: "3" (of its threads the first), "3.1" (thread 1), "host"; and that name.
 * Marks all of a list "3,5-7,2.1", where a range has all threads. The event with a number, as
 * exports number them. False with err. */
bool choose_location(const struct trace *trace, const char *name, uint32_t *location,
		     struct err *err);
void choose_add_location(const struct trace *trace, uint32_t location, struct str *out);
bool choose_locations(const struct trace *trace, const char *list, bool *chosen, struct err *err);
/* Appends the list of those that are marked: "0-3,8,2.1". */
void choose_add_locations(const struct trace *trace, const bool *chosen, struct str *out);
bool choose_metric(struct query *query, const char *name, struct err *err);
/* As column callpath has it, of several equal ones the first; NULL: UINT32_MAX, all. */
bool choose_callpath(const struct trace *trace, const char *text, uint32_t *path, struct err *err);
bool choose_event(const struct trace *trace, const char *number, uint32_t *event, struct err *err);

/* Rows of a difference between two traces (enum delta_by), as --by says; NULL: all. */
unsigned choose_compared_by(const char *by);

/* Whether the trace has a region or a mark of a name (NULL: true). False with err. */
bool choose_iteration(const struct trace *trace, const char *name, struct err *err);

/* Before loading: the part of the trace that the same options need. A window in a base other than
 * the reference clock's chooses no part, since its position is known only after loading, nor does
 * any window if messages correct times (correcting_needs_whole()). The part is a nanosecond wider
 * than the window at both ends; choice_make() then cuts it to the tick. False with err as above;
 * choice_part_fini() is due in any case. */
bool choice_part(struct load_part *part, const struct options *options, struct err *err);
void choice_part_fini(struct load_part *part);

/* Of the traces from args[first] on, those to compare the last one with: the older trace and those
 * of --baseline, each once; NULL after the last. Returns one block of memory, which the caller
 * frees. */
const char **choice_other_paths(const struct options *options, int first, unsigned *n);
