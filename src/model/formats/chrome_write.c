/* The Trace Event Format, location by location: B and E for visits of regions, s and f for
 * messages, C for counters, i for whatever has no duration. Nothing is kept but the text of a few
 * records. */
#include "model/formats/chrome_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/keymap.h"
#include "base/mem.h"
#include "base/units.h"
#include "model/trace/cut.h"
#include "model/trace/detail.h"
#include "model/trace/message.h"

enum { PORTION = 64 << 10, UNKNOWN_PROCESS = 1000000 };

struct place {
	int32_t process, thread; /* pid and tid */
};

struct chrome {
	const struct trace *trace;
	const struct save_options *options;
	FILE *out;
	struct str text;
	struct place *places; /* [location] */
	int decimals;         /* of a microsecond */
	bool any;             /* a record was written: the next needs a comma */
};

/* ---- records ---- */

static void add_key(struct chrome *w, const char *key)
{
	if (w->text.text[w->text.n - 1] != '{')
		str_add_char(&w->text, ',');
	str_add_fmt(&w->text, "\"%s\":", key);
}

static void add_text(struct chrome *w, const char *key, const char *value)
{
	add_key(w, key);
	str_add_json(&w->text, value);
}

static void add_int(struct chrome *w, const char *key, int64_t value)
{
	add_key(w, key);
	str_add_int(&w->text, value);
}

static void add_uint(struct chrome *w, const char *key, uint64_t value)
{
	add_key(w, key);
	str_add_fmt(&w->text, "%llu", (unsigned long long)value);
}

static void begin_record(struct chrome *w, const char *phase)
{
	str_add(&w->text, w->any ? ",\n{" : "{");
	add_text(w, "ph", phase);
	w->any = true;
}

static void begin_args(struct chrome *w)
{
	add_key(w, "args");
	str_add_char(&w->text, '{');
}

static void end_record(struct chrome *w)
{
	str_add_char(&w->text, '}');
}

static void add_place(struct chrome *w, const struct place *place)
{
	add_int(w, "pid", place->process);
	add_int(w, "tid", place->thread);
}

static void begin_event(struct chrome *w, const char *phase, uint32_t location, int64_t time,
			const char *name)
{
	begin_record(w, phase);
	add_place(w, &w->places[location]);
	add_key(w, "ts");
	units_in(&w->text, time, trace_scale(w->trace), -6, w->decimals);
	if (name)
		add_text(w, "name", name);
}

/* An event without duration; its arguments follow. */
static void begin_instant(struct chrome *w, uint32_t location, int64_t time, const char *name)
{
	begin_event(w, "i", location, time, name);
	add_text(w, "s", "t");
	begin_args(w);
}

/* Of a record with arguments. */
static void end_with_args(struct chrome *w)
{
	str_add(&w->text, "}}");
}

/* ---- regions ---- */

static void add_site(struct chrome *w, uint32_t id)
{
	const struct site *site = trace_site(w->trace, id);

	if (site->file)
		add_text(w, "file", trace_string(w->trace, site->file));
	if (site->line)
		add_uint(w, "line", site->line);
}

static void enter(struct chrome *w, uint32_t location, const struct cut *c)
{
	const uint32_t path = what_id(c->what);

	begin_event(w, "B", location, c->time,
		    trace_region_name(w->trace, trace_callpath_region(w->trace, path)));
	add_text(w, "cat", region_class_name(trace_callpath_class(w->trace, path)));
	begin_args(w);
	add_site(w, trace_callpath(w->trace, path)->site);
	end_with_args(w);
}

static void add_collective(struct chrome *w, uint32_t what)
{
	const struct collective *c;
	const struct member *m;
	uint32_t id;

	if (what_id(what) == ID_NONE)
		return;
	id = trace_member_collective(w->trace, what_id(what));
	c = trace_collective(w->trace, id);
	m = trace_member(w->trace, what_id(what));
	add_uint(w, "collective", id);
	add_text(w, "operation", trace_region_name(w->trace, c->region));
	add_text(w, "comm", trace_string(w->trace, trace_comm(w->trace, c->comm)->name));
	if (c->root >= 0)
		add_int(w, "root", c->root);
	if (m->sent != UINT64_MAX)
		add_uint(w, "sent", m->sent);
	if (m->received != UINT64_MAX)
		add_uint(w, "received", m->received);
}

