/* A record of the file becomes a row. */
#include <stdlib.h>
#include <string.h>

#include "model/chrome/chrome_state.h"
#include "model/meaning/meaning.h"

enum { FIRST_TYPE = 1 };

/* ---- regions ---- */

static enum region_class class_of(const struct chrome_record *r)
{
	const enum region_class recorded = region_class_find(r->cat.text, r->cat.n);

	return recorded != CLASS_COUNT
		       ? recorded
		       : (enum region_class)meaning_of_region(r->name.text, CLASS_COUNT, 0, 0).cls;
}

static uint32_t line_of(const struct chrome_record *r)
{
	const struct chrome_arg *line = chrome_record_arg(r, "line");
	const long value = line ? strtol(line->value.text, NULL, 10) : 0;

	return value > 0 && value < INT32_MAX ? (uint32_t)value : 0;
}

static uint32_t site_of(struct chrome_reading *c, const struct chrome_record *r)
{
	const struct chrome_arg *file = chrome_record_arg(r, "file");
	const uint32_t name = builder_string(c->builder, r->name.text, r->name.n);
	const uint32_t cat = builder_string(c->builder, r->cat.text, r->cat.n);
	const uint32_t path =
		file ? builder_string(c->builder, file->value.text, file->value.n) : 0;
	uint32_t *known = keymap_add(&c->site_of, KEY_OF(name, cat, path, line_of(r)));

	if (*known == UINT32_MAX) {
		const int32_t type = c->next_type < INT32_MAX ? c->next_type++ : FIRST_TYPE;
		const uint32_t region =
			builder_region(c->builder, r->name.n ? r->name.text : "unnamed",
				       class_of(r), type);
		*known = builder_site(c->builder, region, path, line_of(r), type);
	}
	return *known;
}

static struct chrome_row *add_row(struct chrome_reading *c, const struct chrome_record *r,
				  enum chrome_row_kind kind)
{
	const uint32_t place = chrome_place_of(c, r);
	struct chrome_row *row = vec_add(&c->rows);

	*row = (struct chrome_row){
		.time = r->ts, .place = place, .nth = c->nth++, .kind = (uint8_t)kind
	};
	return row;
}

/* What has names in it is all that is kept of the arguments. */
static void count_arguments(struct chrome_reading *c, const struct chrome_record *r)
{
	c->counts.arguments += r->left_out + r->n_args;
	if (chrome_record_arg(r, "file"))
		c->counts.arguments--;
	if (line_of(r))
		c->counts.arguments--;
}

static void take_complete(struct chrome_reading *c, const struct chrome_record *r)
{
	const uint32_t site = site_of(c, r);
	struct chrome_row *row = add_row(c, r, ROW_COMPLETE);
	const bool negative = r->has_dur && r->dur < 0;

	c->counts.negative += negative;
	row->what = site;
	if (__builtin_add_overflow(r->ts, negative || !r->has_dur ? 0 : r->dur, &row->end))
		row->end = INT64_MAX;
	count_arguments(c, r);
}

static void take_edge(struct chrome_reading *c, const struct chrome_record *r,
		      enum chrome_row_kind kind)
{
	const uint32_t site = kind == ROW_END ? 0 : site_of(c, r);

	add_row(c, r, kind)->what = site;
	count_arguments(c, r);
}

/* ---- counters ---- */

static uint32_t set_of(struct chrome_reading *c, const struct chrome_record *r,
		       const struct chrome_arg *series)
{
	const uint32_t name = builder_string(c->builder, r->name.text, r->name.n);
	const uint32_t part = builder_string(c->builder, series->key.text, series->key.n);
	uint32_t *known = keymap_add(&c->set_of, KEY_OF(name, part));

	if (*known == UINT32_MAX) {
		const bool plain = strcmp(series->key.text, "value") == 0;
		OWNED_STR text = STR_INIT;
		uint32_t metric;
		str_add(&text, r->name.text);
		if (!plain)
			str_add_fmt(&text, "%s%s", r->name.n ? " " : "", series->key.text);
		metric = builder_metric(c->builder,
					&(struct metric){ .name = builder_string(c->builder,
										 text.text, text.n),
							  .mode = METRIC_ABSOLUTE_NEXT,
							  .value = FIELD_FLOAT,
							  .base = 10 });
		*known =
			builder_metric_set(c->builder, &(struct metric_set){ .n = 1,
									     .metrics = &metric,
									     .recorder = UINT32_MAX,
									     .occurrence = 2 });
	}
	return *known;
}

static void take_counter(struct chrome_reading *c, const struct chrome_record *r)
{
	c->counts.arguments += r->left_out;
	for (size_t i = 0; i < r->n_args; i++) {
		const struct chrome_arg *arg = &r->args[i];
		char *end;
		const double value = strtod(arg->value.text, &end);
		uint32_t set;
		struct chrome_row *row;
		if (end == arg->value.text || *end) {
			c->counts.arguments++;
			continue;
		}
		set = set_of(c, r, arg);
		row = add_row(c, r, ROW_COUNTER);
		row->what = set;
		memcpy(&row->value, &value, sizeof value);
	}
}

/* ---- flows ---- */

/* A number, or a hash of a text (FNV-1a). */
static uint64_t id_of(const struct str *id)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	char *end;
	const uint64_t number = strtoull(id->text, &end, 0);

	if (id->n && !*end)
		return number;
	for (size_t i = 0; i < id->n; i++)
		hash = (hash ^ (unsigned char)id->text[i]) * UINT64_C(1099511628211);
	return hash;
}

static uint64_t number_of(const struct chrome_record *r, const char *key, uint64_t otherwise)
{
	const struct chrome_arg *arg = chrome_record_arg(r, key);
	char *end;
	uint64_t value;

	if (!arg || arg->value.text[0] < '0' || arg->value.text[0] > '9')
		return otherwise;
	value = strtoull(arg->value.text, &end, 10);
	return *end ? otherwise : value;
}

static void take_flow(struct chrome_reading *c, const struct chrome_record *r)
{
	const uint64_t tag = number_of(r, "tag", UINT64_MAX);
	const struct chrome_flow flow = {
		.id = id_of(&r->id),
		.name = builder_string(c->builder, r->name.text, r->name.n),
		.cat = builder_string(c->builder, r->cat.text, r->cat.n),
		.time = r->ts,
		.place = chrome_place_of(c, r),
		.nth = c->nth++,
		.bytes = number_of(r, "bytes", UINT64_MAX),
		.tag = tag <= INT32_MAX ? (int64_t)tag : -1,
		.ends = r->phase != 's',
		.begins = r->phase != 'f',
	};

	vec_push(&c->flows, flow);
}

void chrome_take(struct chrome_reading *c, const struct chrome_record *r)
{
	if (r->phase == 'M') {
		chrome_name(c, r);
		return;
	}
	if (!r->phase && !r->has_ts && !r->name.n) /* {}: writers end so, for the last comma */
		return;
	if (!r->has_ts || r->bad_time || c->nth == UINT32_MAX) {
		c->counts.without_time++;
		return;
	}
	switch (r->phase) {
	case 'X': take_complete(c, r); break;
	case 'B': take_edge(c, r, ROW_BEGIN); break;
	case 'E': take_edge(c, r, ROW_END); break;
	case 'i':
	case 'I':
	case 'R': take_edge(c, r, ROW_MARK); break;
	case 'C': take_counter(c, r); break;
	case 's':
	case 't':
	case 'f': take_flow(c, r); break;
	default: c->counts.phases++; break;
	}
}
