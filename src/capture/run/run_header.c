/* The properties of a captured trace (doc/format.md): command, machine, clock, nodes, cost of
 * measurement, and whether it is whole. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/version.h"
#include "capture/run/merge_job.h"
#include "capture/run/run_list.h"

enum { KINDS = 4, ROW_COSTS = 7, PROBE_COSTS = 7 };

static void say(struct job *job, const char *key, const char *value)
{
	if (value && *value)
		builder_property(job->builder, key, value);
}

static void say_clock(struct job *job)
{
	const struct rank *rank;
	OWNED_STR text = STR_INIT;
	uint32_t tsc = 0;

	vec_each (rank, &job->ranks)
		tsc += rank->file->head->clock == TV_CLOCK_TSC;
	str_add(&text, tsc == job->ranks.n ? "tsc" : tsc ? "mixed" : "monotonic");
	say(job, "clock", text.text);
	if (tsc == job->ranks.n && tsc) {
		str_clear(&text);
		str_add_fmt(&text, "%llu",
			    (unsigned long long)calibration_frequency(&job->ranks.data[0].clock));
		say(job, "clock-hz", text.text);
	}
	say(job, "tick", "1e-9");
	str_clear(&text);
	str_add_fmt(&text, "%lld", (long long)job->zero);
	say(job, "zero-ns", text.text);
}

ORDERING_OF_NUMBERS(by_value, int64_t)

/* The most that one of several functions costs. */
static bool is_most(size_t offset)
{
	return offset == offsetof(struct tv_def_cost, work_most) ||
	       offset == offsetof(struct tv_def_cost, gap_most) ||
	       offset == offsetof(struct tv_def_cost, blank_most);
}

/* Of two measurements the smaller: a processor that is slower for a while, or shared, adds. What is
 * at most is the larger, so that both are within the range. */
static int64_t cost_of_rank(const struct rank *rank, size_t offset)
{
	int64_t first, last = 0;

	memcpy(&first, (const char *)rank->cost + offset, sizeof first);
	if (rank->last_cost)
		memcpy(&last, (const char *)rank->last_cost + offset, sizeof last);
	return last && (last > first) == is_most(offset) ? last : first;
}

/* Median of the ranks' measurements, in picoseconds: thousandths of a tick times nanoseconds a
 * tick. `offset` is that of a cost in struct tv_def_cost. */
static int64_t middle_cost(const struct job *job, size_t offset)
{
	OWNED_VEC(int64_t) values = VEC_INIT;
	const struct rank *rank;

	vec_each (rank, &job->ranks)
		if (rank->cost)
			vec_push(&values, (int64_t)((double)cost_of_rank(rank, offset) *
						    ticks_length(&rank->clock)));
	if (!values.n)
		return 0;
	vec_sort(&values, by_value);
	return values.data[(values.n - 1) / 2];
}

/* The values of `n` costs that follow each other. */
static void say_cost(struct job *job, const char *key, size_t offset, size_t n)
{
	OWNED_STR text = STR_INIT;

	for (size_t i = 0; i < n; i++)
		str_add_fmt(&text, i ? " %lld" : "%lld",
			    (long long)middle_cost(job, offset + i * sizeof(uint64_t)));
	say(job, key, text.text);
}

static void say_costs(struct job *job)
{
	OWNED_STR text = STR_INIT;
	const struct rank *rank;
	bool any = false;

	vec_each (rank, &job->ranks)
		any |= rank->cost != NULL;
	if (!any)
		return;
	if (middle_cost(job, offsetof(struct tv_def_cost, rows))) {
		say_cost(job, "cost-rows-ps", offsetof(struct tv_def_cost, rows), ROW_COSTS);
		say_cost(job, "cost-probes-ps", offsetof(struct tv_def_cost, inside), PROBE_COSTS);
	}
	if (!middle_cost(job, offsetof(struct tv_def_cost, pair[0][1])))
		return;
	say_cost(job, "cost-pairs-ps", offsetof(struct tv_def_cost, pair), KINDS * KINDS);
	say_cost(job, "cost-clock-ps", offsetof(struct tv_def_cost, clock), 1);
	say_cost(job, "cost-hooks-ps", offsetof(struct tv_def_cost, hook), 1);
	say_cost(job, "cost-work-ps", offsetof(struct tv_def_cost, work), 3);
	say_cost(job, "cost-gap-ps", offsetof(struct tv_def_cost, gap), 3);
	say_cost(job, "cost-blank-ps", offsetof(struct tv_def_cost, blank), 3);
	say_cost(job, "cost-message-ps", offsetof(struct tv_def_cost, message), 1);
	for (size_t i = 0; i < TV_COPIES; i++)
		str_add_fmt(&text, "%s%zu:%lld", i ? " " : "", (size_t)TV_COPY_FIRST << i,
			    (long long)middle_cost(job, offsetof(struct tv_def_cost, copy) +
								i * sizeof(uint64_t)));
	say(job, "cost-copy-ps", text.text);
}

