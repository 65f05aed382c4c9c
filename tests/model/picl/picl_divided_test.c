/* A file whose text several processes divide: each has what one process alone has, to the number:
 * definitions in the order of their first use, texts, findings with their lines, and the events of
 * its locations. Files that others may have written, with all that makes a line depend on others;
 * so small that stretches have a line or none. */
#include <stdio.h>
#include <string.h>

#include "harness/files.h"
#include "harness/processes.h"
#include "harness/random.h"
#include "harness/random_trace.h"
#include "harness/rounds.h"
#include "harness/test.h"
#include "model/formats/load.h"
#include "model/formats/save.h"
#include "model/trace/halo.h"
#include "model/trace/record_type.h"
#include "model/trace/store.h"

enum { MOST = 13 };

struct job {
	const char *path;
	uint64_t loaded;
	struct str defined[MOST]; /* [process] */
	struct str *events[MOST]; /* [process][location]; without text: of another one */
	uint32_t locations[MOST];
};

/* ---- what a process has ---- */

static void add_findings(const struct trace *trace, struct str *out)
{
	for (size_t i = 0; i < trace_finding_count(trace); i++) {
		const struct finding *f = trace_finding(trace, i);
		str_add_fmt(out, "finding %d %s %llu %s:", (int)f->kind, f->code,
			    (unsigned long long)f->count, f->text);
		for (int k = 0; k < 5; k++)
			str_add_fmt(out, " %llu", (unsigned long long)f->lines[k]);
		str_add_char(out, '\n');
	}
}

static void add_definitions(const struct trace *trace, struct str *out)
{
	const struct region *region;
	const struct site *site;
	const struct location *l;
	const struct loose_record *loose;

	for (uint32_t i = 0; i < trace->strings.start.n; i++)
		str_add_fmt(out, "string %u %s\n", i, strings_get(&trace->strings, i));
	vec_each (region, &trace->regions)
		str_add_fmt(out, "region %u %u %u %d %d\n", region->name, region->file,
			    region->line, region->picl, region->cls);
	vec_each (site, &trace->sites)
		str_add_fmt(out, "site %u %u %u %d\n", site->region, site->file, site->line,
			    site->picl);
	vec_each (l, &trace->locations)
		str_add_fmt(out, "location %u %d %d %d %llu\n", l->name, l->rank, l->process,
			    l->thread, (unsigned long long)l->events);
	for (size_t i = 0; i < trace->comms.n; i++)
		str_add_fmt(out, "comm %u %u\n", trace->comms.data[i].name,
			    trace->comms.data[i].size);
	vec_each (loose, &trace->loose)
		str_add_fmt(out, "loose %lld %llu %u\n", (long long)loose->time,
			    (unsigned long long)loose->line, loose->text);
	for (size_t i = 0; i < trace->statement_records.n; i++)
		str_add_fmt(out, "record %u %u %llu\n", trace->statement_records.data[i].statement,
			    trace->statement_records.data[i].location,
			    (unsigned long long)trace->statement_records.data[i].count);
	add_findings(trace, out);
}

static void add_events(const struct trace *trace, uint32_t location, struct str *out)
{
	struct cursor c;

	for (bool ok = cursor_first(&c, trace, BASE_MEASURED, location); ok; ok = cursor_next(&c)) {
		const enum event_kind kind = what_kind(cursor_what(&c));
		const char *extra = trace_event_extra(trace, c.id);
		const char *time = trace_event_time_text(trace, c.id);
		str_add_fmt(out, "%lld %s [%s] [%s] ", (long long)cursor_time(&c),
			    event_kind_name(kind), extra ? extra : "", time ? time : "");
		if (kind >= EV_DATA && kind <= EV_IO) {
			const struct record *record =
				&trace->records.data[what_id(cursor_what(&c))];
			str_add_fmt(out, "%d %u %u ", record->rectype, record->site, record->text);
		}
		trace_callpath_text(trace, trace_event_path(trace, c.id), out);
		str_add_char(out, '\n');
	}
}

static void body(struct exchange *x, void *context)
{
	struct job *job = context;
	const uint32_t p = exchange_process(x);
	const struct load_options how = { .exchange = x, .no_cache = true, .jobs = 1 + p % 2 };
	struct err err = ERR_INIT;
	struct trace *trace = trace_load(job->path, &how, NULL, &err);

	str_init(&job->defined[p]);
	job->events[p] = NULL;
	job->locations[p] = 0;
	if (!trace) {
		str_add_fmt(&job->defined[p], "%s\n", err.text);
		return;
	}
	add_definitions(trace, &job->defined[p]);
	job->locations[p] = trace_location_count(trace);
	job->events[p] = xcalloc(job->locations[p] + 1u, sizeof *job->events[p]);
	for (uint32_t l = 0; l < job->locations[p]; l++) {
		str_init(&job->events[p][l]);
		if (trace_has_location(trace, l))
			add_events(trace, l, &job->events[p][l]);
	}
	trace_free(trace);
}

