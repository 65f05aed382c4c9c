/* view_corrections: figures of the corrections, as keys and values. The keys that come first, and
 * their order, are stable; doc/corrections.md explains each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "views/facts/clock_bounds.h"
#include "views/facts/corrections_facts.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

enum section { IN_SHORT, CONDITION, CLOCKS, LOGICAL_CLOCK, OVERHEAD, NOTES, SECTIONS };

/* A figure, as exports and as the screen show it. */
struct figure {
	enum section section;
	const char *key;  /* NULL: only on the screen */
	const char *what; /* label on the screen; NULL: no line of its own */
	bool known;
	struct str value, text;
	const char *to, *before, *after; /* key of the figure whose line it joins; text around it */
	const struct timescale *scale;
};

enum { K_KEY, K_VALUE, K_WHAT, K_FIGURE, K_COLUMNS };

static const struct column columns[K_COLUMNS] = {
	[K_KEY] = { "key", "key", COLUMN_TEXT, 24, true, false },
	[K_VALUE] = { "value", "value", COLUMN_TEXT, 24, true, false },
	[K_WHAT] = { "what", "what", COLUMN_TEXT, 31, false, true },
	[K_FIGURE] = { "figure", "figure", COLUMN_TEXT, 0, false, true },
};

/* Columns of a sentence, and of the column before it. */
enum { LINE_LEAST = 44, LINE_MOST = 100, BESIDE = 36 };

struct corrections_table {
	struct list_table list;
	const struct timescale *scale;
	int width; /* of sentences, columns */
	VEC(struct figure) figures;
};

/* ---- figures of several kinds ---- */

static struct figure *add(struct corrections_table *t, enum section section, const char *key,
			  const char *what, bool known)
{
	vec_push(&t->figures, ((struct figure){ .section = section,
						.key = key,
						.what = what,
						.known = known,
						.value = STR_INIT,
						.text = STR_INIT,
						.scale = t->scale }));
	return vec_last(&t->figures);
}

static struct figure *add_joined(struct corrections_table *t, const char *key, bool known,
				 const char *to, const char *before, const char *after)
{
	struct figure *f = add(t, SECTIONS, key, NULL, known);

	f->to = to;
	f->before = before;
	f->after = after;
	return f;
}

static void put_word(struct figure *f, const char *word)
{
	str_add(&f->value, word);
	str_add(&f->text, word);
}

static void put_count(struct figure *f, uint64_t n)
{
	str_add_fmt(&f->value, "%llu", (unsigned long long)n);
	units_count(&f->text, n);
}

static void put_ticks(struct figure *f, double time)
{
	f->known = f->known && isfinite(time) && fabs(time) < 9e18;
	if (!f->known)
		return;
	units_seconds(&f->value, llround(time), f->scale, units_export_digits(f->scale));
	units_human_time(&f->text, llround(time), f->scale, 4);
}

/* Puts a number; the screen shows it times `scale`, with `unit`. */
static void put_number(struct figure *f, double n, double scale, const char *unit)
{
	f->known = f->known && isfinite(n);
	str_add_fmt(&f->value, "%.9g", n);
	str_add_fmt(&f->text, "%.4g%s", n * scale, unit);
}

static void put_real(struct figure *f, double n)
{
	put_number(f, n, 1, "");
}

static void put_ns(struct figure *f, double ns)
{
	put_number(f, ns, 1, " ns");
}

static void put_share(struct figure *f, double share)
{
	put_number(f, share, 100, " %");
}

static void put_seconds(struct figure *f, double s)
{
	f->known = f->known && s >= 0;
	if (s < 1e-9)
		put_number(f, s, 1e12, " ps");
	else if (s < 1e-6)
		put_number(f, s, 1e9, " ns");
	else
		put_number(f, s, 1e6, " us");
}

/* ---- what is known of a trace ---- */

