/* Pictures of small traces, cell by cell, and of random ones against brute force. */
#include <stdlib.h>
#include <string.h>

#include "harness/notation.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/build/builder.h"
#include "ui/timeline/drawing/timeline_text.h"
#include "ui/timeline/picture/timeline_names.h"
#include "ui/timeline/picture/timeline_picture.h"

/* ---- making traces ---- */

struct made {
	struct builder *b;
	uint32_t loc[300];
	uint32_t site[8];
	uint32_t region[8];
};

enum { MAIN, WORK, SEND, RECV, BARRIER };

static void made_begin(struct made *m, int locations)
{
	static const struct {
		const char *name;
		enum region_class cls;
	} regions[] = { { "main", CLASS_USER },
			{ "work", CLASS_USER },
			{ "MPI_Send", CLASS_P2P },
			{ "MPI_Recv", CLASS_P2P },
			{ "MPI_Barrier", CLASS_SYNC } };
	struct err err = ERR_INIT;

	m->b = builder_new("test.trc", &units_nanoseconds, &err);
	assert_non_null(m->b);
	for (int i = 0; i < 5; i++) {
		m->region[i] = builder_region(m->b, regions[i].name, regions[i].cls, i + 1);
		m->site[i] = builder_site(m->b, m->region[i], 0, 0, i + 1);
	}
	for (int r = 0; r < locations; r++)
		m->loc[r] = builder_location(m->b, &(struct location){ .rank = r, .process = -1 });
}

static void visit(struct made *m, int rank, int region, int64_t t0, int64_t t1)
{
	builder_enter(m->b, m->loc[rank], t0, m->site[region]);
	builder_leave(m->b, m->loc[rank], t1, m->site[region]);
}

static void enter(struct made *m, int rank, int region, int64_t t)
{
	builder_enter(m->b, m->loc[rank], t, m->site[region]);
}

static void leave(struct made *m, int rank, int region, int64_t t)
{
	builder_leave(m->b, m->loc[rank], t, m->site[region]);
}

static struct trace *made_end(struct made *m)
{
	struct err err = ERR_INIT;
	struct trace *trace =
		builder_finish(m->b, &(struct builder_options){ .jobs = 1 }, NULL, &err);

	assert_non_null(trace);
	return trace;
}

/* 100 ns. Rank 0: main 0-99, work 10-40, MPI_Send 40-50, MPI_Barrier 80-95. Rank 1: main 5-99,
 * MPI_Recv 20-52, MPI_Barrier 90-95. One message, sent at 42, received at 51. */
static struct trace *small_trace(void)
{
	return notation_trace(
		"region MPI_Barrier class sync\n"
		"rank 0: main@0 {\n"
		"  work@10-40 MPI_Send@40-50 ->1 tag 7 8B @42 MPI_Barrier@80-95 } @99\n"
		"rank 1: main@5 { MPI_Recv@20-52 <-0 tag 7 8B @51 MPI_Barrier@90-95 } @99");
}

static void text_is(const struct query *query, int width, int height, bool ascii,
		    const char *expected)
{
	OWNED_STR out = STR_INIT;
	struct err err = ERR_INIT;

	assert_true(timeline_text(query, width, height, ascii, &out, &err));
	assert_string_equal(out.text, expected);
}

static struct query whole(struct trace *trace)
{
	return (struct query){
		.trace = trace, .base = BASE_MEASURED, .t0 = INT64_MIN, .t1 = INT64_MAX
	};
}

/* What pictures are made in. */
struct drawn {
	struct timeline_shades *shades;
	struct timeline_picture p;
};

static struct drawn drawn_new(void)
{
	return (struct drawn){ .shades = timeline_shades_new() };
}

static void drawn_fini(struct drawn *d)
{
	timeline_picture_fini(&d->p);
	timeline_shades_free(d->shades);
}

static void make_picture(struct drawn *d, const struct query *query,
			 const struct timeline_options *options)
{
	struct err err = ERR_INIT;

	assert_true(timeline_picture_make(&d->p, query, d->shades, options, &err));
}

/* ---- pictures ---- */

