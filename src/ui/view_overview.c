/* view_overview: what a person sees first: where the time went, what waits on what, what was
 * exchanged, and how far the numbers can be trusted. Sentences with numbers, at most twenty lines
 * of eighty columns. */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ui/corrections_facts.h"
#include "ui/overview_facts.h"
#include "ui/table_list.h"
#include "ui/theme.h"
#include "ui/view_common.h"

struct writer {
	struct overview *overview;
	const struct query *query;
	const struct overview_facts *facts;
};

static struct overview_line *add_line(struct overview *overview, enum role role, const char *view,
				      const struct str *text)
{
	struct overview_line *line;

	if (overview->n == ARRAY_SIZE(overview->lines))
		return NULL;
	line = &overview->lines[overview->n++];
	line->role = (uint8_t)role;
	line->view = view;
	line->share = -1;
	str_clean(line->text, sizeof line->text, text->text, text->n);
	return line;
}

/* A sentence, broken into lines of LINE_COLUMNS at blanks. */
enum { LINE_COLUMNS = 78 };

/* A number and its unit stay on one line. */
static bool breaks_at(const char *text, const char *blank)
{
	const bool number = blank > text && blank[-1] >= '0' && blank[-1] <= '9';

	return !number || strcspn(blank + 1, " ,;.:)") > 3;
}

static void add_text(struct overview *overview, enum role role, const char *view,
		     const struct str *text)
{
	struct str clean = STR_INIT, line = STR_INIT;
	const char *p;

	str_add_clean(&clean, text->text, text->n);
	for (p = clean.text; *p; p += strspn(p, " ")) {
		size_t n = text_fit(p, LINE_COLUMNS - (p == clean.text ? 0 : 2));
		if (p[n]) {
			const size_t all = n;
			while (n && !(p[n] == ' ' && breaks_at(p, p + n)))
				n--;
			if (!n)
				n = all;
		}
		str_clear(&line);
		str_add(&line, p == clean.text ? "" : "  ");
		str_add_n(&line, p, n);
		add_line(overview, role, view, &line);
		p += n;
	}
	str_fini(&line);
	str_fini(&clean);
}

static void blank(struct overview *overview)
{
	const struct str nothing = STR_INIT;

	add_line(overview, ROLE_DEFAULT, NULL, &nothing);
}

/* ---- words ---- */

static void add_count(struct str *s, uint64_t n, const char *one, const char *many)
{
	units_count(s, n);
	str_add_fmt(s, " %s", n == 1 ? one : many);
}

static void add_time(const struct writer *w, struct str *s, int64_t ticks)
{
	units_human_time(s, ticks, trace_scale(w->query->trace), 3);
}

static double share_of(const struct writer *w, __int128 ticks)
{
	return w->facts->whole > 0 ? (double)ticks / (double)w->facts->whole : 0;
}

static void add_share(const struct writer *w, struct str *s, __int128 ticks)
{
	str_add_fmt(s, "%.1f %%", 100 * share_of(w, ticks));
}

static void add_region(const struct writer *w, struct str *s, uint32_t region)
{
	str_add(s, trace_region_name(w->query->trace, region));
}

static void add_location(const struct writer *w, struct str *s, uint32_t location)
{
	str_add(s, trace_string(w->query->trace, trace_location(w->query->trace, location)->name));
}

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

static void write_title(const struct writer *w)
{
	const struct trace *trace = w->query->trace;
	const char *path = trace_path(trace), *slash = strrchr(path, '/');
	const uint32_t nodes = count_nodes(w->query);
	struct str s = STR_INIT;

	str_add_fmt(&s, "%s: ", slash && slash[1] ? slash + 1 : path);
	add_count(&s, w->facts->locations, "location", "locations");
	if (nodes) {
		str_add(&s, " on ");
		add_count(&s, nodes, "node", "nodes");
	}
	str_add(&s, ", ");
	add_time(w, &s, w->facts->t1 - w->facts->t0);
	str_add(&s, ", ");
	add_count(&s, w->facts->events, "event", "events");
	if (!query_is_whole(w->query)) {
		str_add(&s, ", from ");
		add_time(w, &s, w->facts->t0);
	}
	add_text(w->overview, ROLE_TITLE, "timeline", &s);
	if (trace_partial(trace)->is) {
		str_clear(&s);
		str_add_fmt(&s, "This is a part of the trace: %s.", trace_partial(trace)->text);
		add_text(w->overview, ROLE_WARNING, NULL, &s);
	}
	str_fini(&s);
}

/* "mpiexec -n 4 ./ring, on node1, 2026-11-21, MPICH 4.0": what the trace says of its run. */
static void write_run(const struct writer *w)
{
	static const char *const keys[] = { "command", "host", "hosts", "date", "mpi" };
	struct str s = STR_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *value = trace_property_value(w->query->trace, keys[i]);
		if (value && *value)
			str_add_fmt(&s, "%s%s", s.n ? ", " : "", value);
	}
	if (s.n)
		add_text(w->overview, ROLE_MUTED, "definitions", &s);
	str_fini(&s);
}

