#include "model/otf2/read/otf2_defs.h"

#include <string.h>

#include "base/mem.h"

/* ---- ids ---- */

void otf2_ids_set(struct otf2_ids *ids, uint32_t id, uint32_t row)
{
	if (id >= OTF2_DENSE) {
		*keymap_add(&ids->sparse, KEY_OF(id)) = row;
		return;
	}
	if (id >= ids->dense.n) {
		const size_t more = id + 1 - ids->dense.n;
		vec_reserve(&ids->dense, more);
		memset(ids->dense.data + ids->dense.n, 0, more * sizeof *ids->dense.data);
		ids->dense.n += more;
	}
	ids->dense.data[id] = row + 1;
}

void otf2_ids_fini(struct otf2_ids *ids)
{
	vec_fini(&ids->dense);
	keymap_fini(&ids->sparse);
}

/* ---- one callback for each sort of definition ---- */

#define ARGUMENT(i, type, name) , type name
#define VALUE(i, type, name)    name,
#define PLAIN(table, type, record, ...)                                                         \
	static OTF2_CallbackCode on_##record(void *context FIELDS_EACH(ARGUMENT, __VA_ARGS__))  \
	{                                                                                       \
		struct otf2_defs *d = context;                                                  \
		vec_push(&d->table, ((struct otf2_##type){ FIELDS_EACH(VALUE, __VA_ARGS__) })); \
		return OTF2_CALLBACK_SUCCESS;                                                   \
	}
#include "model/otf2/read/otf2_defs.def"

static OTF2_CallbackCode on_Unknown(void *context)
{
	((struct otf2_defs *)context)->unknown++;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_ClockProperties(void *context, uint64_t resolution, uint64_t offset,
					    uint64_t length, uint64_t realtime)
{
	struct otf2_defs *d = context;

	d->has_clock = true;
	d->resolution = resolution;
	d->offset = offset;
	d->length = length;
	d->realtime = realtime;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_String(void *context, OTF2_StringRef self, const char *string)
{
	struct otf2_defs *d = context;

	otf2_ids_set(&d->string_ids, self, (uint32_t)d->strings.n);
	vec_push(&d->strings, d->text.n);
	str_add_n(&d->text, string ? string : "", string ? strlen(string) + 1 : 1);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_Group(void *context, OTF2_GroupRef self, OTF2_StringRef name,
				  OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
				  uint32_t n, const uint64_t *members)
{
	struct otf2_defs *d = context;
	uint64_t *copy = n ? xmalloc(n * sizeof *copy) : NULL;

	if (n)
		memcpy(copy, members, n * sizeof *copy);
	vec_push(&d->groups,
		 ((struct otf2_group_def){ self, name, flags, n, copy, type, paradigm }));
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_Comm(void *context, OTF2_CommRef self, OTF2_StringRef name,
				 OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
	struct otf2_defs *d = context;

	vec_push(&d->comms,
		 ((struct otf2_comm_def){ self, name, group, UINT32_MAX, parent, flags, false }));
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_InterComm(void *context, OTF2_CommRef self, OTF2_StringRef name,
				      OTF2_GroupRef group, OTF2_GroupRef remote,
				      OTF2_CommRef parent, OTF2_CommFlag flags)
{
	struct otf2_defs *d = context;

	vec_push(&d->comms,
		 ((struct otf2_comm_def){ self, name, group, remote, parent, flags, true }));
	return OTF2_CALLBACK_SUCCESS;
}

static uint32_t *copy_of(const uint32_t *values, uint8_t n)
{
	uint32_t *copy = n ? xmalloc(n * sizeof *copy) : NULL;

	if (n)
		memcpy(copy, values, n * sizeof *copy);
	return copy;
}

static OTF2_CallbackCode on_MetricClass(void *context, OTF2_MetricRef self, uint8_t n,
					const OTF2_MetricMemberRef *members,
					OTF2_MetricOccurrence occurrence,
					OTF2_RecorderKind recorder)
{
	struct otf2_defs *d = context;

	(void)recorder;
	vec_push(&d->classes,
		 ((struct otf2_class_def){ self, n, copy_of(members, n), occurrence }));
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_CartTopology(void *context, OTF2_CartTopologyRef self,
					 OTF2_StringRef name, OTF2_CommRef comm, uint8_t n,
					 const OTF2_CartDimensionRef *dims)
{
	struct otf2_defs *d = context;

	vec_push(&d->carts,
		 ((struct otf2_cart_def){ self, name, comm, n, copy_of(dims, n), UINT32_MAX }));
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_CartCoordinate(void *context, OTF2_CartTopologyRef cart, uint32_t rank,
					   uint8_t n, const uint32_t *at)
{
	struct otf2_defs *d = context;

	vec_push(&d->coords, ((struct otf2_coord_def){ cart, rank, n, copy_of(at, n) }));
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_IoParadigm(void *context, OTF2_IoParadigmRef self,
				       OTF2_StringRef identification, OTF2_StringRef name,
				       OTF2_IoParadigmClass cls, OTF2_IoParadigmFlag flags,
				       uint8_t n, const OTF2_IoParadigmProperty *properties,
				       const OTF2_Type *types, const OTF2_AttributeValue *values)
{
	struct otf2_defs *d = context;

	for (uint8_t i = 0; i < n; i++)
		vec_push(&d->io_properties,
			 ((struct otf2_io_property_def){ properties[i], types[i], values[i] }));
	vec_push(&d->io_paradigms,
		 ((struct otf2_io_paradigm_def){ identification, name, flags, self, cls, n }));
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_IoRegularFile(void *context, OTF2_IoFileRef self, OTF2_StringRef name,
					  OTF2_SystemTreeNodeRef node)
{
	struct otf2_defs *d = context;

	vec_push(&d->files, ((struct otf2_file_def){ self, name, node, false }));
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_IoDirectory(void *context, OTF2_IoFileRef self, OTF2_StringRef name,
					OTF2_SystemTreeNodeRef node)
{
	struct otf2_defs *d = context;

	vec_push(&d->files, ((struct otf2_file_def){ self, name, node, true }));
	return OTF2_CALLBACK_SUCCESS;
}

#define PROPERTY(record, of, ref)                                                        \
	static OTF2_CallbackCode on_##record(void *context, ref id, OTF2_StringRef name, \
					     OTF2_Type type, OTF2_AttributeValue value)  \
	{                                                                                \
		struct otf2_defs *d = context;                                           \
		vec_push(&d->properties,                                                 \
			 ((struct otf2_property_def){ of, id, name, type, value }));     \
		return OTF2_CALLBACK_SUCCESS;                                            \
	}
#include "model/otf2/read/otf2_defs.def"

/* ---- all of them ---- */

#define SET(record, function) OTF2_GlobalDefReaderCallbacks_Set##record##Callback(c, function)

static void set_callbacks(OTF2_GlobalDefReaderCallbacks *c)
{
#define CALLBACK(record)                  SET(record, on_##record);
#define PLAIN(table, struct, record, ...) CALLBACK(record)
#define PROPERTY(record, ...)             CALLBACK(record)
#include "model/otf2/read/otf2_defs.def"
}

bool otf2_defs_read(struct otf2_defs *defs, OTF2_Reader *reader)
{
	OTF2_GlobalDefReader *global = OTF2_Reader_GetGlobalDefReader(reader);
	OTF2_GlobalDefReaderCallbacks *callbacks;
	uint64_t n;
	bool ok;

	if (!global)
		return false;
	callbacks = OTF2_GlobalDefReaderCallbacks_New();
	set_callbacks(callbacks);
	OTF2_Reader_RegisterGlobalDefCallbacks(reader, global, callbacks, defs);
	OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
	ok = OTF2_Reader_ReadAllGlobalDefinitions(reader, global, &n) == OTF2_SUCCESS;
	OTF2_Reader_CloseGlobalDefReader(reader, global);
	return ok;
}

const char *otf2_text(const struct otf2_defs *defs, uint32_t id)
{
	const uint32_t row = otf2_ids_get(&defs->string_ids, id);

	return row == UINT32_MAX ? "" : defs->text.text + defs->strings.data[row];
}

void otf2_defs_init(struct otf2_defs *defs)
{
	memset(defs, 0, sizeof *defs);
	str_init(&defs->text);
}

void otf2_defs_fini(struct otf2_defs *defs)
{
	for (size_t i = 0; i < defs->groups.n; i++)
		free(defs->groups.data[i].members);
	for (size_t i = 0; i < defs->classes.n; i++)
		free(defs->classes.data[i].members);
	for (size_t i = 0; i < defs->carts.n; i++)
		free(defs->carts.data[i].dims);
	for (size_t i = 0; i < defs->coords.n; i++)
		free(defs->coords.data[i].at);
	str_fini(&defs->text);
	vec_fini(&defs->strings);
	otf2_ids_fini(&defs->string_ids);
#define PLAIN(table, ...)   vec_fini(&defs->table);
#define SPECIAL(table, ...) vec_fini(&defs->table);
#include "model/otf2/read/otf2_defs.def"
}

void otf2_break_cycles(uint32_t *parent, size_t n)
{
	enum { NEW, UNDER_WAY, DONE };
	OWNED uint8_t *state = xcalloc(n ? n : 1, 1);

	for (size_t i = 0; i < n; i++) {
		uint32_t at = (uint32_t)i, last = UINT32_MAX;
		while (at != UINT32_MAX && state[at] == NEW) {
			state[at] = UNDER_WAY;
			last = at;
			at = parent[at];
		}
		if (at != UINT32_MAX && state[at] == UNDER_WAY)
			parent[last] = UINT32_MAX;
		for (at = (uint32_t)i; at != UINT32_MAX && state[at] == UNDER_WAY; at = parent[at])
			state[at] = DONE;
	}
}

uint32_t *otf2_parents_first(uint32_t *parent, size_t n)
{
	uint32_t *order = xmalloc((n + 1) * sizeof *order);
	OWNED bool *done = xcalloc(n + 1, sizeof *done);
	size_t begin = 0, end = 0;

	otf2_break_cycles(parent, n);
	for (size_t i = 0; i < n; i++) {
		for (uint32_t at = (uint32_t)i; at != UINT32_MAX && !done[at]; at = parent[at]) {
			done[at] = true;
			order[end++] = at;
		}
		for (size_t last = end; begin + 1 < last; begin++) {
			const uint32_t child = order[begin];
			order[begin] = order[--last];
			order[last] = child;
		}
		begin = end;
	}
	return order;
}

uint64_t otf2_number(OTF2_Type type, OTF2_AttributeValue value)
{
	union {
		double value;
		uint64_t bits;
	} real;

	switch (type) {
	case OTF2_TYPE_UINT8: return value.uint8;
	case OTF2_TYPE_UINT16: return value.uint16;
	case OTF2_TYPE_INT8: return (uint64_t)(int64_t)value.int8;
	case OTF2_TYPE_INT16: return (uint64_t)(int64_t)value.int16;
	case OTF2_TYPE_INT32: return (uint64_t)(int64_t)value.int32;
	case OTF2_TYPE_FLOAT: real.value = (double)value.float32; return real.bits;
	case OTF2_TYPE_UINT64:
	case OTF2_TYPE_INT64:
	case OTF2_TYPE_DOUBLE:
	case OTF2_TYPE_LOCATION: return value.uint64;
	default: return value.uint32;
	}
}
