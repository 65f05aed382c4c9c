#include "capture/run/rank_skim.h"

/* Kinds that are counted by their slot alone. */
#define COMMON                                                                                   \
	(TV_KIND(TV_FUNCTION_ENTER) | TV_KIND(TV_FUNCTION_LEAVE) | TV_KIND(TV_SITE_ENTER) |      \
	 TV_KIND(TV_SITE_LEAVE) | TV_KIND(TV_SITE_FROM) | TV_KIND(TV_USER_ENTER) |               \
	 TV_KIND(TV_USER_LEAVE) | TV_KIND(TV_USER_MARK) | TV_KIND(TV_ENTER) | TV_KIND(TV_SEND) | \
	 TV_KIND(TV_SEND_COMPLETE) | TV_KIND(TV_RECV_REQUEST) | TV_KIND(TV_RECV) |               \
	 TV_KIND(TV_REQUEST_TEST) | TV_KIND(TV_COLL_BEGIN) | TV_KIND(TV_COLL_END) |              \
	 TV_KIND(TV_COLL_REQUEST) | TV_KIND(TV_COLL_COMPLETE) | TV_KIND(TV_SAMPLE))

static bool is_overhead(const struct rank *rank, uint32_t call)
{
	return call < TV_CALLS_MAX && rank->file->head->call[call].cls == TV_OVERHEAD;
}

static void count(struct rank *rank, uint64_t what)
{
	switch (what & 0xff) {
	case TV_SITE_ENTER:
	case TV_SITE_LEAVE:
		rank->functions++;
		rank->guarded++;
		break;
	case TV_FUNCTION_ENTER:
	case TV_FUNCTION_LEAVE:
		rank->functions++;
		rank->guarded += what >> 63;
		break;
	case TV_ENTER:
		if ((what >> 16 & 0xffff) < TV_CALLS_MAX)
			rank->entered[what >> 16 & 0xffff]++;
		break;
	default: break;
	}
}

static void note_time(struct rank *rank, uint64_t time)
{
	rank->first = time < rank->first ? time : rank->first;
	rank->last = time > rank->last ? time : rank->last;
}

/* Counts words up to one that is more than a common record, or damaged. */
static void skip(struct rank_skim *k)
{
	struct tv_words_reader *r = &k->s.words;
	const uint64_t *at = (const void *)((const char *)r->chunk + r->at);
	const uint64_t *end = (const void *)((const char *)r->chunk + (r->chunk->used & ~7ull));
	uint64_t time = r->time;

	for (; at < end; at++) {
		const enum tv_word is = (enum tv_word)(*at >> TV_WORD_AT);
		const struct tv_words_slot_read *slot = &r->slots[*at >> TV_WORD_SLOT_AT & 0xffff];
		const uint64_t what = slot->contents.what, kind = what & 0xff;
		if (is == TV_WORD_HEAD) {
			if ((*at >> TV_WORD_BACK_AT & 0xff) != TV_LEAVE)
				break;
			time += *at & UINT32_MAX;
			if (!is_overhead(k->rank, *at >> TV_WORD_SLOT_AT & 0xffff))
				k->left = time;
			note_time(k->rank, time);
			continue;
		}
		if (is < TV_WORD_RECORD || is > TV_WORD_BACK || slot->of != r->chunk ||
		    !(COMMON >> kind & 1) ||
		    (is == TV_WORD_LEFT && kind != TV_FUNCTION_ENTER && kind != TV_SITE_ENTER))
			break;
		time += *at & UINT32_MAX;
		r->number += is == TV_WORD_NEXT;
		note_time(k->rank, time);
		count(k->rank, what);
	}
	r->at = (size_t)((const char *)at - (const char *)r->chunk);
	r->time = time;
	k->time = time;
}

void rank_skim_begin(struct rank_skim *k, uint32_t thread)
{
	rank_stream_begin(&k->s, k->rank->file, thread);
	k->time = k->left = 0;
}

const struct tv_head *rank_skim_next(struct rank_skim *k)
{
	struct rank *rank = k->rank;
	const struct tv_head *head;

	/* Where some records are left out, each has to be looked at. */
	if (k->s.opened && rank->file->now == UINT64_MAX && !rank->file->since)
		skip(k);
	head = rank_stream_next(&k->s);
	if (!head)
		return NULL;
	k->time = head->time;
	/* Definitions written before the program runs do not belong to the run. */
	if (rank_is_of_run(head) && head->time < rank->first)
		rank->first = head->time;
	rank->last = head->time > rank->last ? head->time : rank->last;
	count(rank, ((const struct tv_function *)(const void *)head)->what);
	if (head->kind == TV_BUFFER_FULL)
		rank->full = !rank->full || head->time < rank->full ? head->time : rank->full;
	/* But not the overhead of a flush while the records of a gap are made. */
	if (head->kind == TV_LEAVE && !is_overhead(rank, head->call))
		k->left = head->time;
	return head;
}
