/* Definitions, and the steps from appended events to a finished trace. */
#include "model/build/builder.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/timesort.h"
#include "model/build/build.h"

enum { RECVS_RESERVE_BITS = 32, PARTS_RESERVE_BITS = 33 };

struct builder *builder_new(const char *path, const struct timescale *scale, struct err *err)
{
	struct builder *b = xcalloc(1, sizeof *b);

	requests_init(&b->requests);
	b->trace = store_new(path, scale, err);
	b->home = b->trace;
	pthread_mutex_init(&b->growing, NULL);
	if (!b->trace || !slab_init(&b->recvs, (size_t)1 << RECVS_RESERVE_BITS, err) ||
	    !slab_init(&b->parts, (size_t)1 << PARTS_RESERVE_BITS, err)) {
		builder_abandon(b);
		return NULL;
	}
	return b;
}

void builder_use_pool(struct builder *b, struct slab_pool *pool)
{
	if (!pool)
		return;
	store_use_pool(b->trace, pool);
	slab_join(&b->recvs, pool);
	slab_join(&b->parts, pool);
}

static void matching_free(struct builder *b)
{
	slab_fini(&b->recvs);
	slab_fini(&b->parts);
	vec_fini(&b->refs);
	requests_fini(&b->requests);
	vec_fini(&b->tally);
	free(b->send_order);
	free(b->recv_order);
}

/* What a child appended goes with it. */
static void leave_parent(const struct builder *child)
{
	child->parent->children--;
	for (size_t l = 0; l < child->tails.n; l++)
		if (child->tails.data[l].block)
			child->home->lists.data[l].n = 0;
}

void builder_abandon(struct builder *b)
{
	if (!b)
		return;
	if (b->parent)
		leave_parent(b);
	matching_free(b);
	vec_fini(&b->tails);
	vec_fini(&b->topology_rows);
	keymap_fini(&b->regions);
	keymap_fini(&b->sites);
	keymap_fini(&b->locations);
	keymap_fini(&b->pairs);
	trace_free(b->trace);
	pthread_mutex_destroy(&b->growing);
	free(b);
}

bool builder_failed(const struct builder *b)
{
	return b->err.status != 0;
}

/* ---- definitions ---- */

uint32_t builder_string(struct builder *b, const char *text, size_t length)
{
	uint32_t id = UINT32_MAX;

	/* A child's own texts are numbered behind those of the parent, which do not change. */
	if (b->parent)
		id = strings_find(&b->home->strings, text, length);
	if (id != UINT32_MAX)
		return id;
	id = strings_add(&b->trace->strings, text, length, &b->err);
	return id == UINT32_MAX ? 0 : id + b->strings_before;
}

/* A number for two numbers, of which a key has no room for all. */
static uint32_t pair_id(struct builder *b, uint32_t first, uint32_t second)
{
	uint32_t *id = keymap_add(&b->pairs, (struct key){ { first, second } });

	if (*id == UINT32_MAX)
		*id = b->pairs_n++;
	return *id;
}

uint32_t builder_region(struct builder *b, const char *name, enum region_class cls, int32_t picl)
{
	const uint32_t text = builder_string(b, name, strlen(name));
	uint32_t *id = keymap_add(&b->regions, (struct key){ { text, (uint32_t)cls } });

	if (*id == UINT32_MAX) {
		*id = (uint32_t)b->trace->regions.n;
		vec_push(&b->trace->regions,
			 ((struct region){ .name = text, .picl = picl, .cls = (uint8_t)cls }));
	}
	return *id;
}

void builder_region_source(struct builder *b, uint32_t region, const char *file, uint32_t line)
{
	assert(region < b->trace->regions.n);
	b->trace->regions.data[region].file = builder_string(b, file, strlen(file));
	b->trace->regions.data[region].line = line;
}

uint32_t build_site(struct builder *b, struct site site)
{
	uint32_t *id = keymap_add(&b->sites, (struct key){ { site.region, site.file, site.line,
							     (uint32_t)site.picl } });

	if (*id == UINT32_MAX) {
		*id = (uint32_t)b->trace->sites.n;
		vec_push(&b->trace->sites, site);
	}
	return *id;
}

