/* Reading a PICL file: detecting its kind, and the passes over it.
 *
 * Usually one pass is enough. If something turns up that should have been known before (a label or
 * subset after the first event, a time finer than the file's first 64 KiB showed), the pass is
 * abandoned, a survey collects all definitions and the times' digits, and a second pass uses
 * them. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jobs.h"
#include "base/mem.h"
#include "base/memory_bound.h"
#include "base/units.h"
#include "model/picl/picl_text.h"
#include "model/picl/read/picl_look.h"
#include "model/picl/read/picl_reader.h"
#include "model/trace/record_type.h"

/* Bytes looked at before anything is read: more only as long as they are definitions. */
enum { HEAD_BYTES = 64 << 10, HEAD_MOST = 64 << 20 };

static bool check_kind(struct picl_reader *r, const char *bytes, size_t n)
{
	const char *damage = source_damage(r->source);

	if (n == 0 && damage)
		return err_set(r->err, STATUS_IO, "%s: %s (nothing could be read)", r->path,
			       damage);
	if (n == 0)
		return err_set(r->err, STATUS_IO, "%s is empty (no trace was written into it)",
			       r->path);
	switch (picl_look_at(bytes, n)) {
	case LOOK_PICL: return true;
	case LOOK_OLD:
		return err_set(
			r->err, STATUS_IO,
			"%s:1: this is a trace of PICL 1.x, which tview does not read (ParaGraph "
			"came with a converter to the format of 1992)",
			r->path);
	default:
		return err_set(
			r->err, STATUS_IO,
			"%s:1: not a PICL trace: no line starts with six numeric fields (record "
			"type, event type, time, processor, process, number of fields)",
			r->path);
	}
}

/* ---- records ---- */

/* Definitions and what belongs to no single place are the header, until another record comes. */
static bool begins_events(const struct picl_record *record)
{
	return !picl_is_definition(record->rectype) &&
	       (record->processor >= 0 || record->processor == PROCESSOR_HOST_OLD);
}

/* Gives the place of which it was, NULL of none. */
static inline struct picl_place *take_record(struct picl_reader *r, struct picl_record *record)
{
	struct picl_place *place;

	r->records++;
	r->at = record->line;
	if (picl_is_definition(record->rectype)) {
		if (picl_define(r, record))
			picl_keep_loose(r, record);
		return NULL;
	}
	if (!begins_events(record)) {
		if (r->events || record->rectype != REC_MESSAGE || !picl_header_take(r, record))
			picl_keep_loose(r, record);
		return NULL;
	}
	if (!r->events) {
		r->events = true;
		picl_header_end(r);
	}
	if (record->time >= r->last_time) {
		r->past = true;
		return NULL;
	}
	if (picl_is_for_all(r, record) ||
	    !(place = picl_place(r, record->processor, record->process))) {
		picl_keep_loose(r, record);
		return NULL;
	}
	if (!place->skipped && record->time < place->until)
		picl_event(r, place, record);
	return place;
}

/* ---- passes ---- */

/* Definitions are in no file. */
static bool has_room(const struct picl_reader *r)
{
	OWNED_STR allowed = STR_INIT;

	if (!memory_is_short())
		return true;
	units_bytes(&allowed, memory_bound_bytes());
	return err_set(r->err, STATUS_IO,
		       "%s has more than %zu definitions: more than the %s that --max-mem (or "
		       "ulimit -d) allows",
		       r->path, r->defs.labels.rows.n + r->defs.aliases.rows.n + r->defs.subsets.n,
		       allowed.text);
}

/* False ends the pass; r->dropped tells whether its result is discarded. */
static bool step(void *reader)
{
	struct picl_reader *r = reader;
	const uint64_t done = source_done(r->source), all = source_size(r->source);

	if (r->surveying) {
		r->dropped = !has_room(r);
		if (!r->dropped && progress_step(r->progress, "looking through", done, all))
			return true;
		r->dropped |= progress_dropped(r->progress);
		return false;
	}
	if (!builder_step(r->feed, r->progress, "reading", done, all)) {
		r->dropped = !builder_keep(r->builder, r->progress, done, all);
		return false;
	}
	return !builder_failed(r->builder) && !builder_failed(r->feed);
}

/* Definitions and times of the whole file. */
static void survey(struct picl_reader *r)
{
	struct picl_record record;

	r->surveying = true;
	/* The first definition holds from the start, later ones from where they are. */
	r->defs.first_only = true;
	scan_rewind(&r->scan);
	picl_lines_begin(&r->lines, &r->scan, &r->clock, false);
	while (picl_lines_next(&r->lines, &r->line)) {
		const char *end = r->line.text + r->line.n;
		const char *p = picl_skip_blanks(r->line.text, end);
		if (r->line.too_long)
			continue;
		picl_look_at_times(&r->times, r->line.text, r->line.n);
		/* -5, -6, -201 ... */
		if (end - p < 3 || p[0] != '-' || (p[1] != '5' && p[1] != '6' && p[1] != '2'))
			continue;
		if (picl_parse_slowly(r, &record) && picl_is_definition(record.rectype))
			picl_define(r, &record);
	}
	picl_lines_end(&r->lines);
	r->defs.first_only = false;
	r->surveying = false;
	r->surveyed = true;
}

