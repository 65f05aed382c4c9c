#include "capture/run/rank_cut.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* In keys of job.early: the place of a tag, and of a communicator. */
#define ANY_TAG      UINT32_MAX
#define UNKNOWN_RANK UINT32_MAX

/* ---- where ---- */

/* The tick of a rank's latest record, and of its earliest. */
static void find_ends(const struct rankfile *file, uint64_t *first, uint64_t *last)
{
	*first = UINT64_MAX;
	*last = 0;
	for (uint32_t thread = 0; thread < file->threads; thread++) {
		const struct tv_head *head;
		struct rank_stream s;
		rank_stream_begin(&s, file, thread);
		while ((head = rank_stream_next(&s))) {
			if (head->kind == TV_DEFINE)
				continue;
			*first = head->time < *first ? head->time : *first;
			*last = head->time > *last ? head->time : *last;
		}
	}
}

/* Where a thread's chunks begin that follow each other up to its end; `lost` where there is no
 * ledger of those before. */
static uint64_t kept_since(const struct rankfile *file, uint32_t thread, bool *lost)
{
	const struct tv_ledger *ledger = rankfile_ledger(file, thread);
	uint32_t next = ledger ? ledger->covers : 0;
	uint64_t since = ledger ? ledger->until : 0;
	struct rank_stream s;

	rank_stream_begin(&s, file, thread);
	for (size_t i = s.chunk; i < s.stop; i++) {
		const struct tv_chunk *chunk = file->chunks.data[i];
		const struct tv_head *head = NULL;
		if (chunk->holds != TV_HOLDS_EVENTS)
			continue;
		if (chunk->serial != next) {
			*lost = true;
			rank_stream_again(&s, i);
			head = rank_stream_next(&s);
			since = head && head->time > since ? head->time : since;
		}
		next = chunk->serial + 1;
	}
	return since;
}

/* Takes what is before the cut into a thread's ledger. */
static struct cut_thread thread_of(const struct rankfile *file, uint32_t thread, uint64_t since)
{
	const struct tv_ledger *kept = rankfile_ledger(file, thread);
	struct tv_ledger *ledger = xcalloc(1, sizeof *ledger);
	struct cut_thread cut = { .ledger = ledger };
	const struct tv_head *head;
	struct rank_stream s;

	if (kept)
		memcpy(ledger, kept, sizeof *ledger);
	rank_stream_begin(&s, file, thread);
	while ((head = rank_stream_next(&s))) {
		if (head->time >= since || !rank_is_of_run(head))
			continue;
		tv_ledger_take(ledger, head);
		if (head->kind != TV_ENTER)
			continue;
		cut.chunk = file->chunks.data[s.chunk];
		cut.at = s.words.at;
	}
	return cut;
}

/* A forged ledger is not trusted with its numbers. */
static void check(struct rank_cut *cut, struct tv_ledger *ledger)
{
	if (ledger->frames > TV_LEDGER_FRAMES || ledger->requests > TV_LEDGER_REQUESTS) {
		ledger->frames = ledger->requests = 0;
		ledger->lost++;
	}
	cut->unknown |= ledger->lost != 0;
}

static void note_levels(struct rank *rank, const struct tv_ledger *ledger, uint64_t since)
{
	if (ledger && ledger->levels)
		vec_push(&rank->levels, ((struct rank_levels){ since, ledger->level }));
}

void rank_cut(struct rank *rank)
{
	struct rankfile *file = rank->file;
	const uint64_t span = file->head->ring;
	struct rank_cut *cut = &rank->cut;
	uint64_t first, last, since = 0;

	if (!span && !file->folded)
		return;
	find_ends(file, &first, &last);
	for (uint32_t thread = 0; thread < file->threads; thread++) {
		const uint64_t kept = kept_since(file, thread, &cut->unknown);
		since = kept > since ? kept : since;
	}
	if (span && last > span && last - span > since)
		since = last - span;
	/* All was kept. */
	if (since <= first && !file->ledgers.n && !cut->unknown)
		return;
	cut->is = true;
	/* Messages of threads that have ended are not counted any more. */
	cut->unknown |= file->threads > 1 && file->head->state & TV_THREADED;
	for (uint32_t thread = 0; thread < file->threads; thread++) {
		vec_push(&cut->threads, thread_of(file, thread, since));
		check(cut, vec_last(&cut->threads)->ledger);
		note_levels(rank, vec_last(&cut->threads)->ledger, since);
	}
	file->since = since;
}

