/* The table of details and objects, and what a trace has of them. */
#include "model/trace/detail.h"

#include <assert.h>
#include <string.h>

#include "base/str.h"
#include "model/trace/store.h"

static const char *const lock_names[] = { "exclusive", "shared", NULL };
static const char *const paradigm_names[] = {
	"unknown",   "user",     "compiler",  "openmp",   "mpi",     "cuda",   "measurement",
	"pthread",   "hmpp",     "ompss",     "hardware", "gaspi",   "upc",    "shmem",
	"winthread", "qtthread", "acethread", "tbb",      "openacc", "opencl", "mtapi",
	"sampling",  "none",     "hip",       "kokkos",   NULL
};

static const char *const atomic_names[] = {
	"accumulate", "increment",     "test-and-set",        "compare-and-swap",
	"swap",       "fetch-and-add", "fetch-and-increment", "fetch-and-accumulate",
	NULL
};
static const char *const sync_names[] = { "memory", "notify-in", "notify-out", NULL };
static const char *const access_names[] = {
	"read", "write", "read-write", "execute", "search", NULL
};
static const char *const seek_names[] = { "start", "current", "end", "data", "hole", NULL };
static const char *const io_names[] = { "read", "write", "flush", NULL };
static const char *const operation_names[] = { "barrier",
					       "bcast",
					       "gather",
					       "gatherv",
					       "scatter",
					       "scatterv",
					       "allgather",
					       "allgatherv",
					       "alltoall",
					       "alltoallv",
					       "alltoallw",
					       "allreduce",
					       "reduce",
					       "reduce-scatter",
					       "scan",
					       "exscan",
					       "reduce-scatter-block",
					       "create-handle",
					       "destroy-handle",
					       "allocate",
					       "deallocate",
					       "create-handle-and-allocate",
					       "destroy-handle-and-deallocate",
					       NULL };
static const char *const group_names[] = { "unknown",        "locations",  "regions",   "metric",
					   "comm-locations", "comm-group", "comm-self", NULL };

#define ENUM(name, names)               \
	{                               \
		name, FIELD_ENUM, names \
	}
#define WINDOW                               \
	{                                    \
		"window", FIELD_OBJECT, NULL \
	}
#define REMOTE                             \
	{                                  \
		"remote", FIELD_RANK, NULL \
	}
#define MATCHING                             \
	{                                    \
		"matching", FIELD_UINT, NULL \
	}
#define HANDLE                               \
	{                                    \
		"handle", FIELD_OBJECT, NULL \
	}
#define LOCK_TYPE                              \
	{                                      \
		"type", FIELD_ENUM, lock_names \
	}
#define PARADIGM                                       \
	{                                              \
		"paradigm", FIELD_ENUM, paradigm_names \
	}
#define COMM(name)                     \
	{                              \
		name, FIELD_COMM, NULL \
	}
#define UINT(name)                     \
	{                              \
		name, FIELD_UINT, NULL \
	}
#define HEX(name)                     \
	{                             \
		name, FIELD_HEX, NULL \
	}
#define BYTES(name)                     \
	{                               \
		name, FIELD_BYTES, NULL \
	}

