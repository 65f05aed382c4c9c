#include "model/trace/halo.h"

#include "base/exchange.h"
#include "base/order.h"
#include "model/trace/store.h"

struct halo *halo_new(const uint32_t *process, size_t locations)
{
	struct halo *halo = xcalloc(1, sizeof *halo);

	halo->process = xmalloc((locations + 1) * sizeof *halo->process);
	memcpy(halo->process, process, locations * sizeof *halo->process);
	halo->first = EVENT_NONE;
	return halo;
}

void halo_free(struct halo *halo)
{
	if (!halo)
		return;
	for (int kind = 0; kind < HALO_KINDS; kind++)
		free_all(halo->lists[kind].given, halo->lists[kind].taken,
			 halo->lists[kind].given_first, halo->lists[kind].taken_first);
	vec_fini(&halo->turns);
	free_all(halo->process, halo->at, halo);
}

void halo_list_give(struct halo_list *list, uint32_t processes, const uint32_t *to, size_t n,
		    size_t *place)
{
	list->given_first = xmalloc((processes + 1u) * sizeof *list->given_first);
	list->given = xmalloc((n + 1) * sizeof *list->given);
	exchange_places(processes, to, n, list->given_first, place);
	for (size_t i = 0; i < n; i++)
		list->given[i] = (struct halo_call){ EVENT_NONE, EVENT_NONE, EVENT_NONE };
}

void halo_list_take(struct halo_list *list, uint32_t processes, const size_t *first, size_t size)
{
	list->taken_first = xmalloc((processes + 1u) * sizeof *list->taken_first);
	for (uint32_t p = 0; p <= processes; p++)
		list->taken_first[p] = first[p] / size;
	list->taken = xmalloc((list->taken_first[processes] + 1) * sizeof *list->taken);
}

/* ---- times ---- */

/* Of a call in a base, as its owner sees it. */
struct call_times {
	int64_t t[GHOST_EVENTS];
};

static int64_t end_of_location(const struct trace *trace, enum time_base base, uint32_t event,
			       bool first)
{
	const uint32_t location = store_event_block(trace, event)->location;
	const struct block_ids *list = &trace->lists.data[location];
	const uint32_t block = list->data[first ? 0 : list->n - 1];

	return store_time(trace, base, block, first ? 0 : store_block(trace, block)->n - 1u);
}

static struct call_times times_of(const struct trace *trace, enum time_base base,
				  const struct halo_call *call)
{
	return (struct call_times){
		{ call->enter == EVENT_NONE ? end_of_location(trace, base, call->event, true)
					    : store_event_time(trace, base, call->enter),
		  store_event_time(trace, base, call->event),
		  call->leave == EVENT_NONE ? end_of_location(trace, base, call->event, false)
					    : store_event_time(trace, base, call->leave) }
	};
}

/* Puts what the owners say into t[ghost's event - first]. */
static void swap_times(const struct trace *trace, enum time_base base, const struct halo_list *list,
		       int64_t *t, uint32_t first)
{
	const uint32_t processes = trace->exchange->processes;
	const size_t n = list->given ? list->given_first[processes] : 0;
	OWNED struct call_times *given = xmalloc((n + 1) * sizeof *given);
	struct exchange_parts theirs;
	const struct call_times *taken;

	if (!list->given)
		return;
	for (size_t i = 0; i < n; i++)
		given[i] = times_of(trace, base, &list->given[i]);
	exchange_swap(trace->exchange, given, sizeof *given, list->given_first, &theirs);
	taken = (const struct call_times *)(const void *)theirs.data;
	for (size_t i = 0; i < list->taken_first[processes]; i++)
		memcpy(t + (list->taken[i] - 1 - first), taken[i].t, sizeof taken[i].t);
	exchange_parts_fini(&theirs);
}

/* The ghosts of a block are not in the order of their times. */
static void put_block(struct column *column, uint32_t block, uint32_t n, const int64_t *t)
{
	struct times *times = (struct times *)(void *)column->times.data + block;
	int64_t least = t[0], most = t[0], *wide;

	for (uint32_t i = 1; i < n; i++) {
		least = t[i] < least ? t[i] : least;
		most = t[i] > most ? t[i] : most;
	}
	times->base = least;
	if ((uint64_t)most - (uint64_t)least > UINT32_MAX) {
		wide = column_widen(column, times, 0, NULL);
		if (wide)
			memcpy(wide, t, n * sizeof *t);
		else
			mem_exhausted(BLOCK_EVENTS * sizeof *wide);
		return;
	}
	times->wide = 0;
	for (uint32_t i = 0; i < n; i++)
		times->delta[i] = (uint32_t)((uint64_t)t[i] - (uint64_t)least);
}

