#include "patterns/iterations/iteration_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/median.h"
#include "base/mem.h"
#include "base/order.h"

enum { ITERATIONS_LEAST = 3, ITERATIONS_ENOUGH = 8 };

#define MOST          0.9
#define WHOLE         0.8  /* of the run: a level that covers it needs no other loops beside it */
#define SIMILAR       0.7  /* of a level that is offered */
#define SIMILAR_INNER 0.75 /* of one that is shown instead of a shorter one */
#define SIMILAR_EVERY 0.8  /* of one of which another is every k-th */
#define COVER_TOKENS  0.1  /* from which share of the time on that of the calls counts, too */

/* All locations' classes of a number of visits. */
struct level_rows {
	const struct iteration_class *rows; /* [n] */
	uint32_t n;
	uint64_t every, encloses; /* bits that most have */
	double cover;
};

ORDERING(by_count, struct iteration_class, count, location)
ORDERING_OF_NUMBERS(by_value, double)

static double median_over(const struct level_rows *of,
			  double (*value)(const struct iteration_class *class))
{
	OWNED double *values = xmalloc(((size_t)of->n + 1) * sizeof *values);

	for (uint32_t i = 0; i < of->n; i++)
		values[i] = value(&of->rows[i]);
	return median_of(values, of->n);
}

static double similar_of(const struct iteration_class *c)
{
	return c->similar;
}

static double cover_of(const struct iteration_class *c)
{
	return c->cover;
}

static double part_of(const struct iteration_class *c)
{
	return c->part;
}

static double members_of(const struct iteration_class *c)
{
	return c->members;
}

/* The value that most rows have that have an anchor (TOKEN_NONE: any), the lowest of several. */
static uint32_t most_frequent(const struct level_rows *of, uint32_t token,
			      uint32_t (*value)(const struct iteration_class *class))
{
	uint32_t best = 0, best_n = 0, n = 0;
	OWNED double *values = xmalloc(((size_t)of->n + 1) * sizeof *values);

	for (uint32_t i = 0; i < of->n; i++)
		if (token == TOKEN_NONE || of->rows[i].token == token)
			values[n++] = value(&of->rows[i]);
	SORT(values, n, by_value);
	for (uint32_t i = 0, from = 0; i < n; i++) {
		if (values[i] > values[from] || values[i] < values[from])
			from = i;
		if (i - from + 1 > best_n) {
			best_n = i - from + 1;
			best = (uint32_t)values[i];
		}
	}
	return best;
}

static uint32_t token_of(const struct iteration_class *c)
{
	return c->token;
}

static uint32_t anchor_of_most(const struct level_rows *of)
{
	return most_frequent(of, TOKEN_NONE, token_of);
}

/* Warm-up and phase, together: single locations lose calls to sampling. They can be compared only
 * where the anchor is the same. */
static uint32_t phase_of(const struct iteration_class *c)
{
	return c->warm << 2 | (uint32_t)c->closing << 1 | (uint32_t)c->opening;
}

static uint64_t bits_of_most(const struct level_rows *of, bool encloses)
{
	uint64_t bits = 0;

	for (uint32_t bit = 0; bit < COUNTS_MOST; bit++) {
		uint32_t n = 0;
		for (uint32_t i = 0; i < of->n; i++)
			n += (uint32_t)((encloses ? of->rows[i].encloses : of->rows[i].every) >>
						bit &
					1);
		bits |= (uint64_t)(n >= MOST * of->n) << bit;
	}
	return bits;
}

enum candidate {
	CANDIDATE_NONE, /* too few locations, or no iterations */
	CANDIDATE_LOOP, /* one loop of several, perhaps */
	CANDIDATE_LEVEL
};

static enum candidate level_make(struct level_rows *of, uint32_t callers,
				 struct iteration_level *level)
{
	uint32_t phase;
	double part;

