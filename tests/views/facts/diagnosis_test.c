/* What the analysis of the sample trace (tests/harness/sample.h) comes to, computed by hand from
 * the formulas of the specification:
 *
 * Rank 1's receive was entered at 50, its send at 100: 50 us late. Since the beginning rank 0 spent
 * 100 us in main, rank 1 50: the 50 us more explain all of it. At the barrier rank 1 waits from 500
 * until rank 0 comes at 800: 300 us. Between their message and the barrier rank 0 spent 190 us in
 * main and 500 in solve, rank 1 179 and 201: of the 300 us main is charged with 300 * 11 / 310,
 * solve with 300 * 299 / 310. Outside MPI rank 0 spends 890 us, rank 1 530, of 1000. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "harness/analysed.h"
#include "harness/sample.h"
#include "patterns/causes/planned_run.h"
#include "views/facts/diagnosis.h"
#include "views/facts/phrases.h"
#include "views/report/report_trace.h"

FREES(json_decref, json_t)

static int32_t rank(const struct trace *trace, uint32_t location)
{
	return trace_location(trace, location)->rank;
}

static const char *name(const struct trace *trace, uint32_t path)
{
	return trace_region_name(trace, trace_callpath_region(trace, path));
}

TEST(numbers)
{
	ANALYSED a = analysed(views_sample());
	struct diagnosis d;

	assert_int_equal(diagnosis_make(&d, &a.query, true, NULL), DIAGNOSIS_THERE);
	assert_int_equal(d.n, 2);
	assert_int_equal(d.waits[0].metric, CUBE_MPI_BARRIER_WAIT);
	assert_true(d.waits[0].sum == 300 && d.waits[0].count == 1);
	assert_int_equal(rank(a.trace, d.waits[0].who.id), 1);
	assert_int_equal(d.waits[0].worst_begin, 500);
	assert_int_equal(d.waits[0].worst_length, 300);
	assert_int_equal(rank(a.trace, d.waits[0].worst_partner), 0);
	assert_int_equal(rank(a.trace, d.waits[0].culprit.id), 0);
	assert_string_equal(name(a.trace, d.waits[0].cause.id), "solve");
	assert_float_equal(d.waits[0].cause.value, 300.0 * 299 / 310, 1e-9);
	assert_float_equal(d.waits[0].costs, 300, 1e-9);
	assert_int_equal(d.waits[1].metric, CUBE_MPI_LATESENDER);
	assert_true(d.waits[1].sum == 50);
	assert_string_equal(name(a.trace, d.waits[1].at.id), "MPI_Recv");
	assert_string_equal(name(a.trace, d.waits[1].cause.id), "main");
	assert_float_equal(d.waits[1].cause.value, 50, 1e-9);
	assert_true(d.waiting.hosts == 350 && d.waiting.streams == 0);
	assert_float_equal(d.efficiency.load_balance, 710.0 / 890, 1e-12);
	assert_float_equal(d.efficiency.communication, 0.89, 1e-12);
	assert_float_equal(d.efficiency.parallel, 0.71, 1e-12);
	/* Kept: without anybody who analyses it is there. */
	analysed_forget(&a);
	memset(&d, 0, sizeof d);
	assert_int_equal(diagnosis_make(&d, &a.query, false, NULL), DIAGNOSIS_THERE);
	assert_true(d.waiting.hosts == 350 && d.waiting.streams == 0);
}

/* From 60 on the receive waits 40 us until the send. */
TEST(window)
{
	ANALYSED a = analysed(views_sample());
	struct diagnosis d;

	a.query.t0 = 60;
	a.query.t1 = 600;
	assert_int_equal(diagnosis_make(&d, &a.query, true, NULL), DIAGNOSIS_THERE);
	assert_true(d.waits[0].sum == 100);
	assert_true(d.waits[1].sum == 40);
	analysed_forget(&a);
	assert_int_equal(diagnosis_make(&d, &a.query, true, NULL), DIAGNOSIS_NONE);
}

