/* Of several processes: what each has of messages, collectives and records becomes that of all. */
#include <math.h>

#include "correct/room/room_state.h"

/* The rows of all, the tightest of each key, whatever their order was. */
static void share_rows(struct room *room, struct exchange *x)
{
	VEC(struct room_row) rows = VEC_INIT;
	const struct room_row *row;

	rows.data = room->rows.data;
	rows.n = room->rows.n;
	rows.cap = room->rows.cap;
	room->rows.data = NULL;
	room->rows.n = room->rows.cap = 0;
	keymap_fini(&room->row_of);
	exchange_rows(x, &rows);
	vec_each (row, &rows)
		room_add_row(room, row);
	vec_fini(&rows);
}

/* A party of a collective, and which. */
struct shared_party {
	struct room_party party;
	uint64_t group, n;
	uint64_t kind;
};

static void share_groups(struct room *room, struct exchange *x)
{
	VEC(struct shared_party) all = VEC_INIT;
	room_party_vec parties = VEC_INIT;
	const struct room_bucket *bucket;
	uint64_t group = 0;

	vec_each (bucket, &room->buckets)
		for (uint32_t i = 0; i < bucket->kept; i++, group++)
			for (uint32_t p = 0; p < bucket->n; p++)
				vec_push(&all, ((struct shared_party){ bucket->parties[i][p], group,
								       bucket->n, bucket->kind }));
	room_buckets_fini(room);
	exchange_rows(x, &all);
	for (size_t i = 0; i < all.n; i += parties.n) {
		parties.n = 0;
		for (size_t p = 0; p < all.data[i].n; p++)
			vec_push(&parties, all.data[i + p].party);
		room_keep_group(room, parties.data, (uint32_t)parties.n,
				(enum room_group)all.data[i].kind);
	}
	vec_fini(&all);
	vec_fini(&parties);
}

void room_share(struct room *room, struct exchange *x)
{
	if (!x)
		return;
	share_rows(room, x);
	share_groups(room, x);
	exchange_rows(x, &room->records);
	exchange_rows(x, &room->means);
	room->reversed = exchange_most(x, room->reversed);
	room->bend = exchange_most(x, room->bend);
}