/* A leave ends what is open inside it too. `collective` (0: none) ended with it. */
static void leave(struct chrome *w, uint32_t location, const struct cut *c, uint32_t open,
		  uint32_t collective)
{
	const uint32_t path = what_id(c->what);

	for (; open != path && open != 0; open = trace_callpath(w->trace, open)->parent) {
		begin_event(w, "E", location, c->time, NULL);
		end_record(w);
	}
	begin_event(w, "E", location, c->time, NULL);
	if (collective) {
		begin_args(w);
		add_collective(w, collective);
		str_add_char(&w->text, '}');
	}
	end_record(w);
}

/* ---- messages ---- */

static bool is_written(const struct chrome *w, uint32_t event)
{
	const struct save_options *o = w->options;
	const uint32_t location = trace_event_location(w->trace, event);
	const int64_t time = trace_event_time(w->trace, o->base, event);

	return (!o->locations || o->locations[location]) && time >= o->t0 &&
	       (time < o->t1 || o->t1 == INT64_MAX);
}

/* Both ends are in the file. A send to all represents several messages; the first has the arrow. */
static bool has_arrow(const struct chrome *w, uint32_t row)
{
	const struct message *m = trace_message(w->trace, row);

	return !(m->flags & (MSG_NO_SEND | MSG_NO_RECV | MSG_RECV_PENDING)) &&
	       what_id(trace_event_what(w->trace, m->send)) == row && is_written(w, m->send) &&
	       is_written(w, m->recv);
}

static void add_message(struct chrome *w, const struct message *m)
{
	const int32_t source = message_source(w->trace, m);
	const int32_t destination = message_destination(w->trace, m);

	if (source != RANK_UNKNOWN)
		add_int(w, "source", source);
	if (destination != RANK_UNKNOWN)
		add_int(w, "destination", destination);
	if (!(m->flags & MSG_NO_TAG))
		add_int(w, "tag", m->tag);
	if (!(m->flags & MSG_NO_BYTES))
		add_uint(w, "bytes", message_bytes(m));
	add_text(w, "comm", trace_string(w->trace, trace_comm(w->trace, m->comm)->name));
}

static void message(struct chrome *w, uint32_t location, const struct cut *c)
{
	const enum event_kind kind = what_kind(c->what);
	const uint32_t row = what_id(c->what);
	const bool ends = kind == EV_SEND || kind == EV_RECV;

	if (row != ID_NONE && ends && has_arrow(w, row)) {
		begin_event(w, kind == EV_SEND ? "s" : "f", location, c->time, "message");
		add_text(w, "cat", "message");
		add_uint(w, "id", row);
		if (kind == EV_RECV)
			add_text(w, "bp", "e");
		begin_args(w);
	} else {
		begin_instant(w, location, c->time, event_kind_name(kind));
	}
	if (row != ID_NONE)
		add_message(w, trace_message(w->trace, row));
	end_with_args(w);
}

/* ---- the rest ---- */

static void collective(struct chrome *w, uint32_t location, const struct cut *c)
{
	begin_instant(w, location, c->time, event_kind_name(what_kind(c->what)));
	add_collective(w, c->what);
	end_with_args(w);
}

static void at_site(struct chrome *w, uint32_t location, const struct cut *c, uint32_t site)
{
	begin_instant(w, location, c->time,
		      trace_region_name(w->trace, trace_site(w->trace, site)->region));
	add_text(w, "kind", event_kind_name(what_kind(c->what)));
	add_site(w, site);
	end_with_args(w);
}

static void record(struct chrome *w, uint32_t location, const struct cut *c)
{
	const struct record *r = trace_record(w->trace, what_id(c->what));

	begin_instant(w, location, c->time, event_kind_name(what_kind(c->what)));
	add_int(w, "record", r->rectype);
	add_text(w, "text", trace_string(w->trace, r->text));
	end_with_args(w);
}

/* A counter's value: whole numbers as they are, what has a scale or a fraction as a double. JSON
 * has no infinities. */
static void add_value(struct chrome *w, const struct metric *metric, uint64_t bits)
{
	double value;

	if (metric->exponent == 0 && metric->value == FIELD_INT) {
		add_int(w, "value", (int64_t)bits);
		return;
	}
	if (metric->exponent == 0 && metric->value != FIELD_FLOAT) {
		add_uint(w, "value", bits);
		return;
	}
	memcpy(&value, &bits, sizeof value);
	if (metric->value == FIELD_INT)
		value = (double)(int64_t)bits;
	else if (metric->value != FIELD_FLOAT)
		value = (double)bits;
	value *= pow(metric->base, (double)metric->exponent);
	if (isfinite(value)) {
		add_key(w, "value");
		str_add_fmt(&w->text, "%.17g", value);
	}
}

