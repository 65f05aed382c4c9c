#include "model/otf2/read/otf2_own_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { NO_RECORD = -1, RECORDS = 6 };

struct otf2_own {
	struct keymap attributes, records; /* ref: which */
	struct keymap classes, made_up;    /* region */
	struct keymap types;               /* region: event type */
	struct keymap members; /* communicator: row of the first property that lists them */
	struct keymap subsets; /* communicator: PICL subset */
	struct keymap places;  /* location in two halves, what: value */
	struct keymap made_nodes, made_processes;
	struct keymap sites; /* region, file, line, event type, in the store's ids: site */
	size_t groups;       /* that are the trace's */
	int digits;          /* of a time, 0 not said */
};

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* True for names that are none of the trace's. */
static bool otf2_own_is_name(const char *name)
{
	return begins(name, OTF2_PROPERTY_PREFIX);
}

/* ---- names ---- */

static void find_attributes(struct otf2_archive *a)
{
	static const char *const names[] = {
#define NAME(word, name, type, text) name,
		OTF2_OWN_ATTRIBUTES(NAME)
#undef NAME
	};
	static const OTF2_Type types[] = {
#define TYPE(word, name, type, text) OTF2_TYPE_##type,
		OTF2_OWN_ATTRIBUTES(TYPE)
#undef TYPE
	};

	for (size_t i = 0; i < a->defs.attributes.n; i++) {
		const struct otf2_attribute_def *def = &a->defs.attributes.data[i];
		for (uint32_t k = 0; k < OTF2_OWN_COUNT; k++)
			if (strcmp(otf2_text(&a->defs, def->name), names[k]) == 0 &&
			    def->type == types[k])
				*keymap_add(&a->own->attributes, KEY_OF(def->id)) = k;
	}
}

static void find_records(struct otf2_archive *a)
{
	static const char *const names[RECORDS] = {
		OTF2_PARAMETER_MARK,  OTF2_PARAMETER_DATA, OTF2_PARAMETER_MESSAGE,
		OTF2_PARAMETER_STATS, OTF2_PARAMETER_IO,   OTF2_PARAMETER_UNKNOWN
	};

	for (size_t i = 0; i < a->defs.parameters.n; i++) {
		const struct otf2_parameter_def *def = &a->defs.parameters.data[i];
		for (uint32_t k = 0; k < RECORDS; k++)
			if (def->type == OTF2_PARAMETER_TYPE_STRING &&
			    strcmp(otf2_text(&a->defs, def->name), names[k]) == 0)
				*keymap_add(&a->own->records, KEY_OF(def->id)) = k;
	}
}

static void find_groups(struct otf2_archive *a)
{
	for (size_t i = 0; i < a->defs.groups.n; i++) {
		const struct otf2_group_def *def = &a->defs.groups.data[i];
		const char *name = otf2_text(&a->defs, def->name);
		uint32_t cls = 0;
		if (def->type != OTF2_GROUP_TYPE_REGIONS)
			continue;
		if (strcmp(name, OTF2_GROUP_MADE_UP) == 0)
			for (uint32_t k = 0; k < def->n; k++)
				*keymap_add(&a->own->made_up, KEY_OF((uint32_t)def->members[k])) =
					1;
		if (!begins(name, OTF2_GROUP_CLASS))
			continue;
		name += strlen(OTF2_GROUP_CLASS);
		while (cls < CLASS_COUNT &&
		       strcmp(name, region_class_name((enum region_class)cls)) != 0)
			cls++;
		for (uint32_t k = 0; k < def->n && cls < CLASS_COUNT; k++)
			*keymap_add(&a->own->classes, KEY_OF((uint32_t)def->members[k])) = cls;
	}
}

/* ---- properties ---- */

/* Gives rows of up to four numbers, one after the other; false at the end, or where the text is
 * none of ours. */
static bool next_row(const char **text, int64_t *row, int n)
{
	char *end;

	for (int i = 0; i < n; i++) {
		row[i] = strtoll(*text, &end, 10);
		if (end == *text)
			return false;
		*text = end;
	}
	*text += strspn(*text, ", ");
	return true;
}

