#include "model/otf2/read/otf2_own_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct otf2_own {
	struct keymap maps[OTF2_OWN_MAPS];
	size_t groups; /* the trace's own */
	int digits;    /* of a time, 0 not said */
};

static void set(struct otf2_archive *a, enum otf2_own_map map, struct key key, uint32_t value)
{
	*keymap_add(&a->own->maps[map], key) = value;
}

uint32_t otf2_own_of(const struct otf2_archive *a, enum otf2_own_map map, struct key key,
		     uint32_t none)
{
	const uint32_t *found = a->own ? keymap_find(&a->own->maps[map], key) : NULL;

	return found ? *found : none;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* ---- names ---- */

static uint32_t find_name(const struct otf2_own_name *rows, uint32_t n, const char *name,
			  OTF2_Type type)
{
	uint32_t i = 0;

	while (i < n && (rows[i].type != type || strcmp(rows[i].name, name) != 0))
		i++;
	return i;
}

static void find_names(struct otf2_archive *a)
{
	const struct otf2_attribute_def *attribute;
	const struct otf2_parameter_def *parameter;
	uint32_t i;

	vec_each (attribute, &a->defs.attributes) {
		i = find_name(otf2_own_attributes, OTF2_OWN_COUNT,
			      otf2_text(&a->defs, attribute->name), attribute->type);
		if (i < OTF2_OWN_COUNT)
			set(a, OTF2_OWN_ATTRIBUTES, KEY_OF(attribute->id), i);
	}
	vec_each (parameter, &a->defs.parameters) {
		i = find_name(otf2_own_records, OTF2_RECORDS, otf2_text(&a->defs, parameter->name),
			      OTF2_TYPE_STRING);
		if (i < OTF2_RECORDS && parameter->type == OTF2_PARAMETER_TYPE_STRING)
			set(a, OTF2_OWN_RECORDS, KEY_OF(parameter->id), i);
	}
}

static void find_groups(struct otf2_archive *a)
{
	for (size_t i = 0; i < a->defs.groups.n; i++) {
		const struct otf2_group_def *def = &a->defs.groups.data[i];
		const char *name = otf2_text(&a->defs, def->name);
		enum region_class cls;
		if (def->type != OTF2_GROUP_TYPE_REGIONS)
			continue;
		if (strcmp(name, OTF2_GROUP_MADE_UP) == 0)
			for (uint32_t k = 0; k < def->n; k++)
				set(a, OTF2_OWN_MADE_UP, KEY_OF((uint32_t)def->members[k]), 1);
		if (!begins(name, OTF2_GROUP_CLASS))
			continue;
		name += strlen(OTF2_GROUP_CLASS);
		cls = region_class_find(name, strlen(name));
		for (uint32_t k = 0; k < def->n && cls < CLASS_COUNT; k++)
			set(a, OTF2_OWN_CLASSES, KEY_OF((uint32_t)def->members[k]), cls);
	}
}

/* ---- properties ---- */

/* "NAME" or "NAME (n)". */
static bool is_part(const char *name, const char *list)
{
	return begins(name, list) && (!name[strlen(list)] || begins(name + strlen(list), " ("));
}

int64_t otf2_own_number(struct otf2_own_rows *r)
{
	char *end;
	const long long value = strtoll(r->text, &end, 10);

	r->damaged = r->damaged || end == r->text;
	r->text = end;
	return value;
}

bool otf2_own_row(struct otf2_own_rows *r)
{
	if (r->text) {
		r->text = strchr(r->text, ',');
		if (r->text)
			r->text++;
	}
	while (r->a->own && !r->text && r->next < r->a->defs.properties.n) {
		const struct otf2_property_def *def = &r->a->defs.properties.data[r->next++];
		if (def->type == OTF2_TYPE_STRING && strcmp(def->of, "system-node") == 0 &&
		    is_part(otf2_text(&r->a->defs, def->name), r->list))
			r->text = otf2_text(&r->a->defs, def->value.stringRef);
		else if (r->together)
			break;
	}
	r->damaged = false;
	return r->text != NULL;
}

static void take_pairs(struct otf2_archive *a, enum otf2_own_map map, const char *list)
{
	struct otf2_own_rows r = { .a = a, .list = list };

	while (otf2_own_row(&r)) {
		const uint32_t key = (uint32_t)otf2_own_number(&r);
		const uint32_t value = (uint32_t)otf2_own_number(&r);
		if (!r.damaged)
			set(a, map, KEY_OF(key), value);
	}
}

static void take_root_property(struct otf2_archive *a, uint32_t row, const char *name,
			       const char *value)
{
	if (begins(name, OTF2_PROPERTY_MEMBERS)) {
		const long comm = strtol(name + strlen(OTF2_PROPERTY_MEMBERS), NULL, 10);
		const struct key key = KEY_OF((uint32_t)comm);
		set(a, OTF2_OWN_MEMBERS, key, otf2_own_of(a, OTF2_OWN_MEMBERS, key, row));
	} else if (strcmp(name, OTF2_PROPERTY_ZERO) == 0)
		a->zero = strtoull(value, NULL, 10);
	else if (strcmp(name, OTF2_PROPERTY_DIGITS) == 0)
		a->own->digits = atoi(value);
	else if (strcmp(name, OTF2_PROPERTY_GROUPS) == 0)
		a->own->groups = (size_t)strtoull(value, NULL, 10);
}

/* The lower half of a value; part[3] is 1 for the upper one. */
static struct key place_key(uint64_t location, uint32_t what)
{
	return KEY_OF((uint32_t)location, (uint32_t)(location >> 32), what, 0);
}

static void take_place_property(struct otf2_archive *a, const struct otf2_property_def *def,
				const char *name)
{
	const uint32_t what = find_name(otf2_own_places, OTF2_PLACES, name, def->type);
	const uint64_t value = otf2_number(def->type, def->value);
	struct key key = place_key(def->id, what);

	if (what == OTF2_PLACES)
		return;
	set(a, OTF2_OWN_PLACES, key, (uint32_t)value);
	key.part[3] = 1;
	set(a, OTF2_OWN_PLACES, key, (uint32_t)(value >> 32));
}

static void find_properties(struct otf2_archive *a)
{
	for (size_t i = 0; i < a->defs.properties.n; i++) {
		const struct otf2_property_def *def = &a->defs.properties.data[i];
		const char *name = otf2_text(&a->defs, def->name);
		const bool made_up = strcmp(name, OTF2_MADE_UP) == 0;

		if (strcmp(def->of, "location") == 0)
			take_place_property(a, def, name);
		else if (strcmp(def->of, "process") == 0 && made_up)
			set(a, OTF2_OWN_PROCESSES, KEY_OF((uint32_t)def->id), 1);
		else if (strcmp(def->of, "system-node") == 0 && made_up)
			set(a, OTF2_OWN_NODES, KEY_OF((uint32_t)def->id), 1);
		else if (strcmp(def->of, "system-node") == 0 && def->type == OTF2_TYPE_STRING)
			take_root_property(a, (uint32_t)i, name,
					   otf2_text(&a->defs, def->value.stringRef));
	}
	take_pairs(a, OTF2_OWN_TYPES, OTF2_PROPERTY_TYPES);
	take_pairs(a, OTF2_OWN_SUBSETS, OTF2_PROPERTY_SUBSETS);
}

/* tview's archives have a property that tells where their regions' event types come from. */
static bool is_own(const struct otf2_archive *a)
{
	for (size_t i = 0; i < a->defs.properties.n; i++)
		if (is_part(otf2_text(&a->defs, a->defs.properties.data[i].name),
			    OTF2_PROPERTY_TYPES))
			return true;
	return false;
}

void otf2_own_find(struct otf2_archive *a)
{
	if (!is_own(a))
		return;
	a->own = xcalloc(1, sizeof *a->own);
	find_names(a);
	find_groups(a);
	find_properties(a);
}

void otf2_own_fini(struct otf2_archive *a)
{
	if (!a->own)
		return;
	for (int i = 0; i < OTF2_OWN_MAPS; i++)
		keymap_fini(&a->own->maps[i]);
	free(a->own);
	a->own = NULL;
}

/* ---- what the definitions ask ---- */

int64_t otf2_own_of_place(const struct otf2_archive *a, uint64_t location, enum otf2_own_place what,
			  int64_t none)
{
	struct key key = place_key(location, what);
	uint64_t value = otf2_own_of(a, OTF2_OWN_PLACES, key, (uint32_t)none);

	key.part[3] = 1;
	value |= (uint64_t)otf2_own_of(a, OTF2_OWN_PLACES, key, (uint32_t)(none >> 32)) << 32;
	return (int64_t)value;
}

int otf2_own_digits(const struct otf2_archive *a, int digits)
{
	return a->own && a->own->digits > 0 && a->own->digits <= 12 ? a->own->digits : digits;
}

size_t otf2_own_groups(const struct otf2_archive *a, size_t n)
{
	return a->own && a->own->groups < n ? a->own->groups : n;
}

void otf2_own_region(const struct otf2_archive *a, uint32_t id, struct region *region)
{
	const struct key key = KEY_OF(id);

	region->cls = (uint8_t)otf2_own_of(a, OTF2_OWN_CLASSES, key, region->cls);
	region->picl = (int32_t)otf2_own_of(a, OTF2_OWN_TYPES, key, (uint32_t)region->picl);
	if (otf2_own_of(a, OTF2_OWN_MADE_UP, key, false))
		region->role = region->paradigm = 0;
}

int32_t *otf2_own_members(const struct otf2_archive *a, uint32_t comm, uint32_t *n)
{
	const uint32_t first = otf2_own_of(a, OTF2_OWN_MEMBERS, KEY_OF(comm), UINT32_MAX);
	struct otf2_own_rows r = { .a = a, .next = first, .together = true };
	VEC(int32_t) members = VEC_INIT;
	OWNED_STR name = STR_INIT;

	str_add_fmt(&name, "%s%" PRIu32, OTF2_PROPERTY_MEMBERS, comm);
	r.list = name.text;
	while (otf2_own_row(&r))
		vec_push(&members, (int32_t)otf2_own_number(&r));
	*n = (uint32_t)members.n;
	return members.data;
}

/* What identifies a site, in the store's ids. */
static struct key site_key(const struct otf2_region *region, uint32_t file, uint32_t line,
			   int32_t type)
{
	return KEY_OF(region->region, file, line, (uint32_t)type);
}

void otf2_own_sites(struct otf2_archive *a)
{
	struct otf2_own_rows r = { .a = a, .list = OTF2_PROPERTY_SITES };

	keymap_fini(&a->own->maps[OTF2_OWN_SITES]);
	while (otf2_own_row(&r)) {
		const uint32_t row = otf2_ids_get(&a->region_ids, (uint32_t)otf2_own_number(&r));
		const int32_t type = (int32_t)otf2_own_number(&r);
		const uint32_t file = otf2_string(a, (uint32_t)otf2_own_number(&r));
		const uint32_t line = (uint32_t)otf2_own_number(&r);
		const struct otf2_region *region;
		if (row == UINT32_MAX || r.damaged)
			continue;
		region = &a->regions.data[row];
		set(a, OTF2_OWN_SITES, site_key(region, file, line, type),
		    builder_site(a->builder, region->region, file, line, type));
	}
}

uint32_t otf2_own_plain_site(struct otf2_archive *a, const struct otf2_region *region)
{
	const uint32_t site =
		otf2_own_of(a, OTF2_OWN_SITES, site_key(region, 0, 0, region->picl), UINT32_MAX);

	return site != UINT32_MAX ? site
				  : builder_site(a->builder, region->region, 0, 0, region->picl);
}

bool otf2_own_property(struct otf2_archive *a, const struct otf2_property_def *def)
{
	const char *name = otf2_text(&a->defs, def->name);
	OWNED_STR key = STR_INIT;

	if (!a->own || !begins(name, OTF2_PROPERTY_PREFIX))
		return false;
	name += strlen(OTF2_PROPERTY_PREFIX);
	if (strcmp(def->of, "system-node") != 0 || def->type != OTF2_TYPE_STRING || *name == '.')
		return true; /* known already */
	str_add_n(&key, name, otf2_own_key_length(name));
	builder_property(a->builder, key.text, otf2_text(&a->defs, def->value.stringRef));
	return true;
}

uint32_t otf2_own_site(const struct otf2_archive *a, const struct otf2_own_values *values,
		       uint32_t row)
{
	const struct otf2_region *region;
	uint32_t file = 0, line = 0;
	int32_t type;

	if (otf2_own_has(values, OTF2_OWN_REGION))
		row = otf2_ids_get(&a->region_ids, (uint32_t)values->v[OTF2_OWN_REGION]);
	if (row == UINT32_MAX)
		return a->wants_spare ? a->spare_site : UINT32_MAX;
	region = &a->regions.data[row];
	if (otf2_own_has(values, OTF2_OWN_CALL_SITE)) {
		const uint32_t place =
			otf2_ids_get(&a->code_places, (uint32_t)values->v[OTF2_OWN_CALL_SITE]);
		if (place != UINT32_MAX) {
			file = otf2_string(a, a->defs.places.data[place].file);
			line = a->defs.places.data[place].line;
		}
	}
	type = (int32_t)otf2_own_value(values, OTF2_OWN_EVENT_TYPE, (uint32_t)region->picl);
	return otf2_own_of(a, OTF2_OWN_SITES, site_key(region, file, line, type), region->site);
}

/* ---- markers ---- */

struct markers {
	struct otf2_archive *a;
	struct keymap categories; /* ref: string */
	struct keymap severities;
	uint32_t loose; /* ref of the records of no location, UINT32_MAX none */
};

static OTF2_CallbackCode on_def_marker(void *context, OTF2_MarkerRef self, const char *group,
				       const char *category, OTF2_MarkerSeverity severity)
{
	struct markers *m = context;
	OWNED_STR text = STR_INIT;

	if (strcmp(group, OTF2_MARKER_GROUP) == 0 && strcmp(category, OTF2_MARKER_LOOSE) == 0)
		m->loose = self;
	if (*group)
		str_add_fmt(&text, "%s: ", group);
	str_add(&text, category);
	*keymap_add(&m->categories, KEY_OF(self)) =
		builder_string(m->a->builder, text.text, text.n);
	*keymap_add(&m->severities, KEY_OF(self)) = severity;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_marker(void *context, OTF2_TimeStamp time, OTF2_TimeStamp duration,
				   OTF2_MarkerRef marker, OTF2_MarkerScope scope, uint64_t of,
				   const char *text)
{
	struct markers *m = context;
	const uint32_t *category = keymap_find(&m->categories, KEY_OF(marker));
	const uint32_t *severity = keymap_find(&m->severities, KEY_OF(marker));
	struct marker row = { .time = otf2_time(m->a, time), .scope_kind = scope, .scope = of };
	const struct otf2_place *place;

	if (marker == m->loose) {
		builder_loose(m->a->builder, row.time, 0, text, strlen(text));
		return OTF2_CALLBACK_SUCCESS;
	}
	if (scope == OTF2_MARKER_SCOPE_LOCATION) {
		place = otf2_place(m->a, of);
		row.scope = place ? place->location : UINT64_MAX;
	}
	row.duration = otf2_scaled(m->a, (int64_t)duration);
	row.category = category ? *category : 0;
	row.severity = severity ? (uint8_t)*severity : 0;
	row.text = builder_string(m->a->builder, text, strlen(text));
	builder_marker(m->a->builder, &row);
	return OTF2_CALLBACK_SUCCESS;
}

void otf2_markers(struct otf2_archive *a, OTF2_Reader *reader)
{
	OTF2_MarkerReader *markers = OTF2_Reader_GetMarkerReader(reader);
	OTF2_MarkerReaderCallbacks *callbacks;
	struct markers m = { .a = a, .loose = UINT32_MAX };
	uint64_t n;

	if (!markers)
		return;
	callbacks = OTF2_MarkerReaderCallbacks_New();
	OTF2_MarkerReaderCallbacks_SetDefMarkerCallback(callbacks, on_def_marker);
	OTF2_MarkerReaderCallbacks_SetMarkerCallback(callbacks, on_marker);
	OTF2_Reader_RegisterMarkerCallbacks(reader, markers, callbacks, &m);
	OTF2_MarkerReaderCallbacks_Delete(callbacks);
	if (OTF2_Reader_ReadAllMarkers(reader, markers, &n) != OTF2_SUCCESS)
		builder_finding(a->builder, FINDING_DAMAGE, "markers-cut", 0,
				"the file of markers is damaged or ends too early");
	OTF2_Reader_CloseMarkerReader(reader, markers);
	keymap_fini(&m.categories);
	keymap_fini(&m.severities);
}
