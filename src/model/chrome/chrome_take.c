/* A record of the file becomes a row. */
#include <stdlib.h>
#include <string.h>

#include "model/chrome/chrome_state.h"
#include "model/meaning/meaning.h"
#include "model/meaning/training.h"

enum { FIRST_TYPE = 1 };

/* ---- what a profiler's categories say ---- */

static bool is_category(const struct chrome_record *r, const char *name)
{
	return strcmp(r->cat.text, name) == 0;
}

/* Work of a device, on a stream. */
static bool is_work(const struct chrome_record *r)
{
	return is_category(r, "kernel") || is_category(r, "gpu_memcpy") ||
	       is_category(r, "gpu_memset") || is_category(r, "mtia_ccp_events");
}

/* What a profiler derives from other events: the span of all, a stream's synchronisation, which
 * the host's call has, and the host's annotations on streams. */
static bool is_derived(const struct chrome_record *r)
{
	return is_category(r, "gpu_user_annotation") || is_category(r, "cuda_sync") ||
	       strcmp(r->pid.text, "Spans") == 0 || strcmp(r->pid.text, "Traces") == 0 ||
	       (!r->pid.n && strcmp(r->name.text, "Record Window End") == 0);
}

static uint8_t paradigm_of(const struct chrome_record *r)
{
	if (is_category(r, "cuda_runtime") || is_category(r, "cuda_driver"))
		return strncmp(r->name.text, "hip", 3) == 0 ? PARADIGM_HIP : PARADIGM_CUDA;
	return PARADIGM_UNKNOWN;
}

static enum chrome_copy copy_of(const struct chrome_record *r)
{
	if (!is_category(r, "gpu_memcpy"))
		return CHROME_NO_COPY;
	return strstr(r->name.text, "HtoD")   ? CHROME_TO_DEVICE
	       : strstr(r->name.text, "DtoH") ? CHROME_TO_HOST
					      : CHROME_NO_COPY;
}

/* "ProfilerStep#9" is one of the visits of "ProfilerStep". */
static void cut_step(struct chrome_record *r)
{
	static const char step[] = "ProfilerStep#";

	if (strncmp(r->name.text, step, sizeof step - 1) != 0)
		return;
	str_clear(&r->name);
	str_add_n(&r->name, step, sizeof step - 2);
}

/* Adds the operation where the name alone does not say it. */
static enum training_call collective_of(struct chrome_record *r)
{
	const struct chrome_arg *said = chrome_record_arg(r, "Collective name");
	struct meaning meaning;
	enum training_call call = meaning_of_training(r->name.text, &meaning);

	if (call == TRAINING_NONE)
		return call;
	if (meaning.collective == COLLECTIVE_NONE && said) {
		str_add_fmt(&r->name, ": %s", said->value.text);
		meaning_of_training(r->name.text, &meaning);
	}
	if (call == TRAINING_RETURNS || (call == TRAINING_KERNEL && r->cat.n && !is_work(r)))
		return TRAINING_NONE;
	return meaning.collective == COLLECTIVE_NONE ? TRAINING_NONE : call;
}

/* ---- regions ---- */

static enum region_class class_of(const struct chrome_record *r)
{
	const enum region_class recorded = region_class_find(r->cat.text, r->cat.n);

	return recorded != CLASS_COUNT
		       ? recorded
		       : meaning_of_region(r->name.text, CLASS_COUNT, 0, paradigm_of(r)).cls;
}

static uint32_t line_of(const struct chrome_record *r)
{
	const struct chrome_arg *line = chrome_record_arg(r, "line");
	const long value = line ? strtol(line->value.text, NULL, 10) : 0;

	return value > 0 && value < INT32_MAX ? (uint32_t)value : 0;
}