void rank_cut_fini(struct rank *rank)
{
	struct cut_thread *thread;

	vec_each (thread, &rank->cut.threads)
		free(thread->ledger);
	vec_fini(&rank->cut.threads);
	vec_fini(&rank->cut.skip);
	keymap_fini(&rank->cut.requests);
}

const struct cut_thread *rank_cut_thread(const struct rank *rank, uint32_t thread)
{
	const struct cut_thread *cut =
		thread < rank->cut.threads.n ? &rank->cut.threads.data[thread] : NULL;

	return cut && cut->ledger->until && !cut->ledger->ended ? cut : NULL;
}

/* ---- what is open there ---- */

static bool in_call(const struct tv_ledger *l)
{
	return l->frames > 0 && l->frame[l->frames - 1].head.kind == TV_ENTER;
}

static uint32_t open_sends(const struct tv_ledger *l)
{
	return in_call(l) && l->sends <= TV_LEDGER_SENDS ? l->sends : 0;
}

static bool open_collective(const struct tv_ledger *l)
{
	return in_call(l) && l->in_collective;
}

void rank_cut_open(const struct tv_ledger *l, cut_tell *tell, void *context)
{
	for (uint32_t i = 0; i < l->frames; i++) {
		const union tv_kept *frame = &l->frame[i];
		union tv_kept from = { { frame->head.time, frame->word[2] } };
		if (frame->head.kind == TV_SITE_ENTER && frame->word[2])
			tell(context, &from.head);
		tell(context, &frame->head);
	}
	for (uint32_t i = 0; i < l->requests; i++)
		if (l->request[i].head.kind == TV_RECV_REQUEST)
			tell(context, &l->request[i].head);
	for (uint32_t i = 0; i < open_sends(l); i++)
		tell(context, &l->send[i].head);
	if (open_collective(l))
		tell(context, &l->collective.head);
}

/* ---- which messages and collectives have both halves ---- */

/* Messages of one sender, receiver, tag and communicator, of which both sides kept the last ones:
 * how many each had before. */
struct pair {
	uint64_t sent, received;
};

/* A receive that has a request. */
struct posted {
	struct rank *rank; /* NULL: it is complete */
	struct tv_message wanted;
};

struct pairs {
	struct job *job;
	struct rank *rank; /* under way */
	struct keymap channels, comms, ranks, own;
	VEC(struct pair) channel;
	VEC(uint64_t) most;        /* collectives that some rank had before, by communicator */
	VEC(uint64_t) before;      /* the same of the rank under way, */
	VEC(uint32_t) called;      /* and the place of each of its collectives in cut.skip, */
	VEC(uint32_t) comm;        /* and its communicator; UINT32_MAX: not known */
	struct keymap begun;       /* request -> place in `called` */
	VEC(struct posted) posted; /* of all ranks before, and of this one those so far; */
	struct keymap waits;       /* of this one: request -> place there */
};

static struct pair *pair_of(struct pairs *p, uint32_t comm, int32_t peer, int32_t tag, bool sends)
{
	const int32_t other = rank_member(p->rank, comm, peer), own = p->rank->number;
	const uint32_t from = (uint32_t)(sends ? own : other), to = (uint32_t)(sends ? other : own);
	uint32_t id;

	if (keymap_new(&p->channels, KEY_OF(rank_comm_id(p->rank, comm), from, to, (uint32_t)tag),
		       p->channel.n, &id))
		vec_push(&p->channel, ((struct pair){ 0, 0 }));
	return &p->channel.data[id];
}

static uint64_t *most_of(struct pairs *p, uint32_t comm)
{
	uint32_t id;

	if (keymap_new(&p->comms, KEY_OF(rank_comm_id(p->rank, comm)), p->most.n, &id))
		vec_push(&p->most, 0);
	return &p->most.data[id];
}

static uint64_t *before_of(struct pairs *p, uint32_t comm)
{
	uint32_t id;

	if (keymap_new(&p->own, KEY_OF((uint32_t)p->rank->number, comm), p->before.n, &id))
		vec_push(&p->before, 0);
	return &p->before.data[id];
}

