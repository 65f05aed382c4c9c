/* Events: enters and leaves, marks and records. The rest is in otf2_write_messages.c and
 * otf2_write_details.c. */
#include "model/otf2/write/otf2_writer.h"

/* ---- attributes of the trace ---- */

/* The value as the library needs it: refs of definitions are 32-bit, numbers have their width. */
static OTF2_AttributeValue attribute_value(struct otf2_writer *w, OTF2_Type type, uint64_t value)
{
	OTF2_AttributeValue v = { .uint64 = value };

	switch (type) {
	case OTF2_TYPE_UINT8:
	case OTF2_TYPE_INT8: v.uint8 = (uint8_t)value; break;
	case OTF2_TYPE_UINT16:
	case OTF2_TYPE_INT16: v.uint16 = (uint16_t)value; break;
	case OTF2_TYPE_UINT64:
	case OTF2_TYPE_INT64:
	case OTF2_TYPE_DOUBLE: break;
	case OTF2_TYPE_LOCATION: v.locationRef = otf2_location_ref(w, value); break;
	case OTF2_TYPE_COMM: v.commRef = otf2_comm_ref(w, value); break;
	case OTF2_TYPE_METRIC: v.metricRef = otf2_metric_ref(w, value); break;
	case OTF2_TYPE_SOURCE_CODE_LOCATION:
		v.sourceCodeLocationRef =
			otf2_source_ref(w, (uint32_t)(value >> 32), (uint32_t)value);
		break;
	case OTF2_TYPE_CALLING_CONTEXT:
		v.callingContextRef = value < trace_site_count(w->trace)
					      ? otf2_context_ref(w, (uint32_t)value)
					      : OTF2_UNDEFINED_CALLING_CONTEXT;
		break;
	case OTF2_TYPE_ATTRIBUTE:
	case OTF2_TYPE_GROUP:
	case OTF2_TYPE_PARAMETER:
	case OTF2_TYPE_RMA_WIN:
	case OTF2_TYPE_INTERRUPT_GENERATOR:
	case OTF2_TYPE_IO_FILE:
	case OTF2_TYPE_IO_HANDLE: v.uint32 = otf2_object_ref(w, value); break;
	default: v.uint32 = (uint32_t)value; break;
	}
	return v;
}

static void add_attributes(struct otf2_writer *w, uint32_t event, size_t *at)
{
	uint32_t n;
	const struct event_attribute *rows = trace_next_attributes(w->trace, event, at, &n);

	for (uint32_t i = 0; i < n; i++) {
		const struct object *object = trace_object(w->trace, rows[i].object);
		const OTF2_Type type = (OTF2_Type)trace_detail_values(w->trace, &object->detail)[1];
		/* The library takes each but once. */
		if (OTF2_AttributeList_TestAttributeByID(w->list, w->object_refs[rows[i].object]))
			continue;
		otf2_check(w, OTF2_AttributeList_AddAttribute(w->list,
							      w->object_refs[rows[i].object], type,
							      attribute_value(w, type,
									      rows[i].value)));
	}
}

/* The source's text of an event, where it was kept. */
static void add_texts(struct otf2_writer *w, uint32_t event)
{
	uint32_t id;

	if (trace_event_extra_string(w->trace, event, &id))
		otf2_add_own(w, OTF2_OWN_DATA, id);
	if (w->options->base == BASE_MEASURED && trace_event_time_string(w->trace, event, &id))
		otf2_add_own(w, OTF2_OWN_TIME, id);
}

/* ---- sites ---- */

static void add_call_site(struct otf2_writer *w, uint32_t id)
{
	const struct site *site = trace_site(w->trace, id);

	if (site->file || site->line)
		otf2_add_own(w, OTF2_OWN_CALL_SITE, otf2_source_ref(w, site->file, site->line));
	if (site->picl != trace_region(w->trace, site->region)->picl)
		otf2_add_own(w, OTF2_OWN_EVENT_TYPE, (uint64_t)(int64_t)site->picl);
}

static void add_whole_site(struct otf2_writer *w, uint32_t id)
{
	otf2_add_own(w, OTF2_OWN_REGION, trace_site(w->trace, id)->region);
	add_call_site(w, id);
}

