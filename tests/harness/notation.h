/* notation: runs written down by hand, as text, and given to the model's builder.
 *
 *	rank 0: main@0 { MPI_Send@10-12 ->1 tag 7 100B } @100
 *	rank 1: main@0 { MPI_Recv@5-13 <-0 tag 7 } @100
 *
 * A line says what a location does, or sets something. Outside of braces it ends at ';' or a line
 * break, unless the next line begins with a blank. '#' begins a comment. A location's events are in
 * the order in which they are written. N is a number, R a rank, NAME a word or 'any text'.
 *
 *  line    = place ":" { visit | operation | "," } | setting
 *  place   = "rank" R [ "thread" N ] | "host"  (defined when first named) | "location" N
 *  visit   = NAME [ ":" LINE ] times { operation }   LINE: of the call, in the file that is set
 *  times   = "@" T                                   enter only
 *          | "@" T "-" T                             enter and leave
 *          | "@" T "{" { visit | operation } "}" [ "@" T ]
 *  T       = ticks, or "+" ticks after the location's event before
 *
 * An operation belongs to the visit before it, unless a ',' ends that. It happens at its own "@" T,
 * else when its visit is entered, or left if it completes something, else with the event before.
 *
 *  "->" R | "->*"  message         send (to all)
 *  "<-" R | "<-?"  message         receive; with "req" the completion of a posted one
 *  "post" "<-" R   message         post a receive
 *      message = { "tag" N | N "B" | "comm" NAME | "req" N }      tag 0 and 8B if not given
 *  "sent" N | "test" N | "cancel" N                 what becomes of request N
 *  "all" [ ":" NAME ] group        collective of the visit's region, or another; with "@" T "-" T
 *                                  its begin and end, with "@" T alone its begin, else the visit's
 *      group = { "comm" NAME | "root" R | N "B" [ "/" N "B" ] }   sent / received; 0B, no root
 *  "end"                           the end of a collective
 *  "ask" N                         the request of a nonblocking collective
 *  "got" N NAME group              its completion
 *  "fence" NAME                    collective call on a window; times as of "all"
 *  "[" TYPE { N | NAME } [ "@" T ] "]"              detail (detail.h) with its values
 *  "gap" N [ N [ N ] ]                              one ends (model/trace/gap.h): its records,
 *                                                   of how many the clock was read (0), and
 *                                                   that were noted (all)
 *  "mark" NAME [ ":" LINE ] | "leave" NAME [ ":" LINE ]
 *
 *  setting = "ticks" N             per second (10^9); before anything else
 *          | "ranks" N             locations of ranks 0 to N - 1
 *          | "threads" N [ "rank" R ]   of a rank or a process; their communicator is called team
 *          | "mpi" CLASS           of MPI functions and names that begin with MPI_ (p2p); others: user
 *          | "region" NAME [ "=" NAME in the trace ]
 *            { "class" CLASS | "role" N | "paradigm" N | "picl" N | "file" NAME | "line" N [ "-" N ] }
 *          | "file" NAME           of lines of calls (app.c)
 *          | "inset" N             operations are N ticks after their enter, before their leave (0)
 *          | "comm" NAME [ "self" ] { R } [ "|" { R } ]     of one, of two groups
 *          | "grid" N { N }        of the world, not periodic, ranks row by row
 *          | "window" NAME | "group" NAME { R }     of one-sided communication
 *          | "node" NAME { R }     of the ranks' threads so far
 *          | "clock" R N [ PPM ]   a rank's clock is N ticks ahead, and faster
 *          | "offset" R T N [ N ]  measured: N more ticks are the reference's time; round trip
 *          | "property" NAME NAME
 */
#pragma once

#include <stdarg.h>

#include "base/vec.h"
#include "model/build/builder.h"

/* A location, and where its events are. */
struct notation_place {
	uint32_t location;
	int32_t rank, thread;
	int64_t now;
	int64_t clock_offset;
	double clock_ppm;
};

enum notation_kind {
	NOTATION_ANY,
	NOTATION_REGION,
	NOTATION_COMM,
	NOTATION_OBJECT, /* a window, a group */
};

/* What a text refers to by name. */
struct notation_name {
	char *name;
	enum notation_kind kind;
	uint32_t id;
	int32_t picl; /* of a region */
};

struct notation {
	struct builder *b; /* owned until notation_finish() */
	VEC(struct notation_place) places;
	VEC(struct notation_name) names;
	enum region_class mpi;
	int64_t inset;
	char *file;
};

void notation_begin(struct notation *n, int64_t per_second);
void notation_fini(struct notation *n); /* at any time */
/* Adds what a text says. False with err, which names line and column, where the text is wrong. */
bool notation_read(struct notation *n, const char *text, struct err *err);

/* ---- in tests: what goes wrong fails the test ---- */

/* printf's format. */
void notation_write(struct notation *n, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void notation_write_v(struct notation *n, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
/* Names what a test defined by the builder itself; picl: of a region. */
void notation_define(struct notation *n, enum notation_kind kind, const char *name, uint32_t id,
		     int32_t picl);
/* The id of what was named. */
uint32_t notation_id(const struct notation *n, enum notation_kind kind, const char *name);
struct trace *notation_finish(struct notation *n);
/* The trace of a text. */
struct trace *notation_trace(const char *text);