static void add_figures(struct corrections_table *t, const struct trace *trace,
			const struct corrections *c)
{
	const struct corrected f = corrected_of(trace, c);
	const struct fit_report *fit = &c->fit;
	const struct clc_report *clc = &c->clc;
	const struct overhead_report *o = &c->overhead;
	const bool checked = f.check_before != NULL, compared = f.check_after != NULL;
	const struct check_sum *before = checked ? &f.check_before->all : &check_sum_nothing;
	const struct check_sum *after = compared ? &f.check_after->all : &check_sum_nothing;
	/* Finding no violation is as much a result as a correction. */
	const bool moved = clc->done || (compared && f.after != BASE_CLC);
	const double mean = check_sum_mean(before);
	const char *synchronised = c->presync == PRESYNC_MESSAGES ? "messages" : "offsets";
	const char *inter = lmin_source_name(c->lmin.inter_source);
	const char *intra = lmin_source_name(c->lmin.intra_source);
	const char *model = overhead_model_name(o->model);
	char gamma[32];

	snprintf(gamma, sizeof gamma, "%.9g", clc->gamma);
#define FIGURE(section, key, what, known, kind, value) \
	put_##kind(add(t, section, key, what, known), value);
#define JOINED(key, known, kind, value, to, before, after) \
	put_##kind(add_joined(t, key, known, to, before, after), value);
#include "views/tables/corrections_figures.def"
}

/* Adds a sentence for the screen only, in as many lines as it needs. */
static void sentence(struct corrections_table *t, enum section section, const char *what,
		     const char *text)
{
	for (const char *p = text; *p; p += strspn(p, " ")) {
		size_t n = text_fit(p, t->width);
		char line[CORRECT_NOTE];
		if (p[n])
			for (size_t blank = n; blank; blank--)
				if (p[blank] == ' ') {
					n = blank;
					break;
				}
		if (n == 0 || n >= sizeof line)
			break;
		memcpy(line, p, n);
		line[n] = '\0';
		put_word(add(t, section, NULL, p == text ? what : "", true), line);
		p += n;
	}
}

/* Adds a row of exports. */
static void note(struct corrections_table *t, const char *text)
{
	put_word(add(t, NOTES, "note", NULL, true), text);
	sentence(t, NOTES, "note", text);
}

static void in_short(struct corrections_table *t, const struct query *query)
{
	ENDED_BY(phrases_fini) struct phrases p = { .trace = query->trace };

	for (int f = 0; f < CORRECTIONS_FIGURES; f++) {
		const char *text =
			corrections_figure(&p, (enum corrections_figure)f, query->corrections);

		if (*text)
			sentence(t, IN_SHORT, corrections_figure_title((enum corrections_figure)f),
				 text);
	}
}

static void note_said(void *context, const char *text, bool unknown)
{
	(void)unknown;
	note(context, text);
}

/* How certain clocks are. */
static void note_bounds(struct corrections_table *t, const struct query *query)
{
	ENDED_BY(phrases_fini) struct phrases p = { .trace = query->trace };
	const char *all = clock_bounds_sentence(&p, query->corrections);
	const char *records = clock_bounds_records(&p, query->corrections);
	bool exceeded;
	const char *drift = clock_bounds_drift(&p, query->corrections, &exceeded);

	if (*all)
		note(t, all);
	if (*drift)
		note(t, drift);
	clock_bounds_islands(&p, query->corrections, note_said, t);
	if (*records)
		note(t, records);
}

static void note_crowd(struct corrections_table *t, const struct overhead_report *o)
{
	OWNED_STR text = STR_INIT;

	str_add_fmt(&text,
		    "Ranks shared cores, and waited while others recorded: records are taken to "
		    "have cost %.3g times their own cost, at most %.3g times.",
		    o->crowd, o->crowd_most);
	note(t, text.text);
}

