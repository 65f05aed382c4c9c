/* Views that several processes make together are byte for byte those of one, in the first process,
 * which writes them: random traces, PICL and those of other tools, several numbers of processes,
 * all formats. */
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "correct/correct.h"
#include "harness/files.h"
#include "harness/one_sided.h"
#include "harness/owners.h"
#include "harness/processes.h"
#include "harness/random_trace.h"
#include "harness/rounds.h"
#include "harness/seeds.h"
#include "harness/test.h"
#include "model/formats/load.h"
#include "model/formats/save.h"
#include "model/trace/halo.h"
#include "ui/app/views.h"
#include "ui/options/choose.h"
#include "ui/options/correcting.h"
#include "ui/options/option.h"
#include "views/explain/explaining.h"
#include "views/export/export.h"
#include "views/report/check.h"
#include "views/report/report_trace.h"

enum { MOST = 13 };

/* Each asks all views. */
static const char *const questions[] = {
	"--base measured",
	"--base measured --by rank",
	"--base linear --diff --against measured",
	"--base measured -r 1,2 -F dur>1us||depth<3",
	"--base measured -F class!=user||rank<3",
	"--base measured -F tag==1||bytes>100||op=~/all/i&&root!=2",
	"--base measured -F !(peer<2)&&src!=0||dst==3||comm!~/world/i",
	"--base measured -F object=~/./||value>3",
	"--base fitted --by rank",
	"--base fitted --presync messages --diff --against linear",
	"--base measured -t 1us:20us --by destination",
	"--base measured -t 0.01:0.05 --by rank",
};
/* SEVERAL: questions that ask for several pictures and explanations, too. */
enum { QUESTIONS = sizeof questions / sizeof *questions, SEVERAL = 4, WORDS = 12 };

struct question {
	char *text; /* its words */
	char *argv[WORDS];
	struct options options;
};

struct job {
	const char *path;
	size_t first, step; /* of the questions that it asks */
	struct question questions[QUESTIONS];
	char *said[MOST]; /* by each process: what was asked, and the answers */
};

/* All say what the first one wrote. */
static void say_all(struct exchange *x, const char *text, size_t n, FILE *out)
{
	uint64_t bytes = n;
	char *all;

	exchange_from(x, 0, &bytes, sizeof bytes);
	all = xcalloc(bytes + 1, 1);
	if (exchange_process(x) == 0)
		memcpy(all, text, bytes);
	exchange_from(x, 0, all, bytes);
	fwrite(all, 1, bytes, out);
	free(all);
}

/* In all formats at the first question, in one of them at the others. */
static void export(const struct view_info *view, const struct query *query, unsigned nth, FILE *out)
{
	const int first = nth ? (int)nth % EXPORT_CUBE : EXPORT_TEXT;
	const int last = nth ? first : view->cube ? EXPORT_CUBE : EXPORT_MARKDOWN;

	for (int format = first; format <= last; format++) {
		const struct export_options how = { .format = (enum export_format)format,
						    .exchange = trace_exchange(query->trace) };
		struct err err = ERR_INIT;
		char *text = NULL;
		size_t n = 0;
		FILE *to = open_memstream(&text, &n);

		if (!export_view(view, query, &how, to, &err))
			fprintf(to, "%s\n", err.text);
		fclose(to);
		say_all(how.exchange, text, n, out);
		free(text);
	}
}

/* The report, as one process writes it and as all make it. */
static void report(const struct query *query, FILE *out)
{
	for (int format = EXPORT_TEXT; format <= EXPORT_JSON; format++) {
		struct report report;
		struct err err = ERR_INIT;

		if (format == EXPORT_CSV)
			continue;
		report_init(&report);
		report.sizes = format == EXPORT_JSON;
		if (!report_trace(&report, query, true, &err) ||
		    !report_write(&report, (enum export_format)format, 0, out, &err))
			fprintf(out, "%s\n", err.text);
		report_fini(&report);
	}
}

/* The chains of causes of some waits of each location. */
static void explain(const struct query *query, FILE *out)
{
	enum { WAITS = 4 };
	struct analysis *analysis = analyses_get(query->analyses, query->base, NULL, NULL);
	const struct causes *causes = analysis ? causes_of(analysis, NULL, NULL) : NULL;
	const struct wait_bounds bounds = { .pending = false };

	for (uint32_t i = 0; causes && i < WAITS * trace_location_count(query->trace); i++) {
		struct explain e = { .subject = { .location = i / WAITS,
						  .wait = i % WAITS,
						  .enter = EVENT_NONE,
						  .message = UINT32_MAX } };
		const struct explain_line *line;

		explain_chain(&e, query, analysis, causes, &bounds);
		vec_each (line, &e.lines)
			fprintf(out, "%*s%s [%s]\n", line->depth, "", line->text, line->value);
		explain_fini(&e);
	}
}

