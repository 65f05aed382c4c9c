/* ledger: what a thread's records up to a moment leave to those that follow: what is open, requests
 * that are under way, and how many messages and collectives there were. The library keeps one of
 * the records that it has overwritten (ring.h), in a chunk of TV_HOLDS_LEDGER; a reader goes on
 * with it up to where its trace begins (capture/run/rank_cut.h).
 *
 * Messages are matched by order, so a count for each communicator, partner and tag tells which of
 * them have a partner that was kept. What does not fit is counted as `lost`: then no message or
 * collective of the process may be matched.
 *
 * Time: O(1) a record, beside O(requests under way) of one that is completed. libc alone. */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "capture/lib/record.h"

enum {
	TV_LEDGER_FRAMES = 1024,
	TV_LEDGER_REQUESTS = 2048,
	TV_LEDGER_CHANNELS = 4096, /* a power of two */
	TV_LEDGER_COMMS = 512,     /* the same */
	TV_LEDGER_SENDS = 8,
	TV_LEVELS = 3, /* kinds of events */
};

/* A record as it was; words that one of 16 bytes does not have are 0. */
union tv_kept {
	uint64_t word[4];
	struct tv_head head;
	struct tv_function function;
	struct tv_enter enter;
	struct tv_message message;
	struct tv_collective collective;
};

struct tv_channel {
	uint32_t comm, used; /* used 0: free */
	int32_t peer, tag;
	uint64_t sent, received;
};

struct tv_comm_count {
	uint32_t comm, used;
	uint64_t collectives;
};

struct tv_ledger {
	struct tv_chunk chunk;
	uint64_t until;           /* ticks: all records before are in it, and none that is later */
	uint32_t covers;          /* serials of the thread below it: their chunks are in it */
	uint32_t lost;            /* what did not fit */
	uint32_t ended;           /* 1: the thread has ended */
	uint32_t paused;          /* 1: its recording was switched off */
	uint32_t levels;          /* 1: the program chose kinds of events, */
	int32_t level[TV_LEVELS]; /* these (TV_DEF_LEVELS) */
	uint32_t frames, requests, channels, comms;
	uint32_t sends;           /* by the call of MPI that is open; > TV_LEDGER_SENDS: not kept */
	uint32_t in_collective;   /* 1: `collective` has begun, and not ended */
	uint64_t across;          /* what of a TV_SITE_FROM, for the site that follows */
	union tv_kept collective; /* counted already, */
	union tv_kept send[TV_LEDGER_SENDS];       /* and these, too */
	union tv_kept frame[TV_LEDGER_FRAMES];     /* enters; of a site word[2]: its TV_SITE_FROM */
	union tv_kept request[TV_LEDGER_REQUESTS]; /* beginnings, in no order */
	struct tv_channel channel[TV_LEDGER_CHANNELS];
	struct tv_comm_count comm[TV_LEDGER_COMMS];
};

_Static_assert(sizeof(struct tv_ledger) <= TV_CHUNK_SIZE, "a ledger fits into a chunk");

static inline uint32_t tv_ledger_hash(uint32_t a, uint32_t b, uint32_t c)
{
	const uint64_t mixed =
		(a ^ (uint64_t)b << 32 ^ (uint64_t)c << 16) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(mixed >> 40);
}

/* The counts of a channel; NULL: there is no room for it. */
static inline struct tv_channel *tv_ledger_channel(struct tv_ledger *l, uint32_t comm, int32_t peer,
						   int32_t tag)
{
	uint32_t i = tv_ledger_hash(comm, (uint32_t)peer, (uint32_t)tag);

	for (;; i++) {
		struct tv_channel *c = &l->channel[i % TV_LEDGER_CHANNELS];
		if (c->used && c->comm == comm && c->peer == peer && c->tag == tag)
			return c;
		if (c->used)
			continue;
		if (l->channels >= TV_LEDGER_CHANNELS / 4 * 3)
			return NULL;
		l->channels++;
		*c = (struct tv_channel){ .comm = comm, .used = 1, .peer = peer, .tag = tag };
		return c;
	}
}

