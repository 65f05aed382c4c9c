/* counts: a program's own account of what its statements did, for comparison with what tvcc's probes recorded of it.
 *
 * Nothing here is a call, so that the statements that are counted are those of the program alone; what writes the account
 * (counts_write.c) is compiled without probes. Places are lines: a call statement announces its line and the procedure takes
 * it, loops and communications count under their own.
 *
 *	static int twice(int x)
 *	{
 *		PROCEDURE(twice);
 *		LOOP; for (int i = 0; i < 2; i++) { STEP;	on one line
 *			x *= 2;
 *		}
 *		DONE(twice);
 *		return x;
 *	}
 *	CALL; twice(3);						on one line
 */
#ifndef COUNTS_H
#define COUNTS_H

#include <time.h>

enum { COUNTS_LINES = 500, COUNTS_RANKS = 8 };

enum counts_procedure {
	COUNTS_main, COUNTS_leaf, COUNTS_nested, COUNTS_early, COUNTS_leave_both, COUNTS_fact,
	COUNTS_ping, COUNTS_pong, COUNTS_tree, COUNTS_jump, COUNTS_deep, COUNTS_pointed, COUNTS_callbacks,
	COUNTS_compare, COUNTS_twice, COUNTS_other, COUNTS_master, COUNTS_worker, COUNTS_ring,
	COUNTS_collectives, COUNTS_last, COUNTS_throws, COUNTS_catches, COUNTS_Object, COUNTS_PROCEDURES
};

struct counts {
	long call[COUNTS_PROCEDURES][COUNTS_LINES], inner[COUNTS_PROCEDURES][COUNTS_LINES];
	long open[COUNTS_PROCEDURES];
	long loop[COUNTS_LINES], loop_inner[COUNTS_LINES], loop_open[COUNTS_LINES], step[COUNTS_LINES];
	/* With whom: [0] many or nobody. */
	long with[COUNTS_LINES][COUNTS_RANKS + 1];
	long sent[COUNTS_LINES][COUNTS_RANKS + 1], received[COUNTS_LINES][COUNTS_RANKS + 1];
	/* Of leaf, by the line it was called from: nanoseconds between its first and last statement, and around the call. */
	long inside[COUNTS_LINES], around[COUNTS_LINES];
	int from;
};

extern struct counts counts;

#define CALL (counts.from = __LINE__)
#define PROCEDURE(name)                                          \
	(counts.call[COUNTS_##name][counts.from]++,              \
	 counts.inner[COUNTS_##name][counts.from] +=             \
	 counts.open[COUNTS_##name] > 0,                         \
	 counts.open[COUNTS_##name]++, counts.from = 0)
#define DONE(name) (counts.open[COUNTS_##name]--)
#define LOOP                     (counts.loop[__LINE__]++, counts.loop_inner[__LINE__] += counts.loop_open[__LINE__] > 0)
#define STEP                     (counts.step[__LINE__]++)
#define WITH(partner)            (counts.with[__LINE__][(partner) + 1]++)
#define SENT(partner, bytes)     (counts.sent[__LINE__][(partner) + 1] += (bytes))
#define RECEIVED(partner, bytes) (counts.received[__LINE__][(partner) + 1] += (bytes))

#ifdef __cplusplus
extern "C" {
#endif
/* Writes the account of a source file to $COUNTS.RANK (appends), at any moment. */
void counts_write(const char *file, int rank);
/* CLOCK_MONOTONIC_RAW in nanoseconds. */
long counts_now(void);
#ifdef __cplusplus
}
#endif

#endif
