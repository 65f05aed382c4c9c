#include "capture/statements_aid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/sample.h"
#include "harness/test.h"

bool counted_possible(const char *program)
{
	char command[96];

	snprintf(command, sizeof command, "command -v %s >/dev/null", program);
	if (system(command) == 0)
		return true;
	print_message("there is no %s here\n", program);
	return false;
}

void counted_build(const char *folder, const char *command)
{
	OWNED_STR line = STR_INIT;

	str_add_fmt(&line,
		    "S=$PWD/tests/capture/statements P=$PWD/tests/capture/programs B=$PWD/%s; "
		    "TVIEW_CC=mpicc.mpich TVIEW_CXX=mpicxx.mpich TVIEW_FC=mpifort.mpich; "
		    "export TVIEW_CC TVIEW_CXX TVIEW_FC; cd %s && %s",
		    TEST_BUILD, folder, command);
	assert_int_equal(system(line.text), 0);
}

/* ---- the account ---- */

static void read_counts(struct counted_run *run, const char *folder, int rank)
{
	char path[128], line[256];
	FILE *in;

	snprintf(path, sizeof path, "%s/counts.%d", folder, rank);
	in = fopen(path, "r");
	assert_non_null(in);
	while (fgets(line, sizeof line, in)) {
		struct counted *c = vec_add(&run->counted);
		c->rank = rank;
		if (!strncmp(line, "with", 4))
			assert_int_equal(sscanf(line, "%11s %31s %31s %ld %ld %ld %ld %ld", c->what,
						c->file, c->name, &c->line, &c->partner, &c->a,
						&c->b, &c->c),
					 8);
		else
			assert_true(sscanf(line, "%11s %31s %31s %ld %ld %ld %ld", c->what, c->file,
					   c->name, &c->line, &c->a, &c->b, &c->c) >= 6);
	}
	fclose(in);
	unlink(path);
}

void counted_run_alone(struct counted_run *run, const char *folder, int ranks, const char *options,
		       const char *program, const char *arguments)
{
	char command[256];

	*run = (struct counted_run){ 0 };
	snprintf(command, sizeof command, "env COUNTS=%s/counts mpiexec.mpich -n %d %s/%s %s",
		 folder, ranks, folder, program, arguments);
	run->traced = traced_command(ranks, options, command);
	if (run->traced->status != 0)
		fail_msg("%s", run->traced->said.text);
	assert_non_null(run->traced->trace);
}

void counted_run_begin(struct counted_run *run, const char *folder, int ranks, const char *options,
		       const char *program, const char *arguments)
{
	counted_run_alone(run, folder, ranks, options, program, arguments);
	for (int rank = 0; rank < ranks; rank++)
		read_counts(run, folder, rank);
}

void counted_run_end(struct counted_run *run)
{
	vec_fini(&run->counted);
	traced_free(run->traced);
}

/* ---- comparison ---- */

static bool is_file(const struct trace *trace, uint32_t file, const char *name)
{
	const char *path = trace_string(trace, file), *slash = strrchr(path, '/');

	return !strcmp(slash ? slash + 1 : path, name);
}

/* "Object::Object" is Object. */
static bool is_called(const char *full, const char *name)
{
	const char *colons = strstr(full, "::");

	return !strcmp(colons ? colons + 2 : full, name);
}

/* Whether a record is of what was counted. */
static bool is_of(const struct trace *t, const struct statement_record *r, const struct counted *c)
{
	const struct statement *s = trace_statement(t, r->statement);
	const struct statement *from = r->from == NO_STATEMENT ? NULL : trace_statement(t, r->from);

	if (trace_location(t, r->location)->rank != c->rank)
		return false;
	if (!strcmp(c->what, "procedure")) {
		if (s->kind != STATEMENT_PROCEDURE || !is_called(trace_string(t, s->name), c->name))
			return false;
		/* Which of the calls from a library had a call statement under way is its own
		 * affair; a constructor has none. */
		if (!strcmp(c->name, "compare") || !strcmp(c->name, "Object"))
			return true;
		if (c->line == 499)
			return from && is_file(t, from->file, "other.c");
		return c->line ? from && is_file(t, from->file, c->file) &&
					 from->line == (uint32_t)c->line
			       : !from;
	}
	if (s->line != (uint32_t)c->line || !is_file(t, s->file, c->file))
		return false;
	if (!strcmp(c->what, "loop"))
		return s->kind == STATEMENT_LOOP;
	return !strcmp(c->what, "with") && s->kind == STATEMENT_COMMUNICATION &&
	       (c->partner < 0 ? r->partner == PARTNER_MANY || r->partner == RANK_UNKNOWN
			       : r->partner == c->partner);
}

