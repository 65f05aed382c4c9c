/* Causes with a name, in sentences. */
#include "views/facts/cause_words.h"

#include <string.h>

#include "harness/test.h"
#include "patterns/causes/naming_answers.h"

enum { STEPS = 20, MS = 1000000 };

/* Rank 1 does more than the others; the first sentence must have these words. */
static void assert_words(int32_t ranks, int calls, int64_t ticks, const char *words)
{
	struct planned_run run;

	planned_run_init(&run, ranks);
	for (int step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < ranks; r++)
			for (int i = 0; i < (r == 1 ? calls : 2); i++)
				planned_run_work(&run, r, "smooth", r == 1 ? ticks : MS);
		planned_run_meet(&run);
	}
	struct answers a = answers_of(planned_run_end(&run));
	struct phrases p = { .trace = a.trace };
	assert_true(a.names.n > 0);
	const char *sentence = cause_sentence(&p, &a.names, 0);
	if (!strstr(sentence, words))
		fail_msg("'%s' without '%s'", sentence, words);
	phrases_fini(&p);
	answers_fini(&a);
}

/* One other rank is named. */
TEST(two_ranks)
{
	assert_words(2, 6, MS, "6 times per iteration, rank 0 2 times, 1.00 ms each");
	assert_words(2, 2, 3 * MS, "rank 0 1.00 ms; it calls it 2 times per iteration");
	assert_words(3, 6, MS, "6 times per iteration, the others 2 times, 1.00 ms each");
}
