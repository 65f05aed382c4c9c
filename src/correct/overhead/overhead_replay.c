#include "correct/overhead/overhead_replay.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "correct/overhead/overhead_paper.h"
#include "model/trace/base_write.h"
#include "model/trace/detail.h"
#include "model/trace/store.h"

enum {
	GAP_ENTERS = 64,   /* levels that the end of a gap is searched for a call */
	CALL_EVENTS = 256, /* completions of a call that are searched for a receive */
};

/* ---- one event ---- */

/* At a gap's ends levels are left and entered without records: those open on one side only. */
static bool is_made_up(const struct overhead_place *place, uint32_t what, int64_t m)
{
	if (what_kind(what) == EV_ENTER)
		return place->gap_ended && m == place->gap_end;
	return place->skipped && !place->gap_ended && m == place->segment_begin;
}

/* The end of a gap counts as the enter of a call that follows at the same time. */
static bool ends_at_call(const struct overhead_replay *r, uint32_t event, int64_t m)
{
	struct cursor c;

	cursor_at(&c, r->trace, r->from, event);
	for (int i = 0; i < GAP_ENTERS && cursor_next(&c) && cursor_time(&c) == m; i++) {
		const uint32_t what = cursor_what(&c);
		if (what_kind(what) != EV_ENTER)
			return false;
		if (r->paths->list[what_id(what)].role == PATH_CALL)
			return true;
	}
	return false;
}

/* The end of a gap has the time of the region that follows it, and what that costs. */
static bool ends_gap(const struct overhead_replay *r, uint32_t what)
{
	struct gap_counts counts;

	return r->paths->sampled && gap_of_event(r->trace, what, &counts);
}

/* Whether it has what a rank knew of the call that ends. */
static bool is_kept(const struct overhead_replay *r, uint32_t what)
{
	struct virtual_call call;

	return virtual_values(r->trace, r->timed->set, what, &call);
}

static bool is_thread(const struct overhead_replay *r, uint32_t what, enum detail_type type)
{
	return what_kind(what) == EV_THREAD && trace_detail(r->trace, what_id(what))->type == type;
}

/* Its record is that of the enter of the parallel region, which follows: the team has its time. */
static bool is_fork(const struct overhead_replay *r, uint32_t what)
{
	return is_thread(r, what, DETAIL_THREAD_FORK);
}

/* What kind of record an event is: enters and leaves, and what costs as much. */
static unsigned record_kind(const struct overhead_replay *r, const struct overhead_place *place,
			    uint32_t what, uint32_t event, int64_t m)
{
	const enum event_kind kind = what_kind(what);

	switch (kind) {
	case EV_ENTER:
	case EV_LEAVE:
		switch ((enum path_role)r->paths->list[what_id(what)].role) {
		case PATH_FUNCTION:
			if (is_made_up(place, what, m))
				return NO_RECORD;
			if (path_is_construct(r->paths, what_id(what))) /* has no delay */
				return kind == EV_ENTER ? COST_MPI_ENTER : COST_MPI_LEAVE;
			return kind == EV_ENTER ? COST_ENTER : COST_LEAVE;
		case PATH_UNRECORDED:
			return kind == EV_LEAVE && ends_at_call(r, event, m) ? COST_MPI_ENTER
									     : NO_RECORD;
		default: return kind == EV_ENTER ? COST_MPI_ENTER : COST_MPI_LEAVE;
		}
	case EV_MARK: return COST_ENTER;
	case EV_RECV:
	case EV_COLLECTIVE_END:
		if (r->survey->shared)
			return place->call ? COST_MPI_LEAVE : NO_RECORD;
		return r->one_cost ? COST_MPI_ENTER : NO_RECORD;
	case EV_METRIC: /* the time of a leave, which follows */
		return place->call && place->keeps && is_kept(r, what) ? COST_MPI_LEAVE : NO_RECORD;
	case EV_PARAMETER:
	case EV_TRACING_ON:
	case EV_TRACING_OFF: return NO_RECORD;
	default:
		if (ends_gap(r, what) || is_fork(r, what))
			return COST_MPI_ENTER;
		return r->one_cost && !r->survey->shared && m > place->last ? COST_MPI_ENTER
									    : NO_RECORD;
	}
}