struct sums {
	uint64_t count, inner, iterations, sent, received;
	int64_t time;
	uint32_t flags;
};

static struct sums sum_up(const struct trace *t, const struct counted *c)
{
	struct sums sums = { 0 };

	for (size_t i = 0; i < trace_statement_record_count(t); i++) {
		const struct statement_record *r = trace_statement_record(t, i);
		if (!is_of(t, r, c))
			continue;
		sums.count += r->count;
		sums.inner += r->inner;
		sums.iterations += r->iterations;
		sums.sent += r->sent;
		sums.received += r->received;
		sums.time += r->time;
		sums.flags |= r->flags;
	}
	return sums;
}

static void same(const struct counted *c, const char *field, long counted, uint64_t recorded)
{
	if ((uint64_t)counted != recorded)
		fail_msg("rank %d: %s %s:%ld %s with %ld: the program counted %ld %s, its records "
			 "%llu",
			 c->rank, c->what, c->file, c->line, c->name, c->partner, counted, field,
			 (unsigned long long)recorded);
}

void counted_compare_numbers(const struct trace *t, const struct counted *c)
{
	const struct sums sums = sum_up(t, c);

	same(c, "times", c->a, sums.count);
	if (!strcmp(c->what, "procedure")) {
		same(c, "times while open", c->b, sums.inner);
	} else if (!strcmp(c->what, "loop")) {
		same(c, "times while open", c->b, sums.inner);
		/* What longjmp() or exit() left took the number of its iterations along. */
		if (!(sums.flags & RECORD_LOST) || (uint64_t)c->c < sums.iterations)
			same(c, "iterations", c->c, sums.iterations);
	} else {
		same(c, "bytes sent", c->b, sums.sent);
		same(c, "bytes received", c->c, sums.received);
	}
}

bool statement_is_overhead(const struct trace *t, const struct statement *s)
{
	return s->region < trace_region_count(t) &&
	       trace_region(t, s->region)->cls == CLASS_OVERHEAD;
}

/* Nothing else of the program is recorded than what was counted. */
static void compare_all(const struct counted_run *run)
{
	const struct trace *t = run->traced->trace;

	for (size_t i = 0; i < trace_statement_record_count(t); i++) {
		const struct statement_record *r = trace_statement_record(t, i);
		const struct statement *s = trace_statement(t, r->statement);
		const struct counted *c;
		bool known = statement_is_overhead(t, s);
		vec_each (c, &run->counted)
			known |= is_of(t, r, c);
		if (!known)
			fail_msg(
				"%s:%u %s is recorded %llu times from line %u with %d, and was not counted",
				trace_string(t, s->file), s->line, trace_string(t, s->name),
				(unsigned long long)r->count,
				r->from == NO_STATEMENT ? 0 : trace_statement(t, r->from)->line,
				r->partner);
	}
}

/* What the program saw of leaf() from inside, and around the call: two clocks agree to a thousandth
 * and the resolution. In a gap another function next to it may get what an interrupt took. */
static void compare_times(const struct counted_run *run, const struct counted *c)
{
	struct counted as = *c;
	struct sums sums;

	if (trace_property_value(run->traced->trace, "gaps"))
		return;
	strcpy(as.what, "procedure");
	sums = sum_up(run->traced->trace, &as);
	assert_true(sums.time >= c->a - c->a / 1000 - 1000);
	if (c->b)
		assert_true(sums.time <= c->b + c->b / 1000 + 1000);
}

void counted_check_record(const struct statement_record *r)
{
	assert_true(r->exclusive >= 0 && r->exclusive <= r->time);
	assert_true(r->trans >= 0 && r->sync >= 0 && r->trans + r->sync <= r->time);
	assert_true(r->own + r->carried <= r->count);
	assert_true(r->inner <= r->count);
	if (r->count > r->inner)
		assert_true(r->min <= r->max && r->max <= r->time + 1);
}

