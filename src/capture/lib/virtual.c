#include "capture/lib/virtual.h"

#include "capture/lib/carry.h"
#include "capture/lib/locks.h"
#include "capture/lib/own_line.h"
#include "capture/lib/virtual_latency.h"

/* Of a thread. */
static _Thread_local struct {
	int64_t intrusion, error; /* but for the probes since */
	uint64_t probes, spent;   /* and what of them is bracketed */
	int64_t timed, stretch;   /* bracketed since the latest call; up to the present one */
	uint64_t untold;          /* probes that the others do not know of */
	uint64_t call;            /* tv_thread.now of the call that the rest is of, */
	uint64_t over;            /* and of the latest one whose end is told */
	int64_t before, unsure;   /* intrusion where it began, and the bound of its error */
	struct virtual_entry own;
	struct virtual_sum sum;
	enum virtual_rule rule;
	int64_t inside; /* bracketed in it, */
	struct {
		uint64_t from;
		int64_t took;
	} latest;       /* and the latest of that */
	int64_t left;   /* intrusion where it ended, */
	int64_t ended;  /* and virtual time then */
	bool completed; /* a request, or a message was received */
	struct virtual_poll poll;
} self;

static struct {
	pthread_mutex_t lock;
	struct latencies latencies;
	/* The largest message that left before its receiver came, the smallest that waited. */
	uint64_t eager, waits;
	struct virtual_costs costs;
	uint64_t untold; /* probes of TV_VIRTUAL_UNTOLD */
} learnt = { .lock = PTHREAD_MUTEX_INITIALIZER, .waits = UINT64_MAX };

/* ---- own work ---- */

/* What the probes since the last time cost. */
static int64_t probes_cost(void)
{
	return (int64_t)(self.spent + self.probes * learnt.costs.probe / 1000);
}

/* Until they are measured, costs are below this. */
static uint64_t unknown_cost(void)
{
	return learnt.untold ? 0 : 100 * tv.microsecond;
}

static int64_t take_probes(void)
{
	const uint64_t error = learnt.costs.probe_error + unknown_cost();
	const int64_t cost = probes_cost();

	self.error = virtual_more(self.error, (int64_t)(self.probes * error / 1000));
	self.timed += (int64_t)self.spent;
	self.probes = self.spent = 0;
	return cost;
}

/* The others are told of the intrusion now. */
static void tell(void)
{
	const int64_t intrusion = self.intrusion + probes_cost();

	self.untold = 0;
	tv_line_runs(&tv_self, intrusion, (int64_t)tv_now() - intrusion, false);
}

void tv_virtual_pause(void)
{
	tv_line_pauses();
}

void tv_virtual_probe(uint64_t spent)
{
	self.probes++;
	self.spent += spent;
	if (TV_UNLIKELY(tv.line) && (spent || ++self.untold > learnt.untold) && !tv_self.nested)
		tell();
}

uint64_t tv_virtual_now(void)
{
	self.intrusion += take_probes();
	return tv_now() - (uint64_t)self.intrusion;
}

int64_t tv_virtual_bracketed(void)
{
	return self.intrusion + (int64_t)self.spent;
}

void tv_virtual_costs(struct virtual_costs costs)
{
	learnt.costs = costs;
	learnt.untold =
		costs.probe ? TV_VIRTUAL_UNTOLD * tv.microsecond * 1000 / costs.probe : UINT32_MAX;
}

static void begin(struct tv_thread *t, uint64_t now)
{
	self.intrusion += take_probes();
	/* Mean costs must not make virtual time run backwards. */
	if ((int64_t)t->now - self.intrusion < self.ended)
		self.intrusion = (int64_t)t->now - self.ended;
	self.call = t->now;
	self.before = self.intrusion;
	self.unsure = self.error;
	self.stretch = self.timed;
	self.timed = 0;
	self.own = (struct virtual_entry){ .time = (int64_t)now,
					   .intrusion = self.intrusion + (int64_t)(now - t->now),
					   .error = self.error };
	virtual_begin(&self.sum, self.own, 0);
	self.rule = VIRTUAL_ALONE;
	self.completed = false;
	self.inside = 0;
	self.latest.from = 0;
}

