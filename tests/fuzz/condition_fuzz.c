/* libFuzzer target: --fail-on, any text. What is understood must come to an answer, with reasons if
 * and only if it holds; what is not must be pointed at. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "harness/fuzz.h"
#include "views/report/condition.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xstrndup((const char *)data, size);
	const bool other = size % 2;
	struct condition_values values = { .efficiencies = { 0.5, 1, NAN, 0, 1 } };
	struct condition_values others = { .efficiencies = { 0.25, NAN, 1, 0, 1 } };
	struct err err = ERR_INIT;
	struct condition *c = condition_parse(text, other, &err);
	struct str why = STR_INIT;

	for (int m = 0; m < CUBE_METRICS; m++) {
		values.metrics[m] = m % 7 ? 1.5 * m : 0;
		others.metrics[m] = m % 5 ? m : 0;
	}
	if (!c && (!err_is_set(&err) || !err.text[0]))
		abort();
	if (c && condition_holds(c, &values, other ? &others : NULL, &why) != (why.n > 0))
		abort();
	condition_free(c);
	str_fini(&why);
	free(text);
	return 0;
}
