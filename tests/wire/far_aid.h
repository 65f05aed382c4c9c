/* far_aid: a job of four ranks on two nodes, in one process, for tests of what nodes ask each other
 * (capture/lib/far.h): the memory of each node, the key, sound questions and answers. Ranks 0 and 1
 * are on one node, from where rank 0 asks; 2 and 3 on the other, which answers as node 2. */
#pragma once

#include "capture/lib/far_clients.h"
#include "capture/lib/far_parts.h"

enum { FAR_AID_RANKS = 4, FAR_AID_NODE = 2, FAR_AID_TOLD = 4 };

extern const uint64_t far_aid_key[2];
extern const int16_t far_aid_node_of[FAR_AID_RANKS]; /* to rank 0: -1 this one */

/* New memory for both nodes, for this process: that of the asking one is tv_carry_map(). Ranks 2
 * and 3 are outside of MPI at a virtual time of 5 s; rank 3 has sent rank 0 one message with tag
 * 7. */
void far_aid_begin(void);
void far_aid_end(void);
/* Of the node that answers. */
const struct carry_map *far_aid_there(void);

/* A sealed question for all, with `haves` of which the first is rank 3's; a test may tell of
 * messages behind them (far_aid_tell()). */
struct far_aid_question {
	struct far_ask ask;
	struct far_have have[FAR_AID_RANKS + 2 * FAR_AID_TOLD]; /* twice as large as these */
};
struct far_aid_question far_aid_question(uint64_t challenge, unsigned haves);
void far_aid_tell(struct far_aid_question *q, struct far_told told);
void far_aid_seal(struct far_aid_question *q, uint64_t challenge);
static inline size_t far_aid_bytes(const struct far_aid_question *q)
{
	return sizeof q->ask + q->ask.haves * sizeof *q->have +
	       q->ask.told * sizeof(struct far_told);
}

/* The clients of node 2, which the caller frees, and how many strangers they counted. */
struct far_clients *far_aid_clients(uint64_t *strangers);
void far_aid_clients_free(struct far_clients *all);
/* Joins them; the other end of its connection. */
int far_aid_connect(struct far_clients *all, struct far_client **c);
/* What node 2 says first; so many bytes of what is there (-1: it has closed). */
uint64_t far_aid_hello(int fd);
long far_aid_read(int fd, void *data, size_t bytes);
