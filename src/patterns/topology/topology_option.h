/* topology_wish: "4x4x2,order=col,flip=y": a grid as people give it (topology.h: grids_make). */
#pragma once

#include "patterns/topology/topology.h"

struct wish {
	bool guess; /* no sizes: guess */
	uint32_t dims;
	uint32_t size[GRID_DIMS];
	bool col;             /* the last dimension runs fastest, else the first */
	bool flip[GRID_DIMS]; /* that dimension counts downward */
};

/* False with err (status 2). */
bool wish_parse(const char *text, struct wish *wish, struct err *err);
