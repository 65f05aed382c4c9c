/* Reading the tables of tview's header (doc/format.md, 1.1). Each line is the next row of its
 * table; references to later or missing rows become "none". */
#include <string.h>

#include "model/picl/picl_header.h"
#include "model/picl/picl_rows.h"
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
		if (value == -1 || call >= r->calls.n)
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
	return (uint8_t)picl_next_within(w, 0, UINT8_MAX);
}

static uint32_t next_uint32(struct picl_words *w)
{
	return (uint32_t)picl_next_within(w, 0, UINT32_MAX);
}

static uint64_t next_uint64(struct picl_words *w)
{
	return (uint64_t)picl_next_integer(w);
}

static uint32_t next_text(struct picl_words *w)
{
	return text_of(w->r, picl_next_integer(w));
}

/* A row of a table of n rows. */
static uint32_t next_of(struct picl_words *w, size_t n)
{
	return (uint32_t)picl_next_within(w, 0, (int64_t)n - 1);
}

/* A row of a table that may be longer than it is now, UINT32_MAX for -1. */
static uint32_t next_row(struct picl_words *w)
{
	return (uint32_t)picl_next_within(w, -1, INT32_MAX - 1);
}

static void check_row(struct picl_words *w, uint32_t row, uint32_t n)
{
	w->ok = w->ok && (row == UINT32_MAX || row < n);
}

static uint32_t next_location(struct picl_words *w)
{
	const uint32_t row = next_row(w);

	check_row(w, row, (uint32_t)w->r->header->locations.n);
	return w->ok && row != UINT32_MAX ? w->r->header->locations.data[row] : UINT32_MAX;
}

static uint8_t next_class(struct picl_words *w)
{
	size_t n;
	const char *word = picl_next_word(w, &n);
	const enum region_class cls = region_class_find(word, n);

	w->ok = w->ok && cls != CLASS_COUNT;
	return (uint8_t)cls;
}

#define next_int32        picl_next_int32
#define next_int64        picl_next_integer
#define next_time         picl_next_time
#define TAKE(field, sort) row.field = next_##sort(w);

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
	OWNED_STR text = STR_INIT;

	for (const char *p = w->p; p < w->end; p++) {
		if (*p == '%' && w->end - p > 2 && hex(p[1]) >= 0 && hex(p[2]) >= 0) {
			str_add_char(&text, (char)(hex(p[1]) * 16 + hex(p[2])));
			p += 2;
		} else {
			str_add_char(&text, *p);
		}
	}
	vec_push(&r->header->texts, builder_string(r->builder, text.text, text.n));
	return true;
}

/* A region that cannot be understood gets a row, too, so that the others keep their numbers. */

static bool take_region(struct picl_reader *r, struct picl_words *w)
{
	struct region row = { 0 };

	PICL_REGION(TAKE)
	if (!w->ok)
		row = (struct region){ 0 };
	vec_push(&r->header->regions, builder_region_define(r->builder, &row));
	return w->ok;
}

static bool take_type(struct picl_reader *r, struct picl_words *w)
{
	const int32_t type = picl_next_int32(w);
	const uint32_t region = next_of(w, r->header->regions.n);
	const int32_t stands_for = picl_next_int32(w);
	struct picl_kind *kind;

	if (!w->ok)
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
	uint32_t row;

	if (!w->ok ||
	    !keymap_new(&r->header->comm_rows, KEY_OF((uint32_t)subset), r->header->comms.n, &row))
		return false;
	comm = vec_add(&r->header->comms);
	comm->kind = next_byte(w);
	comm->parent = picl_next_int32(w);
	comm->flags = next_uint32(w);
	comm->name = next_text(w);
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
	struct tree_node row;

	PICL_TREE_NODE(TAKE)
	check_row(w, row.parent, r->header->tree++);
	if (!w->ok)
		row = (struct tree_node){ .parent = UINT32_MAX };
	builder_tree_node(r->builder, &row);
	return w->ok;
}

