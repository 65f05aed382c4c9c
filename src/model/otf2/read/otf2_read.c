/* Reading an archive: definitions, then the local definitions and events of each location.
 *
 * If events name something undefined, a second pass adds a spare definition for it. */
#include "model/otf2/otf2.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/exchange.h"
#include "base/jobs.h"
#include "base/mem.h"
#include "model/build/part.h"
#include "model/otf2/read/otf2_feed.h"
#include "model/otf2/read/otf2_guard.h"

enum { PORTION = 1 << 15 /* events between two steps of the progress */ };

/* ---- what there is ---- */

/* Bytes of an anchor's name before ".otf2". */
static size_t stem(const char *anchor)
{
	const size_t n = strlen(anchor);

	return n > 5 ? n - 5 : n;
}

static const char *file_name(const struct otf2_archive *a, uint64_t location, const char *ending,
			     struct str *out)
{
	str_clear(out);
	str_add_n(out, a->anchor, stem(a->anchor));
	str_add_fmt(out, "/%" PRIu64 ".%s", location, ending);
	return out->text;
}

/* True if a file exists but has lost its end. */
static bool is_cut(const char *path, bool (*is_whole)(const char *path), uint64_t *bytes,
		   bool *is_there)
{
	struct stat st;

	*is_there = stat(path, &st) == 0;
	*bytes = *is_there ? (uint64_t)st.st_size : 0;
	return *is_there && !is_whole(path);
}

static void find_files(struct otf2_archive *a)
{
	OWNED_STR name = STR_INIT;
	uint64_t bytes;

	for (size_t i = 0; i < a->places.n; i++) {
		struct otf2_place *place = &a->places.data[i];
		if (place->absent || !otf2_part_has(a, place))
			continue;
		place->cut = is_cut(file_name(a, place->id, "evt", &name), otf2_guard_is_whole,
				    &place->bytes, &place->has_file);
		a->cut |= place->cut;
		a->cut |= is_cut(file_name(a, place->id, "def", &name), otf2_guard_defs_are_whole,
				 &bytes, &place->has_defs);
	}
	if (a->cut)
		otf2_guard_zeros(true);
}

/* Only a process that reads a location looks for its files. */
static bool deal_out(struct otf2_archive *a, struct err *err)
{
	const bool counts = a->options->exchange && otf2_shards_are_counted(a);

	if (counts && !otf2_shards_deal(a, false, err))
		return false;
	find_files(a);
	return !a->options->exchange || counts || otf2_shards_deal(a, true, err);
}

/* ---- events ---- */

/* A thread that reads locations: threads must not share the library's handles. */
struct worker {
	OTF2_Reader *reader;
	OTF2_EvtReaderCallbacks *callbacks;
	struct builder *b; /* the archive's own, or a child of it */
};

struct reading {
	struct otf2_archive *a;
	const struct progress *progress;
	struct worker workers[JOBS_MOST];
	unsigned jobs;
	pthread_mutex_t lock; /* of all below, and of the progress */
	uint64_t done, all;   /* bytes */
	uint64_t events;      /* of all, as definitions say */
	bool stopped, wants_spare;
};

/* Bytes read of a location, as far as its events tell. */
static uint64_t share(const struct otf2_place *place, uint64_t events)
{
	const uint64_t all = place->events > events ? place->events : events;

	return all ? (uint64_t)((double)place->bytes * ((double)events / (double)all)) : 0;
}

/* False when nothing more is to be read. */
static bool step(struct reading *r, struct builder *b, uint64_t more)
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
static bool read_some(const struct worker *w, const struct otf2_place *place,
		      OTF2_EvtReader *events, uint64_t before, uint64_t most, uint64_t *n)
{
	const bool ok = OTF2_Reader_ReadLocalEvents(w->reader, events, most, n) == OTF2_SUCCESS;

	return ok && before + *n <= place->bytes;
}