	if (!of->n || of->n < MOST * callers)
		return CANDIDATE_NONE;
	phase = most_frequent(of, anchor_of_most(of), phase_of);
	*level = (struct iteration_level){ .visits = of->rows[0].visits,
					   .warm = phase >> 2,
					   .closing = (phase >> 1 & 1) != 0,
					   .members = (uint32_t)median_over(of, members_of),
					   .similar = median_over(of, similar_of),
					   .cover = median_over(of, cover_of) };
	level->n = (phase & 3 ? level->visits : level->visits - 1) - level->warm;
	part = median_over(of, part_of);
	of->cover = level->cover >= COVER_TOKENS ? fmax(level->cover, part) : level->cover;
	of->every = bits_of_most(of, false);
	of->encloses = bits_of_most(of, true);
	if (level->n < ITERATIONS_LEAST || level->visits < ITERATIONS_LEAST)
		return CANDIDATE_NONE;
	if (level->similar >= SIMILAR && of->cover >= LEVEL_COVER)
		return CANDIDATE_LEVEL;
	return level->similar >= SIMILAR_INNER && of->cover >= LOOP_COVER ? CANDIDATE_LOOP
									  : CANDIDATE_NONE;
}

/* Whether two classes have no time in common on most locations that have both. */
static bool is_apart(const struct level_rows *a, const struct level_rows *b)
{
	uint32_t both = 0, apart = 0;

	for (uint32_t i = 0, k = 0; i < a->n && k < b->n;) {
		const struct iteration_class *x = &a->rows[i], *y = &b->rows[k];
		if (x->location == y->location) {
			both++;
			apart += x->to <= y->from || y->to <= x->from;
		}
		i += x->location <= y->location;
		k += y->location <= x->location;
	}
	return both && apart >= MOST * both;
}

/* Levels with nearly the same number of visits are one: that with more cover, then more members. */
static bool is_same(const struct iteration_level *a, const struct iteration_level *b)
{
	return b->visits - a->visits <= fmax(1, 0.03 * a->visits);
}

static bool is_better(const struct iteration_level *a, double cover_a,
		      const struct iteration_level *b, double cover_b)
{
	if (floor(10 * cover_a) > floor(10 * cover_b) || floor(10 * cover_a) < floor(10 * cover_b))
		return cover_a > cover_b;
	return a->members > b->members;
}

/* Whether level b is every k-th iteration of a, on all locations that have b: one without a could
 * not be compared with the others. */
static bool is_every(const struct iteration_choice *c, const struct level_rows *of, uint32_t b,
		     uint32_t a)
{
	const struct iteration_level *outer = &c->levels.data[b], *inner = &c->levels.data[a];
	const struct level_rows *rows = &of[c->count[b]];

	return of[c->count[a]].n >= rows->n && inner->visits > 1.5 * outer->visits &&
	       inner->similar >= SIMILAR_EVERY && of[c->count[a]].cover >= rows->cover - 0.05 &&
	       rows->every >> c->count[a] & 1 && outer->members <= inner->members &&
	       !(rows->encloses >> c->count[a] & 1);
}

static void choose_main(struct iteration_choice *c, const struct level_rows *of)
{
	for (uint32_t b = 0; b < c->levels.n && c->main == LEVEL_NONE; b++) {
		bool every = false;
		for (uint32_t a = b + 1; a < c->levels.n; a++)
			every = every || is_every(c, of, b, a);
		if (!every)
			c->main = b;
	}
	if (c->main == LEVEL_NONE && c->levels.n)
		c->main = (uint32_t)c->levels.n - 1;
	if (c->main == LEVEL_NONE || c->levels.data[c->main].n >= ITERATIONS_ENOUGH)
		return;
	/* Few iterations show no outliers: the next inner level may have more. */
	for (uint32_t a = c->main + 1; a < c->levels.n; a++)
		if (c->levels.data[a].n >= ITERATIONS_ENOUGH &&
		    c->levels.data[a].similar >= SIMILAR_INNER &&
		    of[c->count[a]].cover >= 0.9 * of[c->count[c->main]].cover) {
			c->main = a;
			return;
		}
}

/* ---- loops one after the other ---- */

/* A level that covers a part of the run. */
struct loop {
	struct iteration_level level;
	uint32_t count; /* index of its number of visits */
	int64_t from;   /* ticks, on its first location */
};

struct loops {
	struct loop data[COUNTS_MOST];
	uint32_t n;
};

/* The one with more cover (in tenths) first, of equal ones the outer one. */
static bool goes_first(const struct level_rows *of, const struct loop *a, const struct loop *b)
{
	const double x = floor(10 * of[a->count].cover), y = floor(10 * of[b->count].cover);

	return x > y || (x >= y && a->level.visits < b->level.visits);
}

/* Moves the next one to be taken to the place `at`. */
static void find_next(struct loops *loops, uint32_t at, const struct level_rows *of)
{
	for (uint32_t i = at + 1; i < loops->n; i++)
		if (goes_first(of, &loops->data[i], &loops->data[at])) {
			const struct loop first = loops->data[i];
			loops->data[i] = loops->data[at];
			loops->data[at] = first;
		}
}

