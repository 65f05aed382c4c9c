#include "capture/lib/own_line.h"

#include <unistd.h>

#include "capture/lib/carry.h"
#include "capture/lib/rank_look.h"

/* The communicator whose members the line has, and its key then. */
static struct {
	const struct tv_comm *comm;
	uint32_t key;
} told;

void tv_line_start(void)
{
	struct rank_line *line;
	int me;

	if (!tv_carry_ranks(&me))
		return;
	line = carry_line_of(tv_carry_map(), me);
	rank_line_begin(line);
	line->pid = (int32_t)getpid();
	line->space = rank_look_space();
	line->moved = 0;
	line->state = RANK_CALLS;
	rank_line_end(line);
	tv.liner = &tv_self;
	__atomic_store_n(&tv.line, line, __ATOMIC_RELEASE);
}

static bool is_final(const struct rank_line *line)
{
	return line->state >= RANK_DONE;
}

void tv_line_calls(const struct tv_thread *t)
{
	struct rank_line *line = tv.line;

	if (TV_UNLIKELY(t->outers || is_final(line)))
		return;
	if (TV_UNLIKELY(tv.liner != t)) {
		if (tv.liner && tv.multi) {
			__atomic_store_n(&line->state, RANK_THREADS, __ATOMIC_RELEASE);
			return;
		}
		tv.liner = t;
	}
	rank_line_calls(line);
}

void tv_line_pauses(void)
{
	struct rank_line *line = tv.line;

	if (line && tv.liner == &tv_self && (line->state == RANK_RUNS || line->state == RANK_POLLS))
		rank_line_pauses(line);
}

void tv_line_runs(const struct tv_thread *t, int64_t intrusion, int64_t moved, bool polls)
{
	struct rank_line *line = tv.line;

	if (is_final(line) || tv.liner != t)
		return;
	rank_line_begin(line);
	line->state = polls ? RANK_POLLS : RANK_RUNS;
	line->intrusion = intrusion;
	line->moved = moved;
	rank_line_end(line);
}

void tv_line_done(void)
{
	if (tv.line)
		__atomic_store_n(&tv.line->state, RANK_DONE, __ATOMIC_RELEASE);
}

/* Begins a change to a state in which the rank waits from the call's entry on. */
static struct rank_line *change(const struct tv_thread *t, enum rank_state state)
{
	const int64_t entered = tv_virtual_entered(t);
	struct rank_line *line = tv.line;

	rank_line_begin(line);
	line->state = (uint8_t)state;
	line->moved = entered;
	line->held = 0;
	memset(line->taken, 0, sizeof line->taken);
	return line;
}

void tv_line_members(const struct tv_comm *comm, uint64_t members[RANK_MEMBERS / 64])
{
	const int n = comm->remote ? comm->remote : comm->size;

	memset(members, 0, RANK_MEMBERS / 8);
	for (int i = 0; i < n; i++) {
		const int number = tv_carry_number(comm, i);
		if (number >= 0)
			members[number / 64] |= UINT64_C(1) << number % 64;
	}
}

/* Within a change of the line. */
static void tell_members(struct rank_line *line, const struct tv_comm *comm)
{
	if (told.comm == comm && told.key == comm->key)
		return;
	tv_line_members(comm, line->members);
	told.comm = comm;
	told.key = comm->key;
}

static struct rank_line *change_any(const struct tv_thread *t, const struct tv_comm *comm, int tag)
{
	struct rank_line *line = change(t, RANK_ANY);

	line->comm = comm->key;
	line->tag = tag < 0 ? -1 : tag;
	line->peer = RANK_FROM_ANY;
	tell_members(line, comm);
	return line;
}

void tv_line_receives(const struct tv_thread *t, const struct tv_comm *comm, int peer, int tag)
{
	const int number = peer < 0 ? RANK_FROM_ANY : tv_carry_number(comm, peer);
	struct rank_line *line;

	if (peer < 0) {
		rank_line_end(change_any(t, comm, tag));
		return;
	}
	/* Nothing is known of that rank. */
	if (number < 0)
		return;
	line = change(t, RANK_RECEIVE);
	line->comm = comm->key;
	line->tag = tag < 0 ? -1 : tag;
	line->peer = number;
	rank_line_end(line);
}

