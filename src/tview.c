/* tview: main() and the verbs. The way of the data: options -> trace (model/formats/load.h) ->
 * choice of base, ranks, time, filter (ui/options/choose.h) -> view -> screen, text or file. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/mem.h"
#include "base/memory_bound.h"
#include "base/output.h"
#include "base/text.h"
#include "base/version.h"
#include "capture/live/live.h"
#include "capture/live/stacks.h"
#include "model/cache/cache.h"
#include "model/formats/load.h"
#include "model/formats/save.h"
#include "model/trace/program.h"
#include "patterns/compare/baseline.h"
#include "ui/app/app.h"
#include "ui/app/views.h"
#include "ui/mcp/mcp.h"
#include "ui/options/asking.h"
#include "ui/options/converting.h"
#include "ui/options/correcting.h"
#include "ui/options/opened.h"
#include "ui/options/option.h"
#include "ui/options/settings.h"
#include "ui/options/writing.h"
#include "ui/tutor/tutor_trace.h"
#include "views/facts/recent_facts.h"
#include "views/facts/sizes.h"
#include "views/query/run_figures.h"
#include "views/query/second_trace.h"
#include "views/query/view_common.h"
#include "views/report/cache_report.h"
#include "views/report/check.h"
#include "views/report/fail_on.h"
#include "views/report/program_text.h"
#include "views/report/report_trace.h"
#include "views/report/rollcall_report.h"
#include "views/report/verdict.h"

static int fail(const struct err *err)
{
	fprintf(stderr, "tview: %s\n", err->text);
	return err->status;
}

static int print(struct str *text, FILE *stream, int status)
{
	struct err err = ERR_INIT;
	const bool ok = fwrite(text->text, 1, text->n, stream) == text->n && !fflush(stream);

	if (!ok)
		err_errno(&err, STATUS_IO, "cannot write");
	str_fini(text);
	return ok ? status : fail(&err);
}

/* What was damaged, on stderr. */
static void tell(const struct trace *trace)
{
	OWNED_STR damage = STR_INIT;

	if (check_damage_line(trace, &damage))
		fprintf(stderr, "tview: %s\n", damage.text);
	if (cache_notice(trace))
		fprintf(stderr, "tview: %s\n", cache_notice(trace));
}

/* What is shown; all: with all corrections that can be made. */
static bool load(void *context, struct opened *opened, const char *path,
		 const struct options *options, bool all, struct err *err)
{
	(void)context;
	if (!opened_read(opened, path, options, err))
		return false;
	tell(opened->trace);
	return opened_correct(opened, options, all, err);
}

/* Caches the trace for the next time, in a process of its own, so that tview can end at once. */
static int unload(struct opened *opened, int status)
{
	const int told = cache_write_behind(opened->trace, correcting_prepare);

	if (told >= 0)
		close(told);
	opened_close(opened);
	return status;
}

/* ---- verbs ---- */

/* Tables of events are empty where none were kept: not a failure, but not what the user looks
 * for. */
static void warn_no_events(const struct view_info *view, const struct trace *trace)
{
	OWNED_STR warning = STR_INIT;

	if (!view->without_events && !view->unrecorded && check_events_line(trace, &warning))
		fprintf(stderr, "tview: %s\n", warning.text);
}

/* Of the traces from args[first] on. */
static int export(const struct view_info *view, int first, const struct options *options)
{
	struct err err = ERR_INIT;
	const struct options of_view = writing_options_of(view, options);
	const bool all = view->needs_corrections || options->against;
	struct opened opened;
	struct other *others = NULL;
	bool ok;

	if (!opened_compared(&opened, &others, &of_view, first, all, load, NULL, &err)) {
		other_free(others);
		return fail(&err);
	}
	warn_no_events(view, opened.trace);
	ok = writing_view(view, &opened.choice.query, options, &err);
	other_free(others);
	return unload(&opened, ok ? STATUS_OK : fail(&err));
}

static int run_export(struct options *options)
{
	struct err err = ERR_INIT;
	const struct view_info *view = writing_view_asked(options, &err);

	return view ? export(view, 1, options) : fail(&err);
}

static int run_query(struct options *options)
{
	ENDED_BY(asking_fini) struct asking asking;
	struct err err = ERR_INIT;

	return asking_begin(&asking, options, &err) ? run_export(&asking.options) : fail(&err);
}

