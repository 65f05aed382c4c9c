/* What a job did in its last seconds: sums and sentences, by hand. */
#include "views/facts/recent_facts.h"

#include "harness/test.h"

enum { SECOND = 1000000000 };

static void said(const struct recent_facts *now, const struct recent_facts *then, const char *want)
{
	OWNED_STR out = STR_INIT;

	str_add(&out, "");
	recent_facts_text(now, then, SECOND, &out);
	assert_string_equal(out.text, want);
}

/* Statistics grow: 1,000 calls, 5,000 bytes, 24 of 40 s of all ranks in 10 s. */
TEST(test_statistics_alone)
{
	const struct recent_facts then = { .end = 10LL * SECOND,
					   .alone = true,
					   .calls = 500,
					   .sent = 100,
					   .all_waits = 20e9,
					   .whole = 40e9 };
	struct recent_facts now = { .end = 20LL * SECOND,
				    .alone = true,
				    .calls = 1500,
				    .sent = 5100,
				    .all_waits = 44e9,
				    .whole = 80e9 };

	said(&now, &then, ", last 10 s: 100 calls/s, 500 B/s, waiting 60.0 % (run 55.0 %)");
	said(&now, NULL, "");
	/* A call that was under way had not waited. */
	now.all_waits = 18e9;
	said(&now, &then, ", last 10 s: 100 calls/s, 500 B/s, waiting 0.0 % (run 22.5 %)");
	/* Another job. */
	now.calls = 499;
	said(&now, &then, "");
}

TEST(test_events)
{
	struct recent_facts now = { .end = 4LL * SECOND,
				    .seconds = 2,
				    .messages = 30,
				    .bytes = 600,
				    .waits = 1e9,
				    .all = 4e9,
				    .all_waits = 4e9,
				    .whole = 8e9 };

	said(&now, NULL, ", last 2 s: 15 messages/s, 300 B/s, communication 25.0 % (run 50.0 %)");
	now.cut = true;
	said(&now, &now, ", last 2 s: 15 messages/s, 300 B/s, communication 25.0 % (look 50.0 %)");
	now.all = 0;
	said(&now, NULL, "");
}
