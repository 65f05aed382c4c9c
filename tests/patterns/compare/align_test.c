/* Call paths and locations of two traces: what corresponds to what, by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/test.h"
#include "model/build/builder.h"
#include "patterns/compare/align.h"
#include "patterns/compare/pair_aid.h"

struct both {
	struct trace *trace[ALIGN_SIDES];
	struct cube *cube[ALIGN_SIDES];
	struct alignment *a;
};

static struct both both_of(struct trace *old, struct trace *new)
{
	struct both b = { .trace = { old, new } };

	for (int s = 0; s < ALIGN_SIDES; s++)
		b.cube[s] = pair_cube(b.trace[s]);
	b.a = align_new(b.cube[ALIGN_OLD], b.cube[ALIGN_NEW]);
	return b;
}

static struct both both_visits(const char *const *old, const char *const *new)
{
	return both_of(pair_trace(old, 2), pair_trace(new, 2));
}

static void fini(struct both *b)
{
	align_free(b->a);
	for (int s = 0; s < ALIGN_SIDES; s++) {
		cube_free(b->cube[s]);
		trace_free(b->trace[s]);
	}
}

/* The new call path that an old one corresponds to. NULL: none. */
static void assert_partner(const struct both *b, const char *old, const char *new)
{
	const uint32_t p = pair_path(b->trace[ALIGN_OLD], old);
	const uint32_t node = b->a->path_of[ALIGN_OLD][p];
	const struct aligned_path *path = &b->a->paths[node];

	assert_int_not_equal(p, UINT32_MAX);
	assert_int_equal(path->path[ALIGN_OLD], p);
	if (!new) {
		assert_int_equal(path->path[ALIGN_NEW], ALIGN_NONE);
		return;
	}
	assert_int_not_equal(pair_path(b->trace[ALIGN_NEW], new), UINT32_MAX);
	assert_int_equal(path->path[ALIGN_NEW], pair_path(b->trace[ALIGN_NEW], new));
	assert_int_equal(b->a->path_of[ALIGN_NEW][path->path[ALIGN_NEW]], node);
}

/* Each call path has one node, each node a parent before it, each canonical path of a side is in
 * one node. */
static void assert_sound(const struct alignment *a)
{
	for (int s = 0; s < ALIGN_SIDES; s++) {
		const uint32_t n = trace_callpath_count(a->trace[s]);
		uint32_t nodes = 0, paths = 0;

		for (uint32_t p = 0; p < n; p++) {
			const uint32_t canon = trace_callpath(a->trace[s], p)->canon;
			assert_true(a->path_of[s][p] < a->n_paths);
			assert_int_equal(a->paths[a->path_of[s][p]].path[s], canon);
			paths += canon == p;
		}
		for (uint32_t i = 0; i < a->n_paths; i++) {
			nodes += a->paths[i].path[s] != ALIGN_NONE;
			assert_true(i == 0 ? a->paths[i].parent == 0 : a->paths[i].parent < i);
		}
		assert_int_equal(nodes, paths);
		for (uint32_t l = 0; l < trace_location_count(a->trace[s]); l++)
			assert_true(a->place_of[s][l] < a->n_places);
	}
}

static const char *const solver[] = { "main:1/read:2 5", "main:1/solve:3/relax:10 20",
				      "main:1/solve:3/MPI_Recv:12 8", "main:1/write:4 4", NULL };

TEST(one_trace_is_itself)
{
	ENDED_BY(fini) struct both b = both_visits(solver, solver);
	const struct align_counts counts = align_counts(b.a);

	assert_sound(b.a);
	assert_int_equal(counts.both, 6);
	assert_int_equal(counts.likely + counts.gone + counts.added, 0);
	assert_partner(&b, "main > solve > MPI_Recv", "main > solve > MPI_Recv");
	assert_int_equal(b.a->rule, ALIGN_BY_LOCATION);
	assert_int_equal(b.a->n_places, 2);
}

TEST(names_of_mpi_are_one_in_any_spelling)
{
	static const char *const fortran[] = { "main:1/read:2 5", "main:1/solve:3/relax:10 20",
					       "main:1/solve:3/mpi_recv_:12 8", "main:1/write:4 4",
					       NULL };
	ENDED_BY(fini) struct both b = both_visits(solver, fortran);

	assert_partner(&b, "main > solve > MPI_Recv", "main > solve > mpi_recv_");
	assert_int_equal(align_counts(b.a).both, 6);
}

TEST(a_renamed_function_is_found_by_what_it_calls)
{
	static const char *const renamed[] = { "main:1/read:2 5", "main:1/iterate:3/relax:10 21",
					       "main:1/iterate:3/MPI_Recv:12 9", "main:1/write:4 4",
					       NULL };
	ENDED_BY(fini) struct both b = both_visits(solver, renamed);

	assert_sound(b.a);
	assert_partner(&b, "main > solve", "main > iterate");
	assert_partner(&b, "main > solve > relax", "main > iterate > relax");
	assert_int_equal(align_counts(b.a).likely, 1);
	assert_int_equal(align_counts(b.a).both, 5);
}

