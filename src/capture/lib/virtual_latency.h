/* virtual_latency: how long messages take, learnt while the program runs: for each class of sizes
 * the times that a receive took whose message was there, and the times from a send to the end of a
 * receive that waited for it. Quarter octaves from 2^8 ticks on; old samples fade.
 *
 * libc alone, no state. Ticks. */
#pragma once

#include <stdbool.h>
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

/* What is learnt of a size: a median, and in which range nearly all are. */
struct latency_range {
	int64_t usual, least, most; /* usual 0: no samples; most INT64_MAX: not known */
};
struct latency {
	struct latency_range waited, there;
};

struct latencies {
	struct latency_bins waited[LATENCY_CLASSES], there[LATENCY_CLASSES];
	uint64_t samples; /* so far */
	/* What was last asked of a size, as long as there are less samples than that. */
	struct {
		struct latency l;
		uint64_t until;
	} known[LATENCY_CLASSES];
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

/* The bin that the quantile is in; there are samples. */
static inline unsigned latency_bin(const struct latency_bins *b, unsigned percent)
{
	uint64_t left = (uint64_t)b->n * percent / 100;
	unsigned bin = 0;

	while (bin < LATENCY_BINS - 1 && left >= b->count[bin])
		left -= b->count[bin++];
	return bin;
}

static inline unsigned latency_longest(const struct latency_bins *b)
{
	unsigned bin = LATENCY_BINS - 1;

	while (bin && !b->count[bin])
		bin--;
	return bin;
}

/* Where a bin begins, in eighths of the one after it. */
static inline int64_t latency_ticks(unsigned bin, unsigned eighths)
{
	return ((int64_t)(32 + 8 * (bin % 4) + eighths) << (bin / 4 + LATENCY_FIRST)) / 32;
}

/* The middle of the bin that the quantile is in; 0: no samples. */
static inline int64_t latency_quantile(const struct latency_bins *b, unsigned percent)
{
	return b->n ? latency_ticks(latency_bin(b, percent), 4) : 0;
}

/* Fewer samples say nothing of the range; of less than ENOUGH it is taken to end at twice the
 * longest. */
enum { LATENCY_FEW = 3, LATENCY_ENOUGH = 16 };

/* Samples of a size; where there are too few, of the nearest one that has some. */
static inline unsigned latency_near(const struct latency_bins *classes, unsigned class)
{
	for (unsigned apart = 0; apart < LATENCY_CLASSES; apart++) {
		if (class >= apart && classes[class - apart].n >= LATENCY_FEW)
			return class - apart;
		if (class + apart < LATENCY_CLASSES && classes[class + apart].n >= LATENCY_FEW)
			return class + apart;
	}
	return class;
}

static inline struct latency_range latency_range_of(const struct latency_bins *classes,
						    unsigned class)
{
	const unsigned near = latency_near(classes, class);
	const struct latency_bins *b = &classes[near];
	struct latency_range r = { latency_quantile(b, 50), 0, INT64_MAX };

	if (b->n < LATENCY_FEW)
		return r;
	/* Shorter messages do not last longer. Bins have a width. */
	if (near <= class && b->n >= LATENCY_ENOUGH && latency_bin(b, 5))
		r.least = latency_ticks(latency_bin(b, 5), 0);
	if (near >= class && latency_longest(b) < LATENCY_BINS - 1)
		r.most = 2 * latency_ticks(latency_longest(b), 8);
	return r;
}

/* By how much nine of ten samples differ; 0: not known. */
static inline int64_t latency_noise(const struct latencies *all, uint64_t bytes)
{
	const unsigned class = latency_class(bytes), near = latency_near(all->waited, class);
	const struct latency_bins *b = &all->waited[near];

	if (b->n < LATENCY_ENOUGH)
		return 0;
	return latency_ticks(latency_bin(b, 95), 8) - latency_ticks(latency_bin(b, 5), 0);
}

static inline struct latency latency_of(const struct latencies *all, uint64_t bytes)
{
	const unsigned class = latency_class(bytes);
	struct latency l = { latency_range_of(all->waited, class),
			     latency_range_of(all->there, class) };

	/* One of them alone says nothing of the difference. */
	if (!l.waited.usual || !l.there.usual)
		l.waited.usual = l.there.usual = 0;
	return l;
}

/* The same: not looked for again before there are a 32nd more samples than of that size. */
static inline const struct latency *latency_known(struct latencies *all, uint64_t bytes)
{
	const unsigned class = latency_class(bytes);
	const uint32_t n = all->waited[class].n + all->there[class].n;

	if (all->samples < all->known[class].until)
		return &all->known[class].l;
	all->known[class].until = all->samples + 1 + n / 32;
	all->known[class].l = latency_of(all, bytes);
	return &all->known[class].l;
}

static inline void latency_note(struct latencies *all, struct latency_bins *b, uint64_t ticks)
{
	all->samples++;
	latency_add(b, ticks);
}

/* Whether a message that was sent so long ago has arrived for certain. */
static inline bool latency_arrived(struct latencies *all, uint64_t bytes, int64_t ago)
{
	const int64_t most = latency_known(all, bytes)->waited.most;

	return most < INT64_MAX && ago > most;
}

/* A receive began at `began`, the send at `sent`, and ended at `ended`. */
static inline void latency_learn(struct latencies *all, uint64_t bytes, int64_t began, int64_t sent,
				 int64_t ended)
{
	const unsigned class = latency_class(bytes);

	if (ended < began || ended < sent)
		return;
	if (began < sent)
		latency_note(all, &all->waited[class], (uint64_t)(ended - sent));
	else if (latency_arrived(all, bytes, began - sent))
		latency_note(all, &all->there[class], (uint64_t)(ended - began));
}
