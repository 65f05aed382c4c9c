#include "base/keymap.h"

#include <stdlib.h>

#include "base/mem.h"

void keymap_fini(struct keymap *map)
{
	free(map->slots);
	*map = (struct keymap){ NULL, 0, 0 };
}

void keymap_grow(struct keymap *map)
{
	const struct keymap old = *map;

	map->size = old.size ? 2 * old.size : 16;
	map->slots = xcalloc(map->size, sizeof *map->slots);
	for (size_t i = 0; i < old.size; i++) {
		if (old.slots[i].hash == 0)
			continue;
		size_t at = old.slots[i].hash >> 1;
		while (map->slots[at & (map->size - 1)].hash != 0)
			at++;
		map->slots[at & (map->size - 1)] = old.slots[i];
	}
	free(old.slots);
}
