/* Records that a thread writes as words come out as they went in, and take the bytes that
 * record_words.h says; words that anybody may have written do no harm. */
#include "capture/lib/record_words.h"

#include <stdlib.h>

#include "harness/test.h"

enum { RECORDS = 4000 };

/* What the sizes of kinds are, record.h says. */
TEST(test_sizes)
{
	for (uint32_t kind = 1; kind < TV_KINDS; kind++) {
		const struct tv_define record = { .head.kind = (uint8_t)kind };
		if (kind == TV_VIRTUAL)
			assert_int_equal(tv_record_size(&record.head), 64);
		else if (kind != TV_DEFINE)
			assert_int_equal(tv_words_long(kind) ? 32 : 16,
					 tv_record_size(&record.head));
	}
}

struct writer {
	struct tv_wording w;
	struct tv_contents known[TV_WORD_KNOWN];
	_Alignas(8) char chunk[TV_CHUNK_SIZE];
	size_t used, of_records;
	uint64_t time;
	uint64_t record[RECORDS][4]; /* what was written; words that it does not have are 0 */
	size_t n;
	struct tv_words_slot_read slots[TV_WORD_SLOTS];
};

static struct writer *writer_new(void)
{
	struct writer *w = calloc(1, sizeof *w);

	assert_non_null(w);
	w->w.known = w->known;
	tv_words_forget(&w->w, true);
	w->used = sizeof(struct tv_chunk);
	w->time = UINT64_C(1) << 40;
	return w;
}

static uint64_t *begin(struct writer *w)
{
	assert_true(w->used + TV_WORDS_MOST <= TV_CHUNK_SIZE);
	return (void *)(w->chunk + w->used);
}

/* The words up to `end` are a record of that. */
static void added(struct writer *w, const uint64_t *end, uint64_t time, uint64_t what,
		  uint64_t second, uint64_t third)
{
	uint64_t *record = w->record[w->n++];

	w->used = (size_t)((const char *)end - w->chunk);
	record[0] = time;
	record[1] = what;
	record[2] = second;
	record[3] = third;
}

/* Any record, whose number is that of a request where `numbered`. */
static void add(struct writer *w, uint64_t what, uint64_t second, uint64_t third, bool numbered,
		uint64_t later)
{
	const uint32_t number = (uint32_t)(what >> 32);
	uint64_t *at = begin(w);
	uint32_t slot;

	w->time += later;
	at = tv_words_slot(&w->w, at, numbered ? what & UINT32_MAX : what, second, third, &slot);
	at = numbered ? tv_words_put_numbered(&w->w, at, w->time, slot, number)
		      : tv_words_put(&w->w, at, w->time, tv_word(TV_WORD_RECORD, slot));
	added(w, at, w->time, what, second, third);
}

static void add_enter(struct writer *w, uint64_t call, uint64_t later)
{
	add(w, TV_ENTER | call << 16, 0x401000 + call, 0x7ffe0, false, later);
}

static void add_leave(struct writer *w, uint64_t call, uint64_t later)
{
	uint64_t *at = begin(w);

	w->time += later;
	at = tv_words_put(&w->w, at, w->time,
			  tv_word(TV_WORD_HEAD, (uint32_t)call) | (uint64_t)TV_LEAVE
									  << TV_WORD_BACK_AT);
	added(w, at, w->time, TV_LEAVE | call << 16, 0, 0);
}

static void add_message(struct writer *w, enum tv_kind kind, uint32_t request, uint32_t peer)
{
	add(w, (uint64_t)kind | (uint64_t)request << 32, peer | UINT64_C(7) << 32, 8, true, 0);
}

/* All records come out as they went in. */
static void round_trip(struct writer *w)
{
	struct tv_words_reader r = { .slots = w->slots };
	const struct tv_head *head;
	size_t n = 0;

	tv_words_begin(&r, (const void *)w->chunk);
	while ((head = tv_words_next(&r, w->used))) {
		assert_true(n < w->n);
		assert_memory_equal(head, w->record[n], tv_record_size(head));
		n++;
	}
	assert_int_equal(r.at, w->used);
	assert_int_equal(n, w->n);
}

static size_t bytes_of(const struct writer *w)
{
	return w->used - sizeof(struct tv_chunk);
}

/* 16 bytes a visit; before, the time of the first and what the slot is. */
TEST(test_visits)
{
	const uint64_t enter = TV_FUNCTION_ENTER | 0x401234 << 8, leave = enter ^ 3;
	struct writer *w = writer_new();
	uint64_t *at = begin(w);

	at = tv_words_define(&w->w, at, w->w.slots, &(struct tv_contents){ .what = enter });
	w->used = (size_t)((char *)at - w->chunk);
	for (int i = 0; i < 100; i++) {
		at = tv_words_put(&w->w, begin(w), w->time += 60,
				  tv_word(TV_WORD_RECORD, TV_WORD_KNOWN));
		added(w, at, w->time, enter, 0, 0);
		at = tv_words_put(&w->w, begin(w), w->time += 25,
				  tv_word(TV_WORD_LEFT, TV_WORD_KNOWN));
		added(w, at, w->time, leave, 0, 0);
	}
	round_trip(w);
	assert_int_equal(bytes_of(w), 16 + 8 + 100 * 16);
	free(w);
}

