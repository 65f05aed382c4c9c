/* Metrics, parameters, attributes, windows, files and what else events name; properties. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "model/otf2/otf2_names.h"
#include "model/otf2/read/otf2_own_read.h"
#include "model/trace/copy.h"

/* ---- metrics ---- */

static uint8_t value_kind(uint8_t type)
{
	switch (type) {
	case OTF2_TYPE_INT8:
	case OTF2_TYPE_INT16:
	case OTF2_TYPE_INT32:
	case OTF2_TYPE_INT64: return FIELD_INT;
	case OTF2_TYPE_FLOAT:
	case OTF2_TYPE_DOUBLE: return FIELD_FLOAT;
	default: return FIELD_UINT;
	}
}

static uint8_t metric_mode(uint8_t mode)
{
	for (unsigned i = 0; i < METRIC_MODES; i++)
		if (otf2_metric_modes[i] == mode)
			return (uint8_t)i;
	return METRIC_ABSOLUTE_POINT;
}

static void add_metric_set(struct otf2_archive *a, const struct otf2_ids *members, uint32_t id,
			   const struct otf2_class_def *def,
			   const struct otf2_instance_def *instance)
{
	OWNED uint32_t *metrics = xmalloc((def->n + 1) * sizeof *metrics);
	const struct otf2_place *place;
	struct metric_set set = { .metrics = metrics,
				  .recorder = UINT32_MAX,
				  .occurrence = def->occurrence };

	for (uint32_t i = 0; i < def->n; i++) {
		const uint32_t metric = otf2_ids_get(members, def->members[i]);
		if (metric != UINT32_MAX)
			metrics[set.n++] = metric;
	}
	if (set.n == def->n) {
		if (instance) {
			place = otf2_place(a, instance->recorder);
			if (place)
				set.recorder = place->location;
			set.scope_kind = (uint8_t)(instance->kind + 1);
			set.scope = instance->scope;
			if (instance->kind == OTF2_SCOPE_LOCATION) {
				place = otf2_place(a, instance->scope);
				set.scope = place ? place->location : UINT64_MAX;
			}
		}
		otf2_ids_set(&a->metric_sets, id, builder_metric_set(a->builder, &set));
		vec_push(&a->set_sizes, set.n);
	} else {
		builder_finding(a->builder, FINDING_ODDITY, "metric-undefined", 0,
				"a set of metrics has members that are not defined: skipped");
	}
}

/* The metric sets that the trace had, in its order. */
static void add_own_sets(struct otf2_archive *a, const struct otf2_ids *members,
			 const struct otf2_ids *classes)
{
	struct otf2_defs *d = &a->defs;
	struct otf2_ids instances = { 0 };
	struct otf2_own_rows r = { .a = a, .list = OTF2_PROPERTY_METRIC_SETS };

	for (size_t i = 0; i < d->instances.n; i++)
		otf2_ids_set(&instances, d->instances.data[i].id, (uint32_t)i);
	while (otf2_own_row(&r)) {
		const uint32_t ref = (uint32_t)otf2_own_number(&r);
		const uint32_t row = otf2_ids_get(&instances, ref);
		const struct otf2_instance_def *instance =
			row == UINT32_MAX ? NULL : &d->instances.data[row];
		const uint32_t cls = otf2_ids_get(classes, instance ? instance->cls : ref);
		if (cls != UINT32_MAX)
			add_metric_set(a, members, ref, &d->classes.data[cls], instance);
	}
	otf2_ids_fini(&instances);
}

