#include "model/picl/read/picl_stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/keymap.h"
#include "base/vec.h"
#include "model/meaning/picl_types.h"
#include "model/picl/descriptor.h"
#include "model/picl/picl_text.h"
#include "model/picl/picl_time.h"
#include "model/trace/message.h"
#include "model/trace/record_type.h"

enum amount { TIME, COUNT, SENT, RECEIVED, OTHER /* bytes */, AMOUNTS };

/* What was seen of an event type inside another. */
struct sum {
	int32_t relative, type;
	int64_t amount[AMOUNTS];
};

struct open_region {
	int32_t type;
	int64_t begin;
	bool outermost; /* of its type: only then its time counts */
};

struct stats {
	const struct trace *trace;
	uint32_t location;
	VEC(int32_t) relatives; /* what the location's statistics are relative to */
	VEC(struct sum) sums;
	struct keymap index; /* (relative, type): row of sums */
	VEC(struct open_region) open;
	int64_t traced_since;
	bool has_received; /* the file has records -104 */
	bool incomplete;   /* a buffer was full: not all events are there */
	int32_t last_type; /* of the event before, for what belongs to it */
	int64_t last_time;
	VEC(struct statistic) out;
};

/* ---- sums ---- */

static bool is_whole(int32_t relative)
{
	return relative == TYPE_ALL || relative == TYPE_TRACING;
}

static struct sum *sum_of(struct stats *s, int32_t relative, int32_t type)
{
	uint32_t row;

	if (keymap_new(&s->index, KEY_OF((uint32_t)relative, (uint32_t)type), s->sums.n, &row))
		vec_push(&s->sums, ((struct sum){ .relative = relative, .type = type }));
	return &s->sums.data[row];
}

static bool is_open(const struct stats *s, int32_t type)
{
	for (size_t i = 0; i < s->open.n; i++)
		if (s->open.data[i].type == type)
			return true;
	return false;
}

/* Adds to a type's sums inside all open regions that the statistics are relative to. */
static void add(struct stats *s, int32_t type, enum amount what, int64_t amount)
{
	const int32_t *relative;

	vec_each (relative, &s->relatives)
		if (is_whole(*relative) || is_open(s, *relative))
			sum_of(s, *relative, type)->amount[what] += amount;
}

/* The first number of a record's data, of events whose length is kept as text. */
static int64_t length_in(const char *text)
{
	const char *const end = text + strlen(text);
	bool is_float, saturated;
	int64_t value = 0;

	for (int words = 0; words < 2; words++)
		text = picl_skip_blanks(picl_skip_word(text, end), end);
	descriptor_integer(text, end, &value, &is_float, &saturated);
	return value > 0 ? value : 0;
}

static void add_length(struct stats *s, int32_t type, bool entry, const char *text)
{
	if (text && (entry ? type == -911 || type == -221 : type == -912 || type == -251))
		add(s, type, OTHER, length_in(text));
}

/* ---- events ---- */

static int32_t type_of_path(const struct stats *s, uint32_t path)
{
	return trace_site(s->trace, trace_callpath(s->trace, path)->site)->picl;
}

static void enter(struct stats *s, const struct cursor *c)
{
	const int32_t type = type_of_path(s, what_id(cursor_what(c)));
	const struct open_region region = { type, cursor_time(c), !is_open(s, type) };

	add(s, type, COUNT, 1);
	vec_push(&s->open, region);
	add_length(s, type, true, trace_event_extra(s->trace, c->id));
}

/* Levels inside the one that is left end with it. */
static void leave(struct stats *s, const struct cursor *c)
{
	const uint32_t path = what_id(cursor_what(c));
	const uint32_t depth = trace_callpath(s->trace, path)->depth;
	const int64_t time = cursor_time(c);

	add_length(s, type_of_path(s, path), false, trace_event_extra(s->trace, c->id));
	while (s->open.n >= depth && s->open.n) {
		const struct open_region region = vec_pop(&s->open);
		if (region.outermost)
			add(s, region.type, TIME, time - region.begin);
	}
}

/* The type whose record a message's event was part of. */
static int32_t bearer(const struct stats *s, const struct cursor *c)
{
	if (s->last_type && s->last_time == cursor_time(c))
		return s->last_type;
	return s->open.n ? vec_last(&s->open)->type : 0;
}

static void add_message(struct stats *s, const struct cursor *c, enum amount what)
{
	const uint32_t id = what_id(cursor_what(c));
	const struct message *m = id == ID_NONE ? NULL : trace_message(s->trace, id);

	if (m && !(m->flags & MSG_NO_BYTES))
		add(s, bearer(s, c), what, (int64_t)message_bytes(m));
}

