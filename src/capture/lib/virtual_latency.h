/* virtual_latency: how long messages take, learnt while the program runs: for each class of sizes
 * the times that a receive took whose message was there, and the times from a send to the end of a
 * receive that waited for it. Quarter octaves from 2^8 ticks on; old samples fade.
 *
 * libc alone, no state. Ticks. */
#pragma once

#include <stdint.h>

enum {
	LATENCY_BINS = 64,
	LATENCY_CLASSES = 41, /* of sizes: 0 bytes, then powers of 2 */
	LATENCY_FIRST = 8,    /* octave of the first bin */
	LATENCY_MANY = 4096,  /* samples: half of them go */
};

struct latency_bins {
	uint32_t n, count[LATENCY_BINS];
};

struct latencies {
	struct latency_bins waited[LATENCY_CLASSES], there[LATENCY_CLASSES];
};

static inline unsigned latency_class(uint64_t bytes)
{
	const unsigned bits = bytes ? 64u - (unsigned)__builtin_clzll(bytes) : 0;

	return bits < LATENCY_CLASSES ? bits : (unsigned)LATENCY_CLASSES - 1;
}

static inline void latency_add(struct latency_bins *b, uint64_t ticks)
{
	const unsigned octave = 63u - (unsigned)__builtin_clzll(ticks | 1u << LATENCY_FIRST);
	unsigned bin = 4 * (octave - LATENCY_FIRST) + (unsigned)(ticks >> (octave - 2) & 3);

	if (ticks < 1u << LATENCY_FIRST)
		bin = 0;
	b->count[bin < LATENCY_BINS ? bin : LATENCY_BINS - 1]++;
	if (++b->n < LATENCY_MANY)
		return;
	b->n = 0;
	for (unsigned i = 0; i < LATENCY_BINS; i++)
		b->n += b->count[i] /= 2;
}

/* The middle of the bin that the quantile is in; 0: no samples. */
static inline int64_t latency_quantile(const struct latency_bins *b, unsigned percent)
{
	uint64_t left = (uint64_t)b->n * percent / 100;
	unsigned bin = 0;

	if (!b->n)
		return 0;
	while (bin < LATENCY_BINS - 1 && left >= b->count[bin])
		left -= b->count[bin++];
	return ((int64_t)(9 + 2 * (bin % 4)) << (bin / 4 + LATENCY_FIRST)) / 8;
}

/* Samples of a size; where there are too few, of the nearest one that has some. */
static inline const struct latency_bins *latency_near(const struct latency_bins *classes,
						      unsigned class)
{
	enum { FEW = 8 };

	for (unsigned apart = 0; apart < LATENCY_CLASSES; apart++) {
		if (class >= apart && classes[class - apart].n >= FEW)
			return &classes[class - apart];
		if (class + apart < LATENCY_CLASSES && classes[class + apart].n >= FEW)
			return &classes[class + apart];
	}
	return &classes[class];
}

/* What is learnt of a size. */
struct latency {
	int64_t waited, there; /* medians */
	int64_t uncertainty;   /* of those waited: half of 5 to 95 % */
	int64_t error; /* of the difference of the medians, by the same shares; -1 unknown */
};

/* The farther one of 5 and 95 % from the median. */
static inline int64_t latency_reach(const struct latency_bins *b)
{
	const int64_t middle = latency_quantile(b, 50), down = middle - latency_quantile(b, 5),
		      up = latency_quantile(b, 95) - middle;

	return up > down ? up : down;
}

static inline struct latency latency_of(const struct latencies *all, uint64_t bytes)
{
	const unsigned class = latency_class(bytes);
	const struct latency_bins *waited = latency_near(all->waited, class);
	const struct latency_bins *there = latency_near(all->there, class);
	struct latency l = { latency_quantile(waited, 50), latency_quantile(there, 50), 0, -1 };

	l.uncertainty = (latency_quantile(waited, 95) - latency_quantile(waited, 5)) / 2;
	/* One of them alone says nothing of the difference. */
	if (!waited->n || !there->n)
		l.waited = l.there = 0;
	else
		l.error = latency_reach(waited) + latency_reach(there);
	return l;
}

/* A receive began at `began`, the send at `sent`, and ended at `ended`. */
static inline void latency_learn(struct latencies *all, uint64_t bytes, int64_t began, int64_t sent,
				 int64_t ended)
{
	const unsigned class = latency_class(bytes);

	if (ended < began || ended < sent)
		return;
	if (began < sent)
		latency_add(&all->waited[class], (uint64_t)(ended - sent));
	else if (sent + 2 * latency_of(all, bytes).waited < began)
		latency_add(&all->there[class], (uint64_t)(ended - began));
}