/* A call that MPI called back is part of the call around it. */
static bool is_inner(const struct tv_thread *t)
{
	return t->outers > 0;
}

static struct virtual_entry inner_entry(void)
{
	return (struct virtual_entry){ .time = (int64_t)tv_now(),
				       .intrusion = self.own.intrusion + self.inside,
				       .error = self.error };
}

/* A call that told no partner of its entry went on at once. */
static void opened(struct tv_thread *t)
{
	if (self.call != t->now && !is_inner(t))
		begin(t, t->now);
}

struct tv_virtual_mark tv_virtual_mark(void)
{
	tv_line_pauses();
	return (struct tv_virtual_mark){ .time = tv_now(),
					 .intrusion = self.intrusion,
					 .error = self.error,
					 .timed = self.timed,
					 .ended = self.ended,
					 .probes = self.probes,
					 .spent = self.spent };
}

void tv_virtual_skip(struct tv_thread *t, struct tv_virtual_mark mark)
{
	const int64_t took = (int64_t)(tv_now() - mark.time);

	self.probes = mark.probes;
	self.spent = mark.spent;
	self.error = mark.error;
	self.ended = mark.ended; /* Calls of measure_costs.c do not count. */
	/* Room for the record of a call's entry is made before its time is known. */
	if (!t->nested || self.over == t->now) {
		self.intrusion = mark.intrusion + took;
		self.timed = mark.timed + took;
		if (tv.line)
			tell();
		return;
	}
	opened(t);
	self.inside += took;
	self.latest.from = mark.time;
	self.latest.took = took;
}

int64_t tv_virtual_entered(const struct tv_thread *t)
{
	int64_t at = (int64_t)t->now - self.intrusion - probes_cost();

	if (self.call == t->now)
		at = self.own.time - self.own.intrusion;
	return at > self.ended ? at : self.ended;
}

void tv_virtual_latency(int64_t *least, int64_t *noise)
{
	struct latency l;

	tv_lock(&learnt.lock);
	l = latency_of(&learnt.latencies, 0);
	*least = latency_quantile(latency_near(learnt.latencies.waited, 0), 5);
	tv_unlock(&learnt.lock);
	*noise = 2 * l.uncertainty;
}

struct virtual_entry tv_virtual_enter(struct tv_thread *t)
{
	if (is_inner(t))
		return inner_entry();
	if (self.call != t->now)
		begin(t, tv_now());
	return self.own;
}

void tv_virtual_held(struct tv_thread *t)
{
	if (is_inner(t) || self.call != t->now)
		return;
	self.own.intrusion -= self.own.time;
	self.own.time = (int64_t)tv_now();
	self.own.intrusion += self.own.time;
	virtual_begin(&self.sum, self.own, 0);
}

struct virtual_entry tv_virtual_entry(struct tv_thread *t)
{
	if (is_inner(t))
		return inner_entry();
	opened(t);
	return self.own;
}

/* ---- partners ---- */

static void depend(struct tv_thread *t, struct virtual_entry e, enum virtual_rule rule,
		   int64_t own_lag, int64_t uncertainty)
{
	if (is_inner(t))
		return;
	opened(t);
	self.sum.until = (int64_t)tv_now();
	if (own_lag > self.sum.own.lag)
		self.sum.own.lag = own_lag;
	self.rule = rule;
	virtual_depend(&self.sum, e, uncertainty);
}

/* A latency that is not known is at most what the call took since both sides had come. */
static int64_t lag_error(const struct latency *l, const struct virtual_entry *partner)
{
	const int64_t both = virtual_max(partner->time, self.own.time);

	return l->error >= 0 ? l->error : virtual_max(0, (int64_t)tv_now() - both);
}

void tv_virtual_sender(struct tv_thread *t, struct virtual_entry e, uint64_t bytes)
{
	struct latency l;

	opened(t);
	self.completed |= !is_inner(t);
	if (!e.time || is_inner(t))
		return;
	tv_lock(&learnt.lock);
	l = latency_of(&learnt.latencies, bytes);
	latency_learn(&learnt.latencies, bytes, self.own.time, e.time, (int64_t)tv_now());
	tv_unlock(&learnt.lock);
	e.lag = l.waited;
	depend(t, e, VIRTUAL_PAIR, l.there, lag_error(&l, &e));
}

