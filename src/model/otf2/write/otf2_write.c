/* Writing an OTF2 archive: clock, events location by location, local definitions, definitions,
 * markers. */
#include "model/otf2/write/otf2_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/version.h"
#include "model/otf2/write/otf2_writer.h"
#include "model/trace/halo.h"
#include "model/trace/store.h"

/* ---- the library ---- */

/* The library would print its errors. Not all of them are returned as codes, too: if the end of a
 * file does not fit on the disk, only this is called. */
static OTF2_ErrorCode take_note(void *context, const char *file, uint64_t line,
				const char *function, OTF2_ErrorCode code, const char *format,
				va_list args)
{
	struct otf2_writer *w = context;

	(void)file;
	(void)line;
	(void)function;
	(void)format;
	(void)args;
	if (code > OTF2_SUCCESS) {
		pthread_mutex_lock(&w->lock);
		otf2_check(w, code);
		pthread_mutex_unlock(&w->lock);
	}
	return code;
}

static OTF2_FlushType flush_always(void *context, OTF2_FileType type, OTF2_LocationRef location,
				   void *caller, bool final)
{
	(void)context;
	(void)type;
	(void)location;
	(void)caller;
	(void) final;
	return OTF2_FLUSH;
}

/* ---- the clock ---- */

struct extent {
	int64_t first, last;         /* of the written events */
	int64_t ref_first, ref_last; /* on the reference clock */
	bool any;
};

static void stretch(const struct otf2_writer *w, struct extent *e, uint32_t location, int64_t time)
{
	const int64_t ref =
		w->options->base == BASE_MEASURED ? offset_apply(w->trace, location, time) : time;

	if (!e->any)
		*e = (struct extent){ time, time, ref, ref, true };
	e->first = time < e->first ? time : e->first;
	e->last = time > e->last ? time : e->last;
	e->ref_first = ref < e->ref_first ? ref : e->ref_first;
	e->ref_last = ref > e->ref_last ? ref : e->ref_last;
}

static bool is_written(const struct otf2_writer *w, uint32_t location)
{
	return !w->options->locations || w->options->locations[location];
}

/* Of the locations of all processes. */
static void share_extent(struct exchange *x, struct extent *e)
{
	OWNED_VEC(struct extent) all = VEC_INIT;
	const struct extent *one;

	if (e->any)
		vec_push(&all, *e);
	exchange_rows(x, &all);
	vec_each (one, &all) {
		if (!e->any)
			*e = *one;
		e->first = one->first < e->first ? one->first : e->first;
		e->last = one->last > e->last ? one->last : e->last;
		e->ref_first = one->ref_first < e->ref_first ? one->ref_first : e->ref_first;
		e->ref_last = one->ref_last > e->ref_last ? one->ref_last : e->ref_last;
	}
}

static struct extent find_extent(const struct otf2_writer *w)
{
	const struct save_options *o = w->options;
	struct extent e = { .any = false };
	struct cursor c;

	for (uint32_t l = 0; l < trace_location_count(w->trace); l++) {
		if (!is_written(w, l))
			continue;
		if (cursor_first(&c, w->trace, o->base, l))
			stretch(w, &e, l, cursor_time(&c) < o->t0 ? o->t0 : cursor_time(&c));
		if (cursor_last(&c, w->trace, o->base, l))
			stretch(w, &e, l, cursor_time(&c) > o->t1 ? o->t1 : cursor_time(&c));
	}
	share_extent(trace_exchange(w->trace), &e);
	for (size_t i = 0; i < trace_marker_count(w->trace); i++) {
		const struct marker *m = trace_marker(w->trace, i);
		if (e.any && m->time < e.ref_first)
			e.ref_first = m->time;
		if (e.any && m->time + m->duration > e.ref_last)
			e.ref_last = m->time + m->duration;
	}
	return e;
}

/* One addition turns ticks into timestamps, which have no sign. The trace's zero stays where the
 * source had it (0, or its global offset) if nothing is earlier. No event may be earlier than the
 * global offset on the reference clock; it is the zero, unless the trace starts so late that
 * viewers would show only empty time before it. */
