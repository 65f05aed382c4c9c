/* The text of a file divided among processes.
 *
 * After the header, which each reads, the text is cut into a stretch for each process, at the begin
 * of records. A process reads the records of its stretch and deals them to the owners of their
 * places; then each interprets what it got, in the order of the file, as if it had read all of it.
 * What depends on the records of others is exchanged: where the lines of a stretch are in the file,
 * and which place comes first, before; what records make (picl_made.c), after.
 *
 * Where definitions are not at the begin of the file, what a line means depends on all before it:
 * then each process reads all of the text (picl_shared.c). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/jobs.h"
#include "base/order.h"
#include "model/build/load_options.h"
#include "model/picl/picl_text.h"
#include "model/picl/read/picl_divided.h"
#include "model/picl/read/picl_header_state.h"

/* Below this size a thread that reads ahead costs more than it saves. */
enum { AHEAD_BYTES = 128 << 10 };
/* Of text that a process reads at a time, at most: what it deals is then in its caches. */
enum { ROUND_BYTES = 4 << 20, ROUNDS = 3 };

bool picl_reads_ahead(const struct picl_reader *r)
{
	return jobs_count(r->options->jobs) > 1 && source_size(r->source) >= AHEAD_BYTES;
}

/* ---- whether ---- */

bool picl_may_divide(const struct picl_reader *r)
{
	const struct load_part *part = r->options->part;

	return r->options->exchange && !r->undivided && !r->options->strict &&
	       source_can_seek(r->source) && !(part && (part->timed || part->n_ranks)) &&
	       r->feed != r->builder;
}

/* A processor is a rank, so that its owner has all locations of a rank. */
static bool are_ranks(const struct picl_reader *r)
{
	struct picl_place **p;

	vec_each (p, &r->places)
		if ((*p)->processor != builder_location_rank(r->builder, (*p)->location) &&
		    (*p)->processor != PROCESSOR_HOST_OLD)
			return false;
	return true;
}

static bool has_comms(const struct picl_reader *r)
{
	const struct picl_subset *subset;

	vec_each (subset, &r->defs.subsets)
		if (subset->rectype == REC_SUBSET_PROCESSES)
			return true;
	return false;
}

/* Labels of some places only, and communicators that are made at their first use, depend on the
 * order of records. */
static bool can_divide(const struct picl_reader *r)
{
	return !r->apart && !r->defs.scoped_labels && (r->own || !has_comms(r)) && are_ranks(r);
}

/* ---- stretches ---- */

/* The first line at `from` or after that begins a record whatever came before: it cannot be data of
 * the record before, nor the rest of a line that a backslash continues. The file's end without. */
static uint64_t find_begin(struct picl_reader *r, uint64_t from, uint64_t size)
{
	struct picl_record record;
	struct line line;
	bool whole = false; /* the line before is a record without more data */
	bool joined = true; /* it may go on in the next one */

	scan_seek(&r->scan, from, UINT64_MAX);
	for (bool first = true; scan_next(&r->scan, &line); first = false) {
		size_t n = line.n;
		bool integer_time;
		if (!joined && !line.too_long &&
		    picl_parse_is_head(line.text, line.n, &integer_time) &&
		    (whole || !integer_time))
			return scan_place(&r->scan);
		joined = line.too_long || picl_is_continued(line.text, &n) ||
			 (first && picl_trim(line.text, line.text + n) == line.text);
		whole = !first && !line.too_long && picl_scan_record(&line, &r->clock, &record);
	}
	return size;
}

/* Of the next round, which begins at d->from: about so many bytes for each process. */
static void find_stretch(struct picl_reader *r, uint64_t bytes)
{
	struct picl_divided *d = r->divided;
	const uint32_t n = exchange_processes(d->x), p = exchange_process(d->x);
	const uint64_t left = (d->size - d->from) / (p + 1);
	OWNED uint64_t *ends = xcalloc(n, sizeof *ends);

	ends[p] = bytes < left ? find_begin(r, d->from + bytes * (p + 1), d->size) : d->size;
	exchange_sums(d->x, ends, n);
	d->begin = p ? ends[p - 1] : d->from;
	d->end = ends[p];
	d->from = ends[n - 1];
}

/* ---- reading one ---- */

static void note_place(struct picl_divided *d, const struct picl_record *record, bool whole)
{
	uint32_t known;

	if (keymap_new(&d->known,
		       KEY_OF((uint32_t)record->processor, (uint32_t)record->process, whole), 0,
		       &known))
		vec_push(&d->places, ((struct picl_told_place){ record->line, record->processor,
								record->process, whole }));
}

