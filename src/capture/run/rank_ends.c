/* Which rank ended first, how, and in which call: from what the ranks noted themselves
 * (capture/lib/ends.h) and what tvrun saw (watch.h). Ranks that the launcher ended because of
 * another one are told from those that ended by themselves. Where the order is not certain, that is
 * said. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/order.h"
#include "base/path.h"
#include "capture/run/merge_job.h"
#include "capture/run/run_list.h"

enum manner {
	MANNER_WHOLE,  /* it came to its end */
	MANNER_OWN,    /* of a signal, by exit() or MPI_Abort(): a cause of its own */
	MANNER_OTHERS, /* the launcher ended it, or MPI because others were gone */
	MANNER_SILENT, /* it noted nothing */
};

struct ending {
	struct rank *rank;
	enum manner manner;
	int32_t status;  /* as of wait(), -1 unknown */
	int64_t noted;   /* when it noted its end; of MANNER_OWN and _OTHERS */
	int64_t alive;   /* when it was seen last, INT64_MIN never, */
	int64_t gone;    /* and when no more; INT64_MAX: never seen */
	bool comparable; /* with the times of rank 0's node */
};

typedef VEC(struct ending) endings;

/* ---- one rank ---- */

/* A handler of the program may have recovered: the thread went on. Some programs, for example
 * Python, call MPI_Finalize in exit(). */
static bool went_on(const struct rank *rank)
{
	const struct tv_end *end = &rank->file->head->end;
	const struct tv_head *head;
	struct rank_stream s;

	if (end->way >= TV_END_SIGNALS)
		return (rank->file->head->state & TV_FINALISED) != 0;
	if (rank->file->head->state & TV_EXITED ||
	    rank->file->latest + rank->file->head->intrusion > end->tick)
		return true;
	if (end->thread == TV_END_NONE)
		return false;
	rank_stream_begin(&s, rank->file, end->thread);
	while ((head = rank_stream_next(&s)))
		if (head->time > end->tick)
			return true;
	return false;
}

static int64_t seen_at(const struct job *job, uint64_t nano, int64_t otherwise)
{
	return nano && nano < INT64_MAX ? (int64_t)nano - job->zero : otherwise;
}

static enum manner manner_of(const struct ending *e)
{
	const struct tv_file *head = e->rank->file->head;
	const bool killed = e->status >= 0 && WIFSIGNALED(e->status);

	if (head->end.way && !went_on(e->rank))
		return head->end.flags ? MANNER_OTHERS : MANNER_OWN;
	if (head->state & TV_FINALISED && !killed)
		return MANNER_WHOLE;
	return head->state & TV_INITIALISING ? MANNER_SILENT : MANNER_WHOLE;
}

static struct ending ending_of(const struct job *job, struct rank *rank)
{
	const struct tv_file *head = rank->file->head;
	struct ending e = { .rank = rank,
			    .status = head->seen.gone ? head->seen.status : -1,
			    .alive = seen_at(job, head->seen.alive, INT64_MIN),
			    .gone = seen_at(job, head->seen.gone, INT64_MAX) };
	int64_t shift = 0;

	e.manner = manner_of(&e);
	e.noted = job_time(job, rank, head->end.tick);
	e.comparable = job_shift(job, rank, &shift);
	e.noted += shift;
	e.alive += e.alive == INT64_MIN ? 0 : shift;
	e.gone += e.gone == INT64_MAX ? 0 : shift;
	return e;
}

/* A process that never called MPI_Init, and for which no other process waits, did not fail. */
static void leave_early_exits(endings *list)
{
	const unsigned both = TV_INITIALISING | TV_FINALISED;
	bool waiting = false;
	struct ending *e;

	vec_each (e, list)
		waiting |= (e->rank->file->head->state & both) == TV_INITIALISING;
	vec_each (e, list)
		if (!waiting && e->rank->file->head->end.way == TV_END_EXIT &&
		    !(e->rank->file->head->state & TV_INITIALISING))
			e->manner = MANNER_WHOLE;
}

/* ---- which was first ---- */

static const struct ending *earliest(const endings *list, enum manner manner)
{
	const struct ending *e, *first = NULL;

	vec_each (e, list)
		if (e->manner == manner &&
		    (!first ||
		     (manner == MANNER_SILENT ? e->gone < first->gone : e->noted < first->noted)))
			first = e;
	return first;
}

/* Of two processes that noted nothing, neither is known to be first if both existed at one look and
 * were gone at the next. */
