/* Reading an archive: definitions, then location by location: its local definitions, its events.
 *
 * Two passes happen where events name what is not defined: the second has a spare for it. */
#include "model/otf2/otf2.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "model/otf2/otf2_feed.h"

enum { PORTION = 1 << 15 /* events between two steps of the progress */ };

/* ---- what there is ---- */

static const char *file_name(const struct otf2_archive *a, uint64_t location, const char *ending,
			     struct str *out)
{
	const size_t n = strlen(a->anchor);

	str_clear(out);
	str_add_n(out, a->anchor, n >= 5 ? n - 5 : n); /* ".otf2" */
	str_add_fmt(out, "/%" PRIu64 ".%s", location, ending);
	return out->text;
}

static void find_files(struct otf2_archive *a)
{
	struct str name = STR_INIT;
	struct stat st;

	for (size_t i = 0; i < a->places.n; i++) {
		struct otf2_place *place = &a->places.data[i];
		place->has_file = stat(file_name(a, place->id, "evt", &name), &st) == 0;
		place->bytes = place->has_file ? (uint64_t)st.st_size : 0;
		place->has_defs = stat(file_name(a, place->id, "def", &name), &st) == 0;
	}
	str_fini(&name);
}

/* ---- local definitions ---- */

struct offsets {
	struct otf2_archive *a;
	uint32_t location;
};

static OTF2_CallbackCode on_clock_offset(void *context, OTF2_TimeStamp time, int64_t offset,
					 double deviation)
{
	const struct offsets *o = context;

	(void)deviation;
	builder_offset(o->a->builder, &(struct offset){ .location = o->location,
							.time = otf2_time(o->a, time),
							.offset = otf2_scaled(o->a, offset),
							.rtt = -1 });
	return OTF2_CALLBACK_SUCCESS;
}

/* Id maps, which the library keeps and applies to the events by itself, and clock offsets. */
static bool read_local_definitions(struct otf2_archive *a, OTF2_Reader *reader,
				   const struct otf2_place *place)
{
	OTF2_DefReader *defs = OTF2_Reader_GetDefReader(reader, place->id);
	OTF2_DefReaderCallbacks *callbacks;
	struct offsets offsets = { a, place->location };
	uint64_t n;
	bool ok;

	if (!defs)
		return false;
	callbacks = OTF2_DefReaderCallbacks_New();
	OTF2_DefReaderCallbacks_SetClockOffsetCallback(callbacks, on_clock_offset);
	OTF2_Reader_RegisterDefCallbacks(reader, defs, callbacks, &offsets);
	OTF2_DefReaderCallbacks_Delete(callbacks);
	ok = OTF2_Reader_ReadAllLocalDefinitions(reader, defs, &n) == OTF2_SUCCESS;
	OTF2_Reader_CloseDefReader(reader, defs);
	return ok;
}

/* ---- events ---- */

struct reading {
	struct otf2_archive *a;
	const struct progress *progress;
	OTF2_Reader *reader;
	OTF2_EvtReaderCallbacks *callbacks;
	uint64_t done, all; /* bytes */
	bool stopped, dropped, wants_spare;
};

/* Bytes read of a location, as far as its events tell. */
static uint64_t share(const struct otf2_place *place, uint64_t events)
{
	const uint64_t all = place->events > events ? place->events : events;

	return all ? (uint64_t)((double)place->bytes * ((double)events / (double)all)) : 0;
}

static bool step(struct reading *r, struct builder *b, uint64_t done)
{
	if (builder_step(b, r->progress, "reading", done, r->all))
		return true;
	r->stopped = true;
	r->dropped = !builder_keep(b, r->progress, done, r->all);
	return false;
}

/* False where the file ends in the midst of something. */
static bool read_portions(struct reading *r, OTF2_EvtReader *events, struct otf2_feed *f)
{
	uint64_t n = PORTION;

	while (n == PORTION && !builder_failed(f->b)) {
		if (!step(r, f->b, r->done + share(f->place, f->events)))
			return true;
		if (OTF2_Reader_ReadLocalEvents(r->reader, events, PORTION, &n) != OTF2_SUCCESS) {
			r->wants_spare |= f->wants_spare;
			return false;
		}
	}
	return true;
}

static void read_events(struct reading *r, struct builder *b, struct otf2_place *place)
{
	OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(r->reader, place->id);
	struct otf2_feed feed;

	if (!events) {
		place->state = PLACE_UNREADABLE;
		return;
	}
	otf2_feed_begin(&feed, r->a, b, place);
	OTF2_Reader_RegisterEvtCallbacks(r->reader, events, r->callbacks, &feed);
	OTF2_EvtReader_ApplyClockOffsets(events, false);
	if (!read_portions(r, events, &feed))
		place->state = PLACE_CUT;
	OTF2_Reader_CloseEvtReader(r->reader, events);
	otf2_feed_end(&feed);
	r->done += place->bytes;
}

static void read_place(struct reading *r, struct builder *b, struct otf2_place *place)
{
	if (place->has_defs && !read_local_definitions(r->a, r->reader, place))
		place->bad_defs = true;
	if (place->has_file)
		read_events(r, b, place);
	else if (place->events)
		place->state = PLACE_MISSING;
}

