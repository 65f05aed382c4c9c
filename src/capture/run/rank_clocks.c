/* Calibration of the ranks' clocks, the trace's zero, and the offsets between ranks. */
#include <stdlib.h>
#include <string.h>

#include "capture/run/merge_job.h"

bool job_same_node(const struct rank *a, const struct rank *b)
{
	return a->file->head->clock == b->file->head->clock &&
	       !strncmp(a->file->head->node, b->file->head->node, sizeof a->file->head->node);
}

/* The widest pair of readings that the ranks of one node have between them: one node, one clock. */
static bool calibrate_node(const struct job *job, const struct rank *rank, struct calibration *c)
{
	struct reading first = { UINT64_MAX, UINT64_MAX }, last = { 0, 0 };
	const struct rank *other;

	vec_each (other, &job->ranks) {
		const struct tv_file *head = other->file->head;
		if (!job_same_node(rank, other))
			continue;
		if (head->first_tick < first.tick)
			first = (struct reading){ head->first_tick, head->first_nano };
		if (head->last_tick > last.tick)
			last = (struct reading){ head->last_tick, head->last_nano };
	}
	return calibrate(c, first, last);
}

/* tvrun read this machine's counter before the first record and after the last one: its own ranks
 * have no better readings, and share these. Ranks of another machine have their own readings. */
static void calibrate_rank(const struct job *job, struct rank *rank)
{
	const struct merge_options *options = job->options;
	const struct tv_file *head = rank->file->head;
	const bool ours =
		head->first_tick >= options->first.tick && rank->last <= options->last.tick;
	struct calibration here, node;
	const bool have_here = calibrate(&here, options->first, options->last);

	calibrate_nanoseconds(&rank->clock);
	if (head->clock != TV_CLOCK_TSC)
		return;
	if (have_here && ours)
		rank->clock = here;
	else if (calibrate_node(job, rank, &node))
		rank->clock = node;
	else if (have_here)
		rank->clock = here; /* it crashed at once: a guess */
}

void job_calibrate(struct job *job)
{
	struct rank *rank;

	job->zero = INT64_MAX;
	vec_each (rank, &job->ranks) {
		calibrate_rank(job, rank);
		/* Also of a run of which only the end was kept, times count from its start. */
		const int64_t first =
			ticks_to_nanoseconds(&rank->clock, rank->cut.is
								   ? rank->file->head->first_tick
								   : rank->first);
		job->zero = first < job->zero ? first : job->zero;
	}
}

static struct rank *rank_of(const struct job *job, int32_t number)
{
	struct rank *rank;

	vec_each (rank, &job->ranks) {
		if (rank->number == number)
			return rank;
	}
	return NULL;
}

/* Measurements of one rank, in the order they were made. */
static size_t measured(const struct job *job, const struct rank *reference, const struct rank *rank,
		       struct clock_offset *out, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < reference->offsets.n && n < max; i++) {
		const struct tv_def_offset *def = reference->offsets.data[i];
		if (def->rank != rank->number)
			continue;
		out[n] = clock_offset_make(job_time(job, reference, def->send),
					   job_time(job, rank, def->there),
					   job_time(job, reference, def->recv));
		out[n].rank = def->rank;
		out[n++].at_end = def->at_end != 0;
	}
	return n;
}

static bool shares_clock(const struct job *job, const struct rank *reference,
			 const struct rank *rank, const struct clock_offset *offsets, size_t n)
{
	if (job->options->domain == CLOCK_DOMAIN_RANK || !job_same_node(reference, rank))
		return false;
	if (job->options->domain == CLOCK_DOMAIN_NODE)
		return true;
	for (size_t i = 0; i < n; i++)
		if (!clock_offset_may_be_zero(&offsets[i]))
			return false;
	return n > 0;
}

bool job_shift(const struct job *job, const struct rank *rank, int64_t *shift)
{
	const struct rank *reference = rank_of(job, 0);
	struct clock_offset first;

	*shift = 0;
	if (!reference || job_same_node(reference, rank))
		return reference != NULL;
	if (!measured(job, reference, rank, &first, 1))
		return false;
	*shift = first.offset;
	return true;
}

static void emit(struct job *job, const struct rank *rank, const struct clock_offset *offset,
		 bool shared)
{
	OWNED_STR text = STR_INIT;

	builder_offset(job->builder, &(struct offset){ .location = rank->location,
						       .time = offset->time,
						       .offset = shared ? 0 : offset->offset,
						       .rtt = offset->rtt });
	if (!shared)
		return;
	str_add_fmt(&text, "rank %d at_end %d time %lld offset %lld rtt %lld", (int)offset->rank,
		    offset->at_end, (long long)offset->time, (long long)offset->offset,
		    (long long)offset->rtt);
	builder_property(job->builder, "offset-measured", text.text);
}

void job_offsets(struct job *job)
{
	enum { MEASUREMENTS = 2 };
	const struct rank *reference = rank_of(job, 0);
	struct clock_offset offsets[MEASUREMENTS];
	struct rank *rank;

	if (!reference || job->ranks.n < 2)
		return;
	vec_each (rank, &job->ranks) {
		const size_t n = measured(job, reference, rank, offsets, MEASUREMENTS);
		const bool shared = shares_clock(job, reference, rank, offsets, n);
		if (rank == reference) {
			builder_offset(job->builder,
				       &(struct offset){ .location = rank->location,
							 .time = job_time(job, rank, rank->first),
							 .rtt = 0 });
			continue;
		}
		for (size_t i = 0; i < n; i++)
			emit(job, rank, &offsets[i], shared);
	}
}
