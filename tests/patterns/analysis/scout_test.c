/* Severities of real traces against those that another analyser, SCOUT 2.6, found in them, on the
 * base `linear`: every metric in total, by rank, and by call path and rank, to the digits that it
 * printed; and counts, sums and extremes of the instances. The references lie in
 * $TVIEW_TRACES/scout; without them the tests are skipped.
 *
 * A metric that is new here: a line in `metrics`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "harness/load_trace.h"
#include "harness/test.h"
#include "patterns/analysis/analysis.h"
#include "patterns/causes/causes.h"
#include "patterns/patterns.h"

enum { RANKS = 4, LINE = 16384, COLUMNS = 96, NODES = 512 };

/* What is compared: to half of the last digit printed. */
static const char *const metrics[] = {
	"time",
	"visits",
	"syncs_send",
	"syncs_recv",
	"syncs_coll",
	"comms_send",
	"comms_recv",
	"comms_cxch",
	"comms_csrc",
	"comms_cdst",
	"bytes_sent",
	"bytes_rcvd",
	"bytes_cout",
	"bytes_cin",
	"mpi_latesender",
	"mpi_latesender_wo",
	"mpi_lswo_different",
	"mpi_lswo_same",
	"mpi_latereceiver",
	"mpi_sls_count",
	"mpi_cls_count",
	"mpi_slr_count",
	"mpi_clr_count",
	"mpi_slswo_count",
	"mpi_clswo_count",
	"mpi_init_completion",
	"mpi_finalize_wait",
	"mpi_barrier_wait",
	"mpi_barrier_completion",
	"mpi_earlyreduce",
	"mpi_earlyscan",
	"mpi_latebroadcast",
	"mpi_wait_nxn",
	"mpi_nxn_completion",
	"critical_path",
	"critical_path_activities",
	"critical_imbalance_impact",
	"inter_partition_imbalance",
	"non_critical_path_activities",
	"delay_latesender",
	"delay_latesender_longterm",
	"delay_latereceiver",
	"delay_latereceiver_longterm",
	"delay_barrier",
	"delay_barrier_longterm",
	"delay_n2n",
	"delay_n2n_longterm",
	"delay_12n",
	"delay_12n_longterm",
	"delay_n21",
	"delay_n21_longterm",
	"mpi_wait_indirect_latesender",
	"mpi_wait_indirect_latereceiver",
	"mpi_wait_propagating_ls",
	"mpi_wait_propagating_lr",
};

/* Where SCOUT errs (patterns-corrections). Q1: long-term costs of collectives that it loses where
 * an interval has begun; ours and the short-term ones are together the waiting that they are
 * charged for, which causes_test asserts. Q4: profiles of more than 128 call paths that it cuts. */
static const struct {
	const char *trace, *metric;
} slips[] = {
	{ "sweep3d-4", "delay_n2n_longterm" },        /* Q1 */
	{ "comd-4", "delay_n2n_longterm" },           /* Q1 */
	{ "comd-4", "critical_path_activities" },     /* Q4 */
	{ "comd-4", "non_critical_path_activities" }, /* Q4 */
	{ "comd-4", "critical_imbalance_impact" },    /* Q4 */
	{ "comd-4", "inter_partition_imbalance" },    /* Q4 */
};
enum { METRICS = sizeof metrics / sizeof *metrics };

/* Those whose instances trace.stat has the statistics of. */
static const char *const with_statistics[] = {
	"mpi_latesender",    "mpi_latesender_wo",      "mpi_latereceiver",
	"mpi_barrier_wait",  "mpi_barrier_completion", "mpi_earlyreduce",
	"mpi_latebroadcast", "mpi_wait_nxn",           "mpi_nxn_completion",
};

struct fixture {
	char folder[512]; /* of the reference */
	struct trace *trace;
	struct analysis *analysis;
	struct cube *cube;
	double tick; /* seconds */
	uint32_t nodes;
	char node_name[NODES][128];
	uint32_t node_parent[NODES];
	uint32_t *node_of; /* [call paths] of canonical ones; NODES: none */
};

/* ---- reading the reference ---- */