/* Time that ranks had a processor, of the time between MPI_Init and MPI_Finalize. */
static void say_spent(struct job *job)
{
	OWNED_STR text = STR_INIT;
	double wall = 0, cpu = 0;
	const struct rank *rank;

	vec_each (rank, &job->ranks)
		if (rank->spent) {
			wall += (double)rank->spent[0] * ticks_length(&rank->clock);
			cpu += (double)rank->spent[1];
		}
	if (!(wall > 0))
		return;
	str_add_fmt(&text, "%.0f %.0f", cpu, wall);
	say(job, "cpu-ns", text.text);
}

static void say_number(struct job *job, const char *key, uint64_t value)
{
	OWNED_STR text = STR_INIT;

	str_add_fmt(&text, "%llu", (unsigned long long)value);
	say(job, key, text.text);
}

/* How functions were recorded: everywhere or not, after which sort of probe. */
static void say_functions(struct job *job)
{
	uint64_t functions = 0, guarded = 0, gaps = 0, gap_time = 0;
	const struct rank *rank;

	vec_each (rank, &job->ranks) {
		functions += rank->functions;
		guarded += rank->guarded;
		gaps += rank->gaps;
		gap_time += (uint64_t)(ticks_to_nanoseconds(&rank->clock,
							    rank->clock.tick + rank->gap_time) -
				       rank->clock.nano);
	}
	say(job, "insitu", job->options->insitu && functions ? "clock" : "off");
	if (gaps) {
		say_number(job, "gaps", gaps);
		say_number(job, "gaps-ns", gap_time);
	}
	if (functions)
		say(job, "cost-guard", guarded == functions ? "inline" : "call");
}

/* Whether the records cover all that happened. */
static void say_statistics(struct job *job)
{
	say(job, "statistics", job->summary->statistics ? "alone" : "beside events");
	if (!job->summary->statistics)
		say_number(job, "limit", job->options->limit);
}

/* Receives from any source in virtual time (capture/lib/hold.h). */
static void say_order(struct job *job)
{
	struct merge_order *sum = &job->summary->order;
	OWNED_STR text = STR_INIT;
	const struct rank *rank;

	vec_each (rank, &job->ranks) {
		const struct tv_order *order = &rank->file->head->order;
		sum->wildcards += order->wildcards;
		sum->held += order->held;
		sum->close += order->close;
		sum->departed += order->departed;
		sum->exchanges += order->exchanges;
		sum->again += order->again;
		sum->narrowed += order->narrowed;
		sum->fetches += order->fetches;
		sum->clocks += order->clocks;
		sum->unsure += order->unsure;
		sum->looks += order->looks;
		sum->collected += order->collected;
		sum->strangers += order->strangers;
		sum->held_ns +=
			(uint64_t)ticks_duration(&rank->clock, order->held_ticks, TICKS_NEAREST);
		for (size_t i = 0; i < TV_UNCONTROLLEDS; i++)
			sum->uncontrolled += order->uncontrolled[i];
	}
	if (!sum->wildcards)
		return;
	const uint64_t fields[] = { sum->wildcards, sum->held,      sum->held_ns, sum->close,
				    sum->exchanges, sum->fetches,   sum->clocks,  sum->unsure,
				    sum->looks,     sum->collected, sum->again,   sum->narrowed };
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		str_add_fmt(&text, i ? " %llu" : "%llu", (unsigned long long)fields[i]);
	say(job, "order", text.text);
}

static void say_compiler(struct job *job)
{
	const struct rank *first = &job->ranks.data[0];
	OWNED_STR text = STR_INIT;

	if (first->modules.n)
		symbols_compiler(first->modules.data[0].path, &text);
	say(job, "compiler", text.text);
}

/* Why a rank's records are not whole; NULL: they are. */
static const char *why_ended(const struct rank *rank)
{
	const uint32_t state = rank->file->head->state;

	return state & TV_FINALISED || rank->file->now != UINT64_MAX ? NULL
	       : state & TV_ABORTED                                  ? "MPI_Abort"
	       : state & TV_EXITED                                   ? "exit without MPI_Finalize"
								     : "ended without MPI_Finalize";
}

/* Calls of MPI go on after that. */
static void say_functions_stopped(struct job *job, const struct rank *rank, struct str *out)
{
	str_add_fmt(out, "%srank %d: functions not recorded since %.6f s: buffer nearly full",
		    out->n ? "; " : "", rank->number,
		    (double)job_time(job, rank, rank->file->head->functions_stopped) / 1e9);
	builder_finding(job->builder, FINDING_MISSING, "functions-stopped", 0,
			"the buffer of a rank was nearly full: functions were not recorded after "
			"that");
}

