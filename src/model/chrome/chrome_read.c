/* The file's outermost level, and what was found in it. */
#define _GNU_SOURCE /* strverscmp */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/order.h"
#include "base/path.h"
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
	uint64_t records;    /* of this file */
	uint64_t cut;        /* texts, in files before this one */
	uint64_t done, size; /* bytes of the files before; of all, 0 unknown */
	bool bare;           /* an array without an object around it */
	bool named;          /* an array "traceEvents", which may be empty */
	bool stopped;
};

static bool step(struct chrome_file *f)
{
	return builder_step(f->reading.builder, f->progress, "reading",
			    f->done + source_done(f->source), f->size);
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

/* "rank" and "world_size" of a training job. */
static void take_distributed(struct chrome_file *f, struct str *value)
{
	struct chrome_source *file = &f->reading.files.data[f->reading.file];
	OWNED_STR key = STR_INIT;

	if (json_next(&f->scan) != JSON_OBJECT) {
		json_skip(&f->scan);
		return;
	}
	file->profiler = true;
	json_enter(&f->scan, '{');
	while (json_key(&f->scan, &key)) {
		const enum json_kind kind = json_scalar(&f->scan, value);
		const int32_t n = kind == JSON_NUMBER ? chrome_rank_of(value->text) : -1;
		if (kind == JSON_ARRAY || kind == JSON_OBJECT)
			json_skip(&f->scan);
		else if (n >= 0 && strcmp(key.text, "rank") == 0)
			file->rank = n;
		else if (n >= 0 && strcmp(key.text, "world_size") == 0)
			file->world = (uint32_t)n;
	}
}

static void take_devices(struct chrome_file *f)
{
	f->reading.files.data[f->reading.file].profiler = true;
	f->reading.counts.arguments += json_skip(&f->scan);
}

/* Of PyTorch, and as other writers spell it: ns since 1970 of time 0. */
static void take_base(struct chrome_file *f, const struct str *value)
{
	struct chrome_source *file = &f->reading.files.data[f->reading.file];
	char *end;
	const long long base = strtoll(value->text, &end, 10);

	file->has_base = end != value->text && !*end;
	file->base = file->has_base ? base : 0;
}

/* Figures and texts about the file are properties of the trace; of several files, of the first. */
static void take_property(struct chrome_file *f, const char *key, struct str *value)
{
	const enum json_kind kind = json_scalar(&f->scan, value);

	if (kind == JSON_ARRAY || kind == JSON_OBJECT) {
		f->reading.counts.arguments += json_skip(&f->scan);
		return;
	}
	if (kind != JSON_NONE && strncmp(key, "baseTimeNanosecond", 18) == 0)
		take_base(f, value);
	if (kind != JSON_NONE && f->reading.file == 0)
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
		if (strcmp(key.text, "traceEvents") == 0) {
			f->named = json_next(&f->scan) == JSON_ARRAY;
			read_records(f);
		} else if (strcmp(key.text, "distributedInfo") == 0)
			take_distributed(f, &value);
		else if (strcmp(key.text, "deviceProperties") == 0)
			take_devices(f);
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
		{ FINDING_INFO, "derived", "event that a profiler derived from others is not kept",
		  n->tracks },
		{ FINDING_ODDITY, "lone-flows", "arrow with one end alone", n->lone_flows },
		{ FINDING_DAMAGE, "without-time", "event without a time that can be read",
		  n->without_time },
		{ FINDING_ODDITY, "negative-duration", "duration below 0, taken as 0",
		  n->negative },
		{ FINDING_ODDITY, "no-begin", "end without a begin", n->no_begin },
		{ FINDING_ODDITY, "overlapping",
		  "event that ends after the one it is in: ended there", n->overlapping },
		{ FINDING_ODDITY, "cut-text", "text of more than 16 KiB was cut", f->cut },
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		for (uint64_t k = 0; k < list[i].n; k++)
			builder_finding(f->reading.builder, list[i].kind, list[i].code, 0,
					list[i].text);
}

/* "rank1.json: " before what is said of one of several files. */
static void add_name(const struct chrome_file *f, struct str *text)
{
	if (f->reading.files.n > 1)
		str_add_fmt(text, "%s: ", path_name(f->path));
}

static void tell_damage(struct chrome_file *f)
{
	struct builder *b = f->reading.builder;
	const char *damage = source_damage(f->source);
	OWNED_STR text = STR_INIT;

	add_name(f, &text);
	str_add(&text, damage ? damage : "");
	if (damage)
		builder_finding(b, FINDING_DAMAGE, "compressed", 0, text.text);
	f->reading.files.data[f->reading.file].damaged = damage || json_failed(&f->scan);
	if (!json_failed(&f->scan))
		return;
	str_clear(&text);
	add_name(f, &text);
	str_add_fmt(&text, "byte %" PRIu64 ": %s; what follows was not read", json_offset(&f->scan),
		    f->scan.wrong);
	builder_finding(b, FINDING_DAMAGE, "json", 0, text.text);
}

/* What is wrong with a file that has no events. */
static bool has_anything(const struct chrome_file *f, struct err *err)
{
	const struct chrome_source *file = &f->reading.files.data[f->reading.file];

	if ((f->records > 0 || f->named) &&
	    (f->reading.rows.n > file->first_row || !json_failed(&f->scan)))
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
	chrome_place_launches(c);
	chrome_join_clocks(c);
	chrome_number_ranks(c);
	chrome_join_flows(c);
	chrome_make_groups(c);
	chrome_make_locations(c);
	chrome_feed(c);
	tell_all(f);
	c->builder = NULL;
	return builder_finish(b, &options, f->progress, err);
}

static void chrome_fini(struct chrome_file *f)
{
	struct chrome_reading *c = &f->reading;

	if (c->builder)
		builder_abandon(c->builder);
	vec_fini(&c->files);
	vec_fini(&c->rows);
	vec_fini(&c->processes);
	vec_fini(&c->places);
	vec_fini(&c->flows);
	vec_fini(&c->groups);
	vec_fini(&c->frames);
	vec_fini(&c->launches);
	keymap_fini(&c->process_of);
	keymap_fini(&c->place_of);
	keymap_fini(&c->group_of);
	keymap_fini(&c->before_of);
	keymap_fini(&c->site_of);
	keymap_fini(&c->set_of);
	chrome_record_fini(&f->record);
}

/* ---- the files ---- */

/* False with err: nothing could be read of it, or it was stopped and is not wanted (without). */
static bool read_file(struct chrome_file *f, const char *path, int fd, struct err *err)
{
	struct chrome_reading *c = &f->reading;
	bool ok;

	c->file = (uint32_t)c->files.n;
	vec_push(&c->files,
		 ((struct chrome_source){ .name = builder_string(c->builder, path, strlen(path)),
					  .rank = -1,
					  .first_row = c->rows.n,
					  .first_flow = c->flows.n }));
	f->path = path;
	f->records = 0;
	f->source = source_new(fd, true);
	json_scan_init(&f->scan, f->source);
	read_all(f);
	f->done += source_done(f->source);
	f->cut += f->scan.cut;
	ok = f->stopped ? builder_keep(c->builder, f->progress, f->done, f->size)
			: has_anything(f, err);
	if (ok)
		tell_damage(f);
	json_scan_fini(&f->scan);
	source_free(f->source);
	return ok;
}

/* One that cannot be read does not hide the others. */
static bool read_one_of_many(struct chrome_file *f, const char *path, struct err *first)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct err err = ERR_INIT;
	bool ok = fd >= 0;

	if (ok)
		ok = read_file(f, path, fd, &err);
	else
		err_errno(&err, STATUS_IO, "cannot open %s", path);
	if (err_is_set(&err)) {
		builder_finding(f->reading.builder, FINDING_DAMAGE, "file-left-out", 0, err.text);
		if (!err_is_set(first))
			*first = err;
	}
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool refuse(const char *path, const struct load_options *options, struct err *err)
{
	if (options->exchange)
		return !err_set(err, STATUS_USAGE,
				"%s: JSON is read by one process (convert it first: tview convert)",
				path);
	if (options->part.timed)
		return !err_set(err, STATUS_USAGE,
				"%s: of JSON a window of time cannot be loaded alone", path);
	return false;
}

static bool begin(struct chrome_file *f, const char *path, const struct load_options *options,
		  const struct progress *progress, struct err *err)
{
	*f = (struct chrome_file){ .progress = progress,
				   .reading = { .options = options, .next_type = 1 } };
	if (refuse(path, options, err))
		return false;
	f->reading.builder = builder_new(path, &units_nanoseconds, err);
	if (!f->reading.builder)
		return false;
	builder_use_pool(f->reading.builder, options->pool);
	chrome_record_init(&f->record);
	return true;
}

struct trace *chrome_read(const char *path, int fd, const struct load_options *options,
			  const struct progress *progress, struct err *err)
{
	struct chrome_file f;
	struct trace *trace = NULL;
	struct stat st;

	if (!begin(&f, path, options, progress, err))
		return NULL;
	f.size = fstat(fd, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
	if (read_file(&f, path, fd, err))
		trace = finish(&f, err);
	chrome_fini(&f);
	return trace;
}

/* ---- several ---- */

static int by_name(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	const int order = strverscmp(path_name(*x), path_name(*y));

	return order ? order : strcmp(*x, *y);
}

static uint64_t size_of(const char *const *paths, size_t n)
{
	uint64_t sum = 0;
	struct stat st;

	for (size_t i = 0; i < n; i++)
		sum += stat(paths[i], &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
	return sum;
}

struct trace *chrome_read_files(const char *const *paths, size_t n,
				const struct load_options *options, const struct progress *progress,
				struct err *err)
{
	OWNED const char **sorted = xmalloc((n + 1) * sizeof *sorted);
	struct err first = ERR_INIT;
	struct trace *trace = NULL;
	struct chrome_file f;
	size_t read = 0;

	memcpy(sorted, paths, n * sizeof *sorted);
	SORT(sorted, n, by_name);
	if (!begin(&f, sorted[0], options, progress, err))
		return NULL;
	f.size = size_of(sorted, n);
	for (size_t i = 0; i < n && !f.stopped; i++)
		read += read_one_of_many(&f, sorted[i], &first);
	if (read > 0)
		trace = finish(&f, err);
	else if (err_is_set(&first))
		err_set(err, first.status, "%s", first.text);
	chrome_fini(&f);
	return trace;
}