static FILE *open_reference(const struct fixture *f, const char *name)
{
	char path[600];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", f->folder, name);
	file = fopen(path, "r");
	if (!file)
		fail_msg("%s cannot be read", path);
	return file;
}

/* "  |  |-MPI_Init  [ ( id=3,   mod=), ...": a name stands further to the right than its
 * parent's. */
static void read_node(struct fixture *f, const char *line, size_t column[NODES])
{
	const char *id = strstr(line, "[ ( id=");
	uint32_t parent = f->nodes;
	size_t length;

	if (!id)
		return;
	assert_int_equal(strtoul(id + 7, NULL, 10), f->nodes);
	assert_true(f->nodes < NODES);
	column[f->nodes] = strspn(line, " |-");
	length = (size_t)(id - line) - column[f->nodes];
	while (length && line[column[f->nodes] + length - 1] == ' ')
		length--;
	snprintf(f->node_name[f->nodes], sizeof f->node_name[0], "%.*s", (int)length,
		 line + column[f->nodes]);
	while (parent-- > 0 && column[parent] >= column[f->nodes])
		continue;
	f->node_parent[f->nodes++] = parent < NODES ? parent : NODES;
}

static void read_tree(struct fixture *f)
{
	FILE *file = open_reference(f, "calltree.txt");
	size_t column[NODES];
	char line[LINE];
	bool tree = false;

	while (fgets(line, sizeof line, file)) {
		if (tree)
			read_node(f, line, column);
		tree = tree || strstr(line, " CALL TREE ");
	}
	fclose(file);
	assert_true(f->nodes > 1);
}

static uint32_t node_below(const struct fixture *f, uint32_t parent, const char *name)
{
	for (uint32_t n = 0; n < f->nodes; n++)
		if (f->node_parent[n] == parent && strcmp(f->node_name[n], name) == 0)
			return n;
	return NODES;
}

/* Our call paths by their regions' names; the root is the program. */
static void match_paths(struct fixture *f)
{
	const uint32_t n = trace_callpath_count(f->trace);

	f->node_of = test_calloc(n + 1, sizeof *f->node_of);
	for (uint32_t p = 1; p < n; p++) {
		const uint32_t parent = trace_callpath(f->trace, p)->parent;
		f->node_of[p] =
			f->node_of[parent] == NODES
				? NODES
				: node_below(f, f->node_of[parent],
					     trace_region_name(f->trace,
							       trace_callpath_region(f->trace, p)));
	}
}

static void load(struct fixture *f, const char *name)
{
	const char *more = getenv("TVIEW_TRACES");
	const struct analysis_options how = { 0 };
	struct err err = ERR_INIT;
	char path[600];

	snprintf(f->folder, sizeof f->folder, "%s/scout/%s", more, name);
	snprintf(path, sizeof path, "%s/otf2/%s/traces.otf2", more, name);
	f->trace = load_trace(path);
	assert_true(trace_base_make(f->trace, BASE_LINEAR, NULL, &err));
	f->analysis = analysis_new(patterns, f->trace, BASE_LINEAR, &how, NULL, &err);
	assert_non_null(f->analysis);
	/* With its sign of a Late Receiver's completion time (Q5): the first causes decide. */
	causes_free(causes_new_as(f->analysis, CAUSES_LITERAL, NULL, &err));
	f->cube = analysis_cube(f->analysis, INT64_MIN, INT64_MAX, CUBE_ALL, NULL, &err);
	assert_non_null(f->cube);
	f->tick = 1 / (double)trace_scale(f->trace)->per_second;
	read_tree(f);
	match_paths(f);
}

static void unload(struct fixture *f)
{
	cube_free(f->cube);
	analysis_free(f->analysis);
	trace_free(f->trace);
	test_free(f->node_of);
}

/* ---- comparing ---- */

static double unit_of(const struct fixture *f, enum cube_metric metric)
{
	return cube_metric_info(metric)->unit == UNIT_TICKS ? f->tick : 1;
}

