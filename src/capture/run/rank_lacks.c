/* Which parts of the run a captured trace lacks (doc/format.md, property `lacks`): one property for
 * each kind, and function, module or reason. */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/path.h"
#include "capture/run/merge_job.h"
#include "model/meaning/meaning.h"

struct lack {
	uint32_t order;   /* of its kind among the properties */
	const char *kind; /* word of the property */
	uint64_t count, ranks;
	const char *what; /* "" nothing more */
};

struct lacks {
	VEC(struct lack) list;
};

static void add(struct lacks *lacks, const char *kind, uint64_t count, uint64_t ranks,
		const char *what)
{
	struct lack *known;
	uint32_t order = 0;

	if (!count && !ranks)
		return;
	vec_each (known, &lacks->list) {
		if (strcmp(known->kind, kind) != 0) {
			order = known->order >= order ? known->order + 1 : order;
			continue;
		}
		order = known->order;
		if (strcmp(known->what, what) != 0)
			continue;
		known->count += count;
		known->ranks += ranks;
		return;
	}
	vec_push(&lacks->list, ((struct lack){ order, kind, count, ranks, what }));
}

/* ---- calls of MPI ---- */

static bool is_named(const struct tv_call *call)
{
	return memchr(call->name, '\0', sizeof call->name) != NULL;
}

static void add_passed(struct lacks *lacks, const struct rank *rank)
{
	const struct tv_file *head = rank->file->head;
	const uint64_t *passed = tv_passed(head);
	struct meaning m;

	for (uint32_t call = 0; call < head->calls; call++) {
		const struct tv_call *function = &head->call[call];
		if (function->cls == TV_OVERHEAD)
			continue;
		if (*passed && is_named(function) && meaning_of_mpi(function->name, &m) &&
		    meaning_communicates(&m))
			add(lacks, "calls", *passed, 1, function->name);
		passed++;
	}
}

/* The records do not say which rank the call waits for. Of one-sided communication only local calls
 * are merely timed, of files the beginnings of operations whose ends have the bytes. */
static bool is_timed_only(const struct tv_call *call)
{
	struct meaning m;

	if (!meaning_of_mpi(call->name, &m))
		return false;
	return m.operation == OPERATION_PROBE ||
	       (call->cls == TV_MPI_TIMED && meaning_communicates(&m) &&
		m.family != FAMILY_WINDOW && m.family != FAMILY_RMA_PASSIVE && m.cls != CLASS_IO);
}

/* Without events the statistics know how often. */
static void count_rows(const struct rank *rank)
{
	struct tv_statistic row;
	struct rank_rows rows;
	uint32_t thread;

	rank_rows_begin(&rows, rank->file);
	while (rank_rows_next(&rows, &row, &thread))
		if (row.kind == TV_STAT_COMMUNICATION && row.call < TV_CALLS_MAX)
			rank->entered[row.call] += row.count;
}

static void add_timed(struct lacks *lacks, const struct rank *rank)
{
	const struct tv_file *head = rank->file->head;

	if (head->state & TV_STATISTICS)
		count_rows(rank);
	for (uint32_t call = 0; call < head->calls; call++)
		if (rank->entered[call] && is_named(&head->call[call]) &&
		    is_timed_only(&head->call[call]))
			add(lacks, "timed", rank->entered[call], 1, head->call[call].name);
}

/* ---- time and threads ---- */

/* Nanoseconds from there to the end of the rank, or of the look at one that runs. */
static uint64_t time_after(const struct rank *rank, uint64_t tick)
{
	const uint64_t last = rank->file->head->last_tick, now = rank->file->now,
		       end = now != UINT64_MAX   ? now
			     : last > rank->last ? last
						 : rank->last;

	return end > tick ? (uint64_t)ticks_duration(&rank->clock, end - tick, TICKS_NEAREST) : 0;
}

static void add_stopped(struct lacks *lacks, const struct rank *rank)
{
	const struct tv_file *head = rank->file->head;

	if (head->functions_stopped)
		add(lacks, "functions", time_after(rank, head->functions_stopped), 1,
		    "buffer nearly full");
	if (rank->full && !(head->state & (TV_FINALISED | TV_EXITED)) &&
	    rank->file->now == UINT64_MAX)
		add(lacks, "stopped", 0, 1, "buffer full, killed later"); /* when is not known */
	else if (rank->full)
		add(lacks, "stopped", time_after(rank, rank->full), 1, "buffer full");
	else if (head->state & TV_FULL)
		add(lacks, "dropped", 0, 1, "buffer full");
	if (head->state & TV_NO_MEMORY)
		add(lacks, "dropped", 0, 1, "no memory");
}

