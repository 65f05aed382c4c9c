#include "engine.h"

#include <string.h>

#include "base/mem.h"
#include "clock.h"
#include "engine_impl.h"

/* ---- records ---- */

static void note(struct engine *e, uint32_t rank, struct happening happening)
{
	vec_push(&e->run->of[rank].events, happening);
	e->run->events++;
}

void engine_note(struct engine *e, uint32_t rank, enum happening_kind kind, uint8_t region,
		 int64_t time)
{
	note(e, rank, (struct happening){ .time = time, .kind = (uint8_t)kind, .region = region });
}

/* Buffers are written out before the record that has no room; in both runs before the same one. */
static void flush(struct engine *e, uint32_t rank)
{
	struct actor *a = &e->actors[rank];

	if (!e->settings->flush_every || a->stamps % e->settings->flush_every || a->left_out)
		return;
	engine_note(e, rank, HAPPEN_ENTER, REGION_BUFFER, a->now);
	if (e->measured)
		engine_intrude(e, rank, pico(e->settings->flush));
	engine_note(e, rank, HAPPEN_LEAVE, REGION_BUFFER, a->now);
}

/* A record of a region: half of what it costs lies before its time stamp. */
static int64_t stamp(struct engine *e, uint32_t rank, uint8_t region)
{
	struct actor *a = &e->actors[rank];
	int64_t time;

	a->stamps++;
	flush(e, rank);
	if (region_info[region].cls == CLASS_USER)
		keep_delay(e, rank);
	else if (a->learnt)
		return a->now; /* keep_enter() and keep_leave() have the rest */
	engine_intrude(e, rank, e->cost[region] / 2);
	time = a->now;
	engine_intrude(e, rank, e->cost[region] - e->cost[region] / 2);
	return time;
}

/* ---- segments without probes ---- */

/* Plans up to the end of the segment that begins: the next call of MPI. */
static void plan_segment(struct plan *plan)
{
	size_t i = plan->at;

	for (;;) {
		for (; i < plan->ops.n; i++)
			if (plan->ops.data[i].kind >= OP_MEASURE)
				return;
		i -= plan->at;
		if (!plan_fill(plan))
			return;
	}
}

/* True when the segment that begins ends with the same functions open, not deeper than can be
 * told. */
static bool is_closed_segment(const struct plan *plan)
{
	enum { DEEPEST = 16 };
	uint8_t left[DEEPEST], entered[DEEPEST];
	size_t n_left = 0, n_entered = 0;

	for (size_t i = plan->at; i < plan->ops.n; i++) {
		const struct op *op = &plan->ops.data[i];
		if (op->kind >= OP_MEASURE) {
			if (n_left != n_entered)
				return false;
			for (size_t k = 0; k < n_left; k++)
				if (left[k] != entered[n_left - 1 - k])
					return false;
			return true;
		}
		if (op->kind == OP_ENTER) {
			if (n_entered == DEEPEST)
				return false;
			entered[n_entered++] = op->region;
		} else if (op->kind == OP_LEAVE && n_entered) {
			n_entered--;
		} else if (op->kind == OP_LEAVE) {
			if (n_left == DEEPEST)
				return false;
			left[n_left++] = op->region;
		}
	}
	return false;
}

static void begin_segment(struct engine *e, uint32_t rank, int64_t time)
{
	const struct settings *s = e->settings;
	struct actor *a = &e->actors[rank];
	const bool drawn =
		s->insitu > 0 && chance_share(s->seed, CHANCE_SEGMENT, rank, a->calls) < s->insitu;

	e->run->segments++;
	if (s->gap_note > 0) {
		gap_begin(e, rank, drawn);
		return;
	}
	plan_segment(&a->plan);
	a->left_out = drawn && is_closed_segment(&a->plan);
	a->left_from = time;
	e->run->left_out += a->left_out;
}

static void end_segment(struct engine *e, uint32_t rank, int64_t time)
{
	struct actor *a = &e->actors[rank];

	gap_end(e, rank, time);
	if (a->left_out) {
		engine_note(e, rank, HAPPEN_ENTER, REGION_UNRECORDED, a->left_from);
		engine_note(e, rank, HAPPEN_LEAVE, REGION_UNRECORDED, time);
	}
	a->left_out = false;
}