/* Half of the last digit that "0.00502724" has; a whole number is exact. */
static double half_digit(const char *printed)
{
	const size_t length = strcspn(printed, ", \n");
	const char *point = memchr(printed, '.', length), *exponent = memchr(printed, 'e', length);
	const char *end = exponent ? exponent : printed + length;
	double half = 0.5;

	if (!point && !exponent)
		return 0.01;
	if (point)
		half /= pow(10, (double)(end - point - 1));
	return exponent ? half * pow(10, strtod(exponent + 1, NULL)) : half;
}

struct values {
	double of[NODES][RANKS]; /* seconds, counts, bytes */
};

static void collect(const struct fixture *f, enum cube_metric metric, struct values *v)
{
	const uint32_t n = trace_callpath_count(f->trace);

	memset(v, 0, sizeof *v);
	for (uint32_t p = 0; p < n; p++) {
		const uint32_t node = f->node_of[p];
		if (trace_callpath(f->trace, p)->canon != p)
			continue;
		for (int32_t r = 0; r < RANKS; r++) {
			const uint32_t l = trace_location_of_rank(f->trace, r);
			const double value = cube_value(f->cube, metric, p, l);
			if (node == NODES) {
				assert_true(value == 0); /* a call path that SCOUT has not */
				continue;
			}
			v->of[node][r] += value * unit_of(f, metric);
		}
	}
}

struct comparison {
	const char *trace;
	unsigned compared, differ;
};

/* `slack`: by how much more it may be off. */
static void compare(struct comparison *c, const char *metric, uint32_t node, uint32_t rank,
		    const char *printed, double ours, double slack)
{
	const double theirs = strtod(printed, NULL);
	/* Sums of doubles that cancel leave something. */
	const double allowed = half_digit(printed) * 1.001 + slack + 1e-15;

	for (size_t i = 0; i < sizeof slips / sizeof *slips; i++)
		if (strcmp(slips[i].trace, c->trace) == 0 && strcmp(slips[i].metric, metric) == 0)
			return;
	c->compared++;
	if (fabs(ours - theirs) <= allowed)
		return;
	if (c->differ++ < 20)
		print_error("%s: %s, call path %u, rank %u: %.10g, but SCOUT %.*s\n", c->trace,
			    metric, node, rank, ours, (int)strcspn(printed, ", \n"), printed);
}

/* The columns of the metrics in a header; -1: it has none. */
static void find_columns(char *header, int column[METRICS])
{
	int at = 0;

	for (size_t m = 0; m < METRICS; m++)
		column[m] = -1;
	for (char *name = strtok(header, ", \n"); name; name = strtok(NULL, ", \n")) {
		for (size_t m = 0; m < METRICS; m++)
			if (strcmp(name, metrics[m]) == 0)
				column[m] = at;
		/* "Cnode ID" and "Thread ID" are two words. */
		at += strcmp(name, "Cnode") != 0 && strcmp(name, "Thread") != 0;
	}
}

static void compare_cells(struct fixture *f, struct comparison *c)
{
	FILE *file = open_reference(f, "per-callpath-per-rank-exclusive.csv");
	struct values *values = test_malloc(METRICS * sizeof *values);
	int column[METRICS];
	char line[LINE];

	for (size_t m = 0; m < METRICS; m++)
		collect(f, cube_metric_find(metrics[m], strlen(metrics[m])), &values[m]);
	assert_non_null(fgets(line, sizeof line, file));
	find_columns(line, column);
	while (fgets(line, sizeof line, file)) {
		const char *fields[COLUMNS] = { NULL };
		unsigned n = 0;
		uint32_t node, rank;
		for (char *at = line; at && n < COLUMNS; at = strchr(at, ','))
			fields[n++] = at += *at == ',';
		node = (uint32_t)strtoul(fields[0], NULL, 10);
		rank = (uint32_t)strtoul(fields[1], NULL, 10);
		assert_true(node < f->nodes && rank < RANKS);
		for (size_t m = 0; m < METRICS; m++)
			if (column[m] >= 0)
				compare(c, metrics[m], node, rank, fields[column[m]],
					values[m].of[node][rank], 0);
	}
	fclose(file);
	test_free(values);
}

/* "mpi_latesender   0.01500877   0.00484102 ...": the total, which is the sum of cells of six
 * digits, and by rank. What is zero is left out there. */
