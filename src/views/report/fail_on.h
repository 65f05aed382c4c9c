/* fail_on: evaluates the condition of `--fail-on` (condition.h) for a trace, alone or against
 * another. */
#pragma once

#include "views/query/view.h"
#include "views/report/condition.h"

/* True if it holds for the query's window; `why` then has the reasons, one a line. False with err
 * if the severities could not be computed. */
bool fail_on_holds(const struct condition *condition, const struct query *query, struct str *why,
		   struct err *err);