/* Whether a message of that size waits for its receiver, who came `later` than the send. */
static bool waits(uint64_t bytes, uint32_t mode, bool later)
{
	enum { BUFFERED = 1, SYNCHRONOUS = 2, READY = 3 };

	if (mode == SYNCHRONOUS)
		return true;
	if (mode == BUFFERED || mode == READY || bytes <= learnt.eager)
		return false;
	return later || bytes >= learnt.waits;
}

bool tv_virtual_waits(uint64_t bytes, uint32_t mode)
{
	return waits(bytes, mode, false);
}

void tv_virtual_receiver(struct tv_thread *t, struct virtual_entry e, uint64_t bytes, uint32_t mode)
{
	struct latency l;
	bool wait, later;

	opened(t);
	self.completed |= !is_inner(t);
	if (is_inner(t) || !e.time || e.error == TV_VIRTUAL_UNKNOWN)
		return;
	later = e.time > self.own.time;
	tv_lock(&learnt.lock);
	if (e.time == TV_CARRY_LATER && mode == 0 && bytes > learnt.eager && bytes < learnt.waits)
		learnt.eager = bytes;
	wait = e.time != TV_CARRY_LATER && waits(bytes, mode, later);
	if (wait && later && mode == 0 && bytes < learnt.waits)
		learnt.waits = bytes;
	l = latency_of(&learnt.latencies, bytes);
	tv_unlock(&learnt.lock);
	if (!wait)
		return;
	/* Both end together: the message arrives after this entry, or the receive goes on. */
	e.lag = l.there;
	depend(t, e, VIRTUAL_PAIR, l.waited, lag_error(&l, &e));
}

void tv_virtual_completed(struct tv_thread *t)
{
	opened(t);
	self.completed |= !is_inner(t);
}

void tv_virtual_depart(struct tv_thread *t)
{
	opened(t);
	self.sum.own.error = self.own.error = self.error = VIRTUAL_NO_BOUND;
}

/* The call waits for another rank, and ends so long after that at the least. */
static void depend_on(struct tv_thread *t, struct virtual_entry e, uint64_t bytes)
{
	struct latency l;

	/* One that waits for none depends on itself alone. */
	if (!e.time || (e.time == self.own.time && e.intrusion == self.own.intrusion))
		return;
	tv_lock(&learnt.lock);
	l = latency_of(&learnt.latencies, bytes);
	tv_unlock(&learnt.lock);
	e.lag = l.waited;
	depend(t, e, VIRTUAL_PAIR, l.there, lag_error(&l, &e));
}

void tv_virtual_awaited(struct tv_thread *t, struct virtual_entry e)
{
	opened(t);
	if (!is_inner(t))
		depend_on(t, e, 0);
}

/* All, or where a call ended before the latest member came (none waits for those to whom nothing
 * is given), those that had come. */
static void depend_on_all(struct tv_thread *t, const struct tv_comm *comm, uint64_t ticket,
			  struct virtual_entry latest)
{
	if (latest.time <= (int64_t)tv_now()) {
		depend(t, latest, VIRTUAL_ALL, 0, 0);
		return;
	}
	for (int rank = 0; rank < comm->size; rank++) {
		const struct virtual_entry e = tv_carry_member(comm, ticket, rank);
		if (e.time)
			depend(t, e, VIRTUAL_ALL, 0, 0);
	}
}

void tv_virtual_together(struct tv_thread *t, const struct tv_comm *comm, uint64_t ticket,
			 enum virtual_rule rule, int root, uint64_t bytes)
{
	const struct virtual_entry own = tv_virtual_entry(t);
	struct virtual_entry e;