uint32_t builder_site(struct builder *b, uint32_t region, uint32_t file, uint32_t line,
		      int32_t picl)
{
	assert(region < b->trace->regions.n);
	if (b->trace->sites.n >= ID_NONE) {
		err_set(&b->err, STATUS_IO, "%s has more call sites than tview can hold (2^27)",
			b->trace->path);
		return 0;
	}
	return build_site(b, (struct site){ region, file, line, picl });
}

uint32_t builder_site_region(const struct builder *b, uint32_t site)
{
	assert(site < b->trace->sites.n);
	return b->trace->sites.data[site].region;
}

static uint32_t location_name(struct builder *b, const struct location *location, uint32_t id)
{
	struct str text = STR_INIT;
	uint32_t name;

	location_default_name(location, id, &text);
	name = builder_string(b, text.text, text.n);
	str_fini(&text);
	return name;
}

/* Without a rank nothing but the source's id tells two locations apart. */
static struct key location_key(struct builder *b, const struct location *l)
{
	uint32_t source = 0;

	if (l->rank == RANK_UNKNOWN)
		source = 1 + pair_id(b, (uint32_t)(l->source_id >> 32), (uint32_t)l->source_id);
	return (struct key){ { (uint32_t)l->rank, (uint32_t)l->process, (uint32_t)l->thread,
			       source } };
}

uint32_t builder_location(struct builder *b, const struct location *location)
{
	uint32_t *id = keymap_add(&b->locations, location_key(b, location));
	struct location *l;
	struct tail *tail;

	if (*id != UINT32_MAX)
		return *id;
	*id = (uint32_t)b->trace->locations.n;
	l = vec_add(&b->trace->locations);
	l->name = location->name ? location->name : location_name(b, location, *id);
	l->rank = location->rank;
	l->process = location->process;
	l->thread = location->thread;
	l->node = location->node;
	l->source_name = location->source_name;
	l->owner = UINT32_MAX;
	l->source_id = location->source_id;
	vec_add(&b->trace->lists);
	tail = vec_add(&b->tails);
	tail->last = INT64_MIN;
	tail->part = UINT32_MAX;
	return *id;
}

void builder_location_node(struct builder *b, uint32_t location, uint32_t node)
{
	assert(location < b->trace->locations.n);
	b->trace->locations.data[location].node = node;
}

static const void *copy(const void *data, size_t size)
{
	return data && size > 0 ? memcpy(xmalloc(size), data, size) : NULL;
}

uint32_t builder_comm(struct builder *b, const char *name, const int32_t *ranks, uint32_t size,
		      int32_t picl_subset)
{
	const struct comm comm = { .name = builder_string(b, name, strlen(name)),
				   .size = size,
				   .ranks = copy(ranks, size * sizeof *ranks),
				   .picl_subset = picl_subset,
				   .parent = UINT32_MAX };

	vec_push(&b->trace->comms, comm);
	return (uint32_t)b->trace->comms.n - 1;
}

/* Coordinates for `rows` members, where there were some for `before`: what nobody gave is -1. */
static void topology_fit(struct topology *t, uint32_t before, uint32_t rows)
{
	const size_t had = (size_t)before * t->dims, wanted = (size_t)rows * t->dims;
	int32_t *coords = xrealloc((void *)(uintptr_t)t->coords, (wanted + 1) * sizeof *coords);

	for (size_t i = had; i < wanted; i++)
		coords[i] = -1;
	t->coords = coords;
}

void builder_world(struct builder *b, const int32_t *ranks, uint32_t size)
{
	struct comm *world = &b->trace->comms.data[0];

	free((void *)(uintptr_t)world->ranks);
	world->ranks = copy(ranks, size * sizeof *ranks);
	world->size = size;
	b->world_given = true;
	for (size_t i = 0; i < b->trace->topologies.n; i++) {
		if (b->trace->topologies.data[i].comm != 0)
			continue;
		topology_fit(&b->trace->topologies.data[i], b->topology_rows.data[i], size);
		b->topology_rows.data[i] = size;
	}
}

