/* Events with details: each type's values, in the order of OTF2's arguments. */
#include <stdlib.h>

#include "base/fields.h"
#include "base/mem.h"
#include "model/otf2/otf2_sorts.h"
#include "model/otf2/write/otf2_writer.h"

/* The place of a world rank in a window's communicator. */
static uint32_t remote(struct otf2_writer *w, uint64_t window, uint64_t rank)
{
	const struct object *object;
	uint64_t comm;

	if (window >= trace_object_count(w->trace))
		return (uint32_t)rank;
	object = trace_object(w->trace, (uint32_t)window);
	comm = trace_detail_values(w->trace, &object->detail)[0];
	if (object->detail.type != OBJECT_RMA_WINDOW || comm >= trace_comm_count(w->trace))
		return (uint32_t)rank;
	return otf2_out_place(w, (uint32_t)comm, (int32_t)rank);
}

void otf2_out_values(struct otf2_writer *w, const struct detail *detail,
		     uint64_t out[DETAIL_FIELDS])
{
	const struct detail_info *info = detail_info((enum detail_type)detail->type);
	const uint64_t *v = trace_detail_values(w->trace, detail);
	uint64_t window = 0;

	for (uint32_t i = 0; i < info->fields && i < detail->n; i++)
		switch (info->field[i].kind) {
		case FIELD_COMM: out[i] = otf2_comm_ref(w, v[i]); break;
		case FIELD_OBJECT:
			window = v[i];
			out[i] = otf2_object_ref(w, v[i]);
			break;
		case FIELD_RANK: out[i] = remote(w, window, v[i]); break;
		default: out[i] = v[i]; break;
		}
}

OTF2_Type otf2_value_type(uint8_t kind)
{
	return kind == FIELD_INT     ? OTF2_TYPE_INT64
	       : kind == FIELD_FLOAT ? OTF2_TYPE_DOUBLE
				     : OTF2_TYPE_UINT64;
}

/* The library counts a record's metrics in 8 bits. */
static void metric(struct otf2_writer *w, const uint64_t *v, uint32_t members)
{
	OTF2_MetricValue values[UINT8_MAX];
	OTF2_Type types[UINT8_MAX];
	const struct metric_set *set;
	uint8_t n = 0;

	if (v[0] >= trace_metric_set_count(w->trace))
		return;
	set = trace_metric_set(w->trace, (uint32_t)v[0]);
	for (; n < members && n < set->n && n < UINT8_MAX; n++) {
		types[n] = otf2_value_type(trace_metric(w->trace, set->metrics[n])->value);
		values[n].unsigned_int = v[n + 1];
	}
	OTF2_EVENT(Metric, w->time, w->metric_refs[v[0]], n, types, values);
}

static void program_begin(struct otf2_writer *w, const uint64_t *v, uint32_t arguments)
{
	OWNED uint32_t *words = xmalloc((arguments + 1) * sizeof *words);

	for (uint32_t i = 0; i < arguments; i++)
		words[i] = (uint32_t)v[i + 1];
	OTF2_EVENT(ProgramBegin, w->time, (uint32_t)v[0], arguments, words);
}

#define WRITTEN(i, sort, name) , (otf2_arg_##sort)v[i]

void otf2_out_detail(struct otf2_writer *w, const struct cut *c)
{
	const struct detail *detail = trace_detail(w->trace, what_id(c->what));
	const uint64_t *all = trace_detail_values(w->trace, detail);
	uint64_t v[DETAIL_FIELDS] = { 0 };
	uint32_t ref;

	otf2_out_values(w, detail, v);
	switch ((enum detail_type)detail->type) {
#define DETAIL(type, word, kind, record, ...)                                  \
	case DETAIL_##type:                                                    \
		OTF2_EVENT(record, w->time FIELDS_EACH(WRITTEN, __VA_ARGS__)); \
		break;
#include "model/trace/details.def"
	case DETAIL_RMA_COLLECTIVE_BEGIN: OTF2_EVENT(RmaCollectiveBegin, w->time); break;
	case DETAIL_RMA_COLLECTIVE_END:
		OTF2_EVENT(RmaCollectiveEnd, w->time, (uint8_t)v[0], (uint32_t)v[1], (uint32_t)v[2],
			   v[3] == UINT32_MAX ? OTF2_COLLECTIVE_ROOT_NONE : (uint32_t)v[3], v[4],
			   v[5]);
		break;
	case DETAIL_METRIC: metric(w, all, detail->n - 1); break;
	case DETAIL_PARAMETER_STRING:
		OTF2_EVENT(ParameterString, w->time, (uint32_t)v[0], (uint32_t)v[1]);
		break;
	case DETAIL_PROGRAM_BEGIN: program_begin(w, all, detail->n - 1); break;
	case DETAIL_SAMPLE:
		ref = otf2_context_ref(w, (uint32_t)v[0]);
		OTF2_EVENT(CallingContextSample, w->time, ref, (uint32_t)v[1], (uint32_t)v[2]);
		break;
	default:
		ref = otf2_record_ref(w, OTF2_RECORD_UNKNOWN);
		OTF2_EVENT(ParameterString, w->time, ref, 0);
		break;
	}
}
