/* Definitions, written after the events: what events name keeps the trace's ids. Groups,
 * communicators and topologies are in otf2_write_groups.c. */
#include <string.h>

#include <xxhash.h>

#include "base/mem.h"
#include "base/units.h"
#include "model/otf2/otf2_names.h"
#include "model/otf2/write/otf2_writer.h"
#include "model/trace/store.h"

/* A string that may be missing: OTF2 has a ref for that. */
static uint32_t known(uint32_t string)
{
	return string ? string : OTF2_UNDEFINED_STRING;
}

/* ---- refs, before the events ---- */

static struct key class_key(const struct metric_set *set)
{
	const uint64_t hash = XXH64(set->metrics, set->n * sizeof *set->metrics, 0);

	return KEY_OF(set->n, set->occurrence, (uint32_t)hash, (uint32_t)(hash >> 32));
}

/* A set with a scope is an instance of a class: of one that the trace has, or else of one made up
 * just before it. */
static void set_metric_refs(struct otf2_writer *w, uint32_t n)
{
	ENDED_BY(keymap_fini) struct keymap classes = { NULL, 0, 0 };
	uint32_t next = 0;

	w->metric_refs = xcalloc((size_t)n + 1, sizeof *w->metric_refs);
	w->metric_classes = xcalloc((size_t)n + 1, sizeof *w->metric_classes);
	for (uint32_t i = 0; i < n; i++) {
		const struct metric_set *set = trace_metric_set(w->trace, i);
		uint32_t *known = keymap_add(&classes, class_key(set));
		if (*known == UINT32_MAX || !set->scope_kind)
			*known = next++;
		w->metric_classes[i] = *known;
		w->metric_refs[i] = set->scope_kind ? next++ : *known;
	}
}

/* Objects are numbered by type, since each is a name space of its own in OTF2. */
void otf2_out_refs_init(struct otf2_writer *w)
{
	const uint32_t n = trace_object_count(w->trace), sets = trace_metric_set_count(w->trace);

	w->object_refs = xcalloc(n + 1, sizeof *w->object_refs);
	for (uint32_t i = 0; i < n; i++)
		w->object_refs[i] = w->objects_of[trace_object(w->trace, i)->detail.type]++;
	otf2_out_group_refs(w);
	set_metric_refs(w, sets);
}

/* ---- the machine ---- */

/* Nodes of the system tree and processes that the trace lacks: made when first needed, and marked
 * as made up after all other definitions. */
struct made_tree {
	struct keymap nodes;     /* string: ref */
	struct keymap processes; /* rank, process: ref */
	uint32_t next_node, next_process;
	bool rooted;
	uint32_t root;
	VEC(uint32_t) marked_nodes, marked_processes;
};