static void deal_record(struct picl_divided *d, const struct picl_record *record)
{
	const bool whole =
		record->process == -1 && (record->rectype > REC_MARK || record->rectype < REC_EXIT);
	struct picl_seat *seat = &d->seats[(uint32_t)record->processor % PICL_SEATS];

	if (seat->processor != record->processor || seat->process != record->process)
		*seat = (struct picl_seat){ record->processor,
					    record->process,
					    picl_owner_of(d, record->processor),
					    { false, false } };
	if (!seat->known[whole]) {
		note_place(d, record, whole);
		seat->known[whole] = true;
	}
	picl_deal_put(&d->deals[seat->owner], record);
}

/* Gives the number of its lines. */
static uint64_t read_stretch(struct picl_reader *r)
{
	struct picl_divided *d = r->divided;
	struct picl_record record;
	enum picl_next next;

	scan_seek(&r->scan, d->begin, d->end);
	picl_lines_begin(&r->lines, &r->scan, &r->clock, picl_reads_ahead(r));
	while ((next = picl_next_record(r, &record)) != PICL_NEXT_END) {
		if ((r->parser.finer || r->parser.range) && !r->surveyed)
			break;
		if (next == PICL_NEXT_NOTHING)
			continue;
		d->cannot = picl_is_definition(record.rectype);
		if (d->cannot)
			break;
		if (record.processor < 0 && record.processor != PROCESSOR_HOST_OLD)
			picl_keep_loose(r, &record);
		else
			deal_record(d, &record);
	}
	picl_lines_end(&r->lines);
	return r->scan.line;
}

/* Whether the stretches of all could be read. */
static bool were_read(struct picl_reader *r)
{
	struct picl_divided *d = r->divided;
	const bool finer = (r->parser.finer || r->parser.range) && !r->surveyed;
	const bool survey = exchange_any(d->x, finer);

	r->undivided = exchange_any(d->x, d->cannot);
	r->again = r->undivided || survey;
	r->whole = r->again && !survey;
	r->scan.error = (int)exchange_latest(d->x, r->scan.error);
	return !r->again && !r->scan.error;
}

/* Lines, and what was found in them, get their places in the file. */
static void place_lines(struct picl_reader *r, uint64_t lines)
{
	struct picl_divided *d = r->divided;
	const uint32_t n = exchange_processes(d->x), p = exchange_process(d->x);
	struct picl_noted *noted;
	struct picl_told_place *place;

	memset(d->before, 0, n * sizeof *d->before);
	d->before[p] = lines;
	exchange_sums(d->x, d->before, n);
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t own = d->before[i];
		d->before[i] = d->lines;
		d->lines += own;
	}
	vec_each (noted, &r->noted)
		builder_finding(r->feed, noted->kind, noted->code, noted->line + d->before[p],
				noted->text);
	r->noted.n = 0;
	vec_each (place, &d->places)
		place->line += d->before[p];
	picl_made_move(d, d->told_before, d->before[p]);
}

/* ---- places ---- */

ORDERING(by_line, struct picl_told_place, line)

/* In the order in which one process finds them. */
static void make_places(struct picl_reader *r)
{
	struct picl_divided *d = r->divided;
	const struct picl_told_place *place;

	exchange_rows(d->x, &d->places);
	vec_sort(&d->places, by_line);
	vec_each (place, &d->places) {
		const struct picl_record record = { .rectype =
							    place->whole ? REC_MESSAGE : REC_MARK,
						    .processor = place->processor,
						    .process = place->process,
						    .line = place->line };
		r->at = place->line;
		if (!picl_is_for_all(r, &record))
			picl_place(r, place->processor, place->process);
	}
	/* All have found the same: the first process notes it. */
	picl_shared_note(r, NULL);
	d->places.n = 0;
}

/* ---- interpreting ---- */

static void take_event(struct picl_reader *r, struct picl_record *record)
{
	struct picl_place *place;

	r->at = r->divided->line = record->line;
	if (picl_is_for_all(r, record) ||
	    !(place = picl_place(r, record->processor, record->process)))
		picl_keep_loose(r, record);
	else
		picl_event(r, place, record);
	picl_made_tell(r);
}