static void say_full(struct job *job, const struct rank *rank, struct str *out)
{
	str_add_fmt(out, "%srank %d: ", out->n ? "; " : "", rank->number);
	if (rank->full)
		str_add_fmt(out, "recording stopped at %.6f s: buffer full",
			    (double)job_time(job, rank, rank->full) / 1e9);
	else
		str_add(out, "statistics of some statements missing: buffer full");
	builder_finding(job->builder, FINDING_MISSING, "buffer-full", 0,
			rank->full ? "the buffer of a rank was full: recording stopped there"
				   : "the buffer of a rank was full: some statistics are missing");
}

/* A look at a rank of another node has what it has written; no more is known from here. */
static bool is_elsewhere(const struct job *job, const struct rank *rank)
{
	const struct tv_file *head = rank->file->head;

	return job->options->live && !(head->state & TV_FINALISED) && !rank_is_here(head) &&
	       rank_lives(head);
}

static void say_elsewhere(struct job *job, const struct rank *rank, struct str *out)
{
	str_add_fmt(out, "%srank %d: on another node, whether it goes on cannot be seen from here",
		    out->n ? "; " : "", rank->number);
	builder_finding(job->builder, FINDING_INFO, "other-node", 0,
			"a rank of another node: whether it goes on cannot be seen from here");
}

/* A look may be taken where the files of another node cannot be read. */
static void say_missing(struct job *job, int32_t missing, struct str *out)
{
	const bool live = job->options->live != NULL;

	str_add_fmt(out, "%sno data from %d rank%s", out->n ? "; " : "", (int)missing,
		    missing == 1 ? "" : "s");
	str_add(out, live ? ", which cannot be read from here or did not begin yet" : "");
	builder_finding(job->builder, FINDING_MISSING, "ranks-missing", 0,
			live ? "some ranks cannot be read from here or did not begin yet"
			     : "some ranks recorded nothing");
}

/* Ranks of which something is missing, and why. */
static void say_incomplete(struct job *job)
{
	OWNED_STR text = STR_INIT;
	const struct rank *rank;
	const int32_t missing = job->summary->world - job->summary->ranks;

	vec_each (rank, &job->ranks) {
		const char *why = why_ended(rank);
		if (rank->file->head->functions_stopped)
			say_functions_stopped(job, rank, &text);
		if (rank->file->head->state & TV_FULL)
			say_full(job, rank, &text);
		if (rank->file->head->state & TV_NO_MEMORY) {
			str_add_fmt(&text, "%srank %d: no memory for some records",
				    text.n ? "; " : "", rank->number);
			builder_finding(job->builder, FINDING_MISSING, "no-memory", 0,
					"a rank had no memory for some records");
		}
		if (why && is_elsewhere(job, rank)) {
			say_elsewhere(job, rank, &text);
			continue;
		}
		if (!why)
			continue;
		str_add_fmt(&text, "%srank %d: %s", text.n ? "; " : "", rank->number, why);
		builder_finding(job->builder, FINDING_MISSING, "not-finalised", 0,
				"a rank ended without MPI_Finalize");
	}
	if (missing > 0)
		say_missing(job, missing, &text);
	say(job, "incomplete", text.text);
}

/* Calls of tview.h that could not be used: the trace should say so, since tvrun's output may be
 * lost, too. */
static void say_grids(struct job *job)
{
	OWNED_STR text = STR_INIT;

	if (job->summary->wrong_grids)
		str_add_fmt(&text, "%u calls ignored: %s", job->summary->wrong_grids,
			    job->summary->first_wrong_grid);
	say(job, "topologies", text.text);
}

static void say_ranks(struct job *job)
{
	const struct rank *first = &job->ranks.data[0];
	const char *const *text;

	vec_each (text, &first->properties) {
		const char *equals = strchr(*text, '=');
		char key[64];
		if (!equals || equals == *text || (size_t)(equals - *text) >= sizeof key)
			continue;
		memcpy(key, *text, (size_t)(equals - *text));
		key[equals - *text] = '\0';
		say(job, key, equals + 1);
	}
}

void job_properties(struct job *job)
{
	const struct merge_options *options = job->options;

	say(job, "creator", "tvrun " TVIEW_VERSION);
	if (!options->anonymous) {
		say(job, "command", options->command);
		say(job, "directory", options->directory);
		say(job, "options", options->options);
	}
	say(job, "date", options->date);
	say(job, "live", options->live);
	say(job, "trigger", options->trigger);
	say(job, "recorded", job->summary->statistics ? "statistics" : NULL);
	say_ranks(job);
	if (!options->anonymous)
		say_compiler(job);
	say_clock(job);
	say_costs(job);
	say_spent(job);
	say_functions(job);
	say_statistics(job);
	say_order(job);
	say_incomplete(job);
	say_grids(job);
}