/* What this rank gave to a collective operation, or got. */
static void add_collective(struct stats *s, const struct cursor *c, enum amount what)
{
	const struct member *m = trace_member(s->trace, what_id(cursor_what(c)));
	const uint64_t bytes = what == SENT ? m->sent : m->received;

	if (bytes != UINT64_MAX)
		add(s, bearer(s, c), what, (int64_t)bytes);
}

static void tracing(struct stats *s, const struct cursor *c, bool on)
{
	const int32_t type = trace_site(s->trace, what_id(cursor_what(c)))->picl;

	if (on) {
		s->traced_since = cursor_time(c);
		add(s, type, COUNT, 1);
	} else if (s->traced_since != INT64_MIN) {
		add(s, type, TIME, cursor_time(c) - s->traced_since);
		s->traced_since = INT64_MIN;
	}
}

/* ---- comparing ---- */

static int64_t amount_of(const struct stats *s, const struct sum *sum, int32_t rectype)
{
	const int64_t *a = sum->amount;

	switch (rectype) {
	case REC_STAT_TIME: return a[TIME];
	case REC_STAT_COUNT: return a[COUNT];
	case REC_STAT_RECEIVED: return a[RECEIVED];
	default: return s->has_received ? a[SENT] : a[SENT] + a[RECEIVED] + a[OTHER];
	}
}

static void compare(struct stats *s, const struct cursor *c, const struct record *record,
		    int32_t relative, int32_t type, int64_t recorded, int64_t unit)
{
	struct statistic out = { .event = c->id,
				 .location = s->location,
				 .rectype = record->rectype,
				 .relative = relative,
				 .type = type,
				 .recorded = recorded };
	int64_t occurrences = 0;
	const struct sum *sum;

	vec_each (sum, &s->sums)
		if (sum->relative == relative &&
		    (sum->type == type || picl_subset_holds(type, sum->type))) {
			occurrences += sum->amount[COUNT];
			out.computed += amount_of(s, sum, record->rectype);
		}
	if (occurrences == 0)
		return;
	if (record->rectype == REC_STAT_TIME)
		out.tolerance = unit * occurrences;
	out.agrees = recorded - out.computed <= out.tolerance &&
		     out.computed - recorded <= out.tolerance;
	if (s->incomplete && recorded > out.computed)
		out.agrees = true;
	vec_push(&s->out, out);
}

/* Ticks of one unit of a text's last digit, or of the trace's times where those are coarser. */
static int64_t unit_of(const struct stats *s, const char *text, size_t n)
{
	const struct timescale *scale = trace_scale(s->trace);
	struct picl_times times = { 0, 0 };
	int64_t unit = scale->per_second;

	picl_times_add(&times, text, n);
	for (int i = 0; i < times.digits && i < scale->digits && unit > 1; i++)
		unit /= 10;
	return unit;
}

static const char *next_word(const char *p, size_t *n)
{
	p += strspn(p, " \t");
	*n = strcspn(p, " \t");
	return p;
}

void statistic_pairs_init(struct statistic_pairs *pairs, const struct trace *trace,
			  const struct record *record)
{
	*pairs = (struct statistic_pairs){ .trace = trace,
					   .p = trace_string(trace, record->text),
					   .rectype = record->rectype };
	/* After the number of fields and the descriptor. */
	for (int skip = 0; skip < 2; skip++) {
		pairs->p = next_word(pairs->p, &pairs->n);
		pairs->p += pairs->n;
	}
}

bool statistic_pairs_next(struct statistic_pairs *pairs)
{
	/* The trace's own clock: values of statistics may have fewer digits. */
	const struct picl_times digits = { trace_scale(pairs->trace)->digits, 0 };
	const char *p = next_word(pairs->p, &pairs->n);
	bool is_float, saturated;
	struct picl_clock clock;
	int64_t type;

	if (!pairs->n || !descriptor_integer(p, p + pairs->n, &type, &is_float, &saturated) ||
	    type < INT32_MIN || type > INT32_MAX)
		return false;
	pairs->type = (int32_t)type;
	pairs->word = p = next_word(p + pairs->n, &pairs->n);
	pairs->p = p + pairs->n;
	if (!pairs->n)
		return false;
	if (pairs->rectype != REC_STAT_TIME)
		return descriptor_integer(p, pairs->p, &pairs->value, &is_float, &saturated) != 0;
	picl_clock_init(&clock, &digits);
	return picl_time_read(p, pairs->n, &clock, &pairs->value) != TIME_INVALID;
}

static void check_record(struct stats *s, const struct cursor *c)
{
	const struct record *record = trace_record(s->trace, what_id(cursor_what(c)));
	const int32_t relative = trace_site(s->trace, record->site)->picl;
	struct statistic_pairs pairs;

	if (record->rectype > REC_STAT_TIME || record->rectype < REC_STAT_RECEIVED)
		return;
	statistic_pairs_init(&pairs, s->trace, record);
	while (statistic_pairs_next(&pairs))
		if (pairs.value >= 0 &&
		    !(record->rectype <= REC_STAT_VOLUME && pairs.type == TYPE_TRACING))
			compare(s, c, record, relative, pairs.type, pairs.value,
				unit_of(s, pairs.word, pairs.n));
}

