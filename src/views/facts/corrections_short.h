/* corrections_short: what was corrected, in sentences for somebody who knows none of the methods: is
 * anything still wrong, what was, what was done, how far it moved things, and what measuring cost. */
#ifndef TVIEW_VIEWS_FACTS_CORRECTIONS_SHORT_H
#define TVIEW_VIEWS_FACTS_CORRECTIONS_SHORT_H

#include "base/str.h"
#include "views/facts/corrections_facts.h"

enum corrections_question {
	SHORT_STILL, /* "still wrong" */
	SHORT_WAS,
	SHORT_DONE,
	SHORT_MOVED,
	SHORT_OVERHEAD,
	SHORT_QUESTIONS
};

/* "still wrong", "was wrong", ... */
const char *corrections_question(enum corrections_question question);
/* Appends the answer; nothing where there is nothing to be said. */
void corrections_answer(enum corrections_question question, const struct trace *trace,
			const struct corrections *corrections, struct str *out);

#endif
