/* What a trace of any source says comes back from an OTF2 archive: definitions, events, texts, ticks;
 * also what only PICL has a word for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/account.h"
#include "harness/invariants.h"
#include "harness/random_trace.h"
#include "model/load.h"
#include "model/save.h"

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void comes_back(struct trace *trace, const char *name)
{
	char folder[] = "/tmp/tview-otf2-XXXXXX";
	struct str path = STR_INIT, was = STR_INIT, is = STR_INIT, differs = STR_INIT;
	struct err err = ERR_INIT;
	struct trace *again;
	const char *broken;

	assert_non_null(mkdtemp(folder));
	str_add_fmt(&path, "%s/run.otf2", folder);
	if (!trace_save(trace, SAVE_OTF2, path.text, NULL, NULL, NULL, &err))
		fail_msg("%s: %s", name, err.text);
	again = trace_load(path.text, NULL, NULL, &err);
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	if (!again)
		fail_msg("%s: %s", name, err.text);
	broken = trace_broken(again);
	if (broken)
		fail_msg("%s: %s", name, broken);
	trace_account(trace, ACCOUNT_ALL, &was);
	trace_account(again, ACCOUNT_ALL, &is);
	if (account_differs(&was, &is, &differs))
		fail_msg("%s: %s", name, differs.text);
	assert_int_equal(trace_finding_sum(again, FINDING_DAMAGE), 0);
	trace_free(again);
	str_fini(&path);
	str_fini(&was);
	str_fini(&is);
	str_fini(&differs);
}

static void random_traces_come_back(void **state)
{
	static const int64_t rates[] = { 1000000000,   2399997000, 1000000000000,
					 999999999999, 3,          1999999999 };

	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct trace *trace =
			random_trace(seed, 300, rates[seed % (sizeof rates / sizeof *rates)]);
		char name[32];

		snprintf(name, sizeof name, "seed %d", (int)seed);
		comes_back(trace, name);
		trace_free(trace);
	}
}

static void file_comes_back(const char *path)
{
	struct err err = ERR_INIT;
	struct trace *trace = trace_load(path, NULL, NULL, &err);

	if (!trace)
		fail_msg("%s", err.text);
	comes_back(trace, path);
	trace_free(trace);
}

static void files_come_back(const char *pattern)
{
	glob_t found;

	if (glob(pattern, 0, NULL, &found) != 0)
		skip();
	for (size_t i = 0; i < found.gl_pathc; i++)
		file_comes_back(found.gl_pathv[i]);
	globfree(&found);
}

static void picl_traces_come_back(void **state)
{
	(void)state;
	files_come_back("traces/*.trc");
}

/* Those that this copy has. */
static void archives_come_back(void **state)
{
	(void)state;
	files_come_back("traces/otf2/*/*.otf2");
}

/* With arguments: those files alone. */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_traces_come_back),
		cmocka_unit_test(picl_traces_come_back),
		cmocka_unit_test(archives_come_back),
	};

	for (int i = 1; i < argc; i++)
		file_comes_back(argv[i]);
	if (argc > 1)
		return 0;

	return cmocka_run_group_tests(tests, NULL, NULL);
}