/* Compressed data that cannot be decompressed to its end: the part before the damage is used. */
static void note_damage(struct picl_reader *r)
{
	const char *damage = source_damage(r->source);

	if (damage && r->lines.finished)
		picl_note(r, FINDING_DAMAGE, "compressed-data", r->line.number, damage);
}

/* The place that a record to come is probably of, NULL where that is not known at once. */
static struct picl_place *coming(const struct picl_reader *r, size_t ahead)
{
	int32_t processor;

	return picl_lines_peek(&r->lines, ahead, &processor)
		       ? r->recent[(uint32_t)processor % PICL_RECENT]
		       : NULL;
}

static void prefetch(const void *from, size_t n)
{
	for (size_t at = 0; at < n; at += 64)
		__builtin_prefetch((const char *)from + at, 1);
}

/* If the records of many locations alternate, each misses the processor's caches several times in a
 * row. So the memory of the coming records is prefetched, one step further for each record. */
static void ask_ahead(struct picl_reader *r)
{
	enum { MANY = 256, STEP = 6 };
	const struct picl_place *place;

	if (r->places.n < MANY)
		return;
	picl_lines_batch(&r->lines);
	if ((place = coming(r, 4 * STEP)))
		prefetch(place, sizeof *place);
	if ((place = coming(r, 3 * STEP)) && !place->skipped) {
		builder_ask(r->feed, place->location, 0);
		if (place->open.n)
			prefetch(&place->open.data[place->open.n - 1], 1);
	}
	if ((place = coming(r, 2 * STEP)) && !place->skipped)
		builder_ask(r->feed, place->location, 1);
	if ((place = coming(r, STEP)) && !place->skipped)
		builder_ask(r->feed, place->location, 2);
}

static void read_records(struct picl_reader *r)
{
	const bool ahead = picl_reads_ahead(r) && !picl_may_divide(r);
	struct picl_record record;
	enum picl_next next;

	scan_rewind(&r->scan);
	picl_lines_begin(&r->lines, &r->scan, &r->clock, ahead);
	while ((next = picl_next_record(r, &record)) != PICL_NEXT_END) {
		const struct picl_place *place = NULL;
		if (next == PICL_NEXT_RECORD && !r->events && begins_events(&record) &&
		    picl_divide(r, &record))
			return;
		if (next == PICL_NEXT_RECORD)
			place = take_record(r, &record);
		if (r->noted.n)
			picl_shared_note(r, place);
		if ((r->parser.finer || r->parser.range) && !r->surveyed)
			r->again = true;
		if (r->again || r->past)
			break;
		ask_ahead(r);
	}
	picl_lines_end(&r->lines);
	if (!r->again) {
		if (!r->events)
			picl_header_end(r);
		picl_events_flush(r);
		note_damage(r);
		picl_shared_note(r, NULL);
	}
}

static void read_pass(struct picl_reader *r, const char *bytes, size_t n)
{
	picl_clock_init(&r->clock, &r->times);
	r->again = r->whole = r->events = r->past = r->windowed = false;
	r->last_time = INT64_MAX;
	r->parser.finer = r->parser.range = false;
	r->noted.n = 0;
	r->scan.step = step;
	r->records = 0;
	picl_places_init(r);
	picl_header_init(r, bytes, n);
	r->builder = builder_new(r->path, &r->clock.scale, r->err);
	if (!r->builder)
		return;
	builder_use_pool(r->builder, r->options->pool);
	r->feed = builder_fork(r->builder);
	if (!r->feed)
		r->feed = r->builder;
	if (r->newer)
		picl_note(r, FINDING_INFO, "newer-format", 0,
			  "written by a newer tview, whose additions are not understood: read as "
			  "plain PICL");
	read_records(r);
}

static void pass_end(struct picl_reader *r)
{
	picl_places_fini(r);
	picl_header_fini(r);
	picl_divided_free(r->divided);
	r->divided = NULL;
	r->own = r->newer = r->own_statistics = false;
	r->world = 0;
}

/* In strict mode, a deviation that only the builder noticed is an error, too. */
static struct trace *check_strictly(const struct picl_reader *r, struct trace *trace)
{
	for (size_t i = 0; trace && r->options->strict && i < trace_finding_count(trace); i++) {
		const struct finding *f = trace_finding(trace, i);
		if (f->kind != FINDING_ODDITY && f->kind != FINDING_DAMAGE)
			continue;
		if (f->lines[0])
			err_set(r->err, STATUS_NO, "%s:%llu: %s (strict reading)", r->path,
				(unsigned long long)f->lines[0], f->text);
		else
			err_set(r->err, STATUS_NO, "%s: %s (strict reading)", r->path, f->text);
		trace_free(trace);
		return NULL;
	}
	return trace;
}