static void drop(struct job *job, uint32_t p)
{
	for (uint32_t l = 0; l < job->locations[p]; l++)
		str_fini(&job->events[p][l]);
	free(job->events[p]);
	str_fini(&job->defined[p]);
}

/* ---- the same ---- */

static void same_text(const char *what, uint32_t n, const char *is, const char *was)
{
	const char *line = was;

	if (strcmp(is, was) == 0)
		return;
	for (size_t i = 0; is[i] && is[i] == was[i]; i++)
		if (was[i] == '\n')
			line = was + i + 1;
	fail_msg("%s: %u processes: \"%.*s\" instead of \"%.*s\"", what, n,
		 (int)strcspn(is + (line - was), "\n"), is + (line - was), (int)strcspn(line, "\n"),
		 line);
}

/* Gives the number of events that one process has. */
static size_t same(const char *path)
{
	static const uint32_t numbers[] = { 2, 3, 5, 8, MOST };
	struct job alone = { .path = path };
	size_t lines = 0;

	processes_run(1, body, &alone);
	for (uint32_t l = 0; l < alone.locations[0]; l++)
		for (const char *at = alone.events[0][l].text; (at = strchr(at, '\n')); at++)
			lines++;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		const uint32_t n = numbers[i];
		struct job job = { .path = path };
		processes_run(n, body, &job);
		for (uint32_t p = 0; p < n; p++) {
			same_text(path, n, job.defined[p].text, alone.defined[0].text);
			assert_int_equal(job.locations[p], alone.locations[0]);
		}
		for (uint32_t l = 0; l < alone.locations[0]; l++) {
			uint32_t owners = 0;
			for (uint32_t p = 0; p < n; p++)
				if (job.events[p][l].n) {
					same_text(path, n, job.events[p][l].text,
						  alone.events[0][l].text);
					owners++;
				}
			assert_int_equal(owners, alone.events[0][l].n > 0);
		}
		for (uint32_t p = 0; p < n; p++)
			drop(&job, p);
	}
	drop(&alone, 0);
	return lines;
}

static size_t same_bytes(const struct str *text)
{
	char folder[FOLDER_NAME];
	OWNED_STR path = STR_INIT;
	size_t events;

	folder_make(folder, "picl-divided");
	str_add_fmt(&path, "%s/run.trc", folder);
	file_write(path.text, text->text, text->n);
	events = same(path.text);
	folder_remove(folder);
	return events;
}

/* ---- files of others ---- */

struct writing {
	struct rng rng;
	struct str text;
	double time;
	bool whole_times; /* without point */
	bool crlf;
};

static void end_line(struct writing *w)
{
	str_add(&w->text, w->crlf && rng_below(&w->rng, 2) ? "\r\n" : "\n");
}

static void head(struct writing *w, int rectype, int evtype, int processor, int process)
{
	w->time += w->whole_times ? 1 : 1e-6;
	str_add_fmt(&w->text, w->whole_times ? "%d %d %.0f %d %d " : "%d %d %.6f %d %d ", rectype,
		    evtype, w->time, processor, process);
}

/* Processors with one process or several, with and without its number; the host by both. */
static void place(struct writing *w, int *processor, int *process)
{
	static const int hosts[] = { 32767, -32768 };

	*processor = (int)rng_below(&w->rng, 6);
	*process = *processor == 4 ? (int)rng_below(&w->rng, 2) : *processor % 2 ? 0 : -1;
	if (rng_below(&w->rng, 20) == 0)
		*process = -1;
	if (rng_below(&w->rng, 25) == 0)
		*processor = hosts[rng_below(&w->rng, 2)];
}

/* Kinds of records, some damaged: type 0 is a random one, processes -2 those of a random place. */
static const struct {
	int record, type, processor, process;
	const char *rest;
} kinds[] = {
	{ -2, 0, -2, -2, "2 2 7 -8" },
	{ -7, -1, -2, -2, "5 \"%c\" hello" },
	{ -7, -1, -2, -1, "3 \"%c\" all" },
	{ -101, -1, -2, -2, "2 2 -52 1" },
	{ -7, -1, -1, -1, "4 \"%c\" none" },
	{ -3, 0, -2, -2, "2 2 1" },
	{ -4, 0, -2, -2, "\\" },
	{ -305, -201, -2, -2, "1 2 3" },
	{ -4, 0, -2, -2, " 0" },
	{ -3, -782, -2, -2, "1 2 64" },
	{ -4, -782, -2, -2, "0" },
	{ -3, -901, -2, -2, "0" },
	{ -4, -901, -2, -2, "0" },
	{ -5000, 0, -2, -2, "0" },
	{ -3, -57, -2, -2, "0" },
	{ -4, -57, -2, -2, "1 2 9" },
};

/* Lines that begin no record: more data, comments, nonsense. */
static const char *const other_lines[] = { "2", "# a comment", "", "this is no record", "0" };

enum { KINDS = sizeof kinds / sizeof *kinds, LINES = sizeof other_lines / sizeof *other_lines };

