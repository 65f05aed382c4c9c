/* Program graphs of random traces against a second implementation, in windows, with filters, with
 * several threads; of real ones against the profile; and the same graph of the events' own
 * records. */
#include <dirent.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "harness/graphs.h"
#include "harness/load_trace.h"
#include "harness/owners.h"
#include "harness/patience.h"
#include "harness/random_trace.h"
#include "harness/test.h"
#include "model/formats/load.h"
#include "patterns/graph/graph_reference.h"

enum { SEEDS = 20, STEPS = 300 };

static struct graph *look(const struct trace *t, const struct graph_options *options)
{
	struct err err = ERR_INIT;
	struct graph *graph = graph_new(t, options, NULL, &err);

	if (!graph)
		fail_msg("%s", err.text);
	return graph;
}

static struct graph_options everything(void)
{
	return (struct graph_options){ .t0 = INT64_MIN, .t1 = INT64_MAX, .jobs = 1 };
}

static void assert_same(const struct trace *t, const struct graph_options *options)
{
	FREED_BY(graph_free) struct graph *graph = look(t, options);
	const char *differs = graph_differs(graph, t, options);

	if (differs)
		fail_msg("%s", differs);
}

TEST(random_graphs_are_those_of_the_reference)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		OWNED_TRACE *t = random_trace(seed, STEPS, 1000000000);
		struct graph_options options = everything();
		int64_t begin, end;

		trace_span(t, BASE_MEASURED, &begin, &end);
		assert_same(t, &options);
		for (int i = 0; i < 4; i++) {
			options.t0 = begin + (end - begin) * i / 5;
			options.t1 = begin + (end - begin) * (i + 2) / 5;
			options.jobs = 1 + i;
			assert_same(t, &options);
		}
	}
}

TEST(filters_select_visits_as_in_the_reference)
{
	static const char *const filters[] = { "region =~ /MPI_/",
					       "class == user",
					       "rank == 1",
					       "dur > 50ns",
					       "region == main && depth < 3",
					       "!(region == inner)" };

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		OWNED_TRACE *t = random_trace(seed + 100, STEPS, 1000000000);
		struct graph_options options = everything();
		struct err err = ERR_INIT;
		FREED_BY(filter_free)
		struct filter *filter = filter_compile(filters[seed % 6], t, &err);
		int64_t begin, end;

		assert_non_null(filter);
		trace_span(t, BASE_MEASURED, &begin, &end);
		options.filter = filter;
		assert_same(t, &options);
		options.t0 = begin + (end - begin) / 3;
		assert_same(t, &options);
	}
}

TEST(chosen_locations_are_all_that_counts)
{
	static const uint32_t locations[] = { 1, 3, 4 };
	struct graph_options options = everything();

	options.locations = locations;
	options.n_locations = 3;
	for (uint64_t seed = 200; seed < 204; seed++) {
		OWNED_TRACE *t = random_trace(seed, STEPS, 1000000000);
		assert_same(t, &options);
	}
}

/* ---- what holds for every graph ---- */

static void assert_whole(struct trace *t)
{
	const char *broken = graph_broken(t);

	if (broken)
		fail_msg("%s: %s", trace_path(t), broken);
}

TEST(sums_of_real_traces_are_the_profiles)
{
	static const char *const paths[] = {
		"traces/otf2/sweep3d-4", "traces/otf2/mg.S-4",     "traces/otf2/comd-4",
		"traces/stencil.trc",    "traces/collectives.trc", "traces/sweep.trc",
	};

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		const struct graph_options options = everything();
		OWNED_TRACE *t = load_trace(paths[i]);
		assert_whole(t);
		if (i >= 3)
			assert_same(t, &options);
	}
	for (uint64_t seed = 300; seed < 306; seed++) {
		OWNED_TRACE *t = random_trace(seed, 600, 1000000000);
		assert_whole(t);
	}
}

/* Archives that are not in the repository, where there are any. */
TEST(sums_of_samples_are_the_profiles)
{
	const char *folder = getenv("TVIEW_TRACES");
	struct str path = STR_INIT;
	struct dirent *entry;
	DIR *dir = NULL;

	if (folder) {
		str_add_fmt(&path, "%s/otf2", folder);
		dir = opendir(path.text);
	}
	if (!dir) {
		str_fini(&path);
		skip();
	}
	while ((entry = readdir(dir))) {
		OWNED_TRACE *t = NULL;
		if (entry->d_name[0] == '.')
			continue;
		path.n = 0;
		str_add_fmt(&path, "%s/otf2/%s", folder, entry->d_name);
		t = trace_load(path.text, &(struct load_options){ .no_cache = true }, NULL, NULL);
		if (!t)
			continue;
		assert_whole(t);
	}
	closedir(dir);
	str_fini(&path);
}

/* Files that once broke something. */
TEST(nothing_breaks_on_bad_traces)
{
	glob_t found;

	assert_int_equal(glob("traces/bad/*", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		OWNED_TRACE *t = trace_load(found.gl_pathv[i],
					    &(struct load_options){ .no_cache = true, .jobs = 1 },
					    NULL, NULL);
		if (!t)
			continue;
		assert_whole(t);
	}
	globfree(&found);
}

/* Asked to stop at any step there is no graph, and no error. */
TEST(it_stops_when_asked)
{
	const struct graph_options options = everything();
	OWNED_TRACE *t = random_trace(7, STEPS, 1000000000);
	bool made = false;

	for (int steps = 0; !made; steps++) {
		atomic_int left = steps;
		const struct progress progress = patience(&left);
		struct err err = ERR_INIT;
		FREED_BY(graph_free) struct graph *graph = graph_new(t, &options, &progress, &err);
		assert_int_equal(err.status, 0);
		made = graph != NULL;
		assert_true(made || steps < 1000);
		assert_true(!made || steps > 0);
	}
}