static void metrics(struct chrome *w, uint32_t location, const struct cut *c)
{
	const struct detail *detail = trace_detail(w->trace, what_id(c->what));
	const uint64_t *values = trace_detail_values(w->trace, detail);
	const struct metric_set *set;

	if (values[0] >= trace_metric_set_count(w->trace))
		return;
	set = trace_metric_set(w->trace, (uint32_t)values[0]);
	for (uint32_t i = 0; i < set->n && i + 1 < detail->n; i++) {
		const struct metric *metric = trace_metric(w->trace, set->metrics[i]);
		begin_event(w, "C", location, c->time, trace_string(w->trace, metric->name));
		add_int(w, "id", w->places[location].thread); /* counters are a process's */
		begin_args(w);
		add_value(w, metric, values[i + 1]);
		end_with_args(w);
	}
}

static void detail(struct chrome *w, uint32_t location, const struct cut *c)
{
	const struct detail *d = trace_detail(w->trace, what_id(c->what));
	OWNED_STR text = STR_INIT;

	begin_instant(w, location, c->time, detail_info((enum detail_type)d->type)->name);
	trace_detail_text(w->trace, what_id(c->what), &text);
	add_text(w, "detail", text.text);
	end_with_args(w);
}

/* ---- a location ---- */

/* True if a leave follows the end of a collective at once: its record then has the collective's
 * values. */
static bool leaves_next(const struct cut *c)
{
	struct cursor next = c->cursor;

	return c->event != EVENT_NONE && cursor_next(&next) && cursor_time(&next) == c->time &&
	       what_kind(cursor_what(&next)) == EV_LEAVE;
}

static void write_event(struct chrome *w, uint32_t location, const struct cut *c)
{
	switch (what_kind(c->what)) {
	case EV_ENTER: enter(w, location, c); break;
	case EV_STRAY_LEAVE:
	case EV_MARK:
	case EV_TRACING_ON:
	case EV_TRACING_OFF: at_site(w, location, c, what_id(c->what)); break;
	case EV_SEND:
	case EV_SEND_COMPLETE:
	case EV_RECV_REQUEST:
	case EV_RECV:
	case EV_REQUEST_TEST:
	case EV_REQUEST_CANCELLED: message(w, location, c); break;
	case EV_COLLECTIVE_BEGIN:
	case EV_COLLECTIVE_END: collective(w, location, c); break;
	case EV_DATA:
	case EV_MESSAGE_TEXT:
	case EV_STATISTICS:
	case EV_IO: record(w, location, c); break;
	case EV_METRIC: metrics(w, location, c); break;
	default: detail(w, location, c); break;
	}
}

static bool flush(struct chrome *w, struct err *err)
{
	const bool ok = fwrite(w->text.text, 1, w->text.n, w->out) == w->text.n;

	str_clear(&w->text);
	return ok || err_errno(err, STATUS_IO, "cannot write the trace");
}

static bool write_location(struct chrome *w, uint32_t location, struct err *err)
{
	const struct save_options *o = w->options;
	uint32_t open = 0, ended = 0;
	struct cut cut;
	bool ok = true;

	for (bool more = cut_first(&cut, w->trace, o->base, location, o->t0, o->t1); more && ok;
	     more = cut_next(&cut)) {
		if (what_kind(cut.what) == EV_LEAVE) {
			leave(w, location, &cut, open, ended);
			open = trace_callpath(w->trace, what_id(cut.what))->parent;
		} else if (what_kind(cut.what) == EV_COLLECTIVE_END && leaves_next(&cut)) {
			ended = cut.what;
			continue;
		} else {
			write_event(w, location, &cut);
		}
		if (what_kind(cut.what) == EV_ENTER)
			open = what_id(cut.what);
		ended = 0;
		if (w->text.n >= PORTION)
			ok = flush(w, err);
	}
	cut_fini(&cut);
	return ok;
}

/* ---- the whole ---- */

/* A pid is a rank, a tid a thread; what shares them is distinguished by further numbers. */
static void number_places(struct chrome *w)
{
	const uint32_t n = trace_location_count(w->trace);
	ENDED_BY(keymap_fini) struct keymap used = { NULL, 0, 0 };

	w->places = xcalloc((size_t)n + 1, sizeof *w->places);
	for (uint32_t l = 0; l < n; l++) {
		const struct location *location = trace_location(w->trace, l);
		struct place *place = &w->places[l];
		uint32_t *taken;

		place->process = location->rank;
		if (location->rank == RANK_UNKNOWN)
			place->process =
				UNKNOWN_PROCESS +
				(int32_t)(location->owner == UINT32_MAX ? 0 : location->owner);
		place->thread = location->thread;
		while (*(taken = keymap_add(&used, KEY_OF((uint32_t)place->process,
							  (uint32_t)place->thread))) != UINT32_MAX)
			place->thread = (int32_t)(UNKNOWN_PROCESS + l);
		*taken = l;
	}
}

