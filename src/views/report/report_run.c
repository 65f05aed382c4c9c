/* report_run: the sections of a report that say what the run is, where its time went, and what was
 * exchanged. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "views/facts/sizes.h"
#include "views/facts/timeline_shade.h"
#include "views/query/view_common.h"
#include "views/report/report_parts.h"

/* ---- what is traced ---- */

static int compare_ids(const void *pa, const void *pb)
{
	const uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return (a > b) - (a < b);
}

/* Different names of nodes among the chosen locations; 0 when one is unknown. */
static uint32_t count_nodes(const struct query *query)
{
	const uint32_t n = query_location_count(query);
	uint32_t *nodes = xcalloc(n, sizeof *nodes);
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		nodes[i] = trace_location(query->trace, query_location(query, i))->node;
	qsort(nodes, n, sizeof *nodes, compare_ids);
	for (uint32_t i = 0; i < n; i++)
		if (!i || nodes[i] != nodes[i - 1])
			count++;
	if (n && nodes[0] == 0)
		count = 0;
	free(nodes);
	return count;
}

static void write_title(struct report_writer *w)
{
	const struct trace *trace = w->query->trace;
	const char *path = trace_path(trace), *slash = strrchr(path, '/');
	const uint32_t nodes = count_nodes(w->query);
	struct str s = STR_INIT;

	str_add_fmt(&s, "%s: ", slash && slash[1] ? slash + 1 : path);
	report_add_count(&s, w->facts->locations, "location", "locations");
	if (nodes) {
		str_add(&s, " on ");
		report_add_count(&s, nodes, "node", "nodes");
	}
	str_add(&s, ", ");
	report_add_time(w, &s, w->facts->t1 - w->facts->t0);
	str_add(&s, ", ");
	report_add_count(&s, w->facts->events, "event", "events");
	if (!query_is_whole(w->query)) {
		str_add(&s, ", from ");
		report_add_time(w, &s, w->facts->t0);
	}
	report_title(w->report, s.text);
	report_put_real(w->section, "nodes", REPORT_COUNT, nodes ? (double)nodes : (double)NAN);
	if (trace_partial(trace)->is) {
		str_clear(&s);
		str_add_fmt(&s, "This is a part of the trace: %s.", trace_partial(trace)->text);
		report_line(w->section, TEXT_WARNING, NULL, s.text);
	}
	str_fini(&s);
}

/* "mpiexec -n 4 ./ring, on node1, 2026-11-21, MPICH 4.0": what the trace says of its run. */
static void write_run(const struct report_writer *w)
{
	static const char *const keys[] = { "command", "host", "hosts", "date", "mpi" };
	struct str s = STR_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *value = trace_property_value(w->query->trace, keys[i]);
		if (value && *value)
			str_add_fmt(&s, "%s%s", s.n ? ", " : "", value);
	}
	if (s.n)
		report_line(w->section, TEXT_MUTED, "definitions", s.text);
	str_fini(&s);
}

/* ---- time by class ---- */

static void write_classes(const struct report_writer *w)
{
	static const char *const keys[CLASS_COUNT] = {
		"user", "p2p", "collective", "sync", "io", "mpi_other", "measurement", "not_traced",
	};
	struct str s = STR_INIT;

	for (int c = 0; c < CLASS_COUNT && w->facts->whole > 0; c++) {
		const __int128 ticks = w->facts->by_class[c];
		report_put_real(w->section, keys[c], REPORT_SHARE, report_share_of(w, ticks));
		if (ticks <= 0 || report_share_of(w, ticks) < 0.0005)
			continue;
		str_clear(&s);
		str_add_fmt(&s, "%-16s %5.1f %%", timeline_state_title((unsigned)c),
			    100 * report_share_of(w, ticks));
		report_bar(w->section, (enum text_role)(TEXT_CLASS + c), "profile",
			   report_share_of(w, ticks), s.text);
	}
	str_fini(&s);
}

/* ---- regions ---- */