static void set_clock(struct otf2_writer *w)
{
	const struct extent e = find_extent(w);
	const char *source = trace_property_value(w->trace, OTF2_SOURCE_OFFSET);
	int64_t least = e.first < e.ref_first ? e.first : e.ref_first;

	w->zero = source ? (int64_t)strtoull(source, NULL, 10) : 0;
	if (w->zero < 0 || w->zero > TIME_LIMIT)
		w->zero = 0;
	for (size_t i = 0; i < trace_offset_count(w->trace); i++) {
		const int64_t at = trace_offset(w->trace, i)->time;
		least = at < least ? at : least;
	}
	for (size_t i = 0; i < trace_marker_count(w->trace); i++)
		least = trace_marker(w->trace, i)->time < least ? trace_marker(w->trace, i)->time
								: least;
	for (size_t i = 0; i < trace_loose_count(w->trace); i++)
		least = trace_loose(w->trace, i)->time < least ? trace_loose(w->trace, i)->time
							       : least;
	if (w->zero + least < 0)
		w->zero = -least;
	w->global = w->zero;
	if (e.ref_first < 0 || e.ref_first > e.ref_last - e.ref_first)
		w->global = w->zero + e.ref_first;
	w->length = w->zero + e.ref_last - w->global;
}

/* ---- refs ---- */

ORDERING_OF_NUMBERS(by_id, uint64_t)

/* Locations keep their source's ids if these are unique; else they are numbered. */
static void set_location_refs(struct otf2_writer *w)
{
	const uint32_t n = trace_location_count(w->trace);
	OWNED uint64_t *ids = xmalloc(((size_t)n + 1) * sizeof *ids);
	uint64_t highest = n;
	bool distinct = true;

	w->locations = xcalloc((size_t)n + 1, sizeof *w->locations);
	for (uint32_t l = 0; l < n; l++)
		ids[l] = trace_location(w->trace, l)->source_id;
	SORT(ids, n, by_id);
	for (uint32_t l = 1; l < n && distinct; l++)
		distinct = ids[l] != ids[l - 1];
	for (uint32_t l = 0; l < n; l++)
		w->locations[l].ref = distinct ? trace_location(w->trace, l)->source_id : l;
	for (uint32_t l = 1; l < n; l++)
		w->locations[l].before =
			w->locations[l - 1].before + trace_location(w->trace, l - 1)->events;
	if (distinct && n && ids[n - 1] >= highest)
		highest = ids[n - 1] + 1;
	w->first_absent = highest;
}

static void find_absent(struct otf2_writer *w)
{
	const struct comm *world = trace_comm(w->trace, 0);

	for (uint32_t i = 0; i < world->size; i++)
		if (trace_location_of_rank(w->trace, world->ranks[i]) == UINT32_MAX)
			vec_push(&w->absent, i);
}

/* ---- files ---- */

/* The offsets of the location's clock. A round trip is where OTF2 has the standard deviation, in
 * ticks; 0 is unknown. */
static void write_offsets(struct otf2_writer *w, OTF2_DefWriter *out, uint32_t location)
{
	if (w->options->base != BASE_MEASURED)
		return;
	for (size_t i = w->trace->offset_of[location]; i < w->trace->offset_of[location + 1]; i++) {
		const struct offset *o = trace_offset(w->trace, i);
		otf2_check(w,
			   OTF2_DefWriter_WriteClockOffset(out, otf2_stamp(w, o->time), o->offset,
							   o->rtt > 0 ? (double)o->rtt : 0.0));
	}
}

/* Those of locations that are not there follow the others; the first process has them. */
static bool has_definitions(const struct otf2_writer *w, uint32_t location)
{
	return location < trace_location_count(w->trace)
		       ? trace_has_location(w->trace, location)
		       : exchange_process(trace_exchange(w->trace)) == 0;
}