static const struct detail_info infos[DETAIL_TYPES] = {
	[DETAIL_THREAD_BEGIN] = { "thread-begin",
				  EV_THREAD_BEGIN,
				  2,
				  { COMM("comm"), UINT("sequence") } },
	[DETAIL_THREAD_END] = { "thread-end",
				EV_THREAD_END,
				2,
				{ COMM("comm"), UINT("sequence") } },
	[DETAIL_THREAD_CREATE] = { "thread-create",
				   EV_THREAD,
				   2,
				   { COMM("comm"), UINT("sequence") } },
	[DETAIL_THREAD_WAIT] = { "thread-wait", EV_THREAD, 2, { COMM("comm"), UINT("sequence") } },
	[DETAIL_THREAD_FORK] = { "thread-fork", EV_THREAD, 2, { PARADIGM, UINT("threads") } },
	[DETAIL_THREAD_JOIN] = { "thread-join", EV_THREAD, 1, { PARADIGM } },
	[DETAIL_TEAM_BEGIN] = { "team-begin", EV_THREAD, 1, { COMM("team") } },
	[DETAIL_TEAM_END] = { "team-end", EV_THREAD, 1, { COMM("team") } },
	[DETAIL_LOCK_ACQUIRE] = { "lock-acquire",
				  EV_THREAD,
				  3,
				  { PARADIGM, UINT("lock"), UINT("order") } },
	[DETAIL_LOCK_RELEASE] = { "lock-release",
				  EV_THREAD,
				  3,
				  { PARADIGM, UINT("lock"), UINT("order") } },
	[DETAIL_TASK_CREATE] = { "task-create",
				 EV_THREAD,
				 3,
				 { COMM("team"), UINT("creator"), UINT("generation") } },
	[DETAIL_TASK_SWITCH] = { "task-switch",
				 EV_THREAD,
				 3,
				 { COMM("team"), UINT("creator"), UINT("generation") } },
	[DETAIL_TASK_COMPLETE] = { "task-complete",
				   EV_THREAD,
				   3,
				   { COMM("team"), UINT("creator"), UINT("generation") } },
	[DETAIL_RMA_WIN_CREATE] = { "rma-win-create", EV_RMA, 1, { WINDOW } },
	[DETAIL_RMA_WIN_DESTROY] = { "rma-win-destroy", EV_RMA, 1, { WINDOW } },
	[DETAIL_RMA_COLLECTIVE_BEGIN] = { "rma-collective-begin", EV_RMA, 0, { { 0 } } },
	[DETAIL_RMA_COLLECTIVE_END] = { "rma-collective-end",
					EV_RMA,
					6,
					{ ENUM("operation", operation_names),
					  HEX("level"),
					  WINDOW,
					  { "root", FIELD_RANK, NULL },
					  BYTES("sent"),
					  BYTES("received") } },
	[DETAIL_RMA_GROUP_SYNC] = { "rma-group-sync",
				    EV_RMA,
				    3,
				    { HEX("level"), WINDOW, { "group", FIELD_OBJECT, NULL } } },
	[DETAIL_RMA_REQUEST_LOCK] = { "rma-request-lock",
				      EV_RMA,
				      4,
				      { WINDOW, REMOTE, UINT("lock"), LOCK_TYPE } },
	[DETAIL_RMA_ACQUIRE_LOCK] = { "rma-acquire-lock",
				      EV_RMA,
				      4,
				      { WINDOW, REMOTE, UINT("lock"), LOCK_TYPE } },
	[DETAIL_RMA_TRY_LOCK] = { "rma-try-lock",
				  EV_RMA,
				  4,
				  { WINDOW, REMOTE, UINT("lock"), LOCK_TYPE } },
	[DETAIL_RMA_RELEASE_LOCK] = { "rma-release-lock",
				      EV_RMA,
				      3,
				      { WINDOW, REMOTE, UINT("lock") } },
	[DETAIL_RMA_SYNC] = { "rma-sync", EV_RMA, 3, { WINDOW, REMOTE, ENUM("type", sync_names) } },
	[DETAIL_RMA_WAIT_CHANGE] = { "rma-wait-change", EV_RMA, 1, { WINDOW } },
	[DETAIL_RMA_PUT] = { "rma-put", EV_RMA, 4, { WINDOW, REMOTE, BYTES("bytes"), MATCHING } },
	[DETAIL_RMA_GET] = { "rma-get", EV_RMA, 4, { WINDOW, REMOTE, BYTES("bytes"), MATCHING } },
	[DETAIL_RMA_ATOMIC] = { "rma-atomic",
				EV_RMA,
				6,
				{ WINDOW, REMOTE, ENUM("type", atomic_names), BYTES("sent"),
				  BYTES("received"), MATCHING } },
	[DETAIL_RMA_OP_COMPLETE_BLOCKING] = { "rma-complete-blocking",
					      EV_RMA,
					      2,
					      { WINDOW, MATCHING } },
	[DETAIL_RMA_OP_COMPLETE_NON_BLOCKING] = { "rma-complete-non-blocking",
						  EV_RMA,
						  2,
						  { WINDOW, MATCHING } },
	[DETAIL_RMA_OP_TEST] = { "rma-test", EV_RMA, 2, { WINDOW, MATCHING } },
	[DETAIL_RMA_OP_COMPLETE_REMOTE] = { "rma-complete-remote",
					    EV_RMA,
					    2,
					    { WINDOW, MATCHING } },
	[DETAIL_METRIC] = { "metric",
			    EV_METRIC,
			    2,
			    { UINT("set"), { "values", FIELD_VALUES, NULL } } },
	[DETAIL_PARAMETER_STRING] = { "parameter-string",
				      EV_PARAMETER,
				      2,
				      { { "parameter", FIELD_OBJECT, NULL },
					{ "value", FIELD_STRING, NULL } } },
	[DETAIL_PARAMETER_INT] = { "parameter-int",
				   EV_PARAMETER,
				   2,
				   { { "parameter", FIELD_OBJECT, NULL },
				     { "value", FIELD_INT, NULL } } },
	[DETAIL_PARAMETER_UINT] = { "parameter-uint",
				    EV_PARAMETER,
				    2,
				    { { "parameter", FIELD_OBJECT, NULL }, UINT("value") } },
	[DETAIL_IO_CREATE_HANDLE] = { "io-create-handle",
				      EV_FILE,
				      4,
				      { HANDLE, ENUM("mode", access_names), HEX("creation"),
					HEX("status") } },
	[DETAIL_IO_DESTROY_HANDLE] = { "io-destroy-handle", EV_FILE, 1, { HANDLE } },
	[DETAIL_IO_DUPLICATE_HANDLE] = { "io-duplicate-handle",
					 EV_FILE,
					 3,
					 { { "old", FIELD_OBJECT, NULL },
					   { "new", FIELD_OBJECT, NULL },
					   HEX("status") } },
	[DETAIL_IO_SEEK] = { "io-seek",
			     EV_FILE,
			     4,
			     { HANDLE,
			       { "request", FIELD_INT, NULL },
			       ENUM("whence", seek_names),
			       BYTES("result") } },
	[DETAIL_IO_CHANGE_STATUS_FLAGS] = { "io-change-status",
					    EV_FILE,
					    2,
					    { HANDLE, HEX("status") } },
	[DETAIL_IO_DELETE_FILE] = { "io-delete-file",
				    EV_FILE,
				    2,
				    { { "paradigm", FIELD_OBJECT, NULL },
				      { "file", FIELD_OBJECT, NULL } } },
	[DETAIL_IO_BEGIN] = { "io-begin",
			      EV_FILE,
			      5,
			      { HANDLE, ENUM("mode", io_names), HEX("flags"), BYTES("bytes"),
				MATCHING } },
	[DETAIL_IO_TEST] = { "io-test", EV_FILE, 2, { HANDLE, MATCHING } },
	[DETAIL_IO_ISSUED] = { "io-issued", EV_FILE, 2, { HANDLE, MATCHING } },
	[DETAIL_IO_COMPLETE] = { "io-complete", EV_FILE, 3, { HANDLE, BYTES("bytes"), MATCHING } },
	[DETAIL_IO_CANCELLED] = { "io-cancelled", EV_FILE, 2, { HANDLE, MATCHING } },
	[DETAIL_IO_ACQUIRE_LOCK] = { "io-acquire-lock", EV_FILE, 2, { HANDLE, LOCK_TYPE } },
	[DETAIL_IO_RELEASE_LOCK] = { "io-release-lock", EV_FILE, 2, { HANDLE, LOCK_TYPE } },
	[DETAIL_IO_TRY_LOCK] = { "io-try-lock", EV_FILE, 2, { HANDLE, LOCK_TYPE } },
	[DETAIL_PROGRAM_BEGIN] = { "program-begin",
				   EV_OTHER,
				   2,
				   { { "program", FIELD_STRING, NULL },
				     { "arguments", FIELD_VALUES, NULL } } },
	[DETAIL_PROGRAM_END] = { "program-end", EV_OTHER, 1, { { "status", FIELD_INT, NULL } } },
	[DETAIL_COMM_CREATE] = { "comm-create", EV_OTHER, 1, { COMM("comm") } },
	[DETAIL_COMM_DESTROY] = { "comm-destroy", EV_OTHER, 1, { COMM("comm") } },
	[DETAIL_SAMPLE] = { "sample",
			    EV_OTHER,
			    3,
			    { { "site", FIELD_SITE, NULL },
			      UINT("unwound"),
			      { "generator", FIELD_OBJECT, NULL } } },
	[DETAIL_UNKNOWN] = { "unknown", EV_OTHER, 0, { { 0 } } },
	[OBJECT_PARAMETER] = { "parameter", EV_KINDS, 1, { UINT("type") } },
	[OBJECT_ATTRIBUTE] = { "attribute",
			       EV_KINDS,
			       2,
			       { { "description", FIELD_STRING, NULL }, UINT("type") } },
	[OBJECT_RMA_WINDOW] = { "window", EV_KINDS, 2, { COMM("comm"), HEX("flags") } },
	[OBJECT_GROUP] = { "group",
			   EV_KINDS,
			   4,
			   { ENUM("type", group_names),
			     PARADIGM,
			     HEX("flags"),
			     { "members", FIELD_VALUES, NULL } } },
	[OBJECT_IO_PARADIGM] = { "io-paradigm",
				 EV_KINDS,
				 3,
				 { { "identification", FIELD_STRING, NULL },
				   UINT("class"),
				   HEX("flags") } },
	[OBJECT_IO_FILE] = { "io-file", EV_KINDS, 2, { UINT("node"), UINT("directory") } },
	[OBJECT_IO_HANDLE] = { "io-handle",
			       EV_KINDS,
			       5,
			       { { "file", FIELD_OBJECT, NULL },
				 { "paradigm", FIELD_OBJECT, NULL },
				 HEX("flags"),
				 COMM("comm"),
				 { "parent", FIELD_OBJECT, NULL } } },
	[OBJECT_GENERATOR] = { "generator",
			       EV_KINDS,
			       5,
			       { { "description", FIELD_STRING, NULL },
				 UINT("mode"),
				 UINT("base"),
				 { "exponent", FIELD_INT, NULL },
				 UINT("period") } },
};

