/* descriptor: interpreter of PICL's data descriptors, which are scanf control strings. They come
 * from a file: nothing of them ever reaches scanf or printf, nothing is written through pointers,
 * and conversions that are not understood ("%n", "%p") are refused, so that the caller keeps raw
 * tokens.
 *
 * Understood: %c %s %d %i %u %x %f %e %g %[...], with h, l, ll, L, a width, and * (read and
 * dropped); %% and literal text; blanks, which match any white space. For %s a double-quoted run
 * is one word. A *field* is one pass over the whole string.
 *
 *	struct descriptor d;
 *	if (!descriptor_parse(&d, "%d%lf", 5)) return raw();
 *	while (count-- && descriptor_field(&d, &at, end, &sink)) ...
 *	descriptor_fini(&d); */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct conversion {
	char kind;        /* d i u x f s c [, or l literal, or w white space */
	bool dropped;     /* "%*d" */
	int width;        /* 0 none */
	uint32_t literal; /* l: offset of the character, [: of the set, in `control` */
	uint32_t length;  /* of the set, without brackets */
};

struct descriptor {
	char *control; /* a copy */
	struct conversion *parts;
	size_t n;
	size_t values; /* conversions that deliver a value: of one field */
};

/* The values of fields. The caller sets `v` and `room`. */
struct descriptor_sink {
	int64_t *v;         /* integers, in order; those beyond `room` are counted only */
	size_t room, n;     /* n: integers delivered */
	bool only_integers; /* false after a value that is not an integer; the caller starts with
			       true */
	bool float_given;   /* a floating-point number was found in place of an integer */
	bool saturated;     /* an integer did not fit into 64 bits */
};

/* False, with nothing to free, for a string that is not understood or delivers no value. */
bool descriptor_parse(struct descriptor *d, const char *control, size_t n);
void descriptor_fini(struct descriptor *d);

/* Reads one field at *p and moves it on. False, *p undefined, if the text does not match or
 * ends. */
bool descriptor_field(const struct descriptor *d, const char **p, const char *end,
		      struct descriptor_sink *sink);

/* True for a single conversion of that kind, "%c" or "%s": the data is text. */
bool descriptor_is(const struct descriptor *d, char kind);

/* The control string that the report predefines for an integer descriptor 0 to 5, else NULL. */
const char *descriptor_predefined(int64_t number);

/* Length of "[+-]digits[.digits][e[+-]digits]" at p, 0 without; *whole: of the part before point
 * and exponent. */
size_t descriptor_number(const char *p, const char *end, size_t *whole);

/* Reads an integer token in decimal, "+7" and "007" included. A number with point or exponent is
 * cut to its whole part and sets *is_float; one beyond 64 bits is limited and sets *saturated.
 * Returns the bytes used, 0 if there is no number at p. */
size_t descriptor_integer(const char *p, const char *end, int64_t *value, bool *is_float,
			  bool *saturated);
