/* prompt: one line of typed text, with cursor and history. Knows nothing about its purpose.
 *
 * Text is UTF-8; the cursor is on a character's first byte. Every key that edits is handled by
 * prompt_key(); Enter, Escape and Tab are the caller's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "ui/canvas/canvas.h"

enum { PROMPT_BYTES = 1024 };

struct history {
	VEC(char *) lines; /* owned, oldest first */
};

struct prompt {
	const char *label; /* "/" or "filter: " */
	char text[PROMPT_BYTES];
	size_t n;                /* bytes in use */
	size_t cursor;           /* byte */
	struct history *history; /* borrowed */
	size_t nth;              /* line of the history that is shown; lines.n: the own one */
	char own[PROMPT_BYTES];  /* what was typed before going into the history */
};

void prompt_begin(struct prompt *prompt, const char *label, struct history *history,
		  const char *text);
void prompt_set(struct prompt *prompt, const char *text);
/* A key by name, or a character; returns whether the text changed. */
bool prompt_key(struct prompt *prompt, const char *key, uint32_t ch);
/* Draws into one row and returns the column of the cursor. Long lines scroll. */
int prompt_draw(const struct prompt *prompt, struct canvas *canvas, struct rect row);

/* Keeps a line, at most 100, without duplicates. */
void history_add(struct history *history, const char *line);
void history_fini(struct history *history);
