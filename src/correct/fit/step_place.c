/* Between which two events of its own a clock was set. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
#include "correct/fit/step_state.h"
#include "model/trace/store.h"

#define BELOW_ZERO (-1e3) /* ns: slack that is below it costs */
#define COST_BELOW 20
#define NEAR       0.1 /* of the step: costs that are as good */
#define POSSIBLE   1.5

/* An event of the clock. */
struct place_event {
	int64_t measured;
	double time; /* ns, without the steps found so far */
};
ORDERING(by_measured, struct place_event, measured)
typedef VEC(struct place_event) event_vec;

/* A message of the clock with another group. */
struct place_message {
	double time;          /* ns, on the clock */
	double before, after; /* its cost where the step is after it, and before */
};
ORDERING(by_message_time, struct place_message, time, before, after)
typedef VEC(struct place_message) message_vec;

static double cost_of(double slack)
{
	return slack >= BELOW_ZERO ? fmax(slack, 0) : -COST_BELOW * slack;
}

/* Measured time of the last event not after a time, and of the first one not before it. */
static void add_events(const struct step_search *s, uint32_t location, const struct set_clock *set,
		       event_vec *out)
{
	const uint32_t clock = set->clock;
	struct place_event last = { 0, -INFINITY };
	struct cursor c;

	for (bool ok = cursor_first(&c, s->clocks.trace, BASE_MEASURED, location); ok;
	     ok = cursor_next(&c)) {
		const int64_t measured = cursor_time(&c);
		const struct place_event e = { measured, step_time(s, clock, measured) };
		if (e.time <= set->from) {
			last = e;
			continue;
		}
		if (!isinf(last.time))
			vec_push(out, last);
		last.time = -INFINITY;
		vec_push(out, e);
		if (e.time >= set->to)
			break;
	}
}

static void find_events(const struct step_search *s, const struct set_clock *set, event_vec *out)
{
	const struct trace *trace = s->clocks.trace;
	size_t first = 0, last;

	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		if (s->clocks.of[l] == set->clock)
			add_events(s, l, set, out);
	exchange_rows(s->x, out);
	vec_sort(out, by_measured);
	if (out->n == 0)
		return;
	last = out->n - 1;
	while (first + 1 < last && out->data[first + 1].time <= set->from)
		first++;
	while (last > first + 1 && out->data[last - 1].time >= set->to)
		last--;
	for (size_t i = first; i <= last; i++)
		out->data[i - first] = out->data[i];
	out->n = last - first + 1;
}

static void add_messages(const struct step_pair *pair, const struct set_clock *set, double size,
			 message_vec *out)
{
	const bool first = pair->i == set->clock;
	const struct step_point *p;
	double middle;

	vec_each (p, &pair->points) {
		/* The clock's own times are nearly sorted: those of its partner are. */
		const double t = first ? p->time : p->time + p->value;
		if (t >= set->from)
			break;
	}
	if (p == pair->points.data + pair->points.n ||
	    !step_middle(&pair->points, p->time, &middle))
		return;
	p -= p - pair->points.data < 8 ? p - pair->points.data : 8;
	for (; p < pair->points.data + pair->points.n; p++) {
		const double t = first ? p->time : p->time + p->value;
		const double slack = p->upper ? p->value - middle : middle - p->value;
		const bool receives = p->upper != first;
		if (t > set->to + fabs(size))
			break;
		vec_push(out,
			 ((struct place_message){ t, cost_of(slack),
						  cost_of(slack + (receives ? -size : size)) }));
	}
}

static void find_messages(const struct step_search *s, const struct set_clock *set, double size,
			  const uint32_t *groups, message_vec *out)
{
	const struct step_pair *pair;

	vec_each (pair, &s->pairs)
		if ((pair->i == set->clock || pair->j == set->clock) &&
		    groups[pair->i] != groups[pair->j])
			add_messages(pair, set, size, out);
	exchange_rows(s->x, out);
	vec_sort(out, by_message_time);
}

/* ---- gaps ---- */

struct place_gap {
	double cost, overlap;
	bool candidate;
};

enum { HELD = 3 }; /* gaps without length in a row, at least */

/* A writer holds back times that would decrease: many equal ones in a row are such a place. The
 * gap before the second of the most; *next: as many as in the second longest row. */
static size_t first_held(const event_vec *events, size_t *longest, size_t *next)
{
	size_t row = 0, first = SIZE_MAX;

	*longest = *next = HELD - 1;
	for (size_t i = 0; i + 1 < events->n; i++) {
		if (events->data[i + 1].measured > events->data[i].measured) {
			row = 0;
			continue;
		}
		if (++row > *longest) {
			*next = row == 1 || first + row != i + 1 ? *longest : *next;
			*longest = row;
			first = i + 1 - row;
		} else if (row > *next && first + row != i + 1) {
			*next = row;
		}
	}
	return first;
}

