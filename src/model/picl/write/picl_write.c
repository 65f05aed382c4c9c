/* Writing a PICL file: the locations' records in order of time, processor, process and sequence,
 * after the header, with the records that belong to no location in between. */
#include <stdlib.h>

#include "base/mem.h"
#include "model/picl/write/picl_plain.h"
#include "model/picl/write/picl_writer.h"

enum {
	PORTION = 256 << 10,
	FIRST_RANKLESS = 1 << 30, /* processors of locations without a rank */
};

/* What comes next of one source: a location, or (source = number of locations) the loose
 * records. */
struct next {
	int64_t time;
	int32_t processor, process;
	uint32_t source;
};

struct merge {
	struct picl_writer *w;
	uint32_t places;       /* locations */
	VEC(struct next) heap; /* earliest first */
	size_t loose;          /* next loose record */
	uint64_t done;
};

static bool is_before(const struct next *a, const struct next *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	if (a->processor != b->processor)
		return a->processor < b->processor;
	if (a->process != b->process)
		return a->process < b->process;
	return a->source < b->source;
}

static void sift_down(struct merge *m, size_t at)
{
	struct next *heap = m->heap.data;

	for (;;) {
		size_t child = 2 * at + 1;
		struct next swap;
		if (child >= m->heap.n)
			return;
		if (child + 1 < m->heap.n && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &heap[at]))
			return;
		swap = heap[at];
		heap[at] = heap[child];
		heap[child] = swap;
		at = child;
	}
}

/* The next loose record that is written. */
static bool next_loose(struct merge *m, struct next *out)
{
	const struct picl_writer *w = m->w;

	for (; m->loose < trace_loose_count(w->trace); m->loose++) {
		const struct loose_record *loose = trace_loose(w->trace, m->loose);
		const char *p = trace_string(w->trace, loose->text);
		char *end;

		if (picl_preface_replaces(w, p))
			continue;
		out->time = loose->time;
		/* The time is the third word; definitions hold for any window. */
		p = picl_word(p, 3);
		out->processor = *p ? (int32_t)strtol(p, &end, 10) : -1;
		out->process = *p ? (int32_t)strtol(end, NULL, 10) : -1;
		return true;
	}
	return false;
}

static bool next_of_place(struct merge *m, uint32_t location, struct next *out)
{
	const struct picl_out_place *place = &m->w->places[location];

	if (place->border.open.n > 0)
		out->time = m->w->options->t0;
	else if (place->more)
		out->time = cursor_time(&place->cursor);
	else if (place->border.close != 0)
		out->time = m->w->options->t1;
	else if (place->next_record < place->end_record)
		out->time = place->last;
	else
		return false;
	out->processor = place->processor;
	out->process = place->process;
	return true;
}

static bool next_of(struct merge *m, uint32_t source, struct next *out)
{
	out->source = source;
	return source == m->places ? next_loose(m, out) : next_of_place(m, source, out);
}

/* What is not a whole portion needs no thread. */
static bool flush(struct picl_writer *w, struct err *err)
{
	bool ok;

	if (!w->thread && w->text.n >= PORTION)
		w->thread = writer_thread_new(w->out);
	if (w->thread)
		ok = writer_thread_put(w->thread, &w->text);
	else
		ok = fwrite(w->text.text, 1, w->text.n, w->out) == w->text.n;
	str_clear(&w->text);
	return ok ? true : err_errno(err, STATUS_IO, "cannot write the trace");
}

/* Waits until all is written. */
static bool flush_end(struct picl_writer *w, bool ok, struct err *err)
{
	const bool written =
		(!w->thread || writer_thread_end(w->thread)) && (!ok || fflush(w->out) == 0);

	return written || !ok ? ok : err_errno(err, STATUS_IO, "cannot write the trace");
}

/* The event at the place's cursor, or an entry or exit at the borders of the window; at the end
 * the statement records. */
