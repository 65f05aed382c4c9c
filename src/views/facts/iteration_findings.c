#include "views/facts/iteration_findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/fixed.h"
#include "base/mem.h"
#include "model/trace/crowd.h"
#include "model/trace/program.h"
#include "views/query/view_common.h"

/* More are joined, several iterations a column. */
enum { CELLS_MOST = 1 << 19, COLUMNS_LEAST = 8 };

/* ---- making ---- */

/* The chosen locations that have iterations, in any process. */
static void find_rows(struct iteration_findings *f, const struct query *query,
		      const struct iteration_sums *s)
{
	OWNED bool *chosen = query_chosen(query);
	OWNED uint64_t *there = xcalloc((size_t)s->locations + 1, sizeof *there);

	for (uint32_t l = 0; l < s->locations; l++)
		there[l] = s->of[l] != NULL;
	exchange_sums(trace_exchange(query->trace), there, s->locations);
	f->locations = xcalloc((size_t)s->locations + 1, sizeof *f->locations);
	for (uint32_t l = 0; l < s->locations; l++)
		if (there[l] && chosen[l] && filter_location(query->filter, l))
			f->locations[f->n++] = l;
}

void iteration_findings_make(struct iteration_findings *f, const struct query *query,
			     const struct iteration_sums *s)
{
	OWNED int64_t *work = NULL;
	int128 core = 0; /* ticks without a core */
	OWNED double *x = NULL;
	size_t cells;

	*f = (struct iteration_findings){ .each = 1, .of = { .kind = OUTLIERS_NONE } };
	if (!s->n)
		return;
	find_rows(f, query, s);
	for (f->columns = s->n;
	     (size_t)f->columns * f->n > CELLS_MOST && f->columns > COLUMNS_LEAST;) {
		f->each++;
		f->columns = s->n / f->each; /* the last may be incomplete: left out */
	}
	cells = (size_t)f->n * f->columns;
	work = xcalloc(cells + 1, sizeof *work);
	x = xcalloc(cells + 1, sizeof *x);
	for (uint32_t i = 0; i < f->n; i++)
		for (uint32_t k = 0; s->of[f->locations[i]] && k < f->columns * f->each; k++) {
			const struct iteration_sum *sum = &s->of[f->locations[i]][k];
			work[(size_t)i * f->columns + k / f->each] += iteration_work_done(sum);
			core += sum->core;
		}
	exchange_ticks(trace_exchange(query->trace), work, cells);
	exchange_sum(trace_exchange(query->trace), &core, 1);
	for (size_t i = 0; i < cells; i++)
		x[i] = (double)work[i];
	iteration_outliers_find(&f->of, x, f->n, f->columns,
				HICCUP * (double)trace_scale(query->trace)->per_second,
				cells ? (double)core / (double)cells : 0);
}

void iteration_findings_fini(struct iteration_findings *f)
{
	free(f->locations);
	f->locations = NULL;
}

/* ---- sentences ---- */

/* "iteration 18", "iterations 21-24": of a column. */
static const char *iteration_of(struct phrases *p, const struct iteration_findings *f,
				uint32_t column)
{
	const uint32_t first = column * f->each + 1;

	return f->each == 1 ? phrase(p, "iteration %s", phrase_number(p, first))
			    : phrase(p, "iterations %s-%s", phrase_number(p, first),
				     phrase_number(p, first + f->each - 1));
}

static const char *per_column(struct phrases *p, const struct iteration_findings *f, double ticks)
{
	return phrase_part(p, ticks / f->each);
}

/* "in 2 of 40 iterations". */
static const char *in_hits(struct phrases *p, const struct iteration_findings *f)
{
	if (f->of.hits == 1)
		return phrase(p, "in %s of %s", iteration_of(p, f, f->of.worst),
			      phrase_number(p, (uint64_t)f->columns * f->each));
	return phrase(p, f->each == 1 ? "in %s of %s iterations" : "in %s of %s parts of the run",
		      phrase_number(p, f->of.hits), phrase_number(p, f->columns));
}

static const char *who(struct phrases *p, const struct iteration_findings *f)
{
	return phrase_location(p, f->locations[f->of.row]);
}

