/* Strings, regions, calling contexts; the order in which definitions are resolved. */
#include <string.h>

#include "base/mem.h"
#include "model/meaning/picl_types.h"
#include "model/otf2/otf2.h"
#include "model/otf2/otf2_names.h"
#include "model/otf2/read/otf2_archive.h"
#include "model/otf2/read/otf2_own_read.h"

static void add_strings(struct otf2_archive *a)
{
	for (size_t i = 0; i < a->defs.strings.n; i++) {
		const char *text = a->defs.text.text + a->defs.strings.data[i];
		vec_push(&a->strings, builder_string(a->builder, text, strlen(text)));
	}
}

/* ---- regions ---- */

struct numbers {
	struct keymap known; /* what the definitions say: row of a->regions */
	struct keymap taken; /* event type: name of the region that has it */
	int32_t next;        /* of a user event */
};

/* The event type of a region in PICL: its MPI function's, unless another name has it; else one of
 * its own. */
static int32_t picl_number(struct numbers *numbers, const char *name, uint32_t text)
{
	char mpi[MPI_NAME_SIZE];
	int32_t type = mpi_standard_name(name, mpi) ? picl_type_of_mpi(mpi) : 0;

	if (strcmp(name, OTF2_FLUSH_REGION) == 0)
		type = OTF2_FLUSH_PICL;
	else if (strcmp(name, OTF2_TRACING_REGION) == 0)
		type = OTF2_TRACING_PICL;
	if (type) {
		uint32_t *owner = keymap_add(&numbers->taken, KEY_OF((uint32_t)type));
		if (*owner == UINT32_MAX)
			*owner = text;
		if (*owner == text)
			return type;
	}
	return numbers->next < INT32_MAX ? numbers->next++ : 1;
}

static uint32_t add_region(struct otf2_archive *a, struct numbers *numbers,
			   const struct otf2_region_def *def)
{
	const char *name = otf2_text(&a->defs, def->name);
	const uint32_t text = otf2_string(a, def->name), file = otf2_string(a, def->file);
	uint32_t *row =
		keymap_add(&numbers->known,
			   KEY_OF(text, file, def->line,
				  a->own ? def->id
					 : (uint32_t)def->role << 8 | (uint32_t)def->paradigm));
	struct region region;
	struct otf2_region known;

	if (*row != UINT32_MAX)
		return *row;
	region = (struct region){ .name = text,
				  .file = file,
				  .line = def->line,
				  .end_line = def->end_line,
				  .role = def->role,
				  .paradigm = def->paradigm,
				  .flags = def->flags,
				  .canonical = otf2_string(a, def->canonical),
				  .description = otf2_string(a, def->description) };
	region.cls = (uint8_t)meaning_of_region(name, CLASS_COUNT, def->role, def->paradigm).cls;
	region.picl = picl_number(numbers, name, text);
	otf2_own_region(a, def->id, &region);
	known.region = builder_region_define(a->builder, &region);
	/* tview's own archives list all sites: they come after the regions. */
	known.site =
		a->own ? UINT32_MAX : builder_site(a->builder, known.region, 0, 0, region.picl);
	known.picl = region.picl;
	known.mode = otf2_send_mode(name);
	known.cls = region.cls;
	if (a->own)
		; /* its sites are not known yet */
	else if (region.picl == OTF2_FLUSH_PICL)
		a->flush_site = known.site;
	else if (region.picl == OTF2_TRACING_PICL)
		a->tracing_site = known.site;
	*row = (uint32_t)a->regions.n;
	vec_push(&a->regions, known);
	return *row;
}

/* The region that represents each operation, of those that are defined. */
static void find_operations(struct otf2_archive *a)
{
	ENDED_BY(keymap_fini) struct keymap by_name = { 0 };

	for (size_t i = 0; i < a->defs.regions.n; i++) {
		const struct otf2_region_def *def = &a->defs.regions.data[i];
		const uint32_t row = otf2_ids_get(&a->region_ids, def->id);
		uint32_t *known;
		char mpi[MPI_NAME_SIZE];
		if (!mpi_standard_name(otf2_text(&a->defs, def->name), mpi))
			continue;
		known = keymap_add(&by_name, KEY_OF(builder_string(a->builder, mpi, strlen(mpi))));
		if (*known == UINT32_MAX)
			*known = a->regions.data[row].region;
	}
	for (unsigned op = 0; op < OTF2_COLLECTIVE_NAMES; op++) {
		const char *name = otf2_collective_name(op);
		const uint32_t *known =
			name ? keymap_find(&by_name,
					   KEY_OF(builder_string(a->builder, name, strlen(name))))
			     : NULL;
		a->operations[op] = known ? *known : UINT32_MAX;
	}
}