static void add_record(struct writing *w)
{
	int processor, process;
	const int type = 1 + (int)rng_below(&w->rng, 5);
	const uint32_t k = rng_below(&w->rng, KINDS + LINES + 5);

	place(w, &processor, &process);
	if (k < KINDS) {
		head(w, kinds[k].record, kinds[k].type ? kinds[k].type : type,
		     kinds[k].processor == -2 ? processor : kinds[k].processor,
		     kinds[k].process == -2 ? process : kinds[k].process);
		str_add(&w->text, kinds[k].rest);
	} else if (k < KINDS + LINES) {
		str_add(&w->text, other_lines[k - KINDS]);
	} else if (k == KINDS + LINES) {
		head(w, -3, 1000 + (int)rng_below(&w->rng, 40), processor, process);
		str_add(&w->text, "1 2 12345678901");
	} else {
		head(w, rng_below(&w->rng, 2) ? -3 : -4, type, processor, process);
		str_add(&w->text, "0");
	}
	end_line(w);
}

static void add_header(struct writing *w)
{
	str_add(&w->text, w->whole_times ? "-5 1 -1 -1 -1 4 \"%c\" main\n"
					 : "-5 1 -0.000001 -1 -1 4 \"%c\" main\n");
	str_add(&w->text, w->whole_times ? "-5 1001 -1 -1 -1 4 \"%c\" main\n"
					 : "-5 1001 -0.000001 -1 -1 4 \"%c\" main\n");
}

static void write_lines(struct writing *w, uint64_t seed, uint32_t n)
{
	*w = (struct writing){ .rng = { seed },
			       .text = STR_INIT,
			       .whole_times = seed % 4 == 0,
			       .crlf = seed % 3 == 0 };
	if (seed % 5)
		add_header(w);
	for (uint32_t i = 0; i < n; i++)
		add_record(w);
}

TEST(files_of_others)
{
	size_t events = 0;

	for (uint64_t n = rounds(60), seed = 61 - n; seed <= 60;
	     seed++) { /* the last ones are long */
		struct writing w;
		write_lines(&w, seed, 4 + (uint32_t)seed * 3);
		if (seed % 7 == 0)
			w.text.text[--w.text.n] = '\0'; /* the last line does not end */
		events += same_bytes(&w.text);
		str_fini(&w.text);
	}
	print_message("# %zu events\n", events);
	assert_true(events > 50 * rounds(60));
}

/* What makes each process read all: labels in the middle, of some places or of all; times that are
 * finer than those before. */
TEST(definitions_in_the_middle)
{
	static const char *const lines[] = {
		"-5 2 0.000001 -1 -1 6 \"%c\" middle\n",
		"-5 1 0.000001 -1 -1 6 \"%c\" middle\n",
		"-5 2 0.000001 3 0 6 \"%c\" middle\n",
		"-6 -1 0.000001 -1 -1 1 \"%d%s\" 2 \"%d%d\"\n",
		"-202 -1 0.000001 -1 -1 3 2 -2 0 1\n",
		"-3 1 0.0000015 1 0 0\n",
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct writing w;
		write_lines(&w, 11 + i, 60);
		str_add(&w.text, lines[i]);
		w.whole_times = false;
		for (int k = 0; k < 60; k++)
			add_record(&w);
		assert_true(same_bytes(&w.text) > 40);
		str_fini(&w.text);
	}
}

/* One that no buffer holds is skipped, in whichever stretch it begins. */
TEST(very_long_lines)
{
	struct writing w;

	write_lines(&w, 2, 30);
	str_add(&w.text, "-7 -1 0.5 1 0 17000000 \"%c\" ");
	for (int i = 0; i < 1700000; i++)
		str_add(&w.text, "0123456789");
	str_add(&w.text, "\n");
	for (int k = 0; k < 30; k++)
		add_record(&w);
	str_add(&w.text, "-7 -1 0.5 2 -1 200000 \"%c\" ");
	for (int i = 0; i < 20000; i++)
		str_add(&w.text, "abcdefghij");
	str_add(&w.text, "\n");
	for (int k = 0; k < 30; k++)
		add_record(&w);
	assert_true(same_bytes(&w.text) > 20);
	str_fini(&w.text);
}

/* ---- tview's own files ---- */

TEST(own_files)
{
	for (uint64_t seed = 1; seed <= rounds(10); seed++) {
		OWNED_TRACE *trace =
			seed % 2 ? random_trace(seed, 90, 1000000000)
				 : random_trace_of_messages(seed, 150, 1000000000, seed % 4 == 0);
		char folder[FOLDER_NAME];
		OWNED_STR path = STR_INIT;
		struct err err = ERR_INIT;
		folder_make(folder, "picl-divided");
		str_add_fmt(&path, "%s/run.trc", folder);
		if (!trace_save(trace, SAVE_PICL, path.text, NULL, NULL, NULL, &err))
			fail_msg("%s", err.text);
		assert_true(same(path.text) > 100);
		folder_remove(folder);
	}
}