static bool is_unknown(const struct pairs *p, int32_t number)
{
	const uint32_t *known = keymap_find(&p->ranks, KEY_OF((uint32_t)number));

	return known && p->job->ranks.data[*known].cut.unknown;
}

/* What is told again counts as after the cut. */
static void count_ledger(struct pairs *p, const struct tv_ledger *l)
{
	for (uint32_t i = 0; i < TV_LEDGER_CHANNELS; i++) {
		const struct tv_channel *c = &l->channel[i];
		if (!c->used)
			continue;
		pair_of(p, c->comm, c->peer, c->tag, true)->sent += c->sent;
		pair_of(p, c->comm, c->peer, c->tag, false)->received += c->received;
	}
	for (uint32_t i = 0; i < open_sends(l); i++) {
		const struct tv_message *m = &l->send[i].message;
		pair_of(p, tv_size_upper(m->size), m->peer, m->tag, true)->sent--;
	}
	for (uint32_t i = 0; i < TV_LEDGER_COMMS; i++)
		if (l->comm[i].used)
			*before_of(p, l->comm[i].comm) += l->comm[i].collectives;
	if (open_collective(l))
		--*before_of(p, l->collective.head.id);
	for (uint32_t i = 0; i < l->requests; i++)
		if (l->request[i].head.kind != TV_RECV_REQUEST)
			*keymap_add(&p->rank->cut.requests, KEY_OF(l->request[i].head.id)) = 1;
}

static bool is_left_out(const struct rank *rank, uint32_t request)
{
	const uint32_t *out = request ? keymap_find(&rank->cut.requests, KEY_OF(request)) : NULL;

	return out != NULL;
}

/* Those that were begun before, and completed afterwards, are before. */
static void count_late(struct pairs *p)
{
	for (uint32_t thread = 0; thread < p->rank->file->threads; thread++) {
		const struct tv_head *head;
		struct rank_stream s;
		rank_stream_begin(&s, p->rank->file, thread);
		while ((head = rank_stream_next(&s)))
			if (head->kind == TV_COLL_COMPLETE && is_left_out(p->rank, head->id))
				++*before_of(p, tv_size_upper(((const struct tv_collective
									*)(const void *)head)
								      ->received_comm));
	}
}

static void count_rank(struct pairs *p)
{
	const struct cut_thread *thread;

	vec_each (thread, &p->rank->cut.threads)
		count_ledger(p, thread->ledger);
	if (p->rank->cut.is)
		count_late(p);
	for (uint32_t comm = 0; comm < p->rank->comms.n; comm++) {
		const uint32_t *own = keymap_find(&p->own, KEY_OF((uint32_t)p->rank->number, comm));
		uint64_t *most = most_of(p, comm);
		const uint64_t before = own ? p->before.data[*own] : 0;
		*most = before > *most ? before : *most;
	}
}

static void decide_message(struct pairs *p, const struct tv_message *m)
{
	const bool sends = m->head.kind == TV_SEND;
	struct pair *pair = pair_of(p, tv_size_upper(m->size), m->peer, m->tag, sends);
	const int32_t other = rank_member(p->rank, tv_size_upper(m->size), m->peer);
	uint64_t *own = sends ? &pair->sent : &pair->received;
	const uint64_t others = sends ? pair->received : pair->sent;
	const bool out = *own < others || p->rank->cut.unknown || is_unknown(p, other);

	vec_push(&p->rank->cut.skip, (uint8_t)out);
	*own += *own < others;
	if (out && m->head.id)
		*keymap_add(&p->rank->cut.requests, KEY_OF(m->head.id)) = 1;
	p->rank->cut.halves += out;
}

static void end_posted(struct pairs *p, uint32_t request)
{
	const uint32_t *at = request ? keymap_find(&p->waits, KEY_OF(request)) : NULL;

	if (at)
		p->posted.data[*at].rank = NULL;
}

static void note_posted(struct pairs *p, const struct tv_message *wanted)
{
	uint32_t at;

	if (keymap_new(&p->waits, KEY_OF(wanted->head.id), p->posted.n, &at))
		vec_push(&p->posted, ((struct posted){ p->rank, *wanted }));
}