static enum otf2_place_state read_portions(struct reading *r, const struct worker *w,
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
static uint64_t count_events(const struct reading *r, const struct worker *w,
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

static void read_events(struct reading *r, const struct worker *w, struct otf2_place *place)
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
	feed.windowed = otf2_part_window(r->a, place, &feed.from, &feed.until);
	if (place->cut)
		otf2_guard_clear(r->a->chunks.events);
	place->state = read_portions(r, w, events, &feed, most);
	OTF2_Reader_CloseEvtReader(w->reader, events);
	if (feed.wants_spare) {
		pthread_mutex_lock(&r->lock);
		r->wants_spare = true;
		pthread_mutex_unlock(&r->lock);
	}
	otf2_feed_end(&feed);
}

static void read_place(struct reading *r, const struct worker *w, struct otf2_place *place)
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
	struct reading *r = context;
	struct otf2_place *places = r->a->places.data;

	for (size_t i = first; !places[first].follows && i != UINT32_MAX; i = places[i].next)
		read_place(r, &r->workers[worker], &places[i]);
}

static void worker_begin(struct reading *r, struct worker *w)
{
	for (size_t i = 0; i < r->a->places.n; i++)
		if (otf2_part_has(r->a, &r->a->places.data[i]))
			OTF2_Reader_SelectLocation(w->reader, r->a->places.data[i].id);
	OTF2_Reader_OpenDefFiles(w->reader);
	OTF2_Reader_OpenEvtFiles(w->reader);
	w->callbacks = otf2_feed_callbacks();
}

static void worker_end(struct worker *w)
{
	OTF2_EvtReaderCallbacks_Delete(w->callbacks);
	OTF2_Reader_CloseDefFiles(w->reader);
	OTF2_Reader_CloseEvtFiles(w->reader);
}

static OTF2_Reader *open_reader(const char *anchor)
{
	OTF2_Reader *reader = OTF2_Reader_Open(anchor);

	if (reader)
		OTF2_Reader_SetSerialCollectiveCallbacks(reader);
	return reader;
}

