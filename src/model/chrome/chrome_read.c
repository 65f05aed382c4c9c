/* The file's outermost level, and what was found in it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/build/part.h"
#include "model/chrome/chrome.h"
#include "model/chrome/chrome_state.h"

enum { RECORDS_A_STEP = 4096 };

struct chrome_file {
	const char *path;
	struct source *source;
	struct json_scan scan;
	struct chrome_record record;
	struct chrome_reading reading;
	const struct progress *progress;
	uint64_t records;
	bool bare; /* an array without an object around it */
	bool stopped;
};

bool chrome_recognise(const char *bytes, size_t n)
{
	size_t i = n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

	while (i < n && strchr(" \n\r\t", bytes[i]) && bytes[i])
		i++;
	if (i == n || (bytes[i] != '[' && bytes[i] != '{'))
		return false;
	for (i++; i < n && strchr(" \n\r\t", bytes[i]) && bytes[i];)
		i++;
	return i == n || strchr("\"{}]", bytes[i]);
}

static bool step(struct chrome_file *f)
{
	return builder_step(f->reading.builder, f->progress, "reading", source_done(f->source),
			    source_size(f->source));
}

static void read_records(struct chrome_file *f)
{
	struct json_scan *s = &f->scan;

	if (!json_enter(s, '['))
		return;
	while (json_element(s)) {
		if (json_next(s) != JSON_OBJECT) { /* a null after the last comma, say */
			if (!json_skip(s))
				return;
			continue;
		}
		if (!chrome_record_read(&f->record, s))
			return;
		chrome_take(&f->reading, &f->record);
		if (++f->records % RECORDS_A_STEP == 0 && !step(f)) {
			f->stopped = true;
			return;
		}
	}
	if (f->bare && s->ended) /* which may end without its bracket */
		s->wrong = NULL;
}

/* Figures and texts about the file are properties of the trace. */
static void take_property(struct chrome_file *f, const char *key, struct str *value)
{
	const enum json_kind kind = json_scalar(&f->scan, value);

	if (kind == JSON_ARRAY || kind == JSON_OBJECT) {
		f->reading.counts.arguments += json_skip(&f->scan);
		return;
	}
	if (kind != JSON_NONE)
		builder_property(f->reading.builder, key, value->text);
}

static void read_properties(struct chrome_file *f, struct str *key, struct str *value)
{
	if (json_next(&f->scan) != JSON_OBJECT) {
		json_skip(&f->scan);
		return;
	}
	json_enter(&f->scan, '{');
	while (json_key(&f->scan, key))
		take_property(f, key->text, value);
}

static void read_object(struct chrome_file *f)
{
	OWNED_STR key = STR_INIT, value = STR_INIT;

	json_enter(&f->scan, '{');
	while (!f->stopped && json_key(&f->scan, &key)) {
		if (strcmp(key.text, "traceEvents") == 0)
			read_records(f);
		else if (strcmp(key.text, "otherData") == 0 || strcmp(key.text, "metadata") == 0)
			read_properties(f, &key, &value);
		else
			take_property(f, key.text, &value);
	}
}

static void read_all(struct chrome_file *f)
{
	struct json_scan *s = &f->scan;

	if (json_peek(s) == 0xef) /* a mark of the order of bytes */
		s->at += s->n - s->at < 3 ? s->n - s->at : 3;
	f->bare = json_peek(s) == '[';
	if (f->bare)
		read_records(f);
	else
		read_object(f);
}

/* ---- what is said ---- */

