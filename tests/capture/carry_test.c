/* Times that ranks carry to each other beside their messages: each message finds that of its own
 * send, whatever the order of tags. */
#include <stdlib.h>
#include <string.h>

#include "capture/lib/carry_ring.h"
#include "harness/test.h"

/* Sends under way, oldest first. */
struct way {
	struct carry_ring ring;
	struct carry_reader reader;
	struct sent {
		uint64_t time;
		uint32_t comm;
		int32_t tag;
	} sent[4 * CARRY_ENTRIES];
	unsigned n;
	uint64_t clock;
	uint32_t random;
};

static unsigned draw(struct way *way, unsigned below)
{
	way->random = way->random * 1664525u + 1013904223u;
	return (way->random >> 8) % below;
}

static void send(struct way *way, uint32_t comm, int32_t tag)
{
	way->clock += 1 + draw(way, 100);
	way->sent[way->n++] = (struct sent){ way->clock + 10, comm, tag };
	carry_put(&way->ring, comm, tag, way->clock + 10);
}

/* The receiver takes the oldest of a communicator and tag: any of those under way. The true time of
 * its send. */
static uint64_t receive(struct way *way, unsigned at, uint64_t *carried)
{
	const struct sent wanted = way->sent[at];
	unsigned first = 0;
	uint64_t time;

	while (way->sent[first].comm != wanted.comm || way->sent[first].tag != wanted.tag)
		first++;
	time = way->sent[first].time;
	memmove(way->sent + first, way->sent + first + 1, (--way->n - first) * sizeof *way->sent);
	*carried = carry_take(&way->reader, &way->ring, wanted.comm, wanted.tag);
	carry_in_step(&way->reader, &way->ring);
	return time;
}

TEST(any_order_of_tags)
{
	OWNED struct way *way = calloc(1, sizeof *way);
	uint64_t carried;

	for (uint32_t seed = 1; seed <= 20; seed++) {
		memset(way, 0, sizeof *way);
		way->random = seed;
		for (int step = 0; step < 20000; step++) {
			if (way->n < CARRY_ENTRIES - 1 && draw(way, 100) < 45 + seed)
				send(way, draw(way, 3), (int32_t)draw(way, 5));
			/* What is received last must not fall out of the ring: nobody waits
			 * longer. */
			while (way->n && (draw(way, 2) || way->ring.written - way->reader.read >
								  CARRY_ENTRIES - 2)) {
				const bool oldest =
					way->ring.written - way->reader.read > CARRY_ENTRIES / 2;
				const uint64_t time =
					receive(way, oldest ? 0 : draw(way, way->n), &carried);
				assert_int_equal(carried, time);
			}
		}
	}
}

TEST(too_far_ahead)
{
	OWNED struct way *way = calloc(1, sizeof *way);
	uint64_t carried, time;
	unsigned unknown = 0;

	way->random = 7;
	for (int round = 0; round < 50; round++) {
		const unsigned burst = 1 + draw(way, 3 * CARRY_ENTRIES);
		for (unsigned i = 0; i < burst; i++)
			send(way, 1, 4);
		while (way->n) {
			time = receive(way, 0, &carried);
			unknown += carried == 0;
			if (carried)
				assert_int_equal(carried, time);
		}
		/* In step again. */
		send(way, 1, 5);
		time = receive(way, 0, &carried);
		assert_int_equal(carried, time);
	}
	assert_true(unknown > 0);
}

/* A receiver comes later than sends that waited for nobody, then a send waits for it. */
TEST(receivers_that_come_later)
{
	struct carry_ring ring = { 0 };
	struct carry_reader reader = { 0 };

	assert_int_equal(carry_take_later(&reader, &ring, 1, 3), 0);
	assert_int_equal(carry_take_later(&reader, &ring, 1, 3), 0);
	assert_int_equal(carry_take_later(&reader, &ring, 2, 3), 0);
	carry_put(&ring, 1, 3, 100);             /* of the first */
	carry_put(&ring, 1, CARRY_ANY_TAG, 110); /* of the second */
	carry_put(&ring, 1, 3, 120);
	assert_int_equal(carry_take_later(&reader, &ring, 1, 3), 120);
	carry_put(&ring, 2, 3, 130);
	carry_put(&ring, 2, 3, 140);
	assert_int_equal(carry_take_later(&reader, &ring, 2, 3), 140);
	assert_int_equal(carry_take_later(&reader, &ring, 2, 3), 0);
}

