/* Wait states in the timeline: sums against brute force, cells tick by tick, the thread of the
 * analyses, the way from one wait to the next, and what is usual. */
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/analysed.h"
#include "harness/notation.h"
#include "harness/random.h"
#include "model/trace/base_write.h"
#include "patterns/patterns.h"
#include "ui/timeline/panel/wait_follow.h"
#include "ui/timeline/picture/timeline_picture.h"
#include "views/explain/explaining.h"
#include "views/facts/wait_find.h"

enum { RANKS = 3 };

struct made {
	struct notation n;
	long now[RANKS];
};

static void work(struct made *m, int rank, long ticks)
{
	notation_write(&m->n, "rank %d: work@%ld-%ld", rank, m->now[rank], m->now[rank] + ticks);
	m->now[rank] += ticks;
}

/* Of two ticks: sent at its begin; received a tick after the later of both begins. */
static void message(struct made *m, int from, int to)
{
	const long sent = m->now[from], from_then = m->now[to];
	const long got = (from_then > sent ? from_then : sent) + 1;

	notation_write(&m->n, "rank %d: MPI_Send@%ld-%ld ->%d tag 1", from, sent, sent + 2, to);
	notation_write(&m->n, "rank %d: MPI_Recv@%ld-%ld <-%d tag 1 @%ld", to, from_then, got + 1,
		       from, got);
	m->now[from] = sent + 2;
	m->now[to] = got + 1;
}

static struct trace *random_trace(uint64_t seed, int steps)
{
	struct made m = { .now = { 0 } };

	notation_begin(&m.n, 1000000000);
	for (int r = 0; r < RANKS; r++)
		notation_write(&m.n, "rank %d: main@0; offset %d 0 %d", r, r, 3 * r);
	for (int i = 0; i < steps; i++) {
		const int from = (int)(next_random(&seed) % RANKS);
		const int to = (from + 1 + (int)(next_random(&seed) % (RANKS - 1))) % RANKS;

		if (next_random(&seed) % 2)
			work(&m, from, (long)(next_random(&seed) % 40));
		if (next_random(&seed) % 4)
			message(&m, from, to);
	}
	for (int r = 0; r < RANKS; r++)
		notation_write(&m.n, "rank %d: leave main @%ld", r, m.now[r] + 1);
	return notation_finish(&m.n);
}

/* Rank 1 waits 100 ticks in its first receive, 50 in the second. */
static struct trace *two_waits(void)
{
	return notation_trace("rank 0: main@0 { work@0-100 MPI_Send@100-102 ->1 tag 1\n"
			      "  work@102-152 MPI_Send@152-154 ->1 tag 1 1000B } @155\n"
			      "rank 1: main@0 { MPI_Recv@0-102 <-0 tag 1 @101\n"
			      "  MPI_Recv@102-154 <-0 tag 1 1000B @153 } @155\n"
			      "rank 2: main@0-1");
}

/* ---- sums ---- */

/* The kind that waits at each tick: of those that overlap the first in the list. */
static int kind_at(const struct analysis *analysis, uint32_t location, int64_t t)
{
	size_t n;
	const struct wait *waits = analysis_waits(analysis, location, &n);

	for (size_t i = 0; i < n; i++)
		if (wait_counts(&waits[i]) && waits[i].begin <= t &&
		    t < waits[i].begin + waits[i].length)
			return (int)wait_kind_of(&waits[i]);
	return -1;
}

TEST(sums_are_those_of_every_tick)
{
	uint64_t all = 0;

	for (uint64_t seed = 1; seed <= 12; seed++) {
		ANALYSED a = analysed(random_trace(seed, 60));
		const struct wait_sums *sums = analyses_wait_sums(a.analyses, BASE_MEASURED);
		const struct wait_slot *slots;
		const unsigned n = wait_sums_slots(sums, &slots);
		uint64_t random = seed;
		int64_t edges[41] = { -20 };

		for (size_t i = 1; i < 41; i++)
			edges[i] = edges[i - 1] + 1 +
				   (int64_t)(next_random(&random) % (seed % 2 ? 90 : 12));
		for (uint32_t l = 0; l < RANKS; l++) {
			uint64_t out[40 * WAIT_SLOTS] = { 0 };

			wait_sums_add(sums, l, edges, 40, out);
			for (size_t cell = 0; cell < 40; cell++) {
				uint64_t ticks[WAIT_KINDS] = { 0 }, of[WAIT_KINDS] = { 0 };

				for (int64_t t = edges[cell]; t < edges[cell + 1]; t++)
					if (kind_at(a.analysis, l, t) >= 0)
						ticks[kind_at(a.analysis, l, t)]++;
				for (unsigned s = 0; s < n; s++)
					of[slots[s].kind] += out[cell * n + s];
				for (int k = 0; k < WAIT_KINDS; k++) {
					assert_int_equal(of[k], ticks[k]);
					all += ticks[k];
				}
			}
		}
	}
	assert_true(all > 1000);
}

