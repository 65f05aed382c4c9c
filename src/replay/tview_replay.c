/* tview-replay: tview's verbs for traces that are too large for one process. Every process of the
 * MPI job reads some of the locations and does the same steps; what belongs to all is exchanged
 * (base/exchange.h), so that all have the result. The first one writes it. */
#include <math.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/heap.h"
#include "base/output.h"
#include "base/text.h"
#include "base/version.h"
#include "replay/account_report.h"
#include "replay/exchange_mpi.h"
#include "replay/preparing.h"
#include "ui/app/views.h"
#include "ui/options/converting.h"
#include "ui/options/opened.h"
#include "ui/options/option.h"
#include "ui/options/writing.h"
#include "views/query/second_trace.h"
#include "views/report/check.h"
#include "views/report/fail_on.h"
#include "views/report/report_trace.h"

/* Seconds, for others to say that they failed, too. Who did not fail waits for all. */
#define PATIENCE 2.0

/* What a process works with. */
struct job {
	struct exchange *x;
	struct exchange_account *account; /* NULL: not asked for */
	int status;                       /* at the end, if nothing fails */
};

static const char usage[] =
	"usage: mpiexec -n N tview-replay export VIEW [OLD] RUN [options]\n"
	"       mpiexec -n N tview-replay report [OLD] RUN [options]\n"
	"       mpiexec -n N tview-replay check RUN [options]\n"
	"       mpiexec -n N tview-replay convert RUN OUT.otf2 [options]\n"
	"       mpiexec -n N tview-replay prepare RUN [options]\n"
	"Does what tview does, with N processes that each read a part of the trace, and write it.\n"
	"  VIEW   %s\n"
	"--account before the verb says where the time of each process went.\n"
	"Options: --base, --baseline, --by, -r, -t, -F, --diff, --against, --offsets, --presync,\n"
	"--lmin-inter, --lmin-intra, --gamma, --passes, --overhead, --overhead-model,\n"
	"--copy-cost, --topology, --fail-on, --worst, --event, --group, --height, --ascii, -f,\n"
	"-o, -w, --strict, --max-mem, -j, as of tview\n";

/* What was damaged: every process knows it of all locations. */
static void tell(const struct trace *trace)
{
	OWNED_STR damage = STR_INIT;

	if (exchange_process(trace_exchange(trace)) == 0 && check_damage_line(trace, &damage))
		fprintf(stderr, "tview-replay: %s\n", damage.text);
}

/* Reads this process' part of a trace; `all`: with all corrections that can be made. For
 * opened_compared(), too. */
static bool read_part(void *context, struct opened *opened, const char *path,
		      const struct options *options, bool all, struct err *err)
{
	const struct job *job = context;
	struct options here = *options;
	bool ok;

	here.reading.exchange = job->x;
	here.reading.no_cache = true;
	if (job->x && !here.reading.jobs)
		here.reading.jobs = 1;
	if (job->account)
		exchange_account_phase(job->account, ACCOUNT_READING);
	ok = opened_read(opened, path, &here, err);
	if (job->account)
		exchange_account_phase(job->account, ACCOUNT_COMPUTING);
	if (!ok)
		return false;
	tell(opened->trace);
	return opened_correct(opened, &here, all, err);
}

/* Tables of events are empty where none were kept. */
static void warn_no_events(const struct view_info *view, const struct trace *trace)
{
	OWNED_STR warning = STR_INIT;

	if (exchange_process(trace_exchange(trace)) == 0 && !view->without_events &&
	    !view->unrecorded && check_events_line(trace, &warning))
		fprintf(stderr, "tview-replay: %s\n", warning.text);
}

static bool run_export(struct job *job, const struct options *options, struct err *err)
{
	const struct view_info *view = writing_view_asked(options, err);
	const bool all = view && (view->needs_corrections || options->against);
	struct other *others = NULL;
	struct options of_view;
	struct opened opened;
	bool ok;

	if (!view)
		return false;
	of_view = writing_options_of(view, options);
	ok = opened_compared(&opened, &others, &of_view, 1, all, read_part, job, err);
	if (ok) {
		warn_no_events(view, opened.trace);
		ok = writing_view(view, &opened.choice.query, options, err);
		opened_close(&opened);
	}
	other_free(others);
	return ok;
}

/* ---- the report ---- */

/* Reads the traces and makes the report, and the condition's verdict. */
static bool make_report(struct job *job, const struct options *options,
			const struct condition *condition, struct err *err)
{
	FILE *out = exchange_process(job->x) == 0 ? stderr : NULL;
	struct other *others = NULL;
	struct opened opened;
	bool ok = opened_compared(&opened, &others, options, 0, true, read_part, job, err);

	if (ok) {
		ok = writing_report(&opened.choice.query, options, err) &&
		     fail_on_judge(condition, &opened.choice.query, "tview-replay", out,
				   &job->status, err);
		opened_close(&opened);
	}
	other_free(others);
	return ok;
}

static bool run_report(struct job *job, const struct options *options, struct err *err)
{
	struct condition *condition = NULL;
	bool ok = false;

	if (report_can(writing_format(options), err) && options->fail_on)
		condition = condition_parse(options->fail_on, options_compare(options), err);
	if (!err_is_set(err))
		ok = make_report(job, options, condition, err);
	condition_free(condition);
	return ok;
}

/* ---- check ---- */