void builder_topology(struct builder *b, const struct topology *topology, uint32_t rows)
{
	struct topology t = *topology;
	uint32_t members;

	assert(t.comm < b->trace->comms.n);
	members = b->trace->comms.data[t.comm].size;
	rows = t.coords ? rows : 0;
	t.size = copy(t.size, t.dims * sizeof *t.size);
	t.periodic = copy(t.periodic, t.dims * sizeof *t.periodic);
	t.coords = copy(t.coords, (size_t)rows * t.dims * sizeof *t.coords);
	/* The world may not be known yet: what was given is kept until it is. */
	topology_fit(&t, rows, rows > members ? rows : members);
	vec_push(&b->topology_rows, rows > members ? rows : members);
	vec_push(&b->trace->topologies, t);
}

void builder_offset(struct builder *b, const struct offset *offset)
{
	assert(offset->location < b->trace->locations.n);
	/* What is beyond 2^61 ticks is no clock's: it is left out, so that the interpolation cannot
	 * overflow. */
	if (offset->offset > TIME_LIMIT / 2 || offset->offset < -TIME_LIMIT / 2 ||
	    offset->time > TIME_LIMIT || offset->time < -TIME_LIMIT)
		store_finding(b->trace, FINDING_DAMAGE, "offset-out-of-range", 0, 1,
			      "a clock offset is too large to be true: it was left out");
	else
		vec_push(&b->trace->offsets, *offset);
}

void builder_property(struct builder *b, const char *key, const char *value)
{
	const struct property property = { builder_string(b, key, strlen(key)),
					   builder_string(b, value, strlen(value)) };

	vec_push(&b->trace->properties, property);
}

void builder_property_define(struct builder *b, const struct property *property)
{
	vec_push(&b->trace->properties, *property);
}

void builder_loose(struct builder *b, int64_t time, uint64_t line, const char *text, size_t length)
{
	const struct loose_record loose = { time, builder_string(b, text, length), line };

	vec_push(&b->trace->loose, loose);
}

void builder_finding(struct builder *b, enum finding_kind kind, const char *code, uint64_t line,
		     const char *text)
{
	store_finding(b->trace, kind, code, line, 1, text);
}

uint32_t builder_region_define(struct builder *b, const struct region *region)
{
	const uint32_t place = pair_id(b, region->file, region->line);
	const uint32_t kind = pair_id(b, region->cls, (uint32_t)region->picl);
	uint32_t *id = keymap_add(&b->regions, (struct key){ { region->name, kind, place, 1 } });

	if (*id == UINT32_MAX) {
		*id = (uint32_t)b->trace->regions.n;
		vec_push(&b->trace->regions, *region);
	}
	return *id;
}

uint32_t builder_comm_define(struct builder *b, const struct comm *comm)
{
	struct comm c = *comm;

	c.ranks = copy(c.ranks, c.size * sizeof *c.ranks);
	c.remote = copy(c.remote, c.remote_size * sizeof *c.remote);
	vec_push(&b->trace->comms, c);
	return (uint32_t)b->trace->comms.n - 1;
}

uint32_t builder_tree_node(struct builder *b, const struct tree_node *node)
{
	assert(node->parent == UINT32_MAX || node->parent < b->trace->tree.n);
	vec_push(&b->trace->tree, *node);
	return (uint32_t)b->trace->tree.n - 1;
}

uint32_t builder_process(struct builder *b, const struct process *process)
{
	vec_push(&b->trace->processes, *process);
	return (uint32_t)b->trace->processes.n - 1;
}

void builder_location_owner(struct builder *b, uint32_t location, uint32_t process, uint8_t type,
			    uint64_t source_id)
{
	struct location *l;

	assert(location < b->trace->locations.n);
	assert(process == UINT32_MAX || process < b->trace->processes.n);
	l = &b->trace->locations.data[location];
	l->owner = process;
	l->type = type;
	l->source_id = source_id;
}