static void write_event(struct picl_writer *w, struct picl_out_place *place)
{
	struct cut_border *border = &place->border;

	if (border->open.n > 0) {
		picl_compose_made(w, place, vec_pop(&border->open), w->options->t0, true);
	} else if (place->more) {
		place->last = cursor_time(&place->cursor);
		picl_compose(w, place);
	} else if (border->close == 0) {
		picl_program_compose(w, place);
	} else {
		picl_compose_made(w, place, border->close, w->options->t1, false);
		border->close = trace_callpath(w->trace, border->close)->parent;
	}
}

static void write_one(struct merge *m, uint32_t source)
{
	struct picl_writer *w = m->w;

	if (source < m->places) {
		write_event(w, &w->places[source]);
		return;
	}
	str_add(&w->text, trace_string(w->trace, trace_loose(w->trace, m->loose)->text));
	str_add_char(&w->text, '\n');
	m->loose++;
}

/* The same as write_one() and next_of(), for a place that is inside its window; false: it is not
 * any more, and what comes next has to be found. */
static bool write_inside(struct merge *m, struct next *next)
{
	struct picl_writer *w = m->w;
	struct picl_out_place *place = &w->places[next->source];

	place->last = next->time;
	if (!picl_plain_compose(w, place))
		picl_compose(w, place);
	if (!place->more)
		return false;
	next->time = cursor_time(&place->cursor);
	return true;
}

static bool is_inside(const struct merge *m, uint32_t source)
{
	return source < m->places && m->w->places[source].more &&
	       m->w->places[source].border.open.n == 0;
}

static bool write_all(struct merge *m, const struct progress *progress, struct err *err)
{
	const uint64_t all = trace_event_count(m->w->trace);

	while (m->heap.n) {
		struct next *first = &m->heap.data[0];
		const bool inside = is_inside(m, first->source);

		if (!inside)
			write_one(m, first->source);
		if ((!inside || !write_inside(m, first)) && !next_of(m, first->source, first))
			*first = vec_pop(&m->heap);
		sift_down(m, 0);
		if (m->w->text.n >= PORTION && !flush(m->w, err))
			return false;
		if (++m->done % 65536 == 0 && !progress_step(progress, "writing", m->done, all))
			return err_set(err, STATUS_NO, "writing was cancelled");
	}
	return flush(m->w, err);
}

/* The first lines decide what a reader takes the file for: there is none, or it is a record of a
 * type of the user's, which PICL 1.x has, too. */
static bool is_vague(const struct merge *m)
{
	const struct picl_writer *w = m->w;

	return !m->heap.n ||
	       (m->heap.data[0].source == m->places &&
		*trace_string(w->trace, trace_loose(w->trace, m->loose)->text) != '-');
}

/* ---- places ---- */

/* A process id that no other location of the processor has. -1 would represent all of them. */
static int32_t free_process(struct keymap *used, const struct location *location, bool several)
{
	int32_t process = location->process;

	if (process < -1 || (process == -1 && several))
		process = location->thread < 0 ? 0 : location->thread;

	for (int32_t k = location->thread;; k++) {
		uint32_t *owner =
			keymap_add(used, KEY_OF((uint32_t)location->rank, (uint32_t)process));
		if (*owner == UINT32_MAX) {
			*owner = 1;
			return process;
		}
		process = k;
	}
}

static bool is_written(const struct picl_writer *w, uint32_t location)
{
	return !w->options->locations || w->options->locations[location];
}

static void places_init(struct picl_writer *w)
{
	const uint32_t n = trace_location_count(w->trace);
	ENDED_BY(keymap_fini) struct keymap used = { NULL, 0, 0 }, several = { NULL, 0, 0 };
	int32_t number = 0, nobody = FIRST_RANKLESS;

	for (uint32_t l = 0; l < n; l++) {
		uint32_t *count =
			keymap_add(&several, KEY_OF((uint32_t)trace_location(w->trace, l)->rank));
		*count = *count == UINT32_MAX ? 1 : *count + 1;
	}

	w->places = xcalloc(n + 1, sizeof *w->places);
	for (uint32_t l = 0; l < n; l++) {
		struct picl_out_place *place = &w->places[l];
		const struct location *location = trace_location(w->trace, l);

		place->processor = location->rank == RANK_UNKNOWN ? nobody++ : location->rank;
		place->process =
			free_process(&used, location,
				     *keymap_find(&several, KEY_OF((uint32_t)location->rank)) > 1);
		place->number = is_written(w, l) ? number++ : -1;
		place->collective = UINT32_MAX;
		place->announced = EVENT_NONE;
		place->more = is_written(w, l) &&
			      cursor_seek(&place->cursor, w->trace, w->options->base, l,
					  w->options->t0) &&
			      picl_in_window(w, &place->cursor);
		if (is_written(w, l))
			cut_border_init(&place->border, w->trace, w->options->base, l,
					w->options->t0, w->options->t1);
	}
}