/* `defined`: where the region itself is. */
static uint32_t site_of(struct chrome_reading *c, const struct chrome_record *r,
			const struct code_place *defined)
{
	const struct chrome_arg *file = chrome_record_arg(r, "file");
	const uint32_t name = builder_string(c->builder, r->name.text, r->name.n);
	const uint32_t cat = builder_string(c->builder, r->cat.text, r->cat.n);
	const uint32_t path =
		file ? builder_string(c->builder, file->value.text, file->value.n) : 0;
	uint32_t *known = keymap_add(&c->site_of, KEY_OF(name, cat, defined->file + path,
							 defined->line + line_of(r)));

	if (*known == UINT32_MAX) {
		const int32_t type = c->next_type < INT32_MAX ? c->next_type++ : FIRST_TYPE;
		const struct region definition = {
			.name = r->name.n ? name : builder_string(c->builder, "unnamed", 7),
			.cls = (uint8_t)class_of(r),
			.paradigm = paradigm_of(r),
			.picl = type,
			.file = defined->file,
			.line = defined->line,
		};
		const uint32_t region =
			definition.paradigm || definition.file
				? builder_region_define(c->builder, &definition)
				: builder_region(c->builder, r->name.n ? r->name.text : "unnamed",
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

/* What has names in it is all that is kept of the arguments. */
static void count_arguments(struct chrome_reading *c, const struct chrome_record *r)
{
	c->counts.arguments += r->left_out + r->n_args;
	if (chrome_record_arg(r, "file"))
		c->counts.arguments--;
	if (line_of(r))
		c->counts.arguments--;
}

/* A function of Python, and what says which call launched which kernel. */
static void add_launch(struct chrome_reading *c, const struct chrome_record *r,
		       const struct chrome_row *row, const struct code_place *defined)
{
	const uint64_t correlation = number_of(r, "correlation", UINT32_MAX);
	const bool calls = paradigm_of(r) != PARADIGM_UNKNOWN && strstr(r->name.text, "aunch");

	if (defined->file)
		vec_push(&c->frames,
			 ((struct chrome_frame){ row->time, row->end, row->place, *defined }));
	if (correlation < UINT32_MAX && (calls || row->call == TRAINING_KERNEL))
		vec_push(&c->launches,
			 ((struct chrome_launch){ .file = c->file,
						  .correlation = (uint32_t)correlation,
						  .time = row->time,
						  .place = row->place,
						  .row = calls ? UINT32_MAX
							       : (uint32_t)c->rows.n - 1 }));
}

/* A copy, or a part of a collective. */
static void add_operation(struct chrome_reading *c, const struct chrome_record *r,
			  struct chrome_row *row, enum training_call call)
{
	struct chrome_source *file = &c->files.data[c->file];

	c->places.data[row->place].device |= is_work(r);
	row->copy = (uint8_t)copy_of(r);
	if (row->copy) {
		row->value = number_of(r, "bytes", UINT64_MAX);
	} else if (call) {
		row->call = (uint8_t)call;
		file->call = row->call > file->call ? row->call : file->call;
		row->tag = chrome_group_of(c, r, &row->value);
	}
}

static void take_complete(struct chrome_reading *c, struct chrome_record *r)
{
	const enum training_call call = collective_of(r);
	struct code_place defined = { 0, 0 };
	const bool negative = r->has_dur && r->dur < 0;
	struct chrome_row *row;
	uint32_t site;

	if (is_category(r, "python_function"))
		chrome_cut_frame(c, r, &defined);
	site = site_of(c, r, &defined);
	row = add_row(c, r, ROW_COMPLETE);
	row->what = site;
	c->counts.negative += negative;
	if (__builtin_add_overflow(r->ts, negative || !r->has_dur ? 0 : r->dur, &row->end))
		row->end = INT64_MAX;
	add_operation(c, r, row, call);
	add_launch(c, r, row, &defined);
	count_arguments(c, r);
}

static void take_edge(struct chrome_reading *c, const struct chrome_record *r,
		      enum chrome_row_kind kind)
{
	const uint32_t site = kind == ROW_END ? 0 : site_of(c, r, &(struct code_place){ 0, 0 });

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
		.file = c->file,
		.bytes = number_of(r, "bytes", UINT64_MAX),
		.tag = tag <= INT32_MAX ? (int64_t)tag : -1,
		.ends = r->phase != 's',
		.begins = r->phase != 'f',
	};

	vec_push(&c->flows, flow);
}

void chrome_take(struct chrome_reading *c, struct chrome_record *r)
{
	if (is_derived(r)) {
		c->counts.tracks += r->phase != 'M';
		return;
	}
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
	case 'X':
		cut_step(r);
		take_complete(c, r);
		break;
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
