/* Regions of the tool inside calls, which are before the call went on into MPI or after it came
 * back. */
#include "correct/overhead/overhead_replay.h"
#include "model/trace/region_meaning.h"
#include "model/trace/store.h"

enum {
	CALL_AHEAD = 16,   /* events that are searched for regions of the tool */
	CALL_EVENTS = 256, /* completions of a call that are searched for a receive */
};

static bool is_measuring(const struct overhead_replay *r, uint32_t what)
{
	return r->paths->list[what_id(what)].role == PATH_MEASURING;
}

/* A rank is in MPI once in a call: where the call has more time, before the region or after it. */
bool pause_is_late(const struct overhead_replay *r, const struct overhead_place *place,
		   uint32_t event, int64_t begin)
{
	const int64_t end = store_event_time(r->trace, r->from, event);
	const int64_t since = place->call_begin + place->call_pause;
	struct cursor c;

	cursor_at(&c, r->trace, r->from, event);
	for (int i = 0; i < CALL_AHEAD && cursor_next(&c); i++) {
		const uint32_t what = cursor_what(&c);
		switch (what_kind(what)) {
		case EV_SEND:
		case EV_COLLECTIVE_BEGIN: return false;
		case EV_LEAVE:
			if (is_measuring(r, what))
				break;
			/* fallthrough */
		case EV_RECV:
		case EV_SEND_COMPLETE:
		case EV_COLLECTIVE_END: return begin - since > cursor_time(&c) - end;
		default: break;
		}
	}
	return false;
}

/* Whether an event after the region depends on others: a receive, the end of a collective. */
static bool depends_later(const struct overhead_replay *r, const struct overhead_place *place,
			  struct cursor c)
{
	const uint32_t region = r->paths->list[place->call].region;

	for (int i = 0; i < CALL_EVENTS && cursor_next(&c); i++) {
		const uint32_t what = cursor_what(&c);
		switch (what_kind(what)) {
		case EV_SEND_COMPLETE: break;
		case EV_RECV: return logical_message(r->logical, what_id(what));
		case EV_COLLECTIVE_END: return true;
		case EV_LEAVE:
			return region_meaning(r->trace, region).collective != COLLECTIVE_NONE;
		default: return false;
		}
	}
	return false;
}

bool pause_is_told_later(const struct overhead_replay *r, const struct overhead_place *place,
			 uint32_t what, int64_t m, uint32_t event)
{
	struct cursor c;

	if (r->paper || !place->call || place->flush || place->untold->n ||
	    what_kind(what) != EV_ENTER || !is_measuring(r, what))
		return false;
	cursor_at(&c, r->trace, r->from, event);
	return cursor_next(&c) && what_kind(cursor_what(&c)) == EV_LEAVE &&
	       cursor_time(&c) > place->call_begin + place->inside &&
	       pause_is_late(r, place, c.id, m) && depends_later(r, place, c);
}

void pause_note(struct overhead_replay *r, struct overhead_place *place, uint32_t what, int64_t m)
{
	const int64_t took = m - place->flush_begin;

	place->told_later = what_kind(what) == EV_ENTER;
	if (place->told_later) {
		place->flush_begin = m;
		return;
	}
	r->flushes++;
	r->flushed += took;
	r->regions[r->paths->list[what_id(what)].region].measured += took;
	r->regions[r->paths->list[place->path].region].measured -= took;
	place->call_late += took;
	for (int way = 0; way < WAYS; way++)
		place->gone[way] += (double)took;
}

int64_t pause_ahead(const struct overhead_replay *r, const struct overhead_place *place,
		    uint32_t event, int64_t until)
{
	int64_t sum = 0, begin = 0;
	uint32_t open = 0;
	struct cursor c;

	cursor_at(&c, r->trace, r->from, event);
	for (int i = 0; i < CALL_AHEAD && cursor_next(&c); i++) {
		const uint32_t what = cursor_what(&c), path = what_id(what);
		if (what_kind(what) == EV_ENTER && !open && is_measuring(r, what)) {
			open = path;
			begin = cursor_time(&c);
		} else if (what_kind(what) == EV_LEAVE && open && path_ends(r->paths, path, open)) {
			open = 0;
			if (cursor_time(&c) > until &&
			    !(place->call && pause_is_late(r, place, c.id, begin)))
				sum += cursor_time(&c) - begin + (int64_t)depend_call_cost(r, BEST);
		} else if (what_kind(what) == EV_LEAVE && !open) {
			break;
		}
	}
	return sum;
}
