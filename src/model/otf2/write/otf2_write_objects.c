/* Definitions of metrics and of objects (detail.h). */
#include <stdlib.h>

#include "model/otf2/otf2_names.h"
#include "model/otf2/write/otf2_writer.h"

/* ---- metrics ---- */

static uint64_t scope_of(const struct otf2_writer *w, const struct metric_set *set)
{
	if (set->scope_kind == 1 + OTF2_SCOPE_LOCATION &&
	    set->scope < trace_location_count(w->trace))
		return w->locations[set->scope].ref;
	return set->scope;
}

static void write_metric_set(struct otf2_writer *w, uint32_t id)
{
	const struct metric_set *set = trace_metric_set(w->trace, id);
	const uint8_t n = (uint8_t)(set->n < UINT8_MAX ? set->n : UINT8_MAX);
	const uint32_t ref = w->metric_refs[id], cls = w->metric_classes[id];
	const bool instance = set->scope_kind != 0;

	if (cls >= w->metrics_written) {
		OTF2_DEFINE(MetricClass, cls, n, set->metrics, set->occurrence,
			    instance ? OTF2_RECORDER_KIND_ABSTRACT : OTF2_RECORDER_KIND_CPU);
		w->metrics_written = cls + 1;
	}
	if (instance) {
		OTF2_DEFINE(MetricInstance, ref, cls, otf2_location_ref(w, set->recorder),
			    (OTF2_MetricScope)(set->scope_kind - 1), scope_of(w, set));
		w->metrics_written = ref + 1;
	}
}

static void write_metrics(struct otf2_writer *w)
{
	for (uint32_t i = 0; i < trace_metric_count(w->trace); i++) {
		const struct metric *m = trace_metric(w->trace, i);
		OTF2_DEFINE(
			MetricMember, i, m->name, m->description, m->type,
			otf2_metric_modes[m->mode < METRIC_MODES ? m->mode : METRIC_ABSOLUTE_POINT],
			otf2_value_type(m->value),
			m->base == 2 ? OTF2_BASE_BINARY : OTF2_BASE_DECIMAL, m->exponent, m->unit);
	}
	for (uint32_t i = 0; i < trace_metric_set_count(w->trace); i++)
		write_metric_set(w, i);
}

/* ---- objects ---- */

/* The reader's value_text() the other way round. */
static OTF2_AttributeValue value_of(const struct otf2_writer *w, OTF2_Type type, uint32_t text)
{
	const char *s = trace_string(w->trace, text);
	OTF2_AttributeValue v = { .uint64 = 0 };

	switch (type) {
	case OTF2_TYPE_STRING: v.stringRef = text; break;
	case OTF2_TYPE_UINT8: v.uint8 = (uint8_t)strtoul(s, NULL, 10); break;
	case OTF2_TYPE_UINT16: v.uint16 = (uint16_t)strtoul(s, NULL, 10); break;
	case OTF2_TYPE_UINT32: v.uint32 = (uint32_t)strtoul(s, NULL, 10); break;
	case OTF2_TYPE_INT8: v.int8 = (int8_t)strtol(s, NULL, 10); break;
	case OTF2_TYPE_INT16: v.int16 = (int16_t)strtol(s, NULL, 10); break;
	case OTF2_TYPE_INT32: v.int32 = (int32_t)strtol(s, NULL, 10); break;
	case OTF2_TYPE_INT64: v.int64 = strtoll(s, NULL, 10); break;
	case OTF2_TYPE_FLOAT: v.float32 = strtof(s, NULL); break;
	case OTF2_TYPE_DOUBLE: v.float64 = strtod(s, NULL); break;
	default: v.uint64 = strtoull(s, NULL, 10); break;
	}
	return v;
}

/* The objects that follow are its properties. */
static void write_io_paradigm(struct otf2_writer *w, uint32_t id, const uint64_t *v)
{
	OTF2_IoParadigmProperty properties[UINT8_MAX];
	OTF2_Type types[UINT8_MAX];
	OTF2_AttributeValue values[UINT8_MAX];
	uint8_t n = 0;

	while (n < UINT8_MAX && id + 1 + n < trace_object_count(w->trace)) {
		const struct object *o = trace_object(w->trace, id + 1 + n);
		const uint64_t *of = trace_detail_values(w->trace, &o->detail);
		if (o->detail.type != OBJECT_IO_PROPERTY)
			break;
		properties[n] = (OTF2_IoParadigmProperty)of[0];
		types[n] = (OTF2_Type)of[1];
		values[n] = value_of(w, types[n], o->name);
		n++;
	}
	OTF2_DEFINE(IoParadigm, (uint8_t)w->object_refs[id], (uint32_t)v[0],
		    trace_object(w->trace, id)->name, (uint8_t)v[1], (uint32_t)v[2], n, properties,
		    types, values);
}

