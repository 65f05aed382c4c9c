/* order_record: choices of a run that depend on time, as the library notes them, and as tvrun gives
 * them to the ranks of a run that is to make them again (tvrun --order, --replay-order). libc
 * alone.
 *
 * The library notes which sender a receive from any source took, and a probe that asks whether
 * there is one; which requests MPI_Waitany and its like completed, where several were active; and
 * how often calls that ask said no.
 *
 * The library notes them in chunks of their own (TV_HOLDS_ORDER), in the order of the calls; what a
 * nonblocking receive took is known only later, and has a record of its own. The list of a replay
 * has each choice once, then TV_CHOICE_END; it is a file that all ranks of a node map.
 *
 * The messages of one sender do not overtake each other (MPI-4.0, 3.5), and a receive keeps its
 * tag: so the sender alone says which message it is. */
#pragma once

#include <stdint.h>

enum tv_choice_kind {
	TV_CHOICE_NONE,
	TV_CHOICE_SOURCE, /* a receive or probe took `what`; TV_CHOICE_OPEN: it was posted */
	TV_CHOICE_TOOK,   /* the receive that was posted with this `number` took `what` */
	TV_CHOICE_INDEX,  /* what MPI_Waitany and MPI_Testany completed; -1 none was active */
	TV_CHOICE_SET,    /* so many requests were completed; -1 none was active */
	TV_CHOICE_MEMBER, /* after TV_CHOICE_SET: each of them, in the order of the call */
	TV_CHOICE_TRUE,   /* MPI_Test, MPI_Testall said yes */
	TV_CHOICE_END,    /* there is no further one, but maybe calls that said no */
	TV_CHOICE_DEPART, /* at the `number`th choice the run departs from the list: why */
};

enum tv_depart_why {
	TV_DEPART_NONE,
	TV_DEPART_MORE,     /* the recorded run had no further choice */
	TV_DEPART_CALL,     /* it was another call, */
	TV_DEPART_COMM,     /* or communicator, */
	TV_DEPART_POLLS,    /* or calls said no more often before, */
	TV_DEPART_MEMBER,   /* or no such rank, or request */
	TV_DEPART_FINISHED, /* the rank has ended, and sent no message that fits */
	TV_DEPART_STUCK,    /* ranks waited for each other */
	TV_DEPART_UNSEEN,   /* it did not come in time, and ranks of other nodes are not seen */
	TV_DEPART_SOURCE,   /* a receive that could not be forced took another one */
	TV_DEPART_LIST,     /* the list could not be read */
};

enum { TV_CHOICE_OPEN = -2 };

/* TV_CHOICE_END of a list: how often calls said no after the last choice is not known. */
#define TV_CHOICE_UNCOUNTED UINT32_MAX

struct tv_choice {
	uint16_t call;   /* enum tv_call_id */
	uint8_t kind;    /* enum tv_choice_kind */
	uint8_t why;     /* enum tv_depart_why */
	uint32_t comm;   /* number among those that the rank came to know, from 0 */
	int32_t what;    /* rank in the communicator, index, count */
	int32_t tag;     /* of the message */
	uint32_t falses; /* calls that said no since the choice before */
	uint32_t number; /* of a request; TV_CHOICE_DEPART: of the choice, from 1 */
	uint64_t place;  /* of the call, as in record.h; 0 in a list */
};

/* The file of a replay: this, then struct tv_replay_rank for each of TV_REPLAY_RANKS, then the
 * choices. */
#define TV_REPLAY_MAGIC UINT64_C(0x3179616c70657274)

enum { TV_REPLAY_RANKS = 16384 };

struct tv_replay_file {
	uint64_t magic;
	uint32_t ranks; /* that have a list */
	uint32_t unused[13];
};

/* What a rank does, for those that wait for its message (mpi/any_source.h). */
enum tv_replay_state {
	TV_REPLAY_ABSENT,
	TV_REPLAY_RUNS,  /* it may send without anybody's help */
	TV_REPLAY_CALLS, /* it is inside a call of MPI */
	TV_REPLAY_POLLS, /* outside, but the latest call said no */
	TV_REPLAY_WAITS, /* for what the list says, */
	TV_REPLAY_COULD, /* and could go on with something else */
	TV_REPLAY_DONE,
};

/* The rank writes what follows `n`. */
struct tv_replay_rank {
	uint64_t at, n; /* bytes into the file, choices; at 0: it has no list */
	uint64_t moves; /* calls that ended, but for those that said no, */
	uint64_t polls; /* and these */
	uint32_t job;   /* tv_file.job[0] of the run that this is of */
	uint32_t state;
	int32_t pid;
	uint32_t machine;
	int32_t awaits; /* world rank whose message it waits for; -1: that is not known */
	uint32_t sure;  /* waiting for what the list says: looks since that one is where it is, */
	uint64_t sure_moves; /* at its `moves` */
	uint64_t sent, took; /* messages to this rank, by whoever sends; that it received */
	uint64_t unused[6];
};
_Static_assert(sizeof(struct tv_choice) == 32, "a choice is 32 bytes");
_Static_assert(sizeof(struct tv_replay_rank) == 128, "a rank is two cache lines");
