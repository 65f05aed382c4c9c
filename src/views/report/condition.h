/* condition: the condition of `--fail-on`: metrics and efficiencies compared with numbers.
 *
 *	mpi_latesender > 5% || time > 1.1x
 *	!(load_balance >= 80%) && visits > 1000
 *
 * or := and { "||" and }; and := not { "&&" not }; not := "!" not | "(" or ")" | NAME OP NUMBER
 * [UNIT]. OP is one of < <= > >= == !=. NAME is a metric's unique name, or parallel_efficiency,
 * load_balance, communication_efficiency, serialisation_efficiency, transfer_efficiency. UNIT is
 *
 *	%			of `time` for times; of 1 for efficiencies
 *	x			the ratio to the other trace's value
 *	ns us ms s min		for times
 *	B kB MB GB KiB MiB GiB	for bytes, which may stand without
 *	nothing			for counts, bytes and efficiencies
 *
 *	struct condition *c = condition_parse(text, true, &err);	// status 2, with a caret
 *	if (condition_answer(c, &values, NULL, &why) == CONDITION_YES) puts(why.text);
 *	condition_free(c);
 */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "patterns/severity/cube_metric.h"

enum condition_efficiency {
	CONDITION_PARALLEL,
	CONDITION_BALANCE,
	CONDITION_COMMUNICATION,
	CONDITION_SERIALISATION,
	CONDITION_TRANSFER,
	CONDITION_EFFICIENCIES
};

enum { CONDITION_VALUES = CUBE_METRICS + CONDITION_EFFICIENCIES };

/* Metrics in seconds, counts, bytes, then efficiencies; NaN: not known. */
struct condition_values {
	double of[CONDITION_VALUES];
};

/* What the values of the trace are compared with. */
struct condition_other {
	struct condition_values values;
	struct condition_values noise; /* differences up to it say nothing; 0: none is known */
};

enum condition_answer {
	CONDITION_NO,
	CONDITION_YES,
	CONDITION_OPEN /* a value is not known, or a limit is within the noise */
};

struct condition;

/* NULL with err: what is wrong, where, and the nearest valid name. `other`: there is another
 * trace. */
struct condition *condition_parse(const char *text, bool other, struct err *err);
void condition_free(struct condition *condition);
/* `other` may be NULL if condition_parse() was told so. Sentences with the reasons for any other
 * answer than CONDITION_NO are appended to `why` (may be NULL), one a line. */
enum condition_answer condition_answer(const struct condition *condition,
				       const struct condition_values *values,
				       const struct condition_other *other, struct str *why);