static const char *no_finding(struct phrases *p, const struct iteration_findings *f)
{
	const struct iteration_outliers *o = &f->of;

	if (o->hits)
		return phrase(
			p,
			"No rank differs by more than the machine may interrupt it for: %s %s "
			"works %s longer%s.",
			in_hits(p, f), o->hits == 1 ? who(p, f) : "a rank",
			per_column(p, f, o->more),
			o->hits == 1 ? ""
				     : phrase(p, "; most in %s, %s", iteration_of(p, f, o->worst),
					      who(p, f)));
	return o->slow ? "No rank differs much from the others."
		       : "No rank and no iteration differs much.";
}

static const char *finding(struct phrases *p, const struct iteration_findings *f)
{
	const struct iteration_outliers *o = &f->of;
	const char *more = per_column(p, f, fabs(o->more));
	const char *typical = per_column(p, f, o->typical);

	switch (o->kind) {
	case OUTLIERS_SAME:
		return phrase(p,
			      "Always the same rank: %s works %s longer per iteration than the "
			      "median rank, which takes %s%s.",
			      who(p, f), more, typical,
			      o->rows > 1 ? phrase(p, "; so do %s",
						   phrase_count(p, o->rows - 1, "other", "others"))
					  : "");
	case OUTLIERS_DRIFT:
		return phrase(p, "A drift: %s takes %s %s at the end of the run than at its begin.",
			      who(p, f), more, o->more > 0 ? "longer" : "less");
	case OUTLIERS_ROTATING:
		return phrase(p, "Another rank each time: %s it works %s longer than %s.",
			      in_hits(p, f), more, typical);
	case OUTLIERS_FEW:
		if (o->hits == 1)
			return phrase(p, "A single iteration: %s %s works %s longer than %s.",
				      in_hits(p, f), who(p, f), more, typical);
		return phrase(p, "A few iterations: %s a rank works %s longer; most in %s, %s.",
			      in_hits(p, f), more, iteration_of(p, f, o->worst), who(p, f));
	case OUTLIERS_OFTEN:
		return phrase(p, "Often: %s a rank works %s longer, mostly %s.", in_hits(p, f),
			      more, who(p, f));
	default: return no_finding(p, f);
	}
}

#define SAID 0.005 /* a part of the imbalance that is */

static bool is_noise(const struct iteration_outliers *o)
{
	bool noise = o->kind == OUTLIERS_NONE;

	for (int i = 0; i < OUTLIER_KINDS; i++)
		noise = noise && o->share[i] < SAID;
	return noise;
}

/* The parts of the imbalance, the largest words first. */
static const char *shares(struct phrases *p, const struct iteration_findings *f)
{
	static const char *const names[OUTLIER_KINDS] = {
		[OUTLIERS_DRIFT] = "ranks that drift",
		[OUTLIERS_SAME] = "always the same rank",
		[OUTLIERS_ROTATING] = "another rank each time",
		[OUTLIERS_FEW] = "a few iterations",
		[OUTLIERS_OFTEN] = "ranks that are often slow",
	};
	const struct iteration_outliers *o = &f->of;
	const char *text = "";

	for (int i = 0; i < OUTLIER_KINDS; i++)
		if (o->share[i] >= SAID)
			text = phrase(p, "%s%s %s, ", text, names[i], phrase_share(p, o->share[i]));
	return phrase(p, "%sscatter %s, unknown %s", text, phrase_share(p, o->scatter / o->lost),
		      phrase_share(p, o->unknown));
}

/* "18.3 % longer", "42 times as long". */
static const char *longer(struct phrases *p, double slower)
{
	return slower < 10 ? phrase(p, "%s longer", phrase_share(p, slower))
			   : phrase(p, "%.0f times as long", slower + 1);
}

