/* table: the result of a view, for the screen and for exports alike: typed columns, and rows that
 * are made when they are asked for.
 *
 * A row is named by a handle: its position in the present order, or, in the list of events
 * (millions of rows, walked and never stored), the id of the event. Sorting changes positions; the
 * thing of a row (table_thing()) stays. Cells are filled into the caller's array; text cells point
 * into the table's scratch and live until the next call.
 *
 *	struct table *table = events_table_new(&query, &err);
 *	struct value values[TABLE_COLUMNS];
 *	for (uint64_t row = table_first(table); row != ROW_NONE; row = table_next(table, row))
 *		table_cells(table, row, values);
 *	table_free(table);
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/units.h"
#include "views/query/text_role.h"

enum { TABLE_COLUMNS = 40 };
#define ROW_NONE    UINT64_MAX
#define COLUMN_NONE UINT32_MAX

enum column_type {
	COLUMN_TEXT,
	COLUMN_NAME, /* text: of a function or call path (base/name_text.h) */
	COLUMN_INT,
	COLUMN_TIME, /* ticks: a point in time; exported as seconds, shown as seconds too */
	COLUMN_BYTES,
	COLUMN_SHARE, /* real, shown in per cent */
	COLUMN_REAL,
	COLUMN_MEAN,     /* real: a mean number, shown with two digits after the point */
	COLUMN_EXACT,    /* real, exported with all its digits */
	COLUMN_DURATION, /* ticks; exported as seconds, shown to people with a unit that fits */
	COLUMN_MOVE,     /* ticks: a duration that is shown with its sign, "+12.3 us" */
	COLUMN_PART,     /* real, ticks: as DURATION, but may be finer than a tick */
	COLUMN_COUNT,    /* integer, shown with separators */
	COLUMN_RANK      /* integer; RANK_HOST is shown and exported as "host" */
};

struct column {
	const char *name;  /* of the export: "time_s"; stable */
	const char *title; /* on the screen: "time" */
	enum column_type type;
	int width;      /* preferred columns on the screen; 0: takes what is left */
	bool exported;  /* part of CSV/JSON */
	bool on_screen; /* shown by default on the screen and in text exports */
};

/* A table lists its columns once, as ROW(ID, "name", ...) in a macro COLUMNS(ROW): identifiers are
 * enum { COLUMNS(COLUMN_ID) N }, descriptions struct column [N] = { COLUMNS(COLUMN_ROW) }. */
#define COLUMN_ID(id, ...)             id,
#define COLUMN_ROW(id, ...)            [id] = { __VA_ARGS__ },
/* The same where rows are ROW(ID, with, "name", ...): pairs of a column and its companion. */
#define COLUMN_ROW_WITH(id, with, ...) [id] = { { __VA_ARGS__ }, with },

/* A column, and the kinds of the table that have it, as bits. */
struct column_of {
	struct column column;
	unsigned of;
};

struct value {
	bool known;       /* false: empty in exports, "-" on the screen */
	bool approximate; /* "~" in front of it on the screen */
	union {
		const char *text; /* raw: consumers clean or quote it */
		int64_t integer;  /* INT, COUNT, RANK, TIME, DURATION, BYTES */
		double real;      /* COLUMN_SHARE (0..1), COLUMN_REAL, COLUMN_EXACT, COLUMN_PART */
	};
};

/* The thing that a row shows. Code identifies a row by its thing, never by the text of a cell: two
 * functions may have the same name. Ids are the trace's if not said otherwise. */
enum thing_kind {
	THING_NONE,
	THING_REGION,
	THING_CALLPATH,
	THING_LOCATION,
	THING_EVENT, /* EVENT_NONE: not known */
	THING_MESSAGE,
	THING_COLLECTIVE,
	THING_WAIT,      /* index in analysis_waits() of the location `of` */
	THING_SEND,      /* event of a send, `of`: of its receive; EVENT_NONE where not known */
	THING_RANKS,     /* rank of the senders, `of`: of the receivers; as int32_t */
	THING_STATEMENT, /* node of the program graph, GRAPH_NONE: outside */
	THING_METRIC,    /* enum cube_metric */
	THING_ALIGNED,   /* node of an alignment's call paths, `of`: place; or ALIGN_NONE */
};

struct row_thing {
	enum thing_kind kind;
	uint32_t id;
	uint32_t of;
};

struct table;

