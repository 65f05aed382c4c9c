/* choose: from the options that need a trace (base, ranks, time, filter) to the query that all
 * views share.
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
	struct analyses *analyses;
	VEC(uint32_t) locations;
	struct arrangement arrangement;
};

/* False with err (status 2): the trace has no such base, rank, or the text is not a list, time or
 * expression. choice_fini() is due in any case. Makes the base. `corrections` (borrowed, may be
 * NULL) says why a base is missing. Where the logical clock had nothing to correct, its base is the
 * one that it would have started from. */
bool choice_make(struct choice *choice, struct trace *trace, const struct corrections *corrections,
		 const struct options *options, struct err *err);
void choice_fini(struct choice *choice);

/* What the same options say before there is a trace: the part that needs to be loaded. A span in a
 * base other than the reference clock's chooses no part: its position is known only afterwards; and
 * where times are corrected by messages, nothing does (correcting_needs_whole()). The part's ends
 * are a nanosecond wider than the span, which choice_make() then cuts to the tick. False with err
 * as above; choice_part_fini() is due in any case. */
bool choice_part(struct load_part *part, const struct options *options, struct err *err);
void choice_part_fini(struct load_part *part);

/* Of the traces from args[first] on: those that the last one is compared with, the older trace and
 * the others of --baseline, but not itself again; NULL after the last. One piece of memory, the
 * caller's. */
const char **choice_other_paths(const struct options *options, int first, unsigned *n);