/* Sums that the trace keeps are the same, of the times that they were made of. */
TEST(sums_are_kept_with_the_trace)
{
	ANALYSED a = analysed(random_trace(7, 400));
	const int64_t edges[] = { -50, 3, 900, 901, 2000, 1000000 };
	const struct wait_sums *sums;
	struct wait_sums *kept;
	uint64_t all = 0;

	assert_true(trace_base_make(a.trace, BASE_LINEAR, NULL, NULL));
	assert_non_null(analyses_get(a.analyses, BASE_LINEAR, NULL, NULL));
	sums = analyses_wait_sums(a.analyses, BASE_LINEAR);
	assert_null(wait_sums_kept(a.trace, BASE_MEASURED));
	kept = wait_sums_kept(a.trace, BASE_LINEAR);
	assert_non_null(kept);
	assert_int_equal(wait_sums_slots(kept, NULL), wait_sums_slots(sums, NULL));
	for (uint32_t l = 0; l < RANKS; l++) {
		uint64_t one[5 * WAIT_SLOTS] = { 0 }, two[5 * WAIT_SLOTS] = { 0 };

		wait_sums_add(sums, l, edges, 5, one);
		wait_sums_add(kept, l, edges, 5, two);
		assert_memory_equal(one, two, sizeof one);
		for (size_t i = 0; i < 5 * WAIT_SLOTS; i++)
			all += one[i];
	}
	assert_true(all > 100);
	wait_sums_free(kept);
	base_drop(a.trace, BASE_LINEAR);
	assert_null(wait_sums_kept(a.trace, BASE_LINEAR));
}

/* A wait of 2^58 ticks and two more, of which each cell has its part. */
TEST(sums_of_a_long_wait)
{
	const int64_t end = INT64_C(1) << 58, half = end / 2;
	const int64_t edges[] = { 0, 1000, half, end + 1 };
	struct notation n;

	notation_begin(&n, 1000000000);
	notation_write(&n,
		       "rank 0: main@0 { work@0-%" PRId64 " MPI_Send@%" PRId64 "-%" PRId64
		       " ->1 tag 1 } @%" PRId64,
		       end, end, end + 2, end + 3);
	notation_write(&n,
		       "rank 1: main@0 { MPI_Recv@0-%" PRId64 " <-0 tag 1 @%" PRId64 " } @%" PRId64,
		       end + 2, end + 1, end + 3);
	ANALYSED a = analysed(notation_finish(&n));
	const struct wait_sums *sums = analyses_wait_sums(a.analyses, BASE_MEASURED);
	const unsigned slots = wait_sums_slots(sums, NULL);
	uint64_t out[3 * WAIT_SLOTS] = { 0 };

	assert_int_equal(slots, 1);
	wait_sums_add(sums, 1, edges, 3, out);
	assert_int_equal(out[0], 1000);
	assert_int_equal(out[1], half - 1000);
	assert_int_equal(out[2], end - half);
}

/* ---- cells ---- */

FREES(timeline_shades_free, struct timeline_shades)
#define SHADES  FREED_BY(timeline_shades_free) struct timeline_shades *
#define PICTURE ENDED_BY(timeline_picture_fini) struct timeline_picture

static unsigned state_at(const struct analysed *a, uint32_t location, int64_t t)
{
	const struct location *l = trace_location(a->trace, location);
	const int kind = kind_at(a->analysis, location, t);
	const uint32_t path = trace_path_at(a->trace, BASE_MEASURED, location, t);

	if (kind >= 0)
		return STATE_WAIT + (unsigned)kind;
	if (t < l->begin || t >= l->end)
		return CLASS_OUTSIDE;
	return trace_callpath(a->trace, path)->depth ? trace_callpath_class(a->trace, path)
						     : CLASS_USER;
}

