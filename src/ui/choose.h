/* choose: from the options that need a trace (base, ranks, time, filter) to the query that all
 * views share.
 *
 *	struct choice choice;
 *	if (choice_make(&choice, trace, &options, &err))
 *		export_view(name, &choice.query, ...);
 *	choice_fini(&choice);
 */
#ifndef TVIEW_UI_CHOOSE_H
#define TVIEW_UI_CHOOSE_H

#include "base/vec.h"
#include "ui/option.h"
#include "ui/view.h"

struct choice {
	struct query query; /* borrows what follows */
	struct filter *filter;
	VEC(uint32_t) locations;
	struct arrangement arrangement;
};

/* False with err (status 2): the trace has no such base, rank, or the text is no list, time,
 * expression. choice_fini() is due in any case. Makes the base. */
bool choice_make(struct choice *choice, struct trace *trace, const struct options *options,
		 struct err *err);
void choice_fini(struct choice *choice);

#endif
