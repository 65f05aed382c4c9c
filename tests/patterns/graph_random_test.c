/* Program graphs of random traces against a second implementation, in windows, with filters, with several threads; of real ones against
 * the profile; and the same graph of the events' own records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "harness/random_trace.h"
#include "model/load.h"
#include "model/profile.h"
#include "patterns/graph_reference.h"

enum { SEEDS = 20, STEPS = 300 };

static struct trace *load(const char *path)
{
	const struct load_options options = { .no_cache = true };
	struct err err = ERR_INIT;
	struct trace *t = trace_load(path, &options, NULL, &err);

	if (!t)
		fail_msg("%s", err.text);
	return t;
}

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
	struct graph *graph = look(t, options);
	const char *differs = graph_differs(graph, t, options);

	if (differs)
		fail_msg("%s", differs);
	graph_free(graph);
}

static void random_graphs_are_those_of_the_reference(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct trace *t = random_trace(seed, STEPS, 1000000000);
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
		trace_free(t);
	}
}

static void filters_select_visits_as_in_the_reference(void **state)
{
	static const char *const filters[] = { "region =~ /MPI_/",
					       "class == user",
					       "rank == 1",
					       "dur > 50ns",
					       "region == main && depth < 3",
					       "!(region == inner)" };

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct trace *t = random_trace(seed + 100, STEPS, 1000000000);
		struct graph_options options = everything();
		struct err err = ERR_INIT;
		struct filter *filter = filter_compile(filters[seed % 6], t, &err);
		int64_t begin, end;

		assert_non_null(filter);
		trace_span(t, BASE_MEASURED, &begin, &end);
		options.filter = filter;
		assert_same(t, &options);
		options.t0 = begin + (end - begin) / 3;
		assert_same(t, &options);
		filter_free(filter);
		trace_free(t);
	}
}

static void chosen_locations_are_all_that_counts(void **state)
{
	static const uint32_t locations[] = { 1, 3, 4 };
	struct graph_options options = everything();

	(void)state;
	options.locations = locations;
	options.n_locations = 3;
	for (uint64_t seed = 200; seed < 204; seed++) {
		struct trace *t = random_trace(seed, STEPS, 1000000000);
		assert_same(t, &options);
		trace_free(t);
	}
}

/* ---- what holds for every graph ---- */

static void assert_sums(const struct trace *t, const struct graph *graph, uint32_t node)
{
	struct graph_values whole, sum = { 0 };
	struct graph_part *parts;
	uint32_t n;
	int64_t time = 0;
	uint64_t count = 0;

	graph_values(graph, node, &whole);
	for (uint32_t l = 0; l < trace_location_count(t); l++) {
		struct graph_values v;
		graph_values_at(graph, node, l, &v);
		sum.count += v.count;
		sum.time += v.time;
		sum.trans += v.trans;
		sum.sync += v.sync;
		assert_true(v.trans + v.sync <= v.time ||
			    graph_node(graph, node)->kind == GRAPH_KIND_PROGRAM ||
			    graph_node(graph, node)->flags & GRAPH_CYCLE);
	}
	assert_int_equal(sum.count, whole.count);
	assert_int_equal(sum.time, whole.time);
	assert_int_equal(sum.trans, whole.trans);
	assert_int_equal(sum.sync, whole.sync);
	if (graph_node(graph, node)->kind == GRAPH_KIND_PROCEDURE)
		n = graph_callers(graph, node, UINT32_MAX, &parts);
	else if (graph_node(graph, node)->kind == GRAPH_KIND_CALL)
		n = graph_callees(graph, node, UINT32_MAX, &parts);
	else if (graph_node(graph, node)->kind == GRAPH_KIND_COMMUNICATION)
		n = graph_destinations(graph, node, UINT32_MAX, &parts);
	else
		return;
	for (uint32_t i = 0; i < n; i++) {
		count += parts[i].values.count;
		time += parts[i].values.time;
	}
	free(parts);
	assert_int_equal(count, whole.count);
	assert_int_equal(time, whole.time);
}