static void function(struct engine *e, uint32_t rank, const struct op *op)
{
	if (e->actors[rank].left_out) {
		engine_intrude(e, rank, e->guard);
		return;
	}
	if (e->actors[rank].gap.open) {
		gap_record(e, rank, op->kind == OP_ENTER ? HAPPEN_ENTER : HAPPEN_LEAVE, op->region);
		return;
	}
	engine_note(e, rank, op->kind == OP_ENTER ? HAPPEN_ENTER : HAPPEN_LEAVE, op->region,
		    stamp(e, rank, op->region));
}

/* ---- calls of MPI ---- */

/* The records at the start of a call: they bear its time. */
static void enter_call(struct engine *e, uint32_t rank)
{
	struct actor *a = &e->actors[rank];
	const struct op *op = &a->op;
	struct happening with = {
		.peer = op->peer, .tag = op->tag, .bytes = op->bytes, .region = op->region
	};

	with.time = stamp(e, rank, op->region);
	a->entered = with.time;
	keep_enter(e, rank, with.time);
	end_segment(e, rank, with.time);
	engine_note(e, rank, HAPPEN_ENTER, op->region, with.time);
	a->calls++;
	switch (op->kind) {
	case OP_SEND:
	case OP_SSEND: with.kind = HAPPEN_SEND; break;
	case OP_ISEND: with.kind = HAPPEN_ISEND; break;
	case OP_IRECV: with.kind = HAPPEN_IRECV_REQUEST; break;
	case OP_COLLECTIVE: with.kind = HAPPEN_BEGIN; break;
	default: return;
	}
	if (op->kind == OP_ISEND || op->kind == OP_IRECV)
		with.request = ++a->requests;
	note(e, rank, with);
}

static void pass(struct engine *e, struct actor *a)
{
	if (e->settings->control)
		vec_push(&a->way, ((struct stretch){ a->now, a->now - a->intrusion }));
}

/* Does what is planned up to the next call of MPI, whose time then comes. */
void engine_go_on(struct engine *e, uint32_t rank)
{
	struct actor *a = &e->actors[rank];

	a->way.n = 0;
	for (;;) {
		pass(e, a);
		if (a->plan.at == a->plan.ops.n && !plan_fill(&a->plan)) {
			a->ended = true;
			return;
		}
		if (a->plan.at == a->plan.ops.n)
			continue;
		const struct op *op = &a->plan.ops.data[a->plan.at++];
		if (op->kind == OP_WORK) {
			a->now += op->work;
			continue;
		}
		if (op->kind == OP_PROBE) {
			if (e->measured)
				engine_intrude(e, rank, op->work);
			continue;
		}
		if (op->kind < OP_WORK) {
			function(e, rank, op);
			continue;
		}
		a->op = *op;
		if (op->kind != OP_MEASURE) {
			enter_call(e, rank);
			a->now += pico(e->settings->call);
		}
		pass(e, a);
		queue_push(&e->queue, a->now, rank, NO_MESSAGE);
		return;
	}
}

void engine_note_blocked(struct engine *e, uint32_t rank, uint32_t by, int64_t entered)
{
	const struct actor *a = &e->actors[rank];
	const struct blocked blocked = { .rank = rank,
					 .by = by,
					 .region = a->op.region,
					 .from = a->entered,
					 .until = entered < a->now ? entered : a->now };

	if (blocked.until > blocked.from)
		vec_push(&e->run->blocked, blocked);
}

void engine_leave_call(struct engine *e, uint32_t rank)
{
	struct actor *a = &e->actors[rank];
	const struct op *op = &a->op;
	const struct call_end end = { a->now, a->now - a->intrusion, a->synchronisation };
	int64_t time;

	vec_push(&e->run->of[rank].ends, end);
	a->synchronisation = 0;
	time = stamp(e, rank, op->region);
	keep_leave(e, rank, time);
	if (op->kind == OP_RECV)
		note(e, rank,
		     (struct happening){ .time = time,
					 .kind = HAPPEN_RECV,
					 .peer = a->plan.source,
					 .tag = op->tag,
					 .bytes = a->plan.bytes });
	if (op->kind == OP_COLLECTIVE)
		note(e, rank,
		     (struct happening){ .time = time,
					 .kind = HAPPEN_END,
					 .region = op->region,
					 .bytes = op->bytes });
	if (op->kind == OP_WAITALL) {
		const struct wanted *w;
		vec_each (w, &a->wanted)
			note(e, rank,
			     (struct happening){ .time = time,
						 .kind = w->is_send ? HAPPEN_ISEND_DONE
								    : HAPPEN_IRECV,
						 .peer = w->source,
						 .tag = w->tag,
						 .bytes = w->bytes,
						 .request = w->request });
		a->wanted.n = 0;
	}
	engine_note(e, rank, HAPPEN_LEAVE, op->region, time);
	if (op->kind != OP_INIT && op->kind != OP_FINALIZE)
		begin_segment(e, rank, time);
	engine_go_on(e, rank);
}