/* One argument, a text or (NULL) a number. */
static void write_metadata(struct chrome *w, const struct place *place, const char *name,
			   const char *key, const char *text, int32_t number)
{
	begin_record(w, "M");
	add_place(w, place);
	add_text(w, "name", name);
	begin_args(w);
	if (text)
		add_text(w, key, text);
	else
		add_int(w, key, number);
	end_with_args(w);
}

static void name_place(struct chrome *w, uint32_t l)
{
	const struct location *location = trace_location(w->trace, l);
	const struct place *place = &w->places[l];
	OWNED_STR name = STR_INIT;

	if (location->rank == RANK_HOST)
		str_add(&name, "host");
	else if (location->rank != RANK_UNKNOWN)
		str_add_fmt(&name, "rank %d", location->rank);
	else if (location->owner < trace_process_count(w->trace))
		str_add(&name,
			trace_string(w->trace, trace_process(w->trace, location->owner)->name));
	write_metadata(w, place, "process_name", "name", name.text, 0);
	write_metadata(w, place, "process_sort_index", "sort_index", NULL, place->process);
	if (location->node)
		write_metadata(w, place, "process_labels", "labels",
			       trace_string(w->trace, location->node), 0);
	write_metadata(w, place, "thread_name", "name", trace_string(w->trace, location->name), 0);
	write_metadata(w, place, "thread_sort_index", "sort_index", NULL, place->thread);
}

/* The trace's own properties; repeated keys get a number. */
static void write_head(struct chrome *w)
{
	ENDED_BY(keymap_fini) struct keymap seen = { NULL, 0, 0 };

	str_add(&w->text, "{\"displayTimeUnit\":\"ns\",\n\"otherData\":{");
	add_text(w, "time base", time_base_name(w->options->base));
	for (size_t i = 0; i < trace_property_count(w->trace); i++) {
		const struct property *p = trace_property(w->trace, i);
		uint32_t *times = keymap_add(&seen, KEY_OF(p->key));
		OWNED_STR key = STR_INIT;

		*times = *times == UINT32_MAX ? 1 : *times + 1;
		str_add(&key, trace_string(w->trace, p->key));
		if (*times > 1)
			str_add_fmt(&key, " (%u)", *times);
		str_add_char(&w->text, ',');
		str_add_json(&w->text, key.text);
		str_add_char(&w->text, ':');
		str_add_json(&w->text, trace_string(w->trace, p->value));
	}
	str_add(&w->text, "},\n\"traceEvents\":[\n");
}

static void write_markers(struct chrome *w)
{
	const struct save_options *o = w->options;

	for (size_t i = 0; i < trace_marker_count(w->trace); i++) {
		const struct marker *m = trace_marker(w->trace, i);
		if (m->time < o->t0 || (m->time >= o->t1 && o->t1 != INT64_MAX))
			continue;
		begin_record(w, "i");
		add_place(w, &(struct place){ 0, 0 });
		add_key(w, "ts");
		units_in(&w->text, m->time, trace_scale(w->trace), -6, w->decimals);
		add_text(w, "name", trace_string(w->trace, m->category));
		add_text(w, "s", "g");
		begin_args(w);
		add_text(w, "text", trace_string(w->trace, m->text));
		end_with_args(w);
	}
}

bool chrome_write(struct trace *trace, FILE *out, const struct save_options *options,
		  const struct progress *progress, struct err *err)
{
	const uint32_t n = trace_location_count(trace);
	struct chrome w = { .trace = trace, .options = options, .out = out };
	bool ok = true;

	str_init(&w.text);
	w.decimals = units_export_digits(trace_scale(trace)) - 6;
	number_places(&w);
	write_head(&w);
	for (uint32_t l = 0; l < n; l++)
		if (!options->locations || options->locations[l])
			name_place(&w, l);
	for (uint32_t l = 0; l < n && ok; l++) {
		if (!options->locations || options->locations[l])
			ok = write_location(&w, l, err);
		if (ok && !progress_step(progress, "writing", l + 1, n))
			ok = err_set(err, STATUS_NO, "writing was cancelled");
	}
	write_markers(&w);
	str_add(&w.text, "\n]}\n");
	ok = ok && flush(&w, err);
	if (ok && fflush(out) != 0)
		ok = err_errno(err, STATUS_IO, "cannot write the trace");
	str_fini(&w.text);
	free(w.places);
	return ok;
}
