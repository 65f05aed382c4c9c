/* Numbers of event types, communicators and call sites in a written file, and which of them its
 * loose records define already. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "model/meaning/picl_types.h"
#include "model/picl/write/picl_writer.h"
#include "model/trace/record_type.h"

/* ---- what the loose records define already ---- */

const char *picl_word(const char *text, int n)
{
	while (n-- && text) {
		text = strchr(text, ' ');
		text += text != NULL;
	}
	return text ? text : "";
}

bool picl_is_loose_definition(const char *text, int32_t rectype)
{
	return strtol(text, NULL, 10) == rectype;
}

void picl_note_labels(struct picl_writer *w)
{
	for (size_t i = 0; i < trace_loose_count(w->trace); i++) {
		const char *text = trace_string(w->trace, trace_loose(w->trace, i)->text);
		long type;
		if (!picl_is_loose_definition(text, REC_LABEL))
			continue;
		type = strtol(picl_word(text, 1), NULL, 10);
		if (type <= -1000)
			w->all_labelled = true;
		*keymap_add(&w->labelled, KEY_OF((uint32_t)type)) = 1;
	}
}

bool picl_is_labelled(const struct picl_writer *w, int32_t type)
{
	return w->all_labelled || keymap_find(&w->labelled, KEY_OF((uint32_t)type));
}

/* The subset id under which a loose record defines exactly these ranks; false where none does. */
bool picl_defined_loosely(const struct picl_writer *w, const struct comm *comm, int32_t *id)
{
	for (size_t i = 0; i < trace_loose_count(w->trace); i++) {
		const char *p = trace_string(w->trace, trace_loose(w->trace, i)->text);
		char *end;
		uint32_t n = 0;
		if (!picl_is_loose_definition(p, REC_SUBSET_PROCESSES))
			continue;
		p = picl_word(p, 7);
		*id = (int32_t)strtol(p, &end, 10);
		if (end == p || *id != comm->picl_subset)
			continue;
		for (p = end; *p == ' '; p = end, n++) {
			const long rank = strtol(p, &end, 10);
			if (end == p || n >= comm->size || rank != comm->ranks[n])
				break;
		}
		if (n == comm->size && *p == '\0')
			return true;
	}
	return false;
}

/* ---- numbers ---- */

void picl_number_comms(struct picl_writer *w)
{
	const uint32_t n = trace_comm_count(w->trace);

	w->comm_ids = xmalloc((n + 1) * sizeof *w->comm_ids);
	w->comm_ids[0] = -1;
	for (uint32_t c = 1; c < n; c++)
		if (w->own || !picl_defined_loosely(w, trace_comm(w->trace, c), &w->comm_ids[c]))
			w->comm_ids[c] = PICL_WORLD - (int32_t)c;
}

/* The type of the same call with, or without, waiting; 0 none. If one occurs both are labelled:
 * which of them occur is known late, and a file that is read and written again keeps its labels. */
static int32_t twin(int32_t type)
{
	static const int32_t pairs[][2] = { { -30, -31 }, { -51, -52 }, { -60, -61 } };

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (type == pairs[i][0] || type == pairs[i][1])
			return pairs[i][type == pairs[i][0]];
	return 0;
}

/* A free number for a region whose own number is taken by another region. */
static int32_t type_for(struct picl_writer *w, struct keymap *taken, struct keymap *given,
			const struct site *site, int32_t *next)
{
	const int32_t other = w->own ? twin(site->picl) : 0;
	/* Both types of the pair are one region's and have one label. */
	const int32_t key = other > site->picl ? other : site->picl;
	uint32_t *owner, *mine;

	owner = keymap_add(taken, KEY_OF((uint32_t)(other ? key : site->picl)));

	if (*owner == UINT32_MAX)
		*owner = site->region;
	if (*owner == site->region || (!w->tables && picl_is_labelled(w, site->picl)))
		return site->picl;
	mine = keymap_add(given, KEY_OF(site->region, (uint32_t)site->picl));
	if (*mine == UINT32_MAX)
		*mine = (uint32_t)(*next)++;
	return (int32_t)*mine;
}

/* The first number above all that occur. */
static int32_t first_free(const struct picl_writer *w)
{
	int32_t next = 0;

	for (uint32_t s = 0; s < trace_site_count(w->trace); s++)
		if (trace_site(w->trace, s)->picl >= next &&
		    trace_site(w->trace, s)->picl < INT32_MAX)
			next = trace_site(w->trace, s)->picl + 1;
	for (uint32_t r = 0; w->tables && r < trace_region_count(w->trace); r++)
		if (trace_region(w->trace, r)->picl >= next &&
		    trace_region(w->trace, r)->picl < INT32_MAX)
			next = trace_region(w->trace, r)->picl + 1;
	return next;
}