/* Irecv, Send, Wait: 24 bytes each. Before, one time, and six slots of 32 bytes. */
TEST(test_calls)
{
	struct writer *w = writer_new();

	for (uint32_t i = 0; i < 100; i++) {
		add_enter(w, 1, 100);
		add_message(w, TV_RECV_REQUEST, i + 1, 3);
		add_leave(w, 1, 80);
		add_enter(w, 2, 100);
		add_message(w, TV_SEND, 0, 3);
		add_leave(w, 2, 80);
		add_enter(w, 3, 100);
		add_message(w, TV_RECV, i + 1, 3);
		add_leave(w, 3, 80);
	}
	round_trip(w);
	assert_int_equal(bytes_of(w), 8 + 6 * 32 + 300 * 24);
	assert_int_equal(w->w.besides, 8 + 6 * 32);
	free(w);
}

/* Requests that are completed in another order, times that go back or far on, and ids with all bits
 * set. */
TEST(test_unusual)
{
	struct writer *w = writer_new();

	for (uint32_t i = 1; i <= 64; i++)
		add_message(w, TV_RECV_REQUEST, i, i % 4);
	for (uint32_t i = 64; i >= 1; i--)
		add_message(w, TV_RECV, i, i % 4);
	add_message(w, TV_SEND_COMPLETE, UINT32_MAX, 0);
	add_message(w, TV_SEND_COMPLETE, 1, 0);
	add_message(w, TV_SEND_COMPLETE, 4097, 0);
	add_message(w, TV_SEND_COMPLETE, 1, 0);
	add_message(w, TV_SEND_COMPLETE, 4098, 0);
	add_leave(w, 7, UINT32_MAX);
	add_leave(w, 7, UINT64_C(1) << 32);
	add_leave(w, 7, UINT64_C(1) << 58);
	add_leave(w, UINT16_MAX, (uint64_t)-5000);
	round_trip(w);
	free(w);
}

/* What is not known to be written is written again. */
TEST(test_forgotten)
{
	struct writer *w = writer_new();

	add_message(w, TV_RECV_REQUEST, 1, 3);
	tv_words_forget(&w->w, false);
	add_message(w, TV_RECV_REQUEST, 2, 3);
	round_trip(w);
	assert_int_equal(bytes_of(w), 2 * (8 + 32) + 8 + 8 + 8);
	free(w);
}

/* Contents that share a slot, at random, of all kinds. */
TEST(test_random)
{
	struct writer *w = writer_new();

	srand(1);
	while (w->n < RECORDS) {
		const uint64_t later = (uint64_t)rand() >> (8 + rand() % 20);
		uint64_t what;
		do
			what = (uint64_t)rand() % TV_KINDS;
		while (!tv_words_kind_known(what));
		what |= (uint64_t)(rand() % 2) << 16 | (uint64_t)(rand() % 5) << 32;
		if (tv_words_long(what))
			add(w, what, (uint64_t)rand() % 40, (uint64_t)rand() % 40, rand() % 2,
			    later);
		else
			add(w, what, 0, 0, rand() % 2, later);
	}
	round_trip(w);
	free(w);
}

/* A definition and other records stay as they are, wherever they are. */
TEST(test_whole)
{
	struct writer *w = writer_new();
	struct tv_words_reader r = { .slots = w->slots };
	const struct tv_head *head;
	struct tv_define *define;
	uint64_t *at;

	add_leave(w, 1, 10);
	at = begin(w);
	*at = tv_word(TV_WORD_WHOLE, 0);
	define = (void *)(at + 1);
	*define = (struct tv_define){ .head = { 77, TV_DEFINE, 0, TV_DEF_STRING, 5 },
				      .size = sizeof *define + 16,
				      .length = 9 };
	w->used += sizeof *at + sizeof *define + 16;
	w->w.time = 77;
	add_leave(w, 2, 10);
	tv_words_begin(&r, (const void *)w->chunk);
	assert_int_equal(tv_words_next(&r, w->used)->call, 1);
	head = tv_words_next(&r, w->used);
	assert_ptr_equal(head, define);
	head = tv_words_next(&r, w->used);
	assert_int_equal(head->call, 2);
	assert_int_equal(head->time, w->time);
	assert_null(tv_words_next(&r, w->used));
	assert_int_equal(r.at, w->used);
	free(w);
}

/* Cut off or changed anywhere: never beyond the end, and only records of known kinds. */
TEST(test_damaged)
{
	struct writer *w = writer_new();
	const struct tv_head *head;
	size_t n;

	srand(2);
	for (uint32_t i = 0; i < 50; i++) {
		add_enter(w, 1, 100);
		add_message(w, TV_RECV_REQUEST, i * 3, i % 5);
		add_leave(w, 1, UINT64_C(80) << i % 25);
	}
	round_trip(w);
	n = w->used;
	for (size_t cut = sizeof(struct tv_chunk); cut < n; cut++) {
		struct tv_words_reader r = { .slots = w->slots };
		size_t got = 0;
		tv_words_begin(&r, (const void *)w->chunk);
		while ((head = tv_words_next(&r, cut)))
			assert_memory_equal(head, w->record[got++], tv_record_size(head));
		assert_in_range(r.at, sizeof(struct tv_chunk), cut);
	}
	for (int i = 0; i < 20000; i++) {
		struct tv_words_reader r = { .slots = w->slots };
		const size_t at =
			sizeof(struct tv_chunk) + (size_t)rand() % (n - sizeof(struct tv_chunk));
		const char was = w->chunk[at];
		w->chunk[at] = (char)rand();
		tv_words_begin(&r, (const void *)w->chunk);
		while ((head = tv_words_next(&r, n)))
			assert_true(head->kind == TV_DEFINE || tv_words_kind_known(head->kind));
		assert_in_range(r.at, sizeof(struct tv_chunk), n);
		w->chunk[at] = was;
	}
	free(w);
}