/* 29 columns: 20 for 100 ns, 5 ns each; strip, ruler, and two rows with two lines between them.
 *  rank 0, column by column: main 0-10 two cells, work 10-40 six, MPI_Send 40-50 two, main 50-80
 *  six, MPI_Barrier 80-95 three, main 95-100 (to 99) one. The first main is cut from work.
 *  rank 1: outside 0-5 one, main 5-20 three, MPI_Recv 20-50 six, too few for its whole name, and
 *  50-52 of the next cell (its left half is the ticks 50, 51, 52), main to 90, MPI_Barrier one
 * cell, main one. The message goes from column 8 (42 ns) to column 10 (51 ns). The strip: half of
 * the ranks' time in MPI is 4 eighths, all of it 8; of column 10, 2 ticks of 10: 2. Rank 1's blank
 * cell is told in words. */
TEST(small_trace_as_text)
{
	OWNED_TRACE *trace = small_trace();
	const struct query query = whole(trace);

	text_is(&query, 29, 6, false,
		" MPI        ▄▄▄▄██▂     ▄▄█\n"
		"        │0 ns     │50 ns\n"
		" rank 0 █▉█work█░░█main█▓▓▓█\n"
		"                ╲\n"
		"                 ╲▾\n"
		" rank 1  ███░Recv░▐█main██▓█\n"
		" █ user code\n"
		" ░ point-to-point\n"
		" ▓ synchronisation\n"
		" blank: not recorded\n");
	text_is(&query, 29, 6, true,
		" MPI        ----##.     --#\n"
		"        |0 ns     |50 ns\n"
		" rank 0 #|#work#..#main#sss#\n"
		"                \\\n"
		"                 \\v\n"
		" rank 1  ###.Recv.%#main##s#\n"
		" # user code\n"
		" . point-to-point\n"
		" s synchronisation\n"
		" blank: not recorded\n");
}

/* 40 to 60 ns in 20 columns of one tick: MPI_Send to 50, then main; rank 1 MPI_Recv to 52, then
 * main. The message goes from column 2 to column 11, half of the way in each line.
 */
TEST(zoomed_in)
{
	OWNED_TRACE *trace = small_trace();
	struct query query = whole(trace);

	query.t0 = 40;
	query.t1 = 60;
	text_is(&query, 29, 6, false,
		" MPI        ▄▄▄[██▂ ]   ▄▄█\n"
		"        │40 ns    │50 ns\n"
		" rank 0 ░MPI_Send░███main███\n"
		"          ‾‾─_\n"
		"              ‾‾──_▾\n"
		" rank 1 ░░MPI_Recv░░██main██\n"
		" █ user code\n"
		" ░ point-to-point\n");
}

/* Level 1 is main, level 2 what it calls, and nothing between. */
TEST(nesting_levels_are_lines_of_their_own)
{
	OWNED_TRACE *trace = small_trace();
	ENDED_BY(drawn_fini) struct drawn d = drawn_new();
	const struct query query = whole(trace);
	const struct timeline_options options = { .width = 20, .height = 8, .depth = 2 };
	make_picture(&d, &query, &options);
	assert_int_equal(d.p.bar, 2);
	assert_int_equal(d.p.visible, 2);
	assert_int_equal(d.p.lanes.n, 4);
	assert_int_equal(d.p.lanes.data[0].level, 1);
	assert_int_equal(d.p.lanes.data[1].level, 2);
	assert_int_equal(d.p.lanes.data[1].location, d.p.lanes.data[0].location);
	for (int x = 0; x < 20; x++) {
		static const char below[] = "..uuuuuupp......sss.";
		const uint8_t expected = below[x] == 'u'   ? CLASS_USER
					 : below[x] == 'p' ? CLASS_P2P
					 : below[x] == 's' ? CLASS_SYNC
							   : CLASS_OUTSIDE;

		assert_int_equal(d.p.cells[x].whole, CLASS_USER);
		assert_int_equal(d.p.cells[20 + x].whole, expected);
	}
}

/* 10 columns of 10 ns. Column 3: work 30-36, MPI_Send 36-38, work to 40: a fifth of the cell is
 * hidden, in a half that work wins as well. Column 4: a tenth: below the threshold, no mark. */