static bool is_certain(const endings *list, const struct ending *silent)
{
	const struct ending *e;

	vec_each (e, list)
		if (e != silent && e->manner == MANNER_SILENT && e->alive < silent->gone)
			return false;
	return silent->gone != INT64_MAX;
}

/* The only process that noted nothing and was not ended by a launcher. */
static const struct ending *only_cause(const endings *list)
{
	const struct ending *e, *found = NULL;

	vec_each (e, list) {
		const int number = WIFSIGNALED(e->status) ? WTERMSIG(e->status) : 0;
		if (e->manner != MANNER_SILENT || e->status < 0 || number == SIGKILL ||
		    number == SIGTERM || number == SIGINT || number == SIGHUP)
			continue;
		if (found)
			return NULL;
		found = e;
	}
	return found;
}

/* MPI saw an error, which may be of this rank or of others that were gone. */
static bool is_by_mpi(const struct ending *e)
{
	return (e->rank->file->head->end.flags & TV_END_IN_MPI) != 0;
}

/* NULL: it is not known. */
static const struct ending *first_of(const endings *list)
{
	const struct ending *own = earliest(list, MANNER_OWN);
	const struct ending *others = earliest(list, MANNER_OTHERS);
	const struct ending *silent = earliest(list, MANNER_SILENT);

	if (silent && own && silent->gone > own->noted)
		silent = NULL;
	if (!silent)
		return own ? own : others && is_by_mpi(others) ? others : NULL;
	if (others && silent->gone > others->noted && is_by_mpi(others))
		return silent->alive >= others->noted ? others : NULL;
	if (others && silent->alive >= others->noted)
		return NULL;
	return is_certain(list, silent) ? silent : only_cause(list);
}

/* ---- sentences ---- */

