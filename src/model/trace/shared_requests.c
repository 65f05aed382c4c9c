/* Whether threads of a process complete requests of each other. */
#include "base/keymap.h"
#include "model/trace/store.h"

/* True if the event of a request is on another location than the begin of its message or
 * collective. */
static bool is_elsewhere(const struct trace *trace, uint32_t location, uint32_t what)
{
	const uint32_t id = what_id(what);
	const struct message *m;
	bool sends, receives;

	switch (what_kind(what)) {
	case EV_COLLECTIVE_END:
		return id != ID_NONE &&
		       trace_event_location(trace, trace_member(trace, id)->begin) != location;
	case EV_SEND_COMPLETE:
	case EV_RECV_REQUEST:
	case EV_REQUEST_TEST:
	case EV_REQUEST_CANCELLED: break;
	default: return false;
	}
	if (id == ID_NONE)
		return false;
	m = store_message(trace, id);
	sends = !(m->flags & MSG_NO_SEND) && trace_event_location(trace, m->send) == location;
	receives = !(m->flags & MSG_NO_RECV) && trace_event_location(trace, m->recv) == location;
	if (what_kind(what) == EV_SEND_COMPLETE)
		return !sends;
	return what_kind(what) == EV_RECV_REQUEST ? !receives : !sends && !receives;
}

static bool location_hands_over(const struct trace *trace, uint32_t location)
{
	const struct block_ids *list = &trace->lists.data[location];

	for (size_t i = 0; i < list->n; i++) {
		const struct block *block = store_block(trace, list->data[i]);
		for (uint32_t slot = 0; slot < block->n; slot++)
			if (is_elsewhere(trace, location, block->what[slot]))
				return true;
	}
	return false;
}

bool trace_hands_over(const struct trace *trace)
{
	const uint32_t n = (uint32_t)trace->locations.n;
	ENDED_BY(keymap_fini) struct keymap processes = { NULL, 0, 0 };
	bool several = false;

	for (uint32_t l = 0; l < n && !several; l++) {
		const struct location *at = &trace->locations.data[l];
		uint32_t first;
		several = !keymap_new(&processes, KEY_OF((uint32_t)at->rank, (uint32_t)at->process),
				      l, &first);
	}
	for (uint32_t l = 0; l < n && several; l++)
		if (location_hands_over(trace, l))
			return true;
	return false;
}