TEST(a_cell_marks_what_it_hides)
{
	OWNED_TRACE *trace = notation_trace("rank 0: work@0-36 MPI_Send@36-38 work@38-46\n"
					    "  MPI_Send@46-47 work@47-99");
	ENDED_BY(drawn_fini) struct drawn d = drawn_new();
	const struct query query = whole(trace);
	const struct timeline_options options = { .width = 10, .height = 1 };

	make_picture(&d, &query, &options);
	assert_int_equal(d.p.cells[3].left, CLASS_USER);
	assert_int_equal(d.p.cells[3].right, CLASS_USER);
	assert_int_equal(d.p.cells[3].second, CLASS_P2P);
	assert_int_equal(d.p.cells[3].eighths, 1);
	assert_int_equal(d.p.cells[4].second, STATE_NONE);
}

/* ---- random traces against brute force ---- */

static struct rng rng = { 2463534242u };

static struct trace *random_trace(int locations)
{
	struct made m;

	made_begin(&m, locations);
	for (int l = 0; l < locations; l++) {
		const int events = (int)rng_below(&rng, 300);
		int64_t t = (int64_t)rng_below(&rng, 50) - 25;
		int open[4], depth = 0;

		for (int i = 0; i < events; i++) {
			t += rng_below(&rng, 4) == 0 ? rng_below(&rng, 60) : rng_below(&rng, 3);
			if (depth < 4 && (depth == 0 || rng_below(&rng, 2))) {
				open[depth] = (int)rng_below(&rng, 5);
				enter(&m, l, open[depth++], t);
			} else {
				leave(&m, l, open[--depth], t);
			}
		}
		while (depth > 0)
			leave(&m, l, open[--depth], ++t);
	}
	return made_end(&m);
}

/* The state of one tick [t, t + 1), without any index. */
static unsigned state_of(const struct trace *trace, uint32_t location, int64_t t, unsigned level,
			 uint32_t *region)
{
	const struct location *l = trace_location(trace, location);
	uint32_t path;

	*region = NO_REGION;
	if (l->events == 0 || t < l->begin || t >= l->end)
		return CLASS_OUTSIDE;
	path = trace_path_at(trace, BASE_MEASURED, location, t);
	if (level) {
		if (trace_callpath(trace, path)->depth < level)
			return CLASS_OUTSIDE;
		while (trace_callpath(trace, path)->depth > level)
			path = trace_callpath(trace, path)->parent;
	}
	if (trace_callpath(trace, path)->depth == 0)
		return CLASS_USER;
	*region = trace_callpath_region(trace, path);
	return trace_region(trace, *region)->cls;
}

static uint8_t brute_half(const struct trace *trace, const struct timeline_lane *lane,
			  const struct time_scale *fine, int half)
{
	int64_t t0 = time_scale_tick(fine, half), t1 = time_scale_edge(fine, half + 1);
	unsigned sums[STATE_COUNT] = { 0 }, best = 0;
	uint32_t region;

	if (t1 <= t0)
		t1 = t0 + 1;
	for (; t0 < t1; t0++)
		sums[state_of(trace, lane->location, t0, lane->level, &region)]++;
	for (unsigned s = 1; s < STATE_COUNT; s++)
		if (sums[s] > sums[best])
			best = s;
	return (uint8_t)best;
}

static void check_cells(const struct trace *trace, const struct timeline_picture *p)
{
	const struct time_scale fine = { p->scale.t0, p->scale.t1, 2 * p->scale.n };

	for (size_t i = 0; i < p->lanes.n; i++) {
		for (int x = 0; x < p->options.width; x++) {
			const struct timeline_cell *c =
				&p->cells[i * (size_t)p->options.width + (size_t)x];

			assert_int_equal(c->left,
					 brute_half(trace, &p->lanes.data[i], &fine, 2 * x));
			assert_int_equal(c->right,
					 brute_half(trace, &p->lanes.data[i], &fine, 2 * x + 1));
		}
	}
}

/* A name stands in cells that all belong to its region, for 7/8 of their time at least, and touches
 * no other name. */