static void drop_builder(struct picl_reader *r)
{
	if (r->feed != r->builder)
		builder_abandon(r->feed);
	builder_abandon(r->builder);
	r->builder = r->feed = NULL;
}

static struct trace *finish(struct picl_reader *r)
{
	const struct builder_options options = { .jobs = r->options->jobs };
	struct builder *b = r->builder;

	if (r->scan.error) {
		errno = r->scan.error;
		err_errno(r->err, STATUS_IO, "cannot read %s", r->path);
	} else if (!r->stop && !r->dropped && r->records == 0) {
		err_set(r->err, STATUS_IO, "%s: no record of this file can be read", r->path);
	} else if (!r->stop && !r->dropped) {
		if (r->feed != b)
			builder_join(b, &r->feed, 1);
		r->builder = r->feed = NULL;
		picl_shared_end(r, b);
		return check_strictly(r, builder_finish(b, &options, r->progress, r->err));
	}
	drop_builder(r);
	return NULL;
}

/* Whether the last whole line of the file's first n bytes is a definition: then its header may go
 * on. */
static bool within_header(const char *bytes, size_t n)
{
	const char *end = memrchr(bytes, '\n', n), *start;
	long type;

	if (!end)
		end = bytes + n;
	start = memrchr(bytes, '\n', (size_t)(end - bytes));
	type = strtol(start ? start + 1 : bytes, NULL, 10);
	return (type <= -5 && type >= -7) || (type <= -200 && type > -300);
}

/* The file's first bytes: its header, at least; *n of them, fewer than *wanted where the file
 * ends. */
static char *read_head(struct source *source, size_t *n, size_t *wanted)
{
	char *bytes = NULL;
	ssize_t got = 1;

	*n = 0;
	*wanted = HEAD_BYTES;
	for (;; *wanted *= 4) {
		bytes = xrealloc(bytes, *wanted + 1);
		while (got > 0 && *n < *wanted) {
			got = source_read(source, bytes + *n, *wanted - *n);
			if (got > 0)
				*n += (size_t)got;
			else if (got < 0 && errno == EAGAIN)
				got = 1;
		}
		bytes[*n] = '\0';
		if (*n < *wanted || *wanted >= HEAD_MOST || !within_header(bytes, *n))
			return bytes;
	}
}

/* Discards a pass. */
static void begin_again(struct picl_reader *r)
{
	const bool surveys = !r->whole;

	drop_builder(r);
	pass_end(r);
	picl_defs_fini(&r->defs);
	picl_defs_init(&r->defs);
	if (surveys)
		survey(r);
}

static struct trace *read_file(struct picl_reader *r)
{
	size_t n, wanted, length;
	OWNED char *bytes = read_head(r->source, &n, &wanted);
	struct picl_head head = { bytes, bytes + n };
	struct trace *trace = NULL;
	const char *text;
	bool complete;

	if (check_kind(r, bytes, n)) {
		while (picl_look_line(&head, &text, &length, &complete))
			if (complete || n < wanted)
				picl_look_at_times(&r->times, text, length);
		read_pass(r, bytes, n);
		while (r->again && !r->dropped) {
			begin_again(r);
			if (!r->dropped)
				read_pass(r, bytes, n);
		}
		if (r->builder)
			trace = finish(r);
		pass_end(r);
	}
	return trace;
}

struct trace *picl_read(const char *path, int fd, const struct picl_options *options,
			const struct progress *progress, struct err *err)
{
	static const struct picl_options defaults;
	struct picl_reader r = { .path = path,
				 .options = options ? options : &defaults,
				 .progress = progress,
				 .err = err };
	struct trace *trace = NULL;

	r.source = source_new(fd, r.options->jobs != 1);
	scan_init(&r.scan, r.source);
	r.scan.step = step;
	r.scan.context = &r;
	str_init(&r.joined);
	str_init(&r.scratch);
	str_init(&r.payload);
	picl_defs_init(&r.defs);
	picl_parser_init(&r.parser);
	r.parser.clock = &r.clock;
	r.parser.defs = &r.defs;
	r.parser.note = picl_note;
	r.parser.context = &r;
	trace = read_file(&r);
	picl_parser_fini(&r.parser);
	picl_defs_fini(&r.defs);
	vec_fini(&r.numbers);
	vec_fini(&r.noted);
	str_fini(&r.scratch);
	str_fini(&r.payload);
	str_fini(&r.joined);
	scan_fini(&r.scan);
	source_free(r.source);
	return trace;
}