static void number_site(struct picl_writer *w, uint32_t s, int32_t type)
{
	const struct picl_type *known = picl_type_find(type);
	const struct site *site = trace_site(w->trace, s);
	const struct region *region = trace_region(w->trace, site->region);

	w->sites[s].type = type;
	w->sites[s].cls = region->cls;
	w->sites[s].role = known ? known->role : ROLE_PLAIN;
	if (!known && w->own && region->cls == CLASS_COLLECTIVE)
		w->sites[s].role = ROLE_ROOTED;
	if (site->picl == region->picl)
		w->region_type[site->region] = type;
}

/* What the number of a site depends on. */
struct site_key {
	uint32_t region;
	int32_t picl;
	uint32_t site;
};

ORDERING(by_region, struct site_key, region, picl)

/* With tables, regions are numbered first, in their order, so that a trace that was read gets
 * the same numbers again. */
void picl_number_types(struct picl_writer *w)
{
	const uint32_t n = trace_site_count(w->trace);
	ENDED_BY(keymap_fini) struct keymap taken = { NULL, 0, 0 }, given = { NULL, 0, 0 };
	OWNED struct site_key *order = xmalloc(((size_t)n + 1) * sizeof *order);
	int32_t next = first_free(w);

	w->sites = xcalloc(n + 1, sizeof *w->sites);
	w->region_type = xcalloc(trace_region_count(w->trace) + 1, sizeof *w->region_type);
	for (uint32_t r = 0; r < trace_region_count(w->trace); r++) {
		const struct site any = { .region = r, .picl = trace_region(w->trace, r)->picl };
		w->region_type[r] = w->tables ? type_for(w, &taken, &given, &any, &next) : any.picl;
	}
	for (uint32_t s = 0; s < n; s++)
		order[s] = (struct site_key){ trace_site(w->trace, s)->region,
					      trace_site(w->trace, s)->picl, s };
	if (w->tables && n)
		SORT(order, n, by_region);
	for (uint32_t i = 0; i < n; i++)
		number_site(w, order[i].site,
			    type_for(w, &taken, &given, trace_site(w->trace, order[i].site),
				     &next));
}

/* ---- call sites: by file and line, so that a file read and written has them again ---- */

static int by_source(const void *a, const void *b)
{
	const struct picl_source *x = a, *y = b;
	const int order = strcmp(x->file, y->file);

	return order ? order : ORDER(x->line, y->line);
}

void picl_number_calls(struct picl_writer *w)
{
	const struct picl_source *source;
	size_t kept = 0;

	for (uint32_t s = 0; s < trace_site_count(w->trace); s++) {
		const struct site *site = trace_site(w->trace, s);
		if (site->file || site->line)
			vec_push(&w->sources,
				 ((struct picl_source){ trace_string(w->trace, site->file),
							site->line, s }));
	}
	vec_sort(&w->sources, by_source);
	vec_each (source, &w->sources) {
		const uint32_t site = source->site;
		if (kept == 0 || by_source(&w->sources.data[kept - 1], source) != 0)
			w->sources.data[kept++] = *source;
		w->sites[site].call = (uint32_t)kept;
	}
	w->sources.n = kept;
}

/* ---- the types that occur ---- */

ORDERING(by_type, struct picl_out_type, type)

/* A type and its twin. */
static void add_type(struct picl_writer *w, int32_t type, uint32_t region, int32_t picl)
{
	const int32_t other = w->own ? twin(type) : 0;

	vec_push(&w->types, ((struct picl_out_type){ type, region, picl }));
	if (other)
		vec_push(&w->types, ((struct picl_out_type){ other, region, other }));
}

void picl_list_types(struct picl_writer *w)
{
	const struct picl_out_type *type;
	size_t kept = 0;

	/* With tables all regions have a number, entered or not. */
	for (uint32_t r = 0; w->tables && r < trace_region_count(w->trace); r++)
		add_type(w, w->region_type[r], r, trace_region(w->trace, r)->picl);
	for (uint32_t s = 0; s < trace_site_count(w->trace); s++) {
		const struct site *site = trace_site(w->trace, s);
		add_type(w, w->sites[s].type, site->region, site->picl);
	}
	vec_sort(&w->types, by_type);
	vec_each (type, &w->types)
		if (kept == 0 || type->type != w->types.data[kept - 1].type)
			w->types.data[kept++] = *type;
	w->types.n = kept;
}