/* What is the same for all ranks; "" nothing. */
static const char *common(struct phrases *p, const struct iteration_findings *f)
{
	const struct iteration_outliers *o = &f->of;
	const char *slow = "";

	if (o->slow == 1)
		slow = phrase(p, "In %s all ranks work %s.", iteration_of(p, f, o->slowest),
			      longer(p, o->slower));
	else if (o->slow)
		slow = phrase(p, "In %s all ranks work longer, most in %s: %s.",
			      phrase_count(p, o->slow, f->each == 1 ? "iteration" : "part",
					   f->each == 1 ? "iterations" : "parts of the run"),
			      iteration_of(p, f, o->slowest), longer(p, o->slower));
	if (o->drift > 0 || o->drift < 0)
		return phrase(p,
			      "%s%sThe work of an iteration %s by %s from the first to the last.",
			      slow, *slow ? " " : "", o->drift > 0 ? "grows" : "shrinks",
			      phrase_share(p, fabs(o->drift)));
	return slow;
}

static const char *why_none(struct phrases *p, const struct iteration_sums *s)
{
	const char *named = s->iterations ? iterations_anchor(s->iterations) : NULL;
	char clean[64];

	if (trace_records_alone(p->trace))
		return "No iterations: this run has statistics only, no events of calls (record "
		       "them without --statistics).";
	if (!named)
		return "No iterations: the ranks do not repeat the same calls (--iteration NAME, "
		       "or :iteration NAME, takes those of a function).";
	str_clean(clean, sizeof clean, named, strlen(named));
	return phrase(p, "No iterations: no rank visits %s twice.", clean);
}

/* " (level 2 of 3)"; " (loop 1 of 2: 30, then 20)"; "" of the only level. */
static const char *which_level(struct phrases *p, const struct iteration_sums *s)
{
	size_t n, main, loops = 0, nth = 0;
	const struct iteration_level *levels = iterations_levels(s->iterations, &n, &main);
	const char *all = "";

	if (n < 2)
		return "";
	if (!s->of_level->loop)
		return phrase(p, " (level %zu of %zu)", s->level + 1, n);
	for (size_t i = 0; i < n; i++) {
		if (!levels[i].loop)
			continue;
		all = phrase(p, "%s%s%s", all, loops ? ", then " : "",
			     phrase_number(p, levels[i].n));
		loops++;
		nth += i <= s->level;
	}
	return phrase(p, " (loop %zu of %zu: %s)", nth, loops, all);
}

enum { WITHOUT_MOST = 4 }; /* ranks that are named */

/* " Not on rank 2, which has another number of visits": ranks without the level. */
static const char *without(struct phrases *p, const struct iteration_sums *s)
{
	const char *names = "";
	uint32_t n = 0;

	for (uint32_t l = 0; l < trace_location_count(p->trace); l++) {
		const struct location *location = trace_location(p->trace, l);
		if (location->rank < 0 || location->thread > 0 ||
		    location->type == LOCATION_ACCELERATOR ||
		    iterations_has(s->iterations, s->level, l))
			continue;
		if (n < WITHOUT_MOST)
			names = phrase(p, "%s%s%s", names, n ? ", " : "", phrase_location(p, l));
		n++;
	}
	if (n > WITHOUT_MOST)
		names = phrase(p, "%s and %u more", names, n - WITHOUT_MOST);
	return n ? phrase(p, " Not on %s, with another number of visits.", names) : "";
}

unsigned iteration_sentences(struct phrases *p, const struct iteration_sums *s,
			     const struct iteration_findings *f, const char *lines[ITERATION_LINES])
{
	unsigned n = 0;

	if (!s->n) {
		lines[n++] = why_none(p, s);
		return n;
	}
	lines[n++] = phrase(p, "%s%s, delimited by %s; %s of the run.%s",
			    phrase_count(p, s->n, "iteration", "iterations"), which_level(p, s),
			    phrase_path(p, s->of_level->path), phrase_share(p, s->of_level->cover),
			    without(p, s));
	if (f->n < 2)
		return n;
	lines[n++] = finding(p, f);
	if (f->of.lost > 0)
		lines[n++] = phrase(p, "Imbalance %s (slowest less median rank)%s: %s.",
				    phrase_time(p, f->of.lost),
				    is_noise(&f->of) ? ", within noise" : "", shares(p, f));
	lines[n] = common(p, f);
	return n + (*lines[n] != '\0');
}