static void check_labels(const struct trace *trace, const struct timeline_picture *p)
{
	int end = 0;
	uint32_t lane = 0;

	for (size_t i = 0; i < p->labels.n; i++) {
		const struct timeline_label *label = &p->labels.data[i];
		int64_t mine = 0, all = 0;
		uint32_t region;

		if (label->lane != lane)
			end = 0;
		lane = label->lane;
		assert_true(label->x >= end);
		end = label->x + label->width;
		assert_true(end <= p->options.width);
		assert_int_equal(label->width,
				 (int)strlen(trace_region_name(trace, label->region)) -
					 label->skip);
		for (int64_t t = time_scale_edge(&p->scale, label->x);
		     t < time_scale_edge(&p->scale, end); t++, all++) {
			state_of(trace, p->lanes.data[lane].location, t, p->lanes.data[lane].level,
				 &region);
			mine += region == label->region;
		}
		assert_true(mine * 8 >= all * 7 - 8 * label->width);
	}
}

TEST(cells_are_those_of_brute_force)
{
	for (int round = 0; round < 60; round++) {
		OWNED_TRACE *trace = random_trace(1 + (int)rng_below(&rng, 4));
		ENDED_BY(drawn_fini) struct drawn d = drawn_new();
		struct query query = whole(trace);
		int64_t begin, end;

		trace_span(trace, BASE_MEASURED, &begin, &end);
		for (int view = 0; view < 6; view++) {
			const struct timeline_options options = {
				.width = 1 + (int)rng_below(&rng, 100),
				.height = 1 + (int)rng_below(&rng, 20),
				.depth = rng_below(&rng, 4),
			};
			make_picture(&d, &query, &options);
			check_cells(trace, &d.p);
			check_labels(trace, &d.p);
			query.t0 = begin - 20 + rng_below(&rng, (uint32_t)(end - begin) + 40);
			query.t1 = query.t0 + 1 + rng_below(&rng, (uint32_t)(end - begin) + 40);
		}
	}
}

/* A group's cells: the sums of its members' ticks, one by one; all cells of a row together are the
 * window, times the members. */
static void check_mixes(const struct trace *trace, const struct timeline_picture *p)
{
	for (uint32_t i = 0; i < p->visible; i++) {
		const struct timeline_mix *mix = timeline_mix_of(p, i);
		const uint32_t *members;
		uint64_t row = 0;
		uint32_t n, region;

		if (!mix)
			continue;
		members = timeline_row_members(p->rows, timeline_shown(p, i), &n);
		for (int x = 0; x < p->options.width; x++) {
			const int64_t t0 = time_scale_tick(&p->scale, x);
			const int64_t t1 = time_scale_edge(&p->scale, x + 1);
			uint64_t sums[STATE_COUNT] = { 0 };

			for (int64_t t = t0; t < (t1 > t0 ? t1 : t0 + 1); t++)
				for (uint32_t k = 0; k < n; k++)
					sums[state_of(trace, members[k], t, 0, &region)]++;
			assert_memory_equal(mix[x].of, sums, sizeof sums);
			row += t1 > time_scale_edge(&p->scale, x) ? mix[x].all : 0;
		}
		assert_int_equal(row, (uint64_t)(p->scale.t1 - p->scale.t0) * n);
	}
}

TEST(cells_of_groups_are_the_sums_of_their_members)
{
	for (int round = 0; round < 40; round++) {
		OWNED_TRACE *trace = random_trace(round % 10 ? 3 + (int)rng_below(&rng, 8) : 300);
		ENDED_BY(drawn_fini) struct drawn d = drawn_new();
		struct query query = whole(trace);
		struct arrangement a = { .key = (enum group_key)(1 +
								 rng_below(&rng, GROUP_KEYS - 1)),
					 .fit = 1 + rng_below(&rng, 6) };
		int64_t begin, end;

		query.arrangement = &a;
		trace_span(trace, BASE_MEASURED, &begin, &end);
		for (int view = 0; view < 4; view++) {
			const struct timeline_options options = {
				.width = 1 + (int)rng_below(&rng, 60),
				.height = 1 + (int)rng_below(&rng, 12),
				.depth = rng_below(&rng, 3),
				.ascii = rng_below(&rng, 2),
			};
			make_picture(&d, &query, &options);
			check_mixes(trace, &d.p);
			query.t0 = begin - 20 + rng_below(&rng, (uint32_t)(end - begin) + 40);
			query.t1 = query.t0 + 1 + rng_below(&rng, 200);
			arrangement_toggle_open(&a, rng_below(&rng, 4));
		}
		arrangement_fini(&a);
	}
}

/* A frame without any time to sum in shows nothing at first, then what is exact, after that the
 * pyramid's coarse sums at once; and each in the end the exact ones. */