static uint32_t tree_root(struct otf2_writer *w, struct made_tree *tree)
{
	if (!tree->rooted) {
		tree->rooted = true;
		tree->root = tree->next_node++;
		OTF2_DEFINE(SystemTreeNode, tree->root, otf2_out_string(w, "machine"),
			    otf2_out_string(w, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE);
		vec_push(&tree->marked_nodes, tree->root);
	}
	return tree->root;
}

static uint32_t tree_node(struct otf2_writer *w, struct made_tree *tree, uint32_t name)
{
	const uint32_t root = tree_root(w, tree);
	uint32_t *ref;

	if (name == 0)
		return root;
	ref = keymap_add(&tree->nodes, KEY_OF(name));
	if (*ref == UINT32_MAX) {
		*ref = tree->next_node++;
		OTF2_DEFINE(SystemTreeNode, *ref, name, otf2_out_string(w, "node"), root);
		vec_push(&tree->marked_nodes, *ref);
	}
	return *ref;
}

/* A process for a location that has none: threads of a rank share it. */
static uint32_t process_of(struct otf2_writer *w, struct made_tree *tree, const struct location *l)
{
	OWNED_STR name = STR_INIT;
	uint32_t *ref =
		keymap_add(&tree->processes, KEY_OF((uint32_t)l->rank, (uint32_t)l->process));
	uint32_t node;

	if (*ref != UINT32_MAX)
		return *ref;
	*ref = tree->next_process++;
	if (l->rank == RANK_HOST)
		str_add(&name, "host");
	else
		str_add_fmt(&name, "MPI Rank %d", l->rank);
	node = tree_node(w, tree, l->node);
	OTF2_DEFINE(LocationGroup, *ref, otf2_out_string(w, name.text),
		    OTF2_LOCATION_GROUP_TYPE_PROCESS, node, OTF2_UNDEFINED_LOCATION_GROUP);
	vec_push(&tree->marked_processes, *ref);
	return *ref;
}

static void write_tree(struct otf2_writer *w, struct made_tree *tree)
{
	const struct trace *t = w->trace;

	tree->next_node = trace_tree_node_count(t);
	tree->next_process = trace_process_count(t);
	for (uint32_t i = 0; i < trace_tree_node_count(t); i++) {
		const struct tree_node *node = trace_tree_node(t, i);
		if (node->parent == UINT32_MAX && !tree->rooted) {
			tree->rooted = true;
			tree->root = i;
		}
		OTF2_DEFINE(SystemTreeNode, i, node->name, node->cls,
			    node->parent == UINT32_MAX ? OTF2_UNDEFINED_SYSTEM_TREE_NODE
						       : node->parent);
	}
	for (uint32_t i = 0; i < trace_process_count(t); i++) {
		const struct process *p = trace_process(t, i);
		OTF2_DEFINE(LocationGroup, i, p->name, p->type,
			    p->node == UINT32_MAX ? tree_root(w, tree) : p->node,
			    p->creator == UINT32_MAX ? OTF2_UNDEFINED_LOCATION_GROUP : p->creator);
	}
}

static void location_property(struct otf2_writer *w, uint64_t ref, enum otf2_own_place what,
			      int64_t value)
{
	const struct otf2_own_name *own = &otf2_own_places[what];
	OTF2_AttributeValue v = { .int64 = value };

	if (own->type == OTF2_TYPE_INT32)
		v.int32 = (int32_t)value;
	else if (own->type == OTF2_TYPE_STRING)
		v.stringRef = (OTF2_StringRef)value;
	OTF2_DEFINE(LocationProperty, ref, otf2_out_string(w, own->name), own->type, v);
}

static void write_location(struct otf2_writer *w, struct made_tree *tree, uint32_t id)
{
	const struct location *l = trace_location(w->trace, id);
	const uint32_t process = l->owner != UINT32_MAX ? l->owner : process_of(w, tree, l);

	OTF2_DEFINE(Location, w->locations[id].ref, l->source_name ? l->source_name : l->name,
		    l->type ? l->type : OTF2_LOCATION_TYPE_CPU_THREAD, w->locations[id].events,
		    process);
}

/* Identifies a location as the trace does. */
static void write_location_properties(struct otf2_writer *w, uint32_t id)
{
	const struct location *l = trace_location(w->trace, id);
	const uint64_t ref = w->locations[id].ref;

	for (size_t i = w->trace->offset_of[id]; i < w->trace->offset_of[id + 1]; i++)
		if (trace_offset(w->trace, i)->rtt == 0) {
			location_property(w, ref, OTF2_PLACE_TRIPS, 1);
			break;
		}
	location_property(w, ref, OTF2_PLACE_RANK, l->rank);
	if (l->process != -1)
		location_property(w, ref, OTF2_PLACE_PROCESS, l->process);
	if (l->thread != 0)
		location_property(w, ref, OTF2_PLACE_THREAD, l->thread);
	if (l->source_name && l->source_name == l->name)
		location_property(w, ref, OTF2_PLACE_ONE_NAME, 1);
	if (l->source_name && l->source_name != l->name)
		location_property(w, ref, OTF2_PLACE_NAME, l->name);
	if (l->type || l->source_id || l->owner != UINT32_MAX)
		location_property(w, ref, OTF2_PLACE_TYPE, l->type);
	if (l->source_id != ref && l->source_id)
		location_property(w, ref, OTF2_PLACE_ID, (int64_t)l->source_id);
}

/* Ranks of the world without a location: the world's group needs one of each. */
static void write_absent(struct otf2_writer *w, struct made_tree *tree)
{
	const struct comm *world = trace_comm(w->trace, 0);

	for (size_t i = 0; i < w->absent.n; i++) {
		const struct location l = { .rank = world->ranks[w->absent.data[i]],
					    .process = -1 };
		const uint64_t ref = w->first_absent + i;
		OWNED_STR name = STR_INIT;
		str_add_fmt(&name, "rank %d (left nothing)", l.rank);
		OTF2_DEFINE(Location, ref, otf2_out_string(w, name.text),
			    OTF2_LOCATION_TYPE_CPU_THREAD, 0, process_of(w, tree, &l));
		location_property(w, ref, OTF2_PLACE_RANK, l.rank);
		location_property(w, ref, OTF2_PLACE_ABSENT, 1);
	}
}

static void write_marks(struct otf2_writer *w, struct made_tree *tree)
{
	const OTF2_AttributeValue yes = { .uint8 = 1 };
	const uint32_t name = tree->marked_nodes.n || tree->marked_processes.n
				      ? otf2_out_string(w, OTF2_MADE_UP)
				      : 0;

	for (size_t i = 0; i < tree->marked_nodes.n; i++)
		OTF2_DEFINE(SystemTreeNodeProperty, tree->marked_nodes.data[i], name,
			    OTF2_TYPE_UINT8, yes);
	for (size_t i = 0; i < tree->marked_processes.n; i++)
		OTF2_DEFINE(LocationGroupProperty, tree->marked_processes.data[i], name,
			    OTF2_TYPE_UINT8, yes);
	vec_fini(&tree->marked_nodes);
	vec_fini(&tree->marked_processes);
}

/* ---- properties ---- */

static void number_property(struct otf2_writer *w, uint32_t root, const char *name, int64_t value)
{
	OWNED_STR text = STR_INIT;

	str_add_int(&text, value);
	otf2_root_property(w, root, name, otf2_out_string(w, text.text));
}

static void write_properties(struct otf2_writer *w, uint32_t root)
{
	const struct timescale *scale = trace_scale(w->trace);
	ENDED_BY(keymap_fini) struct keymap seen = { NULL, 0, 0 };

	for (size_t i = 0; i < trace_property_count(w->trace); i++) {
		const struct property *p = trace_property(w->trace, i);
		uint32_t *times = keymap_add(&seen, KEY_OF(p->key));
		OWNED_STR name = STR_INIT;

		if (!save_has_property(w->trace, p, w->options->base))
			continue;
		*times = *times == UINT32_MAX ? 1 : *times + 1;
		str_add(&name, OTF2_PROPERTY_PREFIX);
		str_add(&name, trace_string(w->trace, p->key));
		if (*times > 1 || otf2_own_key_length(name.text) < name.n)
			str_add_fmt(&name, " (%u)", *times);
		otf2_root_property(w, root, name.text, p->value);
	}
	if (w->options->base > BASE_LINEAR)
		otf2_root_property(w, root, OTF2_PROPERTY_PREFIX SAVE_TIMES,
				   otf2_out_string(w, time_base_name(w->options->base)));
	if (w->zero != w->global)
		number_property(w, root, OTF2_PROPERTY_ZERO, w->zero);
	if (scale->digits != units_export_digits(scale))
		number_property(w, root, OTF2_PROPERTY_DIGITS, scale->digits);
	otf2_out_lists(w, root);
	if (w->objects_of[OBJECT_GROUP])
		number_property(w, root, OTF2_PROPERTY_GROUPS, w->objects_of[OBJECT_GROUP]);
}

static void write_machine(struct otf2_writer *w)
{
	struct made_tree tree = { .rooted = false };
	const uint32_t n = trace_location_count(w->trace);
	uint32_t root;

	write_tree(w, &tree);
	root = tree_root(w, &tree);
	for (uint32_t l = 0; l < n; l++)
		write_location(w, &tree, l);
	write_absent(w, &tree);
	for (uint32_t l = 0; l < n; l++)
		write_location_properties(w, l);
	write_marks(w, &tree);
	write_properties(w, root);
	keymap_fini(&tree.nodes);
	keymap_fini(&tree.processes);
}

/* ---- regions, sites, samples ---- */

static void write_sources(struct otf2_writer *w)
{
	for (size_t i = 0; i < w->context_sites.n; i++) {
		const struct site *site = trace_site(w->trace, w->context_sites.data[i]);
		if (site->file || site->line)
			otf2_source_ref(w, site->file, site->line);
	}
	for (size_t i = 0; i < w->source_refs.n; i++)
		OTF2_DEFINE(SourceCodeLocation, (uint32_t)i, known(w->source_refs.data[i].file),
			    w->source_refs.data[i].line);
	for (size_t i = 0; i < w->context_sites.n; i++) {
		const struct site *site = trace_site(w->trace, w->context_sites.data[i]);
		OTF2_DEFINE(CallingContext, (uint32_t)i, site->region,
			    site->file || site->line ? otf2_source_ref(w, site->file, site->line)
						     : OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
			    OTF2_UNDEFINED_CALLING_CONTEXT);
	}
}

/* ---- tview's own names ---- */

static void write_own(struct otf2_writer *w)
{
	/* In the order of their refs. */
	for (uint32_t row = 1; row <= w->owns; row++) {
		uint32_t i = 0, name;
		while (w->own[i] != row)
			i++;
		name = otf2_out_string(w, otf2_own_attributes[i].name);
		OTF2_DEFINE(Attribute, w->objects_of[OBJECT_ATTRIBUTE] + row - 1, name,
			    otf2_out_string(w, otf2_own_attributes[i].text),
			    otf2_own_attributes[i].type);
	}
	for (uint32_t row = 1; row <= w->records_used; row++) {
		uint32_t i = 0;
		while (w->records[i] != row)
			i++;
		OTF2_DEFINE(Parameter, w->objects_of[OBJECT_PARAMETER] + row - 1,
			    otf2_out_string(w, otf2_own_records[i].name),
			    OTF2_PARAMETER_TYPE_STRING);
	}
}

void otf2_out_definitions(struct otf2_writer *w)
{
	const struct trace *t = w->trace;

	OTF2_DEFINE(ClockProperties, (uint64_t)trace_scale(t)->per_second, (uint64_t)w->global,
		    (uint64_t)w->length, OTF2_UNDEFINED_TIMESTAMP);
	for (uint32_t i = 0; i < trace_string_count(t) && !w->failed; i++)
		OTF2_DEFINE(String, i, trace_string(t, i));
	w->strings = trace_string_count(t);
	write_machine(w);
	otf2_out_regions(w);
	write_sources(w);
	otf2_out_groups(w);
	otf2_out_objects(w);
	write_own(w);
}