static int run_report(struct options *options)
{
	const bool verdict = verdict_form_find(options->format) != VERDICT_FORMS;
	struct condition *condition = NULL;
	struct err err = ERR_INIT;
	struct opened opened;
	struct other *others = NULL;
	int status;

	if (verdict && !options->fail_on)
		err_set(&err, STATUS_USAGE, "%s is the answer to --fail-on (tview help report)",
			options->format);
	else if ((verdict || report_can(writing_format(options), &err)) && options->fail_on)
		condition = condition_parse(options->fail_on, options_compare(options), &err);
	if (!err_is_set(&err) &&
	    opened_compared(&opened, &others, options, 0, true, load, NULL, &err)) {
		opened.choice.query.earlier = options->earlier;
		if (verdict ? !writing_verdict(&opened.choice.query, options, condition, &status,
					       &err)
			    : !writing_report(&opened.choice.query, options, &err) ||
				      !fail_on_judge(condition, &opened.choice.query, "tview",
						     stderr, &status, &err))
			status = fail(&err);
		other_free(others);
		condition_free(condition);
		return unload(&opened, status);
	}
	other_free(others);
	condition_free(condition);
	return fail(&err);
}

static int run_check(struct options *options)
{
	const bool rollcall = options->rollcall || options->stuck > 0;
	struct err err = ERR_INIT;
	struct opened opened;
	enum status status;

	if (!load(NULL, &opened, options->args[0], options, true, &err))
		return fail(&err);
	status = rollcall ? rollcall_report(&opened.choice.query, options->stuck, stdout)
		 : check_report(&opened.choice.query, stdout) ? STATUS_OK
							      : STATUS_NO;
	if (fflush(stdout) || !output_check(stdout, &err))
		err_errno(&err, STATUS_IO, "cannot write");
	if (err_is_set(&err) || !trace_is_unchanged(opened.trace, &err))
		return unload(&opened, fail(&err));
	return unload(&opened, (int)status);
}

static int run_convert(struct options *options)
{
	OWNED_STR warning = STR_INIT;
	struct err err = ERR_INIT;
	struct opened opened;
	bool ok;

	if (!load(NULL, &opened, options->args[0], options, converting_to_database(options), &err))
		return fail(&err);
	ok = converting_write(&opened, options, &err);
	if (ok && converting_left_out(&opened, options, &warning))
		fprintf(stderr, "tview: %s\n", warning.text);
	return unload(&opened, ok ? STATUS_OK : fail(&err));
}

static int run_graph(struct options *options)
{
	const char *path = options->args[0];
	const enum export_format format = writing_format(options);
	struct err err = ERR_INIT;
	struct site_tables *tables = site_tables_read(path, &err);
	struct output output;
	bool ok = tables && output_open(&output, options->output, path, &err);

	if (ok)
		ok = output_close(&output, program_write(tables, path, format, output.stream, &err),
				  &err);
	site_tables_free(tables);
	return ok ? STATUS_OK : fail(&err);
}

/* Keeps the figures of a whole run. */
static bool keep(const char *name, const char *path, const struct options *options, struct err *err)
{
	struct efficiency efficiency;
	const struct cube *cube;
	struct opened opened;
	size_t n;
	bool ok;

	if (!load(NULL, &opened, path, options, true, err))
		return false;
	cube = query_severities(&opened.choice.query, NULL, &efficiency, err);
	ok = cube && baseline_add(name, cube, opened.choice.query.base, &efficiency, &n, err);
	if (ok)
		printf("baseline %s: %zu %s\n", name, n, n == 1 ? "run" : "runs");
	opened_close(&opened);
	return ok;
}

static int run_baseline(struct options *options)
{
	const char *what = options->args[0], *name = options->n_args > 1 ? options->args[1] : NULL;
	struct err err = ERR_INIT;
	struct str text = STR_INIT;

	if (strcmp(what, "list") == 0 && !name)
		return print(&text, stdout, baseline_list(&text, &err) ? STATUS_OK : fail(&err));
	if (strcmp(what, "remove") == 0 && options->n_args == 2)
		return baseline_remove(name, &err) ? STATUS_OK : fail(&err);
	if (strcmp(what, "add") != 0 || options->n_args < 3) {
		err_set(&err, STATUS_USAGE,
			"baseline takes add NAME TRACE..., list or remove NAME (tview help "
			"baseline)");
		return fail(&err);
	}
	for (int i = 2; i < options->n_args; i++)
		if (!keep(name, options->args[i], options, &err))
			return fail(&err);
	return STATUS_OK;
}

