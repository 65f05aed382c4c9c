#include "patterns/causes/ideal.h"

#include "base/mem.h"
#include "correct/clocks/replay.h"
#include "patterns/severity/region_metric.h"

enum { STEP_EVENTS = 1 << 18 };

/* A location in the ideal run. */
struct ideal_clock {
	int64_t ideal, real; /* ticks: now, and in the trace */
	bool started, in_mpi;
};

/* The latest begin of a group; in a prefix reduction the begins of ranks below `done` already
 * include those of the ranks before them. */
struct group_begin {
	int64_t latest;
	uint32_t done;
};

struct ideal {
	const struct trace *trace;
	const struct logical *logical;
	enum time_base base;
	int64_t begin;             /* of the run */
	struct ideal_clock *clock; /* [locations] */
	int64_t *sent;             /* [messages] */
	uint8_t *metric;           /* [call paths] */
};

static bool is_mpi(const struct ideal *i, uint32_t path)
{
	return cube_metric_within((enum cube_metric)i->metric[path], CUBE_MPI);
}

static void advance(struct ideal *i, struct ideal_clock *clock, const struct cursor *c)
{
	const int64_t t = cursor_time(c);
	const uint32_t what = cursor_what(c);

	if (!clock->started) {
		clock->started = true;
		clock->ideal = t - i->begin;
	} else if (!clock->in_mpi && t > clock->real) {
		clock->ideal += t - clock->real;
	}
	clock->real = t;
	if (what_kind(what) == EV_ENTER)
		clock->in_mpi = is_mpi(i, what_id(what));
	else if (what_kind(what) == EV_LEAVE)
		clock->in_mpi = is_mpi(i, trace_callpath(i->trace, what_id(what))->parent);
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t latest_of_neighbours(const struct replay_step *step)
{
	const int64_t *begins = step->parties;
	int64_t latest = 0;
	uint32_t n;
	const uint32_t *list = neighbours_of(step->group->neighbourhood, step->party, &n);

	for (uint32_t i = 0; i < n; i++)
		latest = later(latest, begins[list[i]]);
	return latest;
}

/* The time that the end of a party waits for. */
static int64_t needed(const struct replay_step *step)
{
	struct group_begin *begin = step->state;
	int64_t *begins = step->parties;

	if (step->group->cls == LOGICAL_NEIGHBOURS)
		return latest_of_neighbours(step);
	if (step->group->cls != LOGICAL_PREFIX)
		return begin->latest;
	for (; begin->done < step->party; begin->done++)
		if (begin->done > 0)
			begins[begin->done] = later(begins[begin->done], begins[begin->done - 1]);
	return step->party > 0 ? begins[step->party - 1] : 0;
}

static void take_part(struct ideal *i, const struct replay_step *step)
{
	struct ideal_clock *clock = &i->clock[step->location];

	switch (step->part) {
	case PART_SEND:
		for (uint32_t row = step->row; row != UINT32_MAX;
		     row = logical_next_of_send(i->logical, row))
			i->sent[row] = clock->ideal;
		break;
	case PART_RECV: clock->ideal = later(clock->ideal, i->sent[step->row]); break;
	case PART_BEGIN: {
		struct group_begin *begin = step->state;
		begin->latest = later(begin->latest, clock->ideal);
		((int64_t *)step->parties)[step->party] = clock->ideal;
		break;
	}
	case PART_END: clock->ideal = later(clock->ideal, needed(step)); break;
	case PART_LOCAL: break;
	}
}

static bool replay_all(struct ideal *i, const struct progress *progress)
{
	struct replay *replay =
		replay_new(i->logical, i->base, sizeof(struct group_begin), sizeof(int64_t));
	const uint64_t all = trace_event_count(i->trace);
	uint64_t done = 0, told = 0;
	struct replay_step step;
	bool wanted = true;

	while (wanted && replay_next(replay, &step)) {
		struct cursor c;
		cursor_at(&c, i->trace, i->base, step.block * BLOCK_EVENTS + step.from);
		for (uint32_t slot = step.from; slot < step.to; slot++) {
			advance(i, &i->clock[step.location], &c);
			if (slot + 1 < step.to)
				cursor_next(&c);
		}
		take_part(i, &step);
		done += step.to - step.from;
		if (done < told + STEP_EVENTS)
			continue;
		told = done;
		wanted = progress_wanted(progress, "the ideal network", done, all);
	}
	replay_free(replay);
	return wanted;
}

int64_t ideal_run_time(const struct trace *trace, enum time_base base,
		       const struct progress *progress, struct err *err)
{
	const uint32_t n = trace_location_count(trace);
	struct logical *logical = logical_new(trace, progress, err);
	struct ideal i = { .trace = trace, .logical = logical, .base = base };
	int64_t end, longest = 0;

	if (!logical)
		return -1;
	trace_span(trace, base, &i.begin, &end);
	i.clock = xcalloc((size_t)n + 1, sizeof *i.clock);
	i.sent = xcalloc((size_t)trace_message_count(trace) + 1, sizeof *i.sent);
	i.metric = region_metric_by_path(trace);
	const bool wanted = replay_all(&i, progress);
	for (uint32_t l = 0; l < n; l++)
		longest = later(longest, i.clock[l].ideal);
	logical_free(logical);
	free_all(i.clock, i.sent, i.metric);
	return wanted ? longest : -1;
}