/* After an enter: what is open now. */
static void entered(const struct overhead_replay *r, struct overhead_place *place, uint32_t path,
		    int64_t m, uint32_t event)
{
	const uint8_t role = r->paths->list[path].role;

	place->path = path;
	if (role == PATH_MEASURING) {
		place->flush = path;
		place->flush_begin = m;
	} else if (role == PATH_CALL && !place->call) {
		place->call = path;
		place->call_begin = m;
		place->after = -1;
		place->inside = 0;
		place->asked = false;
		place->keeps =
			timed_call(r->timed, r->trace, r->paths, r->from, event, &place->kept);
		if (place->keeps) {
			place->inside = place->kept.inside;
			place->after = place->kept.after;
		}
		place->call_pause = place->rest = place->inside;
		place->call_late = 0;
		place->looked = false;
		place->received = 0;
		place->sent = UINT32_MAX;
		memcpy(place->call_gone, place->gone, sizeof place->gone);
	}
	place->paid = false;
}

static void begin_stretch(const struct overhead_replay *r, struct overhead_place *place,
			  uint32_t event)
{
	place->stretch = timed_ahead(r->timed, r->trace, r->paths, r->from, event, false,
				     place->after > 0 ? place->after : 0,
				     place->kept.left + (place->after > 0 ? place->after : 0));
}

/* What a thread knew of a wait for others of its team, or of a call in one of them. */
static void kept(const struct overhead_replay *r, struct overhead_place *place, uint32_t what,
		 uint32_t event)
{
	struct virtual_call call;

	if ((place->call && !path_is_construct(r->paths, place->call)) ||
	    !virtual_values(r->trace, r->timed->set, what, &call))
		return;
	place->before = COST_MPI_LEAVE;
	place->after = call.after;
	place->kept = call;
	place->paid = false;
	begin_stretch(r, place, event);
}

static void left(const struct overhead_replay *r, struct overhead_place *place, uint32_t path,
		 int64_t m, uint32_t event)
{
	place->path = r->paths->list[path].parent;
	place->paid = false;
	if (!place->call || !path_ends(r->paths, path, place->call))
		return;
	place->blocking += depend_blocking(r, place, m);
	if (!path_is_construct(r->paths, place->call))
		begin_stretch(r, place, event);
	place->call = 0;
	take_segment(r, place, path, event);
}

/* After an event inside a region of the tool itself. */
static void after_measuring(struct overhead_replay *r, struct overhead_place *place, uint32_t what,
			    int64_t m, uint32_t event)
{
	place->last = m;
	place->before = COST_MPI_LEAVE;
	place->after = r->timed->set == UINT32_MAX ? -1 : 0;
	if (what_kind(what) == EV_ENTER)
		place->path = what_id(what);
	if (what_kind(what) != EV_LEAVE)
		return;
	place->path = r->paths->list[what_id(what)].parent;
	if (!path_ends(r->paths, what_id(what), place->flush))
		return;
	place->flush = 0;
	r->flushes++;
	r->flushed += m - place->flush_begin;
	if (m <= place->call_begin + place->inside) /* it is in that */
		place->rest -= m - place->flush_begin;
	else if (place->call && pause_is_late(r, place, event, place->flush_begin))
		place->call_late += m - place->flush_begin;
	else
		place->call_pause += m - place->flush_begin + (int64_t)depend_call_cost(r, BEST);
	if (place->call && path_ends(r->paths, what_id(what), place->call))
		place->call = 0;
}

/* Asks the partners of a dependent event. `recorded`: ticks of recording right before it. */
static bool ask_partners(struct overhead_replay *r, struct overhead_place *place, uint32_t what,
			 int64_t m, uint32_t event, const struct replay_step *step, double recorded)
{
	const double late = place->call ? (double)place->call_late : 0;
	double gone[WAYS], inside = 0;
	bool set = false;

	for (int way = 0; way < WAYS; way++)
		gone[way] = place->gone[way] - late;
	m -= (int64_t)late; /* the others have to do with what was before */
	if (what_kind(what) == EV_LEAVE && path_is_construct(r->paths, what_id(what)))
		inside = recorded;
	if (step->part == PART_RECV)
		set = depend_receive(r, place, m, event, step, gone);
	else if (step->part == PART_END)
		set = depend_end(r, place, m, what, step, gone);
	for (int way = 0; way < WAYS && set; way++)
		place->gone[way] = gone[way] + late + (way == UPPER ? 0 : inside);
	place->asked |= set;
	return set;
}