static unsigned most_of(const uint64_t *sums)
{
	unsigned best = 0;

	for (unsigned s = 1; s < STATE_COUNT; s++)
		if (sums[s] > sums[best])
			best = s;
	return best;
}

TEST(cells_show_what_waits)
{
	unsigned waiting = 0;

	for (uint64_t seed = 20; seed < 28; seed++) {
		ANALYSED a = analysed(random_trace(seed, 50));
		SHADES shades = timeline_shades_new();
		PICTURE p = { 0 };
		struct err err = ERR_INIT;

		assert_true(timeline_picture_make(&p, &a.query, shades,
						  &(struct timeline_options){ .width = 37,
									      .height = 12 },
						  &err));
		for (size_t lane = 0; lane < p.lanes.n; lane++) {
			const struct time_scale fine = { p.scale.t0, p.scale.t1, 74 };

			for (int half = 0; half < 74; half++) {
				const struct timeline_cell *c =
					&p.cells[lane * 37 + (size_t)half / 2];
				uint64_t sums[STATE_COUNT] = { 0 };

				for (int64_t t = time_scale_tick(&fine, half);
				     t < time_scale_edge(&fine, half + 1); t++)
					sums[state_at(&a, p.lanes.data[lane].location, t)]++;
				assert_int_equal(half % 2 ? c->right : c->left, most_of(sums));
				waiting += most_of(sums) >= STATE_WAIT;
			}
		}
	}
	assert_true(waiting > 20);
}

/* The waits of a group are those of its members together. */
TEST(groups_add_up)
{
	ANALYSED a = analysed(random_trace(5, 80));
	const struct arrangement arrangement = { .key = BY_RANGE, .range = RANKS };
	SHADES shades = timeline_shades_new();
	struct timeline_sums *of[] = { NULL, timeline_sums_new(1000000000, 0),
				       timeline_sums_new(1000000000, 1 << 20) };
	uint64_t all = 0;
	bool changed;

	a.query.arrangement = &arrangement;
	for (int kept = 0; kept < 3; kept++) {
		ENDED_BY(timeline_rows_fini) struct timeline_rows rows = { .trace = NULL };
		PICTURE p = { 0 };
		struct err err = ERR_INIT;
		struct timeline_options options = { .height = 12, .rows = &rows, .sums = of[kept] };

		assert_true(timeline_rows_make(&rows, &a.query, shades, &err));
		/* The second picture has other columns, the third is of turns. */
		for (options.width = 7; kept == 2 && options.width < 9; options.width++) {
			PICTURE before = { 0 };
			assert_true(
				timeline_picture_make(&before, &a.query, shades, &options, &err));
		}
		while (kept == 2 && timeline_sums_work(of[2], &changed)) {}
		options.width = 10;
		assert_true(timeline_picture_make(&p, &a.query, shades, &options, &err));
		assert_int_equal(p.visible, 1);
		const struct timeline_mix *mix = timeline_mix_of(&p, 0);
		for (int x = 0; x < 10; x++) {
			uint64_t ticks = 0;

			for (int64_t t = time_scale_edge(&p.scale, x);
			     t < time_scale_edge(&p.scale, x + 1); t++)
				for (uint32_t l = 0; l < RANKS; l++)
					ticks += kind_at(a.analysis, l, t) == WAIT_SENDER;
			assert_int_equal(mix[x].of[STATE_WAIT + WAIT_SENDER], ticks);
			all += ticks;
		}
	}
	assert_true(all > 100);
	for (int kept = 0; kept < 3; kept++)
		timeline_sums_free(of[kept]);
}

/* ---- the thread ---- */

static bool stop_at_once(void *context, const char *what, uint64_t done, uint64_t all)
{
	(void)what;
	(void)done;
	(void)all;
	++*(int *)context;
	return false;
}

