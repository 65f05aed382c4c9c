#include "capture/lib/virtual.h"

#include "capture/lib/carry.h"
#include "capture/lib/locks.h"
#include "capture/lib/own_line.h"
/* Of a thread. */
static _Thread_local struct {
	struct virtual_keeper k;
	struct virtual_costs unmeasured;
	uint64_t untold; /* probes that the others do not know of */
	uint64_t call;   /* tv_thread.now of the call that the rest is of, */
	uint64_t over;   /* and of the latest one whose end is told */
	struct {
		uint64_t from;
		int64_t took;
	} latest;       /* bracket in it */
	bool completed; /* a request, or a message was received */
	struct virtual_poll poll;
} self;

static struct {
	pthread_mutex_t lock;
	struct virtual_learnt what;
	struct virtual_costs costs;
	uint64_t untold; /* probes of TV_VIRTUAL_UNTOLD */
} learnt = { .lock = PTHREAD_MUTEX_INITIALIZER, .what.waits = UINT64_MAX };

/* ---- own work ---- */

/* Until they are measured, costs are below 100 microseconds. */
static const struct virtual_costs *costs(void)
{
	if (TV_LIKELY(learnt.untold))
		return &learnt.costs;
	self.unmeasured = learnt.costs;
	self.unmeasured.probe_error = self.unmeasured.call_error = 100 * tv.microsecond;
	return &self.unmeasured;
}

/* What the probes since the last time cost. */
static int64_t probes_cost(void)
{
	return keeper_probes_cost(&self.k, costs());
}

static int64_t take_probes(void)
{
	return keeper_take_probes(&self.k, costs());
}

/* The others are told of the intrusion now. */
static void tell(void)
{
	const int64_t intrusion = self.k.intrusion + probes_cost();

	self.untold = 0;
	tv_line_runs(&tv_self, intrusion, (int64_t)tv_now() - intrusion, false);
}

void tv_virtual_note(const struct tv_thread *t)
{
	if (tv.virtual_time && tv.statistics && tv.file && t->number == 0)
		tv.file->intrusion = (uint64_t)(self.k.intrusion + probes_cost());
}

void tv_virtual_pause(void)
{
	tv_line_pauses();
}

void tv_virtual_probe(uint64_t spent)
{
	keeper_probe(&self.k, spent);
	if (TV_UNLIKELY(tv.line) && (spent || ++self.untold > learnt.untold) && !tv_self.nested)
		tell();
}

uint64_t tv_virtual_now(void)
{
	self.k.intrusion += take_probes();
	return tv_now() - (uint64_t)self.k.intrusion;
}

int64_t tv_virtual_bracketed(void)
{
	return self.k.intrusion + (int64_t)self.k.spent;
}

void tv_virtual_costs(struct virtual_costs costs)
{
	learnt.costs = costs;
	learnt.untold =
		costs.probe ? TV_VIRTUAL_UNTOLD * tv.microsecond * 1000 / costs.probe : UINT32_MAX;
}

static struct virtual_entry begin(struct tv_thread *t, uint64_t now)
{
	self.call = t->now;
	self.completed = false;
	self.latest.from = 0;
	return keeper_begin(&self.k, costs(), (int64_t)t->now, (int64_t)now);
}

/* A call that MPI called back is part of the call around it. */
static bool is_inner(const struct tv_thread *t)
{
	return t->outers > 0;
}

static struct virtual_entry inner_entry(void)
{
	return (struct virtual_entry){ .time = (int64_t)tv_now(),
				       .intrusion = self.k.own.intrusion + self.k.inside,
				       .error = self.k.error };
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
					 .intrusion = self.k.intrusion,
					 .error = self.k.error,
					 .timed = self.k.timed,
					 .ended = self.k.ended,
					 .probes = self.k.probes,
					 .spent = self.k.spent };
}

