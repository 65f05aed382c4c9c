#include "ui/app/views.h"

#include <string.h>

#include "ui/panels/panels.h"
#include "ui/timeline/drawing/timeline_text.h"
#include "views/export/cube_xml.h"
#include "views/export/export_text.h"
#include "views/query/view_common.h"

/* A library has no screen. */
#ifdef TVIEW_LIBRARY
#define PANEL(ops) NULL
#else
#define PANEL(ops) (&(ops))
#endif

/* Columns of the timeline without --width. */
enum { TIMELINE_WIDTH = 100 };

static bool timeline_writer(const struct query *query, const struct export_options *options,
			    struct str *out, struct err *err)
{
	struct arrangement arrangement = { .key = BY_NONE };
	struct query sorted = *query;

	if (options->sort) {
		if (strcmp(options->sort, "mpi") != 0)
			return err_set(err, STATUS_USAGE,
				       "rows of the timeline are sorted by mpi alone, not by '%s'",
				       options->sort);
		if (query->arrangement)
			arrangement = *query->arrangement;
		arrangement.order = ROWS_BY_MPI;
		sorted.arrangement = &arrangement; /* for this call alone: it owns no list */
	}
	return timeline_text(&sorted, options->width ? options->width : TIMELINE_WIDTH,
			     options->height, options->ascii, out, err);
}

static bool filter_writer(const struct query *query, const struct export_options *options,
			  struct str *out, struct err *err)
{
	(void)options;
	return rules_text(query, out, err);
}

static bool topology_writer(const struct query *query, const struct export_options *options,
			    struct str *out, struct err *err)
{
	return topology_text(query, options->width, options->height, options->ascii, out, err);
}

static struct table *all_callpaths(const struct query *query, struct err *err)
{
	return callpaths_table_new(query, UINT32_MAX, err);
}

/* Between two traces, or between two time bases of one. */
static struct table *difference(const struct query *query, struct err *err)
{
	return query->other || query->export.by_severity
		       ? compared_table_new(query, query->export.compared_by, err)
		       : difference_table_new(query, err);
}