TEST(waiting_can_be_given_up)
{
	OWNED_TRACE *trace = random_trace(3, 20000);
	struct analyses *a = analyses_new(trace, &(struct analysis_options){ .jobs = 1 });
	int asked = 0;
	const struct progress impatient = { .step = stop_at_once, .context = &asked };
	struct err err = ERR_INIT;
	struct pollfd told = { .events = POLLIN };

	/* It may be there at once: then nobody was asked. */
	if (!analyses_get(a, BASE_MEASURED, &impatient, &err))
		assert_true(asked > 0);
	assert_false(err_is_set(&err));
	assert_non_null(analyses_get(a, BASE_MEASURED, NULL, &err));
	assert_non_null(analyses_peek(a, BASE_MEASURED));
	told.fd = analyses_fd(a);
	assert_int_equal(poll(&told, 1, 10000), 1);
	assert_true(analyses_told(a));
	/* What only efficiencies are told by is made behind it. */
	while (analyses_state(a).busy)
		usleep(1000);
	assert_false(analyses_trouble(a, &err));
	analyses_free(a);
	/* And it can be left in the middle. */
	a = analyses_new(trace, &(struct analysis_options){ .jobs = 1 });
	analyses_peek(a, BASE_MEASURED);
	analyses_free(a);
}

static size_t count_waits(const struct analysis *analysis)
{
	size_t all = 0, n;

	assert_non_null(analysis);
	for (uint32_t l = 0; l < RANKS; l++, all += n)
		analysis_waits(analysis, l, &n);
	return all;
}

/* What the screen makes of a trace while its wait states are looked for: another base, its shading,
 * sums of profiles. Threads that disagree are found by the sanitizers; here both have to come to
 * what each comes to alone. */
TEST(bases_are_made_meanwhile)
{
	OWNED_TRACE *trace = random_trace(9, 20000);
	struct analyses *a = analyses_new(trace, &(struct analysis_options){ .jobs = 2 });
	struct err err = ERR_INIT;
	size_t waits = 0, alone = 0;

	analyses_peek(a, BASE_MEASURED);
	assert_true(trace_base_make(trace, BASE_LINEAR, NULL, &err));
	assert_non_null(trace_class_shading(trace, BASE_LINEAR));
	for (int base = BASE_LINEAR; base >= BASE_MEASURED; base--) {
		ENDED_BY(profile_fini) struct profile profile = { 0 };
		assert_true(profile_make(&profile, trace, (enum time_base)base, PROFILE_REGION,
					 NULL, 0, INT64_MIN, INT64_MAX, NULL, &err));
	}
	analyses_peek(a, BASE_LINEAR);
	for (int base = BASE_MEASURED; base <= BASE_LINEAR; base++)
		waits += count_waits(analyses_get(a, (enum time_base)base, NULL, &err));
	analyses_free(a);
	for (int base = BASE_MEASURED; base <= BASE_LINEAR; base++) {
		struct analysis *analysis =
			analysis_new(patterns, trace, (enum time_base)base,
				     &(struct analysis_options){ .jobs = 1 }, NULL, &err);
		alone += count_waits(analysis);
		analysis_free(analysis);
	}
	assert_true(alone > 1000);
	assert_int_equal(waits, alone);
}

/* ---- from one to the next ---- */

TEST(brackets_go_along_the_waits)
{
	struct session s;
	struct err err = ERR_INIT;

	session_init(&s, two_waits(), BASE_MEASURED);
	assert_non_null(analyses_get(s.analyses, BASE_MEASURED, NULL, &err));
	session_set_cursor(&s, 1, 0, EVENT_NONE);
	assert_true(wait_follow(&s, 1));
	assert_int_equal(s.cursor.time, 0);
	assert_true(wait_follow(&s, 1));
	assert_int_equal(s.cursor.time, 102);
	assert_int_equal(what_kind(trace_event_what(s.trace, s.cursor.event)), EV_ENTER);
	assert_false(wait_follow(&s, 1));
	assert_true(wait_follow(&s, -1));
	assert_int_equal(s.cursor.time, 0);
	assert_false(wait_follow(&s, -1));
	/* A metric that nothing waits in; one that does. */
	s.metric = CUBE_MPI_LATERECEIVER;
	assert_false(wait_follow(&s, 1));
	s.metric = CUBE_MPI_POINT2POINT;
	assert_true(wait_follow(&s, 1));
	assert_int_equal(s.cursor.time, 102);
	/* Rank 0 never waits. */
	session_set_cursor(&s, 0, 0, EVENT_NONE);
	assert_false(wait_follow(&s, 1));
	session_fini(&s);
}

/* ---- what is usual ---- */