TEST(what_is_refined_becomes_exact)
{
	OWNED_TRACE *trace = random_trace(120);
	ENDED_BY(drawn_fini) struct drawn d = drawn_new();
	struct query query = whole(trace);
	struct arrangement a = { .key = BY_RANGE, .range = 16 };
	struct timeline_sums *sums = timeline_sums_new(0);
	struct timeline_rows rows = { .trace = NULL };
	struct timeline_options options = { .width = 40, .height = 20, .sums = sums };
	struct err err = ERR_INIT;
	int64_t begin, end;
	bool changed = false;

	query.arrangement = &a;
	trace_span(trace, BASE_MEASURED, &begin, &end);
	assert_true(timeline_rows_make(&rows, &query, d.shades, &err));
	options.rows = &rows;
	for (int view = 0; view < 12; view++) {
		uint64_t all = 0;

		make_picture(&d, &query, &options);
		assert_int_equal(d.p.visible, 8);
		for (uint32_t i = 0; i < d.p.visible; i++)
			assert_int_equal(timeline_sums_of(&d.p, i), view ? SUMS_COARSE : SUMS_NONE);
		assert_true(timeline_sums_open(sums));
		/* Coarse or not, all of the time is somewhere. */
		for (int x = 0; view && x < options.width; x++)
			all += timeline_mix_of(&d.p, 2)[x].all;
		assert_true(view == 0 || all <= (uint64_t)(d.p.scale.t1 - d.p.scale.t0) * 16);
		assert_true(view == 0 ||
			    all + 40 * STATE_COUNT >= (uint64_t)(d.p.scale.t1 - d.p.scale.t0) * 16);
		while (timeline_sums_work(sums, &changed)) {}
		assert_false(timeline_sums_open(sums));
		make_picture(&d, &query, &options);
		for (uint32_t i = 0; i < d.p.visible; i++)
			assert_int_equal(timeline_sums_of(&d.p, i), SUMS_EXACT);
		check_mixes(trace, &d.p);
		query.t0 = begin + rng_below(&rng, (uint32_t)(end - begin) - 60);
		query.t1 = query.t0 + 41 + rng_below(&rng, 200);
	}
	timeline_rows_fini(&rows);
	timeline_sums_free(sums);
}

/* 40 ranks count 1,000 * (rank + 1) in each of four quarters of 400 ns, in two groups. Nothing is
 * said before all members are in; then the rates of a group are the sums of its members'. */
TEST(counters_of_groups_are_sums)
{
	struct made m;
	OWNED_TRACE *trace;
	ENDED_BY(drawn_fini) struct drawn d = drawn_new();
	struct query query;
	struct arrangement a = { .key = BY_RANGE, .range = 20 };
	struct timeline_counts *counts = timeline_counts_new(0);
	struct timeline_rows rows = { .trace = NULL };
	struct timeline_options options = { .width = 8, .height = 8, .counts = counts };
	struct err err = ERR_INIT;
	bool changed = false;

	made_begin(&m, 40);
	const uint32_t metric =
		builder_metric(m.b, &(struct metric){ .mode = METRIC_ACCUMULATED_START,
						      .value = FIELD_UINT });
	const uint32_t set =
		builder_metric_set(m.b, &(struct metric_set){ .n = 1,
							      .metrics = &metric,
							      .recorder = UINT32_MAX });
	for (uint32_t l = 0; l < 40; l++)
		for (uint64_t i = 0; i <= 4; i++) {
			const uint64_t values[] = { set, 1000 * (l + 1) * i };

			builder_detail(m.b, m.loc[l], (int64_t)i * 100, DETAIL_METRIC, values, 2);
		}
	trace = made_end(&m);
	query = whole(trace);
	query.t0 = 0;
	query.t1 = 400;
	arrangement_toggle_counter(&a, metric);
	query.arrangement = &a;
	assert_true(timeline_rows_make(&rows, &query, d.shades, &err));
	assert_int_equal(rows.list.n, 4);
	options.rows = &rows;
	make_picture(&d, &query, &options);
	assert_int_equal(d.p.counters.n, 2);
	assert_false(d.p.counters.data[0].summed);
	assert_false(d.p.values.data[0].known);
	while (timeline_counts_work(counts, &changed)) {}
	assert_true(changed);
	make_picture(&d, &query, &options);
	for (int group = 0; group < 2; group++) {
		const struct timeline_counter *c = &d.p.counters.data[group];
		/* 1 + ... + 20, and 21 + ... + 40, thousands in 100 ns */
		const double rate = (group ? 610 : 210) * 1000 / 100e-9;

		assert_true(c->summed);
		for (size_t x = 0; x < 8; x++) {
			assert_true(d.p.values.data[c->first + x].known);
			assert_true(d.p.values.data[c->first + x].value > rate * (1 - 1e-9));
			assert_true(d.p.values.data[c->first + x].value < rate * (1 + 1e-9));
		}
	}
	timeline_rows_fini(&rows);
	timeline_counts_free(counts);
	arrangement_fini(&a);
}

