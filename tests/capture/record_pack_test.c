/* Records that are packed for the file come out as they went in; bytes that anybody may have
 * written do no harm. */
#include "capture/lib/record_pack.h"

#include <stdlib.h>

#include "harness/test.h"

enum { ROOM = TV_CHUNK_SIZE };

/* What the sizes of kinds are, record.h says. */
TEST(test_sizes)
{
	for (uint32_t kind = 0; kind < TV_KINDS; kind++) {
		const struct tv_define record = { .head.kind = (uint8_t)kind };
		if (tv_pack_knows(kind))
			assert_int_equal(tv_pack_is(TV_PACK_LONG, kind) ? 32 : 16,
					 tv_record_size(&record.head));
	}
}

struct packing {
	struct tv_pack_table table;
	_Alignas(8) char records[ROOM + TV_TAIL], packed[ROOM], back[ROOM];
	size_t used;
	uint64_t time;
};

static struct packing *packing_new(void)
{
	struct packing *p = calloc(1, sizeof *p);

	assert_non_null(p);
	p->time = UINT64_C(1) << 40;
	return p;
}

static void add(struct packing *p, const void *record)
{
	const size_t size = tv_record_size(record);

	assert_true(p->used + size <= ROOM);
	memcpy(p->records + p->used, record, size);
	p->used += size;
}

static void add_function(struct packing *p, enum tv_kind kind, uint64_t address, uint64_t later)
{
	p->time += later;
	add(p, &(struct tv_function){ p->time, (uint64_t)kind | address << 8 });
}

static void add_head(struct packing *p, enum tv_kind kind, uint16_t call, uint32_t id,
		     uint64_t later)
{
	p->time += later;
	add(p, &(struct tv_head){ p->time, (uint8_t)kind, 0, call, id });
}

static void add_enter(struct packing *p, uint16_t call, uint64_t later)
{
	p->time += later;
	add(p, &(struct tv_enter){ { p->time, TV_ENTER, 0, call, 0 }, 0x401000 + call, 0x7ffe0 });
}

static void add_message(struct packing *p, enum tv_kind kind, uint32_t request, int peer)
{
	add(p, &(struct tv_message){ { p->time, (uint8_t)kind, 0, 0, request }, peer, 7, 8 });
}

/* The bytes that it takes; it comes out as it went in. */
static size_t round_trip(struct packing *p)
{
	const size_t n = tv_pack(&p->table, p->records, p->used, p->packed, ROOM);

	assert_true(n > 0);
	assert_int_equal(tv_unpack(&p->table, p->packed, n, p->back, p->used), p->used);
	assert_memory_equal(p->back, p->records, p->used);
	return n;
}

/* The first visit is written whole: token, time, number, one word: 24 bytes a record. */
TEST(test_visits)
{
	struct packing *p = packing_new();

	for (int i = 0; i < 100; i++) {
		add_function(p, TV_FUNCTION_ENTER, 0x401234, 60);
		add_function(p, TV_FUNCTION_LEAVE, 0x401234, 25);
	}
	assert_int_equal(round_trip(p), 2 * 24 + 99 * 2 * 4);
	free(p);
}

/* Irecv, Send, Wait: each 3 records; requests count on. Whole ones: 7 of 32 bytes take 40, of 16
 * bytes (the leaves) 24. */
TEST(test_calls)
{
	struct packing *p = packing_new();

	for (uint32_t i = 0; i < 100; i++) {
		add_enter(p, 1, 100);
		add_message(p, TV_RECV_REQUEST, i + 1, 3);
		add_head(p, TV_LEAVE, 1, 0, 80);
		add_enter(p, 2, 100);
		add_message(p, TV_SEND, 0, 3);
		add_head(p, TV_LEAVE, 2, 0, 80);
		add_enter(p, 3, 100);
		add_message(p, TV_RECV, i + 1, 3);
		add_head(p, TV_LEAVE, 3, 0, 80);
	}
	assert_int_equal(round_trip(p), 6 * 40 + 3 * 24 + 99 * 9 * 4);
	free(p);
}

/* Requests that are completed in another order, times that go back or far on, ids and addresses with
 * all bits set, and records that share a place in the table. */