const struct detail_info *detail_info(enum detail_type type)
{
	assert((unsigned)type < DETAIL_TYPES);
	return &infos[type];
}

enum detail_type detail_find(const char *name, size_t length)
{
	for (int i = 0; i < DETAIL_TYPES; i++)
		if (strlen(infos[i].name) == length && memcmp(infos[i].name, name, length) == 0)
			return (enum detail_type)i;
	return DETAIL_TYPES;
}

/* ---- what a trace has ---- */

uint32_t trace_detail_count(const struct trace *trace)
{
	return (uint32_t)(trace->details.size / sizeof(struct detail));
}

const struct detail *trace_detail(const struct trace *trace, uint32_t id)
{
	assert(id < trace_detail_count(trace));
	return (const struct detail *)(const void *)trace->details.data + id;
}

bool trace_has_detail(const struct trace *trace, enum detail_type type)
{
	for (uint32_t i = 0, n = trace_detail_count(trace); i < n; i++)
		if (trace_detail(trace, i)->type == type)
			return true;
	return false;
}

const uint64_t *trace_detail_values(const struct trace *trace, const struct detail *detail)
{
	return (const uint64_t *)(const void *)trace->values.data + detail->first;
}

uint32_t trace_object_count(const struct trace *trace)
{
	return (uint32_t)trace->objects.n;
}

