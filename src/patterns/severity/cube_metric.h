/* cube_metric: the metrics: one axis of the cube of severities (cube.h), and a tree.
 *
 * Names, titles and the shape of the tree are those that analysers of this field use (C3), with the
 * wavefronts of paper 5 beside them. A metric includes its children; wavefronts are a tree of their
 * own, since a receive may be both in the wrong order and at a wavefront. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum cube_metric {
#define X(id, name, parent, unit, source, title, text) CUBE_##id,
#include "patterns/severity/cube_metric.def"
#undef X
	CUBE_METRICS,
	CUBE_NONE = CUBE_METRICS
};

enum cube_unit { UNIT_TICKS, UNIT_COUNT, UNIT_BYTES };

enum cube_source {
	SOURCE_FOUND,  /* added by a pattern or a pass; includes what it adds to the children */
	SOURCE_REGION, /* time of the regions of the classes below it (region_metric.h) */
	SOURCE_SUM,    /* its children together */
};

struct cube_metric_info {
	const char *name;        /* unique, stable: "mpi_latesender" */
	const char *title;       /* "Late Sender" */
	const char *text;        /* what it is, a sentence */
	enum cube_metric parent; /* CUBE_NONE: a root */
	enum cube_unit unit;
	enum cube_source source;
};

const struct cube_metric_info *cube_metric_info(enum cube_metric metric);
/* CUBE_NONE where no metric is called that. */
enum cube_metric cube_metric_find(const char *name, size_t length);
/* True where `below` is `metric` or a descendant of it. */
int cube_metric_within(enum cube_metric below, enum cube_metric metric);
/* True for a kind of wait state, completion included; none of them contains another. */
bool cube_metric_is_waiting(enum cube_metric metric);
/* True for completion: not time waiting for a rank, but the time an operation takes after the first
 * rank has left it. */
bool cube_metric_is_completion(enum cube_metric metric);
