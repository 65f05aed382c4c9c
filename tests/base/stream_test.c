/* Records that processes send each other while they work, and how all find out that none is left. */
#include "base/stream.h"

#include "base/mem.h"
#include "harness/processes.h"
#include "harness/random.h"
#include "harness/test.h"

enum { MOST = 8, TOKENS = 50, HOPS = 40, ROUNDS = 3, BULK = 20000, KIND_TOKEN = 1, KIND_BULK = 2 };

/* A token makes a number of hops; each sender numbers what it sends to a process. */
struct token {
	uint64_t hops, number;
};

struct process_log {
	uint64_t hops[ROUNDS]; /* taken until all was quiet */
	bool in_order;
};

struct log {
	struct process_log of[MOST];
};

static void send_token(struct stream *s, struct exchange *x, uint64_t *random, uint64_t *numbers,
		       uint64_t hops)
{
	const uint32_t to = (uint32_t)draw(random, x->processes);
	struct token *token = stream_put(s, to, KIND_TOKEN, sizeof *token);

	*token = (struct token){ hops, numbers[to]++ };
	if (draw(random, 4) == 0)
		stream_flush(s);
}

static void hop(struct exchange *x, void *context)
{
	struct log *log = context;
	struct process_log *own = &log->of[x->process];
	struct stream *s = stream_new(x);
	uint64_t random = 17 * x->processes + x->process, sent[MOST] = { 0 }, seen[MOST] = { 0 };

	own->in_order = true;
	for (int round = 0; round < ROUNDS; round++) {
		/* One process alone begins with all the tokens. */
		for (int i = 0; i < TOKENS && x->process == 0; i++)
			send_token(s, x, &random, sent, HOPS);
		while (stream_wait(s)) {
			struct stream_head head;
			const struct token *token = stream_take(s, &head);
			own->hops[round]++;
			own->in_order = own->in_order && head.kind == KIND_TOKEN &&
					head.bytes == sizeof *token &&
					token->number == seen[head.from]++;
			if (token->hops > 1)
				send_token(s, x, &random, sent, token->hops - 1);
		}
	}
	stream_free(s);
}

TEST(all_are_quiet_once_every_token_has_made_its_hops)
{
	for (uint32_t n = 2; n <= MOST; n++) {
		struct log log = { 0 };
		processes_run(n, hop, &log);
		for (int round = 0; round < ROUNDS; round++) {
			uint64_t hops = 0;
			for (uint32_t p = 0; p < n; p++)
				hops += log.of[p].hops[round];
			assert_int_equal(hops, TOKENS * HOPS);
		}
		for (uint32_t p = 0; p < n; p++)
			assert_true(log.of[p].in_order);
	}
}

/* Records of many sizes, more than a buffer holds. */
static void send_bulk(struct exchange *x, void *context)
{
	struct log *log = context;
	struct stream *s = stream_new(x);
	const uint32_t to = (x->process + 1) % x->processes;
	uint64_t next = 0;

	for (uint64_t i = 0; i < BULK; i++) {
		const uint32_t values = (uint32_t)(i % 7 + (i == BULK / 2 ? 10000 : 0));
		uint64_t *record = stream_put(s, to, KIND_BULK, values * 8);
		for (uint32_t k = 0; k < values; k++)
			record[k] = i;
	}
	log->of[x->process].in_order = true;
	do {
		struct stream_head head;
		const uint64_t *record;
		while ((record = stream_take(s, &head))) {
			bool right = head.bytes == (next % 7 + (next == BULK / 2 ? 10000 : 0)) * 8;
			for (uint32_t k = 0; k < head.bytes / 8 && right; k++)
				right = record[k] == next;
			log->of[x->process].in_order = log->of[x->process].in_order && right;
			next++;
		}
	} while (stream_wait(s));
	log->of[x->process].hops[0] = next;
	stream_free(s);
}

TEST(records_of_any_size_arrive_whole)
{
	struct log log = { 0 };

	processes_run(3, send_bulk, &log);
	for (uint32_t p = 0; p < 3; p++) {
		assert_int_equal(log.of[p].hops[0], BULK);
		assert_true(log.of[p].in_order);
	}
}