const struct object *trace_object(const struct trace *trace, uint32_t id)
{
	assert(id < trace->objects.n);
	return &trace->objects.data[id];
}

uint32_t trace_metric_count(const struct trace *trace)
{
	return (uint32_t)trace->metrics.n;
}

const struct metric *trace_metric(const struct trace *trace, uint32_t id)
{
	assert(id < trace->metrics.n);
	return &trace->metrics.data[id];
}

uint32_t trace_metric_set_count(const struct trace *trace)
{
	return (uint32_t)trace->metric_sets.n;
}

const struct metric_set *trace_metric_set(const struct trace *trace, uint32_t id)
{
	assert(id < trace->metric_sets.n);
	return &trace->metric_sets.data[id];
}

const struct event_attribute *trace_event_attributes(const struct trace *trace, uint32_t event,
						     uint32_t *n)
{
	size_t low = 0, high = trace->attributes.n;
	const struct event_attribute *first;

	*n = 0;
	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		if (trace->attributes.data[mid].event < event)
			low = mid + 1;
		else
			high = mid;
	}
	first = trace->attributes.data + low;
	while (low + *n < trace->attributes.n && first[*n].event == event)
		++*n;
	return first;
}

size_t trace_attribute_count(const struct trace *trace)
{
	return trace->attributes.n;
}

