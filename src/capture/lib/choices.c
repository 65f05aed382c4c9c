#include "capture/lib/choices.h"

#include <stdlib.h>
#include <string.h>

#include "capture/lib/recorder_chunks.h"
#include "capture/lib/replay_board.h"

static struct {
	struct tv_chunk *chunk; /* of notes */
	uint32_t serial;
	bool full;
	uint32_t number; /* choices so far */
	uint32_t falses; /* answers of no since the latest one */
	bool follows;
	const struct tv_choice *next; /* of the list */
} order;

/* ---- notes ---- */

static struct tv_chunk *chunk_new(struct tv_thread *t)
{
	const uintptr_t before = tv_busy_save(t);
	struct tv_chunk *chunk;

	if (order.chunk)
		tv_chunk_give(order.chunk);
	tv_take(&tv.lock);
	chunk = tv_chunk_locked(TV_CHUNK_STATISTICS);
	if (chunk) {
		chunk->thread = 0;
		chunk->serial = order.serial++;
		chunk->awaited = 0;
		chunk->holds = TV_HOLDS_ORDER;
		__atomic_store_n(&chunk->used, sizeof *chunk, __ATOMIC_RELEASE);
	} else {
		__atomic_fetch_or(&tv.file->state, TV_FULL, __ATOMIC_RELAXED);
	}
	tv_give(&tv.lock);
	order.full = !chunk;
	tv_busy_restore(t, before);
	return chunk;
}

static void note(struct tv_thread *t, struct tv_choice choice)
{
	struct tv_chunk *chunk = order.chunk;

	if (order.full)
		return;
	if (!chunk || chunk->used + sizeof choice > TV_CHUNK_SIZE)
		chunk = order.chunk = chunk_new(t);
	if (!chunk)
		return;
	memcpy((char *)chunk + chunk->used, &choice, sizeof choice);
	__atomic_store_n(&chunk->used, chunk->used + sizeof choice, __ATOMIC_RELEASE);
}

static bool has_order(const struct tv_thread *t)
{
	return tv.file && (!tv.multi || t->number == 0);
}

/* A choice was made, maybe another one than the list has. */
static void made(struct tv_thread *t, struct tv_choice choice, const struct tv_comm *comm)
{
	const struct tv_choice *next = tv_order_next(t, choice.kind, choice.call, comm);

	if (next && choice.what != TV_CHOICE_OPEN && next->what != TV_CHOICE_OPEN &&
	    choice.what != next->what)
		tv_order_depart(t, TV_DEPART_SOURCE);
	if (next && tv_order_follows(t))
		order.next++;
	choice.place = t->place;
	choice.comm = comm ? comm->order : 0;
	choice.falses = order.falses;
	order.falses = 0;
	order.number++;
	note(t, choice);
}

/* A set has a record for each member, in the list, too. */
static void add_member(struct tv_thread *t, int index)
{
	if (tv_order_follows(t) && order.next->kind == TV_CHOICE_MEMBER)
		order.next++;
	note(t, (struct tv_choice){ .kind = TV_CHOICE_MEMBER, .what = index });
}

void tv_order_took(struct tv_thread *t, uint32_t call, const struct tv_comm *comm, int source,
		   int tag)
{
	if (has_order(t) && source >= 0)
		made(t,
		     (struct tv_choice){ .call = (uint16_t)call,
					 .kind = TV_CHOICE_SOURCE,
					 .what = source,
					 .tag = tag },
		     comm);
}

void tv_order_posted(struct tv_thread *t, uint32_t call, const struct tv_comm *comm,
		     uint32_t request)
{
	if (has_order(t))
		made(t,
		     (struct tv_choice){ .call = (uint16_t)call,
					 .kind = TV_CHOICE_SOURCE,
					 .what = TV_CHOICE_OPEN,
					 .number = request },
		     comm);
}

void tv_order_completed(struct tv_thread *t, uint32_t request, int source, int tag)
{
	if (has_order(t) && source >= 0)
		note(t, (struct tv_choice){ .kind = TV_CHOICE_TOOK,
					    .what = source,
					    .tag = tag,
					    .number = request });
}

