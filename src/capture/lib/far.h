/* far: what ranks of other nodes say of themselves (rank_line.h, carry.h), for receives from any
 * source (hold.h) of a job that runs on several nodes.
 *
 * A rank asks the other nodes, over TCP, when it has a receive to hold; each has a thread that
 * answers from the memory that its ranks share (far_serve.h). A question says from when on the
 * asker does not care, and which messages are under way to that node; it is kept there, and
 * answered when no rank of that node can send earlier any more by itself, or by one of these
 * messages. A rank asks when those of its own node cannot either: so what they send afterwards
 * changes nothing, and there is one question and one answer (an exchange) for each other node whose
 * ranks could send earlier as far as was known. More than one where a rank there, which waited when
 * its node answered, was woken since by one that could not have gone on without that node:
 * counted.
 * Nothing is sent as long as no receive has to be held, but for one: the virtual time of a message
 * from another node is asked for when the message was received.
 *
 * Clocks of nodes differ. Each exchange bounds the difference: an answer was sent after the
 * question came, and came after it was sent. The bounds of all exchanges are kept, and grow by what
 * clocks drift. All times that leave here are those of this node's clock.
 *
 * A node that does not answer in time is lost: then nothing is known of the job's other nodes.
 * One thread of the process. */
#pragma once

#include "capture/lib/far_serve.h"
#include "capture/lib/far_wire.h"
#include "capture/lib/order_counts.h"

/* The nodes of the job, this one, too; which is that of each number. They know the key. */
void tv_far_join(const struct far_card *cards, int n, const uint64_t key[2]);

/* There are other nodes, and all of them answer. */
bool tv_far_is_used(void);
bool tv_far_is_lost(void);

/* Connects to them, the first time. */
void tv_far_connect(void);
/* A receive begins: none was asked for it, and what was asked before is not waited for. */
void tv_far_begin(void);
/* The node of that rank is to be asked by the next tv_far_ask(), unless it is this one. */
void tv_far_want(int number);
struct far_receive {
	uint32_t comm;
	int32_t tag;
	int64_t until;  /* as in far_ask, by this node's clock */
	uint64_t since; /* ticks: it began */
};
/* Asks them, and, unless for their first messages, those of which nothing is known that is of one
 * moment; one that was asked for the receive before not too soon, and that is counted. Whether
 * there was any. */
bool tv_far_ask(const struct far_receive *r, struct tv_order *counts);
/* The receive has an earlier candidate now: who has not answered need not wait for what was asked.
 * Without that two receives may be held for each other's sake. */
void tv_far_narrow(const struct far_receive *r, struct tv_order *counts);
/* All have answered. False: not yet, or one is lost. */
bool tv_far_has_answered(void);
/* Waits for the answers of those that were asked for how it is now. */
bool tv_far_await(void);
/* Asks for the messages of one rank to this one, and waits for the answer. */
void tv_far_fetch(int from, uint64_t *counted);

/* As they were told last. The line of a rank; when that was; whether lines and rings are of one
 * moment; by how much the difference of two nodes' clocks may be wrong; whether both ranks have one
 * clock. */
const struct rank_line *tv_far_line(int number);
uint64_t tv_far_seen(int number);
bool tv_far_is_same(void);
int64_t tv_far_error(void);
/* Of two receives that are held on different nodes each may seem to be the later one, for no more
 * than that. */
int64_t tv_far_margin(void);
bool tv_far_is_one(int number, int other);
/* For so many ticks the line had not changed then. */
uint64_t tv_far_same(int number);
/* As carry_meeting_of(). */
bool tv_far_meeting(int number, uint64_t ticket, struct carry_meeting *meeting);
/* The nth (from 0) message under way between two ranks, of which one at least is elsewhere, as
 * carry_under_way(). */
uint64_t tv_far_under_way(bool posts, int from, int to, uint32_t comm, int tag, unsigned nth,
			  struct carry_entry *e);