static void write_regions(const struct report_writer *w)
{
	const struct overview_facts *f = w->facts;
	struct str s = STR_INIT;

	if (f->top[0] == UINT32_MAX)
		return;
	str_add(&s, "The region that takes most is ");
	report_add_region(w, &s, f->top[0]);
	report_add_source(w, &s, f->top[0]);
	str_add(&s, ": ");
	report_add_share(w, &s, f->top_exclusive[0]);
	str_add(&s, " of all time in ");
	report_add_count(&s, f->top_count, "visit", "visits");
	for (size_t i = 1; i < ARRAY_SIZE(f->top) && f->top[i] != UINT32_MAX; i++) {
		str_add(&s, i == 1 ? "; then " : ", ");
		report_add_region(w, &s, f->top[i]);
		str_add_char(&s, ' ');
		report_add_share(w, &s, f->top_exclusive[i]);
	}
	str_add_char(&s, '.');
	if (report_share_of(w, f->in_no_region) >= 0.05) {
		str_add_char(&s, ' ');
		report_add_share(w, &s, f->in_no_region);
		str_add(&s, " lies between the recorded calls, in no region.");
	}
	if (report_share_of(w, f->start_and_end) >= 0.05) {
		str_add(&s, " Starting and ending MPI takes ");
		report_add_share(w, &s, f->start_and_end);
		str_add_char(&s, '.');
	}
	report_line(w->section, TEXT_PLAIN, "profile", s.text);
	if (f->locations > 1 && f->top_location != UINT32_MAX) {
		const double mean = (double)f->top_exclusive[0] / f->locations;
		const double ratio = (double)f->top_location_time / mean;
		if (ratio > 1.05 || ratio < 0.95) {
			str_clear(&s);
			str_add(&s, "In it ");
			report_add_location(w, &s, f->top_location);
			str_add_fmt(&s, " spends %.2f times the mean of all locations: ", ratio);
			report_add_time(w, &s, f->top_location_time);
			str_add(&s, ", not ");
			report_add_time(w, &s, (int64_t)mean);
			str_add_char(&s, '.');
			report_line(w->section, TEXT_PLAIN, "timeline", s.text);
		}
	}
	str_fini(&s);
}

/* ---- what was exchanged ---- */

static void write_messages(const struct report_writer *w)
{
	const struct overview_facts *f = w->facts;
	struct str s = STR_INIT;

	if (!f->messages) {
		str_add(&s, "There are no messages.");
	} else {
		report_add_count(&s, f->messages, "message", "messages");
		if (f->bytes_known) {
			str_add(&s, " with ");
			units_bytes(&s, f->bytes);
			str_add(&s, f->messages == 1 ? "" : " in all, the largest ");
			if (f->messages > 1)
				units_bytes(&s, f->largest);
		}
		if (f->unmatched) {
			str_add(&s, "; ");
			units_count(&s, f->unmatched);
			str_add(&s, f->unmatched == 1 ? " of them lacks its other end"
						      : " of them lack their other end");
		}
		str_add_char(&s, '.');
	}
	report_line(w->section, TEXT_PLAIN, "messages", s.text);
	str_fini(&s);
}

static void write_collectives(const struct report_writer *w)
{
	const struct trace *trace = w->query->trace;
	const struct overview_facts *f = w->facts;
	const struct collective *slowest;
	struct str s = STR_INIT;

	if (!f->collectives)
		return;
	slowest = trace_collective(trace, f->slowest);
	report_add_count(&s, f->collectives, "collective operation", "collective operations");
	str_add(&s, f->collectives == 1 ? ": " : "; the longest is ");
	report_add_region(w, &s, slowest->region);
	str_add(&s, " of ");
	report_add_count(&s, slowest->members, "rank", "ranks");
	str_add(&s, " with ");
	report_add_time(w, &s, f->slowest_time);
	if (f->incomplete) {
		str_add(&s, "; ");
		units_count(&s, f->incomplete);
		str_add(&s, f->incomplete == 1 ? " lacks members" : " lack members");
	}
	str_add_char(&s, '.');
	report_line(w->section, TEXT_PLAIN, "collectives", s.text);
	str_fini(&s);
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
	w->section = report_section(w->report, "time", "Where the time went");
	write_classes(w);
	write_regions(w);
}

/* Of the whole run, whatever the window is. */
void report_sizes(struct report_writer *w)
{
	struct graph_sizes sizes;
	struct str s = STR_INIT;

	if (!sizes_make(&sizes, w->query, w->wait))
		return;
	report_put_real(w->section, "event_bytes", REPORT_COUNT, (double)sizes.event_bytes);
	report_put_real(w->section, "records", REPORT_COUNT, (double)sizes.records);
	report_put_real(w->section, "record_bytes", REPORT_COUNT, (double)sizes.record_bytes);
	sizes_words(&sizes, &s);
	if (sizes.events || sizes.records)
		report_line(w->section, TEXT_PLAIN, "graph", s.text);
	str_fini(&s);
}

void report_data(struct report_writer *w)
{
	const struct overview_facts *f = w->facts;

	w->section = report_section(w->report, "data", "What was exchanged");
	report_put_real(w->section, "messages", REPORT_COUNT, (double)f->messages);
	report_put_real(w->section, "bytes", REPORT_COUNT, f->bytes_known ? (double)f->bytes : NAN);
	report_put_real(w->section, "unmatched", REPORT_COUNT, (double)f->unmatched);
	report_put_real(w->section, "collectives", REPORT_COUNT, (double)f->collectives);
	report_put_real(w->section, "incomplete", REPORT_COUNT, (double)f->incomplete);
	write_messages(w);
	write_collectives(w);
	report_sizes(w);
}
