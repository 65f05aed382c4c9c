/* Reading the tables of tview's header (doc/format.md, 1.1). Each line is the next row of its
 * table; references to rows that are not there yet, or never, become "none". */
#include <string.h>

#include "model/picl/picl_header.h"
#include "model/picl/read/picl_header_state.h"
#include "model/trace/program.h"

/* ---- values ---- */

static uint32_t text_of(const struct picl_reader *r, int64_t number)
{
	const struct picl_header *h = r->header;

	return number >= 1 && (uint64_t)number <= h->texts.n ? h->texts.data[number - 1] : 0;
}

uint64_t picl_value_in(struct picl_reader *r, enum picl_value sort, int64_t value)
{
	const struct picl_header *h = r->header;
	uint32_t call, comm;

	switch (sort) {
	case VALUE_STRING: return text_of(r, value);
	case VALUE_REGION:
		return (uint64_t)value < h->regions.n ? h->regions.data[value] : UINT64_MAX;
	case VALUE_LOCATION:
		return (uint64_t)value < h->locations.n && h->locations.data[value] != UINT32_MAX
			       ? h->locations.data[value]
			       : UINT64_MAX;
	case VALUE_COMM: return value != -1 && picl_comm_of(r, value, &comm) ? comm : UINT64_MAX;
	case VALUE_SITE:
		call = (uint32_t)((uint64_t)value >> 32);
		if (value == -1 || call >= r->calls.file.n)
			return UINT64_MAX;
		return picl_site(r, NULL, picl_kind(r, (int32_t)(uint32_t)value), call);
	case VALUE_SOURCE:
		if (value == -1)
			return UINT64_MAX;
		return (uint64_t)text_of(r, value >> 32) << 32 | (uint32_t)value;
	case VALUE_PLAIN: break;
	}
	return (uint64_t)value;
}

/* ---- words ---- */

static uint8_t next_byte(struct picl_words *w)
{
	const int64_t value = picl_next_integer(w);

	w->ok = w->ok && value >= 0 && value <= UINT8_MAX;
	return (uint8_t)value;
}

static uint32_t next_uint32(struct picl_words *w)
{
	const int64_t value = picl_next_integer(w);

	w->ok = w->ok && value >= 0 && value <= UINT32_MAX;
	return (uint32_t)value;
}

static uint32_t next_text(const struct picl_reader *r, struct picl_words *w)
{
	return text_of(r, picl_next_integer(w));
}

/* A row below n, UINT32_MAX for -1. */
static uint32_t next_row(struct picl_words *w, uint64_t n)
{
	const int64_t value = picl_next_integer(w);

	w->ok = w->ok && value >= -1 && value < (int64_t)n;
	return value == -1 ? UINT32_MAX : (uint32_t)value;
}

static bool has_more(const struct picl_words *w)
{
	return w->ok && w->p < w->end;
}

/* ---- lines ---- */

static bool take_string(struct picl_reader *r, struct picl_words *w)
{
	vec_push(&r->header->texts, builder_string(r->builder, w->p, (size_t)(w->end - w->p)));
	return true;
}

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool take_escaped(struct picl_reader *r, struct picl_words *w)
{
	struct str text = STR_INIT;

	for (const char *p = w->p; p < w->end; p++) {
		if (*p == '%' && w->end - p > 2 && hex(p[1]) >= 0 && hex(p[2]) >= 0) {
			str_add_char(&text, (char)(hex(p[1]) * 16 + hex(p[2])));
			p += 2;
		} else {
			str_add_char(&text, *p);
		}
	}
	vec_push(&r->header->texts, builder_string(r->builder, text.text, text.n));
	str_fini(&text);
	return true;
}

static bool next_class(struct picl_words *w, uint8_t *out)
{
	size_t n;
	const char *word = picl_next_word(w, &n);

	*out = (uint8_t)region_class_find(word, n);
	if (*out == CLASS_COUNT)
		w->ok = false;
	return w->ok;
}