/* Receives that were held back are early, so that messages may show the step after them. */
static void find_place(const struct step_search *s, const struct set_clock *set, double size,
		       event_vec *events)
{
	struct set_clock wide = *set;
	size_t longest, next;

	wide.from -= fabs(size);
	wide.to += fabs(size);
	if (size < 0) {
		find_events(s, &wide, events);
		if (first_held(events, &longest, &next) != SIZE_MAX && longest > 2 * next)
			return;
	}
	events->n = 0;
	find_events(s, set, events);
}

static void find_candidates(const event_vec *events, const struct set_clock *set,
			    struct place_gap *gaps)
{
	size_t longest, next;
	const size_t held = set->most < 0 ? first_held(events, &longest, &next) : SIZE_MAX;
	size_t n = 0;

	longest = 0;
	for (size_t i = 0; i + 1 < events->n; i++) {
		const double length = events->data[i + 1].time - events->data[i].time;
		gaps[i].candidate =
			held == SIZE_MAX ? length >= 0.999 * fmax(0, set->least) : i == held;
		n += gaps[i].candidate;
		if (length > events->data[longest + 1].time - events->data[longest].time)
			longest = i;
	}
	if (n == 0)
		gaps[longest].candidate = true;
}

static void weigh(const event_vec *events, const message_vec *messages, const struct set_clock *set,
		  struct place_gap *gaps)
{
	double before = 0, after = 0;
	size_t m = 0;

	for (size_t i = 0; i < messages->n; i++)
		after += messages->data[i].after;
	for (size_t i = 0; i + 1 < events->n; i++) {
		const double a = events->data[i].time, b = events->data[i + 1].time;
		for (; m < messages->n && messages->data[m].time < b - 1e-3; m++) {
			before += messages->data[m].before;
			after -= messages->data[m].after;
		}
		gaps[i].cost = before + after;
		gaps[i].overlap = fmin(fmin(b, set->all_to) - fmax(a, set->all_from), b - a);
	}
}

/* The best gap, and the first and the last possible one. */
static void choose(const struct place_gap *gaps, size_t n, double size, size_t *best, size_t *first,
		   size_t *last)
{
	double least = INFINITY;

	*best = *first = SIZE_MAX;
	*last = 0;
	for (size_t i = 0; i < n; i++)
		if (gaps[i].candidate)
			least = fmin(least, gaps[i].cost);
	for (size_t i = 0; i < n; i++) {
		if (!gaps[i].candidate || gaps[i].cost > least + POSSIBLE * size)
			continue;
		*first = *first == SIZE_MAX ? i : *first;
		*last = i;
		if (gaps[i].cost <= least + NEAR * size &&
		    (*best == SIZE_MAX || gaps[i].overlap > gaps[*best].overlap))
			*best = i;
	}
}

void step_place(struct step_search *s, const struct set_clock *set, const uint32_t *groups)
{
	const double size = (set->least + set->most) / 2, ns = s->clocks.ns;
	event_vec events = VEC_INIT;
	message_vec messages = VEC_INIT;
	size_t best, first, last;
	struct place_gap *gaps;

	find_place(s, set, size, &events);
	find_messages(s, set, size, groups, &messages);
	gaps = xcalloc(events.n + 1, sizeof *gaps);
	if (events.n >= 2) {
		struct fit_step step = { 0 };
		find_candidates(&events, set, gaps);
		weigh(&events, &messages, set, gaps);
		choose(gaps, events.n - 1, fabs(size), &best, &first, &last);
		/* Those that were held back keep their time: too early, which the logical clock
		 * mends, and not too late, which it would push all others after. */
		while (events.data[best + 1].measured <= events.data[best].measured &&
		       last + 2 < events.n &&
		       events.data[last + 2].measured <= events.data[last + 1].measured)
			last++; /* held back, too */
		step.location = s->clocks.location[set->clock];
		step.locations = s->clocks.locations[set->clock];
		step.round = s->round;
		step.group = set->group;
		step.partner =
			set->partner == UINT32_MAX ? UINT32_MAX : s->clocks.location[set->partner];
		step.at = events.data[best + 1].measured;
		step.held = STEP_NOT_HELD;
		if (step.at <= events.data[best].measured)
			step.held = step.at++;
		step.from = events.data[first].measured;
		step.to = events.data[last + 1].measured;
		step.uncertain = (uint32_t)(last - first);
		step.size = llround(size / ns);
		step.least = llround(set->least / ns);
		step.most = llround(set->most / ns);
		if (step.size != 0) {
			vec_push(&s->steps, step);
			vec_push(&s->of, set->clock);
		}
	}
	free(gaps);
	vec_fini(&events);
	vec_fini(&messages);
}