void tv_order_answered(struct tv_thread *t, enum tv_choice_kind kind, uint32_t call, int what)
{
	if (has_order(t))
		made(t,
		     (struct tv_choice){
			     .call = (uint16_t)call, .kind = (uint8_t)kind, .what = what },
		     NULL);
}

/* The list has the same ones. */
static bool is_set(const struct tv_choice *set, int n, const int *indices)
{
	for (int i = 0; i < n; i++)
		if (set[1 + i].what != indices[i])
			return false;
	return true;
}

void tv_order_several(struct tv_thread *t, uint32_t call, int n, const int *indices)
{
	const struct tv_choice *next;

	if (!has_order(t))
		return;
	next = tv_order_next(t, TV_CHOICE_SET, call, NULL);
	if (next && next->what == n && !is_set(next, n, indices))
		tv_order_depart(t, TV_DEPART_SOURCE);
	tv_order_answered(t, TV_CHOICE_SET, call, n);
	for (int i = 0; i < n; i++)
		add_member(t, indices[i]);
}

void tv_order_denied(struct tv_thread *t)
{
	if (!has_order(t))
		return;
	if (tv_order_follows(t) && order.falses >= order.next->falses)
		tv_order_depart(t, order.next->kind == TV_CHOICE_END ? TV_DEPART_MORE
								     : TV_DEPART_POLLS);
	order.falses += order.falses < TV_CHOICE_UNCOUNTED - 1;
}

void tv_order_end(struct tv_thread *t)
{
	if (tv.choices && has_order(t) && order.falses)
		note(t, (struct tv_choice){ .kind = TV_CHOICE_END, .falses = order.falses });
}

/* ---- following a list ---- */

/* Of a run that ended early, and in a list by hand, it is not said which answers there were in the
 * end. */
static bool is_open_end(const struct tv_choice *c)
{
	return c->kind == TV_CHOICE_END && c->falses == TV_CHOICE_UNCOUNTED;
}

static bool is_answer(enum tv_choice_kind kind, uint32_t call)
{
	return kind != TV_CHOICE_SOURCE || call == CALL_Iprobe || call == CALL_Improbe;
}

bool tv_order_denies(const struct tv_thread *t)
{
	return tv_order_follows(t) && !is_open_end(order.next) && order.falses < order.next->falses;
}

bool tv_order_follows(const struct tv_thread *t)
{
	return order.follows && has_order(t);
}

void tv_order_depart(struct tv_thread *t, enum tv_depart_why why)
{
	if (!tv_order_follows(t))
		return;
	order.follows = false;
	note(t, (struct tv_choice){ .kind = TV_CHOICE_DEPART,
				    .why = (uint8_t)why,
				    .call = (uint16_t)t->call,
				    .number = order.number + 1,
				    .place = t->place });
}

const struct tv_choice *tv_order_next(struct tv_thread *t, enum tv_choice_kind kind, uint32_t call,
				      const struct tv_comm *comm)
{
	const struct tv_choice *next = order.next;

	if (!tv_order_follows(t) || (is_open_end(next) && is_answer(kind, call)))
		return NULL;
	if (next->kind == TV_CHOICE_END)
		tv_order_depart(t, TV_DEPART_MORE);
	else if (next->kind != kind || next->call != call)
		tv_order_depart(t, TV_DEPART_CALL);
	else if (comm && next->comm != comm->order)
		tv_order_depart(t, TV_DEPART_COMM);
	else if (next->falses != order.falses)
		tv_order_depart(t, TV_DEPART_POLLS);
	return order.follows ? next : NULL;
}

/* ---- start and end ---- */

static bool is_wanted(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

void tv_order_begin(bool otherwise)
{
	tv.replays = tv.answers = is_wanted("TVIEW_REPLAY");
	tv.choices = tv.replays || otherwise || is_wanted("TVIEW_ORDER");
}

void tv_order_start(struct tv_thread *t)
{
	static const struct tv_choice none = { .kind = TV_CHOICE_END,
					       .falses = TV_CHOICE_UNCOUNTED };

	if (!tv.replays)
		return;
	order.next = tv_board_start();
	order.follows = true;
	if (order.next)
		return;
	order.next = &none;
	if (!tv.board)
		tv_order_depart(t, TV_DEPART_LIST);
}
