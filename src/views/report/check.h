/* check: damage, guesses and deviations of a trace, as text for people: `tview check`. */
#pragma once

#include <stdio.h>

#include "views/query/view.h"

/* Writes the report of the query's whole trace: the findings, and the trace's own statistics
 * compared with its events. True: nothing was damaged. Processes that share the trace all call it;
 * the first one writes. */
bool check_report(const struct query *query, FILE *out);

/* The one line about damage that every verb prints; false (and nothing) where there is none. */
bool check_damage_line(const struct trace *trace, struct str *out);
/* The line about a trace without events, for views of events; false where it has some. */
bool check_events_line(const struct trace *trace, struct str *out);