/* ---- time by class ---- */

static const char *class_label(int cls)
{
	static const char *const labels[CLASS_COUNT] = {
		[CLASS_USER] = "user code",
		[CLASS_P2P] = "point-to-point",
		[CLASS_COLLECTIVE] = "collectives",
		[CLASS_SYNC] = "synchronisation",
		[CLASS_IO] = "file I/O",
		[CLASS_MPI_OTHER] = "other MPI",
		[CLASS_OVERHEAD] = "measurement",
		[CLASS_OUTSIDE] = "not traced",
	};

	return labels[cls];
}

static void write_classes(const struct writer *w)
{
	struct str s = STR_INIT;

	if (w->facts->whole <= 0)
		return;
	blank(w->overview);
	for (int c = 0; c < CLASS_COUNT; c++) {
		const __int128 ticks = w->facts->by_class[c];
		struct overview_line *line;
		if (ticks <= 0 || share_of(w, ticks) < 0.0005)
			continue;
		str_clear(&s);
		str_add_fmt(&s, "%-16s %5.1f %%", class_label(c), 100 * share_of(w, ticks));
		line = add_line(w->overview, (enum role)(ROLE_CLASS_FIRST + c), "profile", &s);
		if (line)
			line->share = share_of(w, ticks);
	}
	blank(w->overview);
	str_fini(&s);
}

/* ---- regions ---- */

static void add_source(const struct writer *w, struct str *s, uint32_t id)
{
	const struct region *region = trace_region(w->query->trace, id);

	if (region->file && region->line) /* "MPI" alone is where Score-P has it from */
		str_add_fmt(s, " (%s:%u)", trace_string(w->query->trace, region->file),
			    region->line);
}

static void write_regions(const struct writer *w)
{
	const struct overview_facts *f = w->facts;
	struct str s = STR_INIT;

	if (f->top[0] == UINT32_MAX)
		return;
	str_add(&s, "The region that takes most is ");
	add_region(w, &s, f->top[0]);
	add_source(w, &s, f->top[0]);
	str_add(&s, ": ");
	add_share(w, &s, f->top_exclusive[0]);
	str_add(&s, " of all time in ");
	add_count(&s, f->top_count, "visit", "visits");
	for (size_t i = 1; i < ARRAY_SIZE(f->top) && f->top[i] != UINT32_MAX; i++) {
		str_add(&s, i == 1 ? "; then " : ", ");
		add_region(w, &s, f->top[i]);
		str_add_char(&s, ' ');
		add_share(w, &s, f->top_exclusive[i]);
	}
	str_add_char(&s, '.');
	if (share_of(w, f->in_no_region) >= 0.05) {
		str_add_char(&s, ' ');
		add_share(w, &s, f->in_no_region);
		str_add(&s, " lies between the recorded calls, in no region.");
	}
	if (share_of(w, f->start_and_end) >= 0.05) {
		str_add(&s, " Starting and ending MPI takes ");
		add_share(w, &s, f->start_and_end);
		str_add_char(&s, '.');
	}
	add_text(w->overview, ROLE_DEFAULT, "profile", &s);
	if (f->locations > 1 && f->top_location != UINT32_MAX) {
		const double mean = (double)f->top_exclusive[0] / f->locations;
		const double ratio = (double)f->top_location_time / mean;
		if (ratio > 1.05 || ratio < 0.95) {
			str_clear(&s);
			str_add(&s, "In it ");
			add_location(w, &s, f->top_location);
			str_add_fmt(&s, " spends %.2f times the mean of all locations: ", ratio);
			add_time(w, &s, f->top_location_time);
			str_add(&s, ", not ");
			add_time(w, &s, (int64_t)mean);
			str_add_char(&s, '.');
			add_text(w->overview, ROLE_DEFAULT, "timeline", &s);
		}
	}
	str_fini(&s);
}

/* ---- waiting ---- */

static void write_wait(const struct writer *w, const struct waiting *wait, const char *what,
		       const char *view)
{
	struct str s = STR_INIT;

	if (wait->sum <= 0)
		return;
	str_add_fmt(&s, "%s: ", what);
	add_time(w, &s, wait->sum);
	str_add(&s, ", ");
	add_share(w, &s, wait->sum);
	str_add(&s, " of all time");
	if (wait->region != UINT32_MAX) {
		str_add(&s, ", most in ");
		add_region(w, &s, wait->region);
	}
	if (wait->location != UINT32_MAX && w->facts->locations > 1) {
		str_add(&s, " and on ");
		add_location(w, &s, wait->location);
		str_add(&s, " (");
		add_time(w, &s, wait->most);
		str_add_char(&s, ')');
	}
	str_add_char(&s, '.');
	add_text(w->overview, share_of(w, wait->sum) >= 0.05 ? ROLE_WAIT : ROLE_DEFAULT, view, &s);
	str_fini(&s);
}