const struct event_attribute *trace_attribute(const struct trace *trace, size_t i)
{
	assert(i < trace->attributes.n);
	return &trace->attributes.data[i];
}

size_t trace_marker_count(const struct trace *trace)
{
	return trace->markers.n;
}

const struct marker *trace_marker(const struct trace *trace, size_t i)
{
	assert(i < trace->markers.n);
	return &trace->markers.data[i];
}

uint32_t trace_tree_node_count(const struct trace *trace)
{
	return (uint32_t)trace->tree.n;
}

const struct tree_node *trace_tree_node(const struct trace *trace, uint32_t id)
{
	assert(id < trace->tree.n);
	return &trace->tree.data[id];
}

uint32_t trace_process_count(const struct trace *trace)
{
	return (uint32_t)trace->processes.n;
}

const struct process *trace_process(const struct trace *trace, uint32_t id)
{
	assert(id < trace->processes.n);
	return &trace->processes.data[id];
}

/* ---- as text ---- */

static void add_name(const struct trace *trace, uint32_t string, struct str *out)
{
	const char *text = trace_string(trace, string);

	str_add_clean(out, text, strlen(text));
}

static void add_value(const struct trace *trace, const struct field_info *field, uint64_t value,
		      struct str *out)
{
	double number;
	unsigned names = 0;

	switch (field->kind) {
	case FIELD_INT:
	case FIELD_RANK:
	case FIELD_TICKS: str_add_fmt(out, "%lld", (long long)value); return;
	case FIELD_FLOAT:
		memcpy(&number, &value, sizeof number);
		str_add_fmt(out, "%g", number);
		return;
	case FIELD_HEX: str_add_fmt(out, "0x%llx", (unsigned long long)value); return;
	case FIELD_ENUM:
		while (field->names[names])
			names++;
		if (value < names)
			str_add(out, field->names[value]);
		else
			str_add_fmt(out, "%llu", (unsigned long long)value);
		return;
	case FIELD_STRING:
		if (value < trace_string_count(trace))
			add_name(trace, (uint32_t)value, out);
		return;
	case FIELD_REGION:
		if (value < trace_region_count(trace))
			add_name(trace, trace_region(trace, (uint32_t)value)->name, out);
		return;
	case FIELD_SITE:
		if (value < trace_site_count(trace))
			add_name(trace,
				 trace_region(trace, trace_site(trace, (uint32_t)value)->region)
					 ->name,
				 out);
		return;
	case FIELD_COMM:
		if (value < trace_comm_count(trace))
			add_name(trace, trace_comm(trace, (uint32_t)value)->name, out);
		else
			str_add(out, "none");
		return;
	case FIELD_LOCATION:
		if (value < trace_location_count(trace))
			add_name(trace, trace_location(trace, (uint32_t)value)->name, out);
		return;
	case FIELD_OBJECT:
		if (value < trace_object_count(trace))
			add_name(trace, trace_object(trace, (uint32_t)value)->name, out);
		else
			str_add(out, "none");
		return;
	case FIELD_UINT:
	case FIELD_BYTES:
	case FIELD_VALUES: str_add_fmt(out, "%llu", (unsigned long long)value); return;
	}
}

/* "PAPI_TOT_INS 1234" of a metric's values, scaled. */
static void add_metrics(const struct trace *trace, const uint64_t *values, uint32_t n,
			struct str *out)
{
	const struct metric_set *set;

	if (values[0] >= trace_metric_set_count(trace))
		return;
	set = trace_metric_set(trace, (uint32_t)values[0]);
	for (uint32_t i = 0; i + 1 < n && i < set->n; i++) {
		const struct metric *metric = trace_metric(trace, set->metrics[i]);
		const struct field_info field = { "", (enum field_kind)metric->value, NULL };
		str_add(out, i ? ", " : "");
		add_name(trace, metric->name, out);
		str_add(out, " ");
		add_value(trace, &field, values[i + 1], out);
		if (metric->exponent != 0)
			str_add_fmt(out, "*%u^%lld", metric->base, (long long)metric->exponent);
		if (metric->unit) {
			str_add(out, " ");
			add_name(trace, metric->unit, out);
		}
	}
}

