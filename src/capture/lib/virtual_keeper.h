/* virtual_keeper: the virtual time of a thread (virtual_time.h) while it runs: its intrusion and
 * the bound of its error. They follow from probes whose cost is known on average, from brackets,
 * and from partners' entries with latencies that it learns (virtual_latency.h).
 *
 * The recorder (virtual.c) tells it what happens, and so does the simulator of tests, which knows
 * the truth.
 *
 *	keeper_probe(&k, delay)				between calls
 *	keeper_begin(&k, &costs, entered, now)		MPI is called now
 *	keeper_sender(&k, &learnt, &sender, bytes, now)	what it depended on
 *	end = keeper_leave(&k, &costs, ended)
 *	keeper_after(&k, recording)			and so on
 *
 * libc alone, no state of its own; the caller locks what threads share. Ticks. */
#pragma once

#include "capture/lib/virtual_latency.h"
#include "capture/lib/virtual_time.h"

/* Beside what is bracketed, in thousandths of a tick. */
struct virtual_costs {
	uint64_t probe, probe_error; /* of functions; they differ by so much */
	uint64_t between;            /* the time stamps of a call of MPI */
	uint64_t call, call_error;   /* the rest of a call */
};

/* What a process learns. */
struct virtual_learnt {
	struct latencies messages;
	struct latencies rooted; /* collectives with a root, and prefix sums */
	/* The largest message that left before its receiver came, the smallest that waited. */
	uint64_t eager, waits;
};

struct virtual_keeper {
	int64_t intrusion, error; /* but for the probes since */
	uint64_t probes, spent;   /* and what of them is bracketed */
	int64_t timed, stretch;   /* bracketed since the latest call; up to the present one */
	int64_t before, unsure;   /* intrusion where it began, and the bound of its error */
	struct virtual_entry own;
	struct virtual_sum sum;
	enum virtual_rule rule;
	int64_t inside; /* bracketed in it */
	struct {
		uint32_t n;
		uint64_t bytes;
		int64_t sent; /* the latest, of so many bytes */
	} received;
	int64_t left;  /* intrusion where it ended, */
	int64_t ended; /* and virtual time then */
};

/* ---- own work ---- */

/* `spent`: what of it is bracketed. */
static inline void keeper_probe(struct virtual_keeper *k, uint64_t spent)
{
	k->probes++;
	k->spent += spent;
}

/* What the probes since the last time cost. */
static inline int64_t keeper_probes_cost(const struct virtual_keeper *k,
					 const struct virtual_costs *costs)
{
	return (int64_t)(k->spent + k->probes * costs->probe / 1000);
}

static inline int64_t keeper_take_probes(struct virtual_keeper *k,
					 const struct virtual_costs *costs)
{
	const int64_t cost = keeper_probes_cost(k, costs);

	if (!k->probes)
		return 0;
	k->error = virtual_more(k->error, (int64_t)(k->probes * costs->probe_error / 1000));
	k->timed += (int64_t)k->spent;
	k->probes = k->spent = 0;
	return cost;
}

/* The probes since the last time are in the intrusion, at `now`. */
static inline void keeper_settle(struct virtual_keeper *k, const struct virtual_costs *costs,
				 int64_t now)
{
	k->intrusion += keeper_take_probes(k, costs);
	/* Mean costs must not make virtual time run backwards. */
	if (now - k->intrusion < k->ended)
		k->intrusion = now - k->ended;
}

/* A call that was entered at `entered` goes on into MPI now. Returns its entry. */
static inline struct virtual_entry keeper_begin(struct virtual_keeper *k,
						const struct virtual_costs *costs, int64_t entered,
						int64_t now)
{
	struct virtual_entry own = { .time = now };

	keeper_settle(k, costs, entered);
	k->before = k->intrusion;
	k->unsure = own.error = k->error;
	k->stretch = k->timed;
	k->timed = 0;
	own.intrusion = k->intrusion + (now - entered);
	k->own = own;
	virtual_begin(&k->sum, own, 0);
	k->rule = VIRTUAL_ALONE;
	k->inside = 0;
	k->received.n = 0;
	return own;
}

