#include "views/facts/lacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "model/meaning/meaning.h"

enum { NAMED = 4 }; /* functions and modules named in a sentence */

static const char *const words[LACK_KINDS] = {
	[LACK_RANKS] = "ranks",         [LACK_THREADS] = "threads",   [LACK_STOPPED] = "stopped",
	[LACK_PAUSED] = "paused",       [LACK_MPI] = "mpi",           [LACK_CALLS] = "calls",
	[LACK_TIMED] = "timed",         [LACK_DROPPED] = "dropped",   [LACK_TOOL] = "tool",
	[LACK_EXCLUDED] = "excluded",   [LACK_SYMBOLS] = "symbols",   [LACK_OTHER] = "other",
	[LACK_FUNCTIONS] = "functions", [LACK_SMALL] = "small",       [LACK_LOOPS] = "loops",
	[LACK_PYTHON] = "python",       [LACK_SAMPLES] = "samples",   [LACK_OUTSIDE] = "outside",
	[LACK_BYPASS] = "bypass",       [LACK_SWITCHED] = "switched", [LACK_EARLIER] = "earlier",
	[LACK_HALVES] = "halves",       [LACK_COUNTERS] = "counters", [LACK_ORDER] = "order",
	[LACK_REPLAY] = "replay",       [LACK_REFUSED] = "refused",   [LACK_OPENMP] = "openmp",
	[LACK_DAMAGED] = "damaged",
};

