/* What a thread's records leave to those that follow: by hand. */
#include "capture/lib/ledger.h"

#include <stdlib.h>

#include "harness/test.h"

static struct tv_ledger *ledger_new(void)
{
	struct tv_ledger *l = calloc(1, sizeof *l);

	assert_non_null(l);
	return l;
}

static void take(struct tv_ledger *l, uint64_t time, enum tv_kind kind, uint16_t call, uint32_t id)
{
	const union tv_kept record = { .head = { time, (uint8_t)kind, 0, call, id } };

	tv_ledger_take(l, &record.head);
}

static void message(struct tv_ledger *l, enum tv_kind kind, uint32_t request, int32_t peer,
		    int32_t tag, uint32_t comm)
{
	const union tv_kept record = { .message = { .head = { 5, (uint8_t)kind, 0, 0, request },
						    .peer = peer,
						    .tag = tag,
						    .size = tv_size_make(8, comm) } };

	tv_ledger_take(l, &record.head);
}

static void function(struct tv_ledger *l, enum tv_kind kind, uint64_t address)
{
	const union tv_kept record = { .function = { 7, (uint64_t)kind | address << 8 } };

	tv_ledger_take(l, &record.head);
}

static const struct tv_channel *channel(struct tv_ledger *l, uint32_t comm, int32_t peer,
					int32_t tag)
{
	return tv_ledger_channel(l, comm, peer, tag);
}

/* Messages of one partner are counted by tag and communicator, and both ways apart. */
TEST(test_channels)
{
	struct tv_ledger *l = ledger_new();

	for (int i = 0; i < 3; i++)
		message(l, TV_SEND, 0, 1, 7, 0);
	message(l, TV_SEND, 0, 1, 8, 0);
	message(l, TV_SEND, 0, 1, 7, 2);
	message(l, TV_RECV, 0, 1, 7, 0);
	assert_int_equal(channel(l, 0, 1, 7)->sent, 3);
	assert_int_equal(channel(l, 0, 1, 7)->received, 1);
	assert_int_equal(channel(l, 0, 1, 8)->sent, 1);
	assert_int_equal(channel(l, 2, 1, 7)->sent, 1);
	assert_int_equal(l->channels, 3);
	assert_int_equal(l->lost, 0);
	free(l);
}

/* What does not fit is said, and what is there stays right. */
TEST(test_more_channels_than_fit)
{
	struct tv_ledger *l = ledger_new();

	for (int tag = 0; tag < TV_LEDGER_CHANNELS; tag++)
		message(l, TV_SEND, 0, 1, tag, 0);
	assert_int_equal(l->channels, 3072);
	assert_int_equal(l->lost, 1024);
	assert_int_equal(channel(l, 0, 1, 3000)->sent, 1);
	free(l);
}

/* main > step > MPI_Send, of which step is left by longjmp() when main ends. */
TEST(test_open)
{
	struct tv_ledger *l = ledger_new();

	function(l, TV_FUNCTION_ENTER, 0x100);
	function(l, TV_FUNCTION_ENTER, 0x200);
	take(l, 9, TV_ENTER, 3, 0);
	message(l, TV_SEND, 0, 1, 7, 0);
	assert_int_equal(l->frames, 3);
	assert_int_equal(l->sends, 1);
	assert_int_equal(l->until, 10);
	take(l, 11, TV_LEAVE, 3, 0);
	assert_int_equal(l->frames, 2);
	assert_int_equal(l->sends, 0);
	function(l, TV_FUNCTION_LEAVE, 0x300); /* of an enter that was not recorded */
	assert_int_equal(l->frames, 2);
	function(l, TV_FUNCTION_LEAVE, 0x100);
	assert_int_equal(l->frames, 0);
	free(l);
}

TEST(test_requests)
{
	struct tv_ledger *l = ledger_new();

	message(l, TV_RECV_REQUEST, 1, -1, 7, 0);
	message(l, TV_SEND, 2, 1, 7, 0);
	take(l, 1, TV_COLL_REQUEST, 0, 3);
	message(l, TV_RECV_REQUEST, 4, 2, 7, 0);
	assert_int_equal(l->requests, 4);
	message(l, TV_RECV, 1, 5, 7, 0);
	take(l, 1, TV_SEND_COMPLETE, 0, 2);
	assert_int_equal(l->requests, 2);
	assert_int_equal(tv_ledger_request(l, 2), 2); /* there is none */
	assert_int_equal(l->request[tv_ledger_request(l, 4)].message.peer, 2);
	take(l, 1, TV_REQUEST_FREED, 0, 4);
	assert_int_equal(l->requests, 1);
	free(l);
}

/* A blocking one counts when it begins, another one when it is completed. */
TEST(test_collectives)
{
	struct tv_ledger *l = ledger_new();
	const union tv_kept complete = { .collective = { .head = { 9, TV_COLL_COMPLETE, 0, 0, 6 },
							 .received_comm = tv_size_make(8, 4) } };

	take(l, 1, TV_COLL_REQUEST, 0, 6);
	assert_int_equal(tv_ledger_comm(l, 4)->collectives, 0);
	take(l, 2, TV_COLL_BEGIN, 0, 4);
	assert_int_equal(tv_ledger_comm(l, 4)->collectives, 1);
	assert_int_equal(l->in_collective, 1);
	take(l, 3, TV_COLL_END, 0, 4);
	assert_int_equal(l->in_collective, 0);
	tv_ledger_take(l, &complete.head);
	assert_int_equal(tv_ledger_comm(l, 4)->collectives, 2);
	assert_int_equal(l->requests, 0);
	free(l);
}

/* What the program switched holds on. */
TEST(test_switched)
{
	struct tv_ledger *l = ledger_new();
	struct {
		struct tv_define define;
		int32_t level[4];
	} record = { .define = { .head = { 5, TV_DEFINE, 0, TV_DEF_LEVELS, 0 },
				 .size = sizeof record,
				 .length = TV_LEVELS * sizeof(int32_t) },
		     .level = { 1, 0, 1 } };

	tv_ledger_take(l, &record.define.head);
	take(l, 6, TV_DEFINE, TV_DEF_PAUSE, 1);
	assert_int_equal(l->levels, 1);
	assert_int_equal(l->level[0], 1);
	assert_int_equal(l->level[1], 0);
	assert_int_equal(l->level[2], 1);
	assert_int_equal(l->paused, 1);
	take(l, 7, TV_DEFINE, TV_DEF_PAUSE, 0);
	assert_int_equal(l->paused, 0);
	assert_int_equal(l->levels, 1);
	free(l);
}