/* Every message has a tag of its own, none waits, and each receiver comes before the next
 * message. */
TEST(ever_new_tags)
{
	struct carry_ring ring = { 0 };
	struct carry_reader reader = { 0 };

	for (int32_t tag = 0; tag < 1000; tag++) {
		assert_int_equal(carry_take_later(&reader, &ring, 1, tag), 0);
		carry_put(&ring, 1, tag, 100 + (uint64_t)tag);
	}
	for (int32_t tag = 0; tag < 1000; tag++) {
		carry_put(&ring, 1, tag, 5000 + (uint64_t)tag);
		assert_int_equal(carry_take_later(&reader, &ring, 1, tag), 5000 + tag);
	}
}

TEST(a_wildcard_belongs_to_every_tag)
{
	struct carry_ring ring = { 0 };
	struct carry_reader reader = { 0 };

	carry_put(&ring, 1, CARRY_ANY_TAG, 50);
	carry_put(&ring, 1, 8, 60);
	assert_int_equal(carry_take(&reader, &ring, 1, 9), 50);
	assert_int_equal(carry_take(&reader, &ring, 2, 8), 0);
	assert_int_equal(carry_take(&reader, &ring, 1, 8), 60);
}

/* Whoever cancels takes back the entry of that message, and no other gets its time. */
TEST(cancelled_ones_are_nobodys)
{
	struct carry_ring ring = { 0 };
	struct carry_reader reader = { 0 };

	for (uint64_t round = 0; round < 1000; round++) {
		carry_put(&ring, 1, 3, 100 * round + 10);
		carry_put(&ring, 1, 3, 100 * round + 20);
		carry_put(&ring, 1, 3, 100 * round + 30);
		carry_withdraw(&ring, 1, 3, 100 * round + 20);
		assert_int_equal(carry_take_later(&reader, &ring, 1, 3), 100 * round + 10);
		assert_int_equal(carry_take_later(&reader, &ring, 1, 3), 100 * round + 30);
	}
	carry_withdraw(&ring, 1, 4, 99930);
	carry_withdraw(&ring, 2, 3, 99930);
	assert_int_equal(ring.withdrawn, 1000);
}

/* More senders' tags than are kept are ahead of their receivers: from then on nothing is known, and
 * nothing wrong, until all receivers have come. */
TEST(more_tags_than_are_kept)
{
	struct carry_ring ring = { 0 };
	struct carry_reader reader = { 0 };
	const int32_t tags = 2 * CARRY_OWED;

	for (int32_t tag = 0; tag < tags; tag++)
		assert_int_equal(carry_take_later(&reader, &ring, 1, tag),
				 tag <= CARRY_OWED ? 0 : CARRY_UNKNOWN);
	for (int32_t tag = 0; tag < tags - 1; tag++)
		carry_put(&ring, 1, tag, 100);
	carry_put(&ring, 1, 0, 200);
	assert_int_equal(carry_take_later(&reader, &ring, 1, 0), CARRY_UNKNOWN);
	carry_put(&ring, 1, tags - 1, 210);
	for (int32_t tag = 0; tag < tags; tag++) {
		carry_put(&ring, 1, tag, 300 + (uint64_t)tag);
		assert_int_equal(carry_take_later(&reader, &ring, 1, tag),
				 tag ? 300 + (uint64_t)tag : CARRY_UNKNOWN);
	}
}

/* Receivers that are further ahead than is kept: it is known that they were there, but not since
 * when. */
TEST(receivers_far_ahead)
{
	struct carry_ring ring = { 0 };
	struct carry_reader reader = { 0 };

	for (uint64_t i = 0; i < 2 * CARRY_ENTRIES; i++)
		carry_put(&ring, 1, 3, 100 + i);
	assert_int_equal(carry_take_later(&reader, &ring, 1, 3), CARRY_UNKNOWN);
	for (uint64_t i = 1; i < 2 * CARRY_ENTRIES; i++)
		assert_int_equal(carry_take_later(&reader, &ring, 1, 3), 0);
	carry_put(&ring, 1, 3, 5000);
	assert_int_equal(carry_take_later(&reader, &ring, 1, 3), 5000);
}