static void take_pairs(struct keymap *map, const char *text)
{
	int64_t row[2];

	while (next_row(&text, row, 2))
		*keymap_add(map, KEY_OF((uint32_t)row[0])) = (uint32_t)row[1];
}

/* "NAME" or "NAME (n)". */
bool otf2_own_is_part(const char *name, const char *list)
{
	return begins(name, list) && (!name[strlen(list)] || begins(name + strlen(list), " ("));
}

static int32_t int_value(const struct otf2_property_def *def)
{
	return def->type == OTF2_TYPE_INT32 ? def->value.int32 : 0;
}

static void take_root_property(struct otf2_archive *a, uint32_t row, const char *name,
			       const char *value)
{
	if (begins(name, OTF2_PROPERTY_MEMBERS)) {
		const long comm = strtol(name + strlen(OTF2_PROPERTY_MEMBERS), NULL, 10);
		uint32_t *first = keymap_add(&a->own->members, KEY_OF((uint32_t)comm));
		if (*first == UINT32_MAX)
			*first = row;
	} else if (otf2_own_is_part(name, OTF2_PROPERTY_TYPES))
		take_pairs(&a->own->types, value);
	else if (otf2_own_is_part(name, OTF2_PROPERTY_SUBSETS))
		take_pairs(&a->own->subsets, value);
	else if (strcmp(name, OTF2_PROPERTY_ZERO) == 0)
		a->defs.offset = strtoull(value, NULL, 10);
	else if (strcmp(name, OTF2_PROPERTY_DIGITS) == 0)
		a->own->digits = atoi(value);
	else if (strcmp(name, OTF2_PROPERTY_GROUPS) == 0)
		a->own->groups = (size_t)strtoull(value, NULL, 10);
}

static void take_place_property(struct otf2_archive *a, const struct otf2_property_def *def,
				const char *name)
{
	static const char *const names[] = {
		[OTF2_OWN_RANK] = OTF2_LOCATION_RANK,
		[OTF2_OWN_PROCESS] = OTF2_LOCATION_PROCESS,
		[OTF2_OWN_THREAD] = OTF2_LOCATION_THREAD,
		[OTF2_OWN_ABSENT] = OTF2_LOCATION_ABSENT,
		[OTF2_OWN_TRIPS] = OTF2_LOCATION_TRIPS,
		[OTF2_OWN_ONE_NAME] = OTF2_LOCATION_ONE_NAME,
		[OTF2_OWN_TYPE] = OTF2_LOCATION_TYPE,
	};

	const struct key key = { { (uint32_t)def->id, (uint32_t)(def->id >> 32) } };
	struct key at = key;

	if (strcmp(name, OTF2_LOCATION_NAME) == 0 && def->type == OTF2_TYPE_STRING) {
		at.part[2] = OTF2_OWN_NAME;
		*keymap_add(&a->own->places, at) = def->value.stringRef;
	} else if (strcmp(name, OTF2_LOCATION_ID) == 0 && def->type == OTF2_TYPE_UINT64) {
		at.part[2] = OTF2_OWN_ID;
		*keymap_add(&a->own->places, at) = (uint32_t)def->value.uint64;
		at.part[2] = OTF2_OWN_ID_HIGH;
		*keymap_add(&a->own->places, at) = (uint32_t)(def->value.uint64 >> 32);
	}
	for (at.part[2] = 0; at.part[2] < sizeof names / sizeof *names; at.part[2]++)
		if (names[at.part[2]] && strcmp(name, names[at.part[2]]) == 0)
			*keymap_add(&a->own->places, at) = (uint32_t)int_value(def);
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
			*keymap_add(&a->own->made_processes, KEY_OF((uint32_t)def->id)) = 1;
		else if (strcmp(def->of, "system-node") == 0 && made_up)
			*keymap_add(&a->own->made_nodes, KEY_OF((uint32_t)def->id)) = 1;
		else if (strcmp(def->of, "system-node") == 0 && def->type == OTF2_TYPE_STRING)
			take_root_property(a, (uint32_t)i, name,
					   otf2_text(&a->defs, def->value.stringRef));
	}
}

/* Our archives say where their regions' event types come from. */
static bool is_own(const struct otf2_archive *a)
{
	for (size_t i = 0; i < a->defs.properties.n; i++)
		if (otf2_own_is_part(otf2_text(&a->defs, a->defs.properties.data[i].name),
				     OTF2_PROPERTY_TYPES))
			return true;
	return false;
}