/* Keeps those of the rank that are not complete, from a place on. */
static void keep_posted(struct pairs *p, size_t first)
{
	size_t n = first;

	for (size_t i = first; i < p->posted.n; i++)
		if (p->posted.data[i].rank)
			p->posted.data[n++] = p->posted.data[i];
	p->posted.n = n;
}

static void note_collective(struct pairs *p, uint32_t request, uint32_t comm)
{
	uint32_t id;

	if (request)
		keymap_new(&p->begun, KEY_OF(request), p->called.n, &id);
	vec_push(&p->called, (uint32_t)p->rank->cut.skip.n);
	vec_push(&p->comm, comm);
	vec_push(&p->rank->cut.skip, 0);
}

static void decide(void *context, const struct tv_head *head)
{
	const struct tv_collective *c = (const void *)head;
	struct pairs *p = context;
	const uint32_t *begun;

	switch (head->kind) {
	case TV_RECV: end_posted(p, head->id); /* fall through */
	case TV_SEND: decide_message(p, (const void *)head); break;
	case TV_RECV_REQUEST: note_posted(p, (const void *)head); break;
	case TV_REQUEST_CANCELLED:
	case TV_REQUEST_FREED: end_posted(p, head->id); break;
	case TV_COLL_BEGIN: note_collective(p, 0, head->id); break;
	case TV_COLL_REQUEST: note_collective(p, head->id, UINT32_MAX); break;
	case TV_COLL_COMPLETE:
		begun = keymap_find(&p->begun, KEY_OF(head->id));
		if (begun)
			p->comm.data[*begun] = tv_size_upper(c->received_comm);
		break;
	default: break;
	}
}

static bool has_unknown(const struct pairs *p)
{
	const struct rank *rank;

	vec_each (rank, &p->job->ranks)
		if (rank->cut.unknown)
			return true;
	return false;
}

/* The first ones of each communicator, in the order of their beginnings. */
static void decide_collectives(struct pairs *p)
{
	const bool unknown = has_unknown(p);

	for (size_t i = 0; i < p->called.n; i++) {
		const uint32_t comm = p->comm.data[i];
		uint64_t *before = comm == UINT32_MAX ? NULL : before_of(p, comm);
		const bool out = before && (unknown || *before < *most_of(p, comm));
		p->rank->cut.skip.data[p->called.data[i]] = (uint8_t)out;
		p->rank->cut.halves += out;
		if (out)
			++*before;
	}
}

/* Those with a request are known by its number. */
static void leave_out_requests(struct pairs *p)
{
	for (size_t i = 0; i < p->begun.size; i++) {
		const struct keymap_slot *slot = &p->begun.slots[i];
		if (slot->hash && p->rank->cut.skip.data[p->called.data[slot->value]])
			*keymap_add(&p->rank->cut.requests, slot->key) = 1;
	}
}

static void clear(struct keymap *map)
{
	keymap_fini(map);
	*map = (struct keymap){ NULL, 0, 0 };
}

static void decide_rank(struct pairs *p)
{
	const size_t posted = p->posted.n;

	p->called.n = p->comm.n = 0;
	for (uint32_t thread = 0; thread < p->rank->file->threads; thread++) {
		const struct cut_thread *cut = rank_cut_thread(p->rank, thread);
		const struct tv_head *head;
		struct rank_stream s;
		if (cut)
			rank_cut_open(cut->ledger, decide, p);
		rank_stream_begin(&s, p->rank->file, thread);
		while ((head = rank_stream_next(&s)))
			decide(p, head);
	}
	keep_posted(p, posted);
	decide_collectives(p);
	leave_out_requests(p);
	clear(&p->begun);
	clear(&p->waits);
}

/* ---- what was sent before the sender's cut, and is not received ---- */

/* It belongs to receives that are not complete: their ranks do not wait for its sender. So it may
 * be where counts are not known. */
static uint32_t *early_of(const struct job *job, const struct rank *rank,
			  const struct tv_message *wanted, uint32_t tag)
{
	const uint32_t comm = tv_size_upper(wanted->size);

	return keymap_find(&job->early, KEY_OF(rank_comm_id(rank, comm),
					       (uint32_t)rank_member(rank, comm, wanted->peer),
					       (uint32_t)rank->number, tag));
}

