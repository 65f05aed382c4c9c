/* Virtual beside compensated times, with the bounds of both: by hand. Ticks are nanoseconds. */
#include "correct/virtual/virtual_compare.h"

#include <stdlib.h>
#include <string.h>

#include "correct/correct.h"
#include "harness/built.h"
#include "harness/test.h"
#include "model/trace/base_write.h"
#include "model/trace/virtual_metric.h"
#include "views/facts/virtual_text.h"
#include "views/query/view.h"

enum { RANKS = 3, EVENTS = 6, NONE = -1 };

/* Two calls, 1000 to 1100 and 2000 to 2100, on each rank, with the bounds of their errors. */
static struct trace *made(const int64_t error[RANKS][2], const char *cores)
{
	struct builder *b = built_begin(RANKS);
	const uint32_t site = built_site(b, "MPI_Recv", CLASS_P2P, 1);
	uint32_t metrics[VIRTUAL_METRICS];
	uint64_t set;

	for (int i = 0; i < VIRTUAL_METRICS; i++) {
		const char *name = virtual_metric_text[i][0];
		metrics[i] =
			builder_metric(b, &(struct metric){
						  .name = builder_string(b, name, strlen(name)),
						  .value = FIELD_INT,
						  .base = 10,
						  .exponent = -9 });
	}
	set = builder_metric_set(b, &(struct metric_set){ .n = VIRTUAL_METRICS,
							  .metrics = metrics,
							  .recorder = UINT32_MAX });
	for (uint32_t rank = 0; rank < RANKS; rank++)
		for (int k = 0; k < 2; k++) {
			const int64_t from = 1000 * (k + 1);
			const uint64_t values[] = { set, 100, 0, 0, 0, (uint64_t)error[rank][k] };
			builder_enter(b, rank, from, site);
			builder_detail(b, rank, from + 100, DETAIL_METRIC, values,
				       sizeof values / sizeof *values);
			builder_leave(b, rank, from + 100, site);
		}
	if (cores)
		builder_property(b, "cores", cores);
	return built_end(b);
}

/* A base in which each event of rank r is by [r] later than measured. */
static void shift(struct trace *trace, enum time_base base, const int64_t by[RANKS])
{
	struct err err = ERR_INIT;

	assert_true(base_begin(trace, base, &err));
	for (uint32_t l = 0; l < RANKS; l++) {
		int64_t t[BLOCK_EVENTS];
		struct cursor c;
		uint32_t n = 0, block = 0;
		for (bool ok = cursor_first(&c, trace, BASE_MEASURED, l); ok;
		     ok = cursor_next(&c)) {
			block = c.id / BLOCK_EVENTS;
			t[n++] = cursor_time(&c) + by[l];
		}
		assert_int_equal(n, EVENTS);
		assert_true(base_put(trace, base, block, t, &err));
	}
	base_commit(trace, base);
}

static const int64_t zero[RANKS], lower[RANKS] = { -10, -10, -10 }, upper[RANKS] = { 20, 20, 20 };

static struct trace *with_bases(const int64_t error[RANKS][2], const int64_t by[RANKS],
				const char *cores)
{
	struct trace *trace = made(error, cores);

	shift(trace, BASE_COMPENSATED, zero);
	shift(trace, BASE_LOWER, lower);
	shift(trace, BASE_UPPER, upper);
	shift(trace, BASE_VIRTUAL, by);
	return trace;
}

static void says(struct trace *trace, const struct virtual_comparison *v, const char *wanted)
{
	struct corrections c = { .compared = *v };
	struct phrases p = { .trace = trace };

	assert_string_equal(virtual_sentence(&p, &c), wanted);
	phrases_fini(&p);
}

/* Compensated times may be 20 too early and 10 too late. Rank 0's bounds are 7 from the end of its
 * first call and 40 from that of its second one; its times are later by 31: more than 0 + 20 at its
 * first enter, than 7 + 20 at the three events up to the second enter, and less than 40 + 20 after.
 * Rank 1 is earlier by 10 everywhere, which its bound of 0 allows. Rank 2 lost its bound in
 * the first call: only its enter has one, and agrees. */
TEST(events_that_differ_by_more_than_both_bounds)
{
	static const int64_t error[RANKS][2] = { { 7, 40 }, { 0, 0 }, { NONE, NONE } };
	static const int64_t by[RANKS] = { 31, -10, 0 };
	OWNED_TRACE *trace = with_bases(error, by, "2");
	struct virtual_comparison v;

	virtual_compare(&v, trace);
	assert_int_equal(v.state, VIRTUAL_COMPARED);
	assert_int_equal(v.events, 6 + 6 + 1);
	assert_int_equal(v.without, 5);
	assert_int_equal(v.beyond, 4);
	assert_int_equal(v.first_location, 0);
	assert_int_equal(v.first_time, 1031);
	assert_int_equal(v.crowd.ranks, 3);
	assert_int_equal(v.crowd.cores, 2);
	says(trace, &v,
	     "Virtual and compensated times differ by more than their bounds in 4 of 13 events, "
	     "by up to 31 ns, "
	     "first at 1.03 us on rank 0 in MPI_Recv. 5 events have no bound and were not compared "
	     "(order changed by recording, or no virtual time kept).");
}

