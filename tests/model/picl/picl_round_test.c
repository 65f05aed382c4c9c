/* What a trace of any source says comes back from a PICL file: definitions, events, texts,
 * ticks. */
#include <glob.h>
#include <string.h>

#include "base/mem.h"
#include "harness/account.h"
#include "harness/invariants.h"
#include "harness/load_trace.h"
#include "harness/picl_aid.h"
#include "harness/random_trace.h"
#include "harness/rounds.h"
#include "harness/test.h"

/* Writes, reads, compares; and once more, byte for byte. */
static void comes_back(struct trace *trace, const char *name)
{
	OWNED_STR was = STR_INIT, is = STR_INIT, differs = STR_INIT;
	OWNED char *text = aid_write(trace), *second;
	OWNED_TRACE *again = aid_load(text);
	const char *broken = trace_broken(again);

	if (broken)
		fail_msg("%s: %s", name, broken);
	trace_account(trace, ACCOUNT_ALL, &was);
	trace_account(again, ACCOUNT_ALL, &is);
	if (account_differs(&was, &is, &differs))
		fail_msg("%s: %s", name, differs.text);
	assert_int_equal(trace_finding_sum(again, FINDING_DAMAGE), 0);
	second = aid_write(again);
	str_clear(&was);
	str_clear(&is);
	str_add(&was, text);
	str_add(&is, second);
	if (account_differs(&was, &is, &differs))
		fail_msg("%s, written again: %s", name, differs.text);
}

TEST(random_traces_come_back)
{
	static const int64_t rates[] = { 1000000000,   1000000, 2399997000, 1000000000000,
					 999999999999, 3,       1999999999 };

	for (uint64_t seed = 1; seed <= rounds(60); seed++) {
		OWNED_TRACE *trace =
			random_trace(seed, 300, rates[seed % (sizeof rates / sizeof *rates)]);
		char name[32];

		snprintf(name, sizeof name, "seed %d", (int)seed);
		comes_back(trace, name);
	}
}

static void archive_comes_back(const char *path)
{
	OWNED_TRACE *trace = load_trace(path);

	comes_back(trace, path);
}

/* The archives of traces/otf2, those that this copy has. */
TEST(archives_come_back)
{
	glob_t found;

	if (glob("traces/otf2/*/*.otf2", 0, NULL, &found) != 0)
		skip();
	for (size_t i = 0; i < found.gl_pathc; i++)
		archive_comes_back(found.gl_pathv[i]);
	globfree(&found);
}

/* With arguments: those files alone. */
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		archive_comes_back(argv[i]);
	if (argc > 1)
		return 0;

	return tests_run();
}