static void compare_line(struct fixture *f, struct comparison *c, size_t m)
{
	const enum cube_metric metric = cube_metric_find(metrics[m], strlen(metrics[m]));
	const uint32_t locations = trace_location_count(f->trace);
	bool *chosen = test_calloc(locations + 1, sizeof *chosen);
	const double unit = unit_of(f, metric), total = cube_total(f->cube, metric, NULL) * unit;

	compare(c, metrics[m], 0, RANKS, strtok(NULL, " \n"), total, 5e-6 * total);
	for (int32_t r = 0; r < RANKS; r++) {
		const uint32_t l = trace_location_of_rank(f->trace, r);
		double value;
		chosen[l] = true;
		value = cube_total(f->cube, metric, chosen) * unit;
		compare(c, metrics[m], 0, (uint32_t)r, strtok(NULL, " \n"), value, 0);
		chosen[l] = false;
	}
	test_free(chosen);
}

static void compare_summary(struct fixture *f, struct comparison *c)
{
	FILE *file = open_reference(f, "summary.txt");
	bool seen[METRICS] = { false };
	char line[LINE];

	while (fgets(line, sizeof line, file)) {
		const char *name = strtok(line, " \n");
		for (size_t m = 0; name && m < METRICS; m++) {
			if (strcmp(name, metrics[m]) != 0)
				continue;
			seen[m] = true;
			compare_line(f, c, m);
			break;
		}
	}
	for (size_t m = 0; m < METRICS; m++)
		if (!seen[m])
			compare(c, metrics[m], 0, RANKS, "0",
				cube_total(f->cube,
					   cube_metric_find(metrics[m], strlen(metrics[m])), NULL),
				0);
	fclose(file);
}

/* "mpi_wait_nxn  count mean median minimum maximum sum variance quartiles": SCOUT's medians and
 * quartiles are estimates, and are left alone; figures have ten decimals (mean: seven). */
static void compare_statistics(struct fixture *f, struct comparison *c)
{
	FILE *file = open_reference(f, "trace.stat");
	char line[LINE];

	while (fgets(line, sizeof line, file)) {
		const char *name = strtok(line, " \n");
		struct wait_statistics s;
		enum cube_metric metric;
		const char *figure[7];
		for (size_t i = 0; name && i < sizeof with_statistics / sizeof *with_statistics;
		     i++) {
			if (strcmp(name, with_statistics[i]) != 0)
				continue;
			for (int k = 0; k < 7; k++)
				figure[k] = strtok(NULL, " \n");
			metric = cube_metric_find(name, strlen(name));
			analysis_statistics(f->analysis, &metric, 1, NULL, INT64_MIN, INT64_MAX,
					    &s);
			compare(c, name, 0, 0, figure[0], (double)s.count, 0);
			compare(c, name, 0, 1, figure[1], s.mean * f->tick, f->tick);
			compare(c, name, 0, 3, figure[3], (double)s.min * f->tick, f->tick);
			compare(c, name, 0, 4, figure[4], (double)s.max * f->tick, f->tick);
			compare(c, name, 0, 5, figure[5], s.sum * f->tick,
				f->tick * (double)s.count);
			if (s.count > 1 && figure[6])
				compare(c, name, 0, 6, figure[6], s.variance * f->tick * f->tick,
					f->tick * (double)s.max * f->tick);
		}
	}
	fclose(file);
}

static void compare_trace(const char *name)
{
	struct fixture *f;
	struct comparison c = { .trace = name };

	if (!getenv("TVIEW_TRACES"))
		skip();
	f = test_calloc(1, sizeof *f);
	load(f, name);
	compare_cells(f, &c);
	compare_summary(f, &c);
	compare_statistics(f, &c);
	print_message("# %s: %u values compared, %u differ\n", name, c.compared, c.differ);
	assert_true(c.compared > 1000);
	assert_int_equal(c.differ, 0);
	unload(f);
	test_free(f);
}

TEST(test_sweep3d)
{
	compare_trace("sweep3d-4");
}

TEST(test_mg)
{
	compare_trace("mg.S-4");
}

TEST(test_comd)
{
	compare_trace("comd-4");
}

TEST(test_ft)
{
	compare_trace("ft.S-4");
}
