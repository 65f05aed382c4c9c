/* libFuzzer target: --fail-on, any text. What is understood must come to an answer, with reasons
 * unless that is no; what is not must be pointed at. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "harness/fuzz.h"
#include "views/report/condition.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xstrndup((const char *)data, size);
	const bool other = size % 2;
	struct condition_values values = { { 0 } };
	struct condition_other others = { { { 0 } }, { { 0 } } };
	struct err err = ERR_INIT;
	struct condition *c = condition_parse(text, other, &err);
	struct str why = STR_INIT;

	for (int m = 0; m < CONDITION_VALUES; m++) {
		values.of[m] = m % 11 == 0 ? NAN : m % 7 ? 1.5 * m : 0;
		others.values.of[m] = m % 13 == 0 ? NAN : m % 5 ? 1.0 * m : 0;
		others.noise.of[m] = m % 3 ? 0.1 * m : 0;
	}
	if (!c && (!err_is_set(&err) || !err.text[0]))
		abort();
	if (c && (condition_answer(c, &values, other ? &others : NULL, &why) != CONDITION_NO) !=
			 (why.n > 0))
		abort();
	condition_free(c);
	str_fini(&why);
	free(text);
	return 0;
}
