/* fail_on: evaluates the condition of `--fail-on` (condition.h) for a trace, alone or against
 * another. */
#pragma once

#include <stdio.h>

#include "views/query/view.h"
#include "views/report/condition.h"

/* The answer for the query's window, with its reasons, one a line. False with err as below. */
bool fail_on_answer(const struct condition *condition, const struct query *query,
		    enum condition_answer *is, struct str *why, struct err *err);
/* Its exit status: 0, STATUS_NO if it holds, STATUS_OPEN if that cannot be told. */
int fail_on_status(enum condition_answer is);

/* The exit status for the query's window: STATUS_NO if it holds, STATUS_OPEN if that cannot be
 * told, both with the reasons on `out` (NULL: nowhere), one a line after the program's name; else
 * STATUS_OK. NULL never holds. False with err if the
 * severities could not be computed. Where several processes share the trace, all call it. */
bool fail_on_judge(const struct condition *condition, const struct query *query,
		   const char *program, FILE *out, int *status, struct err *err);
