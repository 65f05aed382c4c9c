/* far_serve: answers the questions of ranks of other nodes about the ranks of this one (far.h): a
 * thread of the node's first rank, which sleeps until it is asked, calls nothing of MPI, and needs
 * no rank's help. So a rank that computes is seen as it is, which one-sided communication does not
 * promise: there a question may be answered only when its target calls MPI. */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

/* Where a node can be asked. */
enum { FAR_ADDRESSES = 6 };
struct far_card {
	int32_t node; /* number of its first rank */
	uint16_t port, n;
	struct in_addr address[FAR_ADDRESSES];
};

/* Starts it, for questions of those that know the key. False: there is none. */
bool tv_far_serve(int node, const uint64_t key[2], struct far_card *card);
