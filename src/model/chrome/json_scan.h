/* json_scan: JSON from a stream, value by value, in one buffer: no tree is made, and memory does
 * not grow with the file. The caller knows what it expects:
 *
 *	json_scan_init(&s, source);
 *	if (json_enter(&s, '{'))
 *		while (json_key(&s, &key))
 *			json_scalar(&s, &text) ... or json_skip(&s)
 *	if (json_failed(&s)) ... s.wrong, at s.begin + s.at
 *
 * A failure is sticky: everything returns false, NULL or JSON_NONE then. Strings are decoded to
 * UTF-8 (what is not valid becomes U+FFFD) and cut after JSON_TEXT_MOST bytes, which is counted.
 * O(bytes); values nest JSON_DEPTH deep at most. */
#pragma once

#include "base/source.h"
#include "base/str.h"

enum { JSON_BUFFER = 64 << 10, JSON_TEXT_MOST = 16 << 10, JSON_DEPTH = 512 };

enum json_kind {
	JSON_NONE, /* nothing: a failure, or the end of the file */
	JSON_STRING,
	JSON_NUMBER,
	JSON_WORD,  /* true, false, null */
	JSON_ARRAY, /* begins here */
	JSON_OBJECT,
};

struct json_scan {
	struct source *source;
	unsigned char *buffer;
	size_t at, n;      /* in the buffer */
	uint64_t begin;    /* offset of the buffer in the (decompressed) text */
	const char *wrong; /* NULL: nothing; static */
	bool ended;        /* the text ended where more was expected */
	uint64_t cut;      /* strings that were cut */
	struct str rest;   /* what is skipped */
};

void json_scan_init(struct json_scan *s, struct source *source);
void json_scan_fini(struct json_scan *s);

static inline bool json_failed(const struct json_scan *s)
{
	return s->wrong != NULL;
}

static inline uint64_t json_offset(const struct json_scan *s)
{
	return s->begin + s->at;
}

/* The next character that is not blank, which stays; -1 at the end. */
int json_peek(struct json_scan *s);
/* What comes next. */
enum json_kind json_next(struct json_scan *s);
/* Takes '{' or '['. */
bool json_enter(struct json_scan *s, char bracket);
/* Inside of an object: the next key, with its colon; false: the object has ended, or a failure.
 * Commas may be missing, or stand before the end. */
bool json_key(struct json_scan *s, struct str *key);
/* Inside of an array: whether there is another element; false: it has ended, or a failure. */
bool json_element(struct json_scan *s);
/* A string's text, a number's or a word's characters; of an array or object nothing is taken. */
enum json_kind json_scalar(struct json_scan *s, struct str *text);
/* Any value. */
bool json_skip(struct json_scan *s);
