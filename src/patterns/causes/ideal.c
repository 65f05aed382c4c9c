#include "patterns/causes/ideal.h"

#include "base/exchange.h"
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
	int64_t begin;                   /* of the run */
	struct ideal_clock *clock;       /* [locations] */
	int64_t *sent;                   /* [messages] */
	bool *after_enter, *after_leave; /* [call paths] */
};

/* Whether a location is in MPI after an enter or a leave of a call path. */
static void find_mpi(struct ideal *i)
{
	const uint32_t n = trace_callpath_count(i->trace);
	OWNED uint8_t *metrics = region_metric_by_path(i->trace);

	i->after_enter = xcalloc((size_t)n + 1, sizeof *i->after_enter);
	i->after_leave = xcalloc((size_t)n + 1, sizeof *i->after_leave);
	for (uint32_t p = 0; p < n; p++)
		i->after_enter[p] = cube_metric_within((enum cube_metric)metrics[p], CUBE_MPI);
	for (uint32_t p = 1; p < n; p++)
		i->after_leave[p] = i->after_enter[trace_callpath(i->trace, p)->parent];
}

static void go_on_to(struct ideal_clock *clock, int64_t t)
{
	if (!clock->in_mpi && t > clock->real)
		clock->ideal += t - clock->real;
	clock->real = t;
}

/* The events of a step. Times are looked at only where MPI begins or ends, and at the last. */
static void advance(const struct ideal *i, struct ideal_clock *clock,
		    const struct replay_step *step)
{
	const struct block *block;
	struct cursor c;

	cursor_at(&c, i->trace, i->base, step->block * BLOCK_EVENTS + step->from);
	block = c.block;
	if (!clock->started) {
		clock->started = true;
		clock->real = cursor_time(&c);
		clock->ideal = clock->real - i->begin;
	}
	for (uint32_t slot = step->from; slot < step->to; slot++) {
		const uint32_t what = block->what[slot];
		const enum event_kind kind = what_kind(what);
		if (kind != EV_ENTER && kind != EV_LEAVE)
			continue;
		const bool in_mpi =
			(kind == EV_ENTER ? i->after_enter : i->after_leave)[what_id(what)];
		if (in_mpi == clock->in_mpi)
			continue;
		c.slot = slot;
		go_on_to(clock, cursor_time(&c));
		clock->in_mpi = in_mpi;
	}
	c.slot = step->to - 1;
	go_on_to(clock, cursor_time(&c));
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

static void begin(const struct replay_step *step, int64_t t)
{
	struct group_begin *begin = step->state;

	begin->latest = later(begin->latest, t);
	((int64_t *)step->parties)[step->party] = t;
}

/* Of a group with this process as its home. */
static void take_home(const struct replay_step *step)
{
	int64_t *value = step->value;

	if (step->part == PART_BEGIN)
		begin(step, *value);
	else if (step->part == PART_END)
		*value = needed(step);
}

static void take_part(struct ideal *i, const struct replay_step *step)
{
	struct ideal_clock *clock = &i->clock[step->location];
	int64_t *value = step->value;

	switch (step->part) {
	case PART_SEND:
		if (value)
			*value = clock->ideal;
		for (uint32_t row = step->row; row != UINT32_MAX;
		     row = logical_next_of_send(i->logical, row))
			i->sent[row] = clock->ideal;
		break;
	case PART_RECV:
		clock->ideal = later(clock->ideal, value ? *value : i->sent[step->row]);
		break;
	case PART_BEGIN:
		if (value)
			*value = clock->ideal;
		else
			begin(step, clock->ideal);
		break;
	case PART_END: clock->ideal = later(clock->ideal, value ? *value : needed(step)); break;
	case PART_LOCAL: break;
	}
}

static bool replay_all(struct ideal *i, const struct progress *progress)
{
	static const struct replay_sizes sizes = { .state = sizeof(struct group_begin),
						   .party = sizeof(int64_t),
						   .send = sizeof(int64_t),
						   .begin = sizeof(int64_t),
						   .end = sizeof(int64_t) };
	struct replay *replay = replay_new(i->logical, i->base, &sizes);
	const uint64_t all = trace_event_count(i->trace);
	uint64_t done = 0, told = 0;
	struct replay_step step;
	bool wanted = true;

	while (wanted && replay_next(replay, &step)) {
		if (step.home) {
			take_home(&step);
			continue;
		}
		advance(i, &i->clock[step.location], &step);
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

/* The ghosts of parties are added, if no correction did so: those who read the trace do not see
 * them. */
static bool share(struct logical *logical, const struct trace *trace, struct err *err)
{
	return logical_share(logical, (struct trace *)(uintptr_t)trace, err);
}

int64_t ideal_run_time(const struct trace *trace, enum time_base base,
		       const struct progress *progress, struct err *err)
{
	const uint32_t n = trace_location_count(trace);
	struct logical *logical = logical_new(trace, progress, err);
	struct ideal i = { .trace = trace, .logical = logical, .base = base };
	int64_t end, longest = 0;

	if (logical && trace_exchange(trace) && !share(logical, trace, err)) {
		logical_free(logical);
		return -1;
	}
	if (!logical)
		return -1;
	trace_span(trace, base, &i.begin, &end);
	i.clock = xcalloc((size_t)n + 1, sizeof *i.clock);
	i.sent = xcalloc((size_t)trace_message_count(trace) + 1, sizeof *i.sent);
	find_mpi(&i);
	const bool wanted = replay_all(&i, progress);
	for (uint32_t l = 0; l < n; l++)
		longest = later(longest, i.clock[l].ideal);
	longest = exchange_latest(trace_exchange(trace), longest);
	logical_free(logical);
	free_all(i.clock, i.sent, i.after_enter, i.after_leave);
	return wanted ? longest : -1;
}