TEST(test_unusual)
{
	struct packing *p = packing_new();

	for (uint32_t i = 1; i <= 64; i++)
		add_message(p, TV_RECV_REQUEST, i, (int)i % 4);
	for (uint32_t i = 64; i >= 1; i--)
		add_message(p, TV_RECV, i, (int)i % 4);
	add_head(p, TV_SEND_COMPLETE, 0, UINT32_MAX, 1);
	add_head(p, TV_SEND_COMPLETE, 0, 0, (1 << 20) - 1);
	add_head(p, TV_SEND_COMPLETE, 0, 1, 1 << 20);
	add_head(p, TV_SEND_COMPLETE, 0, UINT32_MAX - 1, UINT64_C(1) << 50);
	add_head(p, TV_LEAVE, UINT16_MAX, UINT32_MAX, (uint64_t)-5000);
	for (int round = 0; round < 3; round++)
		for (uint64_t f = 0; f < 5000 / 3; f++)
			add_function(p, TV_SITE_ENTER, (UINT64_C(1) << 56) - 1 - f, f << 9);
	round_trip(p);
	free(p);
}

/* Every kind but definitions, at random. */
TEST(test_random)
{
	struct packing *p = packing_new();

	srand(1);
	while (p->used + 32 <= ROOM - TV_TAIL) {
		uint64_t record[4] = { p->time += (uint64_t)rand() >> (8 + rand() % 20) };
		do
			record[1] = (uint64_t)rand() % TV_KINDS;
		while (!tv_pack_knows(record[1]));
		record[1] |= (uint64_t)(rand() % 2) << 16 | (uint64_t)(rand() % 5) << 32;
		record[2] = (uint64_t)rand() % 2;
		record[3] = (uint64_t)rand() % 2;
		add(p, record);
	}
	round_trip(p);
	free(p);
}

/* Definitions, what is no record, and what does not get smaller stay as they are. */
TEST(test_not_packed)
{
	struct packing *p = packing_new();

	add_head(p, TV_LEAVE, 0, 0, 1);
	assert_true(round_trip(p) > 0);
	memset(p->records + p->used, 0, 16);
	((struct tv_head *)(void *)(p->records + p->used))->kind = TV_DEFINE;
	assert_int_equal(tv_pack(&p->table, p->records, p->used + 16, p->packed, ROOM), 0);
	((struct tv_head *)(void *)(p->records + p->used))->kind = TV_KINDS;
	assert_int_equal(tv_pack(&p->table, p->records, p->used + 16, p->packed, ROOM), 0);
	((struct tv_head *)(void *)(p->records + p->used))->kind = TV_ENTER;
	assert_int_equal(tv_pack(&p->table, p->records, p->used + 16, p->packed, ROOM), 0);
	for (uint64_t f = 0; f < 100; f++)
		add_function(p, TV_FUNCTION_ENTER, f * 4096, 1);
	assert_int_equal(tv_pack(&p->table, p->records, p->used, p->packed, 1000), 0);
	free(p);
}

/* Cut off or changed anywhere: never more than there is room for, and only records. */
TEST(test_damaged)
{
	struct packing *p = packing_new();
	size_t n;

	srand(2);
	for (uint32_t i = 0; i < 50; i++) {
		add_enter(p, 1, 100);
		add_message(p, TV_RECV_REQUEST, i * 3, (int)i % 5);
		add_head(p, TV_LEAVE, 1, 0, UINT64_C(80) << i % 25);
	}
	n = round_trip(p);
	for (size_t cut = 0; cut < n; cut++) {
		const size_t got = tv_unpack(&p->table, p->packed, cut, p->back, p->used);
		assert_true(got < p->used);
		assert_memory_equal(p->back, p->records, got);
	}
	for (int i = 0; i < 20000; i++) {
		char bytes[64];
		size_t got, at = 0;
		memcpy(bytes, p->packed + (size_t)rand() % (n - sizeof bytes), sizeof bytes);
		for (int k = 0; k < 8; k++)
			bytes[rand() % 64] = (char)rand();
		got = tv_unpack(&p->table, bytes, sizeof bytes, p->back, 200);
		assert_true(got <= 200);
		while (at < got) {
			const struct tv_head *head = (const void *)(p->back + at);
			assert_true(tv_pack_knows(head->kind));
			at += tv_record_size(head);
		}
		assert_int_equal(at, got);
	}
	free(p);
}
