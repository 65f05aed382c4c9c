/* ground: is the terminal's background light? It is asked (OSC 11), and the answer comes among the
 * keys, soon, late or never; nothing waits for it. Pure.
 *
 *	ground_ask(&ground, now);			and write GROUND_QUESTION
 *	switch (ground_take(&ground, ch)) ...		of each character that comes after an Escape
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define GROUND_QUESTION "\033]11;?\007"

enum ground_step {
	GROUND_OTHER, /* the character is none of an answer */
	GROUND_MORE,  /* it is, and there is more to come */
	GROUND_LIGHT, /* it was the last one */
	GROUND_DARK,
	GROUND_UNKNOWN /* it was the last one of an answer that says nothing */
};

struct ground {
	int64_t until; /* ms: later ones are keys */
	bool within;   /* the begin of an answer was seen */
	bool escape;   /* and an Escape in it, which only a backslash may follow */
	unsigned n;
	char text[48]; /* after "ESC ]" */
};

void ground_ask(struct ground *ground, int64_t now);
/* Whether an answer may begin with an Escape now. */
bool ground_is_open(const struct ground *ground, int64_t now);
/* A character after an Escape, or after GROUND_MORE. */
enum ground_step ground_take(struct ground *ground, uint32_t ch);
/* "11;rgb:ffff/ff/f" */
enum ground_step ground_read(const char *text);