static bool take_process(struct picl_reader *r, struct picl_words *w)
{
	struct process row;

	/* The creator may come later. */
	PICL_PROCESS(TAKE)
	check_row(w, row.node, r->header->tree);
	if (!w->ok)
		row = (struct process){ .node = UINT32_MAX, .creator = UINT32_MAX };
	builder_process(r->builder, &row);
	r->header->processes++;
	return w->ok;
}

static bool take_location(struct picl_reader *r, struct picl_words *w)
{
	const int32_t processor = picl_next_int32(w);
	const int32_t process = picl_next_int32(w);
	struct location row = { 0 };
	struct picl_place *place;

	PICL_LOCATION(TAKE)
	check_row(w, row.owner, r->header->processes);
	if (!w->ok || (row.rank < 0 && row.rank != RANK_UNKNOWN))
		return false;
	picl_header_place(r, processor, process, &row);
	place = picl_place(r, processor, process);
	if (!place)
		return false;
	if (!place->skipped)
		builder_location_owner(r->builder, place->location, row.owner, row.type,
				       row.source_id);
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
	const uint32_t name = next_text(w);
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
	struct metric row;

	PICL_METRIC(TAKE)
	w->ok = w->ok && row.mode < METRIC_MODES && row.value <= FIELD_FLOAT;
	if (!w->ok)
		row = (struct metric){ .base = 10 };
	builder_metric(r->builder, &row);
	r->header->metrics++;
	return w->ok;
}

static bool take_metric_set(struct picl_reader *r, struct picl_words *w)
{
	struct metric_set row = { 0 };
	OWNED_VEC(uint32_t) metrics = VEC_INIT;

	PICL_METRIC_SET(TAKE)
	while (has_more(w))
		vec_push(&metrics, next_of(w, r->header->metrics));
	row.metrics = metrics.data;
	row.n = w->ok ? (uint32_t)metrics.n : 0;
	if (!w->ok)
		row.recorder = UINT32_MAX;
	builder_metric_set(r->builder, &row);
	vec_push(&r->header->set_sizes, row.n);
	return w->ok;
}

/* "NUMBER NAME FIELDS ...": records of a detail type that this version does not know are kept
 * verbatim. */
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
	struct marker row;

	PICL_MARKER(TAKE)
	if (!w->ok)
		return false;
	if (row.scope_kind == 1)
		row.scope = picl_value_in(r, VALUE_LOCATION, (int64_t)row.scope);
	builder_marker(r->builder, &row);
	return true;
}

static bool take_statement(struct picl_reader *r, struct picl_words *w)
{
	struct statement row = { 0 };
	int64_t values[STATEMENT_VALUES];

	for (int i = 0; i < STATEMENT_VALUES; i++)
		values[i] = picl_next_integer(w);
	PICL_STATEMENT(TAKE)
	w->ok = w->ok && statement_from(values, &row) &&
		(row.parent == NO_STATEMENT || row.parent < builder_statement_count(r->builder));
	row.region = row.region < r->header->regions.n ? r->header->regions.data[row.region]
						       : UINT32_MAX;
	if (!w->ok)
		row = (struct statement){ .parent = NO_STATEMENT,
					  .callee = NO_STATEMENT,
					  .region = UINT32_MAX };
	builder_statement(r->builder, &row);
	return w->ok;
}

static bool take_odd_property(struct picl_reader *r, struct picl_words *w)
{
	struct property row;

	PICL_PROPERTY(TAKE)
	if (w->ok)
		builder_property_define(r->builder, &row);
	return w->ok;
}

static bool take_site(struct picl_reader *r, struct picl_words *w)
{
	const int64_t id = picl_next_integer(w);
	const uint32_t line = next_uint32(w), file = next_text(w);

	return w->ok && picl_header_site(r, id, line, file);
}

const struct picl_key picl_table_keys[] = {
#define TABLE(key, take) { PICL_TABLE_PREFIX key, take },
#include "model/picl/picl_header.def"
	{ NULL, NULL },
};

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
