#include "model/otf2/read/otf2_reading.h"

#include <string.h>

#include "model/otf2/read/otf2_feed.h"

enum { PORTION = 1 << 15 /* events between two steps of the progress */ };

/* Bytes read of a location, as far as its events tell. */
static uint64_t share(const struct otf2_place *place, uint64_t events)
{
	const uint64_t all = place->events > events ? place->events : events;

	return all ? (uint64_t)((double)place->bytes * ((double)events / (double)all)) : 0;
}

/* False when nothing more is to be read. */
static bool step(struct otf2_reading *r, struct builder *b, uint64_t more)
{
	bool on;

	pthread_mutex_lock(&r->lock);
	r->done += more;
	if (!r->stopped && !r->wants_spare)
		r->stopped = !builder_step(b, r->progress, "reading", r->done, r->all);
	on = !r->stopped && !r->wants_spare;
	pthread_mutex_unlock(&r->lock);
	return on;
}

/* Reads up to `most` events, and says how many it read. False if the file ends within a record, or
 * there are more than it has bytes: libotf2 goes on in what its buffer had before where lengths are
 * damaged, and may do so for ever. */
static bool read_some(const struct otf2_worker *w, const struct otf2_place *place,
		      OTF2_EvtReader *events, uint64_t before, uint64_t most, uint64_t *n)
{
	const bool ok = OTF2_Reader_ReadLocalEvents(w->reader, events, most, n) == OTF2_SUCCESS;

	return ok && before + *n <= place->bytes;
}

static enum otf2_place_state read_portions(struct otf2_reading *r, const struct otf2_worker *w,
					   OTF2_EvtReader *events, struct otf2_feed *f,
					   uint64_t most)
{
	uint64_t n, all = 0, before = 0, wanted = PORTION;
	bool ok = true;

	for (n = PORTION; ok && n == PORTION && most && !builder_failed(f->b); most -= n) {
		const uint64_t now = share(f->place, f->events);
		if (!step(r, f->b, now > before ? now - before : 0))
			return PLACE_OK;
		before = now > before ? now : before;
		wanted = most < PORTION ? most : PORTION;
		ok = read_some(w, f->place, events, all, wanted, &n) || f->past;
		all += n;
	}
	step(r, f->b, f->place->bytes - before);
	if (!ok || f->place->cut)
		return PLACE_CUT;
	return all < f->place->events && !f->past && !builder_failed(f->b) ? PLACE_FEWER : PLACE_OK;
}

/* Events in a file that was cut off, but for the last one. */
static uint64_t count_events(const struct otf2_reading *r, const struct otf2_worker *w,
			     const struct otf2_place *place)
{
	OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(w->reader, place->id);
	uint64_t all = 0, n;
	bool ok = true;

	if (!events)
		return 0;
	/* The first read asks for the chunk. */
	otf2_guard_clear(r->a->chunks.events);
	for (n = PORTION; ok && n == PORTION; all += n)
		ok = read_some(w, place, events, all, PORTION, &n);
	OTF2_Reader_CloseEvtReader(w->reader, events);
	return all ? all - 1 : 0;
}

static void read_events(struct otf2_reading *r, const struct otf2_worker *w,
			struct otf2_place *place)
{
	const uint64_t most = place->cut ? count_events(r, w, place) : UINT64_MAX;
	OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(w->reader, place->id);
	struct otf2_feed feed;

	if (!events) {
		place->state = PLACE_UNREADABLE;
		return;
	}
	otf2_feed_begin(&feed, r->a, w->b, place);
	OTF2_Reader_RegisterEvtCallbacks(w->reader, events, w->callbacks, &feed);
	OTF2_EvtReader_ApplyClockOffsets(events, false);
	otf2_part_clock(r->a, place, &feed.first, &feed.last);
	feed.time = feed.first / 3 * 2 + feed.last / 3; /* the clock's first */
	feed.windowed = otf2_part_window(r->a, place, &feed.from, &feed.until);
	if (place->cut)
		otf2_guard_clear(r->a->chunks.events);
	place->state = read_portions(r, w, events, &feed, most);
	OTF2_Reader_CloseEvtReader(w->reader, events);
	pthread_mutex_lock(&r->lock);
	r->wants_spare |= feed.wants_spare;
	if (!r->stopped && !r->wants_spare)
		place->other_clock |= feed.beyond > feed.times / 2;
	pthread_mutex_unlock(&r->lock);
	otf2_feed_end(&feed);
}

