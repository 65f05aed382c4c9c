/* virtual_time: what time it would be without the recorder.
 *
 * A rank keeps one number, its intrusion I: the time that recording has cost it so far, with the
 * waiting for other ranks that recording delayed. Virtual time is real time less I. Between calls I
 * grows by the cost of each record; where a call ends, what it depended on decides:
 *
 *	R = max over dependencies (time + lag)			when all was ready
 *	V = max over dependencies (time - intrusion + lag)	when it would have been
 *	I = R - V
 *
 * So I stays between the least and the largest of the dependencies, and may fall: a wait of the
 * program swallows intrusion. A lag is what a dependency takes from its time until the call can
 * end; only differences of lags matter, and only where the side that decides changes. A dependency
 * later than the end of the call was none, and is dropped.
 *
 * Bounds are of each call's own times. A lag is in a range that is known, and ended by the end of
 * the call, `until`; and one of the dependencies let the call end when it did, so that its lag was
 * all the time up to then. So with v = time - intrusion +- error, without the recorder it ends
 *
 *	not before	max (v + least lag), nor before until - the largest intrusion of
 *			those that may have let it end
 *	not after	max (v + min (most lag, until - time))
 *
 * If nothing is known of lags, that is between the least and the largest intrusion. What the call
 * took after the latest that ranges explain is kept, and may be of one dependency alone.
 *
 *	struct virtual_sum sum;
 *	virtual_begin(&sum, (struct virtual_entry){ entered, intrusion, take, 0 }, ended);
 *	virtual_depend(&sum, (struct virtual_entry){ sent, intrusion_of_sender, latency, 0 },
 *		       virtual_about(latency, 0));
 *	end = virtual_complete(&sum, VIRTUAL_PAIR);
 *
 * libc alone, no state. Times in any unit, of one clock. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct virtual_entry {
	int64_t time;      /* real */
	int64_t intrusion; /* then */
	int64_t lag;       /* until the call can end, as a rule */
	int64_t error;     /* bound of the error of its virtual time, VIRTUAL_NO_BOUND */
};
#define VIRTUAL_NO_BOUND INT64_MAX
#define VIRTUAL_NONE     (INT64_MIN / 2)

/* In which a lag is. */
struct virtual_range {
	int64_t least, most;
};

/* On which ranks the end of a call depends, beside its own entry. */
enum virtual_rule {
	VIRTUAL_ALONE, /* none: eager and buffered sends, starts of nonblocking operations */
	VIRTUAL_PAIR,  /* the partner: receives, probes, synchronous sends */
	VIRTUAL_ALL,   /* all, without lags: barriers, n-to-n */
	VIRTUAL_FROM_ROOT,
	VIRTUAL_TO_ROOT,
	VIRTUAL_BELOW,      /* ranks below: prefix sums */
	VIRTUAL_NEIGHBOURS, /* those that a topology names */
};

struct virtual_sum {
	struct virtual_entry own;
	struct virtual_range range; /* of its lag */
	int64_t until;              /* the call ended, real */
	int64_t real, moved;        /* of the partners: max (time + lag), max (time - I + lag) */
	int64_t arrival;            /* of the partners: max (time - I) */
	/* For bounds, of the partners: */
	int64_t low, high; /* of the virtual end */
	int64_t reach;     /* the latest that ranges explain */
	int64_t taken;     /* the largest intrusion, with its error, of those that may have let the
			      call end, which are those that reach `since`; */
	int64_t likely;    /* and of those that would with VIRTUAL_LONG times their most lag */
	int64_t since;
	int64_t unsure; /* the largest error */
	uint32_t partners, refuted;
};

struct virtual_end {
	int64_t intrusion, error;
	int64_t synchronisation; /* virtual, until the last partner came; then transmission */
	int64_t transmission;
};

static inline int64_t virtual_max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Of a collective: whether rank `me` depends on rank `other`. */
static inline bool virtual_depends(enum virtual_rule rule, int root, int me, int other)
{
	switch (rule) {
	case VIRTUAL_PAIR:
	case VIRTUAL_ALL: return me != other;
	case VIRTUAL_FROM_ROOT: return me != root && other == root;
	case VIRTUAL_TO_ROOT: return me == root && other != root;
	case VIRTUAL_BELOW: return other < me;
	default: return false;
	}
}

/* The sum of two times, one of which may be without bound. */
static inline int64_t virtual_more(int64_t time, int64_t other)
{
	return time > VIRTUAL_NO_BOUND - other ? VIRTUAL_NO_BOUND : time + other;
}

static inline struct virtual_range virtual_about(int64_t lag, int64_t uncertainty)
{
	return (struct virtual_range){ virtual_max(0, lag - uncertainty), lag + uncertainty };
}

/* `own`: when the wrapped call itself began, and the intrusion up to then. `until` may be told
 * later: virtual_until(). */
static inline void virtual_begin(struct virtual_sum *s, struct virtual_entry own, int64_t until)
{
	/* The rest is set by the first partner. */
	s->own = own;
	s->range = virtual_about(own.lag, 0);
	s->until = s->since = until;
	s->taken = s->likely = VIRTUAL_NONE;
	s->partners = s->refuted = 0;
}

/* The call ends, or has ended, at the latest now, and not before `since`. */
static inline void virtual_until(struct virtual_sum *s, int64_t now, int64_t since)
{
	s->until = now;
	if (!s->partners || since < s->since)
		s->since = since;
}

/* A lag is seldom so many times as long as it is nearly always. */
enum { VIRTUAL_LONG = 4 };