static inline struct tv_comm_count *tv_ledger_comm(struct tv_ledger *l, uint32_t comm)
{
	uint32_t i = tv_ledger_hash(comm, 0, 0);

	for (;; i++) {
		struct tv_comm_count *c = &l->comm[i % TV_LEDGER_COMMS];
		if (c->used && c->comm == comm)
			return c;
		if (c->used)
			continue;
		if (l->comms >= TV_LEDGER_COMMS / 4 * 3)
			return NULL;
		l->comms++;
		*c = (struct tv_comm_count){ .comm = comm, .used = 1 };
		return c;
	}
}

static inline void tv_ledger_count_message(struct tv_ledger *l, const struct tv_message *m)
{
	struct tv_channel *c = tv_ledger_channel(l, tv_size_upper(m->size), m->peer, m->tag);

	if (!c)
		l->lost++;
	else if (m->head.kind == TV_SEND)
		c->sent++;
	else
		c->received++;
}

static inline void tv_ledger_count_collective(struct tv_ledger *l, uint32_t comm)
{
	struct tv_comm_count *c = tv_ledger_comm(l, comm);

	if (c)
		c->collectives++;
	else
		l->lost++;
}

static inline union tv_kept tv_ledger_copy(const struct tv_head *head)
{
	union tv_kept kept = { { 0, 0, 0, 0 } };

	memcpy(&kept, head, tv_record_size(head) == 32 ? 32 : 16);
	return kept;
}

static inline void tv_ledger_begin_request(struct tv_ledger *l, const struct tv_head *head)
{
	if (l->requests < TV_LEDGER_REQUESTS)
		l->request[l->requests++] = tv_ledger_copy(head);
	else
		l->lost++;
}

/* The place of the request of a number; `requests` where it is not under way. */
static inline uint32_t tv_ledger_request(const struct tv_ledger *l, uint32_t id)
{
	for (uint32_t i = l->requests; i-- > 0;)
		if (l->request[i].head.id == id)
			return i;
	return l->requests;
}

static inline void tv_ledger_end_request(struct tv_ledger *l, uint32_t id)
{
	const uint32_t i = id ? tv_ledger_request(l, id) : l->requests;

	if (i < l->requests)
		l->request[i] = l->request[--l->requests];
}

static inline void tv_ledger_enter(struct tv_ledger *l, const struct tv_head *head)
{
	union tv_kept *frame;

	if (head->kind == TV_ENTER)
		l->sends = 0;
	if (l->frames >= TV_LEDGER_FRAMES) {
		l->lost++;
		return;
	}
	frame = &l->frame[l->frames++];
	*frame = tv_ledger_copy(head);
	if (head->kind == TV_SITE_ENTER)
		frame->word[2] = l->across;
	l->across = 0;
}

/* Whether a leave is that of an enter. */
static inline bool tv_ledger_leaves(const struct tv_head *leave, const union tv_kept *enter)
{
	const struct tv_function *f = (const struct tv_function *)(const void *)leave;

	switch (leave->kind) {
	case TV_LEAVE: return enter->head.kind == TV_ENTER && enter->head.call == leave->call;
	case TV_USER_LEAVE: return enter->head.kind == TV_USER_ENTER && enter->head.id == leave->id;
	case TV_FUNCTION_LEAVE:
		return enter->head.kind == TV_FUNCTION_ENTER &&
		       tv_function_address(enter->function.what) == tv_function_address(f->what);
	default:
		return enter->head.kind == TV_SITE_ENTER &&
		       tv_site_module(enter->function.what) == tv_site_module(f->what) &&
		       tv_site_slot(enter->function.what) == tv_site_slot(f->what);
	}
}

