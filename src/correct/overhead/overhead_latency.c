#include "correct/overhead/overhead_latency.h"

#include <math.h>

#include "base/exchange.h"

enum {
	SETS_MOST = 4096, /* more pairs of nodes than that share one set */
	SMALL = 4096,     /* bytes: up to here the size hardly matters */
	ALL_SMALL = 65,   /* a size class of them all */
	MARGIN = 2,       /* others are at most so many times as short or as long */
};

#define NEARLY_ALL 0.9

struct overhead_latency latency_init(const struct trace *trace)
{
	return (struct overhead_latency){ .trace = trace, .bound = 1ull << 32 };
}

/* 0 for none, else 1 + the power of two; unknown sizes are a class of their own. */
static uint32_t size_class(uint64_t bytes)
{
	return bytes ? 64 - (uint32_t)__builtin_clzll(bytes) : 0;
}

static struct key key_of(enum latency_set_of of, uint64_t bytes, uint32_t from, uint32_t to)
{
	return (struct key){ { of, size_class(bytes), from, to } };
}

/* The set of a key, which is new at most once. */
static struct latency_set *set_of(struct overhead_latency *latency, struct key key)
{
	uint32_t row;

	if (keymap_new(&latency->map, key, latency->sets.n, &row)) {
		vec_add(&latency->sets);
		latency->pairs += key.part[0] == OF_PAIR;
	}
	return &latency->sets.data[row];
}

static void add_to(struct overhead_latency *latency, struct key key, double ticks)
{
	spread_add(&set_of(latency, key)->spread, ticks, 0);
}

static struct key of_all_small(struct key key)
{
	key.part[1] = ALL_SMALL;
	return key;
}

void latency_sample(struct overhead_latency *latency, enum latency_set_of of, uint32_t n,
		    uint64_t bytes, double ticks)
{
	const struct key key = key_of(of, bytes, n, 0);

	add_to(latency, key, ticks);
	if (bytes <= SMALL)
		add_to(latency, of_all_small(key), ticks);
}

static uint32_t node_of(const struct overhead_latency *latency, uint32_t location)
{
	return trace_location(latency->trace, location)->node;
}

/* Halves the bound of the pairs' hashes till few enough are left; the others' sets stay empty. */
static void drop_pairs(struct overhead_latency *latency)
{
	while (latency->pairs > SETS_MOST) {
		latency->bound /= 2;
		for (size_t i = 0; i < latency->map.size; i++) {
			const struct keymap_slot *slot = &latency->map.slots[i];
			struct spread *spread;
			if (slot->hash < latency->bound || slot->key.part[0] != OF_PAIR)
				continue;
			spread = &latency->sets.data[slot->value].spread;
			latency->pairs -= spread->n > 0;
			spread_fini(spread);
		}
	}
}

void latency_add(struct overhead_latency *latency, uint32_t from, uint32_t to, uint64_t bytes,
		 double ticks)
{
	const uint32_t a = node_of(latency, from), b = node_of(latency, to);
	const struct key pair = key_of(OF_PAIR, bytes, a, b);

	if (key_hash(pair) < latency->bound) {
		add_to(latency, pair, ticks);
		drop_pairs(latency);
	}
	latency_sample(latency, a == b ? OF_SAME_NODE : OF_TWO_NODES, 0, bytes, ticks);
}

static uint32_t is_far(const struct overhead_latency *latency, uint32_t from, uint32_t to)
{
	return node_of(latency, from) != node_of(latency, to);
}

void latency_bound(struct overhead_latency *latency, uint32_t from, uint32_t to, uint64_t bytes,
		   double begun, double ended)
{
	const uint32_t far = is_far(latency, from, to);

	latency_sample(latency, OF_BEGUN, far, bytes, begun);
	latency_sample(latency, OF_ENDED, far, bytes, ended);
}

/* A bin of a set, for all processes. */
struct shared_bin {
	struct key key;
	struct spread_bin bin;
};

void latency_share(struct overhead_latency *latency)
{
	struct exchange *x = trace_exchange(latency->trace);
	OWNED_VEC(struct shared_bin) bins = VEC_INIT;
	const struct shared_bin *row;
	uint64_t bound = latency->bound;

	if (!x)
		return;
	for (size_t i = 0; i < latency->map.size; i++) {
		const struct keymap_slot *slot = &latency->map.slots[i];
		struct spread *spread;
		if (slot->hash == 0)
			continue;
		spread = &latency->sets.data[slot->value].spread;
		for (size_t b = 0; b < spread->bins.n; b++) {
			struct shared_bin *bin = vec_add(&bins);
			bin->key = slot->key;
			bin->bin = spread->bins.data[b];
		}
		spread_fini(spread);
	}
	vec_fini(&latency->sets);
	keymap_fini(&latency->map);
	latency->map = (struct keymap){ 0 };
	latency->pairs = 0;
	exchange_least(x, &bound, 1);
	latency->bound = bound;
	exchange_rows(x, &bins);
	vec_each (row, &bins)
		if (row->key.part[0] != OF_PAIR || key_hash(row->key) < bound)
			spread_add_bin(&set_of(latency, row->key)->spread, &row->bin);
	drop_pairs(latency);
}