/* ", window w0, bytes 8": the fields of a detail. */
static void add_fields(const struct trace *trace, const struct detail *detail, struct str *out)
{
	static const struct field_info string = { "", FIELD_STRING, NULL };
	const struct detail_info *info = detail_info((enum detail_type)detail->type);
	const uint64_t *values = trace_detail_values(trace, detail);

	for (uint32_t i = 0; i < detail->n; i++) {
		const struct field_info *field =
			&info->field[i < info->fields ? i : info->fields - 1];
		const bool more = field->kind == FIELD_VALUES;
		if (i < info->fields)
			str_add_fmt(out, "%s%s ", i ? ", " : "", field->name);
		else
			str_add(out, " ");
		add_value(trace, more && detail->type == DETAIL_PROGRAM_BEGIN ? &string : field,
			  values[i], out);
	}
}

void trace_detail_text(const struct trace *trace, uint32_t id, struct str *out)
{
	const struct detail *detail = trace_detail(trace, id);
	const uint64_t *values = trace_detail_values(trace, detail);

	if (detail->type == DETAIL_METRIC) {
		add_metrics(trace, values, detail->n, out);
		return;
	}
	str_add(out, detail_info((enum detail_type)detail->type)->name);
	if (detail->n > 0)
		str_add(out, " ");
	add_fields(trace, detail, out);
}

void trace_object_text(const struct trace *trace, uint32_t id, struct str *out)
{
	add_fields(trace, &trace_object(trace, id)->detail, out);
}

/* ---- attributes ---- */

/* Types of values as OTF2 numbers them. */
enum {
	TYPE_UINT64 = 4,
	TYPE_INT64 = 8,
	TYPE_DOUBLE = 10,
	TYPE_STRING = 11,
	TYPE_LOCATION = 13,
	TYPE_REGION = 14,
	TYPE_METRIC = 16,
	TYPE_COMM = 17,
	TYPE_SOURCE = 20, /* file << 32 | line */
	TYPE_CONTEXT = 21,
	TYPE_PROCESS = 25
};

static unsigned attribute_type(const struct trace *trace, const struct event_attribute *attribute)
{
	const struct detail *detail = &trace_object(trace, attribute->object)->detail;

	return detail->n > 1 ? (unsigned)trace_detail_values(trace, detail)[1] : 0;
}

enum field_kind attribute_kind(const struct trace *trace, const struct event_attribute *attribute)
{
	const unsigned type = attribute_type(trace, attribute);

	if (type <= TYPE_UINT64)
		return FIELD_UINT;
	if (type <= TYPE_INT64)
		return FIELD_INT;
	if (type <= TYPE_DOUBLE)
		return FIELD_FLOAT;
	switch (type) {
	case TYPE_STRING: return FIELD_STRING;
	case TYPE_LOCATION: return FIELD_LOCATION;
	case TYPE_REGION: return FIELD_REGION;
	case TYPE_COMM: return FIELD_COMM;
	case TYPE_CONTEXT: return FIELD_SITE;
	case TYPE_METRIC:
	case TYPE_SOURCE:
	case TYPE_PROCESS: return FIELD_HEX; /* no number that could be compared */
	default: return FIELD_OBJECT;
	}
}

static void add_attribute(const struct trace *trace, const struct event_attribute *a,
			  struct str *out)
{
	const struct field_info field = { "", attribute_kind(trace, a), NULL };
	const unsigned type = attribute_type(trace, a);

	add_name(trace, trace_object(trace, a->object)->name, out);
	str_add(out, " ");
	if (type == TYPE_SOURCE && a->value >> 32 < trace_string_count(trace)) {
		add_name(trace, (uint32_t)(a->value >> 32), out);
		str_add_fmt(out, ":%u", (uint32_t)a->value);
	} else if (type == TYPE_PROCESS && a->value < trace_process_count(trace)) {
		add_name(trace, trace_process(trace, (uint32_t)a->value)->name, out);
	} else {
		add_value(trace, &field, a->value, out);
	}
}

void trace_attributes_text(const struct trace *trace, uint32_t event, struct str *out)
{
	const struct event_attribute *a;
	uint32_t n;

	if (trace->attributes.n == 0)
		return;
	a = trace_event_attributes(trace, event, &n);
	for (uint32_t i = 0; i < n; i++) {
		str_add(out, i ? ", " : "");
		add_attribute(trace, &a[i], out);
	}
}