static void enter(struct otf2_writer *w, const struct cut *c)
{
	const uint32_t site = trace_callpath(w->trace, what_id(c->what))->site;

	add_call_site(w, site);
	OTF2_EVENT(Enter, w->time, trace_site(w->trace, site)->region);
}

/* The site that a leave leaves; written only if no enter names it. */
static uint32_t site_left(struct otf2_writer *w, uint32_t what)
{
	const struct callpath *path;

	if (what_kind(what) == EV_STRAY_LEAVE) {
		add_call_site(w, what_id(what));
		return what_id(what);
	}
	path = trace_callpath(w->trace, what_id(what));
	if (path->depth <= w->open_before) {
		add_call_site(w, path->site);
		w->open_before = path->depth - 1;
	}
	return path->site;
}

static void leave(struct otf2_writer *w, const struct cut *c)
{
	const uint32_t site = site_left(w, c->what);

	OTF2_EVENT(Leave, w->time, trace_site(w->trace, site)->region);
}

/* ---- marks and records ---- */

static void mark(struct otf2_writer *w, const struct cut *c)
{
	const uint32_t site = what_id(c->what);
	uint32_t parameter;

	add_whole_site(w, site);
	parameter = otf2_record_ref(w, OTF2_RECORD_MARK);
	OTF2_EVENT(ParameterString, w->time, parameter,
		   trace_region(w->trace, trace_site(w->trace, site)->region)->name);
}

static void record(struct otf2_writer *w, const struct cut *c, enum otf2_own_record kind)
{
	const struct record *r = trace_record(w->trace, what_id(c->what));
	uint32_t parameter;

	add_whole_site(w, r->site);
	otf2_add_own(w, OTF2_OWN_RECORD_TYPE, (uint64_t)(int64_t)r->rectype);
	parameter = otf2_record_ref(w, kind);
	OTF2_EVENT(ParameterString, w->time, parameter, r->text);
}

static void tracing(struct otf2_writer *w, const struct cut *c)
{
	const bool on = what_kind(c->what) == EV_TRACING_ON;

	add_whole_site(w, what_id(c->what));
	OTF2_EVENT(MeasurementOnOff, w->time, on ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
}

static void write_event(struct otf2_writer *w, const struct cut *c)
{
	switch (what_kind(c->what)) {
	case EV_ENTER: enter(w, c); break;
	case EV_LEAVE:
	case EV_STRAY_LEAVE: leave(w, c); break;
	case EV_MARK: mark(w, c); break;
	case EV_SEND:
	case EV_SEND_COMPLETE:
	case EV_RECV_REQUEST:
	case EV_RECV:
	case EV_REQUEST_TEST:
	case EV_REQUEST_CANCELLED: otf2_out_message(w, c); break;
	case EV_COLLECTIVE_BEGIN:
	case EV_COLLECTIVE_END: otf2_out_collective(w, c); break;
	case EV_DATA: record(w, c, OTF2_RECORD_DATA); break;
	case EV_MESSAGE_TEXT: record(w, c, OTF2_RECORD_MESSAGE); break;
	case EV_STATISTICS: record(w, c, OTF2_RECORD_STATS); break;
	case EV_IO: record(w, c, OTF2_RECORD_IO); break;
	case EV_TRACING_ON:
	case EV_TRACING_OFF: tracing(w, c); break;
	default: otf2_out_detail(w, c); break;
	}
}

void otf2_out_events(struct otf2_writer *w, uint32_t location)
{
	const struct save_options *o = w->options;
	struct cut cut;
	const bool texts = trace_has_texts(w->trace);
	size_t attributes = 0;
	bool more = cut_first(&cut, w->trace, o->base, location, o->t0, o->t1);

	w->open_before = 0;
	if (more && cut.event != EVENT_NONE)
		w->open_before = trace_callpath(w->trace, cursor_path_before(&cut.cursor))->depth;
	for (; more && !w->failed; more = cut_next(&cut)) {
		if (cut.event != EVENT_NONE)
			add_attributes(w, cut.event, &attributes);
		if (texts && cut.event != EVENT_NONE)
			add_texts(w, cut.event);
		w->time = otf2_stamp(w, cut.time);
		write_event(w, &cut);
		w->locations[location].events++;
	}
	cut_fini(&cut);
}
