/* message_counts: whether a message is under way between two ranks, as far as the counts of sends
 * and receives tell that a trace without events has (model/trace/program.h).
 *
 *	struct message_counts counts;
 *	message_counts_make(&counts, trace);
 *	if (message_counts_receive(&counts, from, to, comm, started) == COUNTS_MISSING) ...
 *	message_counts_fini(&counts);
 *
 * Counts know no tags: a message that is under way may be another one than the one that is waited
 * for. Of several receives that were started for one sender, the one that is waited for is taken as
 * the last. Statements that have several partners, or an unknown one, may have sent or received
 * any number of messages of any rank. The trace is borrowed. */
#pragma once

#include "model/trace/program.h"

enum counts_verdict {
	COUNTS_MISSING, /* the other side has not called for it */
	COUNTS_THERE,   /* it has, and more often than this side */
	COUNTS_UNKNOWN, /* not all partners are known */
};

struct message_counts {
	const struct trace *trace;
	size_t *first; /* [locations + 1]: its first record */
	struct rank_location {
		int32_t rank;
		uint32_t location;
	} * ranks; /* [locations], by rank */
};

void message_counts_make(struct message_counts *counts, const struct trace *trace);
void message_counts_fini(struct message_counts *counts);
/* Rank `to` waits for a message of rank `from`, which it is receiving; `started`: by a call that
 * was counted when it started the receive. */
enum counts_verdict message_counts_receive(const struct message_counts *counts, int32_t from,
					   int32_t to, uint32_t comm, bool started);
/* The same of the receive, for which rank `from` waits. */
enum counts_verdict message_counts_send(const struct message_counts *counts, int32_t from,
					int32_t to, uint32_t comm, bool started);
