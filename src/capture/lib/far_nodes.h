/* far_nodes: what far.c keeps of the other nodes of the job, for far_said.c, too. */
#pragma once

#include "capture/lib/far.h"
#include "capture/lib/far_clock.h"
#include "capture/lib/far_parts.h"

struct far_node {
	struct far_card card;
	int fd;
	uint64_t challenge;
	uint32_t asked;        /* questions */
	uint32_t open, direct; /* of these one that is kept there, and one that is not: 0 none */
	uint32_t opened;       /* the first that `open` took the place of */
	int64_t until;         /* of it, by this node's clock */
	uint64_t left, heard;  /* ticks: the latest question; that, or a sign of life */
	/* Of the receive: it is to be asked; was so often; not again before. */
	bool wanted;
	unsigned times;
	uint64_t next;
	struct far_clock clock;
	bool same;
	uint64_t seen; /* ticks of this node: when lines were read */
	struct far_buffer {
		char *data;
		size_t room;
	} comes, kept;          /* the answer under way, and the latest of all its ranks */
	size_t got;             /* of the first */
	struct far_parts parts; /* of the second */
};

struct far_nodes {
	struct far_node *node;
	int n;
	int16_t *node_of;      /* [map.size] -1: this node */
	struct far_line *line; /* [map.size] */
	uint64_t key[2];
	bool used, lost, begun;
};

const struct far_nodes *tv_far_nodes(void);
/* What is known to be under way to the ranks of a node; at most FAR_TOLD. */
uint32_t tv_far_tell(int node, struct far_told *told);