static bool take_region(struct picl_reader *r, struct picl_words *w)
{
	struct region region = { 0 };

	next_class(w, &region.cls);
	region.picl = picl_next_int32(w);
	region.role = next_byte(w);
	region.paradigm = next_byte(w);
	region.flags = next_uint32(w);
	region.line = next_uint32(w);
	region.end_line = next_uint32(w);
	region.name = next_text(r, w);
	region.file = next_text(r, w);
	region.canonical = next_text(r, w);
	region.description = next_text(r, w);
	if (!w->ok)
		region = (struct region){ 0 };
	/* A row in any case, so that the others keep their numbers. */
	vec_push(&r->header->regions, builder_region_define(r->builder, &region));
	return w->ok;
}

static bool take_type(struct picl_reader *r, struct picl_words *w)
{
	const int32_t type = picl_next_int32(w);
	const uint32_t region = next_row(w, r->header->regions.n);
	const int32_t stands_for = picl_next_int32(w);
	struct picl_kind *kind;

	if (!w->ok || region == UINT32_MAX)
		return false;
	kind = picl_kind(r, type);
	kind->region = r->header->regions.data[region];
	kind->stands_for = stands_for;
	return true;
}

static bool take_comm(struct picl_reader *r, struct picl_words *w)
{
	struct picl_own_comm *comm;
	const int32_t subset = picl_next_int32(w);
	uint32_t *row;

	if (!w->ok)
		return false;
	row = keymap_add(&r->header->comm_rows, KEY_OF((uint32_t)subset));
	if (*row != UINT32_MAX)
		return false;
	*row = (uint32_t)r->header->comms.n;
	comm = vec_add(&r->header->comms);
	comm->kind = next_byte(w);
	comm->parent = picl_next_int32(w);
	comm->flags = next_uint32(w);
	comm->name = next_text(r, w);
	while (has_more(w))
		vec_push(&comm->remote, picl_next_int32(w));
	if (w->ok && comm->kind <= COMM_THREADS)
		return true;
	comm->kind = COMM_PROCESSES;
	comm->remote.n = 0;
	return false;
}

static bool take_tree(struct picl_reader *r, struct picl_words *w)
{
	struct tree_node node;

	node.parent = next_row(w, r->header->tree);
	node.cls = next_text(r, w);
	node.name = next_text(r, w);
	if (!w->ok)
		node = (struct tree_node){ .parent = UINT32_MAX };
	builder_tree_node(r->builder, &node);
	r->header->tree++;
	return w->ok;
}

static bool take_process(struct picl_reader *r, struct picl_words *w)
{
	struct process process;

	process.node = next_row(w, r->header->tree);
	process.type = next_byte(w);
	/* The creator may stand after. */
	process.creator = next_row(w, INT32_MAX);
	process.name = next_text(r, w);
	if (!w->ok)
		process = (struct process){ .node = UINT32_MAX, .creator = UINT32_MAX };
	builder_process(r->builder, &process);
	r->header->processes++;
	return w->ok;
}

static bool take_location(struct picl_reader *r, struct picl_words *w)
{
	const int32_t processor = picl_next_int32(w);
	const int32_t process = picl_next_int32(w);
	struct location l = { 0 };
	struct picl_place *place;

	l.rank = picl_next_int32(w);
	w->ok = w->ok && (l.rank >= 0 || l.rank == RANK_UNKNOWN);
	l.process = picl_next_int32(w);
	l.thread = picl_next_int32(w);
	l.type = next_byte(w);
	l.owner = next_row(w, r->header->processes);
	l.source_id = (uint64_t)picl_next_integer(w);
	l.name = next_text(r, w);
	l.node = next_text(r, w);
	l.source_name = next_text(r, w);
	if (!w->ok)
		return false;
	picl_header_place(r, processor, process, &l);
	place = picl_place(r, processor, process);
	if (!place)
		return false;
	if (!place->skipped)
		builder_location_owner(r->builder, place->location, l.owner, l.type, l.source_id);
	vec_push(&r->header->locations, place->location);
	return true;
}

