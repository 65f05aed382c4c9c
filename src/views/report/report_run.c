/* report_run: the sections of a report on the run, the time by class and region, and
 * communication. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "model/trace/crowd.h"
#include "views/facts/lacks.h"
#include "views/facts/sample_sums.h"
#include "views/facts/sizes.h"
#include "views/facts/timeline_shade.h"
#include "views/query/view_common.h"
#include "views/report/report_parts.h"

/* ---- the run ---- */

ORDERING_OF_NUMBERS(compare_ids, uint32_t)

/* Number of nodes of the chosen locations; 0 if one is unknown. */
static uint32_t count_nodes(const struct query *query)
{
	const uint32_t n = query_location_count(query);
	OWNED uint32_t *nodes = xcalloc(n, sizeof *nodes);
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		nodes[i] = trace_location(query->trace, query_location(query, i))->node;
	SORT(nodes, n, compare_ids);
	for (uint32_t i = 0; i < n; i++)
		if (!i || nodes[i] != nodes[i - 1])
			count++;
	if (n && nodes[0] == 0)
		count = 0;
	return count;
}

static const char *whole_span(const struct report_writer *w)
{
	const int64_t t0 = w->facts->t0, t1 = w->facts->t1;

	return query_is_whole(w->query) ? lacks_span(w->p, t0, t1)
					: phrase_time(w->p, (double)(t1 - t0));
}

static void write_title(struct report_writer *w)
{
	const struct trace *trace = w->query->trace;
	const uint32_t nodes = count_nodes(w->query), cores = trace_crowd(trace).cores;

	report_title(w->report,
		     phrase(w->p, "%s: %s%s, %s, %s%s", phrase_trace(w->p),
			    phrase_members(w->p, w->query->locations, w->facts->locations),
			    nodes ? phrase(w->p, " on %s",
					   phrase_count(w->p, nodes, "node", "nodes"))
				  : "",
			    whole_span(w), phrase_count(w->p, w->facts->events, "event", "events"),
			    query_is_whole(w->query)
				    ? ""
				    : phrase(w->p, ", from %s",
					     phrase_time(w->p, (double)w->facts->t0))));
	report_put_real(w->section, "nodes", REPORT_COUNT, nodes ? (double)nodes : (double)NAN);
	report_put_real(w->section, "cores", REPORT_COUNT, cores ? (double)cores : (double)NAN);
	if (trace_partial(trace)->is)
		report_say(w->section, TEXT_WARNING, NULL, "This is a part of the trace: %s.",
			   trace_partial(trace)->text);
}

/* "MPICH Version:      4.2.1" -> "MPICH 4.2.1". */
static const char *without_version(struct phrases *p, const char *mpi)
{
	static const char word[] = "Version:";
	const char *at = strstr(mpi, word), *version = at ? at + sizeof word - 1 : NULL;

	return at ? phrase(p, "%.*s%s", (int)(at - mpi), mpi, version + strspn(version, " ")) : mpi;
}

/* "mpiexec -n 4 ./ring, on node1, 2026-11-21, MPICH 4.0": the run's own description. */
static void write_run(const struct report_writer *w)
{
	static const char *const keys[] = { "command", "host", "hosts", "date", "mpi" };
	OWNED_STR s = STR_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *value = trace_property_value(w->query->trace, keys[i]);
		if (value && *value)
			str_add_fmt(&s, "%s%s", s.n ? ", " : "",
				    without_version(w->p, phrase_date(w->p, value)));
	}
	if (s.n)
		report_line(w->section, TEXT_MUTED, "definitions", s.text);
}

/* ---- time by class ---- */