/* Times of the event; `works`: the interval before it is the program's. */
static void place_event(struct overhead_replay *r, struct overhead_place *place, int64_t m,
			bool works)
{
	const int64_t distance = m - place->last;
	const uint32_t path = place->begun ? place->path : 0;
	int64_t moved[WAYS];

	for (int way = 0; way < WAYS; way++) {
		const double held = place->held[way] + (double)distance, gone = place->gone[way];
		int64_t t;
		place->held[way] = gone < held ? gone : held;
		t = m - (int64_t)floor(place->held[way] + 0.5);
		if (t < place->t[way])
			t = place->t[way];
		moved[way] = t;
	}
	if (!r->paper) { /* the estimate is within its bounds */
		moved[LOWER] = moved[LOWER] < moved[BEST] ? moved[LOWER] : moved[BEST];
		moved[UPPER] = moved[UPPER] > moved[BEST] ? moved[UPPER] : moved[BEST];
	}
	for (int way = 0; way < WAYS; way++) {
		const int64_t t = moved[way];
		moved[way] -= place->t[way];
		place->t[way] = t;
	}
	if (path) {
		struct overhead_sum *region = &r->regions[r->paths->list[path].region];
		region->measured += distance;
		region->compensated += moved[BEST];
		region->lower += moved[LOWER];
		region->upper += moved[UPPER];
	}
	if (works && place->begun && !place->call) {
		place->work[0] += distance;
		place->work[1] += moved[BEST];
	}
}

static void count_local(const struct overhead_replay *r, struct overhead_place *place,
			int64_t distance)
{
	const double deficit = place->gone[BEST] - place->held[BEST];

	place->local += distance;
	/* Less than one record's cost is the noise of single intervals. */
	if (deficit > fmax(1, r->cost->function))
		place->carried += distance;
}

/* After an event: what is open, and which records are accounted for. */
static void after_event(struct overhead_replay *r, struct overhead_place *place, uint32_t what,
			int64_t m, uint32_t event, unsigned kind)
{
	const bool ends = what_kind(what) == EV_RECV || what_kind(what) == EV_COLLECTIVE_END;
	const bool told = what_kind(what) == EV_METRIC && kind != NO_RECORD;
	const bool nothing = kind == NO_RECORD && place->paid;

	place->last = m;
	if (kind != NO_RECORD)
		place->before = (uint8_t)kind;
	switch (what_kind(what)) {
	case EV_ENTER: entered(r, place, what_id(what), m, event); break;
	case EV_LEAVE: left(r, place, what_id(what), m, event); break;
	case EV_SEND:
		place->sent = what_id(what);
		place->messages++;
		break;
	case EV_RECV: place->messages++; break;
	case EV_RECV_REQUEST:
		if (what_id(what) < trace_message_count(r->trace))
			r->posts[what_id(what)] = event;
		break;
	case EV_TRACING_ON: place->before = NO_RECORD; break;
	default: break;
	}
	if (what_kind(what) == EV_LEAVE && r->paths->list[what_id(what)].role == PATH_UNRECORDED) {
		place->paid = kind == COST_MPI_ENTER;
		place->gap_ended = true;
		place->gap_end = m;
	}
	if (nothing || ends_gap(r, what) ||
	    is_fork(r, what)) /* what was paid for is still to come */
		place->paid = true;
	if (told || (ends && place->call && (r->survey->shared || !r->one_cost)))
		place->paid = true;
	if (what_kind(what) == EV_METRIC)
		kept(r, place, what, event);
}

static void begin_location(const struct overhead_replay *r, struct overhead_place *place, int64_t m,
			   uint32_t event, bool depends)
{
	struct virtual_call birth;
	double delay = 0, error = 0;

	place->stretch = timed_ahead(r->timed, r->trace, r->paths, r->from, event, true, 0, 0);
	if (!depends && place->stretch.known && r->cost->delay > 0 &&
	    timed_begins_delayed(r->trace, r->paths, r->from, event))
		delay = place->stretch.each - r->zero;
	if (!depends && timed_birth(r->timed, r->trace, r->from, event, &birth)) {
		delay = (double)birth.left - r->zero;
		error = birth.error > 0 ? (double)birth.error : 0;
	}
	place->last = m;
	place->before = NO_RECORD;
	place->after = -1;
	place->sent = UINT32_MAX;
	for (int way = 0; way < WAYS; way++) {
		const double gone = delay + (way == LOWER ? error : way == UPPER ? -error : 0);
		place->t[way] = depends ? -TIME_LIMIT : m - (int64_t)floor(gone + 0.5);
		place->held[way] = depends ? INFINITY : gone;
		place->gone[way] = gone;
	}
	take_class(r, place, r->survey->classes.sampled ? &r->survey->classes.all : NULL,
		   (struct gap_shares){ 1, 1, true });
}