/* What is open inside ends with it: longjmp() left it. */
static inline void tv_ledger_leave(struct tv_ledger *l, const struct tv_head *head)
{
	uint32_t i = l->frames;

	while (i > 0 && !tv_ledger_leaves(head, &l->frame[i - 1]))
		i--;
	if (i > 0)
		l->frames = i - 1;
	if (head->kind == TV_LEAVE)
		l->sends = 0;
}

static inline void tv_ledger_message(struct tv_ledger *l, const struct tv_message *m)
{
	tv_ledger_count_message(l, m);
	if (m->head.kind == TV_RECV) {
		tv_ledger_end_request(l, m->head.id);
		return;
	}
	if (l->sends < TV_LEDGER_SENDS)
		l->send[l->sends] = tv_ledger_copy(&m->head);
	l->sends++;
	if (m->head.id)
		tv_ledger_begin_request(l, &m->head);
}

/* MPI refused the call that wrote them. */
static inline void tv_ledger_take_back(struct tv_ledger *l, uint32_t begun)
{
	struct tv_comm_count *c = NULL;

	if (l->in_collective && (uint32_t)l->collective.head.time == begun) {
		c = tv_ledger_comm(l, l->collective.head.id);
		l->in_collective = 0;
	}
	if (c && c->collectives)
		c->collectives--;
	for (uint32_t i = 0; i < l->sends && i < TV_LEDGER_SENDS; i++) {
		const struct tv_message *m = &l->send[i].message;
		struct tv_channel *channel;
		if ((uint32_t)m->head.time != begun || m->head.id)
			continue;
		channel = tv_ledger_channel(l, tv_size_upper(m->size), m->peer, m->tag);
		if (channel && channel->sent)
			channel->sent--;
	}
	l->sends = 0;
}

static inline void tv_ledger_define(struct tv_ledger *l, const struct tv_define *define)
{
	if (define->head.call == TV_DEF_PAUSE)
		l->paused = define->head.id;
	if (define->head.call != TV_DEF_LEVELS || define->length < sizeof l->level)
		return;
	memcpy(l->level, define + 1, sizeof l->level);
	l->levels = 1;
}

/* Takes the next record of the thread. */
static inline void tv_ledger_take(struct tv_ledger *l, const struct tv_head *head)
{
	switch (head->kind) {
	case TV_FUNCTION_ENTER:
	case TV_SITE_ENTER:
	case TV_USER_ENTER:
	case TV_ENTER: tv_ledger_enter(l, head); break;
	case TV_FUNCTION_LEAVE:
	case TV_SITE_LEAVE:
	case TV_USER_LEAVE:
	case TV_LEAVE: tv_ledger_leave(l, head); break;
	case TV_SITE_FROM:
		l->across = ((const struct tv_function *)(const void *)head)->what;
		break;
	case TV_SEND:
	case TV_RECV: tv_ledger_message(l, (const struct tv_message *)(const void *)head); break;
	case TV_RECV_REQUEST:
	case TV_COLL_REQUEST: tv_ledger_begin_request(l, head); break;
	case TV_SEND_COMPLETE:
	case TV_REQUEST_CANCELLED:
	case TV_REQUEST_FREED: tv_ledger_end_request(l, head->id); break;
	case TV_COLL_BEGIN:
		tv_ledger_count_collective(l, head->id);
		l->collective = tv_ledger_copy(head);
		l->in_collective = 1;
		break;
	case TV_COLL_END: l->in_collective = 0; break;
	case TV_REFUSED: tv_ledger_take_back(l, head->id); break;
	case TV_COLL_COMPLETE:
		tv_ledger_end_request(l, head->id);
		tv_ledger_count_collective(
			l,
			tv_size_upper(
				((const struct tv_collective *)(const void *)head)->received_comm));
		break;
	case TV_DEFINE: tv_ledger_define(l, (const void *)head); break;
	case TV_THREAD_END: l->ended = 1; break;
	default: break;
	}
	if (head->kind != TV_DEFINE && head->time >= l->until)
		l->until = head->time + 1;
}