static void add_metrics(struct otf2_archive *a)
{
	struct otf2_defs *d = &a->defs;
	struct otf2_ids members = { 0 }, classes = { 0 };

	for (size_t i = 0; i < d->metrics.n; i++) {
		const struct otf2_metric_def *def = &d->metrics.data[i];
		otf2_ids_set(&members, def->id,
			     builder_metric(a->builder,
					    &(struct metric){
						    .name = otf2_string(a, def->name),
						    .description = otf2_string(a, def->description),
						    .unit = otf2_string(a, def->unit),
						    .type = def->type,
						    .mode = metric_mode(def->mode),
						    .value = value_kind(def->value),
						    .base = def->base == OTF2_BASE_BINARY ? 2 : 10,
						    .exponent = def->exponent }));
	}
	for (size_t i = 0; i < d->classes.n; i++)
		otf2_ids_set(&classes, d->classes.data[i].id, (uint32_t)i);
	for (size_t i = 0; i < d->classes.n && !a->own; i++)
		add_metric_set(a, &members, d->classes.data[i].id, &d->classes.data[i], NULL);
	if (a->own)
		add_own_sets(a, &members, &classes);
	for (size_t i = 0; i < d->instances.n && !a->own; i++) {
		const uint32_t cls = otf2_ids_get(&classes, d->instances.data[i].cls);
		if (cls != UINT32_MAX)
			add_metric_set(a, &members, d->instances.data[i].id, &d->classes.data[cls],
				       &d->instances.data[i]);
	}
	otf2_ids_fini(&members);
	otf2_ids_fini(&classes);
}

/* ---- objects ---- */

/* Objects of tview's own archives wait until all are there: their order is the trace's, and they
 * may name later ones. */
struct waiting_object {
	enum detail_type type;
	uint32_t name, n;
	uint64_t *values;
	bool there;
};

struct object_maker {
	struct otf2_archive *a;
	VEC(struct waiting_object) waiting; /* of own archives */
};

static struct otf2_ids *ids_of(struct otf2_archive *a, enum detail_type type)
{
	return &a->objects[type - OBJECT_PARAMETER];
}

static void await_objects(struct object_maker *m)
{
	struct otf2_own_rows r = { .a = m->a, .list = OTF2_PROPERTY_OBJECTS };

	while (otf2_own_row(&r)) {
		const int64_t type = otf2_own_number(&r) + OBJECT_PARAMETER;
		const uint32_t ref = (uint32_t)otf2_own_number(&r);
		if (type >= OBJECT_PARAMETER && type < DETAIL_TYPES)
			otf2_ids_set(ids_of(m->a, (enum detail_type)type), ref,
				     (uint32_t)m->waiting.n);
		vec_add(&m->waiting);
	}
}

/* A number in the list without an object means a damaged archive. */
static void add_waiting(struct object_maker *m)
{
	struct waiting_object *w;

	vec_each (w, &m->waiting) {
		if (w->there)
			builder_object(m->a->builder, w->type, w->name, w->values, w->n);
		else
			builder_object(m->a->builder, OBJECT_PARAMETER, 0, (uint64_t[]){ 0 }, 1);
		free(w->values);
	}
	vec_fini(&m->waiting);
}

static void add_object(struct object_maker *m, uint32_t id, enum detail_type type, uint32_t name,
		       const uint64_t *values, uint32_t n)
{
	struct otf2_archive *a = m->a;
	const uint32_t row = otf2_ids_get(ids_of(a, type), id);

	if (!a->own) {
		otf2_ids_set(ids_of(a, type), id,
			     builder_object(a->builder, type, name, values, n));
	} else if (row < m->waiting.n && !m->waiting.data[row].there) {
		uint64_t *copy = xmalloc((n + 1) * sizeof *copy);
		memcpy(copy, values, n * sizeof *copy);
		m->waiting.data[row] = (struct waiting_object){ type, name, n, copy, true };
	}
}

#define ADD_NAMED(m, id, type, name, ...)                          \
	add_object(m, id, type, name, (uint64_t[]){ __VA_ARGS__ }, \
		   sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))
#define ADD_OBJECT(m, def, type, ...) \
	ADD_NAMED(m, (def)->id, type, otf2_string((m)->a, (def)->name), __VA_ARGS__)

static uint64_t comm_id(const struct otf2_archive *a, uint32_t id)
{
	const struct otf2_comm *comm = otf2_comm(a, id);

	return comm ? comm->id : UINT64_MAX;
}

