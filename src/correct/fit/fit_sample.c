/* A sample of many clocks: those that exchange most messages with the reference and each other. */
#include <stdlib.h>

#include "base/mem.h"
#include "correct/fit/fit_state.h"

enum { OUTSIDE = UINT32_MAX };

/* The place of the first edge of each clock, [clocks + 1]; edges are sorted by it. */
static size_t *edge_starts(const struct fit_edges *edges)
{
	size_t *start = xcalloc(edges->clocks + 2u, sizeof *start);

	for (size_t i = 0; i < edges->n; i++)
		start[edges->data[i].from + 1]++;
	for (uint32_t c = 0; c < edges->clocks; c++)
		start[c + 1] += start[c];
	return start;
}

/* Renumbers clocks: next is always the one that exchanges most with those that are in, so that what
 * is between them is as dense as in the whole. Returns how many. */
static uint32_t number_clocks(const struct fit_edges *edges, uint32_t n, uint32_t *number)
{
	size_t *start = edge_starts(edges), *ties = xcalloc(edges->clocks + 1u, sizeof *ties);
	uint32_t count = 0, next = 0;

	for (uint32_t c = 0; c < edges->clocks; c++)
		number[c] = OUTSIDE;
	while (next != OUTSIDE && count < n) {
		number[next] = count++;
		for (size_t i = start[next]; i < start[next + 1]; i++)
			ties[edges->data[i].to]++;
		next = OUTSIDE;
		for (uint32_t c = 0; c < edges->clocks; c++)
			if (number[c] == OUTSIDE && ties[c] > 0 &&
			    (next == OUTSIDE || ties[c] > ties[next]))
				next = c;
	}
	free_all(start, ties);
	return count;
}

void sample_make(const struct model *model, const struct fit_edges *edges, uint32_t n,
		 struct model *model_out, struct fit_edges *edges_out)
{
	OWNED uint32_t *number = xcalloc(edges->clocks + 1u, sizeof *number);
	const uint32_t clocks = number_clocks(edges, n, number);
	const uint32_t knots = model->knots;

	*model_out = *model;
	model_out->clocks = clocks;
	vec_zero(&model_out->anchors, sizeof model_out->anchors);
	vec_zero(&model_out->terms, sizeof model_out->terms);
	for (size_t i = 0; i < model->anchors.n; i++) {
		struct clock_anchor anchor = model->anchors.data[i];
		const uint32_t clock = anchor.place.at / knots;
		if (number[clock] == OUTSIDE)
			continue;
		anchor.place.at = number[clock] * knots + anchor.place.at % knots;
		vec_push(&model_out->anchors, anchor);
	}
	*edges_out = (struct fit_edges){ .clocks = clocks };
	edges_out->flags = xmalloc(edges->n + 1);
	for (size_t i = 0; i < edges->n; i++) {
		struct fit_edge e = edges->data[i];
		if (number[e.from] == OUTSIDE || number[e.to] == OUTSIDE)
			continue;
		e.from = number[e.from];
		e.to = number[e.to];
		edges_out->flags[edges_out->n] = edges->flags[i];
		vec_push(edges_out, e);
	}
}
