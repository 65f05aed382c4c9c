/* owners: of which things FREED_BY() (test.h) is the owner; others say FREES() themselves. */
#pragma once

#include "correct/correct.h"
#include "harness/test.h"
#include "patterns/analysis/analysis.h"
#include "patterns/graph/graph.h"

FREES(analysis_free, struct analysis)
FREES(corrections_free, struct corrections)
FREES(cube_free, struct cube)
FREES(filter_free, struct filter)
FREES(graph_free, struct graph)
FREES(logical_free, struct logical)