static void add_small_objects(struct object_maker *m)
{
	struct otf2_archive *a = m->a;
	const struct otf2_parameter_def *parameter;
	const struct otf2_attribute_def *attribute;
	const struct otf2_window_def *window;
	const struct otf2_generator_def *generator;

	vec_each (parameter, &a->defs.parameters)
		if (otf2_own_of(a, OTF2_OWN_RECORDS, KEY_OF(parameter->id), UINT32_MAX) ==
		    UINT32_MAX)
			ADD_OBJECT(m, parameter, OBJECT_PARAMETER, parameter->type);
	vec_each (attribute, &a->defs.attributes)
		if (otf2_own_of(a, OTF2_OWN_ATTRIBUTES, KEY_OF(attribute->id), UINT32_MAX) ==
		    UINT32_MAX)
			ADD_OBJECT(m, attribute, OBJECT_ATTRIBUTE,
				   otf2_string(a, attribute->description), attribute->type);
	vec_each (window, &a->defs.windows) {
		ADD_OBJECT(m, window, OBJECT_RMA_WINDOW, comm_id(a, window->comm), window->flags);
		otf2_ids_set(&a->window_comms, window->id, window->comm);
	}
	vec_each (generator, &a->defs.generators)
		ADD_OBJECT(m, generator, OBJECT_GENERATOR, 0, generator->mode,
			   generator->base == OTF2_BASE_BINARY ? 2 : 10,
			   (uint64_t)generator->exponent, generator->period);
}

/* tview's own archives have it. */
static void add_copy_other(struct otf2_archive *a)
{
	const struct otf2_location_def *location;
	bool devices = false;

	vec_each (location, &a->defs.locations)
		devices = devices || location->type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM;
	a->copy_other = UINT32_MAX;
	if (devices && a->defs.windows.n > 0 && !a->own)
		a->copy_other = builder_object(a->builder, OBJECT_ATTRIBUTE,
					       builder_string(a->builder, COPY_OTHER,
							      sizeof COPY_OTHER - 1),
					       (uint64_t[]){ 0, OTF2_TYPE_LOCATION }, 2);
}

static uint64_t region_id(const struct otf2_archive *a, uint64_t id)
{
	const uint32_t row =
		id > UINT32_MAX ? UINT32_MAX : otf2_ids_get(&a->region_ids, (uint32_t)id);

	return row == UINT32_MAX ? UINT64_MAX : a->regions.data[row].region;
}

/* A member of a group: of regions, locations and metrics the store's id, else as it is. */
static uint64_t member_value(const struct otf2_archive *a, const struct otf2_group_def *def,
			     uint64_t member)
{
	const struct otf2_place *place;

	switch (def->type) {
	case OTF2_GROUP_TYPE_REGIONS: return region_id(a, member);
	case OTF2_GROUP_TYPE_LOCATIONS:
	case OTF2_GROUP_TYPE_COMM_LOCATIONS:
		place = otf2_place(a, member);
		return place ? place->location : UINT64_MAX;
	case OTF2_GROUP_TYPE_METRIC:
		return member > UINT32_MAX ? UINT64_MAX
					   : otf2_known(&a->metric_sets, (uint32_t)member);
	default: return member;
	}
}

static void add_groups(struct object_maker *m)
{
	struct otf2_archive *a = m->a;
	OWNED_VEC(uint64_t) values = VEC_INIT;
	const size_t n = otf2_own_groups(a, a->defs.groups.n);

	for (size_t i = 0; i < n; i++) {
		const struct otf2_group_def *def = &a->defs.groups.data[i];
		values.n = 0;
		vec_push(&values, def->type);
		vec_push(&values, def->paradigm);
		vec_push(&values, def->flags);
		for (uint32_t k = 0; k < def->n; k++)
			vec_push(&values, member_value(a, def, def->members[k]));
		add_object(m, def->id, OBJECT_GROUP, otf2_string(a, def->name), values.data,
			   (uint32_t)values.n);
	}
}

