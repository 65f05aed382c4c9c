/* processes: what several processes of a job do together (base/exchange.h), in one thread of a test:
 * where one waits or polls, chance chooses which goes on, the same in each run.
 *
 *	static void body(struct exchange *x, void *context) { ... exchange_count(x, mine) ... }
 *	processes_run(3, body, &context);
 *
 * The bodies must make the same exchanges, or the program ends; they cannot fail the test: what they
 * find is kept in the context, by exchange_process(x), and judged after. One that waits for another
 * in any other way must poll, or it waits for ever. */
#pragma once

#include "base/exchange.h"

/* Returns when all have ended. One alone has the exchange NULL. */
void processes_run(uint32_t n, void (*body)(struct exchange *x, void *context), void *context);
