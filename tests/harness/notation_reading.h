/* notation_reading: the text of a notation while it is read: its words, numbers, times and
 * names. */
#pragma once

#include "harness/notation.h"

enum { NOTATION_PICL = 100, NOTATION_WORD = 128 };

/* After a mistake `at` is at an empty text, so that all loops end. */
struct reading {
	struct notation *n;
	const char *text, *at;
	struct err *err;
	bool failed;
	size_t place;         /* index in places */
	bool in_visit;        /* operations that follow belong to one: */
	uint32_t region;      /* its region, */
	int64_t enter, leave; /* its times with the inset; INT64_MIN: not left */
};

/* Fills err with line, column, the sentence and the line's text; false. */
bool reading_wrong(struct reading *r, const char *what);

/* ---- text ---- */

void reading_blanks(struct reading *r); /* and comments */
void reading_breaks(struct reading *r); /* and ends of lines */
/* Whether the text goes on with a sign, or a word; it is read then. */
bool reading_sign(struct reading *r, const char *what);
bool reading_word(struct reading *r, const char *what);
void reading_need(struct reading *r, const char *sign);
bool reading_at_name(struct reading *r);
const char *reading_name(struct reading *r, char text[NOTATION_WORD]);
bool reading_at_number(struct reading *r);
int64_t reading_number(struct reading *r);

/* ---- times ---- */

struct notation_place *reading_place(const struct reading *r);
int64_t reading_time(struct reading *r);
/* A time as the location's clock shows it; remembered for times that are relative. */
int64_t reading_stamp(struct reading *r, int64_t t);
/* "@ T", else `otherwise` in a visit, else the time of the event before. */
int64_t reading_own_time(struct reading *r, int64_t otherwise);

/* ---- what has a name ---- */

uint32_t reading_string(const struct reading *r, const char *text);
void reading_define(struct reading *r, enum notation_kind kind, const char *text, uint32_t id);
/* A name of a kind, or of any, that must be known. */
uint32_t reading_known(struct reading *r, enum notation_kind kind);
uint32_t reading_region(struct reading *r, const char *text);
/* A name with the line of its call. */
uint32_t reading_site(struct reading *r, uint32_t *of_region);
struct notation_name *notation_find(const struct notation *n, enum notation_kind kind,
				    const char *text);

/* ---- events (notation_events.c) ---- */

/* Visits and operations of the place, until something else comes; inside of braces over several
 * lines. */
void reading_items(struct reading *r, bool inside);