static enum detail_type next_type(struct picl_words *w)
{
	size_t n;
	const char *word = picl_next_word(w, &n);

	return detail_find(word, n);
}

bool picl_is_enough(enum detail_type type, size_t n)
{
	const struct detail_info *info = detail_info(type);
	const bool open = info->fields && info->field[info->fields - 1].kind == FIELD_VALUES;

	return n + open >= info->fields;
}

static bool take_object(struct picl_reader *r, struct picl_words *w)
{
	struct picl_header *h = r->header;
	enum detail_type type = next_type(w);
	const uint32_t name = next_text(r, w);
	uint64_t attribute = 0;

	h->values.n = 0;
	picl_header_comms(r);
	if (type >= DETAIL_TYPES || detail_info(type)->kind != EV_KINDS)
		w->ok = false;
	for (uint32_t i = 0; has_more(w); i++)
		vec_push(&h->values,
			 picl_value_in(r, picl_value_of(type, i), picl_next_integer(w)));
	w->ok = w->ok && picl_is_enough(type, h->values.n);
	if (!w->ok) {
		static const uint64_t unknown[] = { 0 };
		builder_object(r->builder, OBJECT_PARAMETER, name, unknown, 1);
	} else {
		if (type == OBJECT_ATTRIBUTE)
			attribute = h->values.data[1];
		builder_object(r->builder, type, name, h->values.data, (uint32_t)h->values.n);
	}
	vec_push(&h->object_types, (uint8_t)(w->ok ? type : OBJECT_PARAMETER));
	vec_push(&h->attribute_types, attribute);
	return w->ok;
}

static bool take_metric(struct picl_reader *r, struct picl_words *w)
{
	struct metric m;

	m.type = next_byte(w);
	m.mode = next_byte(w);
	m.value = next_byte(w);
	m.base = next_byte(w);
	m.exponent = picl_next_integer(w);
	m.name = next_text(r, w);
	m.description = next_text(r, w);
	m.unit = next_text(r, w);
	w->ok = w->ok && m.mode < METRIC_MODES && m.value <= FIELD_FLOAT;
	if (!w->ok)
		m = (struct metric){ .base = 10 };
	builder_metric(r->builder, &m);
	r->header->metrics++;
	return w->ok;
}

static bool take_metric_set(struct picl_reader *r, struct picl_words *w)
{
	struct picl_header *h = r->header;
	struct metric_set set = { 0 };
	VEC(uint32_t) metrics = VEC_INIT;

	set.recorder = next_row(w, h->locations.n);
	set.occurrence = next_byte(w);
	set.scope_kind = next_byte(w);
	set.scope = (uint64_t)picl_next_integer(w);
	while (has_more(w)) {
		const uint32_t metric = next_row(w, h->metrics);
		w->ok = w->ok && metric != UINT32_MAX;
		vec_push(&metrics, metric);
	}
	if (set.recorder != UINT32_MAX && w->ok)
		set.recorder = h->locations.data[set.recorder];
	set.metrics = metrics.data;
	set.n = w->ok ? (uint32_t)metrics.n : 0;
	if (!w->ok)
		set.recorder = UINT32_MAX;
	builder_metric_set(r->builder, &set);
	vec_push(&h->set_sizes, set.n);
	vec_fini(&metrics);
	return w->ok;
}

/* "NUMBER NAME FIELDS ...": a sort of detail that this tview does not know keeps its records as
 * they are. */
static bool take_detail(struct picl_reader *r, struct picl_words *w)
{
	const int32_t number = picl_next_int32(w);
	const enum detail_type type = next_type(w);

	if (!w->ok || number < 0 || number > 10000)
		return false;
	while (r->header->details.n <= (size_t)number)
		vec_push(&r->header->details, (uint8_t)DETAIL_TYPES);
	if (type < DETAIL_TYPES && detail_info(type)->kind != EV_KINDS && type != DETAIL_METRIC)
		r->header->details.data[number] = (uint8_t)type;
	return true;
}