/* 9,000 messages, one every 10 ns, are too many to be looked at: they are counted by column. */
TEST(many_messages_are_counted)
{
	enum { MESSAGES = 9000 };
	struct made m;
	OWNED_TRACE *trace;
	ENDED_BY(drawn_fini) struct drawn d = drawn_new();
	struct query query;
	const struct timeline_options options = { .width = 37, .height = 6 };
	uint64_t all = 0;

	made_begin(&m, 2);
	for (int i = 0; i < MESSAGES; i++) {
		const struct message_end to = { .rank = 1, .process = -1, .tag = 7, .bytes = 8 };
		const struct message_end from = { .rank = 0, .process = -1, .tag = 7, .bytes = 8 };

		builder_send(m.b, m.loc[0], 10 * i, &to);
		builder_recv(m.b, m.loc[1], 10 * i + 3, &from);
	}
	trace = made_end(&m);
	query = whole(trace);
	query.t0 = 5000;
	query.t1 = 89000;
	make_picture(&d, &query, &options);
	assert_false(d.p.exact);
	assert_int_equal(d.p.density.n, 37);
	for (int x = 0; x < 37; x++) {
		const int64_t t0 = time_scale_edge(&d.p.scale, x);
		const int64_t t1 = time_scale_edge(&d.p.scale, x + 1);

		assert_int_equal(d.p.density.data[x], (t1 + 9) / 10 - (t0 + 9) / 10);
		all += d.p.density.data[x];
	}
	assert_int_equal(all, 8400);
}

/* ---- odd ones ---- */

static void draws_anything(struct trace *trace)
{
	struct query query = whole(trace);
	struct err err = ERR_INIT;
	OWNED_STR out = STR_INIT;

	for (int i = 0; i < 4; i++) {
		assert_true(timeline_text(&query, 20, 5, i & 1, &out, &err));
		assert_true(timeline_text(&query, 200, 0, i & 1, &out, &err));
		query.t0 = -5;
		query.t1 = 3;
	}
	trace_free(trace);
}

TEST(nothing_and_next_to_nothing_can_be_drawn)
{
	struct made m;

	made_begin(&m, 0);
	draws_anything(made_end(&m));
	made_begin(&m, 3);
	draws_anything(made_end(&m));
	made_begin(&m, 1);
	enter(&m, 0, MAIN, -7);
	draws_anything(made_end(&m));
	made_begin(&m, 2); /* all at one time */
	for (int i = 0; i < 200; i++)
		visit(&m, i % 2, WORK, 1000, 1000);
	draws_anything(made_end(&m));
	made_begin(&m, 1); /* as long as 64 bits allow */
	visit(&m, 0, WORK, INT64_MIN / 2 + 1, INT64_MAX / 2 - 1);
	draws_anything(made_end(&m));
}

TEST(rows_scroll_just_enough)
{
	const struct timeline_options options = { .width = 10, .height = 5 };

	/* 20 rows, five lines: five rows are shown. */
	assert_int_equal(timeline_rows_fit(20, &options), 5);
	assert_int_equal(timeline_scroll(0, 4, 20, 0, &options), 0);
	assert_int_equal(timeline_scroll(0, 5, 20, 0, &options), 1);
	assert_int_equal(timeline_scroll(10, 9, 20, 0, &options), 9);
	assert_int_equal(timeline_scroll(19, 19, 20, 0, &options), 15);
	assert_int_equal(timeline_scroll(3, 0, 0, 0, &options), 0);
}