/* Only the last events were kept. */
static void add_cut(struct lacks *lacks, const struct rank *rank)
{
	const struct rank_cut *cut = &rank->cut;
	const uint64_t from = rank->file->head->first_tick, since = rank->file->since;

	if (cut->is)
		add(lacks, "earlier",
		    since > from
			    ? (uint64_t)ticks_duration(&rank->clock, since - from, TICKS_NEAREST)
			    : 0,
		    1, rank->file->folded ? "look" : "");
	add(lacks, "halves", cut->halves, cut->halves != 0, "");
	add(lacks, "halves", cut->rma, cut->rma != 0, "one-sided");
}

/* Recording was switched off, by the program or tvrun --off. */
static void add_paused(struct lacks *lacks, const struct rank *rank)
{
	if (rank->has_paused)
		add(lacks, "paused",
		    (uint64_t)ticks_duration(&rank->clock, rank->paused, TICKS_NEAREST), 1, "");
}

/* Kinds of events that the program switched off, or of which it chose some. */
static void add_switched(struct lacks *lacks, const struct rank *rank)
{
	static const char *const kinds[LEVEL_KINDS] = { "calls", "regions", "functions" };

	for (unsigned kind = 0; kind < LEVEL_KINDS; kind++) {
		const struct rank_levels *at;
		uint64_t since = 0, off = 0;
		bool any = false;
		vec_each (at, &rank->levels) {
			const bool on = at->level[kind] == 1;
			const uint64_t time = at->time > rank->first ? at->time : rank->first;
			if (since && on)
				off += time - since;
			since = on ? 0 : since ? since : time;
			any |= !on;
		}
		if (since && rank->last > since)
			off += rank->last - since;
		if (any)
			add(lacks, "switched",
			    (uint64_t)ticks_duration(&rank->clock, off, TICKS_NEAREST), 1,
			    kinds[kind]);
	}
}

/* Threads that found no room for a single record. */
static void add_threads(struct lacks *lacks, const struct rank *rank)
{
	const struct rankfile *file = rank->file;
	uint32_t recorded = 0;

	for (size_t i = 0; i < file->chunks.n; i++)
		recorded += !i || file->chunks.data[i]->thread != file->chunks.data[i - 1]->thread;
	/* Of some all may have been overwritten. */
	if (!rank->cut.is && file->head->threads > recorded &&
	    file->head->threads <= RANK_THREADS_MAX)
		add(lacks, "threads", file->head->threads - recorded, 1, "");
}

/* Statements without a time of their own (tvcc). */
static void add_untimed(struct job *job, struct lacks *lacks)
{
	uint64_t n[STATEMENT_KINDS] = { 0 };

	for (uint32_t i = 0; i < job_statement_count(job); i++) {
		const struct statement *s = job_statement_at(job, i);
		n[s->kind] += (s->flags & STATEMENT_UNTIMED) != 0;
	}
	add(lacks, "small", n[STATEMENT_PROCEDURE], 0, "");
	add(lacks, "loops", n[STATEMENT_LOOP], 0, "");
}

static void add_outside(struct lacks *lacks, const struct rank *rank)
{
	const struct outside *o = &rank->outside;

	add(lacks, "outside", o->sent, o->sent != 0, "sent");
	add(lacks, "outside", o->received, o->received != 0, "received");
	add(lacks, "outside", o->collectives, o->collectives != 0, "collectives");
	add(lacks, "outside", o->calls, o->calls != 0, "calls");
}

static void add_bypasses(const struct job *job, struct lacks *lacks, const struct rank *rank)
{
	const char *const *path;

	vec_each (path, &rank->bypasses)
		add(lacks, "bypass", 1, 1, job->options->anonymous ? "" : path_name(*path));
}

/* Counters that were wanted (capture/lib/counters.h). Each thread says what it lacks. */
static void add_counters(struct lacks *lacks, const struct rank *rank)
{
	static const char key[] = "uncounted=";

	for (size_t i = 0; i < rank->properties.n; i++) {
		const char *text = rank->properties.data[i];
		size_t before = 0;
		while (before < i && strcmp(rank->properties.data[before], text) != 0)
			before++;
		if (before == i && !strncmp(text, key, sizeof key - 1))
			add(lacks, "counters", 1, 1, text + sizeof key - 1);
	}
	if (rank->file->head->state & TV_SCALED)
		add(lacks, "counters", 1, 1, "shared");
}

static void add_refused(struct lacks *lacks, const struct rank *rank)
{
	const struct tv_file *head = rank->file->head;

	for (uint32_t call = 0; call < head->calls; call++)
		if (is_named(&head->call[call]))
			add(lacks, "refused", rank->refused[call], rank->refused[call] != 0,
			    head->call[call].name);
}