TEST(a_leaf_is_found_by_time_and_visits)
{
	static const char *const renamed[] = { "main:1/read:2 5", "main:1/solve:3/smooth:10 19",
					       "main:1/solve:3/MPI_Recv:12 8", "main:1/write:4 4",
					       NULL };
	static const char *const other[] = { "main:1/read:2 5",
					     "main:1/solve:3/smooth:10 1",
					     "main:1/solve:3/smooth:10 1",
					     "main:1/solve:3/smooth:10 1",
					     "main:1/solve:3/MPI_Recv:12 8",
					     "main:1/write:4 4",
					     NULL };
	struct both b = both_visits(solver, renamed);

	assert_partner(&b, "main > solve > relax", "main > solve > smooth");
	fini(&b);
	b = both_visits(solver, other);
	assert_partner(&b, "main > solve > relax", NULL);
	assert_int_equal(align_counts(b.a).added, 1);
	fini(&b);
}

TEST(functions_of_mpi_are_never_renamed)
{
	static const char *const other[] = { "main:1/read:2 5", "main:1/solve:3/relax:10 20",
					     "main:1/solve:3/MPI_Wait:12 8", "main:1/write:4 4",
					     NULL };
	ENDED_BY(fini) struct both b = both_visits(solver, other);

	assert_partner(&b, "main > solve > MPI_Recv", NULL);
	assert_int_equal(align_counts(b.a).gone, 1);
	assert_int_equal(align_counts(b.a).added, 1);
}

TEST(a_level_put_in_is_stepped_over_both_ways)
{
	static const char *const deeper[] = { "main:1/read:2 5",
					      "main:1/step:3/solve:3/relax:10 20",
					      "main:1/step:3/solve:3/MPI_Recv:12 8",
					      "main:1/write:4 4", NULL };
	struct both b = both_visits(solver, deeper);

	assert_sound(b.a);
	assert_partner(&b, "main > solve", "main > step > solve");
	assert_partner(&b, "main > solve > MPI_Recv", "main > step > solve > MPI_Recv");
	assert_int_equal(align_counts(b.a).added, 1);
	fini(&b);
	b = both_visits(deeper, solver);
	assert_sound(b.a);
	assert_partner(&b, "main > step > solve > MPI_Recv", "main > solve > MPI_Recv");
	assert_int_equal(align_counts(b.a).gone, 1);
	fini(&b);
}

TEST(the_program_may_stand_above_main)
{
	static const char *const above[] = { "a.out:0/main:1/read:2 5",
					     "a.out:0/main:1/solve:3/relax:10 20",
					     "a.out:0/main:1/solve:3/MPI_Recv:12 8",
					     "a.out:0/main:1/write:4 4", NULL };
	static const char *const instead[] = { "a.out:1/read:2 5", "a.out:1/solve:3/relax:10 20",
					       "a.out:1/solve:3/MPI_Recv:12 8", "a.out:1/write:4 4",
					       NULL };
	struct both b = both_visits(solver, above);

	assert_partner(&b, "main > solve > relax", "a.out > main > solve > relax");
	fini(&b);
	b = both_visits(solver, instead);
	assert_partner(&b, "main", "a.out");
	assert_partner(&b, "main > write", "a.out > write");
	fini(&b);
}

/* Calls of one function: those of the same line first, the others in their order. */
TEST(call_sites_break_ties)
{
	static const char *const old[] = { "main:1/MPI_Send:10 1", "main:1/MPI_Send:20 2",
					   "main:1/MPI_Send:30 3", NULL };
	static const char *const new[] = { "main:1/MPI_Send:11 1", "main:1/MPI_Send:20 2",
					   "main:1/MPI_Send:31 3", NULL };
	ENDED_BY(fini) struct both b = both_visits(old, new);

	for (uint32_t i = 1; i < b.a->n_paths; i++) {
		const struct aligned_path *p = &b.a->paths[i];
		double at[ALIGN_SIDES];
		for (int s = 0; s < ALIGN_SIDES; s++)
			at[s] = cube_value(b.cube[s], CUBE_TIME, p->path[s], 0);
		assert_true(at[ALIGN_OLD] == at[ALIGN_NEW]);
	}
	assert_int_equal(align_counts(b.a).both, 4);
}

/* ---- locations ---- */

