/* far_clients: connections of ranks of other nodes to the one that answers them (far_serve.h), and
 * of anybody else who finds the port: none of those is heeded. A connection that has not proved
 * itself is closed after a few seconds; where there are many, soon. One thread. */
#pragma once

#include "capture/lib/far_state.h"

enum {
	FAR_CLIENTS = TV_CARRY_RANKS, /* ranks of other nodes, and */
	FAR_STRANGERS = 64,           /* connections that may be of none */
};

struct far_client {
	int fd; /* -1: free */
	uint64_t since, challenge;
	bool proven;  /* it is of the job */
	uint64_t got; /* bytes of the question that comes */
	union {
		struct far_ask ask;
		char bytes[FAR_LARGEST_ASK];
	};
	struct far_kept {
		bool is;              /* a question waits for its answer */
		uint64_t asked, said; /* ticks: then; the latest sign of life */
		struct far_ask ask;
		struct far_told told[FAR_TOLD];
	} kept;
};

struct far_clients {
	int node, unproven; /* unproven: connections */
	uint64_t key[2], made, *strangers;
	struct far_state state;
	struct far_client client[FAR_CLIENTS + FAR_STRANGERS];
};

/* `strangers`: counts what was closed as not of the job. False: no memory. */
bool far_clients_init(struct far_clients *all, int node, const uint64_t key[2],
		      const struct carry_map *map, uint64_t *strangers);
/* There is no place now for one more: far_clients_tidy() makes some. */
bool far_clients_are_full(const struct far_clients *all);
/* Takes the socket, and says hello. */
void far_clients_add(struct far_clients *all, int fd);
/* Something came. What can be answered at once is; a question that is kept takes the place of the
 * one before. */
void far_clients_hear(struct far_clients *all, struct far_client *c);
/* Answers those questions that are kept, and can be answered now, and says of the others once a
 * second that they are kept; how many there are. */
int far_clients_answer(struct far_clients *all);
/* Closes what was silent for too long. */
void far_clients_tidy(struct far_clients *all);
