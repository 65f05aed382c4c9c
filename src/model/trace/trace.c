/* The trace's definitions, findings and side tables: everything but events and messages. */
#include "model/trace/trace.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/path.h"
#include "base/str.h"
#include "model/trace/halo.h"
#include "model/trace/record_type.h"
#include "model/trace/store.h"

void store_slabs_init(struct trace *trace)
{
#define SLAB(field, row, name, bits) slab_init(&trace->field, (size_t)1 << (bits));
#include "model/trace/trace_tables.def"
}

void store_slabs_join(struct trace *trace, struct slab_pool *pool)
{
#define SLAB(field, ...) slab_join(&trace->field, pool);
#include "model/trace/trace_tables.def"
}

struct trace *store_new(const char *path, const struct timescale *scale, struct err *err)
{
	struct trace *trace = xcalloc(1, sizeof *trace);

	pthread_mutex_init(&trace->kept_lock, NULL);
	trace->path = xstrdup(path);
	trace->scale = *scale;
	store_slabs_init(trace);
	column_init(&trace->columns[BASE_MEASURED], NULL);
	if (!strings_init(&trace->strings, err)) {
		trace_free(trace);
		return NULL;
	}
	trace->columns[BASE_MEASURED].made = true;
	vec_push(&trace->paths, ((struct callpath){ 0, 0, 0, 0 }));
	vec_push(&trace->comms, ((struct comm){ .parent = UINT32_MAX })); /* the world */
	return trace;
}

static void tables_free(struct trace *trace)
{
	const struct comm *comm;
	const struct topology *topology;
	const struct metric_set *set;

	vec_each (set, &trace->metric_sets)
		free((void *)(uintptr_t)set->metrics);
	vec_each (comm, &trace->comms) {
		free_all((void *)(uintptr_t)comm->ranks, (void *)(uintptr_t)comm->remote);
	}
	vec_each (topology, &trace->topologies) {
		free_all((void *)(uintptr_t)topology->size, (void *)(uintptr_t)topology->periodic,
			 (void *)(uintptr_t)topology->coords);
	}
	strings_fini(&trace->strings);
	free(trace->offset_of);
	keymap_fini(&trace->rank_location);
	vec_fini(&trace->records);
#define TABLE(field, ...) vec_fini(&trace->field);
#define OWNER             TABLE
#define SLAB(field, ...)  slab_fini(&trace->field);
#include "model/trace/trace_tables.def"
}

bool trace_is_unchanged(const struct trace *trace, struct err *err)
{
	return !trace->cache || trace->cache_is_unchanged(trace->cache, err);
}

void trace_free(struct trace *trace)
{
	struct block_ids *list;
	struct kept *kept;

	if (!trace)
		return;
	tables_free(trace);
	vec_each (list, &trace->lists)
		vec_fini(list);
	vec_fini(&trace->lists);
	for (int base = 0; base < BASE_COUNT; base++) {
		column_fini(&trace->columns[base]);
		order_fini(&trace->message_order[base]);
		order_fini(&trace->collective_order[base]);
		if (trace->drop_sums)
			trace->drop_sums(trace, (enum time_base)base);
	}
	vec_each (kept, &trace->kept)
		kept_free(kept);
	vec_fini(&trace->kept);
	pthread_mutex_destroy(&trace->kept_lock);
	vec_fini(&trace->extras.rows);
	vec_fini(&trace->time_texts.rows);
	halo_free(trace->halo);
	slab_pool_free(trace->pool);
	if (trace->cache)
		trace->free_cache(trace->cache); /* last: tables may be in the file */
	free_all(trace->path, trace->name, trace);
}

/* ---- definitions ---- */

struct exchange *trace_exchange(const struct trace *trace)
{
	return trace->exchange;
}

const char *trace_path(const struct trace *trace)
{
	return trace->path;
}

void trace_add_name(const struct trace *trace, struct str *out)
{
	size_t n;
	const char *name = path_trace_name(trace->path, &n);

	if (trace->name)
		str_add_clean_text(out, trace->name);
	else
		str_add_clean(out, name, n);
}

void trace_add_path(const struct trace *trace, struct str *out)
{
	str_add_clean_text(out, trace->name ? trace->name : trace->path);
}

const struct timescale *trace_scale(const struct trace *trace)
{
	return &trace->scale;
}

const char *trace_string(const struct trace *trace, uint32_t id)
{
	assert(id < trace->strings.start.n);
	return strings_get(&trace->strings, id);
}

