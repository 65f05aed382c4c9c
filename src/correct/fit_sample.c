/* A part of many clocks: those nearest to the reference in the graph of messages. */
#include <stdlib.h>

#include "base/mem.h"
#include "correct/fit_impl.h"

enum { OUTSIDE = UINT32_MAX };

/* The place of the first edge of each clock, [clocks + 1]; edges are sorted by it. */
static size_t *edge_starts(const struct edges *edges)
{
	size_t *start = xcalloc(edges->clocks + 2u, sizeof *start);

	for (size_t i = 0; i < edges->n; i++)
		start[edges->data[i].from + 1]++;
	for (uint32_t c = 0; c < edges->clocks; c++)
		start[c + 1] += start[c];
	return start;
}

/* Numbers clocks anew, breadth first from the reference; returns how many. */
static uint32_t number_clocks(const struct edges *edges, uint32_t n, uint32_t *number)
{
	uint32_t *queue = xcalloc(n + 1u, sizeof *queue);
	size_t *start = edge_starts(edges);
	uint32_t count = 1;

	for (uint32_t c = 1; c < edges->clocks; c++)
		number[c] = OUTSIDE;
	for (uint32_t i = 0; i < count && count < n; i++)
		for (size_t j = start[queue[i]]; j < start[queue[i] + 1] && count < n; j++) {
			const uint32_t next = edges->data[j].to;
			if (number[next] != OUTSIDE)
				continue;
			number[next] = count;
			queue[count++] = next;
		}
	free(start);
	free(queue);
	return count;
}

void sample_make(const struct model *model, const struct edges *edges, uint32_t n,
		 struct model *model_out, struct edges *edges_out)
{
	uint32_t *number = xcalloc(edges->clocks + 1u, sizeof *number);
	const uint32_t clocks = number_clocks(edges, n, number);
	const uint32_t knots = model->knots;

	*model_out = *model;
	model_out->clocks = clocks;
	vec_zero(&model_out->anchors, sizeof model_out->anchors);
	vec_zero(&model_out->terms, sizeof model_out->terms);
	for (size_t i = 0; i < model->anchors.n; i++) {
		struct anchor anchor = model->anchors.data[i];
		const uint32_t clock = anchor.place.at / knots;
		if (number[clock] == OUTSIDE)
			continue;
		anchor.place.at = number[clock] * knots + anchor.place.at % knots;
		vec_push(&model_out->anchors, anchor);
	}
	*edges_out = (struct edges){ .clocks = clocks };
	edges_out->flags = xmalloc(edges->n + 1);
	for (size_t i = 0; i < edges->n; i++) {
		struct edge e = edges->data[i];
		if (number[e.from] == OUTSIDE || number[e.to] == OUTSIDE)
			continue;
		e.from = number[e.from];
		e.to = number[e.to];
		edges_out->flags[edges_out->n] = edges->flags[i];
		vec_push(edges_out, e);
	}
	free(number);
}
