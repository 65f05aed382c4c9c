#include "patterns/iterations/iteration_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/median.h"
#include "base/mem.h"
#include "base/order.h"

enum { ITERATIONS_LEAST = 3, ITERATIONS_ENOUGH = 8 };

#define MOST          0.9
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

/* The value that most rows have, the lowest of several. */
static uint32_t most_frequent(const struct level_rows *of,
			      uint32_t (*value)(const struct iteration_class *class))
{
	uint32_t best = 0, best_n = 0;
	OWNED double *values = xmalloc(((size_t)of->n + 1) * sizeof *values);

	for (uint32_t i = 0; i < of->n; i++)
		values[i] = value(&of->rows[i]);
	SORT(values, of->n, by_value);
	for (uint32_t i = 0, from = 0; i < of->n; i++) {
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

/* Warm-up and phase, together: single locations lose calls to sampling. */
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

/* False: too few locations, or no iterations. */
static bool level_make(struct level_rows *of, uint32_t callers, struct iteration_level *level)
{
	uint32_t phase;
	double part;

	if (!of->n || of->n < MOST * callers)
		return false;
	phase = most_frequent(of, phase_of);
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
	return level->similar >= SIMILAR && level->n >= ITERATIONS_LEAST &&
	       of->cover >= LEVEL_COVER;
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

void iteration_choice_make(struct iteration_choice *c, const struct iteration_class *unsorted,
			   size_t n, uint32_t callers, const uint32_t *path)
{
	OWNED struct iteration_class *rows = xmalloc((n + 1) * sizeof *rows);
	struct level_rows of[COUNTS_MOST] = { 0 };

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
		if (!level_make(&of[i], callers, &level))
			continue;
		if (at && is_same(&c->levels.data[at - 1], &level)) {
			if (!is_better(&level, of[i].cover, &c->levels.data[at - 1],
				       of[c->count[at - 1]].cover))
				continue;
			c->levels.n = --at;
		}
		c->count[at] = i;
		c->token[at] = most_frequent(&of[i], token_of);
		level.path = path[c->token[at]];
		vec_push(&c->levels, level);
	}
	choose_main(c, of);
}

void iteration_choice_fini(struct iteration_choice *c)
{
	vec_fini(&c->levels);
	free_all(c->token, c->count);
}