/* The caller's handle is the first worker's. With several, each feeds a child of the builder. */
static void add_workers(struct reading *r, OTF2_Reader *reader)
{
	/* What another thread frees is not cleared: otf2_guard.h. */
	unsigned jobs = r->a->cut ? 1 : jobs_count(r->a->options->jobs);

	if (jobs > r->a->places.n)
		jobs = (unsigned)r->a->places.n;
	r->workers[0].reader = reader;
	r->workers[0].b = r->a->builder;
	for (r->jobs = 1; r->jobs < jobs; r->jobs++) {
		struct worker *w = &r->workers[r->jobs];
		w->reader = open_reader(r->a->anchor);
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
static void end_workers(struct reading *r)
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

static void read_places(struct reading *r, OTF2_Reader *reader)
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

/* ---- what was found out ---- */

/* One finding for all locations in a state; names as many of them as fit. */
static void tell_state(struct otf2_archive *a, enum otf2_place_state state, const char *code,
		       const char *what)
{
	OWNED_STR text = STR_INIT;
	uint64_t n = 0;

	for (size_t i = 0; i < a->places.n; i++) {
		const struct otf2_place *place = &a->places.data[i];
		if (state == PLACE_BAD_DEFS ? !place->bad_defs : place->state != state)
			continue;
		if (n++ < 4)
			str_add_fmt(&text, "%s%s", text.n ? ", " : "", place->name);
	}
	if (n > 4)
		str_add_fmt(&text, " and %" PRIu64 " more", n - 4);
	str_add_fmt(&text, ": %s", what);
	for (uint64_t i = 0; i < n; i++)
		builder_finding(a->builder, FINDING_DAMAGE, code, 0, text.text);
}

static void tell_places(struct otf2_archive *a)
{
	tell_state(a, PLACE_MISSING, "events-missing", "the file of events is missing");
	tell_state(a, PLACE_CUT, "events-cut",
		   "the file of events is damaged or ends too early; what comes before was "
		   "read");
	tell_state(a, PLACE_FEWER, "events-fewer",
		   "the file of events has fewer than the definitions count: some were lost");
	tell_state(a, PLACE_UNREADABLE, "events-unreadable", "the file of events cannot be read");
	tell_state(a, PLACE_BAD_DEFS, "local-definitions",
		   "the local definitions cannot be read: names and communicators of its events "
		   "may be wrong");
	if (a->defs.unknown)
		builder_finding(a->builder, FINDING_ODDITY, "definition-unknown", 0,
				"a definition of a kind that OTF2 3.0 does not know");
}

static void tell_archive(struct otf2_archive *a, OTF2_Reader *reader)
{
	static const struct {
		const char *key;
		OTF2_ErrorCode (*get)(OTF2_Reader *reader, char **text);
	} texts[] = { { "otf2 creator", OTF2_Reader_GetCreator },
		      { "otf2 machine", OTF2_Reader_GetMachineName },
		      { "otf2 description", OTF2_Reader_GetDescription } };
	char **names, *value;
	uint32_t n = 0;
	OWNED_STR date = STR_INIT;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		value = NULL;
		if (texts[i].get(reader, &value) == OTF2_SUCCESS && value) {
			if (*value && !(a->own && strncmp(value, "tview ", 6) == 0))
				builder_property(a->builder, texts[i].key, value);
			free(value);
		}
	}
	if (OTF2_Reader_GetPropertyNames(reader, &n, &names) == OTF2_SUCCESS) {
		for (uint32_t i = 0; i < n; i++) {
			value = NULL;
			if (OTF2_Reader_GetProperty(reader, names[i], &value) == OTF2_SUCCESS &&
			    value)
				builder_property(a->builder, names[i], value);
			free(value);
		}
		free(names);
	}
	if (a->defs.has_clock && !a->own) {
		str_add_fmt(&date, "%" PRIu64, a->defs.offset);
		builder_property(a->builder, OTF2_SOURCE_OFFSET, date.text);
		str_clear(&date);
	}
	if (a->defs.has_clock && a->defs.realtime != OTF2_UNDEFINED_TIMESTAMP) {
		str_add_fmt(&date, "%" PRIu64, a->defs.realtime);
		builder_property(a->builder, "otf2 date", date.text);
	}
}

/* ---- the clock ---- */

static void choose_scale(struct otf2_archive *a)
{
	const uint64_t billion = 1000000000, most = 1000000000000;

	if (!a->defs.has_clock || a->defs.resolution == 0 || a->defs.resolution > most) {
		a->defs.resolution = billion;
		a->bad_clock = true;
	}
	a->factor = 1;
	if (billion % a->defs.resolution == 0) {
		a->factor = (int64_t)(billion / a->defs.resolution);
		a->scale.per_second = (int64_t)billion;
	} else {
		a->scale.per_second = (int64_t)a->defs.resolution;
	}
	a->scale.digits = otf2_own_digits(a, units_export_digits(&a->scale));
}

/* ---- all ---- */

/* The trace; NULL where reading is strict and something deviates, in any process; err where it
 * does. */
static struct trace *strictly(const struct otf2_archive *a, struct trace *trace, struct err *err)
{
	bool deviates = false;

	if (!trace || !a->options->strict)
		return trace;
	for (size_t i = 0; i < trace_finding_count(trace) && !deviates; i++) {
		const struct finding *f = trace_finding(trace, i);
		deviates = f->kind == FINDING_DAMAGE || f->kind == FINDING_ODDITY;
		if (deviates)
			err_set(err, STATUS_NO, "%s: %s (strict reading: try without --strict)",
				a->anchor, f->text);
	}
	if (!exchange_any(a->options->exchange, deviates))
		return trace;
	trace_free(trace);
	return NULL;
}

static struct trace *finish(struct reading *r, const struct progress *progress, struct err *err)
{
	struct otf2_archive *a = r->a;
	const struct builder_options options = { .jobs = a->options->jobs };
	struct builder *b = a->builder;

	if (r->stopped && !builder_keep(b, progress, r->done, r->all))
		return NULL;
	part_tell(b, &a->options->part);
	tell_places(a);
	a->builder = NULL;
	return strictly(a, builder_finish(b, &options, progress, err), err);
}

/* The locations of this process. NULL with *again where another pass is needed. */
static struct trace *read_dealt(struct reading *r, OTF2_Reader *reader, bool *again,
				struct err *err)
{
	struct otf2_archive *a = r->a;

	if (a->bad_clock)
		builder_finding(
			a->builder, FINDING_DAMAGE, "clock-properties", 0,
			"the clock properties are missing or not valid: one tick is assumed to "
			"be one nanosecond");
	if (a->bad_defs)
		builder_finding(a->builder, FINDING_DAMAGE, "definitions-cut", 0,
				"the global definitions are damaged or end too early");
	tell_archive(a, reader);
	otf2_markers(a, reader);
	otf2_shards_begin(a);
	read_places(r, reader);
	if (!exchange_any(a->options->exchange, r->wants_spare))
		return finish(r, r->progress, err);
	*again = a->wants_spare = true;
	return NULL;
}

/* One pass over the archive. */
static struct trace *read_pass(struct otf2_archive *a, OTF2_Reader *reader,
			       const struct progress *progress, bool *again, struct err *err)
{
	struct reading r = { .a = a, .progress = progress };
	struct trace *trace = NULL;

	*again = false;
	a->builder = builder_new(a->anchor, &a->scale, err);
	if (!a->builder)
		return NULL;
	builder_use_pool(a->builder, a->options->pool);
	otf2_resolve(a);
	otf2_own_program(a);
	if (deal_out(a, err))
		trace = read_dealt(&r, reader, again, err);
	builder_abandon(a->builder);
	a->builder = NULL;
	otf2_resolve_fini(a);
	return trace;
}

static OTF2_ErrorCode on_error(void *context, const char *file, uint64_t line, const char *function,
			       OTF2_ErrorCode code, const char *format, va_list arguments)
{
	(void)context;
	(void)file;
	(void)line;
	(void)function;
	(void)format;
	(void)arguments;
	return code;
}

/* Checks NAME.def; the library itself reports a missing one. */
static bool has_whole_definitions(const struct otf2_archive *a)
{
	OWNED_STR name = STR_INIT;
	uint64_t bytes;
	bool is_there;

	str_add_n(&name, a->anchor, stem(a->anchor));
	str_add(&name, ".def");
	return !is_cut(name.text, otf2_guard_defs_are_whole, &bytes, &is_there);
}

/* The second pass: the first one's handle goes on where it ended, and takes files that are not
 * there for damaged. */
static struct trace *read_again(struct otf2_archive *a, const struct progress *progress,
				struct err *err)
{
	OTF2_Reader *reader = open_reader(a->anchor);
	struct trace *trace = NULL;
	bool again;

	if (!reader)
		err_set(err, STATUS_IO, "%s cannot be read a second time", a->anchor);
	else
		trace = read_pass(a, reader, progress, &again, err);
	if (reader)
		OTF2_Reader_Close(reader);
	return trace;
}

static struct trace *read_archive(struct otf2_archive *a, OTF2_Reader *reader,
				  const struct progress *progress, struct err *err)
{
	struct trace *trace;
	bool again;

	if (!has_whole_definitions(a)) {
		otf2_guard_zeros(true);
		otf2_guard_clear(a->chunks.defs);
	}
	a->bad_defs = !otf2_defs_read(&a->defs, reader);
	/* Those of a trace without events, which are whole, make such a trace. */
	if (a->defs.locations.n == 0 && a->bad_defs) {
		err_set(err, STATUS_IO,
			"%s: the archive's definitions name no location (they are damaged or "
			"missing)",
			a->anchor);
		return NULL;
	}
	otf2_own_find(a);
	choose_scale(a);
	trace = read_pass(a, reader, progress, &again, err);
	if (again)
		trace = read_again(a, progress, err);
	otf2_own_fini(a);
	return trace;
}

struct trace *otf2_read(const char *anchor, const struct load_options *options,
			const struct progress *progress, struct err *err)
{
	static const struct load_options defaults;
	OWNED struct otf2_archive *a = xcalloc(1, sizeof *a);
	struct trace *trace = NULL;
	OTF2_Reader *reader;

	if (!otf2_guard_anchor(anchor, &a->chunks, err))
		return NULL;
	OTF2_Error_RegisterCallback(on_error, NULL);
	a->anchor = anchor;
	a->options = options ? options : &defaults;
	otf2_defs_init(&a->defs);
	reader = open_reader(anchor);
	if (reader) {
		trace = read_archive(a, reader, progress, err);
		OTF2_Reader_Close(reader);
	} else {
		err_set(err, STATUS_IO, "%s cannot be read as the anchor of an OTF2 archive",
			anchor);
	}
	otf2_guard_zeros(false);
	otf2_defs_fini(&a->defs);
	return trace;
}