/* Those of the kinds from .. to - 1, in the blocks from `block` on. */
static void put_times(struct trace *trace, enum time_base base, int from, int to, uint32_t block)
{
	const struct halo *halo = trace->halo;
	const uint32_t end = store_block_count(trace), first = block * BLOCK_EVENTS;
	OWNED int64_t *t = xcalloc((size_t)(end - block) * BLOCK_EVENTS + 1, sizeof *t);

	for (int kind = from; kind < to; kind++)
		swap_times(trace, base, &halo->lists[kind], t, first);
	for (uint32_t b = block; b < end; b++)
		put_block(&trace->columns[base], b, store_block(trace, b)->n,
			  t + ((size_t)b * BLOCK_EVENTS - first));
}

void halo_times(struct trace *trace, enum time_base base)
{
	if (trace->halo)
		put_times(trace, base, 0, HALO_KINDS, trace->halo->first / BLOCK_EVENTS);
}

void halo_times_of(struct trace *trace, enum time_base base, enum halo_kind kind, uint32_t block)
{
	put_times(trace, base, (int)kind, (int)kind + 1, block);
}

/* ---- places ---- */

size_t halo_number(const struct halo *halo, uint32_t ghost)
{
	enum { OF_BLOCK = BLOCK_EVENTS / GHOST_EVENTS };

	return (size_t)(ghost - halo->first) / BLOCK_EVENTS * OF_BLOCK +
	       ghost % BLOCK_EVENTS / GHOST_EVENTS;
}

size_t halo_ghosts(const struct halo *halo)
{
	return halo->ghosts;
}

void halo_ask(const struct trace *trace, enum halo_kind kind, size_t size, halo_say *say,
	      void *context, void *said)
{
	const uint32_t processes = trace->exchange->processes;
	const struct halo_list *list = &trace->halo->lists[kind];
	const size_t n = list->given_first[processes];
	OWNED char *given = xcalloc(n + 1, size);
	struct exchange_parts theirs;

	for (size_t i = 0; i < n; i++)
		say(context, list->given[i].event, given + i * size);
	exchange_swap(trace->exchange, given, size, list->given_first, &theirs);
	for (size_t i = 0; i < list->taken_first[processes]; i++)
		memcpy((char *)said + halo_number(trace->halo, list->taken[i]) * size,
		       theirs.data + i * size, size);
	exchange_parts_fini(&theirs);
}

static void say_place(void *context, uint32_t event, void *said)
{
	*(uint32_t *)said = (uint32_t)trace_event_ordinal(context, event);
}

void halo_places(struct trace *trace)
{
	struct halo *halo = trace->halo;
	const uint32_t end = store_block_count(trace) * BLOCK_EVENTS;

	halo->ghosts = halo_number(halo, end);
	halo->at = xcalloc(halo->ghosts + 1, sizeof *halo->at);
	for (int kind = 0; kind < HALO_PARTIES; kind++)
		halo_ask(trace, (enum halo_kind)kind, sizeof *halo->at, say_place, trace, halo->at);
}

/* Blocks are in the order of the locations, all but the last of each full. */
uint64_t trace_number_by(const struct trace *trace, const uint64_t *first, uint32_t event)
{
	return trace->halo ? first[store_event_block(trace, event)->location] +
				     trace_event_ordinal(trace, event)
			   : event;
}

uint64_t trace_event_number(const struct trace *trace, uint32_t event)
{
	OWNED uint64_t *first = trace_first_numbers(trace);

	return trace_number_by(trace, first, event);
}

uint64_t *trace_first_numbers(const struct trace *trace)
{
	const uint32_t n = trace_location_count(trace);
	uint64_t *first = trace->halo ? xmalloc((n + 1u) * sizeof *first) : NULL;
	uint64_t blocks = 0;

	for (uint32_t l = 0; first && l < n; l++) {
		first[l] = blocks * BLOCK_EVENTS;
		blocks += (trace->locations.data[l].events + BLOCK_EVENTS - 1) / BLOCK_EVENTS;
	}
	return first;
}