/* What is at some events of each location, which its process alone knows. */
static void explain_events(const struct query *all, FILE *out)
{
	enum { EVENTS = 5 };
	const struct view_info *view = view_of_export(&all_views, "explain");
	const struct trace *trace = all->trace;
	const struct export_options how = { .format = EXPORT_CSV };
	struct query query = *all;

	query.export.at_event = true;
	for (uint32_t i = 0; i < EVENTS * trace_location_count(trace); i++) {
		const uint32_t location = i / EVENTS;
		const uint64_t events = trace_location(trace, location)->events;
		struct err err = ERR_INIT;
		struct cursor c;

		query.export.event = EVENT_NONE;
		if (trace_has_location(trace, location) &&
		    cursor_nth(&c, trace, query.base, location, events * (i % EVENTS) / EVENTS))
			query.export.event = c.id;
		if (exchange_any(trace_exchange(trace), query.export.event != EVENT_NONE) &&
		    !export_view(view, &query, &how, out, &err))
			fprintf(out, "%s\n", err.text);
	}
}

/* Pictures of groups, and of more rows than have a line, wide and narrow. */
static void timelines(const struct query *all, FILE *out)
{
	const struct view_info *view = view_of_export(&all_views, "timeline");
	struct query query = *all;

	for (int key = BY_NONE; key <= BY_LIKENESS; key++) {
		const struct arrangement arrangement = { .key = (enum group_key)key, .fit = 3 };
		const struct export_options how = { .width = 40 + 30 * key,
						    .height = 7 + 9 * (key % 3),
						    .ascii = key % 2 };
		struct err err = ERR_INIT;

		query.arrangement = &arrangement;
		fprintf(out, "-- %s\n", group_key_name((enum group_key)key));
		if (!export_view(view, &query, &how, out, &err))
			fprintf(out, "%s\n", err.text);
	}
}

static void ask(struct trace *trace, const struct options *options, unsigned nth, FILE *out)
{
	const char *question = questions[nth];
	struct choice choice;
	struct err err = ERR_INIT;
	struct correct_options correct;
	FREED_BY(corrections_free) struct corrections *corrections = NULL;

	correcting_options(&correct, options, false);
	corrections = correct_run(trace, &correct, NULL, &err);
	if (!choice_make(&choice, trace, corrections, options, &err))
		fprintf(out, "== %s\n%s\n", question, err.text);
	else
		for (unsigned i = 0; i < all_views.n; i++)
			if (view_export_name(&all_views.views[i])) {
				fprintf(out, "== %s %s\n", all_views.views[i].name, question);
				export(&all_views.views[i], &choice.query, nth, out);
			}
	if (!err_is_set(&err)) {
		fprintf(out, "== report %s\n", question);
		report(&choice.query, out);
	}
	if (!err_is_set(&err)) {
		fprintf(out, "== check %s\n", question);
		fprintf(out, "%d\n", check_report(&choice.query, out));
	}
	if (!err_is_set(&err)) {
		fprintf(out, "== explain %s\n", question);
		explain(&choice.query, out);
		if (nth < SEVERAL)
			explain_events(&choice.query, out);
	}
	if (!err_is_set(&err) && nth < SEVERAL) {
		fprintf(out, "== timelines %s\n", question);
		timelines(&choice.query, out);
	}
	choice_fini(&choice);
}

static void body(struct exchange *x, void *context)
{
	struct job *job = context;
	const struct load_options how = { .exchange = x, .no_cache = true, .jobs = 1 };
	struct err err = ERR_INIT;
	struct trace *trace = trace_load(job->path, &how, NULL, &err);
	size_t size;
	FILE *out = open_memstream(&job->said[exchange_process(x)], &size);

	for (size_t i = job->first; trace && i < QUESTIONS; i += job->step)
		ask(trace, &job->questions[i].options, (unsigned)i, out);
	if (!trace)
		fprintf(out, "%s\n", err.text);
	trace_free(trace);
	fclose(out);
}

