/* otf2_feed: passes the events of one location to a builder. */
#pragma once

#include "model/otf2/read/otf2_own_read.h"

struct otf2_held {
	int64_t time;
	uint32_t site;
};

struct otf2_feed {
	const struct otf2_archive *a;
	struct builder *b;
	const struct otf2_place *place;
	uint32_t location;
	int32_t rank;
	uint64_t events;
	VEC(uint32_t) open; /* rows of regions that were entered; UINT32_MAX: an undefined one */
	uint32_t *visits;   /* [regions + 1] how often each is in `open` */
	struct keymap requests; /* of nonblocking collectives: region of the call that began them */
	struct otf2_own_values own; /* of the event at hand */
	int64_t first, last;        /* when its events may be (otf2_part_clock) */
	int64_t time;               /* of the event before */
	uint64_t times, beyond;
	bool wants_spare; /* stopped: something is needed that archive.wants_spare defines */
	/* A window of time, on the location's clock (load_part): before it, only messages,
	 * collectives and the regions that are open at its begin are taken; after it, one event,
	 * which shows that the location goes on. */
	bool windowed, past;
	int64_t from, until;
	VEC(struct otf2_held) held; /* entered before the window */
};

void otf2_feed_begin(struct otf2_feed *f, const struct otf2_archive *a, struct builder *b,
		     const struct otf2_place *place);
void otf2_feed_end(struct otf2_feed *f);

/* The callbacks for a struct otf2_feed as user data; the caller deletes them. */
OTF2_EvtReaderCallbacks *otf2_feed_callbacks(void);

/* ---- otf2_feed.c, for otf2_events.c and otf2_details.c ---- */

#define OTF2_HEAD                                                                   \
	OTF2_LocationRef where, OTF2_TimeStamp time, uint64_t position, void *user, \
		OTF2_AttributeList *list

/* At the begin of each callback, and at its end. */
#define OTF2_BEGIN                                                          \
	struct otf2_feed *f = user;                                         \
	const int64_t t = otf2_feed_time(f, time);                          \
	(void)where;                                                        \
	(void)position;                                                     \
	if (__builtin_expect(f->windowed, 0) && !otf2_feed_in_window(f, t)) \
		return OTF2_CALLBACK_INTERRUPT;                             \
	if (f->a->own)                                                      \
	otf2_own_take(f->a, list, &f->own)

/* The same for events that are skipped before the window. */
#define OTF2_BEGIN_INSIDE                                    \
	OTF2_BEGIN;                                          \
	if (__builtin_expect(f->windowed, 0) && t < f->from) \
	return OTF2_CALLBACK_SUCCESS

#define OTF2_END return otf2_feed_attributes(f, list)

/* Ends a callback whose event is only held, not kept, before the window. */
#define OTF2_END_HELD                         \
	if (f->windowed && t < f->from)       \
		return OTF2_CALLBACK_SUCCESS; \
	OTF2_END

void otf2_feed_take_attributes(struct otf2_feed *f, OTF2_AttributeList *list, uint32_t n);
/* False after the window's end and one event. At its begin, hands on what was held. */
bool otf2_feed_in_window(struct otf2_feed *f, int64_t t);
OTF2_CallbackCode otf2_feed_spare(struct otf2_feed *f);

static inline OTF2_CallbackCode otf2_feed_attributes(struct otf2_feed *f, OTF2_AttributeList *list)
{
	const uint32_t n = OTF2_AttributeList_GetNumberOfElements(list);

	f->events++;
	if (f->own.has)
		otf2_own_texts(f, &f->own);
	if (n)
		otf2_feed_take_attributes(f, list, n);
	return OTF2_CALLBACK_SUCCESS;
}

/* A time that cannot be is the one of the event before. */
int64_t otf2_feed_beyond(struct otf2_feed *f);

static inline int64_t otf2_feed_time(struct otf2_feed *f, uint64_t time)
{
	const int64_t t = otf2_time(f->a, time);

	f->times++;
	if (__builtin_expect(t < f->first || t > f->last, 0))
		return otf2_feed_beyond(f);
	return f->time = t;
}

/* For a communicator of the archive, seen from a location: the trace's communicator, and the world
 * rank of a partner in it (RANK_UNKNOWN if it is not a member). */
uint32_t otf2_feed_comm(struct otf2_feed *f, uint32_t comm);
int32_t otf2_feed_rank(struct otf2_feed *f, uint32_t comm, uint32_t partner);
/* The same of a root: -1 where there is none. */
int32_t otf2_feed_root(struct otf2_feed *f, uint32_t comm, uint32_t root);

/* A calling context; for an undefined one: no region, the spare site. */
static inline struct otf2_context otf2_feed_context(const struct otf2_feed *f, uint32_t context)
{
	const uint32_t row = otf2_ids_get(&f->a->context_ids, context);

	return row != UINT32_MAX ? f->a->contexts.data[row]
				 : (struct otf2_context){ f->a->spare_site, UINT32_MAX };
}

/* Adds the callbacks of otf2_details.c. */
void otf2_details_callbacks(OTF2_EvtReaderCallbacks *c);
