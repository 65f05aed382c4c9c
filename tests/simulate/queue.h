/* queue: what comes next in true time: a binary heap. Equal times come in the order they were put
 * in. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct pending {
	int64_t time;
	uint64_t nth;
	uint32_t rank;
	uint32_t message; /* UINT32_MAX: the rank's own call */
};

struct queue {
	VEC(struct pending) heap;
	uint64_t pushed;
};

void queue_push(struct queue *queue, int64_t time, uint32_t rank, uint32_t message);
/* False where nothing is left. */
bool queue_pop(struct queue *queue, struct pending *out);
void queue_fini(struct queue *queue);