/* The line in which the texts part, with what was asked. */
static void fail_where(const char *path, uint32_t n, const char *is, const char *was)
{
	const char *asked = was, *line = was;

	for (size_t i = 0; is[i] && is[i] == was[i]; i++)
		if (was[i] == '\n') {
			line = was + i + 1;
			if (strncmp(line, "== ", 3) == 0)
				asked = line;
		}
	fail_msg("%s: %u processes: %.*s: \"%.*s\" instead of \"%.*s\"", path, n,
		 (int)strcspn(asked, "\n"), asked, (int)strcspn(is + (line - was), "\n"),
		 is + (line - was), (int)strcspn(line, "\n"), line);
}

/* getopt() is not for threads. */
static void parse(struct job *job)
{
	for (size_t i = 0; i < QUESTIONS; i++) {
		struct question *q = &job->questions[i];
		OWNED_STR words = STR_INIT;
		struct err err = ERR_INIT;
		char *rest = NULL;
		int argc = 0;

		str_add_fmt(&words, "export profile run.otf2 %s", questions[i]);
		q->text = xstrdup(words.text);
		for (char *word = strtok_r(q->text, " ", &rest); word;
		     word = strtok_r(NULL, " ", &rest))
			q->argv[argc++] = word;
		if (!options_parse(&q->options, &all_views, VERB_EXPORT, argc, q->argv, &err))
			fail_msg("%s", err.text);
	}
}

/* `numbers` of processes, up to 0. */
static void same(const char *path, size_t first, size_t step, const uint32_t *numbers)
{
	struct job job = { .path = path, .first = first, .step = step };
	OWNED_STR alone = STR_INIT;

	parse(&job);
	processes_run(1, body, &job);
	str_add(&alone, job.said[0]);
	free(job.said[0]);
	assert_non_null(strstr(alone.text, "== profile"));
	for (; *numbers; numbers++) {
		processes_run(*numbers, body, &job);
		if (strcmp(job.said[0], alone.text) != 0)
			fail_where(path, *numbers, job.said[0], alone.text);
		for (uint32_t p = 0; p < *numbers; p++)
			free(job.said[p]);
	}
	for (size_t i = 0; i < QUESTIONS; i++)
		free(job.questions[i].text);
}

/* Of a trace in a file of its own, which has its seed in its name. */
static void same_of(struct trace *trace, enum save_format format, uint64_t seed,
		    const uint32_t *numbers)
{
	char folder[FOLDER_NAME];
	OWNED_STR path = STR_INIT;
	struct err err = ERR_INIT;

	folder_make(folder, "divided");
	str_add_fmt(&path, "%s/seed-%llu.%s", folder, (unsigned long long)seed,
		    format == SAVE_OTF2 ? "otf2" : "trc");
	if (!trace_save(trace, format, path.text, NULL, NULL, NULL, &err))
		fail_msg("%s", err.text);
	same(path.text, 0, 1, numbers);
	folder_remove(folder);
}

/* Few and many, by turns. */
static const uint32_t *numbers_of(uint64_t seed)
{
	static const uint32_t numbers[][3] = { { 2, 5 }, { 3 }, { 2 }, { MOST } };

	return numbers[seed % 4];
}

TEST(random_traces)
{
	/* The fourth has a location without rank in two files. */
	const struct seeds seeds = seeds_or(7 - rounds(4), 6);

	for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
		OWNED_TRACE *trace = random_trace(seed, 60, 1000000000);
		same_of(trace, SAVE_OTF2, seed, numbers_of(seed));
	}
}

TEST(one_sided_communication)
{
	const struct seeds seeds = seeds_or(1, rounds(2));

	for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
		OWNED_TRACE *trace = one_sided_random(seed);
		same_of(trace, SAVE_OTF2, seed, numbers_of(seed + 2));
	}
}

TEST(random_picl)
{
	const struct seeds seeds = seeds_or(1, rounds(4));

	for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
		OWNED_TRACE *trace = random_trace_of_messages(seed, 100, 1000000000, seed % 2);
		same_of(trace, SAVE_PICL, seed, numbers_of(seed));
	}
}

/* Some of the questions, by turns: random traces are asked all. */
static void same_of_file(const char *path, const uint32_t *numbers)
{
	enum { STEP = 4 };

	same(path, strlen(path) % STEP, STEP, numbers);
}

TEST_OF_FILES("traces/*.trc", picl)
{
	same_of_file(path, (const uint32_t[]){ 3, 0 });
}

TEST_OF_FILES("traces/otf2/*/*.otf2", other_tools)
{
	same_of_file(path, (const uint32_t[]){ 5, 0 });
}