void otf2_own_find(struct otf2_archive *a)
{
	if (!is_own(a))
		return;
	a->own = xcalloc(1, sizeof *a->own);
	find_attributes(a);
	find_records(a);
	find_groups(a);
	find_properties(a);
}

void otf2_own_fini(struct otf2_archive *a)
{
	struct otf2_own *own = a->own;

	if (!own)
		return;
	keymap_fini(&own->attributes);
	keymap_fini(&own->records);
	keymap_fini(&own->classes);
	keymap_fini(&own->made_up);
	keymap_fini(&own->types);
	keymap_fini(&own->members);
	keymap_fini(&own->subsets);
	keymap_fini(&own->places);
	keymap_fini(&own->made_nodes);
	keymap_fini(&own->made_processes);
	keymap_fini(&own->sites);
	free(own);
	a->own = NULL;
}

/* ---- what the definitions ask ---- */

bool otf2_own_says(const struct otf2_archive *a, uint64_t location, enum otf2_own_place what,
		   int32_t *value)
{
	const uint32_t *found = NULL;

	if (a->own)
		found = keymap_find(&a->own->places,
				    KEY_OF((uint32_t)location, (uint32_t)(location >> 32),
					   (uint32_t)what));
	if (found)
		*value = (int32_t)*found;
	return found != NULL;
}

int otf2_own_digits(const struct otf2_archive *a, int digits)
{
	return a->own && a->own->digits > 0 && a->own->digits <= 12 ? a->own->digits : digits;
}

size_t otf2_own_groups(const struct otf2_archive *a, size_t n)
{
	return a->own && a->own->groups < n ? a->own->groups : n;
}

bool otf2_own_made_node(const struct otf2_archive *a, uint32_t id)
{
	return a->own && keymap_find(&a->own->made_nodes, KEY_OF(id));
}

bool otf2_own_made_process(const struct otf2_archive *a, uint32_t id)
{
	return a->own && keymap_find(&a->own->made_processes, KEY_OF(id));
}

void otf2_own_region(const struct otf2_archive *a, uint32_t id, struct region *region)
{
	const struct key key = { { id } };
	const uint32_t *found;

	if (!a->own)
		return;
	found = keymap_find(&a->own->classes, key);
	if (found)
		region->cls = (uint8_t)*found;
	found = keymap_find(&a->own->types, key);
	if (found)
		region->picl = (int32_t)*found;
	if (keymap_find(&a->own->made_up, key))
		region->role = region->paradigm = 0;
}

int32_t otf2_own_subset(const struct otf2_archive *a, uint32_t comm)
{
	const uint32_t *found = a->own ? keymap_find(&a->own->subsets, KEY_OF(comm)) : NULL;

	return found ? (int32_t)*found : 0;
}

int32_t *otf2_own_members(const struct otf2_archive *a, uint32_t comm, uint32_t *n)
{
	const uint32_t *first = a->own ? keymap_find(&a->own->members, KEY_OF(comm)) : NULL;
	VEC(int32_t) members = VEC_INIT;
	struct str name = STR_INIT;
	int64_t rank;

	if (!first)
		return NULL;
	str_add_fmt(&name, "%s%" PRIu32, OTF2_PROPERTY_MEMBERS, comm);
	for (size_t i = *first; i < a->defs.properties.n; i++) {
		const struct otf2_property_def *def = &a->defs.properties.data[i];
		const char *text = otf2_text(&a->defs, def->value.stringRef);
		if (!otf2_own_is_part(otf2_text(&a->defs, def->name), name.text))
			break;
		while (next_row(&text, &rank, 1))
			vec_push(&members, (int32_t)rank);
	}
	str_fini(&name);
	*n = (uint32_t)members.n;
	return members.data;
}

int64_t *otf2_own_list(const struct otf2_archive *a, const char *name, int n, size_t *rows)
{
	VEC(int64_t) list = VEC_INIT;
	int64_t row[4];

	for (size_t i = 0; i < a->defs.properties.n && a->own; i++) {
		const struct otf2_property_def *def = &a->defs.properties.data[i];
		const char *text = otf2_text(&a->defs, def->value.stringRef);
		if (def->type != OTF2_TYPE_STRING ||
		    !otf2_own_is_part(otf2_text(&a->defs, def->name), name))
			continue;
		while (next_row(&text, row, n))
			for (int k = 0; k < n; k++)
				vec_push(&list, row[k]);
	}
	*rows = list.n / (size_t)n;
	return list.data;
}

