/* Events with details: each type's values, in the order of OTF2's arguments. */
#include <stdlib.h>

#include "base/fields.h"
#include "base/mem.h"
#include "model/otf2/write/otf2_writer.h"

/* What a detail's writing needs: the event, its values, and the references among them resolved. */
struct out {
	struct otf2_writer *w;
	OTF2_EvtWriter *evt;
	OTF2_TimeStamp time;
	const uint64_t *v;
	uint32_t n;
};

static uint32_t object_ref(const struct out *o, unsigned i)
{
	return o->v[i] < trace_object_count(o->w->trace) ? o->w->object_refs[o->v[i]] : UINT32_MAX;
}

static uint32_t comm_ref(const struct out *o, unsigned i)
{
	return o->v[i] < trace_comm_count(o->w->trace) ? o->w->comms[o->v[i]].ref
						       : OTF2_UNDEFINED_COMM;
}

static uint32_t u32(const struct out *o, unsigned i)
{
	return (uint32_t)o->v[i];
}

/* The place of a world rank in a window's communicator. */
static uint32_t remote(const struct out *o, unsigned window, unsigned i)
{
	const struct trace *t = o->w->trace;
	const struct object *object;
	uint64_t comm;

	if (o->v[window] >= trace_object_count(t))
		return u32(o, i);
	object = trace_object(t, (uint32_t)o->v[window]);
	comm = trace_detail_values(t, &object->detail)[0];
	if (object->detail.type != OBJECT_RMA_WINDOW || comm >= trace_comm_count(t))
		return u32(o, i);
	return otf2_out_place(o->w, (uint32_t)comm, (int32_t)o->v[i]);
}

#define CALL(function, ...) \
	otf2_check(o->w, OTF2_EvtWriter_##function(o->evt, o->w->list, __VA_ARGS__))

static void rma_collective_end(const struct out *o)
{
	const uint32_t place = remote(o, 2, 3);

	CALL(RmaCollectiveEnd, o->time, (uint8_t)o->v[0], u32(o, 1), object_ref(o, 2),
	     place == UINT32_MAX ? OTF2_COLLECTIVE_ROOT_NONE : place, o->v[4], o->v[5]);
}

/* The library counts a record's metrics in 8 bits. */
static void metric(const struct out *o)
{
	const struct trace *t = o->w->trace;
	OTF2_MetricValue values[UINT8_MAX];
	OTF2_Type types[UINT8_MAX];
	const struct metric_set *set;
	uint8_t n = 0;

	if (o->v[0] >= trace_metric_set_count(t))
		return;
	set = trace_metric_set(t, (uint32_t)o->v[0]);
	for (; n + 1u < o->n && n < set->n && n < UINT8_MAX; n++) {
		switch (trace_metric(t, set->metrics[n])->value) {
		case FIELD_INT: types[n] = OTF2_TYPE_INT64; break;
		case FIELD_FLOAT: types[n] = OTF2_TYPE_DOUBLE; break;
		default: types[n] = OTF2_TYPE_UINT64; break;
		}
		values[n].unsigned_int = o->v[n + 1];
	}
	CALL(Metric, o->time, o->w->metric_refs[o->v[0]], n, types, values);
}

static void program_begin(const struct out *o)
{
	uint32_t *words = xmalloc((o->n + 1) * sizeof *words);

	for (uint32_t i = 1; i < o->n; i++)
		words[i - 1] = (uint32_t)o->v[i];
	CALL(ProgramBegin, o->time, u32(o, 0), o->n - 1, words);
	free(words);
}

static void sample(const struct out *o)
{
	CALL(CallingContextSample, o->time, otf2_context_ref(o->w, u32(o, 0)), u32(o, 1),
	     object_ref(o, 2));
}

/* ---- details.def ---- */

/* Of a sort of field, what OTF2 is given. */
#define WRITTEN_ACCESS(i)      (uint8_t) o->v[i]
#define WRITTEN_ATOMIC_TYPE(i) (uint8_t) o->v[i]
#define WRITTEN_BYTES(i)       o->v[i]
#define WRITTEN_COMM(i)        comm_ref(o, i)
#define WRITTEN_COUNT(i)       u32(o, i)
#define WRITTEN_COUNT64(i)     o->v[i]
#define WRITTEN_FILE(i)        object_ref(o, i)
#define WRITTEN_FLAGS(i)       u32(o, i)
#define WRITTEN_GROUP(i)       object_ref(o, i)
#define WRITTEN_HANDLE(i)      object_ref(o, i)
#define WRITTEN_INT(i)         (int64_t) o->v[i]
#define WRITTEN_IO_MODE(i)     (uint8_t) o->v[i]
#define WRITTEN_IO_PARADIGM(i) (uint8_t) object_ref(o, i)
#define WRITTEN_LOCK_TYPE(i)   (uint8_t) o->v[i]
#define WRITTEN_PARADIGM(i)    (uint8_t) o->v[i]
#define WRITTEN_PARAMETER(i)   object_ref(o, i)
#define WRITTEN_REMOTE(i)      remote(o, 0, i)
#define WRITTEN_SEEK(i)        (uint8_t) o->v[i]
#define WRITTEN_SYNC_TYPE(i)   (uint8_t) o->v[i]
#define WRITTEN_WINDOW(i)      object_ref(o, i)

#define WRITTEN(i, sort, name) , WRITTEN_##sort(i)

static void write_detail(const struct out *o, enum detail_type type)
{
	switch (type) {
#define DETAIL(type, word, kind, record, ...)                            \
	case DETAIL_##type:                                              \
		CALL(record, o->time FIELDS_EACH(WRITTEN, __VA_ARGS__)); \
		break;
#define SPECIAL(...)
#define BARE(...)
#define OBJECT(...)
#include "model/trace/details.def"
	case DETAIL_RMA_COLLECTIVE_BEGIN: CALL(RmaCollectiveBegin, o->time); break;
	case DETAIL_RMA_COLLECTIVE_END: rma_collective_end(o); break;
	case DETAIL_METRIC: metric(o); break;
	case DETAIL_PARAMETER_STRING:
		CALL(ParameterString, o->time, object_ref(o, 0), u32(o, 1));
		break;
	case DETAIL_PROGRAM_BEGIN: program_begin(o); break;
	case DETAIL_SAMPLE: sample(o); break;
	default:
		CALL(ParameterString, o->time, otf2_record_ref(o->w, OTF2_RECORD_UNKNOWN), 0);
		break;
	}
}

void otf2_out_detail(struct otf2_writer *w, OTF2_EvtWriter *evt, const struct cut *c)
{
	const struct detail *detail = trace_detail(w->trace, what_id(c->what));
	const struct out o = { w, evt, otf2_stamp(w, c->time),
			       trace_detail_values(w->trace, detail), detail->n };

	write_detail(&o, (enum detail_type)detail->type);
}
