/* fail_on: whether what `--fail-on` says (condition.h) holds of a trace, alone or against
 * another. */
#pragma once

#include "views/query/view.h"
#include "views/report/condition.h"

struct cube;
struct efficiency;

/* What a condition asks for, of the chosen locations (NULL: all); `efficiency` NULL: not known. */
void fail_on_values(struct condition_values *values, const struct cube *cube, const bool *chosen,
		    const struct efficiency *efficiency);
/* True where it holds of the query's window, `why` then has the sentences, one a line. False
 * with err where severities could not be had. */
bool fail_on_holds(const struct condition *condition, const struct query *query, struct str *why,
		   struct err *err);
