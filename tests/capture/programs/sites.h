/* The sites of sites.c by number: what its tests ask for. */
#ifndef TESTS_CAPTURE_SITES_H
#define TESTS_CAPTURE_SITES_H

enum { RANDOM = 8 };

enum {
	MAIN,
	OUTER,
	INNER,
	CALL_LEAF,
	CALL_LEAF_TOO,
	LEAF,
	SELF,
	CALL_SELF,
	SELF_CALLS,
	PING,
	CALL_PING,
	PING_CALLS,
	PONG,
	PONG_CALLS,
	SEND,
	RECV,
	BARRIER,
	JUMPER,
	CALL_JUMPER,
	JUMP_LOOP,
	JUMP_INNER,
	AFTER_LOOP,
	TIMED,
	EARLY,
	CALL_EARLY,
	THREAD,
	FIRST,                                    /* procedures of `random`, */
	FIRST_CALL = FIRST + RANDOM,              /* calls in each of each, */
	MAIN_CALL = FIRST_CALL + RANDOM * RANDOM, /* and of main */
	CALL_OTHER = MAIN_CALL + RANDOM,
	CALLED_BACK,
	ISEND,
	IRECV,
	WAIT,
	BOTH,
	REDUCE,
	BCAST,
	SITES
};

#endif