static char *printed(const struct query *query, enum export_format format, int width)
{
	struct report report;
	char *text = NULL;
	size_t n = 0;
	FILE *stream = open_memstream(&text, &n);

	report_init(&report);
	assert_true(report_trace(&report, query, true, NULL));
	assert_true(report_write(&report, format, width, stream, NULL));
	report_fini(&report);
	fclose(stream);
	return text;
}

/* Rank 0 is in solve() for 500 us, rank 1 for 101, which makes it wait 300 us of all 350. */
TEST(sentences)
{
	ANALYSED a = analysed(views_sample());
	OWNED char *text = printed(&a.query, EXPORT_TEXT, 200);

	assert_non_null(
		strstr(text,
		       "Wait at Barrier: 300 us (15.0 %) in 1 wait, all in MPI_Barrier; rank 1 "
		       "waits most (300 us)."));
	assert_non_null(
		strstr(text, "Late Sender: 50 us (2.5 %) in 1 wait, all in MPI_Recv; rank 1 waits "
			     "most (50 us)."));
	assert_non_null(strstr(text, "Causes of waiting\n  Rank 0 takes 500 us per call of solve() "
				     "(solve.c:10), rank 1 101 us; it calls it once: 8"));

	assert_non_null(strstr(text,
			       "Parallel efficiency 71.0 % = load balance 79.8 % x communication "
			       "efficiency 89.0 %"));
}

/* In a window efficiencies are those of the window: what lies between MPI_Init and MPI_Finalize is
 * not there. */
