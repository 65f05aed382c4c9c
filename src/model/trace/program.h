/* program: the statements of the program, and statistics by statement instead of by event (paper 1:
 * Li and Zhang, sections 5.2 and 5.3).
 *
 * A *statement* is a procedure, a loop, a call statement or a communication statement. Each has a
 * parent, except procedures: so the static tables PL, PCom, PC, L, LCom, LC are the pairs of (kind
 * of the parent, kind). A *statement record* is the dynamic record of one statement on one
 * location: of a procedure one for each call statement that activated it, of a communication one
 * for each destination.
 *
 * Traces whose program was not made by tvcc have no statements; patterns/graph/graph.h makes them
 * of call paths and call sites. A trace with records and without events (tvrun --statistics) is a
 * trace like any other.
 *
 * Ownership and threads: as in trace.h. Times are ticks of the location's own clock: durations, no
 * points. */
#pragma once

#include "model/trace/trace.h"

#define NO_STATEMENT UINT32_MAX

enum statement_kind {
	STATEMENT_PROCEDURE,
	STATEMENT_LOOP,
	STATEMENT_CALL,
	STATEMENT_COMMUNICATION,
	STATEMENT_KINDS
};

enum statement_flag {
	STATEMENT_ALONE = 1 << 0,      /* is not instrumented; `reason` says why */
	STATEMENT_POINTER = 1 << 1,    /* a call through a pointer */
	STATEMENT_LOCAL = 1 << 2,      /* a procedure that only its file sees */
	STATEMENT_ITERATIONS = 1 << 3, /* a loop of which every iteration is timed */
	STATEMENT_UNCOUNTED = 1 << 4,  /* a loop whose iterations are not counted */
	STATEMENT_FOUND =
		1 << 5, /* found by an address, not in the program's tables: hooks, Fortran */
	STATEMENT_STATISTICS =
		1 << 6, /* made of PICL's statistics records, which the trace has as events */
	STATEMENT_UNTIMED =
		1 << 7, /* a loop that is only counted; with STATEMENT_ALONE: a small procedure, or
			   a call of one */
};

struct statement {
	uint8_t kind;            /* enum statement_kind */
	uint8_t flags;           /* enum statement_flag */
	uint16_t column;         /* 0 unknown */
	uint32_t line, end_line; /* 0 unknown */
	uint32_t parent; /* statement it is in, before it; NO_STATEMENT: a procedure, or unknown */
	uint32_t name;   /* string: "sweep", "for", the called procedure, "MPI_Send" */
	uint32_t file;   /* string, 0 unknown */
	uint32_t callee; /* of a call: the procedure, where it is known; NO_STATEMENT */
	uint32_t region; /* of a procedure, loop or communication: the region of its events;
			    UINT32_MAX none */
	uint32_t reason; /* string, 0 none */
};

enum statement_record_flag {
	RECORD_LIMITED = 1 << 0,  /* so frequent that not all executions are events */
	RECORD_LOST = 1 << 1,     /* some were ended by longjmp, or by the end of the run */
	RECORD_SENT = 1 << 2,     /* the partner was sent to, */
	RECORD_RECEIVED = 1 << 3, /* received from */
	RECORD_DETECTED =
		1
		<< 5, /* for some of `carried` the rank detected the partner's readiness by its own
			 clock */
	RECORD_ITERATED = 1 << 4, /* quickest and slowest are of single iterations, else of means of
				     executions */
	RECORD_TORN = 1 << 6,     /* changed when its process died: one execution may be in some
				     figures alone */
};

enum { PARTNER_MANY = -1 }; /* several, or all of a communicator */

struct statement_record {
	uint32_t statement, location;
	uint32_t from; /* of a procedure: the call statement; NO_STATEMENT: from outside the program
			  (main), or unknown */
	int32_t partner;         /* of a communication: world rank, PARTNER_MANY, RANK_UNKNOWN */
	uint32_t comm;           /* of a communication: communicator, UINT32_MAX unknown */
	uint32_t flags;          /* enum statement_record_flag */
	uint64_t count;          /* activations, executions */
	uint64_t inner;          /* of `count`: recursive ones, which have no time */
	int64_t time, exclusive; /* ticks */
	int64_t min, max;        /* ticks, time of one */
	uint64_t iterations;
	double quickest, slowest; /* ticks, of an iteration */
	int64_t trans, sync;      /* ticks, parts of `time` */
	uint64_t own, carried;    /* of `count`, with known waiting: because the call does not wait
				     for partners; by the partner's time */
	uint64_t sent, received;  /* bytes */
};

/* True if the trace has statement records, and no region is ever entered, or it says so itself
 * (property `recorded`): its events then tell only what was open when it was looked at, or killed.
 * O(1). */
bool trace_records_alone(const struct trace *trace);

/* ---- as numbers, for files ---- */

/* Larger times are invalid: this limit keeps sums within 64 bits. */
#define RECORD_TIME_MAX ((int64_t)1 << 56)

enum {
	STATEMENT_VALUES = 8, /* of a statement, beside its name, file and reason */
	RECORD_VALUES = 15,   /* of a record at most, beside its statement and location */
	RECORD_COMM = 8,      /* index of the communicator in the values of a communication */
};

/* kind, flags, column, line, end line, parent, callee, region; none is -1. */
void statement_values(const struct statement *statement, int64_t *values);
/* The reverse; false if the values are invalid. */
bool statement_from(const int64_t *values, struct statement *statement);
/* flags, count, inner, time, exclusive, min, max; then of a procedure: from; of a loop: iterations,
 * quickest and slowest (their bits); of a communication: partner, communicator (its id), trans,
 * sync, own, carried, sent, received. None is -1, unsigned numbers are stored as signed ones.
 * Returns how many. */
uint32_t record_values(enum statement_kind kind, const struct statement_record *record,
		       int64_t *values);
uint32_t record_count(enum statement_kind kind);
/* The reverse, from n values; false if n is wrong, or a time is invalid. */
bool record_from(enum statement_kind kind, const int64_t *values, size_t n,
		 struct statement_record *record);