static void write_local_definitions(struct otf2_writer *w)
{
	const uint32_t n = trace_location_count(w->trace), all = n + (uint32_t)w->absent.n;

	otf2_check(w, OTF2_Archive_OpenDefFiles(w->archive));
	for (uint32_t l = 0; l < all && !w->failed; l++) {
		OTF2_DefWriter *out;
		if (!has_definitions(w, l))
			continue;
		out = OTF2_Archive_GetDefWriter(w->archive, l < n ? w->locations[l].ref
								  : w->first_absent + (l - n));
		if (!out) {
			otf2_check(w, OTF2_ERROR_INVALID_CALL);
			break;
		}
		if (l < n)
			write_offsets(w, out, l);
		otf2_check(w, OTF2_Archive_CloseDefWriter(w->archive, out));
	}
	otf2_shared_failed(w);
	if (!w->broken)
		otf2_check(w, OTF2_Archive_CloseDefFiles(w->archive));
	otf2_shared_failed(w);
}

static bool in_window(const struct otf2_writer *w, int64_t time)
{
	const struct save_options *o = w->options;

	return time >= o->t0 && (time < o->t1 || o->t1 == INT64_MAX);
}

/* "GROUP: CATEGORY", as the reader joins them. */
static void define_marker(struct otf2_writer *w, OTF2_MarkerWriter *out, uint32_t ref,
			  const struct marker *m)
{
	const char *text = trace_string(w->trace, m->category), *colon = strstr(text, ": ");
	OWNED char *group = xstrndup(text, colon ? (size_t)(colon - text) : 0);

	otf2_check(w, OTF2_MarkerWriter_WriteDefMarker(out, ref, group, colon ? colon + 2 : text,
						       m->severity));
}

static void write_notes(struct otf2_writer *w, OTF2_MarkerWriter *out, uint32_t *next)
{
	ENDED_BY(keymap_fini) struct keymap known = { NULL, 0, 0 };

	for (size_t i = 0; i < trace_marker_count(w->trace) && !w->failed; i++) {
		const struct marker *m = trace_marker(w->trace, i);
		uint32_t *ref = keymap_add(&known, KEY_OF(m->category, m->severity));
		uint64_t scope = m->scope;
		if (*ref == UINT32_MAX) {
			*ref = (*next)++;
			define_marker(w, out, *ref, m);
		}
		if (m->scope_kind == OTF2_MARKER_SCOPE_LOCATION)
			scope = otf2_location_ref(w, scope);
		if (in_window(w, m->time))
			otf2_check(w,
				   OTF2_MarkerWriter_WriteMarker(out, otf2_stamp(w, m->time),
								 (uint64_t)m->duration, *ref,
								 m->scope_kind, scope,
								 trace_string(w->trace, m->text)));
	}
}

static void write_loose(struct otf2_writer *w, OTF2_MarkerWriter *out, uint32_t ref)
{
	otf2_check(w, OTF2_MarkerWriter_WriteDefMarker(out, ref, OTF2_MARKER_GROUP,
						       OTF2_MARKER_LOOSE, OTF2_SEVERITY_NONE));
	for (size_t i = 0; i < trace_loose_count(w->trace) && !w->failed; i++) {
		const struct loose_record *loose = trace_loose(w->trace, i);
		otf2_check(w, OTF2_MarkerWriter_WriteMarker(out, otf2_stamp(w, loose->time), 0, ref,
							    OTF2_MARKER_SCOPE_GLOBAL, 0,
							    trace_string(w->trace, loose->text)));
	}
}

static void write_markers(struct otf2_writer *w)
{
	OTF2_MarkerWriter *out;
	uint32_t next = 0;

	if (!trace_loose_count(w->trace) && !trace_marker_count(w->trace))
		return;
	out = OTF2_Archive_GetMarkerWriter(w->archive);
	if (!out) {
		otf2_check(w, OTF2_ERROR_INVALID_CALL);
		return;
	}
	write_notes(w, out, &next);
	if (trace_loose_count(w->trace))
		write_loose(w, out, next);
	otf2_check(w, OTF2_Archive_CloseMarkerWriter(w->archive, out));
}