/* ---- a location ---- */

/* What its statistics are about; false where it has none. */
static bool look_ahead(struct stats *s)
{
	struct cursor c;

	for (bool ok = cursor_first(&c, s->trace, BASE_MEASURED, s->location); ok;
	     ok = cursor_next(&c)) {
		const uint32_t what = cursor_what(&c);
		if (what_kind(what) == EV_STATISTICS) {
			const struct record *record = trace_record(s->trace, what_id(what));
			const int32_t relative = trace_site(s->trace, record->site)->picl;
			bool known = false;
			for (size_t i = 0; i < s->relatives.n; i++)
				known = known || s->relatives.data[i] == relative;
			if (!known)
				vec_push(&s->relatives, relative);
			s->has_received = s->has_received || record->rectype == REC_STAT_RECEIVED;
		} else if (what_kind(what) == EV_MARK) {
			const int32_t type = trace_site(s->trace, what_id(what))->picl;
			s->incomplete = s->incomplete || type == TYPE_FULL || type == TYPE_WRAP;
		}
	}
	return s->relatives.n > 0;
}

static void take_event(struct stats *s, const struct cursor *c)
{
	const uint32_t what = cursor_what(c);
	int32_t type;

	switch (what_kind(what)) {
	case EV_ENTER: enter(s, c); break;
	case EV_LEAVE: leave(s, c); break;
	case EV_MARK:
		type = trace_site(s->trace, what_id(what))->picl;
		add(s, type, COUNT, 1);
		add_length(s, type, true, trace_event_extra(s->trace, c->id));
		s->last_type = type;
		s->last_time = cursor_time(c);
		return;
	case EV_SEND: add_message(s, c, SENT); break;
	case EV_RECV: add_message(s, c, RECEIVED); break;
	case EV_COLLECTIVE_BEGIN: add_collective(s, c, SENT); break;
	case EV_COLLECTIVE_END: add_collective(s, c, RECEIVED); break;
	case EV_IO:
		type = trace_site(s->trace, trace_record(s->trace, what_id(what))->site)->picl;
		add_length(s, type, trace_record(s->trace, what_id(what))->rectype == REC_ENTRY,
			   trace_string(s->trace, trace_record(s->trace, what_id(what))->text));
		break;
	case EV_TRACING_ON: tracing(s, c, true); break;
	case EV_TRACING_OFF: tracing(s, c, false); break;
	case EV_STATISTICS: check_record(s, c); break;
	default: break;
	}
	s->last_type = 0;
}

static void check_location(struct stats *s, uint32_t location)
{
	struct cursor c;

	s->location = location;
	s->relatives.n = s->sums.n = s->open.n = 0;
	s->traced_since = INT64_MIN;
	s->has_received = s->incomplete = false;
	s->last_type = 0;
	keymap_fini(&s->index);
	s->index = (struct keymap){ 0 };
	if (!look_ahead(s))
		return;
	for (bool ok = cursor_first(&c, s->trace, BASE_MEASURED, location); ok;
	     ok = cursor_next(&c))
		take_event(s, &c);
}

size_t picl_check_statistics(const struct trace *trace, struct statistic **list)
{
	struct stats s = { .trace = trace };

	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		check_location(&s, l);
	vec_fini(&s.relatives);
	vec_fini(&s.sums);
	vec_fini(&s.open);
	keymap_fini(&s.index);
	*list = s.out.data;
	return s.out.n;
}

static void add_amount(const struct trace *trace, const struct statistic *s, int64_t value,
		       struct str *out)
{
	if (s->rectype == REC_STAT_TIME)
		units_seconds(out, value, trace_scale(trace), trace_scale(trace)->digits);
	else
		str_add_int(out, value);
}

void statistic_text(const struct trace *trace, const struct statistic *s, struct str *out)
{
	const char *location = trace_string(trace, trace_location(trace, s->location)->name);
	const char *name = picl_type_name(s->type);
	const char *unit = s->rectype == REC_STAT_TIME    ? " s in "
			   : s->rectype == REC_STAT_COUNT ? " times "
							  : " bytes in ";

	str_add_clean(out, location, strlen(location));
	str_add(out, ": the statistics say ");
	add_amount(trace, s, s->recorded, out);
	str_add(out, unit);
	if (name)
		str_add_fmt(out, "%s (%d)", name, s->type);
	else
		str_add_fmt(out, "event %d", s->type);
	if (!is_whole(s->relative))
		str_add_fmt(out, " inside event %d", s->relative);
	str_add(out, ", the events say ");
	add_amount(trace, s, s->computed, out);
}
