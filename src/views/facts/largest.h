/* largest: the largest of values, and which that is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest part of a sum. */
struct largest {
	uint32_t id;  /* location or canonical call path, UINT32_MAX none */
	uint32_t pad; /* 0: kept values are compared by bytes */
	double value; /* ticks */
};

/* Of those that are `chosen`, NULL: of all; above 0. */
static inline struct largest largest_of(const double *values, uint32_t n, const bool *chosen)
{
	struct largest l = { .id = UINT32_MAX };

	for (uint32_t i = 0; i < n; i++)
		if ((!chosen || chosen[i]) && values[i] > l.value) {
			l.id = i;
			l.value = values[i];
		}
	return l;
}

/* The n largest, largest first; destroys `values`. */
static inline void several_of(struct largest *largest, unsigned n, double *values,
			      uint32_t n_values)
{
	for (unsigned i = 0; i < n; i++) {
		largest[i] = largest_of(values, n_values, NULL);
		if (largest[i].id != UINT32_MAX)
			values[largest[i].id] = 0;
	}
}
