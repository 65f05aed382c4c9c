/* rollcall_report: where every rank is, as text for people and watchdogs:
 * `tview live RUN --rollcall`. */
#pragma once

#include <stdio.h>

#include "views/query/view.h"

/* Writes the roll-call of the query's whole trace. With `least` seconds above 0 also whether it is
 * stuck: ranks wait for each other in a circle, or no rank has begun or ended a call of MPI, for so
 * long: STATUS_NO if it is, STATUS_OPEN if that is not known. */
enum status rollcall_report(const struct query *query, double least, FILE *out);