const struct partial *trace_partial(const struct trace *trace)
{
	return &trace->partial;
}

uint32_t trace_string_count(const struct trace *trace)
{
	return (uint32_t)trace->strings.start.n;
}

/* trace_NAME_count() and trace_NAME() of every table. */
#define TABLE(field, row, name, number)                                      \
	number trace_##name##_count(const struct trace *trace)               \
	{                                                                    \
		return (number)trace->field.n;                               \
	}                                                                    \
	const struct row *trace_##name(const struct trace *trace, number id) \
	{                                                                    \
		assert(id < trace->field.n);                                 \
		return &trace->field.data[id];                               \
	}
#define OWNER TABLE
#include "model/trace/trace_tables.def"

const char *trace_region_name(const struct trace *trace, uint32_t id)
{
	return trace_string(trace, trace_region(trace, id)->name);
}

uint32_t trace_callpath_region(const struct trace *trace, uint32_t id)
{
	assert(id != 0);
	return trace_site(trace, trace_callpath(trace, id)->site)->region;
}

enum region_class trace_callpath_class(const struct trace *trace, uint32_t id)
{
	if (id == 0)
		return CLASS_USER;
	return (enum region_class)trace_region(trace, trace_callpath_region(trace, id))->cls;
}

void trace_callpath_text(const struct trace *trace, uint32_t id, struct str *out)
{
	const uint32_t depth = trace_callpath(trace, id)->depth;
	const uint32_t n = depth < CALLPATH_LEVELS ? depth : CALLPATH_LEVELS;
	uint32_t names[CALLPATH_LEVELS];

	for (uint32_t i = n; i-- > 0; id = trace_callpath(trace, id)->parent)
		names[i] = trace_callpath_region(trace, id);
	if (n < depth)
		str_add(out, "... > ");
	for (uint32_t i = 0; i < n; i++) {
		const char *name = trace_region_name(trace, names[i]);
		if (i > 0)
			str_add(out, " > ");
		str_add_clean(out, name, strlen(name));
	}
}

void rank_name(int32_t rank, const char *unknown, struct str *out)
{
	if (rank == RANK_HOST)
		str_add(out, "host");
	else if (rank == RANK_UNKNOWN)
		str_add(out, unknown);
	else
		str_add_fmt(out, "rank %d", rank);
}

void location_default_name(const struct location *location, uint32_t id, struct str *out)
{
	if (location->rank == RANK_UNKNOWN)
		str_add_fmt(out, "location %u", id);
	else
		rank_name(location->rank, "", out);
	if (location->thread > 0 && location->rank != RANK_UNKNOWN)
		str_add_fmt(out, " thread %d", location->thread);
}

uint32_t trace_location_of_rank(const struct trace *trace, int32_t rank)
{
	const uint32_t *found = keymap_find(&trace->rank_location, KEY_OF((uint32_t)rank));

	return found ? *found : UINT32_MAX;
}

uint32_t trace_state_locations(const struct trace *trace)
{
	uint32_t n = 0;

	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		n += location_has_states(trace_location(trace, l));
	return n;
}

const char *trace_property_value(const struct trace *trace, const char *key)
{
	const struct property *p;

	vec_each (p, &trace->properties)
		if (strcmp(trace_string(trace, p->key), key) == 0)
			return trace_string(trace, p->value);
	return NULL;
}

const char *trace_live(const struct trace *trace)
{
	return trace_property_value(trace, "live");
}

/* ---- side tables ---- */

uint32_t trace_record_count(const struct trace *trace)
{
	return (uint32_t)trace->records.n;
}

const struct record *trace_record(const struct trace *trace, uint32_t id)
{
	assert(id < trace->records.n);
	return &trace->records.data[id];
}

uint64_t trace_io_bytes(const struct trace *trace, uint32_t id)
{
	const struct record *record = trace_record(trace, id);
	const char *text = trace_string(trace, record->text);
	uint64_t bytes = 0;

	/* A record with one integer; PICL's own file records carry descriptors and names. */
	if (record->rectype != REC_IO || strncmp(text, "1 2 ", 4) != 0)
		return UINT64_MAX;
	text += 4;
	if (*text < '0' || *text > '9' || strlen(text) > 18)
		return UINT64_MAX;
	for (; *text >= '0' && *text <= '9'; text++)
		bytes = 10 * bytes + (uint64_t)(*text - '0');
	return *text ? UINT64_MAX : bytes;
}