/* It has told a partner of its entry, and goes on only now. */
static inline void keeper_held(struct virtual_keeper *k, int64_t now)
{
	k->own.intrusion += now - k->own.time;
	k->own.time = now;
	virtual_begin(&k->sum, k->own, 0);
}

/* ---- partners ---- */

/* A partner, whose lag is `lag`; the call's own is one of `own`. It is told after the call has
 * ended, as a rule by less ticks than that. */
enum { KEEPER_LATE = 4096 };

static inline void keeper_depend(struct virtual_keeper *k, const struct virtual_entry *e,
				 enum virtual_rule rule, const struct latency_range *lag,
				 const struct latency_range *own, int64_t now)
{
	const struct virtual_entry partner = { e->time, e->intrusion, lag->usual, e->error };
	struct virtual_sum *s = &k->sum;

	s->own.lag = virtual_max(s->own.lag, own->usual);
	if (!s->partners || own->least < s->range.least)
		s->range.least = own->least;
	if (!s->partners || own->most > s->range.most)
		s->range.most = own->most;
	k->rule = s->partners && k->rule != rule ? VIRTUAL_PAIR : rule;
	virtual_until(s, now, now - KEEPER_LATE);
	virtual_depend(s, partner, (struct virtual_range){ lag->least, lag->most });
}

/* It received a message, whose sender's entry this is. */
static inline void keeper_sender(struct virtual_keeper *k, struct virtual_learnt *learnt,
				 const struct virtual_entry *e, uint64_t bytes, int64_t now)
{
	const struct latency *l = latency_known(&learnt->messages, bytes);

	keeper_depend(k, e, VIRTUAL_PAIR, &l->waited, &l->there, now);
	if (!k->received.n++ || e->time > k->received.sent) {
		k->received.sent = e->time;
		k->received.bytes = bytes;
	}
}

/* What the call under way, which ended at `time`, teaches of messages: of several that it received
 * only the latest may have let it end. */
static inline void keeper_learn_messages(const struct virtual_keeper *k,
					 struct virtual_learnt *learnt, int64_t time)
{
	if (k->received.n == 1 || (k->received.n && k->own.time < k->received.sent))
		latency_learn(&learnt->messages, k->received.bytes, k->own.time, k->received.sent,
			      time);
}

/* Whether a message that is sent by `mode` waits for its receiver, who came `later` than the
 * send. */
static inline bool keeper_waits(const struct virtual_learnt *learnt, uint64_t bytes, uint32_t mode,
				bool later)
{
	enum { BUFFERED = 1, SYNCHRONOUS = 2, READY = 3 };

	if (mode == SYNCHRONOUS)
		return true;
	if (mode == BUFFERED || mode == READY || bytes <= learnt->eager)
		return false;
	return later || bytes >= learnt->waits;
}

/* It sent one, which may wait for the receiver, whose entry this is; `came`: before the end. */
static inline void keeper_receiver(struct virtual_keeper *k, struct virtual_learnt *learnt,
				   const struct virtual_entry *e, bool came, uint64_t bytes,
				   uint32_t mode, int64_t now)
{
	const bool later = e->time > k->own.time;
	const bool wait = came && keeper_waits(learnt, bytes, mode, later);
	const struct latency *l;

	if (!came && mode == 0 && bytes > learnt->eager && bytes < learnt->waits)
		learnt->eager = bytes;
	if (wait && later && mode == 0 && bytes < learnt->waits)
		learnt->waits = bytes;
	if (!wait)
		return;
	/* Both end together: the message arrives after this entry, or the receive goes on. */
	l = latency_known(&learnt->messages, bytes);
	keeper_depend(k, e, VIRTUAL_PAIR, &l->there, &l->waited, now);
}

static inline int64_t keeper_times(int64_t lag, int64_t times)
{
	return lag < INT64_MAX / times ? lag * times : INT64_MAX;
}

/* The latency of a collective with a root, of so many ranks, or of a prefix sum: while little is
 * learnt, that of as many messages as a tree has levels, at the most. */
