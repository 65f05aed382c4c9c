/* topology_guess: the grid, torus or chain that a graph of messages is (doc/references.md).
 *
 * Candidates are all ways to write n as one to three factors whose strides nearly every rank talks
 * over; each that is left is scored by how much of the traffic runs along its links and how evenly.
 * Where none fits, ranks may be in another order: then corners, which have the fewest neighbours,
 * and distances in the graph place them.
 *
 * Cost: O(pairs + factorisations), and O(pairs + n log n) for each candidate that is scored. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GUESS_DIMS = 3, GUESSES = 2 };

/* Two ranks that talk: what both send together. */
struct guess_pair {
	uint32_t p, q; /* p < q */
	uint64_t messages, bytes;
};

/* All that was set by experience, on codes with 4 to 16 ranks. */
struct guess_limits {
	double grid;      /* from this score on it is a grid: 0.8 */
	double perhaps;   /* from this on perhaps: 0.5 */
	double ambiguous; /* a second one is as good within this: 0.05 */
	double links;     /* share of a dimension's links that have to talk: 0.9 */
	double weak; /* links with less than this of the largest's bytes do not place ranks: 0.15 */
	double diagonal; /* what traffic with diagonal neighbours counts: 0.5 */
	double wrap; /* wrap links with this share of the inner ones' messages make a ring: 0.5 */
	double messages; /* a pair, on average: 4 */
	unsigned pairs;  /* maximum partners per rank of a grid: 50 */
	unsigned kept;   /* maximum candidates that are scored; with more there is no grid: 64 */
};
extern const struct guess_limits guess_limits;

struct guess {
	double score;
	bool permuted; /* ranks are in another order */
	uint32_t dims;
	uint32_t size[GUESS_DIMS];
	uint8_t periodic[GUESS_DIMS]; /* 0 no, 1 yes, 2 not known */
	uint32_t *coords;             /* [n][dims]; the guess's: guesses_fini() */
};

struct guesses {
	unsigned n; /* 0: nothing of `perhaps` or better; 2: ambiguous */
	struct guess guess[GUESSES];
	char why[120]; /* a sentence where there is none */
};

/* `pairs` hold each pair once, no rank with itself. guesses_fini() is due. */
void guesses_make(struct guesses *guesses, uint32_t n, const struct guess_pair *pairs,
		  size_t n_pairs, const struct guess_limits *limits);
void guesses_fini(struct guesses *guesses);