static int run_cache(struct options *options)
{
	const char *of = options->n_args ? options->args[0] : NULL;
	struct err err = ERR_INIT;
	struct str text = STR_INIT;
	bool ok;

	if (options->list && options->clear) {
		err_set(&err, STATUS_USAGE, "cache takes --list or --clear (tview help cache)");
		return fail(&err);
	}
	ok = options->clear ? cache_clear(of, &text, &err) : cache_report(of, &text, &err);
	return print(&text, stdout, ok ? STATUS_OK : fail(&err));
}

static int run_help(struct options *options)
{
	enum verb verb = VERB_OPEN;
	struct str text = STR_INIT;
	struct err err = ERR_INIT;

	if (options->n_args)
		verb = verb_find(options->args[0]);
	if (verb == VERB_COUNT) {
		err_set(&err, STATUS_USAGE, "there is no verb '%s' (tview --help lists them)",
			options->args[0]);
		return fail(&err);
	}
	option_help(verb, options->views, &text);
	return print(&text, stdout, STATUS_OK);
}

static int run_mcp(struct options *options)
{
	const struct load_options *reading = &options->reading;
	const bool joined = reading->n_files > 1;
	struct err err = ERR_INIT;

	return mcp_serve("/proc/self/exe",
			 joined ? reading->files : (const char *const *)options->args,
			 joined ? reading->n_files : 1, stdin, stdout, &err)
		       ? STATUS_OK
		       : fail(&err);
}

/* How often a job that runs is looked at, where the user has not said so. */
enum { LOOK_MS = 1000 };

/* Commands without a terminal. */
static int run_commands(const struct options *options, struct app_options *app)
{
	struct opened opened;
	struct err err = ERR_INIT;
	struct other *other = NULL;
	int told;

	if (!opened_compared(&opened, &other, options, 0, true, load, NULL, &err)) {
		other_free(other);
		return fail(&err);
	}
	choice_fini(&opened.choice);
	told = cache_write_behind(opened.trace, correcting_prepare);
	if (told >= 0)
		close(told);
	return app_run(opened.trace, opened.corrections, other, app, &err) ? STATUS_OK : fail(&err);
}

/* Length of the folders before "config:3: what is wrong". */
static size_t path_length(const char *sentence)
{
	const char *end = strstr(sentence, ": ");

	while (end && end > sentence && end[-1] != '/')
		end--;
	return end ? (size_t)(end - sentence) : 0;
}

static void follow_job(struct app_options *app, const struct options *options)
{
	app->look_ms = LOOK_MS;
	app->job_trace = options->job_trace;
	app->no_state = true;
}

static int open_with(struct options *options, struct settings *settings, struct bindings *bindings)
{
	struct correct_options correct;
	OWNED_STR wrong = STR_INIT;
	const struct theme *theme;
	struct app_options app = { .views = options->views,
				   .bindings = bindings,
				   .settings = settings,
				   .commands = &options->commands,
				   .correct = &correct };
	struct err err = ERR_INIT;
	struct str usage = STR_INIT;
	struct load_options how;
	const char **others;
	bool ok;

	if (!options->n_args) {
		option_usage(&usage);
		return print(&usage, stderr, STATUS_USAGE);
	}
	if (!isatty(STDOUT_FILENO) && options->commands.n) {
		app.view = options->view;
		app.screen.ascii = options->ascii;
		app.no_state = true;
		app.n_others = options_compare(options);
		return run_commands(options, &app);
	}
	if (!isatty(STDOUT_FILENO) && options->view) {
		err_set(&err, STATUS_USAGE,
			"--view needs a terminal (without one: tview export %s)", options->view);
		return fail(&err);
	}
	if (!isatty(STDOUT_FILENO))
		return options_compare(options) ? run_report(options)
						: export(options->views->views, 0, options);
	if (options->baseline && options->n_args == 1) {
		err_set(&err, STATUS_USAGE,
			"the screen compares with traces; with figures that were kept: tview "
			"report %s --baseline %s",
			options->args[0], options->baseline);
		return fail(&err);
	}
	if (!app_read_taste(options, settings, &theme, &wrong, &err))
		return fail(&err);
	memory_bound(options->reading.max_mem);
	app.notice = wrong.n ? wrong.text + path_length(wrong.text) : NULL;
	app.view = options->view;
	app.screen = (struct screen_options){ .theme = theme,
					      .ascii = options->ascii,
					      .no_mouse = options->no_mouse,
					      .no_sync = options->no_sync,
					      .graphics = options->graphics };
	if (load_is_live(options->args[options->n_args - 1]))
		follow_job(&app, options);
	correcting_options(&correct, options, true);
	app.others = others = choice_other_paths(options, 0, &app.n_others);
	ok = opened_how(&how, options, &err) &&
	     app_open(options->args[options->n_args - 1], &how, &app, &err);
	choice_part_fini(&how.part);
	free(others);
	return ok ? STATUS_OK : fail(&err);
}