static uint32_t spare_site(struct otf2_archive *a, const char *name, enum region_class cls,
			   int32_t picl)
{
	return builder_site(a->builder, builder_region(a->builder, name, cls, picl), 0, 0, picl);
}

static void add_spares(struct otf2_archive *a, struct numbers *numbers)
{
	a->spare_site = spare_site(a, "undefined region", CLASS_USER, numbers->next++);
	a->spare_collective =
		builder_region(a->builder, "MPI collective", CLASS_COLLECTIVE, numbers->next++);
	if (a->flush_site == UINT32_MAX)
		a->flush_site = spare_site(a, OTF2_FLUSH_REGION, CLASS_OVERHEAD, OTF2_FLUSH_PICL);
	if (a->tracing_site == UINT32_MAX)
		a->tracing_site =
			spare_site(a, OTF2_TRACING_REGION, CLASS_OVERHEAD, OTF2_TRACING_PICL);
}

static void add_own_sites(struct otf2_archive *a)
{
	struct otf2_region *r;

	otf2_own_sites(a);
	vec_each (r, &a->regions)
		r->site = otf2_own_plain_site(a, r);
	vec_each (r, &a->regions)
		if (r->picl == OTF2_FLUSH_PICL && a->flush_site == UINT32_MAX)
			a->flush_site = r->site;
}

static void add_regions(struct otf2_archive *a)
{
	struct numbers numbers = { .next = 1 };

	a->flush_site = a->tracing_site = UINT32_MAX;
	for (size_t i = 0; i < a->defs.regions.n; i++)
		otf2_ids_set(&a->region_ids, a->defs.regions.data[i].id,
			     add_region(a, &numbers, &a->defs.regions.data[i]));
	if (a->own)
		add_own_sites(a);
	find_operations(a);
	if (a->wants_spare)
		add_spares(a, &numbers);
	keymap_fini(&numbers.known);
	keymap_fini(&numbers.taken);
}

/* ---- calling contexts ---- */

static void add_contexts(struct otf2_archive *a)
{
	for (size_t i = 0; i < a->defs.places.n; i++)
		otf2_ids_set(&a->code_places, a->defs.places.data[i].id, (uint32_t)i);
	for (size_t i = 0; i < a->defs.contexts.n; i++) {
		const struct otf2_context_def *def = &a->defs.contexts.data[i];
		const uint32_t region = otf2_ids_get(&a->region_ids, def->region);
		const uint32_t place = otf2_ids_get(&a->code_places, def->place);
		const struct otf2_place_def *where =
			place == UINT32_MAX ? NULL : &a->defs.places.data[place];
		uint32_t site;

		if (region == UINT32_MAX)
			continue;
		site = a->regions.data[region].site;
		if (where) {
			const uint32_t id = a->regions.data[region].region;
			site = builder_site(a->builder, id, otf2_string(a, where->file),
					    where->line, a->regions.data[region].picl);
		}
		otf2_ids_set(&a->context_ids, def->id, (uint32_t)a->contexts.n);
		vec_push(&a->contexts, ((struct otf2_context){ site, region }));
	}
}

/* ---- all ---- */

void otf2_resolve(struct otf2_archive *a)
{
	add_strings(a);
	add_regions(a);
	add_contexts(a);
	otf2_places(a);
	otf2_comms(a);
	otf2_objects(a);
}

void otf2_resolve_fini(struct otf2_archive *a)
{
	struct otf2_ids *ids[] = { &a->region_ids,   &a->comm_ids,    &a->context_ids,
				   &a->tree,         &a->tree_rows,   &a->processes,
				   &a->process_rows, &a->metric_sets, &a->group_rows,
				   &a->code_places,  &a->window_comms };

	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
		otf2_ids_fini(ids[i]);
	for (size_t i = 0; i < sizeof a->objects / sizeof *a->objects; i++)
		otf2_ids_fini(&a->objects[i]);
	for (size_t i = 0; i < a->comms.n; i++) {
		free_all((void *)(uintptr_t)a->comms.data[i].ranks,
			 (void *)(uintptr_t)a->comms.data[i].remote,
			 (void *)(uintptr_t)a->comms.data[i].sorted);
	}
	for (size_t i = 0; i < a->places.n; i++) {
		free((void *)(uintptr_t)a->places.data[i].name);
		vec_fini(&a->places.data[i].offsets);
	}
	memset(a->lists, 0, sizeof a->lists);
	vec_fini(&a->strings);
	vec_fini(&a->regions);
	vec_fini(&a->comms);
	vec_fini(&a->contexts);
	vec_fini(&a->set_sizes);
	vec_fini(&a->places);
	free((void *)(uintptr_t)a->world);
	a->world = NULL;
	keymap_fini(&a->place_rows);
}
