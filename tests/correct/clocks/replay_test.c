/* The order in which the replay hands out events, checked pair by pair. */
#include <string.h>

#include "base/mem.h"
#include "correct/clocks/clocked_run.h"
#include "correct/clocks/replay.h"
#include "harness/test.h"
#include "model/build/builder.h"
#include "model/trace/store.h"

enum { TRACES = 2000 };

/* What was handed out: when, by event, from 1. */
struct log {
	const struct trace *trace;
	struct logical *logical;
	uint64_t *order;
	bool *forced; /* of receives and ends */
	uint64_t n, pairs;
	uint64_t absent; /* begins that their group did not wait for */
};

static void take_step(struct log *log, const struct replay_step *step)
{
	uint32_t row, party;

	assert_true(step->from < step->to);
	for (uint32_t slot = step->from; slot < step->to; slot++) {
		const uint32_t event = step->block * BLOCK_EVENTS + slot;
		const enum logical_part part =
			logical_part_of(log->logical, event,
					store_block(log->trace, step->block)->what[slot], &row,
					&party);
		assert_int_equal(log->order[event], 0);
		log->order[event] = ++log->n;
		log->forced[event] = step->forced;
		if (part == PART_BEGIN && step->part == PART_LOCAL) {
			log->absent++;
			continue;
		}
		assert_int_equal(part, slot + 1 == step->to ? step->part : PART_LOCAL);
		if (part != PART_LOCAL)
			assert_int_equal(row, step->row);
		if (part == PART_BEGIN || part == PART_END)
			assert_int_equal(party, step->party);
	}
}

static uint64_t run(struct log *log, struct trace *trace)
{
	struct err err = ERR_INIT;
	struct replay *replay;
	struct replay_step step;
	uint64_t forced;
	const size_t slots = (size_t)store_block_count(trace) * BLOCK_EVENTS;

	log->trace = trace;
	log->logical = logical_new(trace, NULL, &err);
	log->order = xcalloc(slots + 1, sizeof *log->order);
	log->forced = xcalloc(slots + 1, sizeof *log->forced);
	log->n = log->pairs = log->absent = 0;
	replay = replay_new(log->logical, BASE_MEASURED,
			    &(struct replay_sizes){ .state = 8, .party = 4 });
	while (replay_next(replay, &step)) {
		take_step(log, &step);
		if (step.group) { /* the state is the group's, from its first party to its last */
			uint64_t *seen = step.state;
			uint32_t *own = (uint32_t *)step.parties + step.party;
			if (*seen == 0)
				*seen = step.row + 1;
			assert_int_equal(*seen, step.row + 1);
			assert_int_equal(*own & (uint32_t)step.part, 0);
			*own |= (uint32_t)step.part;
		}
	}
	forced = replay_forced(replay);
	replay_free(replay);
	assert_int_equal(log->n, trace_event_count(trace));
	return forced;
}

static void fini(struct log *log)
{
	logical_free(log->logical);
	free_all(log->order, log->forced);
}

static void within_a_location_the_order_stays(const struct log *log)
{
	for (uint32_t l = 0; l < trace_location_count(log->trace); l++) {
		struct cursor c;
		uint64_t before = 0;
		for (bool ok = cursor_first(&c, log->trace, BASE_MEASURED, l); ok;
		     ok = cursor_next(&c)) {
			assert_true(log->order[c.id] > before);
			before = log->order[c.id];
		}
	}
}

/* How many pairs are the wrong way round; of a forced receive none counts. */
static uint64_t wrong_pairs(struct log *log)
{
	struct group group = { 0 };
	uint64_t wrong = 0;

	for (uint32_t row = 0; row < trace_message_count(log->trace); row++) {
		const struct message *m = trace_message(log->trace, row);
		if (!logical_message(log->logical, row) || log->forced[m->recv])
			continue;
		log->pairs++;
		wrong += log->order[m->send] > log->order[m->recv];
	}
	for (uint32_t id = 0; id < logical_group_count(log->logical); id++) {
		if (!logical_group(log->logical, id, &group))
			continue;
		for (uint32_t i = 0; i < group.n; i++)
			for (uint32_t j = 0; j < group.n; j++)
				if (group_sends_to(&group, i, j) &&
				    !log->forced[group.parties[j].end]) {
					log->pairs++;
					wrong += log->order[group.parties[i].begin] >
						 log->order[group.parties[j].end];
				}
	}
	group_fini(&group);
	return wrong;
}