uint32_t builder_object(struct builder *b, enum detail_type type, uint32_t name,
			const uint64_t *values, uint32_t n)
{
	struct object object = { .name = name };

	assert(type >= OBJECT_PARAMETER && type < DETAIL_TYPES);
	if (!build_values(b, &object.detail, type, values, n))
		return 0;
	vec_push(&b->trace->objects, object);
	return (uint32_t)b->trace->objects.n - 1;
}

uint32_t builder_metric(struct builder *b, const struct metric *metric)
{
	vec_push(&b->trace->metrics, *metric);
	return (uint32_t)b->trace->metrics.n - 1;
}

uint32_t builder_metric_set(struct builder *b, const struct metric_set *set)
{
	struct metric_set s = *set;

	s.metrics = copy(s.metrics, s.n * sizeof *s.metrics);
	vec_push(&b->trace->metric_sets, s);
	return (uint32_t)b->trace->metric_sets.n - 1;
}

void builder_marker(struct builder *b, const struct marker *marker)
{
	vec_push(&b->trace->markers, *marker);
}

void builder_partial(struct builder *b, const char *text)
{
	struct partial *p = &b->trace->partial;
	const size_t used = strlen(p->text);

	snprintf(p->text + used, sizeof p->text - used, "%s%s", used ? ", " : "", text);
	p->is = true;
}

bool builder_step(const struct builder *b, const struct progress *progress, const char *what,
		  uint64_t done, uint64_t all)
{
	if (progress && progress->look)
		progress->look(progress->context, b);
	return progress_step(progress, what, done, all);
}

bool builder_keep(struct builder *b, const struct progress *progress, uint64_t done, uint64_t all)
{
	struct str text = STR_INIT;

	if (progress_dropped(progress))
		return false;
	str_add(&text, "stopped ");
	if (all) {
		str_add_fmt(&text, "at %d %%",
			    done < all ? (int)(100 * (double)done / (double)all) : 100);
	} else {
		str_add(&text, "after ");
		units_bytes(&text, done);
	}
	builder_partial(b, text.text);
	str_fini(&text);
	return true;
}

/* ---- the end ---- */

