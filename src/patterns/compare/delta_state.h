/* delta_state: what the parts of delta share. No other file includes it.
 *
 * delta.c		construction, and rows
 * delta_gather.c	the values of all traces, row by row
 * delta_noise.c	how much repeated runs differ, by chance */
#pragma once

#include "base/fixed.h"
#include "patterns/compare/delta.h"

enum { DELTA_PARTS = ALIGN_SIDES + DELTA_REPEATED };
enum { DELTA_TABLES = 1 + (DELTA_BY_PATH | DELTA_BY_PLACE) }; /* by enum delta_by */

/* One of the compared traces: the old one, the new one, or a repeated one. */
struct delta_part {
	const struct cube *cube;
	uint32_t *path_of, *place_of; /* node and place; borrowed for the first two */
};

/* Rows of alike kind: what one of them shows once may show in another the next time. Chance decides
 * whether a message is waited for, and which rank's start the critical path goes through. */
enum delta_kind { DELTA_CORE, DELTA_SETUP, DELTA_CHANCE, DELTA_KINDS };

/* Standard deviations of rows, as parts of their means. */
struct delta_scatter {
	double squares, rows;
};

struct delta {
	struct alignment *alignment;
	struct delta_part parts[DELTA_PARTS];
	unsigned n;       /* of parts */
	unsigned sharers; /* owners but one */
	double time;      /* seconds, of the old traces */
	/* With repeated ones: */
	bool *setup;                 /* [nodes] in MPI_Init, MPI_Finalize or tview itself */
	bool in_setup[CUBE_METRICS]; /* has a value there */
	struct delta_scatter scatter[DELTA_TABLES][CUBE_METRICS][DELTA_KINDS];
	double most[DELTA_TABLES][UNIT_BYTES + 1][DELTA_KINDS]; /* largest deviation of a run */
	double rows;                                            /* of all tables */
};

/* ---- delta_gather.c ---- */

/* One trace's part of a row. */
struct delta_entry {
	fixed value; /* in the trace's ticks */
	uint32_t path, place;
	uint32_t part;
};

struct delta_gathering {
	VEC(struct delta_entry) entries;
	const struct delta *delta;
	unsigned part, by; /* by: of enum delta_by, or DELTA_EACH_CELL */
};
/* By path and place, those included that only a repeated trace has: ALIGN_NONE. */
enum { DELTA_EACH_CELL = DELTA_TABLES };

/* The entries of a metric of the first n traces, of all processes that share them. */
void delta_gather(struct delta_gathering *g, enum cube_metric metric, unsigned n);
/* The same from what was gathered by DELTA_EACH_CELL. */
void delta_gather_from(struct delta_gathering *g, const struct delta_gathering *cells);
/* The values of a row, [parts] in seconds, if it is a time; returns where the next row begins. */
size_t delta_gather_row(const struct delta_gathering *g, size_t at, enum cube_metric metric,
			double values[DELTA_PARTS]);
/* The totals of all traces. */
void delta_totals(const struct delta *delta, enum cube_metric metric, double values[DELTA_PARTS]);
/* In seconds, if it is a time. */
double delta_entry_value(const struct delta *delta, enum cube_metric metric,
			 const struct delta_entry *entry);

/* ---- delta_noise.c ---- */

void delta_noise_make(struct delta *delta);
/* Of a row with these values, which become the sides: the mean of the old ones, and the new one. */
struct delta_row delta_row_of(const struct delta *delta, enum cube_metric metric, unsigned by,
			      uint32_t path, uint32_t place, const double values[DELTA_PARTS]);