TEST(all_agree)
{
	static const int64_t error[RANKS][2] = { { 10, 10 }, { 10, 10 }, { 10, 10 } };
	static const int64_t by[RANKS] = { 15, 0, -10 };
	OWNED_TRACE *trace = with_bases(error, by, "3");
	struct virtual_comparison v;

	virtual_compare(&v, trace);
	assert_int_equal(v.beyond, 0);
	assert_int_equal(v.crowd.ranks, 0);
	says(trace, &v,
	     "Virtual and compensated times agree within their bounds in all 18 events.");
}

/* Only the three enters of the first calls come before any departure: where those have no bound
 * either, nothing is compared. */
TEST(no_bounds)
{
	static const int64_t error[RANKS][2] = { { NONE, NONE }, { NONE, NONE }, { NONE, NONE } };
	OWNED_TRACE *trace = with_bases(error, zero, NULL);
	struct virtual_comparison v;

	virtual_compare(&v, trace);
	assert_int_equal(v.events, 3);
	assert_int_equal(v.without, 15);
	assert_int_equal(v.crowd.ranks, 0);
	v = (struct virtual_comparison){ .state = VIRTUAL_UNBOUNDED, .without = 18 };
	says(trace, &v,
	     "Virtual and compensated times were not compared: no event has a bound (recording "
	     "changed the order of messages from the first receive on, or no virtual time was "
	     "kept).");
}

TEST(nothing_to_compare_with)
{
	static const int64_t error[RANKS][2] = { { 0 } };
	OWNED_TRACE *trace = made(error, NULL);
	struct virtual_comparison v;

	virtual_compare(&v, trace);
	assert_int_equal(v.state, VIRTUAL_NOT_KEPT);
	says(trace, &v, "");
	shift(trace, BASE_VIRTUAL, zero);
	virtual_compare(&v, trace);
	assert_int_equal(v.state, VIRTUAL_NO_COMPENSATED);
	says(trace, &v, "Virtual times were not compared: there are no compensated times.");
}

static char *text_of(struct table *table)
{
	struct str text = STR_INIT;

	assert_non_null(table);
	for (uint64_t row = table_first(table); row != ROW_NONE; row = table_next(table, row)) {
		struct value v[TABLE_COLUMNS];
		unsigned shown = 0;
		table_cells(table, row, v);
		for (unsigned i = 0; i < table->n_columns; i++) {
			const char *key = table->columns[i].name;
			if (!table->columns[i].exported ||
			    (!strstr(key, "bound_s") && strcmp(key, "beyond") != 0 &&
			     strcmp(key, "events") != 0 && strcmp(key, "moved_s") != 0))
				continue;
			str_add(&text, shown++ ? " " : "");
			if (v[i].known)
				str_add_fmt(&text, "%s=%lld", key, (long long)v[i].integer);
			else
				str_add_fmt(&text, "%s=", key);
		}
		str_add(&text, "\n");
	}
	table_free(table);
	return text.text;
}

/* Both bounds of each event, and of each region the largest. */
TEST(views_of_the_difference)
{
	static const int64_t error[RANKS][2] = { { 7, 40 }, { 0, 0 }, { NONE, NONE } };
	static const int64_t by[RANKS] = { 31, -10, 0 };
	OWNED_TRACE *trace = with_bases(error, by, NULL);
	const struct query query = { .trace = trace,
				     .base = BASE_VIRTUAL,
				     .against = BASE_COMPENSATED,
				     .difference = true,
				     .t0 = INT64_MIN,
				     .t1 = INT64_MAX };
	struct query plain = query;
	struct err err = ERR_INIT;
	char *text = text_of(difference_table_new(&query, &err));

	/* Beside the row of no region, which has time, but no events. */
	assert_non_null(
		strstr(text, "events=13 beyond=4 virtual_bound_s=40 compensated_bound_s=20\n"));
	free(text);
	text = text_of(events_table_new(&query, &err));
	assert_non_null(
		strstr(text, "moved_s=31 virtual_bound_s=0 compensated_bound_s=20 beyond=1\n"));
	assert_non_null(
		strstr(text, "moved_s=31 virtual_bound_s=7 compensated_bound_s=20 beyond=1\n"));
	assert_non_null(
		strstr(text, "moved_s=31 virtual_bound_s=40 compensated_bound_s=20 beyond=0\n"));
	assert_non_null(
		strstr(text, "moved_s=0 virtual_bound_s= compensated_bound_s=20 beyond=\n"));
	free(text);
	plain.against = BASE_MEASURED;
	text = text_of(difference_table_new(&plain, &err));
	assert_null(strstr(text, "bound_s"));
	free(text);
}
