/* components: strongly connected components of a graph. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Fills component[node] for nodes 0 .. n - 1 with edges from[i] -> to[i]; no edge leads to a
 * component with a larger number. Returns the number of components. Tarjan's algorithm without
 * recursion: O(n + edges). */
uint32_t components_find(uint32_t n, const uint32_t *from, const uint32_t *to, size_t edges,
			 uint32_t *component);