/* `step`: the event depends on others, NULL it is local. */
static void one_event(struct overhead_replay *r, struct overhead_place *place, uint32_t what,
		      int64_t m, uint32_t event, const struct replay_step *step)
{
	const double before = place->gone[BEST];
	double recorded = 0; /* of a thread's wait, after what was kept of it */
	int64_t distance;
	unsigned kind;
	bool set = false, clamped = false;

	if (!place->begun)
		begin_location(r, place, m, event, step != NULL);
	distance = m - place->last;
	if (place->flush) { /* time does not pass */
		for (int way = 0; way < WAYS; way++)
			place->gone[way] += (double)distance;
		if (step)
			depend_at_least(r, m, step, place->gone);
		place_event(r, place, m, false);
		after_measuring(r, place, what, m, event);
		return;
	}
	kind = record_kind(r, place, what, event, m);
	if (kind != NO_RECORD && !place->paid) {
		place->records++;
		if (place->path)
			r->regions[r->paths->list[place->path].region].records++;
		if (place->begun)
			clamped = take_out_record(r, place, kind, distance);
		if (kind >= COST_MPI_ENTER && place->before == COST_MPI_LEAVE &&
		    place->after >= 0) { /* it is taken out once */
			recorded = fmin((double)place->after, (double)distance);
			place->after = place->after > distance ? place->after - distance : -1;
		}
	}
	take_out_timed(r, place, what, m, event);
	if (step)
		set = ask_partners(r, place, what, m, event, step, recorded);
	take_out_waiting(r, place, what, m);
	take_out_unshown(r, place, what);
	place_event(r, place, m, true);
	place->removed += set ? depend_call_cost(r, BEST) : place->gone[BEST] - before;
	if (!set) {
		count_local(r, place, distance);
		r->clamped += clamped;
	}
	place->begun = true;
	after_event(r, place, what, m, event, kind);
}

/* ---- steps ---- */

/* A thread that a team begins: recording it begins with the team, too. */
static bool begins_team(const struct overhead_replay *r, uint32_t event)
{
	struct cursor c;

	cursor_at(&c, r->trace, r->from, event);
	return cursor_next(&c) && is_thread(r, cursor_what(&c), DETAIL_TEAM_BEGIN);
}

/* A send that is complete where a call ends that also receives, at the same time: when that is, the
 * receive will tell. Without that the send would run on with the clock of its own rank, and the
 * receive could not come before it. The same holds for a thread that begins with its team. */
static bool is_told_later(const struct overhead_replay *r, const struct overhead_place *place,
			  uint32_t what, int64_t m, uint32_t event)
{
	struct cursor c;

	if (!place->begun && what_kind(what) == EV_TRACING_ON)
		return begins_team(r, event);
	if (!place->call && what_kind(what) == EV_METRIC)
		return begins_team(r, event);
	if (!place->call || r->one_cost || what_kind(what) != EV_SEND_COMPLETE)
		return false;
	cursor_at(&c, r->trace, r->from, event);
	for (int i = 0; i < CALL_EVENTS && cursor_next(&c) && cursor_time(&c) == m; i++) {
		const uint32_t next = cursor_what(&c);
		if (what_kind(next) == EV_RECV)
			return logical_message(r->logical, what_id(next));
		if (what_kind(next) != EV_SEND_COMPLETE)
			return false;
	}
	return false;
}

/* Those that were to be told later have the time of the event that was placed now. */
static bool put_untold(struct overhead_replay *r, struct overhead_place *place, struct err *err)
{
	int64_t t[BLOCK_EVENTS];

	for (struct untold *u = place->untold; u < place->untold + 2 && u->n; u++) {
		for (int way = 0; way < WAYS; way++) {
			for (uint32_t i = 0; i < u->n; i++)
				t[i] = place->t[way];
			if (!base_put_part(r->trace, way_base[way], u->block, u->from,
					   u->from + u->n, t, err))
				return false;
		}
		u->n = 0;
	}
	return true;
}

/* The slot's event waits for the next one; false: there is no room to note it. */
static bool note_untold(struct overhead_place *place, const struct replay_step *step, uint32_t slot)
{
	struct untold *u = place->untold;

	if (u->n && u->block != step->block)
		u++;
	if (u->n && (u->block != step->block || u->from + u->n != slot))
		return false;
	if (!u->n++) {
		u->block = step->block;
		u->from = slot;
	}
	return true;
}