/* ---- what was exchanged ---- */

static void write_messages(const struct writer *w)
{
	const struct overview_facts *f = w->facts;
	struct str s = STR_INIT;

	if (!f->messages) {
		str_add(&s, "There are no messages.");
	} else {
		add_count(&s, f->messages, "message", "messages");
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
	add_text(w->overview, ROLE_DEFAULT, "messages", &s);
	str_fini(&s);
}

static void write_collectives(const struct writer *w)
{
	const struct trace *trace = w->query->trace;
	const struct overview_facts *f = w->facts;
	const struct collective *slowest;
	struct str s = STR_INIT;

	if (!f->collectives)
		return;
	slowest = trace_collective(trace, f->slowest);
	add_count(&s, f->collectives, "collective operation", "collective operations");
	str_add(&s, f->collectives == 1 ? ": " : "; the longest is ");
	add_region(w, &s, slowest->region);
	str_add(&s, " of ");
	add_count(&s, slowest->members, "rank", "ranks");
	str_add(&s, " with ");
	add_time(w, &s, f->slowest_time);
	if (f->incomplete) {
		str_add(&s, "; ");
		units_count(&s, f->incomplete);
		str_add(&s, f->incomplete == 1 ? " lacks members" : " lack members");
	}
	str_add_char(&s, '.');
	add_text(w->overview, ROLE_DEFAULT, "collectives", &s);
	str_fini(&s);
}

/* ---- trust ---- */

/* "Times are linear (interpolated between clock offsets)". */
static void add_base(const struct writer *w, struct str *s)
{
	static const char *const means[BASE_COUNT] = {
		[BASE_LINEAR] = " (interpolated between clock offsets)",
		[BASE_FITTED] = " (clocks fitted to the messages)",
		[BASE_CLC] = " (moved by a logical clock)",
		[BASE_COMPENSATED] = " (without what measuring cost)",
		[BASE_LOWER] = " (without the most that measuring can have cost)",
		[BASE_UPPER] = " (without the least that measuring can have cost)",
	};
	const enum time_base base = w->query->base;

	str_add_fmt(s, "Times are %s%s", base == BASE_MEASURED ? "as " : "", time_base_name(base));
	if (means[base])
		str_add(s, means[base]);
	if (base == BASE_MEASURED && !trace_offset_count(w->query->trace) &&
	    w->facts->locations > 1)
		str_add(s, "; the trace holds no clock offsets");
}

/* What a correction has mended: false where there was nothing. */
static bool add_mended(const struct writer *w, struct str *s)
{
	const struct corrections *c = w->query->corrections;
	const struct corrected facts = corrected_of(w->query->trace, c);
	const enum time_base base = w->query->base;
	const struct check_sum *before, *now;

	if (!facts.check_before || base <= facts.before || !c->checked[base])
		return false;
	before = &facts.check_before->all;
	now = &c->check[base].all;
	if (!before->reversed)
		return false;
	str_add(s, ". Of ");
	add_count(s, before->messages, "message", "messages");
	str_add(s, " (of collectives, too) ");
	units_count(s, before->reversed);
	str_add_fmt(s, "%s received before sent in %s times, by up to ",
		    before->reversed == 1 ? " was" : " were", time_base_name(facts.before));
	add_time(w, s, before->worst);
	str_add(s, "; ");
	if (now->reversed)
		units_count(s, now->reversed);
	else
		str_add(s, "none");
	str_add(s, now->reversed > 1 ? " are now." : " is now.");
	return true;
}

static void write_times(const struct writer *w)
{
	const struct overview_facts *f = w->facts;
	struct str s = STR_INIT;

	add_base(w, &s);
	if (f->reversed) {
		str_add(&s, "; ");
		add_count(&s, f->reversed, "message is", "messages are");
		str_add(&s, " received before being sent, by up to ");
		add_time(w, &s, f->worst_reversed);
		str_add_char(&s, '.');
	} else if (add_mended(w, &s)) {
		/* a sentence of its own */
	} else if (f->messages > f->unmatched) {
		str_add(&s, "; no message is received before it is sent.");
	} else {
		str_add_char(&s, '.');
	}
	add_text(w->overview, f->reversed ? ROLE_WARNING : ROLE_DEFAULT,
		 w->query->corrections ? "corrections" : "findings", &s);
	str_fini(&s);
}

/* What the measurement cost, where it is known. */
static void write_overhead(const struct writer *w)
{
	const struct corrected facts = corrected_of(w->query->trace, w->query->corrections);
	const bool removed = w->query->base >= BASE_COMPENSATED;
	struct str s = STR_INIT;

	if (facts.overhead)
		str_add_fmt(&s, "Measuring took %.1f %% of the run (%.1f to %.1f %%)%s",
			    100 * facts.removed, 100 * facts.least, 100 * facts.largest,
			    removed ? ", which is taken out here."
				    : "; compensated times are without it.");
	else if (facts.trust == OVERHEAD_UNCLAIMED)
		str_add(&s, "Measuring took more than thirty times what is left: no claim about "
			    "the time without it.");
	if (s.n)
		add_text(w->overview, facts.trust == OVERHEAD_TRUSTED ? ROLE_DEFAULT : ROLE_WARNING,
			 "corrections", &s);
	str_fini(&s);
}

static void write_findings(const struct writer *w)
{
	const struct trace *trace = w->query->trace;
	const uint64_t damage = trace_finding_sum(trace, FINDING_DAMAGE);
	const uint64_t guesses = trace_finding_sum(trace, FINDING_GUESS);
	const uint64_t oddities = trace_finding_sum(trace, FINDING_ODDITY);
	struct str s = STR_INIT;

	if (damage) {
		add_count(&s, damage, "record", "records");
		str_add(&s, " could not be read");
	} else {
		str_add(&s, "Every record was read");
	}
	str_add(&s, "; ");
	if (guesses)
		add_count(&s, guesses, "thing", "things");
	else
		str_add(&s, "nothing");
	str_add(&s, " had to be guessed");
	if (oddities) {
		str_add(&s, "; ");
		add_count(&s, oddities, "oddity was", "oddities were");
		str_add(&s, " tolerated");
	}
	if (damage || guesses || oddities)
		str_add(&s, " (tview check)");
	str_add_char(&s, '.');
	add_text(w->overview,
		 damage    ? ROLE_ERROR
		 : guesses ? ROLE_WARNING
			   : ROLE_GOOD,
		 "findings", &s);
	if (w->query->filter) {
		str_clear(&s);
		str_add(&s, "The filter is not applied here: these are the numbers without it.");
		add_text(w->overview, ROLE_MUTED, NULL, &s);
	}
	str_fini(&s);
}

/* Ranks that did not come to their end: the sentences of the findings. */
static void write_ends(const struct writer *w)
{
	const struct trace *trace = w->query->trace;
	struct str s = STR_INIT;

	for (size_t i = 0; i < trace_finding_count(trace); i++) {
		const struct finding *f = trace_finding(trace, i);
		if (strcmp(f->code, "cut-off") != 0 && strcmp(f->code, "not-finalised") != 0)
			continue;
		str_clear(&s);
		str_add_char(&s, (char)toupper((unsigned char)f->text[0]));
		str_add_fmt(&s, "%s.", f->text + 1);
		add_text(w->overview, ROLE_WARNING, "findings", &s);
	}
	str_fini(&s);
}

void overview_make(struct overview *overview, const struct query *query)
{
	struct overview_facts *facts = xcalloc(1, sizeof *facts);
	const struct writer w = { overview, query, facts };

	memset(overview, 0, sizeof *overview);
	overview_facts_make(facts, query);
	write_title(&w);
	write_run(&w);
	write_classes(&w);
	write_regions(&w);
	write_wait(&w, &facts->late_sender, "Receives wait for late senders", "messages");
	write_wait(&w, &facts->collective, "Collectives wait for their last member", "collectives");
	write_messages(&w);
	write_collectives(&w);
	write_times(&w);
	write_overhead(&w);
	write_findings(&w);
	write_ends(&w);
	free(facts);
}

/* ---- as a table ---- */

struct overview_table {
	struct list_table list;
	struct overview overview;
};

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct overview_line *line = &((struct overview_table *)list)->overview.lines[item];

	v[0] = value_text(line->text);
	v[1] = (struct value){ .known = line->share >= 0, .real = line->share };
	v[2] = value_text(line->view);
}

struct table *overview_table_new(const struct query *query, struct err *err)
{
	static const struct column columns[] = {
		{ "text", "overview", COLUMN_TEXT, 0, true, true },
		{ "share", "share", COLUMN_SHARE, 8, true, true },
		{ "view", "view", COLUMN_TEXT, 12, true, false },
	};
	static const struct list_ops ops = { .cells = cells };
	struct overview_table *t = xcalloc(1, sizeof *t);

	(void)err;
	overview_make(&t->overview, query);
	list_table_init(&t->list, &ops, columns, ARRAY_SIZE(columns), trace_scale(query->trace));
	for (uint32_t i = 0; i < t->overview.n; i++)
		if (*t->overview.lines[i].text)
			list_table_add(&t->list, i);
	return &t->list.table;
}
