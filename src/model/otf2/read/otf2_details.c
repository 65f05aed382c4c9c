/* Events that become details: threads, one-sided communication, metrics, parameters, files,
 * programs, samples. */
#include "base/fields.h"
#include "base/mem.h"
#include "model/otf2/otf2_sorts.h"
#include "model/otf2/read/otf2_feed.h"

/* ---- what values name ---- */

static uint64_t comm_value(struct otf2_feed *f, uint32_t comm)
{
	return otf2_comm(f->a, comm) ? otf2_feed_comm(f, comm) : UINT64_MAX;
}

static uint64_t remote_value(struct otf2_feed *f, uint32_t window, uint32_t rank)
{
	return (uint64_t)(int64_t)otf2_feed_rank(f, otf2_ids_get(&f->a->window_comms, window),
						 rank);
}

static OTF2_CallbackCode add(struct otf2_feed *f, int64_t t, OTF2_AttributeList *list,
			     enum detail_type type, const uint64_t *values, size_t n)
{
	builder_detail(f->b, f->location, t, type, values, (uint32_t)n);
	return otf2_feed_attributes(f, list);
}

#define ADD(type, ...)                             \
	const uint64_t values[] = { __VA_ARGS__ }; \
	return add(f, t, list, type, values, sizeof values / sizeof *values)

/* ---- details.def ---- */

/* Copies of devices name the other location by its place in a communicator of locations. */
static void name_other(struct otf2_feed *f, uint32_t window, uint32_t member)
{
	const struct otf2_comm *comm = otf2_comm(f->a, otf2_ids_get(&f->a->window_comms, window));

	if (comm && comm->kind == COMM_THREADS && member < comm->size && comm->ranks[member] >= 0)
		builder_attribute(f->b, f->location, f->a->copy_other,
				  (uint32_t)comm->ranks[member]);
}

/* Translates refs of the archive to the store's ids. */
static OTF2_CallbackCode add_fields(struct otf2_feed *f, int64_t t, OTF2_AttributeList *list,
				    enum detail_type type, const uint8_t *objects, uint64_t *v)
{
	const struct detail_info *info = detail_info(type);
	const bool copies = type == DETAIL_RMA_PUT || type == DETAIL_RMA_GET;
	uint32_t window = 0, member = UINT32_MAX;

	for (unsigned i = 0; i < info->fields; i++)
		switch (info->field[i].kind) {
		case FIELD_COMM: v[i] = comm_value(f, (uint32_t)v[i]); break;
		case FIELD_OBJECT:
			window = (uint32_t)v[i];
			v[i] = otf2_object(f->a, (enum detail_type)objects[i], window);
			break;
		case FIELD_RANK:
			member = (uint32_t)v[i];
			v[i] = remote_value(f, window, member);
			break;
		default: break;
		}
	builder_detail(f->b, f->location, t, type, v, info->fields);
	if (copies && f->a->copy_other != UINT32_MAX)
		name_other(f, window, member);
	return otf2_feed_attributes(f, list);
}

#define ARGUMENT(i, sort, name) , otf2_arg_##sort name
#define VALUE(i, sort, name)    (uint64_t)(name),
#define NAMED(i, sort, name)    OTF2_OBJECT_##sort,

#define DETAIL(type, word, kind, record, ...)                                              \
	static OTF2_CallbackCode on_##record(OTF2_HEAD FIELDS_EACH(ARGUMENT, __VA_ARGS__)) \
	{                                                                                  \
		OTF2_BEGIN_INSIDE;                                                         \
		return add_fields(f, t, list, DETAIL_##type,                               \
				  (const uint8_t[]){ FIELDS_EACH(NAMED, __VA_ARGS__) },    \
				  (uint64_t[]){ FIELDS_EACH(VALUE, __VA_ARGS__) });        \
	}
#include "model/trace/details.def"

/* ---- OpenMP's events of OTF2 before version 1.2 ---- */

static OTF2_CallbackCode on_OmpFork(OTF2_HEAD, uint32_t threads)
{
	OTF2_BEGIN_INSIDE;
	ADD(DETAIL_THREAD_FORK, OTF2_PARADIGM_OPENMP, threads);
}

static OTF2_CallbackCode on_OmpJoin(OTF2_HEAD)
{
	OTF2_BEGIN_INSIDE;
	ADD(DETAIL_THREAD_JOIN, OTF2_PARADIGM_OPENMP);
}

#define ON_OMP_LOCK(name, type)                                                 \
	static OTF2_CallbackCode name(OTF2_HEAD, uint32_t lock, uint32_t order) \
	{                                                                       \
		OTF2_BEGIN_INSIDE;                                              \
		ADD(type, OTF2_PARADIGM_OPENMP, lock, order);                   \
	}

ON_OMP_LOCK(on_OmpAcquireLock, DETAIL_LOCK_ACQUIRE)
ON_OMP_LOCK(on_OmpReleaseLock, DETAIL_LOCK_RELEASE)

#define ON_OMP_TASK(name, type)                                 \
	static OTF2_CallbackCode name(OTF2_HEAD, uint64_t task) \
	{                                                       \
		OTF2_BEGIN_INSIDE;                              \
		ADD(type, UINT64_MAX, 0, task);                 \
	}

