#include "queue.h"

static bool sooner(const struct pending *a, const struct pending *b)
{
	return a->time != b->time ? a->time < b->time : a->nth < b->nth;
}

void queue_push(struct queue *queue, int64_t time, uint32_t rank, uint32_t message)
{
	const struct pending item = { time, queue->pushed++, rank, message };
	size_t at = queue->heap.n;

	vec_push(&queue->heap, item);
	while (at && sooner(&item, &queue->heap.data[(at - 1) / 2])) {
		queue->heap.data[at] = queue->heap.data[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	queue->heap.data[at] = item;
}

bool queue_pop(struct queue *queue, struct pending *out)
{
	struct pending *heap = queue->heap.data;
	size_t at = 0;

	if (!queue->heap.n)
		return false;
	*out = heap[0];
	const struct pending moved = vec_pop(&queue->heap);
	if (!queue->heap.n)
		return true;
	for (;;) {
		size_t child = 2 * at + 1;
		if (child + 1 < queue->heap.n && sooner(&heap[child + 1], &heap[child]))
			child++;
		if (child >= queue->heap.n || !sooner(&heap[child], &moved))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
	return true;
}

void queue_fini(struct queue *queue)
{
	vec_fini(&queue->heap);
}