/* ---- the run ---- */

/* The call's time has come. */
static void act(struct engine *e, uint32_t rank)
{
	const struct actor *a = &e->actors[rank];

	switch ((enum op_kind)a->op.kind) {
	case OP_SEND:
	case OP_SSEND:
	case OP_ISEND: letter_send(e, rank); break;
	case OP_RECV:
	case OP_IRECV: letter_receive(e, rank); break;
	case OP_WAITALL: letter_wait(e, rank); break;
	case OP_MEASURE: meeting_measure(e, rank); break;
	case OP_FINALIZE: (a->measured_end ? meeting_come : meeting_measure)(e, rank); break;
	default: meeting_come(e, rank); break;
	}
}

static void set_costs(struct engine *e)
{
	const struct settings *s = e->settings;

	for (int r = 0; r < REGIONS && e->measured; r++) {
		double cost = s->overhead;
		if (region_info[r].cls == CLASS_USER)
			cost *= 1 -
				s->spread * chance_share(s->seed, CHANCE_REGION, (uint64_t)r, 0);
		e->cost[r] = pico(cost);
	}
	e->guard = e->measured ? pico(s->guard) : 0;
	e->gap_note = e->measured ? pico(s->gap_note) : 0;
}

static bool finish(struct engine *e)
{
	bool ended = true;

	for (uint32_t r = 0; r < e->settings->ranks; r++) {
		struct actor *a = &e->actors[r];
		ended = ended && a->ended;
		if (a->now > e->run->end)
			e->run->end = a->now;
		vec_fini(&a->plan.ops);
		vec_fini(&a->wanted);
		vec_fini(&a->under_way);
		vec_fini(&a->way);
	}
	for (size_t i = 0; i < e->meetings.n; i++) {
		const struct meeting *m = &e->meetings.data[i];
		if (m->at)
			free_all(m->at, m->entered, m->intrusion, m->kept);
	}
	keep_end(e);
	vec_fini(&e->meetings);
	vec_fini(&e->letters);
	vec_fini(&e->last_arrival);
	keymap_fini(&e->pairs);
	queue_fini(&e->queue);
	free(e->actors);
	return ended;
}

bool engine_run(struct run *run, const struct settings *settings, bool measured,
		const struct run *follow)
{
	struct engine e = { .settings = settings,
			    .follow = follow,
			    .run = run,
			    .measured = measured,
			    .free_letter = NO_MESSAGE };
	struct pending next;

	memset(run, 0, sizeof *run);
	if (!program_init(&e.program, settings))
		return false;
	run->ranks = settings->ranks;
	run->of = xcalloc(settings->ranks, sizeof *run->of);
	e.actors = xcalloc(settings->ranks, sizeof *e.actors);
	set_costs(&e);
	keep_begin(&e);
	for (uint32_t r = 0; r < settings->ranks; r++) {
		struct actor *a = &e.actors[r];
		a->plan.program = &e.program;
		a->plan.settings = settings;
		a->plan.rank = r;
		a->first = a->last = NO_MESSAGE;
		a->now = SIMULATION_START;
		engine_go_on(&e, r);
	}
	while (queue_pop(&e.queue, &next)) {
		e.now = next.time;
		if (next.message == NO_MESSAGE)
			act(&e, next.rank);
		else if (next.message != NO_CALL)
			letter_arrive(&e, next.rank, next.message);
		hold_look(&e);
	}
	return finish(&e);
}

void run_fini(struct run *run)
{
	for (uint32_t r = 0; r < run->ranks; r++) {
		vec_fini(&run->of[r].events);
		vec_fini(&run->of[r].sources);
		vec_fini(&run->of[r].ends);
		vec_fini(&run->of[r].kept);
	}
	free(run->of);
	vec_fini(&run->round_trips);
	vec_fini(&run->blocked);
	memset(run, 0, sizeof *run);
}