void tv_line_holds(const struct tv_thread *t, const struct tv_comm *comm, int tag, const int *taken,
		   unsigned n)
{
	struct rank_line *line = change_any(t, comm, tag);

	line->held = true;
	for (unsigned i = 0; i < n && i < RANK_TAKEN; i++)
		line->taken[i] = (int16_t)(1 + tv_carry_number(comm, taken[i]));
	rank_line_end(line);
}

void tv_line_sends(const struct tv_thread *t, const struct tv_comm *comm, int peer, int tag,
		   bool waits)
{
	struct rank_line *line;
	int number;

	if (!waits) {
		rank_line_moved(tv.line, tv_virtual_entered(t));
		return;
	}
	number = tv_carry_number_here(comm, peer);
	/* Whether one of another node has posted its receive is not known. */
	if (number < 0)
		return;
	line = change(t, RANK_SENDS);
	line->comm = comm->key;
	line->tag = tag;
	line->peer = number;
	rank_line_end(line);
}

void tv_line_meets(const struct tv_thread *t, const struct tv_comm *comm, uint64_t ticket,
		   uint32_t call, int root)
{
	const enum virtual_rule rule = tv_carry_rule(call);
	struct rank_line *line;

	/* Others do not wait, or that is not known. */
	if (rule != VIRTUAL_ALL &&
	    rule != (root == comm->rank ? VIRTUAL_TO_ROOT : VIRTUAL_FROM_ROOT))
		return;
	line = change(t, RANK_MEETS);
	line->ticket = ticket;
	line->comm = comm->key;
	line->rule = (uint8_t)rule;
	line->peer = root >= 0 ? tv_carry_number(comm, root) : RANK_FROM_ANY;
	tell_members(line, comm);
	rank_line_end(line);
}

static void add(struct tv_line_wait *wait, uint32_t comm, struct rank_wanted one)
{
	while (one.comm < wait->comms && wait->comm[one.comm] != comm)
		one.comm++;
	if (wait->n == RANK_WANTED || one.comm == RANK_COMMS) {
		wait->many = true;
		return;
	}
	if (one.comm == wait->comms)
		wait->comm[wait->comms++] = comm;
	one.tag = one.tag < 0 ? -1 : one.tag;
	wait->wanted[wait->n++] = one;
}

void tv_line_add(struct tv_line_wait *wait, const struct tv_comm *comm, int peer, int tag,
		 bool send)
{
	const int number = peer < 0 ? -1
			   : send   ? tv_carry_number_here(comm, peer)
				    : tv_carry_number(comm, peer);

	if (peer < 0 && !send && !wait->n && !wait->many) {
		wait->any = comm;
		wait->wanted[0].tag = tag;
	}
	if (number < 0)
		wait->many = true;
	else
		add(wait, comm->key,
		    (struct rank_wanted){ .tag = tag, .peer = (int16_t)number, .send = send });
}

void tv_line_add_any(struct tv_line_wait *wait, const struct tv_comm *comm, int tag)
{
	add(wait, comm->key, (struct rank_wanted){ .tag = tag, .peer = RANK_FROM_ANY });
}

void tv_line_waits(const struct tv_thread *t, const struct tv_line_wait *wait, bool all)
{
	struct rank_line *line;

	if (wait->any && !wait->n)
		tv_line_receives(t, wait->any, TV_PEER_ANYBODY, wait->wanted[0].tag);
	if (!wait->n || wait->many)
		return;
	line = change(t, all ? RANK_ALL : RANK_FIRST);
	line->comm = wait->comm[0];
	memcpy(line->others, &wait->comm[1], sizeof line->others);
	line->held = wait->held;
	line->n = (uint8_t)wait->n;
	told.comm = NULL; /* they are where members were */
	memcpy(line->wanted, wait->wanted, sizeof line->wanted);
	rank_line_end(line);
}
