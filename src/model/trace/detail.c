/* The table of details and objects, and what a trace has of them. */
#include "model/trace/detail.h"

#include <assert.h>
#include <string.h>

#include "base/exchange.h"
#include "base/fields.h"
#include "base/order.h"
#include "base/str.h"
#include "model/trace/store.h"

#define NAMES(...)                \
	{                         \
		__VA_ARGS__, NULL \
	}

static const char *const lock_names[] = NAMES("exclusive", "shared");
static const char *const paradigm_names[] =
	NAMES("unknown", "user", "compiler", "openmp", "mpi", "cuda", "measurement", "pthread",
	      "hmpp", "ompss", "hardware", "gaspi", "upc", "shmem", "winthread", "qtthread",
	      "acethread", "tbb", "openacc", "opencl", "mtapi", "sampling", "none", "hip",
	      "kokkos");
static const char *const atomic_names[] =
	NAMES("accumulate", "increment", "test-and-set", "compare-and-swap", "swap",
	      "fetch-and-add", "fetch-and-increment", "fetch-and-accumulate");
static const char *const sync_names[] = NAMES("memory", "notify-in", "notify-out");
static const char *const access_names[] = NAMES("read", "write", "read-write", "execute", "search");
static const char *const seek_names[] = NAMES("start", "current", "end", "data", "hole");
static const char *const io_names[] = NAMES("read", "write", "flush");
static const char *const operation_names[] =
	NAMES("barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather",
	      "allgatherv", "alltoall", "alltoallv", "alltoallw", "allreduce", "reduce",
	      "reduce-scatter", "scan", "exscan", "reduce-scatter-block", "create-handle",
	      "destroy-handle", "allocate", "deallocate", "create-handle-and-allocate",
	      "destroy-handle-and-deallocate");
static const char *const group_names[] = NAMES("unknown", "locations", "regions", "metric",
					       "comm-locations", "comm-group", "comm-self");

static const char *const domain_names[] =
	NAMES("machine", "shared-memory", "numa", "socket", "cache", "core", "pu",
	      "accelerator-device", "networking-device");

/* How each sort of field is shown: its kind, and names for its numbers. */
#define SHOWN_ACCESS      FIELD_ENUM, access_names
#define SHOWN_ATOMIC_TYPE FIELD_ENUM, atomic_names
#define SHOWN_BYTES       FIELD_BYTES, NULL
#define SHOWN_CALLPATH    FIELD_OBJECT, NULL
#define SHOWN_COMM        FIELD_COMM, NULL
#define SHOWN_COUNT       FIELD_UINT, NULL
#define SHOWN_COUNT64     FIELD_UINT, NULL
#define SHOWN_DOMAIN      FIELD_ENUM, domain_names
#define SHOWN_FILE        FIELD_OBJECT, NULL
#define SHOWN_FLAGS       FIELD_HEX, NULL
#define SHOWN_GENERATOR   FIELD_OBJECT, NULL
#define SHOWN_GROUP       FIELD_OBJECT, NULL
#define SHOWN_GROUP_TYPE  FIELD_ENUM, group_names
#define SHOWN_HANDLE      FIELD_OBJECT, NULL
#define SHOWN_INT         FIELD_INT, NULL
#define SHOWN_IO_MODE     FIELD_ENUM, io_names
#define SHOWN_IO_PARADIGM FIELD_OBJECT, NULL
#define SHOWN_LOCATION    FIELD_LOCATION, NULL
#define SHOWN_LOCK_TYPE   FIELD_ENUM, lock_names
#define SHOWN_OPERATION   FIELD_ENUM, operation_names
#define SHOWN_PARADIGM    FIELD_ENUM, paradigm_names
#define SHOWN_PARAMETER   FIELD_OBJECT, NULL
#define SHOWN_REGION      FIELD_REGION, NULL
#define SHOWN_REMOTE      FIELD_RANK, NULL
#define SHOWN_SEEK        FIELD_ENUM, seek_names
#define SHOWN_SITE        FIELD_SITE, NULL
#define SHOWN_STRING      FIELD_STRING, NULL
#define SHOWN_SYNC_TYPE   FIELD_ENUM, sync_names
#define SHOWN_VALUES      FIELD_VALUES, NULL
#define SHOWN_WINDOW      FIELD_OBJECT, NULL

#define SHOW(i, sort, name) { #name, SHOWN_##sort },
#define SHOWN(kind, word, ...)                         \
	{                                              \
		word, kind, FIELDS_COUNT(__VA_ARGS__), \
		{                                      \
			FIELDS_EACH(SHOW, __VA_ARGS__) \
		}                                      \
	}

