#include "correct/truth.h"

#include <assert.h>
#include <math.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/vec.h"
#include "model/trace/message.h"

bool truth_first(struct cursor *cursor, const struct trace *trace, enum time_base base,
		 uint32_t rank)
{
	return cursor_first(cursor, trace, base, trace_location_of_rank(trace, (int32_t)rank)) &&
	       cursor_next(cursor);
}

bool truth_counts(bool *inside, const struct happening *h)
{
	bool counts;

	if (h->kind == HAPPEN_ENTER && h->region == REGION_FINALIZE)
		*inside = false;
	counts = *inside && region_info[h->region].cls != CLASS_OVERHEAD;
	if (h->kind == HAPPEN_LEAVE && h->region == REGION_INIT)
		*inside = true;
	return counts;
}

double truth_rms(const struct trace *trace, const struct run *truth, enum time_base base)
{
	const double ns = 1e9 / (double)trace_scale(trace)->per_second;
	double sum = 0, squares = 0, n = 0;

	for (uint32_t r = 0; r < truth->ranks; r++) {
		bool inside = false, ok;
		struct cursor cursor;
		ok = truth_first(&cursor, trace, base, r);
		assert(ok);
		for (size_t i = 0; i < truth->of[r].events.n; i++, cursor_next(&cursor)) {
			const struct happening *h = &truth->of[r].events.data[i];
			const double error =
				1e-3 * (ns * (double)cursor_time(&cursor) - 1e-3 * (double)h->time);
			if (!truth_counts(&inside, h))
				continue;
			sum += error;
			squares += error * error;
			n++;
		}
	}
	assert(n > 100);
	return sqrt(fmax(0, squares / n - sum / n * sum / n));
}

/* ---- bounds ---- */

/* True times by event, ticks; NAN: does not count. */
static double *truth_of_events(const struct trace *trace, const struct run *truth)
{
	const double ns = 1e9 / (double)trace_scale(trace)->per_second;
	struct cursor cursor;
	uint32_t most = 0;
	double *of;

	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		if (cursor_last(&cursor, trace, BASE_MEASURED, l) && cursor.id > most)
			most = cursor.id;
	of = xmalloc((most + 1u) * sizeof *of);
	for (uint32_t i = 0; i <= most; i++)
		of[i] = NAN;
	for (uint32_t r = 0; r < truth->ranks; r++) {
		bool inside = false, ok = truth_first(&cursor, trace, BASE_MEASURED, r);
		assert(ok);
		for (size_t i = 0; i < truth->of[r].events.n; i++, cursor_next(&cursor)) {
			const struct happening *h = &truth->of[r].events.data[i];
			if (truth_counts(&inside, h))
				of[cursor.id] = 1e-3 * (double)h->time / ns;
		}
	}
	return of;
}

/* Times are whole ticks. */
static bool is_inside(struct room_span span, double error)
{
	return error >= span.low - 1 && error <= span.high + 1;
}

ORDERING_OF_NUMBERS(ascending, double)

/* What rank 0's clock is wrong by, which is the reference: at its events, in their order. */
struct zero_error {
	double time, error;
};

typedef VEC(struct zero_error) zero_error_vec;

static void look_at_zero(zero_error_vec *errors, const struct trace *trace, enum time_base base,
			 const double *of)
{
	struct cursor c;

	for (bool ok = cursor_first(&c, trace, base, trace_location_of_rank(trace, 0)); ok;
	     ok = cursor_next(&c))
		if (!isnan(of[c.id]))
			vec_push(errors,
				 ((struct zero_error){ (double)cursor_time(&c),
						       of[c.id] - (double)cursor_time(&c) }));
}

static double error_of_zero(const zero_error_vec *errors, double time)
{
	size_t low = 0, high = errors->n - 1;

	BISECT(low, high, i, errors->data[i].time < time);
	return errors->data[low].error;
}

struct truth_bounds truth_inside(const struct trace *trace, const struct run *truth,
				 const struct corrections *corrections, enum time_base base)
{
	const uint32_t zero = trace_location_of_rank(trace, 0);
	const double us = 1e6 / (double)trace_scale(trace)->per_second;
	OWNED double *of = truth_of_events(trace, truth);
	OWNED_VEC(double) halves = VEC_INIT;
	zero_error_vec errors = VEC_INIT;
	double events = 0, inside = 0, messages = 0, within = 0;

	look_at_zero(&errors, trace, corrections->room.base, of);

	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		struct cursor c;
		for (bool ok = l != zero && cursor_first(&c, trace, base, l); ok;
		     ok = cursor_next(&c)) {
			const struct clock_place place =
				clock_place_of(&corrections->room, trace, base, c.id);
			const struct room_span span = clock_room_at(&corrections->room, &place);
			if (isnan(of[c.id]))
				continue;
			events++;
			inside += is_inside(span,
					    of[c.id] - (double)cursor_time(&c) -
						    error_of_zero(&errors,
								  place.time +
									  (double)corrections->room
										  .origin));
			vec_push(&halves, us * (span.high - span.low) / 2);
		}
	}
	for (uint32_t i = 0; i < trace_message_count(trace); i++) {
		const struct message *m = trace_message(trace, i);
		const struct clock_place from =
			clock_place_of(&corrections->room, trace, base, m->send);
		const struct clock_place to =
			clock_place_of(&corrections->room, trace, base, m->recv);
		const double length = (double)(trace_event_time(trace, base, m->recv) -
					       trace_event_time(trace, base, m->send));
		if (isnan(of[m->send]) || isnan(of[m->recv]))
			continue;
		messages++;
		within += is_inside(clock_room_between(&corrections->room, &from, &to),
				    of[m->recv] - of[m->send] - length);
	}
	vec_fini(&errors);
	vec_sort(&halves, ascending);
	assert(events > 100);
	return (struct truth_bounds){ inside / events, messages > 0 ? within / messages : 1,
				      halves.data[halves.n / 2] };
}

enum { EVERY = 97 };

struct truth_pairs truth_between(const struct trace *trace, const struct run *truth,
				 const struct corrections *corrections, enum time_base base)
{
	const struct clock_room *room = &corrections->room;
	const uint32_t n = trace_location_count(trace);
	OWNED double *of = truth_of_events(trace, truth);
	double pairs = 0, inside = 0, width = 0, other = 0;
	uint32_t events = 0;

	for (uint32_t l = 0; l < n; l++) {
		struct cursor c, d;
		for (bool ok = cursor_first(&c, trace, base, l); ok; ok = cursor_next(&c)) {
			const uint32_t to = (l + 1 + events % (n - 1)) % n;
			struct clock_place a, b;
			struct room_span span, wider;
			if (isnan(of[c.id]) || events++ % EVERY ||
			    !cursor_seek(&d, trace, base, to, cursor_time(&c)) || isnan(of[d.id]))
				continue;
			a = clock_place_of(room, trace, base, c.id);
			b = clock_place_of(room, trace, base, d.id);
			span = clock_room_closely(room, &a, &b);
			wider = clock_room_between(room, &a, &b);
			pairs++;
			inside += is_inside(span,
					    of[d.id] - of[c.id] -
						    (double)(cursor_time(&d) - cursor_time(&c)));
			width += span.high - span.low;
			other += wider.high - wider.low;
		}
	}
	assert(pairs > 10);
	return (struct truth_pairs){ inside / pairs, width / other };
}