const char *lack_name(enum lack_kind kind)
{
	return words[kind];
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "WORD COUNT RANKS WHAT" */
static struct lack parse(const char *value)
{
	const size_t n = strcspn(value, " ");
	struct lack lack = { .kind = LACK_OTHER, .what = value };
	const char *at = value + n;
	uint64_t numbers[2];

	for (int i = 0; i < 2; i++) {
		char *end;
		if (*at != ' ' || !is_digit(at[1]))
			return lack;
		numbers[i] = strtoull(at + 1, &end, 10);
		at = end;
	}
	for (unsigned kind = 0; kind < LACK_OTHER; kind++)
		if (strlen(words[kind]) == n && memcmp(words[kind], value, n) == 0)
			lack = (struct lack){ (enum lack_kind)kind, numbers[0], numbers[1],
					      *at == ' ' ? at + 1 : at };
	return lack;
}

bool lacks_next(const struct trace *trace, size_t *at, struct lack *lack)
{
	while (*at < trace_property_count(trace)) {
		const struct property *p = trace_property(trace, (*at)++);
		if (strcmp(trace_string(trace, p->key), "lacks") != 0)
			continue;
		*lack = parse(trace_string(trace, p->value));
		return true;
	}
	return false;
}

bool lacks_any(const struct trace *trace)
{
	struct lack lack;
	size_t at = 0;

	return lacks_next(trace, &at, &lack);
}

bool lacks_kind(const struct trace *trace, enum lack_kind kind)
{
	struct lack lack;

	for (size_t at = 0; lacks_next(trace, &at, &lack);)
		if (lack.kind == kind)
			return true;
	return false;
}

const char *lacks_span(struct phrases *p, int64_t t0, int64_t t1)
{
	const char *span = phrase_time(p, (double)(t1 - t0));

	if (t0 <= 0 || !lacks_kind(p->trace, LACK_EARLIER))
		return span;
	return phrase(p, "last %s of %s", span, phrase_time(p, (double)t1));
}

/* ---- effects ---- */

static unsigned hidden_by(const struct lack *lack)
{
	const unsigned all = LACK_HIDES_WAITS | LACK_HIDES_MESSAGES;
	struct meaning m;

	switch (lack->kind) {
	case LACK_RANKS:
	case LACK_THREADS:
	case LACK_HALVES:
	case LACK_DAMAGED:
	case LACK_STOPPED:
	case LACK_MPI:
	case LACK_OUTSIDE:
	case LACK_OTHER: return all;
	case LACK_BYPASS: return all | LACK_HIDES_MPI;
	case LACK_CALLS:
	case LACK_TIMED: break;
	case LACK_EARLIER:
	case LACK_PAUSED: return LACK_HIDES_WAITS;
	case LACK_SWITCHED: return strcmp(lack->what, "calls") == 0 ? LACK_HIDES_WAITS : 0;
	default: return 0;
	}
	return LACK_HIDES_WAITS | (lack->kind == LACK_CALLS ? LACK_HIDES_MPI : 0u) |
	       (meaning_of_mpi(lack->what, &m) && m.family == FAMILY_POINT_TO_POINT &&
				m.operation == OPERATION_PLAIN
			? LACK_HIDES_MESSAGES
			: 0u);
}

unsigned lacks_hidden(const struct trace *trace)
{
	unsigned hidden = 0;
	struct lack lack;

	for (size_t at = 0; lacks_next(trace, &at, &lack);)
		hidden |= hidden_by(&lack);
	return hidden;
}

/* ---- sentences ---- */

/* All records of one kind. */
struct summary {
	uint64_t n, count, ranks;
	const char *first; /* name in the first record */
};

static struct summary sum_up(const struct trace *trace, enum lack_kind kind)
{
	struct summary sum = { .first = "" };
	struct lack lack;

	for (size_t at = 0; lacks_next(trace, &at, &lack);) {
		if (lack.kind != kind)
			continue;
		sum.first = sum.n++ ? sum.first : lack.what;
		sum.count += lack.count;
		sum.ranks += lack.ranks;
	}
	return sum;
}

/* "12 calls of MPI_Put, 3 of MPI_Get and 2 of 1 other function". */
static const char *calls(struct phrases *p, enum lack_kind kind, const struct summary *sum)
{
	uint64_t i = 0, rest = sum->count;
	const uint64_t named = sum->n > NAMED ? NAMED - 1 : sum->n;
	OWNED_STR s = STR_INIT;
	struct lack lack;

	for (size_t at = 0; i < named && lacks_next(p->trace, &at, &lack);) {
		if (lack.kind != kind)
			continue;
		str_add(&s, !i ? "" : i + 1 == sum->n ? " and " : ", ");
		str_add_fmt(&s, "%s of %s",
			    i ? phrase_number(p, lack.count)
			      : phrase_count(p, lack.count, "call", "calls"),
			    lack.what);
		rest -= lack.count;
		i++;
	}
	if (named < sum->n)
		str_add_fmt(&s, " and %s of %s", phrase_number(p, rest),
			    phrase_count(p, sum->n - named, "other function", "other functions"));
	return phrase(p, "%s %s", s.text, sum->count == 1 ? "was" : "were");
}

/* "liba.so (12 functions), libb.so (1 function)". */
static const char *modules(struct phrases *p, const struct summary *sum)
{
	OWNED_STR s = STR_INIT;
	struct lack lack;
	uint64_t i = 0;

	for (size_t at = 0; i < NAMED && lacks_next(p->trace, &at, &lack);) {
		if (lack.kind != LACK_SYMBOLS)
			continue;
		str_add_fmt(&s, "%s%s (%s)", i++ ? ", " : "", lack.what,
			    phrase_count(p, lack.count, "function", "functions"));
	}
	if (sum->n > NAMED)
		str_add_fmt(&s, " and %s", phrase_count(p, sum->n - NAMED, "other", "others"));
	return phrase(p, "%s", s.text);
}

/* The recorded time is in nanoseconds, whatever the trace's tick is. */
static const char *span(struct phrases *p, uint64_t nanoseconds)
{
	const double second = (double)trace_scale(p->trace)->per_second;

	return phrase_time(p, (double)nanoseconds * 1e-9 * second);
}

/* `least`: "at least ", where there are ranks that were killed, of which it is not known. */
static const char *missing_time(struct phrases *p, const char *least, uint64_t nanoseconds)
{
	return nanoseconds
		       ? phrase(p, "; %s%s of rank time is missing", least, span(p, nanoseconds))
		       : "";
}

/* What is said of each lack of one kind. */
static const char *each(struct phrases *p, enum lack_kind kind, const char *between,
			const char *(*said)(struct phrases *, const struct lack *))
{
	OWNED_STR s = STR_INIT;
	struct lack lack;

	for (size_t at = 0; lacks_next(p->trace, &at, &lack);)
		if (lack.kind == kind)
			str_add_fmt(&s, "%s%s", s.n ? between : "", said(p, &lack));
	return phrase(p, "%s", s.text);
}

/* A word of the property, and its meaning. */
struct word {
	const char *word, *text;
};

/* A word of a later version is shown as it is. */
static const char *text_of(const struct word *list, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].word, word) == 0)
			return list[i].text;
	return word;
}

/* Why records were dropped: a limit on the events of one function, signal handlers, or lack of room
 * for the rest. */