static bool keep_untold(struct overhead_replay *r, struct overhead_place *place,
			const struct replay_step *step, uint32_t slot, uint32_t what, int64_t m)
{
	const uint32_t event = step->block * BLOCK_EVENTS + slot;
	const bool pause = place->told_later || pause_is_told_later(r, place, what, m, event);

	if ((!pause && !is_told_later(r, place, what, m, event)) || !note_untold(place, step, slot))
		return false;
	if (pause)
		pause_note(r, place, what, m);
	return true;
}

/* More receives complete in the call: the last one knows when that is. */
static bool awaits_receive(const struct overhead_place *place, const struct replay_step *step)
{
	return step->part == PART_RECV && place->call && place->received < place->receives;
}

static bool put_slots(struct overhead_replay *r, const struct replay_step *step, uint32_t from,
		      uint32_t to, int64_t t[WAYS][BLOCK_EVENTS], struct err *err)
{
	for (int way = 0; way < WAYS && from < to; way++)
		if (!base_put_part(r->trace, way_base[way], step->block, from, to, t[way], err))
			return false;
	return true;
}

static bool do_step(struct overhead_replay *r, const struct replay_step *step, struct err *err)
{
	const struct block *block = store_block(r->trace, step->block);
	const struct times *times = store_times(r->trace, r->from, step->block);
	const int64_t *wide = store_wide(r->trace, r->from, times);
	const bool depends = !step->forced && (step->part == PART_RECV || step->part == PART_END);
	struct overhead_place *place = &r->places[step->location];
	int64_t t[WAYS][BLOCK_EVENTS]; /* of slots from `from` on */
	uint32_t from = step->from;

	for (uint32_t slot = step->from; slot < step->to; slot++) {
		const bool last = slot + 1 == step->to;
		const int64_t m = wide ? wide[slot] : times->base + times->delta[slot];
		if (keep_untold(r, place, step, slot, block->what[slot], m)) {
			if (!put_slots(r, step, from, slot, t, err))
				return false;
			from = slot + 1;
			continue;
		}
		if (last && depends && step->part == PART_RECV) { /* its post may be in the step */
			if (!put_slots(r, step, from, slot, t, err))
				return false;
			from = slot;
		}
		one_event(r, place, block->what[slot], m, step->block * BLOCK_EVENTS + slot,
			  last && depends ? step : NULL);
		if (depends && last && awaits_receive(place, step) &&
		    note_untold(place, step, slot)) {
			if (!put_slots(r, step, from, slot, t, err))
				return false;
			from = slot + 1;
			continue;
		}
		if (place->untold->n && !put_untold(r, place, err))
			return false;
		for (int way = 0; way < WAYS; way++)
			t[way][slot - from] = place->t[way];
	}
	if (step->part == PART_BEGIN)
		depend_begin(r, place, step->block * BLOCK_EVENTS + step->to - 1, step);
	else if (step->part == PART_SEND && step->value)
		memcpy(step->value, place->t, sizeof place->t);
	return put_slots(r, step, from, step->to, t, err);
}

bool overhead_replay_run(struct overhead_replay *r, const struct progress *progress,
			 struct err *err)
{
	static const struct replay_sizes sizes = { .state = sizeof(struct overhead_group),
						   .party = sizeof(struct begin_times),
						   .send = sizeof(struct send_times),
						   .begin = sizeof(struct begin_times),
						   .end = sizeof(struct needed_begins) };
	struct replay *replay = replay_new(r->logical, r->from, &sizes);
	const uint64_t events = trace_event_count(r->trace);
	struct replay_step step;
	uint64_t done = 0, next = 0;
	bool ok = true;

	r->places = xcalloc((size_t)trace_location_count(r->trace) + 1, sizeof *r->places);
	r->regions = xcalloc((size_t)trace_region_count(r->trace) + 1, sizeof *r->regions);
	r->posts = xmalloc(((size_t)trace_message_count(r->trace) + 1) * sizeof *r->posts);
	for (uint32_t i = 0; i < trace_message_count(r->trace); i++)
		r->posts[i] = EVENT_NONE;
	if (r->cost->delay > 0)
		r->zero = timed_before_first(r->timed, r->trace, r->paths, r->from);
	while (ok && replay_next(replay, &step)) {
		if (done >= next) {
			ok = progress_step(progress, "overhead", done, events);
			next = done + 65536;
		}
		if (step.home)
			depend_home(r, &step);
		else
			ok = ok && do_step(r, &step, err);
		done += step.to - step.from;
	}
	r->violations += replay_forced(replay);
	replay_free(replay);
	return ok;
}

void overhead_replay_fini(struct overhead_replay *r)
{
	free_all(r->places, r->regions, r->posts);
	r->places = NULL;
	r->regions = NULL;
	r->posts = NULL;
}
