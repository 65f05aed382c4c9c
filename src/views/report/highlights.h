/* highlights: the findings of a report for a page that is looked at, not read: at most eight
 * sentences, the most severe first. What makes the figures doubtful comes before waits that cost
 * little, and those before remarks. */
#pragma once

#include "views/report/report.h"

enum { HIGHLIGHTS = 8 };

struct highlight {
	uint32_t section, line; /* of the report */
};

/* Returns how many there are. */
unsigned report_highlights(const struct report *report, struct highlight out[HIGHLIGHTS]);

/* Makes a sentence fit one line: without its last clauses, marked by an ellipsis of one column,
 * where one is left; else cut. */
void highlight_fit(struct str *sentence, int width, const char *ellipsis);