static const char *dropped(struct phrases *p, const struct lack *lack)
{
	if (strcmp(lack->what, "limit") == 0)
		return "Visits of very short functions have no events after the first ones (tvrun "
		       "--limit); their counts are complete.";
	if (strcmp(lack->what, "signal handlers") == 0)
		return phrase(p,
			      "%s in signal handlers %s not recorded: the handler interrupted the "
			      "recorder.",
			      phrase_count(p, lack->count, "visit", "visits"),
			      lack->count == 1 ? "was" : "were");
	return phrase(p, "Statistics of some statements are missing on %s.",
		      phrase_count(p, lack->ranks, "rank", "ranks"));
}

static uint64_t outside_count(const struct trace *trace, const char *what)
{
	uint64_t count = 0;
	struct lack lack;

	for (size_t at = 0; lacks_next(trace, &at, &lack);)
		if (lack.kind == LACK_OUTSIDE && strcmp(lack.what, what) == 0)
			count += lack.count;
	return count;
}

/* Processes that the ranks of this job started, or met. */
static const char *outside(struct phrases *p)
{
	const uint64_t sent = outside_count(p->trace, "sent");
	const uint64_t received = outside_count(p->trace, "received");
	const uint64_t calls_with = outside_count(p->trace, "collectives");
	const uint64_t known = outside_count(p->trace, "calls");
	OWNED_STR s = STR_INIT;

	if (known)
		str_add_fmt(&s, "at least %s made with them",
			    phrase_count(p, known, "call was", "calls were"));
	if (sent)
		str_add_fmt(&s, "%s to them", phrase_count(p, sent, "message", "messages"));
	if (received)
		str_add_fmt(&s, "%s%s from them", sent ? " and " : "",
			    phrase_count(p, received, "message", "messages"));
	if (sent + received)
		str_add(&s, sent + received == 1 ? " was left out" : " were left out");
	if (calls_with)
		str_add_fmt(&s, "%s%s with them %s incomplete", s.n ? ", " : "",
			    phrase_count(p, calls_with, "call of a collective",
					 "calls of collectives"),
			    calls_with == 1 ? "is" : "are");
	return phrase(p,
		      "Processes of other jobs (MPI_Comm_spawn, MPI_Comm_connect ...) are not in "
		      "this trace: %s.",
		      s.text);
}

static const char *switched(struct phrases *p, const struct lack *lack)
{
	static const struct word kinds[] = {
		{ "calls", "Calls of MPI" },
		{ "regions", "Some of the regions that the program names" },
		{ "functions", "Functions" },
	};

	return phrase(p,
		      "%s were not recorded in %s of rank time on %s: the program switched them "
		      "off.",
		      text_of(kinds, sizeof kinds / sizeof *kinds, lack->what),
		      span(p, lack->count), phrase_count(p, lack->ranks, "rank", "ranks"));
}

/* tvrun --counters: "REASON NAME", or "shared". */
static const char *counter(struct phrases *p, const struct lack *lack)
{
	static const char *const reasons[][2] = {
		{ "unknown ", "no counter has this name (tvrun --list-counters)" },
		{ "hardware ", "the processor does not offer it (virtual machines often have no "
			       "hardware counters)" },
		{ "forbidden ", "the kernel does not allow it (perf_event_paranoid, or a "
				"container)" },
		{ "files ", "too many files were open" },
		{ "unsupported ", "the kernel has no perf_event_open" },
	};
	const char *ranks = phrase_count(p, lack->ranks, "rank", "ranks");
	const char *name = lack->what + strcspn(lack->what, " ");

	name += *name == ' ';
	if (strcmp(lack->what, "shared") == 0)
		return phrase(p,
			      "The counters took turns on %s: there were more than the processor "
			      "counts at once, so counts are scaled up.",
			      ranks);
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (strncmp(lack->what, reasons[i][0], strlen(reasons[i][0])) == 0)
			return phrase(p, "%s was not counted on %s: %s.", name, ranks,
				      reasons[i][1]);
	return phrase(p, "%s was not counted on %s: the kernel refused it.", name, ranks);
}