void otf2_own_sites(struct otf2_archive *a)
{
	size_t n;
	int64_t *list = otf2_own_list(a, OTF2_PROPERTY_SITES, 4, &n);

	keymap_fini(&a->own->sites);
	a->own->sites = (struct keymap){ NULL, 0, 0 };
	for (const int64_t *row = list; row < list + 4 * n; row += 4) {
		const uint32_t region = otf2_ids_get(&a->region_ids, (uint32_t)row[0]);
		const uint32_t file = otf2_string(a, (uint32_t)row[2]), line = (uint32_t)row[3];
		uint32_t id;
		if (region == UINT32_MAX)
			continue;
		id = a->regions.data[region].region;
		*keymap_add(&a->own->sites, KEY_OF(id, file, line, (uint32_t)row[1])) =
			builder_site(a->builder, id, file, line, (int32_t)row[1]);
	}
	free(list);
}

uint32_t otf2_own_plain_site(struct otf2_archive *a, const struct otf2_region *region)
{
	const struct key key = { { region->region, 0, 0, (uint32_t)region->picl } };
	const uint32_t *found = keymap_find(&a->own->sites, key);

	return found ? *found : builder_site(a->builder, region->region, 0, 0, region->picl);
}

size_t otf2_own_key_length(const char *key)
{
	const char *open = strrchr(key, '(');
	char *end;

	if (!open || open - key < 2 || open[-1] != ' ' || strtol(open + 1, &end, 10) < 1 ||
	    end == open + 1 || strcmp(end, ")") != 0)
		return strlen(key);
	return (size_t)(open - 1 - key);
}

bool otf2_own_property(struct otf2_archive *a, const struct otf2_property_def *def)
{
	const char *name = otf2_text(&a->defs, def->name);
	struct str key = STR_INIT;

	if (!a->own || !otf2_own_is_name(name))
		return false;
	name += strlen(OTF2_PROPERTY_PREFIX);
	if (strcmp(def->of, "system-node") != 0 || def->type != OTF2_TYPE_STRING || *name == '.')
		return true; /* known already */
	str_add_n(&key, name, otf2_own_key_length(name));
	builder_property(a->builder, key.text, otf2_text(&a->defs, def->value.stringRef));
	str_fini(&key);
	return true;
}

int otf2_own_attribute_of(const struct otf2_archive *a, uint32_t ref)
{
	const uint32_t *found = a->own ? keymap_find(&a->own->attributes, KEY_OF(ref)) : NULL;

	return found ? (int)*found : NO_RECORD;
}

int otf2_own_record_of(const struct otf2_archive *a, uint32_t ref)
{
	const uint32_t *found = a->own ? keymap_find(&a->own->records, KEY_OF(ref)) : NULL;

	return found ? (int)*found : NO_RECORD;
}

uint32_t otf2_own_site(const struct otf2_archive *a, const struct otf2_own_values *values,
		       uint32_t row)
{
	const struct otf2_region *region;
	uint32_t file = 0, line = 0;
	const uint32_t *found;
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
	type = otf2_own_has(values, OTF2_OWN_EVENT_TYPE) ? (int32_t)values->v[OTF2_OWN_EVENT_TYPE]
							 : region->picl;
	found = keymap_find(&a->own->sites, KEY_OF(region->region, file, line, (uint32_t)type));
	return found ? *found : region->site;
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
	struct str text = STR_INIT;

	if (strcmp(group, OTF2_MARKER_GROUP) == 0 && strcmp(category, OTF2_MARKER_LOOSE) == 0)
		m->loose = self;
	if (*group)
		str_add_fmt(&text, "%s: ", group);
	str_add(&text, category);
	*keymap_add(&m->categories, KEY_OF(self)) =
		builder_string(m->a->builder, text.text, text.n);
	*keymap_add(&m->severities, KEY_OF(self)) = severity;
	str_fini(&text);
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