/* The longest bar first. */
static void write_classes(const struct report_writer *w)
{
	static const char *const keys[CLASS_COUNT] = {
		[CLASS_USER] = "user",
		[CLASS_P2P] = "p2p",
		[CLASS_COLLECTIVE] = "collective",
		[CLASS_SYNC] = "sync",
		[CLASS_RMA] = "rma",
		[CLASS_IO] = "io",
		[CLASS_START_END] = "startend",
		[CLASS_MPI_OTHER] = "mpi_other",
		[CLASS_DEVICE] = "device",
		[CLASS_OVERHEAD] = "measurement",
		[CLASS_OUTSIDE] = "not_traced",
	};
	bool written[CLASS_COUNT] = { false };

	for (int c = 0; c < CLASS_COUNT && w->facts->whole > 0; c++)
		report_put_real(w->section, keys[c], REPORT_SHARE,
				report_share_of(w, (double)w->facts->by_class[c]));
	for (;;) {
		int most = -1;
		double share;

		for (int c = 0; c < CLASS_COUNT; c++)
			if (!written[c] &&
			    (most < 0 || w->facts->by_class[c] > w->facts->by_class[most]))
				most = c;
		if (most < 0 ||
		    (share = report_share_of(w, (double)w->facts->by_class[most])) < 0.0005)
			return;
		written[most] = true;
		report_bar(w->section, (enum text_role)(TEXT_CLASS + most), "profile", share,
			   phrase(w->p, "%-17s %5.1f %%", timeline_state_title((unsigned)most),
				  100 * share));
	}
}

/* ---- regions ---- */

/* How ranks differ in a function; NULL: that was not judged. */
static const struct imbalance *imbalance_in(const struct report_writer *w, uint32_t region)
{
	const struct diagnosis *d = w->diagnosis;

	for (uint32_t i = 0; w->found == DIAGNOSIS_THERE && i < d->n_imbalance; i++)
		if (d->imbalance[i].region == region)
			return &d->imbalance[i];
	return NULL;
}

/* Whether that is by chance alone, as far as is known. */
static bool is_noise(const struct report_writer *w, uint32_t region)
{
	const struct diagnosis *d = w->diagnosis;
	const bool user = trace_region(w->query->trace, region)->cls == CLASS_USER;
	const struct imbalance *of = imbalance_in(w, region);
	bool above = false;

	if (w->found == DIAGNOSIS_NONE)
		return false;
	/* Not known yet. */
	if (w->found != DIAGNOSIS_THERE)
		return true;
	if (user && of)
		return !imbalance_is_above(of);
	for (uint32_t i = 0; i < d->n_imbalance; i++)
		above = above || imbalance_is_above(&d->imbalance[i]);
	/* Time inside MPI differs by what ranks do elsewhere, or by what a cause is. */
	return !user && !above && !(d->names.n && d->names.of[0].kind != CAUSE_MACHINE);
}

/* The time of a location in the first region, and of the average one. */
struct region_deviation {
	uint32_t location;
	double one, mean;
	const char *core; /* what is left out */
};

static struct region_deviation deviation_of(const struct report_writer *w)
{
	const struct overview_facts *f = w->facts;
	const struct imbalance *of = imbalance_in(w, f->top[0]);

	/* With waits for a core it may be another one. */
	if (of && of->core >= 0 && of->mean > 0)
		return (struct region_deviation){ of->farthest, of->mean + of->deviation, of->mean,
						  of->farthest == of->location
							  ? report_core_text(w->p, of)
							  : "" };
	return (struct region_deviation){ f->top_location, (double)f->top_location_time,
					  (double)f->top_exclusive[0] / f->locations, "" };
}

static void write_deviation(const struct report_writer *w)
{
	const struct overview_facts *f = w->facts;
	struct phrases *p = w->p;
	struct region_deviation of;
	struct report_line *line;
	const char *how, *in;
	double ratio;

	if (f->locations < 2 || f->top_location == UINT32_MAX || is_noise(w, f->top[0]))
		return;
	in = phrase_region(p, f->top[0]);
	if ((double)f->top_location_time > 0.999 * (double)f->top_exclusive[0]) {
		report_about(report_say(w->section, TEXT_PLAIN, "timeline",
					"Only %s spends time in %s.",
					phrase_location(p, f->top_location), in),
			     CUBE_NONE, f->top[0], UINT32_MAX, f->top_location);
		return;
	}
	of = deviation_of(w);
	ratio = of.one / of.mean;
	if (ratio < 1.05 && ratio > 0.95)
		return;
	how = ratio < 0.005 ? phrase(p, "almost no time in %s", in)
	      : ratio < 2   ? phrase(p, "%.0f %% %s time in %s than the average %s",
				     100 * fabs(ratio - 1), ratio < 1 ? "less" : "more", in,
				     phrase_member(p))
			  : phrase(p, "%.1f times as much time in %s as the average %s", ratio, in,
				   phrase_member(p));
	line = report_say(w->section, TEXT_PLAIN, "timeline", "%s spends %s (%s, average %s%s).",
			  phrase_capital(p, phrase_location(p, of.location)), how,
			  phrase_time(p, of.one), phrase_time(p, of.mean), of.core);
	line->severity = f->whole > 0 ? fabs(of.one - of.mean) / (double)f->whole : 0;
	report_about(line, CUBE_NONE, f->top[0], UINT32_MAX, of.location);
}