/* Exclusive times are all the traced time; those of communication are the profile's, region by region; the program
 * has what all communications have. */
static void assert_profile(struct trace *t, const struct graph *graph)
{
	int64_t exclusive = 0, trans = 0, sync = 0, communication = 0, expected = 0;
	struct graph_values program;
	struct profile profile;
	struct err err = ERR_INIT;

	assert_true(profile_make(&profile, t, BASE_MEASURED, PROFILE_REGION, NULL, 0, INT64_MIN,
				 INT64_MAX, NULL, &err));
	for (uint32_t i = 0; i < profile.n; i++) {
		const uint8_t cls = trace_region(t, i)->cls;
		if (cls != CLASS_USER && cls != CLASS_OVERHEAD)
			expected += profile.rows[i].exclusive;
	}
	profile_fini(&profile);
	graph_values(graph, GRAPH_PROGRAM, &program);
	for (uint32_t node = 1; node < graph_node_count(graph); node++) {
		const uint8_t kind = graph_node(graph, node)->kind;
		struct graph_values v;
		assert_sums(t, graph, node);
		graph_values(graph, node, &v);
		if (kind == GRAPH_KIND_CALL)
			continue;
		exclusive += v.exclusive;
		if (kind != GRAPH_KIND_COMMUNICATION)
			continue;
		communication += v.exclusive;
		trans += v.trans;
		sync += v.sync;
	}
	assert_int_equal(communication, expected);
	assert_int_equal(program.exclusive + exclusive, program.time);
	assert_int_equal(program.trans, trans);
	assert_int_equal(program.sync, sync);
}

static void assert_whole(struct trace *t)
{
	const struct graph_options options = everything();
	struct graph *graph = look(t, &options);

	assert_profile(t, graph);
	graph_free(graph);
}

static void sums_of_real_traces_are_the_profiles(void **state)
{
	static const char *const paths[] = {
		"traces/otf2/sweep3d-4", "traces/otf2/mg.S-4",     "traces/otf2/comd-4",
		"traces/stencil.trc",    "traces/collectives.trc", "traces/sweep.trc",
	};

	(void)state;
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		const struct graph_options options = everything();
		struct trace *t = load(paths[i]);
		assert_whole(t);
		if (i >= 3)
			assert_same(t, &options);
		trace_free(t);
	}
	for (uint64_t seed = 300; seed < 306; seed++) {
		struct trace *t = random_trace(seed, 600, 1000000000);
		assert_whole(t);
		trace_free(t);
	}
}

/* Archives that are not in the repository, where there are any. */
static void sums_of_samples_are_the_profiles(void **state)
{
	const char *folder = getenv("TVIEW_TRACES");
	struct str path = STR_INIT;
	struct dirent *entry;
	DIR *dir = NULL;

	(void)state;
	if (folder) {
		str_add_fmt(&path, "%s/otf2", folder);
		dir = opendir(path.text);
	}
	if (!dir) {
		str_fini(&path);
		skip();
	}
	while ((entry = readdir(dir))) {
		struct trace *t;
		if (entry->d_name[0] == '.')
			continue;
		path.n = 0;
		str_add_fmt(&path, "%s/otf2/%s/traces.otf2", folder, entry->d_name);
		t = trace_load(path.text, &(struct load_options){ .no_cache = true }, NULL, NULL);
		if (!t)
			continue;
		assert_whole(t);
		trace_free(t);
	}
	closedir(dir);
	str_fini(&path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_graphs_are_those_of_the_reference),
		cmocka_unit_test(filters_select_visits_as_in_the_reference),
		cmocka_unit_test(chosen_locations_are_all_that_counts),
		cmocka_unit_test(sums_of_real_traces_are_the_profiles),
		cmocka_unit_test(sums_of_samples_are_the_profiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