static const struct detail_info infos[DETAIL_TYPES] = {
#define DETAIL(type, word, kind, record, ...) [DETAIL_##type] = SHOWN(kind, word, __VA_ARGS__),
#define SPECIAL(type, word, kind, ...)        [DETAIL_##type] = SHOWN(kind, word, __VA_ARGS__),
#define BARE(type, word, kind)                [DETAIL_##type] = { word, kind, 0, { { 0 } } },
#define OBJECT(type, word, ...)               [OBJECT_##type] = SHOWN(EV_KINDS, word, __VA_ARGS__),
#include "model/trace/details.def"
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

/* ---- details that a trace has ---- */

uint32_t trace_detail_count(const struct trace *trace)
{
	return store_detail_count(trace);
}

const struct detail *trace_detail(const struct trace *trace, uint32_t id)
{
	assert(id < trace_detail_count(trace));
	return store_detail(trace, id);
}

bool trace_has_detail(const struct trace *trace, enum detail_type type)
{
	bool has = false;

	for (uint32_t i = 0, n = trace_detail_count(trace); i < n && !has; i++)
		has = trace_detail(trace, i)->type == type;
	return exchange_any(trace->exchange, has);
}

const uint64_t *trace_detail_values(const struct trace *trace, const struct detail *detail)
{
	return store_value(trace, detail->first);
}

bool detail_is_text(const struct detail *detail, uint32_t i)
{
	const struct detail_info *info = detail_info((enum detail_type)detail->type);

	if (i < info->fields && info->field[i].kind != FIELD_VALUES)
		return info->field[i].kind == FIELD_STRING;
	return detail->type == DETAIL_PROGRAM_BEGIN;
}

bool detail_is_site(const struct detail *detail, uint32_t i)
{
	const struct detail_info *info = detail_info((enum detail_type)detail->type);

	return i < info->fields && info->field[i].kind == FIELD_SITE;
}

const struct event_attribute *trace_event_attributes(const struct trace *trace, uint32_t event,
						     uint32_t *n)
{
	size_t at = 0;

	return trace_next_attributes(trace, event, &at, n);
}

const struct event_attribute *trace_next_attributes(const struct trace *trace, uint32_t event,
						    size_t *at, uint32_t *n)
{
	const struct event_attribute *rows = trace->attributes.data;
	const size_t all = trace->attributes.n;
	size_t low = *at, high = all;

	*n = 0;
	if (low > 0 && rows[low - 1].event >= event)
		low = 0;
	if (low < all && rows[low].event < event)
		BISECT(low, high, mid, rows[mid].event < event);
	while (low + *n < all && rows[low + *n].event == event)
		++*n;
	*at = low;
	return all ? rows + low : NULL;
}

const struct event_attribute *trace_event_attribute(const struct trace *trace, uint32_t event,
						    const char *name)
{
	uint32_t n;
	const struct event_attribute *a = trace_event_attributes(trace, event, &n);

	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(trace_string(trace, trace_object(trace, a[i].object)->name), name))
			return &a[i];
	return NULL;
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
	case FIELD_RANK:
		if ((int64_t)value == RANK_UNKNOWN) {
			str_add(out, "unknown");
			return;
		}
		/* fall through */
	case FIELD_INT:
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

/* Types of values, numbered as in OTF2. */
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
	case TYPE_PROCESS: return FIELD_HEX; /* comparing these numbers makes no sense */
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

static uint32_t program_of(uint32_t *program, uint32_t location)
{
	while (program[location] != location)
		location = program[location] = program[program[location]];
	return location;
}

/* The first one is that of both. */
static void join_programs(uint32_t *program, uint32_t a, uint32_t b)
{
	a = program_of(program, a);
	b = program_of(program, b);
	if (a < b)
		program[b] = a;
	else
		program[a] = b;
}

void trace_programs(const struct trace *trace, uint32_t *program)
{
	const uint32_t n = trace_location_count(trace), processes = trace_process_count(trace);
	OWNED uint32_t *first = xmalloc(((size_t)processes + 1) * sizeof *first);

	memset(first, 0xff, ((size_t)processes + 1) * sizeof *first);
	for (uint32_t l = 0; l < n; l++)
		program[l] = l;
	for (uint32_t l = 0; l < n; l++) {
		const struct location *location = trace_location(trace, l);
		const uint32_t process = location_program(trace, location);
		if (process != UINT32_MAX && first[process] == UINT32_MAX)
			first[process] = l;
		if (process != UINT32_MAX)
			join_programs(program, l, first[process]);
		if (location->rank != RANK_UNKNOWN)
			join_programs(program, l, trace_location_of_rank(trace, location->rank));
	}
	for (uint32_t l = 0; l < n; l++)
		program[l] = program_of(program, l);
}