uint32_t trace_event_numbered(const struct trace *trace, uint32_t location, uint64_t number)
{
	OWNED uint64_t *first = trace_first_numbers(trace);
	uint64_t low = 0, high = trace->locations.data[location].events;
	struct cursor c;

	if (!trace->halo)
		return (uint32_t)number;
	BISECT(low, high, middle,
	       cursor_nth(&c, trace, BASE_MEASURED, location, middle) &&
		       trace_number_by(trace, first, c.id) < number);
	return cursor_nth(&c, trace, BASE_MEASURED, location, low) ? c.id : EVENT_NONE;
}

uint32_t halo_place(const struct halo *halo, uint32_t ghost)
{
	return halo->at[halo_number(halo, ghost)];
}

/* ---- what the receivers are told ---- */

uint32_t *halo_send_places(const struct trace *trace)
{
	const struct halo_list *list = &trace->halo->lists[HALO_SENDS];
	uint32_t *place = xmalloc((store_message_count(trace) + 1u) * sizeof *place);

	memset(place, 0xff, (store_message_count(trace) + 1u) * sizeof *place);
	for (uint32_t p = 0; p < trace->exchange->processes; p++)
		for (size_t i = list->given_first[p]; i < list->given_first[p + 1]; i++)
			place[what_id(*store_what(trace, list->given[i].event))] =
				(uint32_t)(i - list->given_first[p]);
	return place;
}

void halo_tell(const struct trace *trace, const uint32_t *rows, size_t n_rows, uint32_t **told,
	       size_t *n)
{
	struct exchange *x = trace->exchange;
	const struct halo_list *list = &trace->halo->lists[HALO_SENDS];
	OWNED uint32_t *place = halo_send_places(trace);
	OWNED uint32_t *to = xmalloc((n_rows + 1) * sizeof *to);
	OWNED uint32_t *what = xmalloc((n_rows + 1) * sizeof *what);
	struct exchange_parts parts;
	size_t tells = 0;

	for (size_t i = 0; i < n_rows; i++) {
		const struct message *m = store_message(trace, rows[i]);
		if (place[rows[i]] == UINT32_MAX || m->flags & MSG_NO_RECV)
			continue;
		to[tells] = trace->halo->process[store_event_block(trace, m->recv)->location];
		what[tells++] = place[rows[i]];
	}
	exchange_deal(x, what, tells, sizeof *what, to, &parts);
	*n = parts.first[x->processes] / sizeof **told;
	*told = (uint32_t *)(void *)parts.data;
	for (uint32_t p = 0; p < x->processes; p++)
		for (size_t i = parts.first[p] / sizeof **told;
		     i < parts.first[p + 1] / sizeof **told; i++)
			(*told)[i] += trace->halo->far_first + (uint32_t)list->taken_first[p];
	free(parts.first);
}

/* ---- queries ---- */

bool trace_has_location(const struct trace *trace, uint32_t location)
{
	return !trace->halo || trace->halo->process[location] == trace->exchange->process;
}

uint32_t trace_process_of(const struct trace *trace, uint32_t location)
{
	return trace->halo ? trace->halo->process[location] : 0;
}

bool trace_is_ghost(const struct trace *trace, uint32_t event)
{
	return trace->halo && event >= trace->halo->first;
}

bool trace_message_is_far(const struct trace *trace, uint32_t row)
{
	return trace->halo && row >= trace->halo->far_first && row < trace->halo->far_end;
}

void trace_ghost_blocks(const struct trace *trace, uint32_t *first, uint32_t *end)
{
	*end = trace->halo && trace->halo->first != EVENT_NONE ? store_block_count(trace) : 0;
	*first = *end ? trace->halo->first / BLOCK_EVENTS : 0;
}

uint32_t trace_first_turn(const struct trace *trace)
{
	return trace->halo->first_turn;
}

const struct halo_turn *trace_turn(const struct trace *trace, uint32_t collective)
{
	return &trace->halo->turns.data[collective - trace->halo->first_turn];
}

uint32_t trace_home(const struct trace *trace, uint32_t comm, uint32_t turn)
{
	return key_share(KEY_OF(comm, turn), trace->exchange->processes);
}