static bool take_marker(struct picl_reader *r, struct picl_words *w)
{
	struct marker m;

	if (!picl_next_time(r, w, &m.time) || !picl_next_time(r, w, &m.duration))
		return false;
	m.severity = next_byte(w);
	m.scope_kind = next_byte(w);
	m.scope = (uint64_t)picl_next_integer(w);
	m.category = next_text(r, w);
	m.text = next_text(r, w);
	if (!w->ok)
		return false;
	if (m.scope_kind == 1)
		m.scope = picl_value_in(r, VALUE_LOCATION, (int64_t)m.scope);
	builder_marker(r->builder, &m);
	return true;
}

static bool take_statement(struct picl_reader *r, struct picl_words *w)
{
	struct statement s = { 0 };
	int64_t values[STATEMENT_VALUES];

	for (int i = 0; i < STATEMENT_VALUES; i++)
		values[i] = picl_next_integer(w);
	s.name = next_text(r, w);
	s.file = next_text(r, w);
	s.reason = next_text(r, w);
	w->ok = w->ok && statement_from(values, &s) &&
		(s.parent == NO_STATEMENT || s.parent < builder_statement_count(r->builder));
	if (s.region < r->header->regions.n)
		s.region = r->header->regions.data[s.region];
	else
		s.region = UINT32_MAX;
	/* A row in any case, so that the others keep their numbers. */
	if (!w->ok)
		s = (struct statement){ .parent = NO_STATEMENT,
					.callee = NO_STATEMENT,
					.region = UINT32_MAX };
	builder_statement(r->builder, &s);
	return w->ok;
}

static bool take_odd_property(struct picl_reader *r, struct picl_words *w)
{
	const uint32_t key = next_text(r, w), value = next_text(r, w);

	if (w->ok)
		builder_property_define(r->builder, &(struct property){ key, value });
	return w->ok;
}

static bool take_site(struct picl_reader *r, struct picl_words *w)
{
	const int64_t id = picl_next_integer(w);
	const uint32_t line = next_uint32(w), file = next_text(r, w);

	return w->ok && picl_header_site(r, id, line, file);
}

picl_take_key *picl_tables_key(const char *key, size_t n)
{
	static const struct {
		const char *key;
		picl_take_key *take;
	} keys[] = {
		{ "string", take_string },      { "escaped", take_escaped },
		{ "region", take_region },      { "type", take_type },
		{ "comm", take_comm },          { "tree", take_tree },
		{ "process", take_process },    { "location", take_location },
		{ "object", take_object },      { "metric", take_metric },
		{ "metrics", take_metric_set }, { "detail", take_detail },
		{ "marker", take_marker },      { "property", take_odd_property },
		{ "site", take_site },          { "statement", take_statement },
	};
	const size_t prefix = strlen(PICL_TABLE_PREFIX);

	if (n <= prefix || memcmp(key, PICL_TABLE_PREFIX, prefix) != 0)
		return NULL;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (strlen(keys[i].key) == n - prefix &&
		    memcmp(keys[i].key, key + prefix, n - prefix) == 0)
			return keys[i].take;
	return NULL;
}

void picl_tables_drop(struct picl_header *h)
{
	for (size_t i = 0; i < h->comms.n; i++)
		vec_fini(&h->comms.data[i].remote);
	vec_fini(&h->texts);
	vec_fini(&h->regions);
	vec_fini(&h->locations);
	vec_fini(&h->comms);
	keymap_fini(&h->comm_rows);
	vec_fini(&h->object_types);
	vec_fini(&h->attribute_types);
	vec_fini(&h->set_sizes);
	vec_fini(&h->details);
	vec_fini(&h->values);
	vec_fini(&h->team);
}