void counted_compare(const struct counted_run *run)
{
	const struct trace *t = run->traced->trace;
	const struct counted *c;

	assert_true(run->counted.n > 5);
	vec_each (c, &run->counted)
		if (strcmp(c->what, "time") != 0)
			counted_compare_numbers(t, c);
		else
			compare_times(run, c);
	compare_all(run);
	for (size_t i = 0; i < trace_statement_record_count(t); i++)
		counted_check_record(trace_statement_record(t, i));
}

/* ---- the graph, as a person gets it ---- */

static struct csv graph_of(const struct counted_run *run, const char *options)
{
	OWNED_STR text = STR_INIT;

	assert_int_equal(command_read(&text, "%s/tview export graph %s/run.trc --format csv %s",
				      TEST_BUILD, run->traced->folder, options),
			 0);
	return csv_parse(text.text);
}

/* The field of a row by its column's name. */
static const char *field(const struct csv *csv, size_t row, const char *name)
{
	for (size_t c = 0; c < csv->n_columns; c++)
		if (!strcmp(csv->rows[0][c], name))
			return csv->rows[row][c];
	fail_msg("no column %s", name);
	return NULL;
}

static bool is_field(const struct csv *csv, size_t row, const char *name, const char *value)
{
	return !strcmp(field(csv, row, name), value);
}

static long number(const struct csv *csv, size_t row, const char *name)
{
	return atol(field(csv, row, name));
}

static bool of_file(const struct csv *csv, size_t row, const char *file)
{
	const char *slash = strrchr(field(csv, row, "file"), '/');

	return slash && !strcmp(slash + 1, file);
}

/* Sums of the rows that are of what was counted. */
struct shown {
	long count, iterations;
};

static struct shown sum_rows(const struct csv *csv, const struct counted *c, const char *kind,
			     const char *name)
{
	struct shown shown = { 0 };

	for (size_t row = 1; row < csv->n_rows; row++) {
		if (!is_field(csv, row, "kind", kind) ||
		    (name && !is_field(csv, row, "name", name)) ||
		    number(csv, row, "line") != c->line || !of_file(csv, row, c->file) ||
		    number(csv, row, "rank") != c->rank)
			continue;
		shown.count += number(csv, row, "count");
		shown.iterations += number(csv, row, "iterations");
	}
	return shown;
}

static bool is_lost(const struct counted_run *run, const struct counted *c)
{
	return sum_up(run->traced->trace, c).flags & RECORD_LOST;
}

void counted_compare_graph(const struct counted_run *run)
{
	struct csv csv = graph_of(run, "--by rank");
	const struct counted *c;
	struct shown shown;
	char name[40];

	vec_each (c, &run->counted) {
		if (!strcmp(c->what, "loop")) {
			shown = sum_rows(&csv, c, "loop", NULL);
			same(c, "executions in the graph", c->a, (uint64_t)shown.count);
			if (!is_lost(run, c))
				same(c, "iterations in the graph", c->c,
				     (uint64_t)shown.iterations);
		} else if (!strcmp(c->what, "procedure") && c->line && c->line != 499 &&
			   strcmp(c->name, "Object") != 0) {
			snprintf(name, sizeof name, "%s()", c->name);
			shown = sum_rows(&csv, c, "call", name);
			same(c, "calls in the graph", c->a, (uint64_t)shown.count);
		}
	}
	csv_free(&csv);
}

void counted_compare_destinations(const struct counted_run *run)
{
	struct csv csv = graph_of(run, "--by destination");
	const struct counted *c, *other;

	vec_each (c, &run->counted) {
		long count = 0, sent = 0, shown = 0, shown_sent = 0;
		char destination[24];
		if (strcmp(c->what, "with") != 0 || c->partner < 0)
			continue;
		snprintf(destination, sizeof destination, "%ld", c->partner);
		vec_each (other, &run->counted) {
			const bool is = !strcmp(other->what, "with") && other->line == c->line &&
					other->partner == c->partner;
			count += is ? other->a : 0;
			sent += is ? other->b : 0;
		}
		for (size_t row = 1; row < csv.n_rows; row++) {
			if (!is_field(&csv, row, "destination", destination) ||
			    number(&csv, row, "line") != c->line)
				continue;
			shown += number(&csv, row, "count");
			shown_sent += number(&csv, row, "sent_bytes");
		}
		same(c, "times in the graph", count, (uint64_t)shown);
		same(c, "bytes sent in the graph", sent, (uint64_t)shown_sent);
	}
	csv_free(&csv);
}