/* A message of a freed request was asked for by nobody; its entry comes later. */
TEST(forgone_ones)
{
	struct carry_ring ring = { 0 };
	struct carry_reader reader = { 0 };

	carry_take_later(&reader, &ring, 1, 3);
	carry_in_step(&reader, &ring);
	carry_put(&ring, 1, 3, 50);
	carry_put(&ring, 1, 3, 60);
	assert_int_equal(carry_take(&reader, &ring, 1, 3), 60);
}

/* A third rank sees what was put and not taken, in its order. */
TEST(messages_under_way)
{
	struct carry_ring ring = { 0 };
	struct carry_reader reader = { 0 };
	struct carry_entry entry;

	assert_int_equal(carry_under_way(&ring, 1, 3, 0, &entry), 0);
	carry_put(&ring, 1, 3, 10);
	carry_put(&ring, 1, 4, 20);
	carry_put(&ring, 1, 3, 30);
	carry_put(&ring, 2, 3, 40);
	assert_int_equal(carry_under_way(&ring, 1, 3, 0, &entry), 10);
	assert_int_equal(carry_under_way(&ring, 1, 3, 1, &entry), 30);
	assert_int_equal(carry_under_way(&ring, 1, 3, 2, &entry), 0);
	assert_int_equal(carry_under_way(&ring, 1, CARRY_ANY_TAG, 1, &entry), 20);
	assert_int_equal(entry.tag, 4);
	/* The second one is taken first, then the first, and the window moves on. */
	assert_int_equal(carry_take(&reader, &ring, 1, 4), 20);
	assert_int_equal(carry_under_way(&ring, 1, CARRY_ANY_TAG, 1, &entry), 30);
	assert_int_equal(carry_take(&reader, &ring, 1, 3), 10);
	assert_int_equal(carry_under_way(&ring, 1, CARRY_ANY_TAG, 0, &entry), 30);
	carry_withdraw(&ring, 1, 3, 30);
	assert_int_equal(carry_under_way(&ring, 1, CARRY_ANY_TAG, 0, &entry), 0);
	assert_int_equal(carry_under_way(&ring, 2, CARRY_ANY_TAG, 0, &entry), 40);
	/* More than there is room for: it cannot be told. */
	for (uint64_t i = 0; i < CARRY_ENTRIES; i++)
		carry_put(&ring, 1, 5, 100 + i);
	assert_true(carry_under_way(&ring, 2, 3, 0, &entry) == CARRY_UNKNOWN);
}

/* Taken in the order they were put, as nearly all are: others see it, and the reader writes to no
 * line that the writer writes to. */
TEST(taken_in_order)
{
	struct carry_ring ring = { 0 };
	struct carry_reader reader = { 0 };
	struct carry_entry entry;

	for (uint64_t i = 0; i < 3 * CARRY_ENTRIES; i++) {
		carry_put(&ring, 1, 3, 10 + i);
		carry_put(&ring, 1, 4, 20 + i);
		assert_int_equal(carry_take(&reader, &ring, 1, 3), 10 + i);
		assert_int_equal(carry_under_way(&ring, 1, CARRY_ANY_TAG, 0, &entry), 20 + i);
		assert_int_equal(carry_take(&reader, &ring, 1, 4), 20 + i);
		assert_int_equal(carry_under_way(&ring, 1, CARRY_ANY_TAG, 0, &entry), 0);
		assert_int_equal(carry_take(&reader, &ring, 1, 4), 0);
		carry_in_step(&reader, &ring);
	}
	for (uint64_t i = 0; i < CARRY_ENTRIES; i++)
		assert_int_equal(ring.entry[i].taken, 0);
	assert_true(offsetof(struct carry_ring, read) / 64 !=
		    offsetof(struct carry_ring, written) / 64);
	assert_true(offsetof(struct carry_ring, read) / 64 !=
		    offsetof(struct carry_ring, entry) / 64);
}