TEST(other_numbers_of_ranks_are_compared_by_position)
{
	ENDED_BY(fini) struct both b = both_of(pair_trace(solver, 4), pair_trace(solver, 8));
	OWNED_STR text = STR_INIT;

	assert_int_equal(b.a->rule, ALIGN_BY_POSITION);
	assert_int_equal(b.a->n_places, 4);
	for (uint32_t l = 0; l < 8; l++)
		assert_int_equal(b.a->place_of[ALIGN_NEW][l], l / 2);
	for (uint32_t l = 0; l < 4; l++)
		assert_int_equal(b.a->place_of[ALIGN_OLD][l], l);
	align_place_text(b.a, 1, &text);
	assert_string_equal(text.text, "ranks 1 : 2-3");
	str_clear(&text);
	align_place_ranks(b.a, 3, &text);
	assert_string_equal(text.text, "3:6-7");
}

TEST(few_that_are_missing_are_gone)
{
	ENDED_BY(fini) struct both b = both_of(pair_trace(solver, 8), pair_trace(solver, 7));

	assert_int_equal(b.a->rule, ALIGN_BY_RANK);
	assert_int_equal(b.a->n_places, 8);
	assert_int_equal(b.a->places[7].n[ALIGN_NEW], 0);
	assert_int_equal(b.a->places[7].n[ALIGN_OLD], 1);
}

TEST(nothing_is_aligned_with_nothing)
{
	static const char *const nothing[] = { NULL };
	struct both b = both_of(pair_trace(nothing, 0), pair_trace(solver, 2));

	assert_sound(b.a);
	assert_int_equal(align_counts(b.a).added, 6);
	fini(&b);
	b = both_of(pair_trace(solver, 2), pair_trace(nothing, 0));
	assert_sound(b.a);
	assert_int_equal(align_counts(b.a).gone, 6);
	fini(&b);
	b = both_of(pair_trace(nothing, 0), pair_trace(nothing, 0));
	assert_sound(b.a);
	assert_int_equal(b.a->n_paths, 1);
	assert_int_equal(b.a->n_places, 0);
	fini(&b);
}

/* ---- whatever the paths ---- */

enum { VISITS = 24, TEXT = 128 };

static struct trace *random_trace_of(unsigned *seed)
{
	static char texts[VISITS][TEXT];
	const char *list[VISITS + 1];
	int n = rand_r(seed) % VISITS;

	for (int i = 0; i < n; i++) {
		const int depth = 1 + rand_r(seed) % 5;
		int at = 0;
		for (int d = 0; d < depth; d++)
			at += snprintf(texts[i] + at, (size_t)(TEXT - at), "%s%s%c:%d",
				       d ? "/" : "", rand_r(seed) % 4 ? "" : "MPI_",
				       'a' + rand_r(seed) % 5, 1 + rand_r(seed) % 3);
		snprintf(texts[i] + at, (size_t)(TEXT - at), " %d", rand_r(seed) % 9);
		list[i] = texts[i];
	}
	list[n] = NULL;
	return pair_trace(list, rand_r(seed) % 4);
}

TEST(any_two_traces_are_aligned)
{
	unsigned seed = 20261122;

	for (int i = 0; i < 300; i++) {
		struct trace *old = random_trace_of(&seed);
		ENDED_BY(fini) struct both b = both_of(old, random_trace_of(&seed));
		assert_sound(b.a);
	}
}

/* One function that calls very many, all of them others in the new trace; and a very deep
 * recursion. */
static struct trace *large_trace(char letter, uint32_t wide, uint32_t deep)
{
	const struct timescale scale = { 1000000, 6 };
	struct builder *b = builder_new("large.trc", &scale, NULL);
	const uint32_t location =
		builder_location(b, &(struct location){ .rank = 0, .process = -1 });
	const uint32_t top = builder_site(b, builder_region(b, "main", CLASS_USER, 1), 0, 1, 1);
	int64_t t = 0;

	builder_enter(b, location, t, top);
	for (uint32_t i = 0; i < wide; i++) {
		char name[32];
		snprintf(name, sizeof name, "%c%u", letter, i);
		const uint32_t site =
			builder_site(b, builder_region(b, name, CLASS_USER, 1), 0, 1, 1);
		builder_enter(b, location, t, site);
		builder_leave(b, location, t += 1 + i % 7, site);
	}
	for (uint32_t i = 0; i < deep; i++)
		builder_enter(b, location, ++t, top);
	for (uint32_t i = 0; i <= deep; i++)
		builder_leave(b, location, ++t, top);
	return builder_finish(b, &(struct builder_options){ 0 }, NULL, NULL);
}

TEST(many_paths_and_deep_ones_take_no_time)
{
	enum { WIDE = 20000, DEEP = 100000 };
	ENDED_BY(fini)
	struct both b = both_of(large_trace('a', WIDE, DEEP), large_trace('b', WIDE, DEEP));
	struct align_counts counts;

	assert_sound(b.a);
	counts = align_counts(b.a);
	assert_int_equal(counts.both, DEEP + 1);
	assert_int_equal(counts.likely + counts.gone, WIDE);
	assert_int_equal(counts.gone, counts.added);
}