/* Receives from any source (capture/lib/hold.h). */
static void add_order(struct lacks *lacks, const struct rank *rank)
{
	static const char *const why[TV_UNCONTROLLEDS] = {
		[TV_UNCONTROLLED_ELSEWHERE] = "nodes",
		[TV_UNCONTROLLED_THREADS] = "threads",
		[TV_UNCONTROLLED_OFF] = "off",
		[TV_UNCONTROLLED_POSTED] = "posted",
		[TV_UNCONTROLLED_MANY] = "many",
		[TV_UNCONTROLLED_UNTOLD] = "untold",
		[TV_UNCONTROLLED_STARTED] = "nonblocking",
		[TV_UNCONTROLLED_SILENT] = "silent",
		[TV_UNCONTROLLED_CALL] = "calls",
	};
	const struct tv_order *order = &rank->file->head->order;

	for (size_t i = 0; i < TV_UNCONTROLLEDS; i++)
		add(lacks, "order", order->uncontrolled[i], order->uncontrolled[i] != 0, why[i]);
	add(lacks, "order", order->unsure, order->unsure != 0, "clocks");
	add(lacks, "order", order->among, order->among != 0, "requests");
	add(lacks, "order", order->departed, order->departed != 0, "departed");
}

static void add_rank(const struct job *job, struct lacks *lacks, const struct rank *rank)
{
	add_passed(lacks, rank);
	add_timed(lacks, rank);
	add_refused(lacks, rank);
	add_outside(lacks, rank);
	add_bypasses(job, lacks, rank);
	add_cut(lacks, rank);
	add(lacks, "damaged", 0, rank->damaged, "");
	add_stopped(lacks, rank);
	add_paused(lacks, rank);
	add_switched(lacks, rank);
	add_threads(lacks, rank);
	add(lacks, "dropped", rank->file->head->interrupting, rank->file->head->interrupting != 0,
	    "signal handlers");
	if (rank->file->head->state & TV_UNKNOWN_PYTHON)
		add(lacks, "python", 1, 1, "");
	if (rank->file->head->state & TV_NO_OPENMP)
		add(lacks, "openmp", 1, 1, "");
	if (rank->file->head->state & TV_UNSAMPLED)
		add(lacks, "samples", 1, 1, "");
	add_counters(lacks, rank);
	add_order(lacks, rank);
	if (rank->tool)
		add(lacks, "tool", 1, 1, job->options->anonymous ? "" : path_name(rank->tool));
}

/* ---- all of it ---- */

static int by_kind(const void *a, const void *b)
{
	const struct lack *x = a, *y = b;

	ORDER_BY(x->order, y->order);
	ORDER_BY(y->count, x->count);
	return strcmp(x->what, y->what);
}

void job_name_missing(struct job *job, const struct rank_module *module, const char *name)
{
	const uint32_t text = builder_string(job->builder, name, strlen(name));
	uint32_t *known = keymap_add(&job->nameless_names, (struct key){ { text } });
	struct nameless *nameless;

	if (*known != UINT32_MAX)
		return;
	*known = 0;
	vec_each (nameless, &job->nameless) {
		if (strcmp(nameless->path, module->path) != 0)
			continue;
		nameless->functions++;
		return;
	}
	vec_push(&job->nameless, ((struct nameless){ module->path, 1 }));
}

void job_lacks(struct job *job)
{
	const struct merge_summary *summary = job->summary;
	const struct nameless *nameless;
	struct lacks lacks = { VEC_INIT };
	OWNED_STR text = STR_INIT;
	const struct lack *lack;
	const struct rank *rank;
	uint32_t excluded = 0;
	char **departure;

	vec_each (rank, &job->ranks)
		add_rank(job, &lacks, rank);
	if (summary->world > summary->ranks)
		add(&lacks, "ranks", (uint64_t)(summary->world - summary->ranks), 0, "");
	add(&lacks, "dropped", summary->limited, 0, "limit");
	vec_each (rank, &job->ranks)
		excluded = rank->file->head->left_out > excluded ? rank->file->head->left_out
								 : excluded;
	add(&lacks, "excluded", excluded, 0, "");
	add_untimed(job, &lacks);
	vec_each (nameless, &job->nameless)
		add(&lacks, "symbols", nameless->functions, 0, path_name(nameless->path));
	add(&lacks, "mpi", summary->unknown_mpi, 0, "");
	vec_each (departure, &job->departures)
		add(&lacks, "replay", 1, 1, *departure);
	vec_sort(&lacks.list, by_kind);
	vec_each (lack, &lacks.list) {
		str_clear(&text);
		str_add_fmt(&text, "%s %llu %llu%s%s", lack->kind, (unsigned long long)lack->count,
			    (unsigned long long)lack->ranks, *lack->what ? " " : "", lack->what);
		builder_property(job->builder, "lacks", text.text);
	}
	vec_fini(&lacks.list);
	vec_each (departure, &job->departures)
		free(*departure);
	vec_fini(&job->departures);
	vec_fini(&job->nameless);
	keymap_fini(&job->nameless_names);
}