ON_OMP_TASK(on_OmpTaskCreate, DETAIL_TASK_CREATE)
ON_OMP_TASK(on_OmpTaskSwitch, DETAIL_TASK_SWITCH)
ON_OMP_TASK(on_OmpTaskComplete, DETAIL_TASK_COMPLETE)

/* ---- specials ---- */

static OTF2_CallbackCode on_RmaCollectiveBegin(OTF2_HEAD)
{
	OTF2_BEGIN_INSIDE;
	return add(f, t, list, DETAIL_RMA_COLLECTIVE_BEGIN, NULL, 0);
}

static OTF2_CallbackCode on_RmaCollectiveEnd(OTF2_HEAD, OTF2_CollectiveOp operation,
					     OTF2_RmaSyncLevel level, OTF2_RmaWinRef win,
					     uint32_t root, uint64_t sent, uint64_t received)
{
	OTF2_BEGIN_INSIDE;
	const uint32_t comm = otf2_ids_get(&f->a->window_comms, win);
	ADD(DETAIL_RMA_COLLECTIVE_END, operation, level, otf2_object(f->a, OBJECT_RMA_WINDOW, win),
	    (uint64_t)(int64_t)otf2_feed_root(f, comm, root), sent, received);
}

static OTF2_CallbackCode on_Metric(OTF2_HEAD, OTF2_MetricRef metric, uint8_t n,
				   const OTF2_Type *types, const OTF2_MetricValue *metrics)
{
	OTF2_BEGIN_INSIDE;
	const uint32_t set = otf2_ids_get(&f->a->metric_sets, metric);
	uint64_t values[1 + UINT8_MAX];

	(void)types;
	if (set == UINT32_MAX || f->a->set_sizes.data[set] != n) {
		builder_finding(f->b, FINDING_DAMAGE, "metric-values", 0,
				"metric values do not match their definition: skipped");
		return OTF2_CALLBACK_SUCCESS;
	}
	values[0] = set;
	for (uint8_t i = 0; i < n; i++)
		values[1 + i] = metrics[i].unsigned_int;
	return add(f, t, list, DETAIL_METRIC, values, 1u + n);
}

static OTF2_CallbackCode on_ParameterString(OTF2_HEAD, OTF2_ParameterRef parameter,
					    OTF2_StringRef string)
{
	OTF2_BEGIN_INSIDE;

	if (f->a->own && otf2_own_record(f, t, &f->own, parameter, string))
		return otf2_feed_attributes(f, list);
	ADD(DETAIL_PARAMETER_STRING, otf2_object(f->a, OBJECT_PARAMETER, parameter),
	    otf2_string(f->a, string));
}

static OTF2_CallbackCode on_ProgramBegin(OTF2_HEAD, OTF2_StringRef program, uint32_t n,
					 const OTF2_StringRef *arguments)
{
	OTF2_BEGIN_INSIDE;
	OWNED uint64_t *values = xmalloc(((size_t)n + 1) * sizeof *values);

	values[0] = otf2_string(f->a, program);
	for (uint32_t i = 0; i < n; i++)
		values[1 + i] = otf2_string(f->a, arguments[i]);
	builder_detail(f->b, f->location, t, DETAIL_PROGRAM_BEGIN, values, n + 1);
	OTF2_END;
}

static OTF2_CallbackCode on_CallingContextSample(OTF2_HEAD, OTF2_CallingContextRef context,
						 uint32_t unwind,
						 OTF2_InterruptGeneratorRef generator)
{
	OTF2_BEGIN_INSIDE;
	const struct otf2_context c = otf2_feed_context(f, context);

	if (c.region == UINT32_MAX && !f->a->wants_spare)
		return otf2_feed_spare(f);
	ADD(DETAIL_SAMPLE, c.site, unwind, otf2_object(f->a, OBJECT_GENERATOR, generator));
}

static OTF2_CallbackCode on_Unknown(OTF2_HEAD)
{
	OTF2_BEGIN_INSIDE;
	builder_finding(f->b, FINDING_ODDITY, "record-unknown", 0,
			"an event of a kind that OTF2 3.0 does not know");
	return add(f, t, list, DETAIL_UNKNOWN, NULL, 0);
}

/* ---- all ---- */

#define SET(record) OTF2_EvtReaderCallbacks_Set##record##Callback(c, on_##record)

void otf2_details_callbacks(OTF2_EvtReaderCallbacks *c)
{
#define DETAIL(type, word, kind, record, ...) SET(record);
#include "model/trace/details.def"
	SET(OmpFork);
	SET(OmpJoin);
	SET(OmpAcquireLock);
	SET(OmpReleaseLock);
	SET(OmpTaskCreate);
	SET(OmpTaskSwitch);
	SET(OmpTaskComplete);
	SET(RmaCollectiveBegin);
	SET(RmaCollectiveEnd);
	SET(Metric);
	SET(ParameterString);
	SET(ProgramBegin);
	SET(CallingContextSample);
	SET(Unknown);
}
