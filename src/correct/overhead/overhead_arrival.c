#include "correct/overhead/overhead_arrival.h"

#include <math.h>
#include <string.h>

/* ---- bounds ---- */

void sides_begin(struct call_sides *s, const double until[WAYS])
{
	*s = (struct call_sides){ .low = -INFINITY,
				  .high = -INFINITY,
				  .decided = INFINITY,
				  .any = INFINITY,
				  .reach = -INFINITY };
	memcpy(s->until, until, sizeof s->until);
}

void sides_add(struct call_sides *s, double time, const double a[WAYS], double least, double most)
{
	const double room = fmax(0, s->until[LOWER] - time), decided = a[LOWER] + room;

	s->low = fmax(s->low, a[LOWER] + fmin(least, room));
	s->high = fmax(s->high, a[UPPER] + fmin(most, fmax(0, s->until[UPPER] - time)));
	s->any = fmin(s->any, decided);
	if (time + most >= s->until[BEST])
		s->decided = fmin(s->decided, decided);
	s->reach = fmax(s->reach, time + most);
}

void sides_add_some(struct call_sides *s, const double latest[WAYS], double least, double most)
{
	const double decided = s->until[LOWER] - most;

	s->low = fmax(s->low, latest[LOWER]);
	s->high = fmax(s->high, fmax(s->until[UPPER] - least, latest[UPPER]));
	s->any = fmin(s->any, decided);
	s->decided = fmin(s->decided, decided);
	s->reach = s->until[BEST];
}

void sides_end(const struct call_sides *s, double end[WAYS])
{
	const double kept = fmax(0, s->until[BEST] - s->reach);

	end[LOWER] = fmax(s->low, kept > 0 ? s->any : s->decided);
	end[UPPER] = fmax(s->high + kept, end[LOWER]);
	end[BEST] = fmin(fmax(end[BEST], end[LOWER]), end[UPPER]);
}

/* ---- one sender, one receiver ---- */

/* Receiving what is there takes at most so many times as long as nearly all messages do. */
static const double receive_most = 4;

/* What determined a receive's measured time: the message, or the receiving itself. It is always one
 * of both, so that without overhead nothing moves; neither only for messages that were followed by
 * another one in the same call. */
struct belief {
	bool latency; /* send to receive is what the message took */
	bool receive; /* enter to receive is what receiving took: the message was there */
};

/* If the receive certainly waited, it was the message. If the message is known to have arrived
 * before the receive began, it was the receiving. Otherwise both durations decide: receives of
 * messages that have arrived are short, and messages seldom take twice as long as nearly all of
 * them; calls that also send, and receives that the system delayed, last longer. If nothing is
 * known it is, as in the paper, the message if both operations overlap. */
static struct belief believe(const struct arrival *a, double call_cost)
{
	const double took = -a->enter - call_cost, passed = -a->send - call_cost;
	const bool overlap = a->enter <= a->exit_send;

	if (a->overlaid)
		return (struct belief){ false, false };
	/* A location's first event has nothing else to wait for. */
	if (a->enter <= a->send || a->enter_a[BEST] == -INFINITY)
		return (struct belief){ true, false };
	if (a->latency_known) {
		const bool there = a->enter - a->send >= a->latency.high;
		const bool brief = a->receive_known && took <= 2 * a->receive.low;
		const bool in_flight = !there && !brief && passed <= 2 * a->latency.high;
		return (struct belief){ in_flight, !in_flight };
	}
	if (a->receive_known && took <= a->receive.high)
		return (struct belief){ false, true };
	return (struct belief){ overlap, !overlap };
}

/* Time from the send to the receive if neither is late. */
static double communication(const struct arrival *a, double call_cost, bool believed)
{
	const double measured = fmax(0, -a->latest - call_cost);

	if (believed)
		return measured;
	if (a->latency_known)
		return fmin(measured, a->latency.middle);
	return a->overlaid ? measured : fmin(measured, 2 * a->copy);
}

/* Time of a receive whose message has arrived; it cannot be more than it took. */
static double receiving(const struct arrival *a, double call_cost, bool believed)
{
	const double took = fmax(0, -a->enter - call_cost);

	if (believed)
		return took;
	return fmin(took, a->receive_known ? fmax(a->copy, a->receive.middle) : a->copy);
}

double arrival_best(const struct arrival *a, double call_cost)
{
	const struct belief b = believe(a, call_cost);

	return fmax(a->send_a[BEST] + communication(a, call_cost, b.latency),
		    a->enter_a[BEST] + receiving(a, call_cost, b.receive));
}

double arrival_interrupted(const struct arrival *a, double call_cost)
{
	const double took = -fmax(a->latest, a->enter) - call_cost;

	return a->latency_known ? fmax(0, took - 2 * a->latency.high) : 0;
}

void arrival_sender(const struct arrival *a, struct call_sides *s)
{
	const double least = a->latency_known ? a->latency.least : 2 * a->copy;
	const double most = a->latency_known ? a->latency.most : INFINITY;

	sides_add(s, a->send, a->send_a, least,
		  fmin(most, fmax(a->within, a->latency_known ? 2 * a->latency.high : least)));
}

void arrival_receiver(const struct arrival *a, struct call_sides *s)
{
	if (a->enter_a[BEST] == -INFINITY)
		return;
	if (a->receive_known)
		sides_add(s, a->enter, a->enter_a, a->receive.least, a->receive.most);
	else if (a->latency_known) /* receiving is part of that, and waits for nothing */
		sides_add(s, a->enter, a->enter_a, a->copy,
			  fmin(a->latency.most, receive_most * a->latency.high));
	else
		sides_add(s, a->enter, a->enter_a, a->copy, INFINITY);
}