static bool text_of(const struct event_texts *texts, uint32_t event, uint32_t *string)
{
	size_t low = 0, high = texts->rows.n;

	BISECT(low, high, mid, texts->rows.data[mid].event < event);
	if (low == texts->rows.n || texts->rows.data[low].event != event)
		return false;
	*string = texts->rows.data[low].text;
	return true;
}

bool trace_has_texts(const struct trace *trace)
{
	return trace->extras.rows.n || trace->time_texts.rows.n;
}

bool trace_event_extra_string(const struct trace *trace, uint32_t event, uint32_t *string)
{
	return text_of(&trace->extras, event, string);
}

bool trace_event_time_string(const struct trace *trace, uint32_t event, uint32_t *string)
{
	return text_of(&trace->time_texts, event, string);
}

const char *trace_event_extra(const struct trace *trace, uint32_t event)
{
	uint32_t string;

	return text_of(&trace->extras, event, &string) ? trace_string(trace, string) : NULL;
}

const char *trace_event_time_text(const struct trace *trace, uint32_t event)
{
	uint32_t string;

	return text_of(&trace->time_texts, event, &string) ? trace_string(trace, string) : NULL;
}

/* ---- findings ---- */

static uint64_t first_line(const struct finding *f)
{
	return f->lines[0] ? f->lines[0] : UINT64_MAX;
}

/* Merges two lists of lines, each in order, 0 after the last. */
static void merge_lines(uint64_t *to, const uint64_t *from)
{
	enum { LINES = sizeof((struct finding *)0)->lines / sizeof(uint64_t) };
	uint64_t all[LINES] = { 0 };
	size_t a = 0, b = 0;

	for (size_t i = 0; i < LINES; i++) {
		const uint64_t x = a < LINES ? to[a] : 0, y = b < LINES ? from[b] : 0;
		const bool first = y == 0 || (x != 0 && x <= y);
		all[i] = first ? x : y;
		a += first;
		b += !first;
	}
	memcpy(to, all, sizeof all);
}

static struct finding *find_finding(struct trace *trace, enum finding_kind kind, const char *code)
{
	struct finding *f;

	vec_each (f, &trace->findings)
		if (f->kind == kind && strcmp(f->code, code) == 0)
			return f;
	return NULL;
}

void store_finding_join(struct trace *trace, const struct finding *finding)
{
	struct finding *f = find_finding(trace, finding->kind, finding->code);

	if (!f) {
		vec_push(&trace->findings, *finding);
		return;
	}
	/* The sentence of the earliest finding is kept. */
	if (first_line(finding) < first_line(f) ||
	    (first_line(finding) == first_line(f) && strcmp(finding->text, f->text) < 0))
		memcpy(f->text, finding->text, sizeof f->text);
	merge_lines(f->lines, finding->lines);
	f->count += finding->count;
}

void store_finding(struct trace *trace, enum finding_kind kind, const char *code, uint64_t line,
		   uint64_t count, const char *text)
{
	struct finding f = { .kind = kind, .count = count, .lines = { line } };
	struct finding *known;

	if (count == 0)
		return;
	known = find_finding(trace, kind, code);
	if (known && line == 0) {
		known->count += count;
		return;
	}
	snprintf(f.code, sizeof f.code, "%s", code);
	str_clean(f.text, sizeof f.text, text, strlen(text));
	store_finding_join(trace, &f);
}

void store_finding_withdraw(struct trace *trace, enum finding_kind kind, const char *code,
			    uint64_t count)
{
	struct finding *f = find_finding(trace, kind, code);

	if (!f)
		return;
	f->count -= count < f->count ? count : f->count;
	if (f->count == 0) {
		memmove(f, f + 1,
			(size_t)(trace->findings.data + trace->findings.n - f - 1) * sizeof *f);
		trace->findings.n--;
	}
}

static int by_first_line(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	ORDER_BY(first_line(x), first_line(y));
	return strcmp(x->code, y->code) ? strcmp(x->code, y->code) : (int)x->kind - (int)y->kind;
}

void store_finding_sort(struct trace *trace)
{
	vec_sort(&trace->findings, by_first_line);
}

uint64_t trace_finding_sum(const struct trace *trace, enum finding_kind kind)
{
	const struct finding *f;
	uint64_t sum = 0;

	vec_each (f, &trace->findings)
		if (f->kind == kind)
			sum += f->count;
	return sum;
}