static void read_place(struct otf2_reading *r, const struct otf2_worker *w,
		       struct otf2_place *place)
{
	if (!otf2_part_has(r->a, place) || !step(r, w->b, 0))
		return;
	if (place->has_defs && !otf2_local_read(r->a, w->reader, place))
		place->bad_defs = true;
	if (place->has_file)
		read_events(r, w, place);
	else if (place->events)
		place->state = PLACE_MISSING;
}

/* Places that are one location, one after the other: its events go to one builder. */
static void read_location(void *context, unsigned worker, size_t first)
{
	struct otf2_reading *r = context;
	struct otf2_place *places = r->a->places.data;

	for (size_t i = first; !places[first].follows && i != UINT32_MAX; i = places[i].next)
		read_place(r, &r->workers[worker], &places[i]);
}

static void worker_begin(struct otf2_reading *r, struct otf2_worker *w)
{
	for (size_t i = 0; i < r->a->places.n; i++)
		if (otf2_part_has(r->a, &r->a->places.data[i]))
			OTF2_Reader_SelectLocation(w->reader, r->a->places.data[i].id);
	OTF2_Reader_OpenDefFiles(w->reader);
	OTF2_Reader_OpenEvtFiles(w->reader);
	w->callbacks = otf2_feed_callbacks();
}

static void worker_end(struct otf2_worker *w)
{
	OTF2_EvtReaderCallbacks_Delete(w->callbacks);
	OTF2_Reader_CloseDefFiles(w->reader);
	OTF2_Reader_CloseEvtFiles(w->reader);
}

OTF2_Reader *otf2_reading_open(const char *anchor)
{
	OTF2_Reader *reader = OTF2_Reader_Open(anchor);

	if (reader)
		OTF2_Reader_SetSerialCollectiveCallbacks(reader);
	return reader;
}

/* The caller's handle is the first worker's. With several, each feeds a child of the builder. */
static void add_workers(struct otf2_reading *r, OTF2_Reader *reader)
{
	/* What another thread frees is not cleared: otf2_guard.h. */
	unsigned jobs = r->a->cut ? 1 : jobs_count(r->a->options->jobs);

	if (jobs > r->a->places.n)
		jobs = (unsigned)r->a->places.n;
	r->workers[0].reader = reader;
	r->workers[0].b = r->a->builder;
	for (r->jobs = 1; r->jobs < jobs; r->jobs++) {
		struct otf2_worker *w = &r->workers[r->jobs];
		w->reader = otf2_reading_open(r->a->anchor);
		if (!w->reader)
			break;
		w->b = builder_fork(r->a->builder);
		if (!w->b) {
			OTF2_Reader_Close(w->reader);
			break;
		}
	}
	if (r->jobs > 1)
		r->workers[0].b = builder_fork(r->a->builder);
	if (!r->workers[0].b) { /* no room for it: one thread does all */
		while (r->jobs > 1) {
			builder_abandon(r->workers[--r->jobs].b);
			OTF2_Reader_Close(r->workers[r->jobs].reader);
		}
		r->workers[0].b = r->a->builder;
	}
	for (unsigned i = 0; i < r->jobs; i++)
		worker_begin(r, &r->workers[i]);
}

/* Joins the children's events with the archive's, unless the result is discarded. */
static void end_workers(struct otf2_reading *r)
{
	struct builder *children[JOBS_MOST];

	for (unsigned i = 0; i < r->jobs; i++) {
		children[i] = r->workers[i].b;
		worker_end(&r->workers[i]);
		if (i > 0)
			OTF2_Reader_Close(r->workers[i].reader);
	}
	if (r->jobs == 1)
		return;
	if (!r->wants_spare)
		builder_join(r->a->builder, children, r->jobs);
	else
		for (unsigned i = 0; i < r->jobs; i++)
			builder_abandon(children[i]);
}

void otf2_reading_places(struct otf2_reading *r, OTF2_Reader *reader)
{
	for (size_t i = 0; i < r->a->places.n; i++)
		if (otf2_part_has(r->a, &r->a->places.data[i])) {
			r->all += r->a->places.data[i].bytes;
			r->events += r->a->places.data[i].events;
		}
	builder_expect(r->a->builder, r->events);
	pthread_mutex_init(&r->lock, NULL);
	otf2_part_chain(r->a);
	add_workers(r, reader);
	jobs_run(r->jobs, r->a->places.n, read_location, r);
	end_workers(r);
	pthread_mutex_destroy(&r->lock);
	otf2_shards_share(r->a);
	builder_share_findings(r->a->builder);
	otf2_part_offsets(r->a);
}