/* The set of another kind with the key of a set. */
static const struct latency_set *beside(const struct overhead_latency *latency, struct key key,
					enum latency_set_of of)
{
	const uint32_t *row;

	key.part[0] = of;
	if (of != OF_BEGUN && of != OF_ENDED)
		key.part[2] = 0;
	row = keymap_find(&latency->map, key);
	return row ? &latency->sets.data[*row] : NULL;
}

/* What receiving a message that is there takes at most, but for a few; negative: unknown. */
static double receiving_of(const struct overhead_latency *latency, struct key key)
{
	static const enum latency_set_of sets[] = { OF_RECEIVE, OF_COMPLETION };
	double most = -1;

	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
		const struct latency_set *set = beside(latency, key, sets[i]);
		if (set && set->enough)
			most = fmax(most, set->quantiles.high);
	}
	return most;
}

/* A bin counts as begun from its least value on, and as ended at its largest. */
static double find_within(const struct overhead_latency *latency, struct key key)
{
	const struct latency_set *ended = beside(latency, key, OF_ENDED);
	const struct latency_set *begun = beside(latency, key, OF_BEGUN);
	const double receiving = receiving_of(latency, key);
	const struct spread_bin *bin;
	uint64_t n_ended = 0, n_begun = 0;
	size_t next = 0;

	if (!begun || receiving < 0)
		return INFINITY;
	vec_each (bin, &ended->spread.bins) {
		n_ended += bin->count;
		while (next < begun->spread.bins.n &&
		       begun->spread.bins.data[next].min + receiving <= bin->max)
			n_begun += begun->spread.bins.data[next++].count;
		if (n_ended >= LATENCY_LEAST && (double)n_ended >= NEARLY_ALL * (double)n_begun)
			return MARGIN * bin->max;
	}
	return INFINITY;
}

void latency_finish(struct overhead_latency *latency)
{
	for (size_t i = 0; i < latency->map.size; i++) {
		const struct keymap_slot *slot = &latency->map.slots[i];
		struct latency_set *set;
		bool receive;
		if (slot->hash == 0)
			continue;
		set = &latency->sets.data[slot->value];
		receive = slot->key.part[0] >= OF_RECEIVE;
		set->enough = set->spread.n >= (receive ? RECEIVE_LEAST : LATENCY_LEAST);
		set->quantiles = (struct quantiles){
			spread_quantile(&set->spread, receive ? 0.05 : 0.02),
			spread_quantile(&set->spread, 0.5),
			spread_quantile(&set->spread, 0.95),
			spread_quantile(&set->spread, 0) / MARGIN,
			spread_quantile(&set->spread, 1) * MARGIN,
		};
	}
	for (size_t i = 0; i < latency->map.size; i++) {
		const struct keymap_slot *slot = &latency->map.slots[i];
		if (slot->hash != 0 && slot->key.part[0] == OF_ENDED)
			latency->sets.data[slot->value].within = find_within(latency, slot->key);
	}
}

static bool known(const struct overhead_latency *latency, struct key key,
		  struct quantiles *quantiles)
{
	const uint32_t *row = keymap_find(&latency->map, key);

	if (!row || !latency->sets.data[*row].enough)
		return false;
	*quantiles = latency->sets.data[*row].quantiles;
	return true;
}

bool latency_sampled(const struct overhead_latency *latency, enum latency_set_of of, uint32_t n,
		     uint64_t bytes, struct quantiles *quantiles)
{
	const struct key key = key_of(of, bytes, n, 0);

	return known(latency, key, quantiles) ||
	       (bytes <= SMALL && known(latency, of_all_small(key), quantiles));
}

bool latency_of(const struct overhead_latency *latency, uint32_t from, uint32_t to, uint64_t bytes,
		struct quantiles *quantiles)
{
	const uint32_t a = node_of(latency, from), b = node_of(latency, to);

	return known(latency, key_of(OF_PAIR, bytes, a, b), quantiles) ||
	       latency_sampled(latency, a == b ? OF_SAME_NODE : OF_TWO_NODES, 0, bytes, quantiles);
}

double latency_within(const struct overhead_latency *latency, uint32_t from, uint32_t to,
		      uint64_t bytes)
{
	const struct key key = key_of(OF_ENDED, bytes, is_far(latency, from, to), 0);
	const uint32_t *row = keymap_find(&latency->map, key);
	double within = row ? latency->sets.data[*row].within : INFINITY;

	row = keymap_find(&latency->map, of_all_small(key));
	if (bytes <= SMALL && isinf(within) && row)
		within = latency->sets.data[*row].within;
	return within;
}

void latency_fini(struct overhead_latency *latency)
{
	struct latency_set *set;

	vec_each (set, &latency->sets)
		spread_fini(&set->spread);
	vec_fini(&latency->sets);
	keymap_fini(&latency->map);
}