static int run_open(struct options *options)
{
	struct bindings *bindings = bindings_new(options->views);
	struct settings *settings = settings_new(options, bindings);
	const int status = open_with(options, settings, bindings);

	settings_free(settings);
	bindings_free(bindings);
	return status;
}

/* ---- jobs that run ---- */

/* One page. Statistics alone tell what the last second was like by a look before it. */
static int run_summary(struct options *options, struct live *live)
{
	struct options of = *options;
	struct recent_facts earlier;
	struct trace *trace = live->statistics ? live_look(live, NULL, NULL) : NULL;

	of.earlier = trace && recent_facts_of_look(&earlier, trace) ? &earlier : NULL;
	trace_free(trace);
	sleep(of.earlier != NULL);
	return run_report(&of);
}

static int run_live(struct options *options)
{
	const bool rollcall = options->rollcall || options->stuck > 0;
	struct err err = ERR_INIT;
	struct str path = STR_INIT, text = STR_INIT;
	char *args[2];
	struct live live;
	int status;

	if (!options->n_args && !options->summary && !options->save && !rollcall &&
	    !options->stack) {
		live_list(&text, options->format && !strcmp(options->format, "json"));
		return print(&text, stdout, STATUS_OK);
	}
	if (!live_find(&live, options->n_args ? options->args[0] : NULL, &err))
		return fail(&err);
	str_add_fmt(&path, LOAD_LIVE "%s", live.folder.text);
	options->job_trace = live.settings.output.text;
	args[0] = path.text;
	args[1] = (char *)(uintptr_t)options->save;
	options->args = args;
	options->n_args = options->save ? 2 : 1;
	status = options->stack
			 ? print(&text, stdout, live_stacks(&live, &text) ? STATUS_OK : STATUS_NO)
		 : options->save    ? run_convert(options)
		 : rollcall         ? run_check(options)
		 : options->summary ? run_summary(options, &live)
				    : run_open(options);
	live_fini(&live);
	str_fini(&path);
	return status;
}

static int run(int argc, char **argv)
{
	static int (*const runs[VERB_COUNT])(struct options * options) = {
		[VERB_OPEN] = run_open,         [VERB_EXPORT] = run_export,
		[VERB_QUERY] = run_query,       [VERB_REPORT] = run_report,
		[VERB_CHECK] = run_check,       [VERB_CONVERT] = run_convert,
		[VERB_GRAPH] = run_graph,       [VERB_LIVE] = run_live,
		[VERB_BASELINE] = run_baseline, [VERB_CACHE] = run_cache,
		[VERB_MCP] = run_mcp,           [VERB_HELP] = run_help,
	};
	enum verb verb = argc > 1 ? verb_find(argv[1]) : VERB_COUNT;
	struct err err = ERR_INIT;
	struct options options;
	struct str text = STR_INIT;
	struct rank_folds *folds = NULL;
	int status;

	if (verb != VERB_COUNT)
		argc--, argv++;
	else if (argc > 1 && verb_is_mistyped(argv[1], &err))
		return fail(&err);
	else
		verb = VERB_OPEN;
	if (!options_parse(&options, &all_views, verb, argc, argv, &err))
		return fail(&err);
	memory_bound(options.reading.max_mem);
	options.reading.live = live_trace;
	options.reading.tutor = tutor_trace;
	if (options.version) {
		str_add(&text, "tview " TVIEW_VERSION "\n");
		return print(&text, stdout, STATUS_OK);
	}
	if (options.help) {
		option_help(verb, &all_views, &text);
		return print(&text, stdout, STATUS_OK);
	}
	/* What is saved is whole. */
	if (verb != VERB_CONVERT && !options.save)
		folds = rank_folds_new(LIVE_ROOM);
	options.reading.live_context = folds;
	status = runs[verb](&options);
	rank_folds_free(folds);
	return status;
}

int main(int argc, char **argv)
{
	/* `tview export ... | head` ends as other programs do, whatever our parent ignores; a limit
	 * on the size of files (ulimit -f) is an error of those who write, not an end. */
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_IGN);
	heap_keep();
	return run(argc, argv);
}