static void merge_init(struct merge *m, struct picl_writer *w)
{
	const uint32_t n = trace_location_count(w->trace);

	*m = (struct merge){ .w = w, .places = n };
	for (uint32_t s = 0; s <= n; s++) {
		struct next next;
		if (next_of(m, s, &next))
			vec_push(&m->heap, next);
	}
	for (size_t i = m->heap.n / 2; i-- > 0;)
		sift_down(m, i);
}

/* One unit of the last digit before the first record. */
static int64_t header_time(const struct merge *m)
{
	const struct timescale *scale = trace_scale(m->w->trace);
	int64_t unit = scale->per_second, time = m->heap.n ? m->heap.data[0].time : 0, below;

	for (int i = 0; i < m->w->digits && unit >= 10; i++)
		unit /= 10;
	if (time < INT64_MIN + 2 * unit)
		return time;
	below = time - unit;
	/* Down to a whole unit, so that rounding cannot move it to the first record. */
	return below - ((below % unit) + unit) % unit;
}

static int digits_of(const struct trace *trace, enum time_base base)
{
	const struct timescale *scale = trace_scale(trace);
	int64_t unit = 1, rate = scale->per_second;

	for (int i = 0; i < scale->digits; i++)
		unit *= 10;
	while (rate % 10 == 0)
		rate /= 10;
	/* A tick that is not a decimal fraction needs as many as tell it from its neighbours. */
	if (base == BASE_MEASURED && (rate == 1 || unit >= scale->per_second))
		return scale->digits;
	return units_export_digits(scale);
}

bool picl_write(struct trace *trace, FILE *out, const struct save_options *options,
		const struct progress *progress, struct err *err)
{
	static const struct save_options defaults = { BASE_MEASURED, INT64_MIN, INT64_MAX, NULL };
	struct picl_writer w = { .trace = trace, .out = out };
	struct merge merge;
	uint32_t members = 0;
	bool ok;

	w.options = options ? options : &defaults;
	w.digits = digits_of(trace, w.options->base);
	str_init(&w.text);
	str_init(&w.line);
	w.texts = trace_has_texts(trace);
	w.attributes = trace_attribute_count(trace) > 0;
	w.hands_over = trace_hands_over(trace);
	w.send_request = xcalloc((size_t)trace_message_count(trace) + 1, sizeof(uint32_t));
	w.recv_request = xcalloc((size_t)trace_message_count(trace) + 1, sizeof(uint32_t));
	for (uint32_t i = 0; i < trace_collective_count(trace); i++) {
		const struct collective *c = trace_collective(trace, i);
		if (members < c->first + c->members)
			members = c->first + c->members;
	}
	w.member_request = xcalloc((size_t)members + 1, sizeof(uint32_t));
	places_init(&w);
	picl_preface_init(&w);
	picl_program_init(&w);
	picl_plain_init(&w);
	merge_init(&merge, &w);
	w.header_time = header_time(&merge);
	w.is_vague = is_vague(&merge);
	picl_preface_write(&w);
	ok = flush_end(&w, write_all(&merge, progress, err), err);

	vec_fini(&merge.heap);
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		vec_fini(&w.places[l].visits);
		cut_border_fini(&w.places[l].border);
	}
	picl_plain_fini(&w);
	free_all(w.places, w.sites, w.region_type, w.comm_ids, w.send_request, w.recv_request,
		 w.member_request);
	keymap_fini(&w.labelled);
	picl_tables_fini(&w);
	picl_program_fini(&w);
	vec_fini(&w.sources);
	vec_fini(&w.types);
	str_fini(&w.line);
	str_fini(&w.text);
	return ok;
}