static void swap_records(struct picl_divided *d, struct exchange_parts *theirs)
{
	const uint32_t n = exchange_processes(d->x);
	OWNED size_t *first = xcalloc(n + 1u, sizeof *first);
	OWNED_STR all = STR_INIT;

	for (uint32_t p = 0; p < n; p++) {
		str_add_n(&all, d->deals[p].bytes.text, d->deals[p].bytes.n);
		str_clear(&d->deals[p].bytes);
		d->deals[p].time = 0;
		d->deals[p].line = 0;
		first[p + 1] = all.n;
	}
	exchange_swap(d->x, all.text, 1, first, theirs);
}

static void interpret(struct picl_reader *r)
{
	struct picl_divided *d = r->divided;
	struct exchange_parts theirs;
	struct picl_record record;

	swap_records(d, &theirs);
	d->dealt = true;
	for (uint32_t p = 0; p < exchange_processes(d->x); p++) {
		struct picl_dealt dealt = { .p = theirs.data + theirs.first[p],
					    .end = theirs.data + theirs.first[p + 1],
					    .line = d->before[p] };
		while (picl_dealt_next(&dealt, &record))
			take_event(r, &record);
	}
	exchange_parts_fini(&theirs);
	d->dealt = false;
}

/* The file in rounds, so that what is dealt is never more than a few MiB. Where its parts are not
 * of all processes (one location after the other), rounds would let them work in turn: then there
 * is one. */
static bool read_rounds(struct picl_reader *r)
{
	struct picl_divided *d = r->divided;
	const uint64_t all = (d->size - d->from) / exchange_processes(d->x) + 1;
	const uint64_t most = all / ROUNDS + 1 < ROUND_BYTES ? all / ROUNDS + 1 : ROUND_BYTES;
	const uint64_t bytes = d->mixed ? most : all;

	while (d->from < d->size) {
		uint64_t lines;
		find_stretch(r, bytes);
		d->told_before = d->told.n;
		lines = read_stretch(r);
		if (!were_read(r))
			return false;
		place_lines(r, lines);
		make_places(r);
		interpret(r);
	}
	return true;
}

/* ---- all of it ---- */

static void begin(struct picl_reader *r, uint64_t from, uint64_t lines)
{
	struct exchange *x = r->options->exchange;
	struct picl_divided *d = r->divided = xcalloc(1, sizeof *d);

	d->x = x;
	d->from = from;
	d->lines = lines;
	d->size = source_size(r->source);
	exchange_from(x, 0, &d->size, sizeof d->size);
	d->before = xcalloc(exchange_processes(x), sizeof *d->before);
	str_init(&d->told);
	d->seats = xcalloc(PICL_SEATS, sizeof *d->seats);
	/* No place has this process. */
	for (size_t i = 0; i < PICL_SEATS; i++)
		d->seats[i].process = INT32_MIN;
	d->deals = xcalloc(exchange_processes(x), sizeof *d->deals);
	for (uint32_t p = 0; p < exchange_processes(x); p++)
		str_init(&d->deals[p].bytes);
}

void picl_divided_free(struct picl_divided *d)
{
	if (!d)
		return;
	for (uint32_t p = 0; p < exchange_processes(d->x); p++)
		str_fini(&d->deals[p].bytes);
	keymap_fini(&d->known);
	keymap_fini(&d->region_rows);
	str_fini(&d->told);
	vec_fini(&d->places);
	vec_fini(&d->owners);
	vec_fini(&d->sites);
	vec_fini(&d->regions);
	free_all(d->before, d->deals, d->seats, d->site_ids, d->region_ids, d);
}

/* What was found in the lines of a record, which will be read again. */
static void forget_notes(struct picl_reader *r, uint64_t line)
{
	while (r->noted.n && vec_last(&r->noted)->line >= line)
		r->noted.n--;
	r->parser.finer = r->parser.range = false;
}

bool picl_divide(struct picl_reader *r, const struct picl_record *record)
{
	const uint64_t from = r->begin;

	if (!picl_may_divide(r))
		return false;
	r->events = true;
	picl_header_end(r);
	if (!can_divide(r)) {
		r->undivided = true;
		picl_shared_places(r);
		return false;
	}
	forget_notes(r, record->line);
	picl_shared_note(r, NULL);
	picl_lines_end(&r->lines);
	r->records++;
	r->scan.step = NULL;
	begin(r, from, record->line - 1);
	picl_owners_deal(r);
	picl_made_begin(r);
	if (r->stop || !read_rounds(r))
		return true;
	r->divided->dealt = true;
	picl_events_flush(r);
	picl_made_tell(r);
	picl_made_end(r);
	return true;
}