/* ---- values as text ---- */

/* A value as text: of strings the text, of numbers decimal. */
static void value_text(const struct otf2_archive *a, OTF2_Type type, OTF2_AttributeValue value,
		       struct str *out)
{
	switch (type) {
	case OTF2_TYPE_STRING: str_add(out, otf2_text(&a->defs, value.stringRef)); break;
	case OTF2_TYPE_UINT8: str_add_fmt(out, "%u", value.uint8); break;
	case OTF2_TYPE_UINT16: str_add_fmt(out, "%u", value.uint16); break;
	case OTF2_TYPE_UINT32: str_add_fmt(out, "%" PRIu32, value.uint32); break;
	case OTF2_TYPE_INT8: str_add_int(out, value.int8); break;
	case OTF2_TYPE_INT16: str_add_int(out, value.int16); break;
	case OTF2_TYPE_INT32: str_add_int(out, value.int32); break;
	case OTF2_TYPE_INT64: str_add_int(out, value.int64); break;
	case OTF2_TYPE_FLOAT: str_add_fmt(out, "%.9g", (double)value.float32); break;
	case OTF2_TYPE_DOUBLE: str_add_fmt(out, "%.17g", value.float64); break;
	default: str_add_fmt(out, "%" PRIu64, value.uint64); break;
	}
}

static uint32_t value_string(const struct otf2_archive *a, OTF2_Type type,
			     OTF2_AttributeValue value)
{
	OWNED_STR text = STR_INIT;

	value_text(a, type, value, &text);
	return builder_string(a->builder, text.text, text.n);
}

static void add_files(struct object_maker *m)
{
	struct otf2_archive *a = m->a;
	const struct otf2_io_paradigm_def *paradigm;
	const struct otf2_io_property_def *property;
	const struct otf2_file_def *file;
	const struct otf2_handle_def *handle;
	uint32_t next = 0;

	vec_each (paradigm, &a->defs.io_paradigms) {
		ADD_OBJECT(m, paradigm, OBJECT_IO_PARADIGM,
			   otf2_string(a, paradigm->identification), paradigm->cls,
			   paradigm->flags);
		for (const uint32_t last = next + paradigm->properties; next < last; next++) {
			property = &a->defs.io_properties.data[next];
			ADD_NAMED(m, next, OBJECT_IO_PROPERTY,
				  value_string(a, property->type, property->value),
				  property->property, property->type);
		}
	}
	vec_each (file, &a->defs.files)
		ADD_OBJECT(m, file, OBJECT_IO_FILE, otf2_known(&a->tree, file->node),
			   file->directory);
	vec_each (handle, &a->defs.handles)
		ADD_OBJECT(m, handle, OBJECT_IO_HANDLE,
			   otf2_object(a, OBJECT_IO_FILE, handle->file),
			   otf2_object(a, OBJECT_IO_PARADIGM, handle->paradigm), handle->flags,
			   comm_id(a, handle->comm),
			   otf2_object(a, OBJECT_IO_HANDLE, handle->parent));
}

/* ---- definitions that nothing names: numbered as they come ---- */

static void add_paradigms(struct object_maker *m)
{
	const struct otf2_defs *d = &m->a->defs;

	for (uint32_t i = 0; i < d->paradigms.n; i++) {
		const struct otf2_paradigm_def *def = &d->paradigms.data[i];
		ADD_NAMED(m, i, OBJECT_PARADIGM, otf2_string(m->a, def->name), def->paradigm,
			  def->cls);
	}
	for (uint32_t i = 0; i < d->paradigm_properties.n; i++) {
		const struct otf2_paradigm_property_def *def = &d->paradigm_properties.data[i];
		ADD_NAMED(m, i, OBJECT_PARADIGM_PROPERTY, value_string(m->a, def->type, def->value),
			  def->paradigm, def->property, def->type);
	}
}

