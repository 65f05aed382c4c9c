/* picl_account: the dynamic records of a location as PICL's own statistics (-101 time, -102 count,
 * -103 sent, -104 received, -105 moved bytes): of the whole run (event type -1), and inside each
 * procedure and loop that has an event type of a user's.
 *
 * "Inside" is PICL's word: while the outer one was entered, at any depth. Records have the costs of
 * a procedure by call statement, so the sum inside X is exact for everything that is reached only
 * through X, that is, what X dominates in the graph of the calls that happened. Anything that is
 * reached on other ways, too, is left out: in PICL a missing pair is undefined. So is everything
 * more than ACCOUNT_LEVELS levels below X, or the pairs would grow with the square of the program.
 *
 * Errors: none. Threads: one for each account. */
#pragma once

#include "model/trace/program.h"

enum { ACCOUNT_LEVELS = 32 };

struct account_sum {
	int32_t relative, type; /* event types; relative -1: the whole run */
	int64_t time;           /* ticks */
	uint64_t count, sent, received;
	bool unknown; /* partly reached on other ways */
};

struct picl_account;

/* `types`: the event types of the trace's regions; both arguments are borrowed. */
struct picl_account *picl_account_new(const struct trace *trace, const int32_t *types);
void picl_account_free(struct picl_account *account);
/* The sums of the records first ... end - 1, which are one location's; by relative, then type; they
 * stay until the next call. */
const struct account_sum *picl_account_make(struct picl_account *account, size_t first, size_t end,
					    size_t *n);