static int by_time(const void *a, const void *b)
{
	const struct sample_sum *x = a, *y = b;

	ORDER_BY(y->time, x->time);
	return ORDER(x->region, y->region);
}

/* The functions in which most of the time was sampled. */
static void write_samples(const struct report_writer *w)
{
	enum { NAMED = 3 };
	OWNED uint32_t *locations = query_by_rank(w->query);
	struct sample_sums sums;
	OWNED_STR s = STR_INIT;

	if (!trace_has_detail(w->query->trace, DETAIL_SAMPLE))
		return;
	sample_sums_make(&sums, w->query, locations, query_location_count(w->query),
			 SAMPLES_BY_REGION, trace_exchange(w->query->trace));
	vec_sort(&sums.rows, by_time);
	for (size_t i = 0; i < sums.rows.n && i < NAMED; i++) {
		const struct sample_sum *row = &sums.rows.data[i];
		if (row->time > 0)
			str_add_fmt(&s, "%s%s%s ~%s", s.n ? ", " : "",
				    phrase_region(w->p, row->region), report_source(w, row->region),
				    report_share(w, row->time));
	}
	if (s.n)
		report_say(w->section, TEXT_PLAIN, "profile",
			   "Most time between calls of MPI, by samples: %s.", s.text);
	sample_sums_fini(&sums);
}

static void write_regions(const struct report_writer *w)
{
	const struct overview_facts *f = w->facts;
	OWNED_STR s = STR_INIT;

	if (f->top[0] != UINT32_MAX) {
		str_add_fmt(&s, "Most time: %s%s, %s of total time", phrase_region(w->p, f->top[0]),
			    report_source(w, f->top[0]),
			    report_share(w, (double)f->top_exclusive[0]));
		/* A visit counts where it begins: none may, in a window inside of all. */
		if (f->top_count)
			str_add_fmt(&s, " in %s",
				    phrase_count(w->p, f->top_count, "visit", "visits"));
		for (size_t i = 1; i < ARRAY_SIZE(f->top) && f->top[i] != UINT32_MAX; i++)
			str_add_fmt(&s, "%s%s %s", i == 1 ? "; then " : ", ",
				    phrase_region(w->p, f->top[i]),
				    report_share(w, (double)f->top_exclusive[i]));
		str_add_char(&s, '.');
	}
	if (report_share_of(w, (double)f->in_no_region) >= 0.05)
		str_add_fmt(&s, "%s%s is spent outside all recorded functions.", s.n ? " " : "",
			    report_share(w, (double)f->in_no_region));
	if (s.n)
		report_about(report_line(w->section, TEXT_PLAIN, "profile", s.text), CUBE_NONE,
			     f->top[0], UINT32_MAX, UINT32_MAX);
	write_samples(w);
	if (f->top[0] != UINT32_MAX)
		write_deviation(w);
	if (w->found == DIAGNOSIS_THERE && isfinite(w->diagnosis->core.parallel) &&
	    report_share_of(w, (double)f->start_and_end) >= 0.05)
		report_say(w->section, TEXT_PLAIN, "timeline",
			   "Between MPI_Init and MPI_Finalize the program runs for %s.",
			   phrase_time(w->p, w->diagnosis->core.run_time));
}

/* ---- communication ---- */