/* What the archive has once, after all events. */
static void write_global(struct otf2_writer *w)
{
	w->defs = OTF2_Archive_GetGlobalDefWriter(w->archive);
	if (!w->defs)
		otf2_check(w, OTF2_ERROR_INVALID_CALL);
	else
		otf2_out_definitions(w);
	if (!w->failed)
		otf2_check(w, OTF2_Archive_CloseGlobalDefWriter(w->archive, w->defs));
	if (!w->failed)
		write_markers(w);
}

static void write_archive(struct otf2_writer *w)
{
	static const OTF2_FlushCallbacks flush = { .otf2_pre_flush = flush_always,
						   .otf2_post_flush = NULL };

	otf2_check(w, OTF2_Archive_SetFlushCallbacks(w->archive, &flush, NULL));
	otf2_check(w, otf2_chunks_use(w->chunks, w->archive));
	otf2_check(w, otf2_shared_use(w->archive, trace_exchange(w->trace)));
	otf2_check(w, OTF2_Archive_SetCreator(w->archive, "tview " TVIEW_VERSION));
	otf2_shared_failed(w);
	if (!w->failed)
		otf2_out_locations(w);
	if (!w->failed)
		write_local_definitions(w);
	if (!w->failed && exchange_process(trace_exchange(w->trace)) == 0)
		write_global(w);
	otf2_shared_failed(w);
}

static void writer_fini(struct otf2_writer *w)
{
	for (uint32_t c = 0; c < trace_comm_count(w->trace); c++)
		keymap_fini(&w->comms[c].places);
	free_all(w->comms, w->locations, w->metric_refs, w->metric_classes, w->object_refs,
		 w->send_request, w->recv_request);
	keymap_fini(&w->known_groups);
	keymap_fini(&w->contexts);
	keymap_fini(&w->source_places);
	vec_fini(&w->context_sites);
	vec_fini(&w->source_refs);
	vec_fini(&w->absent);
	vec_fini(&w->needs);
	pthread_cond_destroy(&w->moved);
	pthread_mutex_destroy(&w->lock);
}

bool otf2_write(struct trace *trace, const char *folder, const char *name,
		const struct save_options *options, const struct progress *progress,
		struct err *err)
{
	const size_t messages = (size_t)trace_message_count(trace) + 1;
	struct exchange *x = trace_exchange(trace);
	struct otf2_writer w = { .trace = trace,
				 .options = options,
				 .progress = progress,
				 .err = err,
				 .lock = PTHREAD_MUTEX_INITIALIZER,
				 .moved = PTHREAD_COND_INITIALIZER };
	OTF2_ErrorCallback said;

	said = OTF2_Error_RegisterCallback(take_note, &w);
	w.archive =
		OTF2_Archive_Open(folder, name, OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
				  OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX,
				  OTF2_COMPRESSION_NONE);
	if (!w.archive)
		err_set(err, STATUS_IO, "cannot make the OTF2 archive %s/%s", folder, name);
	if (exchange_any(x, !w.archive)) {
		OTF2_Error_RegisterCallback(said, NULL);
		return false;
	}
	w.chunks = otf2_chunks_new();
	w.hands_over = exchange_any(x, trace_hands_over(trace));
	w.send_request = xcalloc(messages, sizeof *w.send_request);
	w.recv_request = xcalloc(messages, sizeof *w.recv_request);
	set_clock(&w);
	set_location_refs(&w);
	find_absent(&w);
	otf2_out_comms_init(&w);
	otf2_out_refs_init(&w);
	write_archive(&w);
	if (!w.broken)
		otf2_check(&w, OTF2_Archive_Close(w.archive));
	otf2_shared_failed(&w);
	otf2_chunks_free(w.chunks);
	OTF2_Error_RegisterCallback(said, NULL);
	writer_fini(&w);
	return !w.failed;
}