static void note_early(struct pairs *p)
{
	const struct rank *rank;

	vec_each (rank, &p->job->ranks)
		if (rank->cut.unknown)
			*keymap_add(&p->job->early, KEY_OF(UNKNOWN_RANK, (uint32_t)rank->number)) =
				1;
	for (size_t i = 0; i < p->channels.size; i++) {
		const struct keymap_slot *slot = &p->channels.slots[i];
		const struct pair *pair = slot->hash ? &p->channel.data[slot->value] : NULL;
		struct key all = slot->key;
		uint32_t *n;
		if (!pair || pair->sent <= pair->received)
			continue;
		*keymap_add(&p->job->early, slot->key) = (uint32_t)(pair->sent - pair->received);
		all.part[3] = ANY_TAG;
		n = keymap_add(&p->job->early, all);
		*n = (*n == UINT32_MAX ? 0 : *n) + (uint32_t)(pair->sent - pair->received);
	}
}

static bool is_marked(const struct job *job, int32_t number)
{
	return keymap_find(&job->early, KEY_OF(UNKNOWN_RANK, (uint32_t)number)) != NULL;
}

bool job_cut_awaits(const struct job *job, const struct rank *rank, const struct tv_message *wanted)
{
	const bool any = wanted->head.flags & TV_ANY_TAG;
	uint32_t *all, *early;

	if (!job->cut || wanted->peer < 0 || wanted->head.flags & TV_ANY_SOURCE)
		return true;
	if (is_marked(job, rank->number) ||
	    is_marked(job, rank_member(rank, tv_size_upper(wanted->size), wanted->peer)))
		return false;
	all = early_of(job, rank, wanted, ANY_TAG);
	early = any ? all : early_of(job, rank, wanted, (uint32_t)wanted->tag);
	if (!early || !*early)
		return true;
	--*early;
	*all -= early != all && *all;
	return false;
}

static void decide_posted(struct pairs *p)
{
	const struct posted *posted;

	vec_each (posted, &p->posted) {
		const struct tv_message *wanted = &posted->wanted;
		if (job_cut_awaits(p->job, posted->rank, wanted))
			continue;
		*keymap_add(&posted->rank->cut.requests, KEY_OF(wanted->head.id)) = 1;
		posted->rank->cut.halves++;
	}
}

void job_cut_pairs(struct job *job)
{
	struct pairs p = { .job = job };

	vec_each (p.rank, &job->ranks)
		job->cut |= p.rank->cut.is;
	if (!job->cut)
		return;
	vec_each (p.rank, &job->ranks) {
		*keymap_add(&p.ranks, KEY_OF((uint32_t)p.rank->number)) =
			(uint32_t)(p.rank - job->ranks.data);
		count_rank(&p);
	}
	vec_each (p.rank, &job->ranks)
		decide_rank(&p);
	note_early(&p);
	decide_posted(&p);
	keymap_fini(&p.channels);
	keymap_fini(&p.comms);
	keymap_fini(&p.ranks);
	keymap_fini(&p.own);
	vec_fini(&p.channel);
	vec_fini(&p.most);
	vec_fini(&p.before);
	vec_fini(&p.called);
	vec_fini(&p.comm);
	vec_fini(&p.posted);
}

/* ---- what is told ---- */

static bool next_is_out(struct rank_cut *cut)
{
	return cut->at < cut->skip.n && cut->skip.data[cut->at++];
}

bool rank_cut_takes(struct rank *rank, const struct tv_head *head)
{
	struct rank_cut *cut = &rank->cut;

	switch (head->kind) {
	case TV_SEND:
	case TV_RECV:
	case TV_COLL_REQUEST: return !next_is_out(cut);
	case TV_COLL_BEGIN: cut->collective_out = next_is_out(cut); return !cut->collective_out;
	case TV_COLL_END: return !cut->collective_out;
	case TV_RECV_REQUEST:
	case TV_SEND_COMPLETE:
	case TV_REQUEST_TEST:
	case TV_REQUEST_CANCELLED:
	case TV_REQUEST_FREED:
	case TV_COLL_COMPLETE: return !is_left_out(rank, head->id);
	/* The epochs that they are in are not known. */
	case TV_RMA_BEGIN:
	case TV_RMA:
	case TV_RMA_COMPLETE: cut->rma += head->kind == TV_RMA; return false;
	default: return true;
	}
}