TEST(efficiencies_of_a_window)
{
	ANALYSED a = analysed(views_sample());

	a.query.t0 = 100;
	a.query.t1 = 600;
	OWNED char *text = printed(&a.query, EXPORT_TEXT, 200);
	OWNED char *json = printed(&a.query, EXPORT_JSON, 0);
	FREED_BY(json_decref) json_t *root = json_loads(json, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(strstr(text, "Efficiency in this window (POP)\n  Parallel efficiency "));
	assert_null(strstr(text, "MPI_Init"));
	assert_true(json_is_null(
		json_object_get(json_object_get(root, "efficiency"), "core_parallel")));
}

static double number(const json_t *section, const char *key)
{
	const json_t *value = json_object_get(section, key);

	assert_true(json_is_number(value));
	return json_number_value(value);
}

TEST(json)
{
	ANALYSED a = analysed(views_sample());
	OWNED char *text = printed(&a.query, EXPORT_JSON, 0);
	FREED_BY(json_decref) json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	const json_t *rows, *row;

	assert_non_null(root);
	assert_float_equal(number(json_object_get(root, "run"), "length"), 1e-3, 1e-15);
	assert_float_equal(number(json_object_get(root, "time"), "user"), 0.71, 1e-12);
	assert_float_equal(number(json_object_get(root, "efficiency"), "parallel"), 0.71, 1e-12);
	assert_float_equal(number(json_object_get(root, "waits"), "waiting"), 350e-6, 1e-15);
	rows = json_object_get(json_object_get(root, "waits"), "rows");
	assert_int_equal(json_array_size(rows), 2);
	row = json_array_get(rows, 0);
	assert_string_equal(json_string_value(json_object_get(row, "metric")), "mpi_barrier_wait");
	assert_float_equal(number(row, "severity"), 300e-6, 1e-15);
	assert_true(number(row, "cause_rank") == 0 && number(row, "worst_rank") == 1);
	assert_true(json_is_null(json_object_get(row, "lower")));
	rows = json_object_get(json_object_get(root, "ranks"), "rows");
	assert_int_equal(json_array_size(rows), 2);
}

/* 40 steps of 2 ms, of 3 on rank 3 and of 4 on rank 2, which has no core for a part. */
static struct trace *without_core(int64_t rank_3, int64_t without)
{
	enum { STEPS = 40, MS = 1000000 };
	struct planned_run run;

	planned_run_init(&run, 4);
	planned_run_record_cores(&run);
	planned_run_meet(&run);
	for (int step = 0; step < STEPS; step++) {
		planned_run_work(&run, 0, "smooth", 2 * MS);
		planned_run_work(&run, 1, "smooth", 2 * MS);
		planned_run_work_without(&run, 2, "smooth", 4 * MS, without);
		planned_run_work(&run, 3, "smooth", rank_3);
		planned_run_meet(&run);
	}
	return planned_run_end(&run);
}

static void assert_imbalance(struct trace *trace, const char *kind, double above, double more,
			     double core, const char *sentence, const char *deviation)
{
	ANALYSED a = analysed(trace);
	OWNED char *text = printed(&a.query, EXPORT_TEXT, 400);
	OWNED char *json = printed(&a.query, EXPORT_JSON, 0);
	FREED_BY(json_decref) json_t *root = json_loads(json, JSON_REJECT_DUPLICATES, NULL);
	const json_t *rows = json_object_get(json_object_get(root, "imbalance"), "rows");
	const json_t *row = json_array_get(rows, 0);

	assert_int_equal(json_array_size(rows), 1);
	assert_string_equal(json_string_value(json_object_get(row, "kind")), kind);
	assert_float_equal(number(row, "rank"), 2, 0);
	assert_float_equal(number(row, "above"), above, 1e-9);
	assert_float_equal(number(row, "more"), more, 1e-9);
	assert_float_equal(number(row, "core"), core, 1e-9);
	if (!strstr(text, sentence) || (deviation && !strstr(text, deviation)))
		fail_msg("%s", text);
	if (!deviation)
		assert_null(strstr(text, "the average rank"));
}

/* In a step rank 2 works 3.5 ms and rank 3 works 3, of 2.625 on average; or 2.02 of 2.005, of which 0.015 ms
 * are less than 0.5 % of its time. */
TEST(imbalance_is_without_waits_for_a_core)
{
	assert_imbalance(without_core(3000000, 500000), "cause", 0.05, 0.035, 0.02,
			 "smooth(): 50.0 ms more than an even share, 35.0 ms of it on rank 2, "
			 "without 20.0 ms for which it waited for a core.",
			 "Rank 2 spends 33 % more time in smooth() than the average rank (140 ms, "
			 "average 105 ms, without 20.0 ms for which it waited for a core).");
	assert_imbalance(
		without_core(2000000, 1980000), "core", 600e-6, 600e-6, 0.0792,
		"None above noise. smooth(): 600 us more than an even share, all of it on "
		"rank 2, without 79.2 ms for which it waited for a core; beyond that ranks "
		"differ only by waits for a core.",
		NULL);
}

TEST(who_waited_for_a_core_is_said)
{
	OWNED_TRACE *trace = without_core(2000000, 1980000);
	ENDED_BY(phrases_fini) struct phrases p = { .trace = trace };
	const char *said = phrase_crowd(&p, CROWD_TIMES);

	assert_ptr_equal(strstr(said, "4 ranks waited 79.2 ms for a core ("), said);
}

/* Names that would write to the terminal, or end a table of Markdown. */
TEST(hostile)
{
	ANALYSED a = analysed(sample_hostile("a|b\033[31m\"<x>\n#\xff"));

	for (int format = 0; format < EXPORT_FORMATS; format++) {
		OWNED char *text = NULL;
		if (!report_can((enum export_format)format, NULL))
			continue;
		text = printed(&a.query, (enum export_format)format, 40);
		assert_null(strchr(text, '\033'));
		/* The same escapes in every Markdown. */
		if (format == EXPORT_MARKDOWN) {
			OWNED char *table = sample_export("profile", &a.query, EXPORT_MARKDOWN, 0);
			assert_non_null(strstr(text, "a\\|b?\\[31m\"\\<x\\>"));
			assert_non_null(strstr(table, "a\\|b?\\[31m\"\\<x\\> \\#"));
		}
		if (format == EXPORT_JSON) {
			FREED_BY(json_decref)
			json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
			assert_non_null(root);
		}
	}
}

/* Whatever the trace and the width: no line is wider, but where a single word is. */
TEST(widths)
{
	for (uint64_t seed = 1; seed <= 12; seed++) {
		ANALYSED a = analysed(sample_random(seed, 1 + (int)(seed % 5), 300));
		const int width = seed % 2 ? 80 : 100;
		OWNED char *text = printed(&a.query, EXPORT_TEXT, width);
		char *rest = text;
		for (const char *line; (line = strsep(&rest, "\n"));)
			assert_true(strlen(line) <= (size_t)width);
	}
}
