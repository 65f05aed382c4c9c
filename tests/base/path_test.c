/* What traces are called. */
#include <string.h>

#include "base/path.h"
#include "harness/test.h"

TEST(many_files_are_called_by_what_their_names_share)
{
	static const struct {
		const char *paths[3], *name;
		size_t n;
	} cases[] = {
		{ { "rank0.json" }, "rank0.json", 1 },
		{ { "a/rank0.json", "b/rank1.json" }, "rank*.json: 2 files", 2 },
		{ { "rank8.json", "rank9.json", "rank10.json" }, "rank*.json: 3 files", 3 },
		{ { "aa", "aaa", "a" }, "a*: 3 files", 3 },
		{ { "x-1-x", "x-x" }, "x-*x: 2 files", 2 },
		{ { "one", "two" }, "*: 2 files", 2 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		OWNED_STR name = STR_INIT;

		path_add_names(cases[i].paths, cases[i].n, &name);
		assert_string_equal(name.text, cases[i].name);
	}
}

TEST(a_trace_is_called_by_its_file_and_an_archive_of_score_p_by_its_folder)
{
	static const struct {
		const char *path, *name;
	} cases[] = {
		{ "run.trc", "run.trc" },
		{ "/tmp/a/run.trc", "run.trc" },
		{ "a/traces.otf2", "a" },
		{ "/tmp/scorep-2026/traces.otf2", "scorep-2026" },
		{ "/x/.hidden/traces.otf2", ".hidden" },
		{ "a/run.otf2", "run.otf2" },
		{ "mg/eztrace_log.otf2", "mg" },
		{ "eztrace_log.otf2", "eztrace_log.otf2" },
		{ "a/mytraces.otf2", "mytraces.otf2" },
		{ "traces.otf2", "traces.otf2" },
		{ "/traces.otf2", "traces.otf2" },
		{ "./traces.otf2", "traces.otf2" },
		{ "../traces.otf2", "traces.otf2" },
		{ "a//traces.otf2", "traces.otf2" },
		{ "", "" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t n;
		const char *name = path_trace_name(cases[i].path, &n);

		assert_int_equal(n, strlen(cases[i].name));
		assert_memory_equal(name, cases[i].name, n);
	}
}