TEST(senders_come_first)
{
	uint64_t forced_traces = 0, pairs = 0;

	for (uint64_t seed = 1; seed <= TRACES; seed++) {
		const struct clocked_options options = clocked_options(seed, false);
		OWNED_TRACE *trace = clocked_run(&options);
		ENDED_BY(fini) struct log log;
		const uint64_t forced = run(&log, trace);
		within_a_location_the_order_stays(&log);
		assert_int_equal(wrong_pairs(&log), 0);
		if (!options.impossible)
			assert_int_equal(forced, 0);
		if (forced == 0)
			assert_int_equal(log.absent, 0);
		forced_traces += forced > 0;
		pairs += log.pairs;
	}
	assert_true(forced_traces > TRACES / 100);
	assert_true(pairs > 50 * TRACES);
}

static void receive_from(struct builder *b, uint32_t at, int64_t time, int32_t rank)
{
	builder_recv(b, at, time,
		     &(struct message_end){ .rank = rank, .process = -1, .tag = 1, .bytes = 1 });
}

static void send_to(struct builder *b, uint32_t at, int64_t time, int32_t rank)
{
	builder_send(b, at, time,
		     &(struct message_end){ .rank = rank, .process = -1, .tag = 1, .bytes = 1 });
}

/* Two that receive before they send cannot be. The earlier receive (A9) goes on, and that is
 * enough. */
TEST(the_earliest_parked_receive_is_forced)
{
	struct err err = ERR_INIT;
	struct builder *b = builder_new("impossible", &units_nanoseconds, &err);
	OWNED_TRACE *trace;
	ENDED_BY(fini) struct log log;

	for (int32_t l = 0; l < 2; l++)
		builder_location(b, &(struct location){ .rank = l, .process = -1 });
	receive_from(b, 0, 20, 1);
	send_to(b, 0, 30, 1);
	receive_from(b, 1, 10, 0);
	send_to(b, 1, 40, 0);
	trace = builder_finish(b, NULL, NULL, &err);
	assert_int_equal(run(&log, trace), 1);
	for (uint32_t row = 0; row < 2; row++) {
		const struct message *m = trace_message(trace, row);
		assert_int_equal(log.forced[m->recv], trace_event_location(trace, m->recv) == 1);
	}
}

/* An end of a barrier before another's begin of it, by a message: the barrier goes on without. */
TEST(a_group_goes_on_without_a_sender)
{
	struct err err = ERR_INIT;
	struct builder *b = builder_new("impossible", &units_nanoseconds, &err);
	const uint32_t barrier = builder_region(b, "MPI_Barrier", CLASS_SYNC, 1);
	OWNED_TRACE *trace;
	ENDED_BY(fini) struct log log;

	for (int32_t l = 0; l < 3; l++)
		builder_location(b, &(struct location){ .rank = l, .process = -1 });
	for (uint32_t l = 0; l < 3; l++) {
		if (l == 2)
			receive_from(b, 2, 10, 0);
		builder_collective_begin(b, l, 20, 0, barrier, -1, UINT64_MAX, UINT64_MAX);
		builder_collective_end(b, l, 30 + l, UINT64_MAX, UINT64_MAX);
		if (l == 0)
			send_to(b, 0, 40, 2);
	}
	trace = builder_finish(b, NULL, NULL, &err);
	/* Rank 2's receive is the earliest that waits: it is forced, and all is well. */
	assert_int_equal(run(&log, trace), 1);
	assert_true(log.forced[trace_message(trace, 0)->recv]);
}