void tv_virtual_skip(struct tv_thread *t, struct tv_virtual_mark mark)
{
	const int64_t took = (int64_t)(tv_now() - mark.time);

	self.k.probes = mark.probes;
	self.k.spent = mark.spent;
	self.k.error = mark.error;
	self.k.ended = mark.ended; /* Calls of measure_costs.c do not count. */
	/* Room for the record of a call's entry is made before its time is known. */
	if (!t->nested || self.over == t->now) {
		self.k.intrusion = mark.intrusion + took;
		self.k.timed = mark.timed + took;
		tv_virtual_note(t);
		if (tv.line)
			tell();
		return;
	}
	opened(t);
	self.k.inside += took;
	self.latest.from = mark.time;
	self.latest.took = took;
}

int64_t tv_virtual_entered(const struct tv_thread *t)
{
	int64_t at = (int64_t)t->now - self.k.intrusion - probes_cost();

	if (self.call == t->now)
		at = self.k.own.time - self.k.own.intrusion;
	return at > self.k.ended ? at : self.k.ended;
}

void tv_virtual_latency(int64_t *least, int64_t *noise)
{
	tv_lock(&learnt.lock);
	*least = latency_range_of(learnt.what.messages.waited, 0).least;
	*noise = latency_noise(&learnt.what.messages, 0);
	tv_unlock(&learnt.lock);
}

struct virtual_entry tv_virtual_enter(struct tv_thread *t)
{
	if (is_inner(t))
		return inner_entry();
	if (self.call != t->now)
		return begin(t, tv_now());
	return self.k.own;
}

void tv_virtual_held(struct tv_thread *t)
{
	if (is_inner(t) || self.call != t->now)
		return;
	keeper_held(&self.k, (int64_t)tv_now());
}

struct virtual_entry tv_virtual_entry(struct tv_thread *t)
{
	if (is_inner(t))
		return inner_entry();
	opened(t);
	return self.k.own;
}

/* ---- partners ---- */

/* When the call under way ended, as far as its wrapper has read the clock since, else now. */
static int64_t returned(const struct tv_thread *t)
{
	return (int64_t)(t->returned > t->now ? t->returned : tv_now());
}

void tv_virtual_learn(uint64_t bytes, uint64_t ticks, bool there)
{
	struct latencies *of = &learnt.what.messages;

	tv_lock(&learnt.lock);
	latency_note(of, &(there ? of->there : of->waited)[latency_class(bytes)], ticks);
	tv_unlock(&learnt.lock);
}

void tv_virtual_sender(struct tv_thread *t, const struct virtual_entry *e, uint64_t bytes)
{
	opened(t);
	self.completed |= !is_inner(t);
	if (!e->time || is_inner(t))
		return;
	tv_lock(&learnt.lock);
	keeper_sender(&self.k, &learnt.what, e, bytes, returned(t));
	tv_unlock(&learnt.lock);
}

bool tv_virtual_waits(uint64_t bytes, uint32_t mode)
{
	return keeper_waits(&learnt.what, bytes, mode, false);
}

void tv_virtual_receiver(struct tv_thread *t, const struct virtual_entry *e, uint64_t bytes,
			 uint32_t mode)
{
	opened(t);
	self.completed |= !is_inner(t);
	if (is_inner(t) || !e->time || e->error == TV_VIRTUAL_UNKNOWN)
		return;
	tv_lock(&learnt.lock);
	keeper_receiver(&self.k, &learnt.what, e, e->time != TV_CARRY_LATER, bytes, mode,
			returned(t));
	tv_unlock(&learnt.lock);
}

void tv_virtual_completed(struct tv_thread *t)
{
	opened(t);
	self.completed |= !is_inner(t);
}

void tv_virtual_depart(struct tv_thread *t)
{
	opened(t);
	self.k.sum.own.error = self.k.own.error = self.k.error = VIRTUAL_NO_BOUND;
}

/* The call waits for another rank. Returns when that came, 0 unknown. */
static int64_t depend_on(const struct tv_thread *t, const struct virtual_entry *e,
			 const struct latency *l)
{
	/* One that waits for none depends on itself alone. */
	if (!e->time || (e->time == self.k.own.time && e->intrusion == self.k.own.intrusion))
		return 0;
	keeper_awaited(&self.k, l, e, returned(t));
	return e->time;
}

void tv_virtual_awaited(struct tv_thread *t, struct virtual_entry e)
{
	struct latency l;

	opened(t);
	if (is_inner(t))
		return;
	tv_lock(&learnt.lock);
	l = *latency_known(&learnt.what.messages, 0);
	tv_unlock(&learnt.lock);
	depend_on(t, &e, &l);
}

