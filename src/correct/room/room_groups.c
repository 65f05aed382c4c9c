/* Collectives: small ones are messages between all, large ones are kept as they are. */
#include <math.h>

#include "base/mem.h"
#include "base/order.h"
#include "correct/room/room_state.h"

/* ---- which are kept ---- */

static double length_of(const struct room_party *parties, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		if (!isnan(parties[i].begin) && !isnan(parties[i].end))
			sum += parties[i].end - parties[i].begin;
	return sum;
}

static double last_begin(const struct room_party *parties, uint32_t n)
{
	double last = -INFINITY;

	for (uint32_t i = 0; i < n; i++)
		last = fmax(last, parties[i].begin);
	return last;
}

/* Of the same clocks in the same order, in a window. If two sets have one key, fewer are kept. */
static struct key key_of(const struct room *room, const struct room_party *parties, uint32_t n,
			 enum room_group kind)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (uint32_t i = 0; i < n; i++)
		hash = (hash ^ parties[i].clock) * 0x100000001b3u; /* FNV-1a */
	return KEY_OF((uint32_t)hash, (uint32_t)(hash >> 32), 3 * n + kind,
		      room_window(&room->windows, 0, last_begin(parties, n)));
}

/* Any order that depends on what they are alone. */
static int compare_parties(const struct room_party *a, const struct room_party *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		ORDER_BY(a[i].begin, b[i].begin);
		ORDER_BY(a[i].end, b[i].end);
	}
	return 0;
}

void room_keep_group(struct room *room, const struct room_party *parties, uint32_t n,
		     enum room_group kind)
{
	const struct key key = key_of(room, parties, n, kind);
	const double length = length_of(parties, n);
	struct room_party *spare;
	struct room_bucket *bucket;
	uint32_t at;

	if (keymap_new(&room->bucket_of, key, room->buckets.n, &at))
		vec_push(&room->buckets, ((struct room_bucket){ .kind = kind, .n = n }));
	bucket = &room->buckets.data[at];
	for (at = bucket->kept; at > 0; at--)
		if (bucket->length[at - 1] < length ||
		    (bucket->length[at - 1] == length &&
		     compare_parties(bucket->parties[at - 1], parties, n) <= 0))
			break;
	if (at == ROOM_GROUPS)
		return;
	spare = bucket->kept == ROOM_GROUPS ? bucket->parties[ROOM_GROUPS - 1]
					    : xmalloc(n * sizeof *spare);
	bucket->kept += bucket->kept < ROOM_GROUPS;
	for (uint32_t i = bucket->kept - 1; i > at; i--) {
		bucket->length[i] = bucket->length[i - 1];
		bucket->parties[i] = bucket->parties[i - 1];
	}
	bucket->length[at] = length;
	bucket->parties[at] = memcpy(spare, parties, n * sizeof *spare);
}

void room_buckets_fini(struct room *room)
{
	const struct room_bucket *bucket;

	vec_each (bucket, &room->buckets)
		for (uint32_t i = 0; i < bucket->kept; i++)
			free(bucket->parties[i]);
	vec_fini(&room->buckets);
	keymap_fini(&room->bucket_of);
}

/* ---- parties ---- */

ORDERING(by_clock, struct room_party, clock)

/* One party of each clock: of several the last begin and the first end, which bound most. */
static uint32_t join_clocks(struct room_party *parties, uint32_t n)
{
	uint32_t kept = 0;

	SORT(parties, n, by_clock);
	for (uint32_t i = 0; i < n; i++) {
		struct room_party *last = &parties[kept - 1];
		if (kept == 0 || last->clock != parties[i].clock) {
			parties[kept++] = parties[i];
			continue;
		}
		last->begin = fmax(last->begin, parties[i].begin);
		last->end = fmin(last->end, parties[i].end);
	}
	return kept;
}

static void meet_all(struct room *room, const struct room_party *parties, uint32_t n,
		     enum room_group kind)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = kind == ROOM_PREFIX ? i + 1 : 0; j < n; j++)
			if (!isnan(parties[i].begin) && !isnan(parties[j].end))
				room_bound(room, &parties[i], &parties[j], kind != ROOM_WORLD);
}

void room_group(struct room *room, struct room_party *parties, uint32_t n, enum room_group kind)
{
	if (kind != ROOM_PREFIX)
		n = join_clocks(parties, n);
	if (n <= ROOM_PAIRS)
		meet_all(room, parties, n, kind);
	else
		room_keep_group(room, parties, n, kind);
}