/* tvrun --virtual-time. */
static const char *order(struct phrases *p, const struct lack *lack)
{
	static const struct word reasons[] = {
		{ "nodes", "ranks of other jobs, or of nodes that are not asked, could send to "
			   "them" },
		{ "silent", "another node of the job did not answer" },
		{ "clocks", "maybe, as the clocks of nodes may differ by more than senders do" },
		{ "threads", "threads of a rank called MPI at once" },
		{ "off", "recording was switched off, or MPI had called back what received" },
		{ "posted", "an earlier receive from any source was still open" },
		{ "many", "too many messages were under way" },
		{ "untold", "their messages came from calls that were not recorded" },
		{ "nonblocking", "they are nonblocking, and MPI chose before it was certain" },
		{ "calls", "of calls that are not controlled (MPI_Isendrecv with large messages, "
			   "MPI_Sendrecv_replace, of types with gaps)" },
		{ "requests",
		  "MPI_Waitany, MPI_Waitsome, MPI_Testany and MPI_Testsome took what was complete "
		  "first" },
		{ "departed", "and took another sender than in virtual time" },
	};
	const char *things = strcmp(lack->what, "requests") == 0
				     ? phrase_count(p, lack->count, "choice among requests",
						    "choices among requests")
				     : phrase_count(p, lack->count, "receive from any source",
						    "receives from any source");

	return phrase(p, "%s of %s: %s", things, phrase_count(p, lack->ranks, "rank", "ranks"),
		      text_of(reasons, sizeof reasons / sizeof *reasons, lack->what));
}

/* tvrun --replay-order. */
static const char *replay(struct phrases *p, const struct summary *sum)
{
	struct str s = STR_INIT;
	const char *text;
	struct lack lack;
	uint64_t n = 0;

	for (size_t at = 0; n < NAMED && lacks_next(p->trace, &at, &lack);)
		if (lack.kind == LACK_REPLAY)
			str_add_fmt(&s, "%s%s", n++ ? "; " : "", lack.what);
	if (sum->n > n)
		str_add_fmt(&s, "; and %s", phrase_count(p, sum->n - n, "other", "others"));
	text = phrase(p, "This run did not follow the order that it was to replay: %s.", s.text);
	str_fini(&s);
	return text;
}

/* Functions and lines of which the trace shows less than the source. */
static const char *less_known(struct phrases *p, enum lack_kind kind, const struct summary *sum)
{
	switch (kind) {
	case LACK_SMALL:
		return phrase(p, "%s not timed: %s time counts as the caller's (tvcc --all).",
			      phrase_count(p, sum->count, "small procedure is",
					   "small procedures are"),
			      sum->count == 1 ? "its" : "their");
	case LACK_LOOPS:
		return phrase(p, "%s counted, not timed (tvcc --all).",
			      phrase_count(p, sum->count, "short loop without calls is",
					   "short loops without calls are"));
	case LACK_PYTHON:
		return phrase(p,
			      "Lines and functions of Python were not recorded on %s: tvrun does "
			      "not know this interpreter.",
			      phrase_count(p, sum->ranks, "rank", "ranks"));
	case LACK_OPENMP:
		return phrase(p,
			      "%s used OpenMP, of which statistics have no parallel regions and no "
			      "constructs (tvrun without --statistics has them).",
			      phrase_count(p, sum->ranks, "rank", "ranks"));
	case LACK_SAMPLES:
		return phrase(p,
			      "Some threads of %s have no samples: the system gave them no timer, "
			      "or the process no signal.",
			      phrase_count(p, sum->ranks, "rank", "ranks"));
	case LACK_DAMAGED:
		return phrase(p,
			      "The %s of %s %s cut off or damaged when the trace was made: what "
			      "was recorded in the rest is lost.",
			      sum->ranks == 1 ? "buffer" : "buffers",
			      phrase_count(p, sum->ranks, "rank", "ranks"),
			      sum->ranks == 1 ? "was" : "were");
	case LACK_REFUSED:
		return phrase(p, "%s refused by MPI: they carried nothing.", calls(p, kind, sum));
	case LACK_SYMBOLS:
		return phrase(p, "Functions without symbols are shown as addresses: %s.",
			      modules(p, sum));
	case LACK_COUNTERS: return each(p, kind, " ", counter);
	case LACK_ORDER:
		return phrase(p, "Not in the order of virtual time: %s.",
			      each(p, kind, "; ", order));
	case LACK_REPLAY: return replay(p, sum);
	default: return phrase(p, "The trace also lacks: %s.", sum->first);
	}
}