static void add_signal(struct str *out, int number)
{
	static const char *const names[] = {
		[SIGHUP] = "HUP",       [SIGINT] = "INT",       [SIGQUIT] = "QUIT",
		[SIGILL] = "ILL",       [SIGTRAP] = "TRAP",     [SIGABRT] = "ABRT",
		[SIGBUS] = "BUS",       [SIGFPE] = "FPE",       [SIGKILL] = "KILL",
		[SIGUSR1] = "USR1",     [SIGSEGV] = "SEGV",     [SIGUSR2] = "USR2",
		[SIGPIPE] = "PIPE",     [SIGALRM] = "ALRM",     [SIGTERM] = "TERM",
		[SIGXCPU] = "XCPU",     [SIGSTKFLT] = "STKFLT", [SIGXFSZ] = "XFSZ",
		[SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF",     [SIGIO] = "IO",
		[SIGPWR] = "PWR",       [SIGSYS] = "SYS",
	};

	if (number > 0 && (size_t)number < sizeof names / sizeof *names && names[number])
		str_add_fmt(out, "SIG%s", names[number]);
	else
		str_add_fmt(out, "signal %d", number);
}

/* "SIGSEGV", "MPI_Abort(5)", "exit(5) without MPI_Finalize". */
static void add_cause(struct str *out, const struct ending *e)
{
	const struct tv_end *end = &e->rank->file->head->end;

	if (e->manner == MANNER_SILENT && e->status >= 0 && WIFSIGNALED(e->status))
		add_signal(out, WTERMSIG(e->status));
	else if (e->manner == MANNER_SILENT && e->status >= 0)
		str_add_fmt(out, "exit status %d without MPI_Finalize", WEXITSTATUS(e->status));
	else if (e->manner == MANNER_SILENT)
		str_add(out, "probably killed (SIGKILL)");
	else if (end->way == TV_END_ABORT)
		str_add_fmt(out, "MPI_Abort(%d)", end->code);
	else if (end->way == TV_END_EXIT && end->flags & TV_END_IN_MPI)
		str_add_fmt(out, "MPI ended it (%d)", end->code);
	else if (end->way == TV_END_EXIT)
		str_add_fmt(out, "exit(%d) without MPI_Finalize", end->code);
	else
		add_signal(out, (int)end->way);
}

/* " (solver.c:120)" of an address, if that is known. */
static void add_line(struct str *out, const struct job *job, const struct symbol *symbol)
{
	if (!job->options->anonymous && symbol->file && symbol->line)
		str_add_fmt(out, " (%s:%u)", path_name(symbol->file), symbol->line);
}

void job_add_call(struct str *out, struct job *job, struct rank *rank, uint32_t call,
		  uint64_t place)
{
	struct symbol symbol = { 0 };
	char name[TV_NAME_MAX] = "MPI";

	if (call < rank->file->head->calls)
		memcpy(name, rank->file->head->call[call].name, sizeof name - 1);
	str_add_fmt(out, " in %s", name);
	if (place & TV_PLACE_SITE) {
		const struct statement *s;
		const uint32_t id =
			job_statement(job, rank, tv_place_module(place), tv_place_slot(place));
		if (id == NO_STATEMENT || job->options->anonymous)
			return;
		s = job_statement_at(job, id);
		symbol.file = builder_text(job->builder, s->file);
		symbol.line = s->line;
	} else if (place) {
		symbol = rank_symbol_at(job, rank, place - 1);
	}
	add_line(out, job, &symbol);
}

/* What a thread was in when its records ended. */
struct open {
	uint32_t call;               /* TV_END_NONE: in no call of MPI */
	uint64_t place;              /* of that call */
	VEC(struct tv_function) all; /* functions and regions, the innermost last */
};

static struct open open_at_end(const struct rank *rank, uint32_t thread)
{
	struct open open = { .call = TV_END_NONE };
	const struct tv_head *head;
	struct rank_stream s;

	rank_stream_begin(&s, rank->file, thread);
	while ((head = rank_stream_next(&s))) {
		switch (head->kind) {
		case TV_ENTER:
			open.call = head->call;
			open.place = ((const struct tv_enter *)(const void *)head)->site;
			break;
		case TV_LEAVE: open.call = TV_END_NONE; break;
		case TV_FUNCTION_ENTER:
		case TV_SITE_ENTER:
		case TV_USER_ENTER:
			vec_push(&open.all, *(const struct tv_function *)(const void *)head);
			break;
		case TV_FUNCTION_LEAVE:
		case TV_SITE_LEAVE:
		case TV_USER_LEAVE: open.all.n -= open.all.n > 0; break;
		default: break;
		}
	}
	return open;
}

static void add_function(struct str *out, struct job *job, const struct rank *rank,
			 const struct tv_function *function)
{
	const uint64_t address = tv_function_address(function->what);
	struct symbol symbol = { 0 };

	if (!job->options->anonymous)
		symbol = rank_function_at(job, rank, address);
	job_name_function(job, rank, address, &symbol, out);
}

static void add_site(struct str *out, struct job *job, const struct rank *rank, uint64_t what)
{
	const uint32_t id = job_statement(job, rank, tv_site_module(what), tv_site_slot(what));

	if (id == NO_STATEMENT)
		job_name_unknown(job, rank, tv_site_module(what), tv_site_slot(what), out);
	else
		str_add(out, builder_text(job->builder, job_statement_at(job, id)->name));
}

/* The innermost open function or region. */
static bool add_open(struct str *out, struct job *job, const struct rank *rank, uint32_t thread,
		     const struct open *open)
{
	const struct tv_function *function = open->all.n ? &open->all.data[open->all.n - 1] : NULL;
	const struct tv_head *head = (const void *)function;

	if (!function)
		return false;
	str_add(out, " in ");
	if (head->kind == TV_USER_ENTER)
		job_user_name(job, rank, thread, head->id, out);
	else if (head->kind == TV_SITE_ENTER)
		add_site(out, job, rank, function->what);
	else
		add_function(out, job, rank, function);
	return true;
}

/* Only an address of the program itself: one in a library would say little. */
static bool add_address(struct str *out, struct job *job, const struct rank *rank, uint64_t address)
{
	const struct rank_module *module = rank_module_at(rank, address);
	struct symbol symbol;
	uint64_t at;

	if (job->options->anonymous || !module || module != rank->modules.data)
		return false;
	at = address - module->where.bias;
	symbol = symbols_scope(job->symbols, module->path, at);
	if (!symbol.function)
		return false;
	str_add_fmt(out, " in %s", symbol.function);
	symbol = symbols_at(job->symbols, module->path, at);
	add_line(out, job, &symbol);
	return true;
}

static void add_where(struct str *out, struct job *job, const struct ending *e)
{
	const struct tv_file *head = e->rank->file->head;
	const struct tv_end *end = &head->end;
	const bool noted = e->manner != MANNER_SILENT;
	const uint32_t thread = noted ? end->thread : 0;
	struct open open = { .call = TV_END_NONE };

	if (thread != TV_END_NONE && !(head->state & TV_STATISTICS))
		open = open_at_end(e->rank, thread);
	/* A call returns to its address; an instruction is at it. */
	if (noted && end->call != TV_END_NONE && end->way != TV_END_ABORT)
		job_add_call(out, job, e->rank, end->call, end->place);
	else if (!noted && open.call != TV_END_NONE)
		job_add_call(out, job, e->rank, open.call, open.place);
	else if (!(noted &&
		   add_address(out, job, e->rank, end->address - (end->way >= TV_END_SIGNALS))) &&
		 !add_open(out, job, e->rank, thread, &open))
		str_add(out, head->state & TV_FINALISED      ? " after MPI_Finalize"
			     : head->state & TV_INITIALISED  ? " outside MPI"
			     : head->state & TV_INITIALISING ? " in MPI_Init"
							     : " before MPI_Init");
	vec_fini(&open.all);
}

static void add_first(struct str *out, struct job *job, const struct ending *e, bool only)
{
	const bool dies = e->manner == MANNER_SILENT
				  ? e->status < 0 || WIFSIGNALED(e->status)
				  : e->rank->file->head->end.way < TV_END_SIGNALS;
	const int64_t when = e->manner == MANNER_SILENT ? e->gone : e->noted;

	str_add_fmt(out, "rank %d %s%s: ", e->rank->number, dies ? "died" : "ended",
		    only ? "" : " first");
	add_cause(out, e);
	str_add(out, " after ");
	units_human_time(out, when > 0 ? when : 0, &units_nanoseconds, 3);
	add_where(out, job, e);
}

/* How the others ended: those with a cause of their own by name. */
static void add_others(struct str *out, const endings *list, const struct ending *first)
{
	uint64_t own = 0, told = 0, silent = 0;
	const struct ending *e;

	vec_each (e, list) {
		if (e == first || e->manner == MANNER_WHOLE)
			continue;
		told += e->manner == MANNER_OTHERS ||
			(e->status >= 0 && WIFSIGNALED(e->status) &&
			 (WTERMSIG(e->status) == SIGKILL || WTERMSIG(e->status) == SIGTERM));
		silent += e->manner == MANNER_SILENT && e->gone != INT64_MAX;
		if (e->manner != MANNER_OWN || own++)
			continue;
		str_add_fmt(out, "; rank %d later: ", e->rank->number);
		add_cause(out, e);
	}
	if (own > 1)
		str_add_fmt(out, ", and %llu more", (unsigned long long)(own - 1));
	if (!own && told)
		str_add(out, "; the launcher ended the others");
	else if (!own && silent)
		str_add(out, "; the others ended after it");
}

/* All that ended are of one node, or on the clock of rank 0's. */
static bool are_comparable(const endings *list)
{
	const struct ending *e, *first = NULL;
	bool shifted = true, one_node = true;

	vec_each (e, list) {
		if (e->manner == MANNER_WHOLE)
			continue;
		first = first ? first : e;
		shifted &= e->comparable;
		one_node &= job_same_node(first->rank, e->rank);
	}
	return shifted || one_node;
}

void job_ends(struct job *job)
{
	const struct ending *first, *e;
	OWNED_STR text = STR_INIT;
	endings list = VEC_INIT;
	size_t ended = 0, outside = 0, running = 0;
	struct rank *rank;

	if (job->options->live)
		return;
	vec_each (rank, &job->ranks)
		vec_push(&list, ending_of(job, rank));
	leave_early_exits(&list);
	vec_each (e, &list) {
		ended += e->manner != MANNER_WHOLE;
		outside += e->manner == MANNER_OTHERS;
		running += e->manner == MANNER_SILENT && e->gone == INT64_MAX &&
			   rank_is_here(e->rank->file->head) && rank_lives(e->rank->file->head);
	}
	first = are_comparable(&list) ? first_of(&list) : NULL;
	if (first) {
		add_first(&text, job, first, ended == 1);
		add_others(&text, &list, first);
	} else if (ended && outside == ended && ended == (size_t)job->summary->world) {
		str_add(&text, "the launcher or the terminal ended all ranks: ");
		add_cause(&text, earliest(&list, MANNER_OTHERS));
	} else if (ended && running == ended) {
		str_add(&text, "the launcher ended while the ranks were running");
	} else if (ended) {
		str_add(&text, "which rank ended first is not known");
	}
	if (text.n)
		builder_property(job->builder, "ended-first", text.text);
	snprintf(job->summary->ended_first, sizeof job->summary->ended_first, "%s",
		 text.n ? text.text : "");
	vec_fini(&list);
}
