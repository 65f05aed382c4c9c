#include "capture/run/summary.h"

#include "base/units.h"

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void add_count(struct str *out, uint64_t n, const char *what)
{
	units_count(out, n);
	str_add_fmt(out, " %s%s", what, plural(n));
}

/* "run.trc: 4 ranks, 2,656 events", "run.trc: statistics of 4 ranks: 27 statements, 61 records". */
static void print_size(const char *path, const struct merge_summary *summary,
		       const struct trace *trace)
{
	OWNED_STR text = STR_INIT;

	if (summary->statistics)
		str_add(&text, "statistics of ");
	add_count(&text, (uint64_t)summary->ranks, "rank");
	if (summary->statistics) {
		str_add(&text, ": ");
		add_count(&text, summary->statements, "statement");
	} else {
		str_add(&text, ", ");
		add_count(&text, trace_event_count(trace), "event");
	}
	if (summary->records || summary->statistics) {
		str_add(&text, ", ");
		add_count(&text, summary->records, "record");
	}
	if (summary->records && !summary->statistics) {
		str_add(&text, " of ");
		add_count(&text, summary->statements, "statement");
	}
	print_line("%s: %s", path, text.text);
}

/* "12 receives from any source in virtual time: 3 held for 4.10 ms ..." */
static void print_order(const struct merge_order *o)
{
	OWNED_STR text = STR_INIT;

	add_count(&text, o->wildcards, "receive");
	str_add_fmt(&text, " from any source: %llu held for %.3f ms in virtual order",
		    (unsigned long long)o->held, (double)o->held_ns / 1e6);
	if (o->held) {
		str_add(&text, ", after ");
		add_count(&text, o->collected, "look");
		str_add(&text, " that found a rank which can send earlier");
	}
	if (o->close)
		str_add_fmt(&text, ", %llu between senders closer than latencies differ",
			    (unsigned long long)o->close);
	if (o->unsure)
		str_add_fmt(&text, ", %llu not certain, as clocks of nodes may differ by more",
			    (unsigned long long)o->unsure);
	if (o->clocks) {
		str_add(&text, "; nodes were asked ");
		add_count(&text, o->exchanges, "time");
		str_add(&text, " for them");
		if (o->again)
			str_add_fmt(&text, " (%llu of these again for the same receive)",
				    (unsigned long long)o->again);
		if (o->narrowed) {
			str_add(&text, " (moved to an earlier message ");
			add_count(&text, o->narrowed, "time");
			str_add(&text, ")");
		}
		str_add(&text, ", ");
		add_count(&text, o->fetches, "time");
		str_add(&text, " for messages");
	}
	if (o->uncontrolled)
		str_add_fmt(&text, "; %llu not controlled (tview check says why)",
			    (unsigned long long)o->uncontrolled);
	if (o->departed)
		str_add_fmt(&text, "; %llu took another sender than in virtual time",
			    (unsigned long long)o->departed);
	print_line("note: %s", text.text);
}

/* Choices that were to be made again. */
static void print_replay(const struct merge_summary *s, bool quiet)
{
	OWNED_STR text = STR_INIT;

	add_count(&text, s->replayed, "choice");
	if (s->departed > 1)
		print_line("warning: %s made as recorded, then %u ranks depart (tview check says "
			   "where); the first: %s",
			   text.text, s->departed, s->first_departure);
	else if (s->departed)
		print_line("warning: %s made as recorded, then the run departs: %s", text.text,
			   s->first_departure);
	else if (!quiet && s->replayed == 1)
		print_line("note: the only choice was made as recorded");
	else if (!quiet)
		print_line("note: all %s were made as recorded", text.text);
}

void print_summary(const struct run_options *options, const char *path,
		   const struct merge_summary *s, const struct trace *trace)
{
	const bool one = s->not_finalised == 1;

	if (!options->quiet)
		print_size(path, s, trace);
	if (s->ranks < s->world)
		print_line("warning: no data from %d of %d ranks", s->world - s->ranks, s->world);
	if (s->not_finalised)
		print_line(
			"warning: %u rank%s ended without MPI_Finalize; %s records up to then are "
			"kept",
			s->not_finalised, plural(s->not_finalised), one ? "its" : "their");
	if (*s->ended_first)
		print_line("%s", s->ended_first);
	if (s->scarce)
		print_line("warning: buffer nearly full on %u rank%s: functions were not recorded "
			   "after that, calls of MPI were; raise --max-size (%lluM), or free disk "
			   "space",
			   s->scarce, plural(s->scarce),
			   (unsigned long long)options->max_size >> 20);
	if (s->no_memory)
		print_line("warning: no memory for some records on %u rank%s: they are missing",
			   s->no_memory, plural(s->no_memory));
	if (s->full)
		print_line(
			"warning: buffer full on %u rank%s: recording stopped there, the rest is "
			"lost; raise --max-size (%lluM) or --buffer-size (%lluM), or free disk "
			"space",
			s->full, plural(s->full), (unsigned long long)options->max_size >> 20,
			(unsigned long long)options->buffer_size >> 20);
	if (s->damaged)
		print_line("warning: the buffer%s of %u rank%s %s cut off or damaged: what was "
			   "recorded in the rest is lost",
			   plural(s->damaged), s->damaged, plural(s->damaged),
			   s->damaged == 1 ? "is" : "are");
	if (s->passed_over)
		print_line("warning: %u buffer file%s skipped: %s", s->passed_over,
			   plural(s->passed_over),
			   *s->first_trouble ? s->first_trouble
					     : "their ranks have others, of the same job");
	if (s->limited)
		print_line("note: events of very short functions limited in %llu record%s (--limit "
			   "%llu); counts are complete",
			   (unsigned long long)s->limited, plural(s->limited),
			   (unsigned long long)options->limit);
	if (s->order.wildcards && !options->quiet)
		print_order(&s->order);
	if (s->order.strangers && !options->quiet)
		print_line("note: %llu connection%s to the ports where nodes ask each other %s not "
			   "from this job: refused, and without effect",
			   (unsigned long long)s->order.strangers, plural(s->order.strangers),
			   s->order.strangers == 1 ? "was" : "were");
	if (s->replay)
		print_replay(s, options->quiet);
	if (s->torn)
		print_line("warning: %llu statement record%s being changed when the process died: "
			   "up to one execution off",
			   (unsigned long long)s->torn, s->torn == 1 ? " was" : "s were");
	if (s->wrong_grids)
		print_line("warning: %u call%s of tview_topology and tview_coords ignored: %s",
			   s->wrong_grids, plural(s->wrong_grids), s->first_wrong_grid);
}