/* Deprecated, but archives have them. */
static void write_call_site(struct otf2_writer *w, uint32_t ref, uint32_t file, const uint64_t *v)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
	OTF2_DEFINE(Callsite, ref, file, (uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2]);
#pragma GCC diagnostic pop
}

static void write_object(struct otf2_writer *w, uint32_t id)
{
	const struct object *o = trace_object(w->trace, id);
	const uint32_t ref = w->object_refs[id];
	uint64_t v[DETAIL_FIELDS] = { 0 };

	otf2_out_values(w, &o->detail, v);
	switch ((enum detail_type)o->detail.type) {
	case OBJECT_PARAMETER: OTF2_DEFINE(Parameter, ref, o->name, (uint8_t)v[0]); break;
	case OBJECT_ATTRIBUTE:
		OTF2_DEFINE(Attribute, ref, o->name, (uint32_t)v[0], (uint8_t)v[1]);
		break;
	case OBJECT_RMA_WINDOW:
		OTF2_DEFINE(RmaWin, ref, o->name, (uint32_t)v[0], (uint32_t)v[1]);
		break;
	case OBJECT_IO_PARADIGM: write_io_paradigm(w, id, v); break;
	case OBJECT_IO_FILE:
		if (v[1])
			OTF2_DEFINE(IoDirectory, ref, o->name, (uint32_t)v[0]);
		else
			OTF2_DEFINE(IoRegularFile, ref, o->name, (uint32_t)v[0]);
		break;
	case OBJECT_IO_HANDLE:
		OTF2_DEFINE(IoHandle, ref, o->name, (uint32_t)v[0], (uint8_t)v[1], (uint32_t)v[2],
			    (uint32_t)v[3], (uint32_t)v[4]);
		break;
	case OBJECT_GENERATOR:
		OTF2_DEFINE(InterruptGenerator, ref, o->name, (uint8_t)v[1],
			    v[2] == 2 ? OTF2_BASE_BINARY : OTF2_BASE_DECIMAL, (int64_t)v[3], v[4]);
		break;
	case OBJECT_DOMAIN:
		OTF2_DEFINE(SystemTreeNodeDomain, (uint32_t)v[0], (OTF2_SystemTreeDomain)v[1]);
		break;
	case OBJECT_PARADIGM:
		OTF2_DEFINE(Paradigm, (OTF2_Paradigm)v[0], o->name, (OTF2_ParadigmClass)v[1]);
		break;
	case OBJECT_PARADIGM_PROPERTY:
		OTF2_DEFINE(ParadigmProperty, (OTF2_Paradigm)v[0], (OTF2_ParadigmProperty)v[1],
			    (OTF2_Type)v[2], value_of(w, (OTF2_Type)v[2], o->name));
		break;
	case OBJECT_METRIC_RECORDER:
		OTF2_DEFINE(MetricClassRecorder, otf2_metric_ref(w, v[0]),
			    otf2_location_ref(w, v[1]));
		break;
	case OBJECT_CALL_SITE: write_call_site(w, ref, o->name, v); break;
	case OBJECT_CALLPATH: OTF2_DEFINE(Callpath, ref, (uint32_t)v[0], (uint32_t)v[1]); break;
	case OBJECT_CALLPATH_PARAMETER:
		OTF2_DEFINE(CallpathParameter, (uint32_t)v[0], (uint32_t)v[1], (OTF2_Type)v[2],
			    value_of(w, (OTF2_Type)v[2], o->name));
		break;
	default: break; /* groups and dimensions are otf2_write_groups.c's */
	}
}

void otf2_out_objects(struct otf2_writer *w)
{
	write_metrics(w);
	for (uint32_t i = 0; i < trace_object_count(w->trace) && !w->failed; i++)
		write_object(w, i);
}