static void notes(struct corrections_table *t, const struct query *query)
{
	const struct corrections *c = query->corrections;

	if (!c)
		note(t, "No corrections: cancelled, or not asked for.");
	for (int i = 0; c && i < CORRECT_NOTES && c->notes[i][0]; i++)
		note(t, c->notes[i]);
	note_bounds(t, query);
	if (c && !c->overhead.done && c->overhead.why[0])
		note(t, c->overhead.why);
	if (c && c->overhead.done && c->overhead.ratio > OVERHEAD_NO_CLAIM)
		note(t, "The overhead is too large to estimate the time without it.");
	if (c && c->overhead.done && c->overhead.blocking_share > 0.1)
		note(t,
		     "Over 10 % of total time is in blocked sends, left as measured: the bounds do "
		     "not hold.");
	if (c && c->overhead.done && c->overhead.crowd_most > 1)
		note_crowd(t, &c->overhead);
	if (trace_partial(query->trace)->is)
		note(t, "Only this part of the trace was loaded.");
}

/* ---- figures that share a line on the screen ---- */

static struct figure *find(struct corrections_table *t, const char *key)
{
	struct figure *f;

	vec_each (f, &t->figures)
		if (f->key && strcmp(f->key, key) == 0)
			return f;
	return NULL;
}

static void join_all(struct corrections_table *t)
{
	struct figure *f, *first;

	vec_each (f, &t->figures) {
		first = f->to ? find(t, f->to) : NULL;
		if (first && first->known && f->known)
			str_add_fmt(&first->text, "%s%s%s", f->before, f->text.text, f->after);
	}
}

/* ---- the table ---- */

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct figure *f = &((struct corrections_table *)list)->figures.data[item];

	v[K_KEY] = value_text(f->key);
	v[K_VALUE] = value_text(f->known ? f->value.text : NULL);
	v[K_WHAT] = (struct value){ .known = true, .text = f->what ? f->what : "" };
	v[K_FIGURE] = value_text(f->known ? f->text.text : NULL);
	if (!f->key && !f->known)
		v[K_FIGURE] = (struct value){ .known = true, .text = "" };
}

static void fini(struct list_table *list)
{
	struct corrections_table *t = (struct corrections_table *)list;
	struct figure *f;

	vec_each (f, &t->figures) {
		str_fini(&f->value);
		str_fini(&f->text);
	}
	vec_fini(&t->figures);
}

static struct corrections_table *figures_new(const struct query *query)
{
	static const struct list_ops ops = { .cells = cells, .fini = fini };
	static const struct corrections none;
	const struct corrections *c = query->corrections ? query->corrections : &none;
	struct corrections_table *t =
		list_table_new(sizeof *t, &ops, columns, K_COLUMNS, query->trace);

	t->scale = trace_scale(query->trace);
	t->width = query->width - BESIDE;
	t->width = t->width > LINE_MOST ? LINE_MOST : t->width < LINE_LEAST ? LINE_LEAST : t->width;
	in_short(t, query);
	add_figures(t, query->trace, c);
	notes(t, query);
	return t;
}

struct table *corrections_table_new(const struct query *query, struct err *err)
{
	struct corrections_table *t = figures_new(query);

	(void)err;
	for (uint32_t i = 0; i < t->figures.n; i++)
		if (t->figures.data[i].key)
			list_table_add(&t->list, i);
	return &t->list.table;
}

struct table *corrections_summary_new(const struct query *query, struct err *err)
{
	static const char *const headings[SECTIONS] = { "IN SHORT", "CLOCK CONDITION",
							"CLOCKS",   "LOGICAL CLOCK",
							"OVERHEAD", "NOTES" };
	struct corrections_table *t = figures_new(query);
	size_t n;

	(void)err;
	join_all(t);
	n = t->figures.n;
	for (int s = 0; s < SECTIONS; s++) {
		bool any = false;
		for (uint32_t i = 0; i < n; i++) {
			const struct figure *f = &t->figures.data[i];
			if ((int)f->section != s || !f->known || !f->what)
				continue;
			if (!any) {
				add(t, (enum section)s, NULL, headings[s], false);
				list_table_add(&t->list, (uint32_t)t->figures.n - 1);
				any = true;
			}
			list_table_add(&t->list, i);
		}
	}
	return &t->list.table;
}