static void add_dimensions(struct object_maker *m)
{
	const struct otf2_defs *d = &m->a->defs;
	struct otf2_ids rows = { 0 };
	uint32_t next = 0;

	for (size_t i = 0; i < d->dimensions.n; i++)
		otf2_ids_set(&rows, d->dimensions.data[i].id, (uint32_t)i);
	for (size_t i = 0; i < d->carts.n; i++)
		for (uint8_t k = 0; k < d->carts.data[i].n; k++) {
			const struct otf2_cart_def *def = &d->carts.data[i];
			const uint32_t row = otf2_ids_get(&rows, def->dims[k]);
			const uint32_t name =
				row == UINT32_MAX ? 0
						  : otf2_string(m->a, d->dimensions.data[row].name);
			if (name && def->topology != UINT32_MAX)
				ADD_NAMED(m, next++, OBJECT_DIMENSION, name, def->topology, k);
		}
	otf2_ids_fini(&rows);
}

static void add_paths(struct object_maker *m)
{
	const struct otf2_archive *a = m->a;
	const struct otf2_defs *d = &a->defs;
	const struct otf2_call_site_def *site;
	const struct otf2_callpath_def *path;

	vec_each (site, &d->call_sites)
		ADD_NAMED(m, site->id, OBJECT_CALL_SITE, otf2_string(a, site->file), site->line,
			  region_id(a, site->entered), region_id(a, site->left));
	vec_each (path, &d->callpaths)
		ADD_NAMED(m, path->id, OBJECT_CALLPATH, 0,
			  otf2_object(a, OBJECT_CALLPATH, path->parent),
			  region_id(a, path->region));
	for (uint32_t i = 0; i < d->callpath_parameters.n; i++) {
		const struct otf2_callpath_parameter_def *def = &d->callpath_parameters.data[i];
		ADD_NAMED(m, i, OBJECT_CALLPATH_PARAMETER, value_string(a, def->type, def->value),
			  otf2_object(a, OBJECT_CALLPATH, def->callpath),
			  otf2_object(a, OBJECT_PARAMETER, def->parameter), def->type);
	}
}

static void add_further(struct object_maker *m)
{
	const struct otf2_archive *a = m->a;
	const struct otf2_defs *d = &a->defs;

	for (uint32_t i = 0; i < d->domains.n; i++)
		ADD_NAMED(m, i, OBJECT_DOMAIN, 0, otf2_known(&a->tree, d->domains.data[i].node),
			  d->domains.data[i].domain);
	add_paradigms(m);
	add_dimensions(m);
	for (uint32_t i = 0; i < d->recorders.n; i++) {
		const struct otf2_place *place = otf2_place(a, d->recorders.data[i].recorder);
		ADD_NAMED(m, i, OBJECT_METRIC_RECORDER, 0,
			  otf2_known(&a->metric_sets, d->recorders.data[i].cls),
			  place ? place->location : UINT64_MAX);
	}
	add_paths(m);
}

/* ---- properties ---- */

static void add_properties(struct otf2_archive *a)
{
	OWNED_STR key = STR_INIT, value = STR_INIT;

	for (size_t i = 0; i < a->defs.properties.n; i++) {
		const struct otf2_property_def *def = &a->defs.properties.data[i];
		if (otf2_own_property(a, def))
			continue;
		str_clear(&key);
		str_clear(&value);
		str_add_fmt(&key, "%s %" PRIu64 " %s", def->of, def->id,
			    otf2_text(&a->defs, def->name));
		value_text(a, def->type, def->value, &value);
		builder_property(a->builder, key.text, value.text);
	}
}

void otf2_objects(struct otf2_archive *a)
{
	struct object_maker m = { .a = a };

	add_metrics(a);
	await_objects(&m);
	add_small_objects(&m);
	add_groups(&m);
	add_files(&m);
	add_further(&m);
	add_waiting(&m);
	add_copy_other(a);
	add_properties(a);
}