/* All, or where a call ended before the latest member came (none waits for those to whom nothing
 * is given), those that had come. */
static void depend_on_all(const struct tv_thread *t, const struct tv_comm *comm, uint64_t ticket,
			  const struct virtual_entry *latest)
{
	const int64_t now = returned(t);

	if (latest->time <= now) {
		keeper_together(&self.k, latest, now);
		return;
	}
	for (int rank = 0; rank < comm->size; rank++) {
		const struct virtual_entry e = tv_carry_member(comm, ticket, rank);
		if (e.time)
			keeper_together(&self.k, &e, now);
	}
}

/* Whose entry a rank's own depends on in a collective of some; -1: no more. */
static int next_member(const struct tv_comm *comm, enum virtual_rule rule, int root, int *at)
{
	const bool neighbours = rule == VIRTUAL_NEIGHBOURS;
	const int n = !neighbours ? comm->size : comm->neighbours ? comm->in : 0;

	while (*at < n) {
		const int i = (*at)++, rank = neighbours ? comm->neighbours[i] : i;
		if (rank != comm->rank &&
		    (neighbours || virtual_depends(rule, root, comm->rank, rank)))
			return rank;
	}
	return -1;
}

/* Of a rooted collective, of a prefix sum, or among neighbours. `latest` is what the members told
 * together, for those that are not known one by one any more; time 0: nothing. */
static void depend_on_some(const struct tv_thread *t, const struct tv_comm *comm, uint64_t ticket,
			   enum virtual_rule rule, int root, uint64_t bytes,
			   const struct virtual_entry *latest)
{
	int64_t last = 0, came;
	bool unknown = false;
	struct latency l;

	tv_lock(&learnt.lock);
	l = keeper_rooted(&learnt.what, bytes, comm->size);
	tv_unlock(&learnt.lock);
	for (int at = 0, rank; (rank = next_member(comm, rule, root, &at)) >= 0;) {
		const struct virtual_entry e = tv_carry_member(comm, ticket, rank);
		came = depend_on(t, &e, &l);
		unknown |= !came;
		last = virtual_max(last, came);
	}
	if (unknown)
		last = virtual_max(last, depend_on(t, latest, &l));
	if (!last)
		return;
	tv_lock(&learnt.lock);
	keeper_learn(&self.k, &learnt.what.rooted, bytes, last, returned(t));
	tv_unlock(&learnt.lock);
}

void tv_virtual_together(struct tv_thread *t, const struct tv_comm *comm, uint64_t ticket,
			 enum virtual_rule rule, int root, uint64_t bytes)
{
	const struct virtual_entry own = tv_virtual_entry(t);
	struct virtual_entry e;

	tv_virtual_completed(t);
	if (!ticket || is_inner(t))
		return;
	e = tv_carry_latest(comm, ticket, rule, root, own);
	if (rule != VIRTUAL_ALL)
		depend_on_some(t, comm, ticket, rule, root, bytes, &e);
	else if (e.time)
		depend_on_all(t, comm, ticket, &e);
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
	const int64_t gap = 2 * (int64_t)tv.microsecond, began = self.k.sum.own.time;
	const int64_t entered = (int64_t)t->now - self.k.before;
	const uint64_t key = t->place ^ (uint64_t)call << 48;

	if (!is_poll(call)) {
		virtual_poll_end(&self.poll);
	} else if (!self.completed) {
		virtual_poll_false(&self.poll, key, began, self.k.sum.own.intrusion, (int64_t)time,
				   gap);
	} else {
		const struct virtual_entry e =
			virtual_poll_true(&self.poll, key, began, self.k.sum.own.intrusion, gap);
		self.k.sum.own.time = e.time;
		self.k.sum.own.intrusion = e.intrusion;
	}
	return self.k.sum.own.time < began ? self.k.sum.own.time - self.k.sum.own.intrusion
					   : entered;
}

struct virtual_end tv_virtual_leave(struct tv_thread *t, uint32_t call, uint64_t time)
{
	int64_t entered;