static inline struct latency keeper_rooted(struct virtual_learnt *learnt, uint64_t bytes, int ranks)
{
	struct latency l = *latency_known(&learnt->rooted, bytes);
	const struct latency *one = latency_known(&learnt->messages, bytes);
	int64_t levels = 1;

	while (1 << levels < ranks)
		levels++;
	if (l.waited.most == INT64_MAX)
		l.waited = (struct latency_range){ one->waited.usual, one->waited.least,
						   keeper_times(one->waited.most, levels) };
	if (l.there.most == INT64_MAX)
		l.there = (struct latency_range){ one->there.usual, 0,
						  keeper_times(one->there.most, levels) };
	return l;
}

/* It waited for another rank to come so far, and ended so long after that. */
static inline void keeper_awaited(struct virtual_keeper *k, const struct latency *l,
				  const struct virtual_entry *e, int64_t now)
{
	keeper_depend(k, e, VIRTUAL_PAIR, &l->waited, &l->there, now);
}

/* What a call of so many bytes teaches that waited for several, of whom the last came at
 * `latest`. */
static inline void keeper_learn(const struct virtual_keeper *k, struct latencies *of,
				uint64_t bytes, int64_t latest, int64_t now)
{
	if (k->sum.partners)
		latency_learn(of, bytes, k->own.time, latest, now);
}

/* All wait for all: lags are the same. */
static inline void keeper_together(struct virtual_keeper *k, const struct virtual_entry *e,
				   int64_t now)
{
	static const struct latency_range none = { 0, 0, 0 };

	keeper_depend(k, e, VIRTUAL_ALL, &none, &none, now);
}

/* ---- threads of a process ---- */

/* The thread begins because another one was there. */
static inline void keeper_follow(struct virtual_keeper *k, struct virtual_entry e, int64_t now)
{
	k->intrusion = e.intrusion;
	k->error = e.error;
	k->ended = now - e.intrusion;
}

/* Outside of calls, from `own` until now, it has waited for all of some, whose latest entry this
 * is. What it did meanwhile (tasks) may have been in the way of others, or not. */
static inline void keeper_waited(struct virtual_keeper *k, const struct virtual_costs *costs,
				 struct virtual_entry own, struct virtual_entry latest, int64_t now)
{
	const struct virtual_range none = { 0, 0 };
	struct virtual_sum sum;
	struct virtual_end end;
	int64_t grown;

	k->intrusion += keeper_take_probes(k, costs);
	grown = k->intrusion > own.intrusion ? k->intrusion - own.intrusion
					     : own.intrusion - k->intrusion;
	virtual_begin(&sum, own, now);
	virtual_depend(&sum, latest, none);
	end = virtual_complete(&sum, VIRTUAL_ALL);
	k->intrusion = end.intrusion;
	k->error = virtual_more(end.error, grown);
	k->ended = now - end.intrusion;
}

/* ---- the end of a call ---- */

/* The call that was entered at `entered`, virtually, ended; `timed` of its brackets belongs to that
 * which follows. */
static inline struct virtual_end keeper_leave(struct virtual_keeper *k,
					      const struct virtual_costs *costs, int64_t entered,
					      int64_t time, int64_t timed)
{
	struct virtual_end end;
	int64_t took;

	k->error = (int64_t)(costs->call_error / 1000);
	k->inside += keeper_take_probes(k, costs) + (int64_t)(costs->between / 1000);
	k->timed = timed;
	k->inside -= timed;
	virtual_ended(&k->sum, time);
	end = virtual_complete(&k->sum, k->rule);
	end.intrusion += k->inside;
	/* Virtual time never runs backwards, nor ahead of real time. */
	if (time - end.intrusion < entered)
		end.intrusion = time - entered;
	k->left = k->intrusion = end.intrusion;
	k->ended = time - end.intrusion;
	k->error = virtual_more(end.error, k->error);
	/* Both are without what was bracketed in the call, too. */
	took = k->ended - entered;
	end.synchronisation = end.synchronisation < took ? end.synchronisation : took;
	end.transmission = took - end.synchronisation;
	return end;
}

/* Recording it took so long after that. */
static inline void keeper_after(struct virtual_keeper *k, int64_t took)
{
	k->intrusion += took;
}