	tv_virtual_completed(t);
	if (!ticket || is_inner(t))
		return;
	if (rule == VIRTUAL_BELOW) {
		for (int rank = 0; rank < comm->rank; rank++)
			depend_on(t, tv_carry_member(comm, ticket, rank), bytes);
		return;
	}
	if (rule == VIRTUAL_NEIGHBOURS) {
		for (int i = 0; comm->neighbours && i < comm->in; i++)
			if (comm->neighbours[i] != comm->rank)
				depend_on(t, tv_carry_member(comm, ticket, comm->neighbours[i]),
					  bytes);
		return;
	}
	e = tv_carry_latest(comm, ticket, rule, root, own);
	if (e.time && rule == VIRTUAL_ALL)
		depend_on_all(t, comm, ticket, e);
	else if (e.time)
		depend_on(t, e, bytes);
}

/* ---- the end of a call ---- */

static bool is_poll(uint32_t call)
{
	return call == CALL_Test || call == CALL_Testany || call == CALL_Testall ||
	       call == CALL_Testsome || call == CALL_Iprobe || call == CALL_Improbe;
}

/* A loop of tests is one wait. Returns where the call begins, virtually. */
static int64_t follow_polls(struct tv_thread *t, uint32_t call, uint64_t time)
{
	const int64_t gap = 2 * (int64_t)tv.microsecond, began = self.sum.own.time;
	const int64_t entered = (int64_t)t->now - self.before;
	const uint64_t key = t->place ^ (uint64_t)call << 48;

	if (!is_poll(call)) {
		virtual_poll_end(&self.poll);
	} else if (!self.completed) {
		virtual_poll_false(&self.poll, key, began, self.sum.own.intrusion, (int64_t)time,
				   gap);
	} else {
		const struct virtual_entry e =
			virtual_poll_true(&self.poll, key, began, self.sum.own.intrusion, gap);
		self.sum.own.time = e.time;
		self.sum.own.intrusion = e.intrusion;
	}
	return self.sum.own.time < began ? self.sum.own.time - self.sum.own.intrusion : entered;
}

struct virtual_end tv_virtual_leave(struct tv_thread *t, uint32_t call, uint64_t time)
{
	struct virtual_end end;
	int64_t entered;

	opened(t);
	entered = follow_polls(t, call, time);
	self.error = (int64_t)((learnt.costs.call_error + unknown_cost()) / 1000);
	self.inside += take_probes() + (int64_t)(learnt.costs.between / 1000);
	/* Brackets after the call belong to that which follows it. */
	self.timed = self.latest.from >= time ? self.latest.took : 0;
	self.inside -= self.timed;
	self.sum.until = (int64_t)time;
	end = virtual_complete(&self.sum, self.rule);
	end.intrusion += self.inside;
	/* Virtual time never runs backwards, nor ahead of real time. */
	if ((int64_t)time - end.intrusion < entered)
		end.intrusion = (int64_t)time - entered;
	self.left = self.intrusion = end.intrusion;
	self.ended = (int64_t)time - end.intrusion;
	self.error = virtual_more(end.error, self.error);
	return end;
}

static uint32_t bound_of(int64_t error)
{
	return error < UINT32_MAX ? (uint32_t)error : UINT32_MAX;
}

void tv_virtual_record(struct tv_thread *t, uint32_t call, uint64_t time)
{
	struct tv_virtual *record = tv_room(t, sizeof *record);
	uint64_t after = tv_now() - time + learnt.costs.call / 1000;

	self.intrusion += (int64_t)after;
	self.call = 0;
	self.over = t->now;
	self.untold = 0;
	if (tv.line)
		tv_line_runs(t, self.intrusion, self.ended, self.poll.open);
	if (!record)
		return;
	*record = (struct tv_virtual){
		.head = { .time = time,
			  .kind = TV_VIRTUAL,
			  .call = (uint16_t)call,
			  .id = after < UINT32_MAX ? (uint32_t)after : UINT32_MAX },
		.entered = t->now,
		.before = self.before,
		.left = self.left,
		.unsure = bound_of(self.unsure),
		.error = bound_of(self.error),
		.timed = self.stretch,
		.inside = self.own.time - (int64_t)t->now,
	};
	tv_commit(t, sizeof *record);
}