static int by_value(const void *a, const void *b)
{
	const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

/* First locations of the ranks; the world, unless the file said who is in it. */
static void name_ranks(struct builder *b)
{
	struct trace *trace = b->trace;
	int32_t *ranks = xmalloc(trace->locations.n * sizeof *ranks);
	uint32_t n = 0, processes = 0;

	for (uint32_t i = 0; i < trace->locations.n; i++) {
		const struct location *l = &trace->locations.data[i];
		uint32_t *first;
		if (l->rank == RANK_UNKNOWN)
			continue;
		first = keymap_add(&trace->rank_location, (struct key){ { (uint32_t)l->rank } });
		if (*first == UINT32_MAX) {
			*first = i;
			if (l->rank != RANK_HOST)
				ranks[n++] = l->rank;
		} else {
			processes += l->process != trace->locations.data[*first].process;
			if (l->thread < trace->locations.data[*first].thread)
				*first = i;
		}
	}
	if (trace->messages.size + b->recvs.size > 0)
		store_finding(trace, FINDING_GUESS, "several-processes", 0, processes,
			      "a processor has several processes: messages are matched by their "
			      "processors alone");
	if (!b->world_given) {
		if (n > 1)
			qsort(ranks, n, sizeof *ranks, by_value);
		builder_world(b, ranks, n);
	}
	if (trace->comms.data[0].name == 0)
		trace->comms.data[0].name = builder_string(b, "world", 5);
	free(ranks);
}

static int by_event(const void *a, const void *b)
{
	const struct event_text *x = a, *y = b;

	return (x->event > y->event) - (x->event < y->event);
}

static void order_texts(struct event_texts *texts)
{
	bool sorted = true;

	for (size_t i = 1; i < texts->rows.n && sorted; i++)
		sorted = texts->rows.data[i - 1].event <= texts->rows.data[i].event;
	if (!sorted)
		qsort(texts->rows.data, texts->rows.n, sizeof *texts->rows.data, by_event);
}

/* Stable: the attributes of one event stay in their order. */
static void order_attributes(struct trace *trace)
{
	const size_t n = trace->attributes.n;
	struct event_attribute *old = trace->attributes.data;
	bool sorted = true;

	for (size_t i = 1; i < n && sorted; i++)
		sorted = old[i - 1].event <= old[i].event;
	if (sorted)
		return;
	struct timed *rows = xmalloc(2 * n * sizeof *rows);
	struct event_attribute *ordered = xmalloc(n * sizeof *ordered);
	for (size_t i = 0; i < n; i++)
		rows[i] = (struct timed){ old[i].event, (uint32_t)i, 0 };
	timed_sort(rows, rows + n, n);
	for (size_t i = 0; i < n; i++)
		ordered[i] = old[rows[i].a];
	free(rows);
	free(old);
	trace->attributes.data = ordered;
	trace->attributes.cap = n;
}

static void order_markers(struct trace *trace)
{
	const size_t n = trace->markers.n;
	struct timed *rows = xmalloc(2 * n * sizeof *rows);
	struct marker *ordered = xmalloc(n * sizeof *ordered);

	for (size_t i = 0; i < n; i++)
		rows[i] = (struct timed){ trace->markers.data[i].time, (uint32_t)i, 0 };
	timed_sort(rows, rows + n, n);
	for (size_t i = 0; i < n; i++)
		ordered[i] = trace->markers.data[rows[i].a];
	free(rows);
	free(trace->markers.data);
	trace->markers.data = ordered;
	trace->markers.cap = n;
}

static void count_events(struct builder *b)
{
	struct trace *trace = b->trace;

	for (uint32_t l = 0; l < trace->locations.n; l++) {
		const struct block_ids *list = &trace->lists.data[l];
		if (list->n == 0)
			continue;
		trace->locations.data[l].events =
			(uint64_t)(list->n - 1) * BLOCK_EVENTS + b->tails.data[l].block->n;
		trace->events += trace->locations.data[l].events;
	}
}

static bool finish(struct builder *b, const struct builder_options *options,
		   const struct progress *progress, struct err *err)
{
	struct trace *trace = b->trace;

	assert(b->children == 0);
	trace->jobs = options->jobs;
	store_finding_sort(trace);
	name_ranks(b);
	store_order_offsets(trace);
	count_events(b);
	if (!progress_step(progress, "sorting", 0, trace->events) || !build_arrange(b, err) ||
	    !progress_step(progress, "matching", 0, trace->events) || !build_match(b, err) ||
	    !build_gather(b, err) || !build_nest(b, options, progress, err))
		return false;
	matching_free(b);
	memset(&b->recvs, 0, sizeof b->recvs);
	memset(&b->parts, 0, sizeof b->parts);
	memset(&b->requests, 0, sizeof b->requests);
	b->send_order = b->recv_order = NULL;
	order_texts(&trace->extras);
	order_texts(&trace->time_texts);
	order_attributes(trace);
	order_markers(trace);
	build_statements(trace);
	if (!progress_step(progress, "indexing", 0, trace->events))
		return false;
	order_make(&trace->message_order[BASE_MEASURED], trace, BASE_MEASURED, false);
	order_make(&trace->collective_order[BASE_MEASURED], trace, BASE_MEASURED, true);
	return true;
}

struct trace *builder_finish(struct builder *b, const struct builder_options *options,
			     const struct progress *progress, struct err *err)
{
	static const struct builder_options defaults = { false, 1 };
	const struct progress whole = progress_whole(progress);
	struct trace *trace = NULL;

	if (builder_failed(b)) {
		err_set(err, b->err.status, "%s", b->err.text);
	} else if (finish(b, options ? options : &defaults, &whole, &b->err)) {
		trace = b->trace;
		b->trace = NULL;
		slab_trim(&trace->blocks);
		slab_trim(&trace->messages);
		slab_trim(&trace->columns[BASE_MEASURED].times);
	} else if (builder_failed(b)) {
		err_set(err, b->err.status, "%s", b->err.text);
	}
	builder_abandon(b);
	return trace;
}