static bool run_check(struct job *job, const struct options *options, struct err *err)
{
	struct opened opened;
	bool ok;

	if (!read_part(job, &opened, options->args[0], options, true, err))
		return false;
	if (!check_report(&opened.choice.query, stdout))
		job->status = STATUS_NO;
	ok = (!fflush(stdout) && output_check(stdout, err)) ||
	     err_errno(err, STATUS_IO, "cannot write");
	opened_close(&opened);
	return ok;
}

/* ---- an archive ---- */

/* Only an archive has files for each process. */
static bool can_write(const struct options *options, struct err *err)
{
	if (converting_format(options) != SAVE_OTF2)
		return err_set(err, STATUS_USAGE,
			       "several processes can only write OTF2 yet: give a name that ends "
			       "in .otf2, or tview convert");
	return true;
}

/* Each writes what it has; together that is one archive. */
static bool run_convert(struct job *job, const struct options *options, struct err *err)
{
	OWNED_STR warning = STR_INIT;
	struct opened opened;
	bool ok;

	if (!can_write(options, err) ||
	    !read_part(job, &opened, options->args[0], options, false, err))
		return false;
	ok = converting_write(&opened, options, err);
	if (ok && exchange_process(job->x) == 0 && converting_left_out(&opened, options, &warning))
		fprintf(stderr, "tview-replay: %s\n", warning.text);
	opened_close(&opened);
	return ok;
}

/* Writes the cache file from which tview opens the trace. */
static bool run_prepare(struct job *job, const struct options *options, struct err *err)
{
	const char *path = options->args[0];
	struct preparing p;
	struct opened opened;
	bool ok;

	if (!preparing_begin(&p, job->x, path, &options->reading, err))
		return false;
	ok = p.is_there || read_part(job, &opened, path, options, true, err);
	if (ok && !p.is_there) {
		ok = preparing_write(&p, opened.trace, err);
		opened_close(&opened);
	}
	preparing_end(&p);
	return ok;
}

static bool print(const struct exchange *x, const char *text)
{
	if (exchange_process(x) == 0)
		fputs(text, stdout);
	return true;
}

static bool print_usage(const struct exchange *x)
{
	const char *names[VIEWS_MOST + 1];
	OWNED_STR views = STR_INIT, text = STR_INIT;

	view_export_names(&all_views, names);
	for (size_t i = 0; names[i]; i++)
		str_add_fmt(&views, "%s%s", i ? ", " : "", names[i]);
	str_add_fmt(&text, usage, views.text);
	return print(x, text.text);
}

static bool run(struct job *job, int argc, char **argv, struct err *err)
{
	/* To prepare takes what to check takes: a trace, and how it is read and corrected. */
	const bool prepares = argc > 1 && strcmp(argv[1], "prepare") == 0;
	const enum verb verb = prepares ? VERB_CHECK : argc > 1 ? verb_find(argv[1]) : VERB_COUNT;
	struct options options;

	if (argc > 1 && strcmp(argv[1], "--version") == 0)
		return print(job->x, "tview-replay " TVIEW_VERSION "\n");
	if (argc < 2 || strcmp(argv[1], "--help") == 0)
		return print_usage(job->x);
	if (verb != VERB_EXPORT && verb != VERB_REPORT && verb != VERB_CHECK &&
	    verb != VERB_CONVERT)
		return err_set(err, STATUS_USAGE,
			       "several processes can only export, report, check, convert and "
			       "prepare so far (tview-replay --help); tview does all");
	if (!options_parse(&options, &all_views, verb, argc - 1, argv + 1, err))
		return false;
	if (options.help)
		return print_usage(job->x);
	return prepares              ? run_prepare(job, &options, err)
	       : verb == VERB_EXPORT ? run_export(job, &options, err)
	       : verb == VERB_REPORT ? run_report(job, &options, err)
	       : verb == VERB_CHECK  ? run_check(job, &options, err)
				     : run_convert(job, &options, err);
}

/* The same with the account of all processes. */
static void run_counted(struct job *job, int argc, char **argv, struct err *err)
{
	job->account = exchange_account_new(job->x);
	job->x = exchange_counted(job->account);
	if (run(job, argc, argv, err))
		account_report(job->account, stderr);
	exchange_account_free(job->account);
}

/* One sentence, of the first process that failed. A failure of one alone ends the others, which may
 * wait for it. */
static int end(struct exchange *x, const struct err *err)
{
	uint32_t first;
	int worst;

	if (exchange_mpi_agree(x, err->status, err->status ? PATIENCE : INFINITY, &worst, &first)) {
		if (worst && first == exchange_process(x))
			fprintf(stderr, "tview-replay: %s\n", err->text);
		return worst;
	}
	fprintf(stderr, "tview-replay: process %u: %s\n", exchange_process(x), err->text);
	fflush(NULL);
	MPI_Abort(MPI_COMM_WORLD, err->status);
	return err->status;
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct job job = { 0 };
	struct exchange *x;
	int status;
	bool counted;

	signal(SIGXFSZ, SIG_IGN);
	heap_keep();
	MPI_Init(&argc, &argv);
	x = exchange_mpi_new();
	job.x = x;
	counted = argc > 1 && strcmp(argv[1], "--account") == 0;
	if (counted)
		run_counted(&job, argc - 1, argv + 1, &err);
	else
		run(&job, argc, argv, &err);
	status = end(x, &err);
	if (!status)
		status = job.status;
	fflush(NULL);
	exchange_mpi_free(x);
	MPI_Finalize();
	return status;
}
