/* A file read by two threads is what it is read by one: events, texts, findings with their
 * lines. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/account.h"
#include "harness/picl_aid.h"
#include "harness/random.h"
#include "harness/test.h"

static void add_record(struct str *out, struct rng *random, uint32_t i, uint32_t places)
{
	const uint32_t p = rng_below(random, places);

	switch (rng_below(random, 60)) {
	case 0: str_add(out, "\n"); break;
	case 1: str_add(out, "# a comment\r\n"); break;
	case 2: str_add_fmt(out, "-3 7 %u.%06u %u 0 2 2 \\\n   5 6\n", i / 1000, i, p); break;
	case 3: str_add_fmt(out, "-3 7 %u.5 %u 0 1 2 5\n", i / 1000, p); break;
	case 4: str_add_fmt(out, "-3 7 %u.%06u %u 0 4 2 5\n6\n7 8\n", i / 1000, i, p); break;
	case 5: str_add_fmt(out, "-7 -1 %u.%06u -1 -1 4 \"%%c\" text\n", i / 1000, i); break;
	case 6: str_add_fmt(out, "-88 7 %u.%06u %u 0 1 \"%%s\" word\n", i / 1000, i, p); break;
	case 7: str_add_fmt(out, "-3 7 %u.%06u %u 0 3 2 5", i / 1000, i, p); break;
	case 8: str_add(out, "no record\n"); break;
	default:
		str_add_fmt(out, "%d %u %u.%06u %u 0 %s\n", i % 2 ? -3 : -4, rng_below(random, 9),
			    i / 1000, i % 1000000, p, i % 3 ? "0" : "3 2 1 -2 3");
		break;
	}
}

static void account_of(const struct str *text, int jobs, struct str *out)
{
	const struct picl_options options = { .jobs = jobs };
	struct err err = ERR_INIT;
	FILE *file = tmpfile();
	OWNED_TRACE *trace;

	assert_non_null(file);
	assert_int_equal(fwrite(text->text, 1, text->n, file), text->n);
	fflush(file);
	trace = picl_read("ahead.trc", fileno(file), &options, NULL, &err);
	fclose(file);
	if (!trace)
		fail_msg("%s", err.text);
	trace_account(trace, ACCOUNT_ALL, out);
	for (size_t i = 0; i < trace_finding_count(trace); i++) {
		const struct finding *f = trace_finding(trace, i);
		str_add_fmt(out, "%s %" PRIu64 ":", f->code, f->count);
		for (int k = 0; k < 5; k++)
			str_add_fmt(out, " %" PRIu64, f->lines[k]);
		str_add_fmt(out, " %s\n", f->text);
	}
}

TEST(two_threads_read_the_same)
{
	for (uint64_t seed = 1; seed <= 8; seed++) {
		OWNED_STR text = STR_INIT, one = STR_INIT, two = STR_INIT, differs = STR_INIT;
		struct rng random = { seed * 77 };
		/* With many places the lines come in batches from the middle on, thread or not. */
		const uint32_t places = seed % 2 ? 5 : 600;
		uint32_t i;

		for (i = 0; text.n < 400000; i++)
			add_record(&text, &random, i, places);
		/* What makes a second pass; lines longer than a batch, and longer than any may
		 * be. */
		if (seed % 3 == 0)
			str_add(&text, "-5 3 1.0 -1 -1 5 \"%c\" late!\n");
		if (seed % 4 == 0)
			for (int k = 0; k < 300000; k++)
				str_add_char(&text, k == 299999 ? '\n' : 'x');
		if (seed == 8)
			for (int k = 0; k < 17 << 20; k++)
				str_add_char(&text, 'y');
		str_add(&text, "\n-3 7 99.5 0 0 1 2 5\n-4 7 99.6 0 0 0");
		account_of(&text, 1, &one);
		account_of(&text, 2, &two);
		if (account_differs(&one, &two, &differs))
			fail_msg("seed %d: %s", (int)seed, differs.text);
	}
}