/* A cell that is a picture: one bar of several parts, or columns side by side. */
struct chart_part {
	const char *name; /* in the legend */
	enum text_role role;
};
enum { TABLE_CHART_MOST = 64 };
struct table_chart {
	const struct chart_part *parts; /* [n], static; NULL: columns side by side */
	unsigned n;
	double values[TABLE_CHART_MOST]; /* parts: shares of the width; columns: shares of the
					    height */
};

struct table_ops {
	void (*free)(struct table *table);
	uint64_t (*first)(struct table *table);
	uint64_t (*last)(struct table *table);
	uint64_t (*next)(struct table *table, uint64_t row);
	uint64_t (*prev)(struct table *table, uint64_t row);
	void (*cells)(struct table *table, uint64_t row, struct value *values);
	/* The rest of the rows is not needed. NULL: nothing has to be done. */
	void (*leave)(struct table *table);
	/* By a column; COLUMN_NONE: only backwards, if it was not. NULL: has one order only. */
	bool (*sort)(struct table *table, unsigned column, bool descending);
	uint64_t (*seek_time)(struct table *table,
			      int64_t t); /* first row at or after t; NULL: no time */
	/* NULL: its rows have no thing. */
	struct row_thing (*thing)(const struct table *table, uint64_t row);
	uint64_t (*position)(
		struct table *table,
		uint64_t row); /* approximate index of the row; NULL: the handle is the index */
	/* NULL: all cells are plain. */
	enum text_role (*role)(const struct table *table, uint64_t row, unsigned column);
	/* Fills in the chart that a cell of `width` columns shows instead of text; false: it shows
	 * text. NULL: every cell does. */
	bool (*chart)(const struct table *table, uint64_t row, unsigned column, int width,
		      struct table_chart *chart);
};

struct table {
	const struct table_ops *ops;
	const struct column *columns;
	unsigned n_columns;
	unsigned second; /* column to be shown second on the screen; 0: the order is that of the
			    columns */
	const struct timescale *scale;
	uint64_t rows;      /* number of rows, or an upper limit while a filter has not seen all */
	unsigned sorted_by; /* column whose order the rows are in; COLUMN_NONE: one of its own */
	bool descending;
	/* Of several processes each has a stretch of the rows, one after the other. False: all have
	 * all of them, or the first has (table_gather()). */
	bool stretch;
};

static inline void table_free(struct table *t)
{
	if (t)
		t->ops->free(t);
}
static inline uint64_t table_first(struct table *t)
{
	return t->ops->first(t);
}
static inline uint64_t table_next(struct table *t, uint64_t row)
{
	return t->ops->next(t, row);
}
static inline void table_cells(struct table *t, uint64_t row, struct value *values)
{
	t->ops->cells(t, row, values);
}

/* Ends a walk over the rows, which may be before the last one. */
static inline void table_leave(struct table *t)
{
	if (t->ops->leave)
		t->ops->leave(t);
}

/* THING_NONE for ROW_NONE, too. */
static inline struct row_thing table_thing(const struct table *t, uint64_t row)
{
	return row != ROW_NONE && t->ops->thing ? t->ops->thing(t, row) : (struct row_thing){ 0 };
}

/* The column of an export name; -1 without. */
int table_column(const struct table *table, const char *name);

static inline bool column_is_text(const struct column *column)
{
	return column->type == COLUMN_TEXT || column->type == COLUMN_NAME;
}

/* What programs keep a cell as: whole numbers, or real ones in the unit of exports (seconds). */
enum cell_kind { CELL_TEXT, CELL_INTEGER, CELL_REAL };
enum cell_kind column_kind(const struct column *column);
/* A known cell of numbers as a real one. */
double table_real(const struct table *table, unsigned column, const struct value *value);

/* The order of two cells of a column, as qsort() takes it: unknown ones last, text by bytes. */
int value_order(enum column_type type, bool descending, const struct value *a,
		const struct value *b);

/* Numbers are aligned right; everything but text is one. */
static inline bool column_is_number(const struct column *column)
{
	return !column_is_text(column);
}

/* Appends a value as people read it (screen and text exports: "-" when unknown), and as exports
 * write it (nothing when unknown, seconds with every digit, no quotes). Both clean text. */
void table_show(const struct table *table, unsigned column, const struct value *value,
		struct str *out);
void table_write(const struct table *table, unsigned column, const struct value *value,
		 struct str *out);

/* Fills in all columns; those that this kind of the table does not have are neither shown nor
 * exported. */
void table_columns_of(const struct column_of *all, unsigned n, unsigned kind,
		      struct column *columns);
/* Fills `shown` with the columns of screen and text, in their order; returns how many. */
unsigned table_shown(const struct table *table, unsigned shown[TABLE_COLUMNS]);
