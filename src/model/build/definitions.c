/* Definitions: the same content gives the same id. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "model/build/build.h"
#include "model/meaning/meaning.h"

uint32_t builder_string(struct builder *b, const char *text, size_t length)
{
	uint32_t id = UINT32_MAX;

	/* A child's own texts are numbered after those of the parent, which no longer change. */
	if (b->parent)
		id = strings_find(&b->home->strings, text, length);
	if (id != UINT32_MAX)
		return id;
	id = strings_add(&b->trace->strings, text, length, &b->err);
	return id == UINT32_MAX ? 0 : id + b->strings_before;
}

const char *builder_text(const struct builder *b, uint32_t string)
{
	return trace_string(b->trace, string);
}

/* One number for a pair, for keys that have no room for both. */
static uint32_t pair_id(struct builder *b, uint32_t first, uint32_t second)
{
	uint32_t id;

	keymap_new(&b->pairs, KEY_OF(first, second), b->pairs.n, &id);
	return id;
}

uint32_t builder_region(struct builder *b, const char *name, enum region_class cls, int32_t picl)
{
	const enum region_class known = meaning_of_region(name, cls, 0, 0).cls;
	const uint32_t text = builder_string(b, name, strlen(name));
	uint32_t id;

	if (keymap_new(&b->regions, KEY_OF(text, (uint32_t)known), b->trace->regions.n, &id))
		vec_push(&b->trace->regions,
			 ((struct region){ .name = text, .picl = picl, .cls = (uint8_t)known }));
	return id;
}

void builder_region_source(struct builder *b, uint32_t region, const char *file, uint32_t line)
{
	assert(region < b->trace->regions.n);
	b->trace->regions.data[region].file = builder_string(b, file, strlen(file));
	b->trace->regions.data[region].line = line;
}

uint32_t build_site(struct builder *b, struct site site)
{
	uint32_t id;

	if (keymap_new(&b->sites, KEY_OF(site.region, site.file, site.line, (uint32_t)site.picl),
		       b->trace->sites.n, &id))
		vec_push(&b->trace->sites, site);
	return id;
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

uint32_t builder_region_count(const struct builder *b)
{
	return (uint32_t)b->trace->regions.n;
}

uint32_t builder_site_count(const struct builder *b)
{
	return (uint32_t)b->trace->sites.n;
}

uint32_t builder_site_region(const struct builder *b, uint32_t site)
{
	assert(site < b->trace->sites.n);
	return b->trace->sites.data[site].region;
}

const struct region *builder_region_of(const struct builder *b, uint32_t site)
{
	return &b->trace->regions.data[builder_site_region(b, site)];
}

void build_name_location(struct builder *b, uint32_t location)
{
	struct location *l = &b->trace->locations.data[location];
	OWNED_STR text = STR_INIT;

	if (l->name)
		return;
	location_default_name(l, location, &text);
	l->name = builder_string(b, text.text, text.n);
}

/* Without a rank only the source's id distinguishes two locations. */
static struct key location_key(struct builder *b, const struct location *l)
{
	uint32_t source = 0;

	if (l->rank == RANK_UNKNOWN)
		source = 1 + pair_id(b, (uint32_t)(l->source_id >> 32), (uint32_t)l->source_id);
	return KEY_OF((uint32_t)l->rank, (uint32_t)l->process, (uint32_t)l->thread, source);
}

uint32_t builder_location(struct builder *b, const struct location *location)
{
	struct location *l;
	struct tail *tail;
	uint32_t id;

	if (!keymap_new(&b->locations, location_key(b, location), b->trace->locations.n, &id))
		return id;
	l = vec_add(&b->trace->locations);
	l->name = location->name;
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
	return id;
}

uint32_t builder_location_count(const struct builder *b)
{
	return (uint32_t)b->trace->locations.n;
}

int32_t builder_location_rank(const struct builder *b, uint32_t location)
{
	return b->trace->locations.data[location].rank;
}

void builder_programs_with_streams(const struct builder *b, uint32_t *program)
{
	const struct trace *t = b->trace;
	OWNED bool *has_stream = xcalloc(t->processes.n + 1, sizeof *has_stream);

	for (uint32_t i = 0; i < t->locations.n; i++) {
		const struct location *l = &t->locations.data[i];
		program[i] = location_has_states(l) ? location_program(t, l) : UINT32_MAX;
		if (l->type == LOCATION_ACCELERATOR && program[i] != UINT32_MAX)
			has_stream[program[i]] = true;
	}
	for (uint32_t i = 0; i < t->locations.n; i++)
		if (program[i] != UINT32_MAX && !has_stream[program[i]])
			program[i] = UINT32_MAX;
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
				   .ranks = ranks,
				   .picl_subset = picl_subset,
				   .parent = UINT32_MAX };

	return builder_comm_define(b, &comm);
}

/* Coordinates for `rows` members instead of `before`; -1 where the file gives none. */
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
	/* The world may not be known yet: keep the rows given until it is. */
	topology_fit(&t, rows, rows > members ? rows : members);
	vec_push(&b->topology_rows, rows > members ? rows : members);
	vec_push(&b->trace->topologies, t);
}

void builder_offset(struct builder *b, const struct offset *offset)
{
	assert(offset->location < b->trace->locations.n);
	/* No clock has values beyond these: they are left out, so that the interpolation cannot
	 * overflow. */
	if (offset->offset > TIME_LIMIT / 2 || offset->offset < -TIME_LIMIT / 2 ||
	    offset->time > TIME_LIMIT || offset->time < -TIME_LIMIT)
		store_finding(b->trace, FINDING_DAMAGE, "offset-out-of-range", 0, 1,
			      "a clock offset is too large: it was discarded");
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
	const enum region_class known =
		meaning_of_region(trace_string(b->trace, region->name),
				  (enum region_class)region->cls, region->role, region->paradigm)
			.cls;
	const uint32_t place = pair_id(b, region->file, region->line);
	const uint32_t kind = pair_id(b, (uint32_t)known, (uint32_t)region->picl);
	uint32_t id;

	if (keymap_new(&b->regions, KEY_OF(region->name, kind, place, 1), b->trace->regions.n,
		       &id)) {
		vec_push(&b->trace->regions, *region);
		b->trace->regions.data[id].cls = (uint8_t)known;
	}
	return id;
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

void builder_end_lost(struct builder *b, uint32_t location)
{
	assert(location < b->trace->locations.n);
	b->trace->locations.data[location].end_lost = true;
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

bool build_values(struct builder *b, struct detail *detail, enum detail_type type,
		  const uint64_t *values, uint32_t n)
{
	const struct detail_info *info = detail_info(type);
	uint64_t *to;

	assert(n + (info->fields > 0 && info->field[info->fields - 1].kind == FIELD_VALUES) >=
	       info->fields);
	*detail = (struct detail){ (uint32_t)type, n, b->trace->values.size / sizeof *to };
	if (n == 0)
		return !b->err.status;
	to = slab_extend(&b->trace->values, n * sizeof *to, &b->err);
	if (to)
		memcpy(to, values, n * sizeof *to);
	return to != NULL;
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