static const char *functions(struct phrases *p, const struct summary *sum)
{
	const char *ranks = phrase_count(p, sum->ranks, "rank", "ranks");

	if (!sum->count)
		return phrase(p,
			      "Functions were not recorded to the end on %s (%s); calls of MPI "
			      "were.",
			      ranks, sum->first);
	return phrase(p,
		      "Functions were not recorded in the last %s of rank time on %s (%s); calls "
		      "of MPI were.",
		      span(p, sum->count), ranks, sum->first);
}

/* tvrun --last. */
static const char *overwritten(struct phrases *p, enum lack_kind kind, const struct summary *sum)
{
	if (kind == LACK_EARLIER && strcmp(sum->first, "look") == 0)
		return phrase(
			p,
			"This look has the last events of %s, not those of %s of rank time "
			"before; statistics are of the whole run (tview live --save has all).",
			phrase_count(p, sum->ranks, "rank", "ranks"), span(p, sum->count));
	if (kind == LACK_EARLIER)
		return phrase(p,
			      "Only the last events of %s were kept (tvrun --last): those of %s of "
			      "rank time before are missing; statistics are of the whole run.",
			      phrase_count(p, sum->ranks, "rank", "ranks"), span(p, sum->count));
	if (strcmp(sum->first, "one-sided") == 0)
		return phrase(p,
			      "%s left out: the epochs and windows of the time before are not "
			      "known.",
			      phrase_count(p, sum->count, "one-sided operation is",
					   "one-sided operations are"));
	return phrase(p, "%s left out: %s other half is in the time before, or cannot be told.",
		      phrase_count(p, sum->count, "record of a message or collective is",
				   "records of messages and collectives are"),
		      sum->count == 1 ? "its" : "their");
}

const char *lacks_sentence(struct phrases *p, enum lack_kind kind)
{
	const struct summary sum = sum_up(p->trace, kind);
	const char *its = sum.count == 1 ? "its" : "their";

	if (!sum.n)
		return "";
	switch (kind) {
	case LACK_RANKS:
		return phrase(p, "%s no records.",
			      phrase_count(p, sum.count, "rank has", "ranks have"));
	case LACK_THREADS:
		return phrase(p, "%s no records.",
			      phrase_count(p, sum.count, "thread has", "threads have"));
	case LACK_STOPPED:
		return phrase(p, "Recording stopped early on %s (%s)%s.",
			      phrase_count(p, sum.ranks, "rank", "ranks"), sum.first,
			      missing_time(p, sum.n > 1 ? "at least " : "", sum.count));
	case LACK_EARLIER:
	case LACK_HALVES: return overwritten(p, kind, &sum);
	case LACK_FUNCTIONS: return functions(p, &sum);
	case LACK_SWITCHED: return each(p, kind, " ", switched);
	case LACK_PAUSED:
		return phrase(p,
			      "Recording was switched off for a time on %s%s; messages and "
			      "collectives were recorded all the same.",
			      phrase_count(p, sum.ranks, "rank", "ranks"),
			      missing_time(p, "", sum.count));
	case LACK_MPI:
		return phrase(p, "%s with an MPI of unknown kind %s not recorded.",
			      phrase_count(p, sum.count, "process", "processes"),
			      sum.count == 1 ? "was" : "were");
	case LACK_CALLS:
		return phrase(p,
			      "%s not recorded: %s partners and waits are unknown, %s time counts "
			      "as the caller's.",
			      calls(p, kind, &sum), its, its);
	case LACK_TIMED:
		return phrase(p, "%s only timed: %s partners and waits are unknown.",
			      calls(p, kind, &sum), its);
	case LACK_OUTSIDE: return outside(p);
	case LACK_BYPASS:
		return phrase(
			p,
			"Calls of MPI from %s%s were not recorded: %s opened with RTLD_DEEPBIND.",
			*sum.first ? sum.first : "a library",
			sum.n > 1 ? " and other libraries" : "",
			sum.n > 1 ? "they were" : "it was");
	case LACK_DROPPED: return each(p, kind, " ", dropped);
	case LACK_EXCLUDED:
		return phrase(p,
			      "%s %s left out (tvrun --only, --exclude): %s time counts as the "
			      "callers'.",
			      phrase_count(p, sum.count, "function", "functions"),
			      sum.count == 1 ? "was" : "were", its);
	case LACK_TOOL:
		return phrase(p,
			      "Another tool%s is between the program and MPI: its time counts as "
			      "MPI's, and calls that it adds are not recorded.",
			      *sum.first ? phrase(p, " (%s)", sum.first) : "");
	default: return less_known(p, kind, &sum);
	}
}