static void says(const struct explain *e, const char *text)
{
	for (size_t i = 0; i < e->lines.n; i++)
		if (strstr(e->lines.data[i].text, text))
			return;
	for (size_t i = 0; i < e->lines.n; i++)
		print_message("# %s\n", e->lines.data[i].text);
	fail_msg("nothing says '%s'", text);
}

/* Of a time of a location. */
static void says_all(const struct query *query, uint32_t location, int64_t t,
		     const char *const *texts)
{
	ENDED_BY(explain_fini) struct explain e = { .visits = NULL };
	struct explain_subject subject;

	explain_time(&subject, query, location, t);
	explain_begin(&e, query, &subject);
	while (explain_work(&e, query, 1000000))
		;
	for (; *texts; texts++)
		says(&e, *texts);
}

TEST(a_small_share_is_said_to_be_small)
{
	static const char *const texts[] = { "rank 0 was in tick() for 1 ns: < 0.1 % of the run",
					     "all visits: 1 ns, < 0.1 % of total time", NULL };
	ANALYSED a = analysed(notation_trace("rank 0: main@0 { tick@10-11 } @5000\n"));

	says_all(&a.query, 0, 10, texts);
}

/* The run takes 155 ticks of each of 3 locations; work is 100 and 50. The message of 1,000 bytes,
 * sent at 152, is there at 153, as that of 8 bytes a tick after it was sent. */
TEST(visits_and_messages_among_their_like)
{
	static const char *const visit[] = {
		"rank 0 was in work() for 100 ns: 64.5 % of the run",
		"the longest of 2 visits",
		"mean 75 ns, quartiles 63 ns, 75 ns, 88 ns; from 50 ns to 100 ns",
		"all visits: 150 ns, 32.3 % of total time",
		NULL,
	};
	static const char *const message[] = {
		"rank 1 waited 50 ns in MPI_Recv: rank 0 sent late.",
		"rank 0 to rank 1, tag 1, 1,000 B: received 1 ns after it was sent",
		"the only message of 512 B to below 1,024 B",
		"rank 1 waited 50 ns for it, receiving",
		"the shortest of 2 visits",
		NULL,
	};
	ANALYSED a = analysed(two_waits());

	says_all(&a.query, 0, 60, visit);
	says_all(&a.query, 1, 110, message);
}

/* Of every wait of random programs: what is explained is a part of it, most of it in all; lines are
 * bounded; of a wait for a rank that only worked, all is its excess of work. */
TEST(chains_add_up)
{
	double all = 0, explained = 0;
	size_t chains = 0;

	for (uint64_t seed = 40; seed < 48; seed++) {
		ANALYSED a = analysed(random_trace(seed, 300));

		assert_non_null(a.causes);
		for (uint32_t l = 0; l < RANKS; l++) {
			size_t n;
			const struct wait *waits = analysis_waits(a.analysis, l, &n);

			for (uint32_t i = 0; i < n; i++) {
				struct explain e = { .subject = { l, i, EVENT_NONE, UINT32_MAX } };
				const double length = (double)waits[i].length;

				explain_chain(&e, &a.query, a.analysis, a.causes,
					      &(struct wait_bounds){ .pending = false });
				assert_true(e.sum.wait == length);
				assert_true(e.sum.explained >= -1e-9 * length);
				assert_true(e.sum.explained + e.sum.inside <= length * (1 + 1e-9));
				assert_in_range(e.lines.n, 1, 3 + EXPLAIN_NODES * REASONS);
				all += length;
				explained += e.sum.explained + e.sum.inside;
				chains++;
				explain_fini(&e);
			}
		}
	}
	assert_true(chains > 300);
	print_message("# explained %.1f %% of %zu waits\n", 100 * explained / all, chains);
	assert_true(explained > 0.95 * all);
}

TEST(work_alone_explains_all)
{
	ANALYSED a = analysed(two_waits());
	struct explain e = { .subject = { 1, 0, EVENT_NONE, UINT32_MAX } };

	explain_chain(&e, &a.query, a.analysis, a.causes,
		      &(struct wait_bounds){ .pending = false });
	assert_true(e.sum.wait == 100);
	assert_true(e.sum.explained > 99.9 && e.sum.explained < 100.1);
	says(&e, "Rank 0 was late because it spent 100 ns more than rank 1 in work()");
	says(&e, "Explained: 100 ns of 100 ns. Rank 0 took 100 ns longer");
	explain_fini(&e);
}