static void read_places(struct reading *r)
{
	struct otf2_archive *a = r->a;

	for (size_t i = 0; i < a->places.n; i++) {
		OTF2_Reader_SelectLocation(r->reader, a->places.data[i].id);
		r->all += a->places.data[i].bytes;
	}
	OTF2_Reader_OpenDefFiles(r->reader);
	OTF2_Reader_OpenEvtFiles(r->reader);
	r->callbacks = otf2_feed_callbacks();
	for (size_t i = 0; i < a->places.n && !r->stopped && !r->wants_spare; i++)
		read_place(r, a->builder, &a->places.data[i]);
	OTF2_EvtReaderCallbacks_Delete(r->callbacks);
	OTF2_Reader_CloseDefFiles(r->reader);
	OTF2_Reader_CloseEvtFiles(r->reader);
}

/* ---- what was found out ---- */

/* A finding for all locations of a state, which it names as far as there is room. */
static void tell_state(struct otf2_archive *a, enum otf2_place_state state, const char *code,
		       const char *what)
{
	struct str text = STR_INIT;
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
	str_fini(&text);
}

static void tell_places(struct otf2_archive *a)
{
	tell_state(a, PLACE_MISSING, "events-missing", "the file of events is missing");
	tell_state(a, PLACE_CUT, "events-cut",
		   "the file of events is damaged or ends too early; what stands before that was "
		   "read");
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
	struct str date = STR_INIT;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		value = NULL;
		if (texts[i].get(reader, &value) == OTF2_SUCCESS && value) {
			if (*value)
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
	if (a->defs.has_clock && a->defs.realtime != OTF2_UNDEFINED_TIMESTAMP) {
		str_add_fmt(&date, "%" PRIu64, a->defs.realtime);
		builder_property(a->builder, "otf2 date", date.text);
	}
	str_fini(&date);
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
	a->scale.digits = units_export_digits(&a->scale);
}

/* ---- all ---- */

static struct trace *finish(struct reading *r, const struct progress *progress, struct err *err)
{
	struct otf2_archive *a = r->a;
	const struct builder_options options = { .jobs = a->options->jobs };
	struct builder *b = a->builder;

	a->builder = NULL;
	return builder_finish(b, &options, progress, err);
}

/* One pass over the archive. NULL with *again where another one is needed. */
static struct trace *read_pass(struct otf2_archive *a, OTF2_Reader *reader,
			       const struct progress *progress, bool *again, struct err *err)
{
	struct reading r = { .a = a, .progress = progress, .reader = reader };
	struct trace *trace = NULL;

	*again = false;
	a->builder = builder_new(a->anchor, &a->scale, err);
	if (!a->builder)
		return NULL;
	otf2_resolve(a);
	find_files(a);
	if (a->bad_clock)
		builder_finding(
			a->builder, FINDING_DAMAGE, "clock-properties", 0,
			"the clock properties are missing or make no sense: a tick is taken "
			"for a nanosecond");
	if (a->bad_defs)
		builder_finding(a->builder, FINDING_DAMAGE, "definitions-cut", 0,
				"the global definitions are damaged or end too early");
	tell_archive(a, reader);
	read_places(&r);
	if (r.wants_spare) {
		*again = a->wants_spare = true;
	} else if (!r.dropped) {
		tell_places(a);
		trace = finish(&r, progress, err);
	}
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

static struct trace *read_archive(struct otf2_archive *a, OTF2_Reader *reader,
				  const struct progress *progress, struct err *err)
{
	struct trace *trace;
	bool again;

	OTF2_Reader_SetSerialCollectiveCallbacks(reader);
	a->bad_defs = !otf2_defs_read(&a->defs, reader);
	if (a->defs.locations.n == 0) {
		err_set(err, STATUS_IO, "%s: the archive's definitions name no location%s",
			a->anchor, a->bad_defs ? " (they are damaged or missing)" : "");
		return NULL;
	}
	choose_scale(a);
	trace = read_pass(a, reader, progress, &again, err);
	if (again)
		trace = read_pass(a, reader, progress, &again, err);
	return trace;
}

struct trace *otf2_read(const char *anchor, const struct load_options *options,
			const struct progress *progress, struct err *err)
{
	static const struct load_options defaults;
	struct otf2_archive *a = xcalloc(1, sizeof *a);
	struct trace *trace = NULL;
	OTF2_Reader *reader;

	OTF2_Error_RegisterCallback(on_error, NULL);
	a->anchor = anchor;
	a->options = options ? options : &defaults;
	otf2_defs_init(&a->defs);
	reader = OTF2_Reader_Open(anchor);
	if (reader) {
		trace = read_archive(a, reader, progress, err);
		OTF2_Reader_Close(reader);
	} else {
		err_set(err, STATUS_IO, "%s cannot be read as the anchor of an OTF2 archive",
			anchor);
	}
	otf2_defs_fini(&a->defs);
	free(a);
	return trace;
}