static void write_messages(const struct report_writer *w)
{
	const struct overview_facts *f = w->facts;
	struct phrases *p = w->p;
	const char *size = "", *unmatched = "";
	const bool more = lacks_hidden(w->query->trace) & LACK_HIDES_MESSAGES;

	if (!f->messages) {
		report_say(w->section, TEXT_PLAIN, "messages", "%s%s.",
			   more ? "No messages were recorded" : "There are no messages",
			   f->copies ? phrase(p, "; devices copy data %s",
					      phrase_count(p, f->copies, "time", "times"))
				     : "");
		return;
	}
	if (f->bytes_known && f->messages == 1)
		size = phrase(p, ", %s", phrase_bytes(p, f->bytes));
	else if (f->bytes_known)
		size = phrase(p, ", %s in total; the largest has %s", phrase_bytes(p, f->bytes),
			      phrase_bytes(p, f->largest));
	if (f->unmatched)
		unmatched =
			phrase(p, "; %s %s no matching send or receive",
			       phrase_number(p, f->unmatched), f->unmatched == 1 ? "has" : "have");
	report_say(w->section, TEXT_PLAIN, "messages", "%s%s%s%s.",
		   phrase_count(p, f->messages, "message", "messages"), size, unmatched,
		   more ? "; not all were recorded" : "");
}

static void write_collectives(const struct report_writer *w)
{
	const struct overview_facts *f = w->facts;
	struct phrases *p = w->p;

	if (!f->collectives)
		return;
	report_say(w->section, TEXT_PLAIN, "collectives", "%s; %s took %s (%s, %s)%s.",
		   phrase_count(p, f->collectives, "collective", "collectives"),
		   f->collectives == 1 ? "it" : "the longest",
		   phrase_time(p, (double)f->slowest_time), phrase_region(p, f->slowest_region),
		   phrase_count(p, f->slowest_members, "rank", "ranks"),
		   f->incomplete ? phrase(p, "; %s %s incomplete", phrase_number(p, f->incomplete),
					  f->incomplete == 1 ? "is" : "are")
				 : "");
}

/* ---- sections ---- */

void report_run(struct report_writer *w)
{
	const struct query *query = w->query;

	w->section = report_section(w->report, "run", "");
	report_put_text(w->section, "trace", trace_path(query->trace));
	report_put_text(w->section, "command", trace_property_value(query->trace, "command"));
	report_put_real(w->section, "locations", REPORT_COUNT, w->facts->locations);
	report_put_real(w->section, "events", REPORT_COUNT, (double)w->facts->events);
	report_put_real(w->section, "from", REPORT_SECONDS,
			report_seconds(w, (double)w->facts->t0));
	report_put_real(w->section, "length", REPORT_SECONDS,
			report_seconds(w, (double)(w->facts->t1 - w->facts->t0)));
	report_put_text(w->section, "base", time_base_name(query->base));
	write_title(w);
	write_run(w);
}

void report_time(struct report_writer *w)
{
	const struct overview_facts *f = w->facts;

	w->section = report_section(w->report, "time",
				    phrase(w->p, "Where the time went (%s x %s)",
					   phrase_count(w->p, f->locations, phrase_member(w->p),
							phrase(w->p, "%ss", phrase_member(w->p))),
					   phrase_time(w->p, (double)(f->t1 - f->t0))));
	write_classes(w);
	write_regions(w);
	report_devices(w);
	report_crowd(w);
}

/* For scripts: the page has no room for sizes. */
void report_sizes(struct report_writer *w)
{
	struct graph_sizes sizes;

	if (!w->report->sizes || !sizes_make(&sizes, w->query, w->wait))
		return;
	report_put_real(w->section, "event_bytes", REPORT_COUNT, (double)sizes.event_bytes);
	report_put_real(w->section, "records", REPORT_COUNT, (double)sizes.records);
	report_put_real(w->section, "record_bytes", REPORT_COUNT, (double)sizes.record_bytes);
}

void report_data(struct report_writer *w)
{
	const struct overview_facts *f = w->facts;

	w->section = report_section(w->report, "data", "Communication");
	report_put_real(w->section, "messages", REPORT_COUNT, (double)f->messages);
	report_put_real(w->section, "bytes", REPORT_COUNT, f->bytes_known ? (double)f->bytes : NAN);
	report_put_real(w->section, "unmatched", REPORT_COUNT, (double)f->unmatched);
	report_put_real(w->section, "collectives", REPORT_COUNT, (double)f->collectives);
	report_put_real(w->section, "incomplete", REPORT_COUNT, (double)f->incomplete);
	write_messages(w);
	write_collectives(w);
	report_sizes(w);
}