static void tell_all(const struct chrome_file *f)
{
	const struct chrome_counts *n = &f->reading.counts;
	const struct {
		enum finding_kind kind;
		const char *code, *text;
		uint64_t n;
	} list[] = {
		{ FINDING_INFO, "arguments", "argument of an event is not kept", n->arguments },
		{ FINDING_INFO, "phases",
		  "event of a kind that is not kept (asynchronous, object, sample ...)",
		  n->phases },
		{ FINDING_INFO, "local-flows", "arrow inside of a process is not kept",
		  n->local_flows },
		{ FINDING_ODDITY, "lone-flows", "arrow with one end alone", n->lone_flows },
		{ FINDING_DAMAGE, "without-time", "event without a time that can be read",
		  n->without_time },
		{ FINDING_ODDITY, "negative-duration", "duration below 0, taken as 0",
		  n->negative },
		{ FINDING_ODDITY, "no-begin", "end without a begin", n->no_begin },
		{ FINDING_ODDITY, "overlapping",
		  "event that ends after the one it is in: ended there", n->overlapping },
		{ FINDING_ODDITY, "cut-text", "text of more than 16 KiB was cut", f->scan.cut },
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		for (uint64_t k = 0; k < list[i].n; k++)
			builder_finding(f->reading.builder, list[i].kind, list[i].code, 0,
					list[i].text);
}

static void tell_damage(const struct chrome_file *f)
{
	OWNED_STR text = STR_INIT;
	const char *damage = source_damage(f->source);

	if (damage)
		builder_finding(f->reading.builder, FINDING_DAMAGE, "compressed", 0, damage);
	if (!json_failed(&f->scan))
		return;
	str_add_fmt(&text, "byte %" PRIu64 ": %s; what follows was not read", json_offset(&f->scan),
		    f->scan.wrong);
	builder_finding(f->reading.builder, FINDING_DAMAGE, "json", 0, text.text);
}

static bool has_anything(const struct chrome_file *f, struct err *err)
{
	if (f->records > 0 && (f->reading.rows.n > 0 || !json_failed(&f->scan)))
		return true;
	if (json_failed(&f->scan))
		return err_set(err, STATUS_IO,
			       "%s: byte %" PRIu64 ": %s (no event was read before)", f->path,
			       json_offset(&f->scan), f->scan.wrong);
	return err_set(
		err, STATUS_IO,
		"%s: no events in this JSON file (a trace has them in an array, which may be "
		"called \"traceEvents\")",
		f->path);
}

static struct trace *finish(struct chrome_file *f, struct err *err)
{
	struct chrome_reading *c = &f->reading;
	const struct builder_options options = { .jobs = c->options->jobs };
	struct builder *b = c->builder;

	part_tell(b, &c->options->part);
	chrome_join_flows(c);
	chrome_make_locations(c);
	chrome_feed(c);
	tell_all(f);
	tell_damage(f);
	c->builder = NULL;
	return builder_finish(b, &options, f->progress, err);
}

static void chrome_fini(struct chrome_file *f)
{
	struct chrome_reading *c = &f->reading;

	if (c->builder)
		builder_abandon(c->builder);
	vec_fini(&c->rows);
	vec_fini(&c->processes);
	vec_fini(&c->places);
	vec_fini(&c->flows);
	keymap_fini(&c->process_of);
	keymap_fini(&c->place_of);
	keymap_fini(&c->site_of);
	keymap_fini(&c->set_of);
	chrome_record_fini(&f->record);
	json_scan_fini(&f->scan);
	source_free(f->source);
}

struct trace *chrome_read(const char *path, int fd, const struct load_options *options,
			  const struct progress *progress, struct err *err)
{
	struct chrome_file f = { .path = path,
				 .progress = progress,
				 .reading = { .options = options, .next_type = 1 } };
	struct trace *trace = NULL;

	if (options->exchange) {
		err_set(err, STATUS_USAGE,
			"%s: JSON is read by one process (convert it first: tview convert)", path);
		return NULL;
	}
	if (options->part.timed) {
		err_set(err, STATUS_USAGE, "%s: of JSON a window of time cannot be loaded alone",
			path);
		return NULL;
	}
	f.reading.builder = builder_new(path, &units_nanoseconds, err);
	if (!f.reading.builder)
		return NULL;
	builder_use_pool(f.reading.builder, options->pool);
	f.source = source_new(fd, true);
	json_scan_init(&f.scan, f.source);
	chrome_record_init(&f.record);
	read_all(&f);
	if (!f.stopped ||
	    builder_keep(f.reading.builder, progress, source_done(f.source), source_size(f.source)))
		if (f.stopped || has_anything(&f, err))
			trace = finish(&f, err);
	chrome_fini(&f);
	return trace;
}