/* It ended before that. */
static inline void virtual_ended(struct virtual_sum *s, int64_t time)
{
	if (s->partners && s->until > time)
		s->low -= s->until - time;
	s->until = time;
}

/* What one side says of the bounds. */
static inline void virtual_bound(struct virtual_sum *s, const struct virtual_entry *e,
				 struct virtual_range range, bool first)
{
	const int64_t moved = e->time - e->intrusion, room = virtual_max(0, s->until - e->time);
	const int64_t error = e->error == VIRTUAL_NO_BOUND ? 0 : e->error;
	const int64_t least = range.least < room ? range.least : room;
	const int64_t most = range.most < room ? range.most : room;
	const int64_t reach = virtual_more(e->time, range.most), taken = e->intrusion + error;

	s->unsure = first ? e->error : virtual_max(s->unsure, e->error);
	s->low = first ? moved - error + least : virtual_max(s->low, moved - error + least);
	s->high = first ? moved + error + most : virtual_max(s->high, moved + error + most);
	if (reach >= s->since)
		s->taken = virtual_max(s->taken, taken);
	if (e->time >= s->since || range.most >= (s->since - e->time) / VIRTUAL_LONG)
		s->likely = virtual_max(s->likely, taken);
	s->reach = first ? reach : virtual_max(s->reach, reach);
}

/* A partner, whose lag is in the range. */
static inline void virtual_depend(struct virtual_sum *s, struct virtual_entry e,
				  struct virtual_range range)
{
	const int64_t moved = e.time - e.intrusion;
	const bool first = !s->partners;

	if (e.time > s->until) {
		s->refuted++;
		return;
	}
	s->partners++;
	virtual_bound(s, &e, range, first);
	s->real = first ? e.time + e.lag : virtual_max(s->real, e.time + e.lag);
	s->moved = first ? moved + e.lag : virtual_max(s->moved, moved + e.lag);
	s->arrival = first ? moved : virtual_max(s->arrival, moved);
}

/* Puts a virtual end between what is possible, and gives the bound of its error. */
static inline int64_t virtual_error(struct virtual_sum *s, enum virtual_rule rule, int64_t *end)
{
	int64_t kept, taken, low, high;

	if (!s->partners)
		return s->own.error;
	virtual_bound(s, &s->own, s->range, false);
	if (s->unsure == VIRTUAL_NO_BOUND)
		return VIRTUAL_NO_BOUND;
	kept = virtual_max(0, s->until - s->reach);
	taken = kept ? s->likely : s->taken;
	high = s->high + kept;
	low = s->low;
	if (rule == VIRTUAL_ALL)
		low += kept; /* all have the same lag */
	else if (taken != VIRTUAL_NONE)
		low = virtual_max(low, s->until - taken);
	low = low < high ? low : high;
	*end = *end < low ? low : *end > high ? high : *end;
	return virtual_max(*end - low, high - *end);
}

static inline struct virtual_end virtual_complete(struct virtual_sum *s, enum virtual_rule rule)
{
	const int64_t entered = s->own.time - s->own.intrusion;
	const int64_t real = s->own.time + s->own.lag, moved = entered + s->own.lag;
	struct virtual_end end = { .intrusion = s->own.intrusion };
	int64_t at = s->until - s->own.intrusion, duration;

	if (s->partners)
		at = s->until - (virtual_max(real, s->real) - virtual_max(moved, s->moved));
	end.error = virtual_error(s, rule, &at);
	end.intrusion = s->until - at;
	duration = at - entered;
	if (duration < 0) {
		end.intrusion = s->until - entered;
		duration = 0;
	}
	if (s->partners && s->arrival > entered)
		end.synchronisation =
			s->arrival - entered < duration ? s->arrival - entered : duration;
	end.transmission = duration - end.synchronisation;
	return end;
}

/* ---- polling ---- */

/* A loop of tests or probes that are false until one is true is one wait, entered at the first:
 * else virtual time would run on with real time while the loop waits. */
struct virtual_poll {
	uint64_t key;            /* requests, or arguments of a probe */
	int64_t time, intrusion; /* of the first that was false */
	int64_t ended, length;   /* the latest one */
	bool open;
};

/* Whether a poll that begins at `time` goes on with the loop: nothing else was called, and the
 * program did not work in between, which is less than `gap` or four polls. */
static inline bool virtual_poll_continues(const struct virtual_poll *p, uint64_t key, int64_t time,
					  int64_t gap)
{
	const int64_t between = time - p->ended;

	return p->open && p->key == key && (between < gap || between < 4 * p->length);
}

static inline void virtual_poll_false(struct virtual_poll *p, uint64_t key, int64_t time,
				      int64_t intrusion, int64_t ended, int64_t gap)
{
	if (!virtual_poll_continues(p, key, time, gap)) {
		p->open = true;
		p->key = key;
		p->time = time;
		p->intrusion = intrusion;
	}
	p->ended = ended;
	p->length = ended - time;
}

/* A poll is true: its own entry, that of the loop if it ends one. */
static inline struct virtual_entry virtual_poll_true(struct virtual_poll *p, uint64_t key,
						     int64_t time, int64_t intrusion, int64_t gap)
{
	const bool loop = virtual_poll_continues(p, key, time, gap);

	p->open = false;
	return (struct virtual_entry){ .time = loop ? p->time : time,
				       .intrusion = loop ? p->intrusion : intrusion };
}

/* Any other call of MPI ends the loop. */
static inline void virtual_poll_end(struct virtual_poll *p)
{
	p->open = false;
}