/* Leaves those that are apart from the main level, if there is one, and from each other; the sum of
 * their covers. */
static double keep_apart(struct loops *loops, const struct iteration_choice *c,
			 const struct level_rows *of)
{
	double cover = 0;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < loops->n; i++) {
		bool apart;
		find_next(loops, i, of);
		const struct loop loop = loops->data[i];
		apart = c->main == LEVEL_NONE || is_apart(&of[loop.count], &of[c->count[c->main]]);
		for (uint32_t k = 0; k < kept && apart; k++)
			apart = is_apart(&of[loop.count], &of[loops->data[k].count]);
		if (!apart)
			continue;
		cover += of[loop.count].cover;
		loops->data[kept++] = loop;
	}
	loops->n = kept;
	return cover;
}

static int by_begin(const void *a, const void *b)
{
	const struct loop *x = a, *y = b;

	ORDER_BY(x->from, y->from);
	return ORDER(x->count, y->count);
}

static void add_loops(struct iteration_choice *c, struct loops *loops, const struct level_rows *of,
		      const uint32_t *path)
{
	const bool alone = c->main == LEVEL_NONE;
	double cover;

	if (!alone && of[c->count[c->main]].cover >= WHOLE)
		return;
	cover = keep_apart(loops, c, of);
	if (loops->n == 0 || (alone && cover < LEVEL_COVER))
		return;
	SORT(loops->data, loops->n, by_begin);
	for (uint32_t i = 0; i < loops->n; i++) {
		struct loop *loop = &loops->data[i];
		const uint32_t at = (uint32_t)c->levels.n;
		c->count[at] = loop->count;
		c->token[at] = anchor_of_most(&of[loop->count]);
		loop->level.path = path[c->token[at]];
		loop->level.loop = !alone || loops->n > 1;
		vec_push(&c->levels, loop->level);
		if (alone &&
		    (c->main == LEVEL_NONE || loop->level.cover > c->levels.data[c->main].cover))
			c->main = at;
	}
	c->levels.data[c->main].loop = !alone || loops->n > 1;
}

/* ---- all ---- */

void iteration_choice_make(struct iteration_choice *c, const struct iteration_class *unsorted,
			   size_t n, uint32_t callers, const uint32_t *path)
{
	OWNED struct iteration_class *rows = xmalloc((n + 1) * sizeof *rows);
	struct level_rows of[COUNTS_MOST] = { 0 };
	struct loops loops = { .n = 0 };

	if (n)
		memcpy(rows, unsorted, n * sizeof *rows);
	SORT(rows, n, by_count);
	*c = (struct iteration_choice){ .main = LEVEL_NONE };
	c->token = xcalloc(COUNTS_MOST, sizeof *c->token);
	c->count = xcalloc(COUNTS_MOST, sizeof *c->count);
	for (size_t i = 0; i < n; i++) {
		struct level_rows *level = &of[rows[i].count];
		if (!level->n++)
			level->rows = &rows[i];
	}
	for (uint32_t i = 0; i < COUNTS_MOST; i++) {
		struct iteration_level level;
		size_t at = c->levels.n;
		const enum candidate candidate = level_make(&of[i], callers, &level);
		if (candidate == CANDIDATE_LOOP)
			loops.data[loops.n++] = (struct loop){ level, i, of[i].rows->from };
		if (candidate != CANDIDATE_LEVEL)
			continue;
		if (at && is_same(&c->levels.data[at - 1], &level)) {
			/* Not one after the other, or of their own. */
			const bool apart = is_apart(&of[c->count[at - 1]], &of[i]);
			if (apart)
				loops.data[loops.n++] = (struct loop){ level, i, of[i].rows->from };
			if (apart || !is_better(&level, of[i].cover, &c->levels.data[at - 1],
						of[c->count[at - 1]].cover))
				continue;
			c->levels.n = --at;
		}
		c->count[at] = i;
		c->token[at] = anchor_of_most(&of[i]);
		level.path = path[c->token[at]];
		vec_push(&c->levels, level);
	}
	choose_main(c, of);
	add_loops(c, &loops, of, path);
}

void iteration_choice_fini(struct iteration_choice *c)
{
	vec_fini(&c->levels);
	free_all(c->token, c->count);
}
