/* Components of random graphs against what reaches what. */
#include <stdbool.h>

#include "base/components.h"
#include "harness/random.h"
#include "harness/test.h"

enum { NODES = 12, EDGES = 20 };

TEST(are_the_nodes_that_reach_each_other)
{
	struct rng rng = { 5 };

	for (int round = 0; round < 500; round++) {
		const uint32_t n = 1 + rng_below(&rng, NODES), edges = rng_below(&rng, EDGES);
		uint32_t from[EDGES], to[EDGES], component[NODES], count = 0;
		bool reaches[NODES][NODES] = { { false } };

		for (uint32_t i = 0; i < n; i++)
			reaches[i][i] = true;
		for (uint32_t i = 0; i < edges; i++) {
			from[i] = rng_below(&rng, n);
			to[i] = rng_below(&rng, n);
			reaches[from[i]][to[i]] = true;
		}
		for (uint32_t k = 0; k < n; k++)
			for (uint32_t i = 0; i < n; i++)
				for (uint32_t j = 0; j < n; j++)
					reaches[i][j] |= reaches[i][k] && reaches[k][j];
		count = components_find(n, from, to, edges, component);
		for (uint32_t i = 0; i < n; i++) {
			assert_true(component[i] < count);
			for (uint32_t j = 0; j < n; j++) {
				assert_int_equal(component[i] == component[j],
						 reaches[i][j] && reaches[j][i]);
				if (reaches[i][j])
					assert_true(component[i] >= component[j]);
			}
		}
	}
}