static const struct view_info rows[] = {
	{ .name = "overview",
	  .title = "Overview",
	  .brief = "Over",
	  .key = "1",
	  .help = "where the time went, wait states, efficiency, reliability",
	  .manual = "A page of bars (the time by class, with the part that waits), the timeline in "
		    "a few lines, neighbouring ranks in one line where there are more, and at most "
		    "eight findings, the most severe first, with their shares of total time. Below "
		    "them are the details of the one under the cursor; Enter goes to its view, a "
		    "click on the picture to the timeline. Tab shows all sentences instead.",
	  .panel = PANEL(overview_panel_ops),
	  .without_events = true,
	  .table = overview_table_new,
	  .text = overview_text,
	  .needs_corrections = true },
	{ .name = "timeline",
	  .unrecorded = "what ranks did at which time",
	  .instead = "graph",
	  .title = "Timeline",
	  .brief = "Time",
	  .key = "2",
	  .help = "a row per rank: states over time, messages as arrows",
	  .manual =
		  "Above the rows is the whole run with the place of the window, which a click or "
		  "a drag there moves; below them what is under the cursor. Lines of dots are "
		  "messages, from send to receive, and tinted shapes collectives, from the begins "
		  "of their ranks to their ends; of many, some are drawn, and counted. "
		  "--graphics auto draws bars and lines as pixels where the terminal says in "
		  "three seconds that it has kitty's graphics protocol or sixels: finer, for more "
		  "bytes. With sixels a letter hides the pixels of its cell. B adds a line "
		  "below each row that says what the time base did: how far it moved the events "
		  "against the linear times (the measured ones if there are no clock offsets), in "
		  "steps of powers of ten, and for the compensated bases which share of the time "
		  "was removed; t shows the scale.",
	  .panel = PANEL(timeline_panel_ops),
	  .text = timeline_writer,
	  .text_sorts = true,
	  .data = "events" },
	{ .name = "events",
	  .title = "Events",
	  .brief = "Evts",
	  .key = "3",
	  .help = "every event with all its fields",
	  .panel = PANEL(events_panel_ops),
	  .table = events_table_new,
	  .columns =
		  "time_s, rank, thread, kind, region, peer, tag, bytes, comm, root, callpath, "
		  "file, line. One row per event, by time, then rank, thread and order in the "
		  "file. A record can be two events: the entry of a send is an enter and a send. "
		  "The kinds are enter, leave, mark, send, send_complete, recv_request, recv, "
		  "request_test, request_cancelled, collective_begin, collective_end, data, "
		  "message_text, statistics, thread_begin, thread_end, io, rma, metric, tracing_on "
		  "and tracing_off. The bytes of a collective_begin are those the rank sent, of a "
		  "collective_end those it received. The peer of a send to all is empty." },
	{ .name = "profile",
	  .title = "Profile",
	  .brief = "Prof",
	  .key = "4",
	  .help = "visits, inclusive and exclusive time of each region",
	  .panel = PANEL(profile_panel_ops),
	  .without_events = true,
	  .table = profile_table_new,
	  .columns =
		  "region, count, inclusive_s, exclusive_s, min_s, mean_s, max_s; with --by rank, "
		  "rank comes first. Inclusive time counts the outermost visit of a recursion "
		  "once; min, mean and max are inclusive times of a visit." },
	{ .name = "calls",
	  .says_uncertain = true,
	  .title = "Calls",
	  .brief = "Call",
	  .key = "L",
	  .help = "each call of a function or of MPI, the longest first",
	  .manual = "Above the list is the number of calls by duration (logarithmic). v at a "
		    "call, Left or Right, and v again choose durations; a click on a bar, "
		    "too, and one on the scale below them those and longer ones; z shows "
		    "the calls of its function that take as long or longer (to the bar); "
		    "Backspace shows all again. Tab lists the functions: Enter shows "
		    "the calls of one. The list has the first 10,000 in the order of its "
		    "column; with more calls it can be sorted by took, from, rank, region, "
		    "waiting, own and bytes.",
	  .panel = PANEL(calls_panel_ops),
	  .tab_in_front = true,
	  .table = calls_table_new,
	  .columns = "duration_s, begin_s, rank, region, waiting_s, waits_for_rank, wait, cause, "
		     "remarks, exclusive_s, bytes, partner_rank, comm, line, callpath, thread, "
		     "location, open_at_end, event. One row per call that reaches into the "
		     "window, by its begin. exclusive_s is without the calls inside it; "
		     "waiting_s is empty outside MPI; cause is where the chain of causes of its "
		     "longest wait ends, along the largest reason of each wait: the rank that "
		     "spent more in a call path than the one that waited for it, or was inside "
		     "a call of MPI, or waited there for a reason that is not known; 'unknown' "
		     "where less than half of the wait is explained; remarks say 'uncertain' "
		     "where that wait is not longer than the clocks of both ranks may be wrong "
		     "(of a part of a trace in measured or linear times that is not known); "
		     "bytes counts the messages that it "
		     "begins or completes; the partner is empty where there are several. A "
		     "call that is open when the trace ends lasts until then." },
	{ .name = "sequences",
	  .title = "Sequences",
	  .brief = "Seqs",
	  .key = "&",
	  .help = "calls that follow each other as a pattern says",
	  .manual =
		  "$ or :sequence takes the pattern: MPI_Irecv+ MPI_Isend+ MPI_Waitall, say, or "
		  "MPI_Send[bytes > 64k] ... MPI_Barrier within 5ms (doc/filter.md). The list has "
		  "the matches that begin in the window, so far as they are found: keys work "
		  "meanwhile. Tab sums them up by rank. Enter goes to a match in the timeline, "
		  "which marks them below the rows, and selects its time: n and N go to the next "
		  "and previous one there, z zooms to it. A sequence is kept with the trace until "
		  "another one, or none, is asked for; u takes that back.",
	  .panel = PANEL(sequences_panel_ops),
	  .tab_in_front = true,
	  .table = sequences_table_new,
	  .of_sequence = true,
	  .unrecorded = "in which order calls came",
	  .instead = "callpaths",
	  .columns =
		  "begin_s, duration_s, rank, calls, first, last, line, callpath, thread, "
		  "location, event, last_event. One row per match of --sequence, by its begin. It "
		  "takes from the begin of its first call to the end of its last one; calls is how "
		  "many calls it has, line is where the first one is called, callpath what that "
		  "is in. With --by rank one row per rank: rank, matches, calls, time_s, share, "
		  "min_s, mean_s, max_s, location; the share is their part of the rank's "
		  "time in the window." },
	{ .name = "callpaths", .help = "the same by call path", .table = all_callpaths },
	{ .name = "samples",
	  .help = "functions in which the program was sampled (tvrun --sample)",
	  .table = samples_table_new,
	  .columns =
		  "region, samples, time_s, error_s, share, inside, file, line; with --by rank, "
		  "rank comes first. The time is samples x period, error_s its standard deviation "
		  "as of a count, the share one of total time. inside is the recorded region in "
		  "which the samples are, empty outside of all. (no sample) is the rest of the "
		  "time outside all regions: not on a processor, in the kernel, or in the "
		  "recorder." },
	{ .name = "sample-lines",
	  .help = "the same by source line",
	  .table = sample_lines_table_new },
	{ .name = "graph",
	  .title = "Graph",
	  .brief = "Grph",
	  .key = "5",
	  .help = "procedures, loops, calls and communication with their costs",
	  .panel = PANEL(graph_panel_ops),
	  .without_events = true,
	  .table = graph_table_new },
	{ .name = "filter",
	  .without_events = true,
	  .help = "probes that cost too much, as rules for tvcc and tvrun",
	  .table = rules_table_new,
	  .text = filter_writer,
	  .columns = "rule, name, file, line, procedures, visits, loop_visits, cost_s, own_s, "
		     "own_low_s, own_high_s, share: the cost is that of the probes which the rule "
		     "leaves out, the own time that of the procedures of the name with their "
		     "loops and MPI calls, without measurement; the share is one of total time. "
		     "Of the whole run. As text it is a file of rules with the reasons as "
		     "comments." },
	{ .name = "patterns",
	  .title = "Patterns",
	  .brief = "Patt",
	  .key = "6",
	  .help = "wait states and other severities by call path and rank",
	  .manual =
		  "Three trees: metric, call path, location. What is selected in one gives the "
		  "values of the next; closed rows hold what is below them, open ones do not. "
		  "Enter lists the wait states of a row, the longest first, and goes from there to "
		  "the timeline; e explains one. Of runs with statistics alone it lists the "
		  "statements that waited, by the wait state of their operation.",
	  .panel = PANEL(patterns_panel_ops),
	  .records_panel = PANEL(waiting_panel_ops),
	  .without_events = true,
	  .table = patterns_table_new,
	  .cube = cube_xml_write },
	{ .name = "statistics",
	  .help = "number and durations of each kind of wait state",
	  .table = statistics_table_new },
	{ .name = "waits",
	  .says_uncertain = true,
	  .help = "wait states one by one",
	  .table = waits_table_new },
	{ .name = "explain",
	  .help = "the longest wait states in sentences, with their causes",
	  .table = explain_table_new,
	  .columns =
		  "wait, depth, explains_s, share, rank, time_s, source, location, event, metric, "
		  "lower_s, upper_s, sentence: the longest waits in sentences, one row per line "
		  "(doc/patterns.md); with --event what is at one event, with --worst more or "
		  "fewer." },
	{ .name = "causes",
	  .help = "what made ranks wait: which rank did what more than the others",
	  .table = causes_table_new,
	  .columns =
		  "kind, rank, thread, callpath, share, coverage, cost_s, calls, others_calls, "
		  "time_s, others_time_s, bytes, others_bytes, iterations, sentence: causes with "
		  "a name, the largest first (doc/patterns.md). The share is the part of all "
		  "waiting that is charged to this rank in this call path, the coverage that of "
		  "this row and those above. Without a rank it is another one each time. calls, "
		  "time and bytes are per iteration, or of the run if it has none; others_ is the "
		  "median of the other ranks." },
	{ .name = "critical-path",
	  .unrecorded = "which work others waited for",
	  .instead = "patterns",
	  .help = "the critical path, stretch by stretch",
	  .table = critical_path_table_new },
	{ .name = "rollcall",
	  .without_events = true,
	  .help = "where every rank was when a run ended inside of calls",
	  .table = rollcall_table_new },
	{ .name = "topology",
	  .unrecorded = "which call of a rank waited",
	  .instead = "patterns --by rank",
	  .title = "Topology",
	  .brief = "Topo",
	  .key = "7",
	  .help = "wait states on the grid of ranks",
	  .panel = PANEL(topology_panel_ops),
	  .table = topology_table_new,
	  .text = topology_writer },
	{ .name = "messages",
	  .says_uncertain = true,
	  .title = "Messages",
	  .brief = "Msgs",
	  .key = "8",
	  .help = "each message, each collective operation, sender by receiver",
	  .panel = PANEL(messages_panel_ops),
	  .panel_without_events = true,
	  .table = messages_table_new,
	  .columns =
		  "send_time_s, recv_time_s, src, dst, tag, bytes, comm, send_region, "
		  "recv_region. By the time of the send (of the receive if the trace has no send). "
		  "An end that is missing is empty. Flags are words; uncertain: latency_s is less "
		  "than what the clocks of both ends may be wrong by." },
	{ .name = "collectives",
	  .help = "each collective operation",
	  .table = collectives_table_new,
	  .columns = "comm, op, root, begin_s, end_s, ranks, bytes_sent, bytes_received. From the "
		     "first begin to the last end; the bytes are the sums of all members that "
		     "report them." },
	{ .name = "copies",
	  .help = "each copy between a host and its accelerators",
	  .table = copies_table_new,
	  .columns = "begin_s, duration_s, direction (to device, to host, on device), from, to, "
		     "bytes, bytes_per_s, rank, region, event: copies as the streams of devices "
		     "recorded them (one-sided operations of OTF2), by their begin. They are not "
		     "messages: clocks and wait states do not depend on them. The region is the "
		     "one around the begin; the event is that of --event." },
	{ .name = "matrix",
	  .help = "messages and bytes, sender by receiver",
	  .without_events = true,
	  .table = matrix_table_new },
	{ .name = "histograms",
	  .help = "number of messages by size and by latency",
	  .table = histograms_table_new,
	  .columns =
		  "of (size or latency), from_bytes, to_bytes, from_s, to_s, messages, share: the "
		  "messages of a size or latency from a limit to below the next. A row without "
		  "limits counts all that have the number." },
	{ .name = "corrections",
	  .title = "Corrections",
	  .brief = "Corr",
	  .key = "9",
	  .help = "corrections of clocks and overhead",
	  .manual =
		  "Messages that arrive before they are sent, before and after the correction, by "
		  "class and by pair of locations; the clocks; what the logical clock moved; the "
		  "measurement overhead by location and region.",
	  .panel = PANEL(corrections_panel_ops),
	  .table = corrections_table_new,
	  .summary = corrections_summary_new,
	  .needs_corrections = true,
	  .columns =
		  "key, value: messages, reversed, violations, presync, fitted_reversed, "
		  "fitted_max_shift_s, clc_violated, clc_corrected, clc_max_error_s, clc_passes, "
		  "clc_max_slope, violations_after, overhead_event_s, measured_s, compensated_s, "
		  "lower_s, upper_s, carried_share, sampled_share, and more that "
		  "doc/corrections.md explains." },
	{ .name = "corrections-classes",
	  .help = "the clock condition by time base and class",
	  .table = corrections_classes_new,
	  .needs_corrections = true },
	{ .name = "corrections-pairs",
	  .help = "pairs of locations that violate the clock condition",
	  .table = corrections_pairs_new,
	  .needs_corrections = true },
	{ .name = "corrections-clocks",
	  .help = "clocks of the locations",
	  .table = corrections_clocks_new,
	  .columns =
		  "location, state, offsets, offset_s, drift_ppm; error_low_s, error_high_s: "
		  "bounds of the error of its clock's best times, the median over "
		  "the run, empty if unknown; error_low_worst_s, error_high_worst_s: their worst; "
		  "shift_s, edges, round_trip_s, steps, step_s; island_zero, island_low_s, "
		  "island_high_s: of clocks that messages do not join to the reference both ways, "
		  "the zero of their island, and their bounds against it; drift_bound: whether "
		  "clocks drift by no more than 200 ppm against it (assumed, shown by messages, "
		  "doubtful, exceeded), drift_allowed_ppm: what bounds are made for, "
		  "drift_least_ppm, drift_most_ppm: what messages leave.",
	  .needs_corrections = true },
	{ .name = "corrections-moves",
	  .help = "the largest moves by the logical clock",
	  .table = corrections_moves_new,
	  .needs_corrections = true },
	{ .name = "corrections-overhead",
	  .help = "measurement overhead by location",
	  .table = corrections_overhead_new,
	  .needs_corrections = true },
	{ .name = "corrections-regions",
	  .help = "measurement overhead by region",
	  .table = corrections_regions_new,
	  .needs_corrections = true },
	{ .name = "difference",
	  .title = "Difference",
	  .brief = "Diff",
	  .key = "D",
	  .command = "compared",
	  .help = "differences to the other trace (tview OLD TRACE)",
	  .panel = PANEL(difference_panel_ops),
	  .two_traces = true,
	  .table = difference,
	  .compares_bases = true,
	  .columns =
		  "region, before_s, after_s, difference_s, share; with --by rank, rank comes "
		  "first. Exclusive time in the best synchronised base and in the compensated one, "
		  "or in those that --against and --base name, and shares of all differences "
		  "(negative where a region takes longer; without signs they add up to 1); "
		  "of virtual and compensated times also how many events have bounds, how many "
		  "differ by more than these (beyond), and the largest bound of each. "
		  "The region (none) is the time outside all regions. Of two traces (OLD TRACE): "
		  "severities before and after; of_difference: per cent of the time that differs "
		  "(of counts: of their metric). With --by metric, callpath or all the same of "
		  "two time bases of one trace." },
	{ .name = "utilisation",
	  .unrecorded = "when ranks were busy or waited",
	  .instead = "profile",
	  .title = "Utilisation",
	  .brief = "Util",
	  .key = "U",
	  .help = "ranks busy, waiting, managing; messages under way",
	  .manual =
		  "Four panes: how many ranks are busy, transfer, wait or manage over "
		  "time, how long so many were busy at once, the shares of each rank, and for each "
		  "rank the messages that are sent to it and not yet received. Busy is the time "
		  "outside MPI. Waiting is the time of wait states; until these are found it is "
		  "the time of all calls that communicate, and the view says so. Management is the "
		  "start and end of MPI, communicators, and the tool's own regions. A filter "
		  "decides for whole call paths and ranks. Enter zooms to a stretch of time, or "
		  "goes to the rank in the timeline.",
	  .panel = PANEL(utilisation_panel_ops),
	  .tab_in_front = true,
	  .table = utilisation_table_new,
	  .columns =
		  "from_s, to_s, busy, transfer, waiting, management, filtered_out, idle, "
		  "not_recorded, waiting_is: numbers of locations, on average over the stretch of "
		  "time; they add up to all locations. idle are devices' streams without recorded "
		  "work. waiting_is says what counts as waiting: wait states, "
		  "or calls that communicate." },
	{ .name = "utilisation-ranks",
	  .unrecorded = "when ranks were busy or waited",
	  .instead = "profile --by rank",
	  .help = "utilisation by rank, as shares and times",
	  .table = utilisation_ranks_table_new },
	{ .name = "concurrency",
	  .unrecorded = "when ranks were busy",
	  .instead = "profile",
	  .help = "how long so many ranks were busy at once",
	  .table = concurrency_table_new,
	  .columns = "busy_from, busy_to, time_s, share, partly_known_s: the time in which so many "
		     "locations were busy, and of it that in which others were not recorded or are "
		     "filtered out: more may have been busy then. The first row is the whole "
		     "window." },
	{ .name = "queues",
	  .unrecorded = "when messages were sent and received",
	  .instead = "matrix",
	  .help = "messages sent to each rank and not yet received",
	  .table = queues_table_new,
	  .columns =
		  "rank, messages, most, most_at_s, mean, most_bytes, most_bytes_at_s, "
		  "mean_bytes, no_receive, no_send. A message is under way from its send to the "
		  "completion of its receive. Where one end was not recorded it is only counted, "
		  "in the last two columns." },
	{ .name = "queues-over-time",
	  .unrecorded = "when messages were sent and received",
	  .instead = "matrix",
	  .help = "the same in 50 stretches of time",
	  .table = queues_over_time_table_new },
	{ .name = "iterations",
	  .title = "Iterations",
	  .brief = "Iter",
	  .key = "I",
	  .panel = PANEL(iterations_panel_ops),
	  .one_or_two = true,
	  .tab_in_front = true,
	  .manual =
		  "A heat map, ranks by iterations: work (the time that is not waiting), waiting, "
		  "waiting that the rank caused, duration, messages and bytes sent; Tab changes "
		  "between them. A cell of several iterations or ranks shows the largest. The "
		  "sentences above say which rank is always slow, or whether it is another one "
		  "each time, a few iterations, or scatter. H goes to the largest value, ( and ) "
		  "to longer and shorter iterations, Enter to the iteration in the timeline.",
	  .help = "work, waiting and messages of each iteration and rank",
	  .table = iterations_table_new,
	  .text = iterations_text,
	  .text_has_columns = true,
	  .columns =
		  "iteration, rank, begin_s, end_s, work_s, waiting_s, caused_s, messages, bytes, "
		  "level, thread. A row for each iteration and rank, by iteration. Work is the "
		  "time that is not waiting, in MPI or not recorded, too; caused_s is waiting of "
		  "any rank that is "
		  "charged to this one in this iteration; messages and their bytes are those sent. "
		  "With --by level the levels of iterations that were found, the outermost first: "
		  "level, iterations, shown, similar, cover, visits, warm_up, anchor, file, line "
		  "(doc/patterns.md); --level chooses one for the rows. Of two traces (OLD TRACE): "
		  "iteration, rank, then each quantity old and new; says: its work is more, "
		  "less, or differs by noise; new and gone: iterations of one run alone." },
	{ .name = "source",
	  .title = "Source",
	  .brief = "Src",
	  .key = "i",
	  .help = "source lines with the time spent in each",
	  .panel = PANEL(source_panel_ops),
	  .tab_in_front = true,
	  .without_events = true,
	  .export_name = "lines",
	  .table = lines_table_new },
	{ .name = "findings",
	  .help = "damage, guesses, deviations and notes",
	  .without_events = true,
	  .table = findings_table_new },
	{ .name = "definitions",
	  .help = "sizes, properties, locations and communicators of the trace",
	  .without_events = true,
	  .table = definitions_table_new },
};

const struct view_registry all_views = { rows, ARRAY_SIZE(rows) };