	opened(t);
	if (self.k.received.n) {
		tv_lock(&learnt.lock);
		keeper_learn_messages(&self.k, &learnt.what, (int64_t)time);
		tv_unlock(&learnt.lock);
	}
	entered = follow_polls(t, call, time);
	/* Brackets after the call belong to that which follows it. */
	return keeper_leave(&self.k, costs(), entered, (int64_t)time,
			    self.latest.from >= time ? self.latest.took : 0);
}

static uint32_t bound_of(int64_t error)
{
	return error < UINT32_MAX ? (uint32_t)error : UINT32_MAX;
}

/* Room for a record, NULL: it is not kept. What follows `time` until now is intrusion, too, with
 * `beside`: what writing the record costs beside that. */
static inline struct tv_virtual *begin_record(struct tv_thread *t, uint32_t call, uint64_t time,
					      uint64_t beside)
{
	struct tv_virtual *record = tv_room(t, sizeof *record);
	const uint64_t after = tv_now() - time + beside;

	keeper_after(&self.k, (int64_t)after);
	tv_virtual_note(t);
	self.untold = 0;
	if (!record)
		return NULL;
	record->head.time = time;
	record->head.kind = TV_VIRTUAL;
	record->head.flags = 0;
	record->head.call = (uint16_t)call;
	record->head.id = after < UINT32_MAX ? (uint32_t)after : UINT32_MAX;
	return record;
}

void tv_virtual_record(struct tv_thread *t, uint32_t call, uint64_t time)
{
	struct tv_virtual *record = begin_record(t, call, time, learnt.costs.call / 1000);

	if (TV_LIKELY(record)) {
		record->entered = t->now;
		record->before = self.k.before;
		record->left = self.k.left;
		record->unsure = bound_of(self.k.unsure);
		record->error = bound_of(self.k.error);
		record->timed = self.k.stretch;
		record->inside = self.k.own.time - (int64_t)t->now;
		tv_commit(t, sizeof *record);
	}
	self.call = 0;
	self.over = t->now;
	if (tv.line)
		tv_line_runs(t, self.k.intrusion, self.k.ended, self.poll.open);
}

/* ---- threads of a process ---- */

struct virtual_entry tv_virtual_here(void)
{
	const int64_t now = (int64_t)tv_now();

	keeper_settle(&self.k, costs(), now);
	return (struct virtual_entry){ .time = now,
				       .intrusion = self.k.intrusion,
				       .error = self.k.error };
}

/* The thread, which was at `own`, goes on at `now`. */
static void record_wait(struct tv_thread *t, struct virtual_entry own, int64_t now, int64_t error,
			bool shown)
{
	const int64_t left = self.k.intrusion, timed = self.k.timed;
	struct tv_virtual *record = begin_record(t, 0, (uint64_t)now, 0);

	if (record) {
		record->entered = (uint64_t)own.time;
		record->before = own.intrusion;
		record->left = left;
		record->unsure = bound_of(own.error);
		record->error = bound_of(error);
		record->timed = timed;
		record->inside = shown ? 0 : TV_VIRTUAL_UNSHOWN;
		tv_commit(t, sizeof *record);
	}
	self.k.timed = 0;
	if (tv.line)
		tell();
}

void tv_virtual_follow(struct tv_thread *t, struct virtual_entry e, uint64_t since, bool shown)
{
	struct virtual_entry own = tv_virtual_here();
	const int64_t now = own.time;

	own.time = (int64_t)since;
	own.intrusion = e.intrusion;
	own.error = VIRTUAL_NO_BOUND; /* from when on it might have begun is not known */
	keeper_follow(&self.k, e, now);
	record_wait(t, own, now, self.k.error, shown);
}

void tv_virtual_waited(struct tv_thread *t, struct virtual_entry own, struct virtual_entry latest,
		       bool shown)
{
	const int64_t now = (int64_t)tv_now();

	keeper_waited(&self.k, costs(), own, latest, now);
	record_wait(t, own, now, self.k.error, shown);
}

void tv_virtual_idles(struct tv_thread *t, struct virtual_entry own)
{
	record_wait(t, own, own.time, VIRTUAL_NO_BOUND, true);
}
