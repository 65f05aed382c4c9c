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
 * program swallows intrusion. A lag is what a dependency takes at the least from its time until the
 * call can end; only differences of lags matter, and only where the side that decides changes.
 * A dependency later than the end of the call was none, and is dropped.
 *
 *	struct virtual_sum sum;
 *	virtual_begin(&sum, (struct virtual_entry){ entered, intrusion, take, 0 }, ended);
 *	virtual_depend(&sum, (struct virtual_entry){ sent, intrusion_of_sender, latency, 0 }, 0);
 *	end = virtual_complete(&sum, VIRTUAL_PAIR);
 *
 * libc alone, no state. Times in any unit, of one clock. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct virtual_entry {
	int64_t time;      /* real */
	int64_t intrusion; /* then */
	int64_t lag;       /* until the call can end, at least */
	int64_t error;     /* bound of the error of its virtual time, VIRTUAL_NO_BOUND */
};
#define VIRTUAL_NO_BOUND INT64_MAX

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
	int64_t until;              /* the call ended, real */
	int64_t real, moved;        /* of the partners: max (time + lag), max (time - I + lag) */
	int64_t arrival;            /* of the partners: max (time - I) */
	int64_t error, uncertainty; /* of the partners, of their lags */
	uint32_t partners, refuted;
};

struct virtual_end {
	int64_t intrusion, error;
	int64_t synchronisation; /* virtual, until the last partner came; then transmission */
	int64_t transmission;
	bool backwards; /* the end would be before the entry: a lag was too large */
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

/* `own`: when the wrapped call itself began, and the intrusion up to then. */
static inline void virtual_begin(struct virtual_sum *s, struct virtual_entry own, int64_t until)
{
	*s = (struct virtual_sum){ .own = own, .until = until };
}

/* `uncertainty`: of the lag. */
static inline void virtual_depend(struct virtual_sum *s, struct virtual_entry e,
				  int64_t uncertainty)
{
	const int64_t moved = e.time - e.intrusion;

	if (e.time > s->until) {
		s->refuted++;
		return;
	}
	if (!s->partners++) {
		s->real = e.time + e.lag;
		s->moved = moved + e.lag;
		s->arrival = moved;
		s->error = e.error;
		s->uncertainty = uncertainty;
		return;
	}
	s->real = virtual_max(s->real, e.time + e.lag);
	s->moved = virtual_max(s->moved, moved + e.lag);
	s->arrival = virtual_max(s->arrival, moved);
	s->error = virtual_max(s->error, e.error);
	s->uncertainty = virtual_max(s->uncertainty, uncertainty);
}

/* The sum of two bounds of errors. */
static inline int64_t virtual_more(int64_t error, int64_t other)
{
	return error > VIRTUAL_NO_BOUND - other ? VIRTUAL_NO_BOUND : error + other;
}

/* The bound of the end's error. A side that decides by more than all errors gives its own. */
static inline int64_t virtual_error(const struct virtual_sum *s, enum virtual_rule rule,
				    int64_t real, int64_t moved)
{
	const int64_t u = s->uncertainty, both = virtual_max(s->own.error, s->error);
	const int64_t all = virtual_more(virtual_more(s->own.error, s->error), u);
	const int64_t by_real = s->real - real, by_moved = s->moved - moved;

	if (!s->partners)
		return s->own.error;
	if (rule == VIRTUAL_ALL)
		return both;
	if ((by_moved <= all && -by_moved <= all) || (by_real <= u && -by_real <= u))
		return virtual_more(both, u);
	return virtual_more(by_moved > 0 ? s->error : s->own.error,
			    (by_real > 0) != (by_moved > 0) ? u : 0);
}

static inline struct virtual_end virtual_complete(const struct virtual_sum *s,
						  enum virtual_rule rule)
{
	const int64_t entered = s->own.time - s->own.intrusion;
	const int64_t real = s->own.time + s->own.lag, moved = entered + s->own.lag;
	struct virtual_end end = { .intrusion = s->own.intrusion };
	int64_t duration;

	if (s->partners)
		end.intrusion = virtual_max(real, s->real) - virtual_max(moved, s->moved);
	end.error = virtual_error(s, rule, real, moved);
	duration = s->until - end.intrusion - entered;
	if (duration < 0) {
		end.backwards = true;
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
