/* writer_look: the part of a writer (writer.h) that sets colours and attributes, in few bytes.
 * Other files have no use for it.
 *
 * Two colours exchanged and shown in reverse look the same: four bytes where two grounds take
 * turns, as in bars, instead of eleven. Text keeps the colours that it has. */
#pragma once

#include "ui/terminal/writer.h"

/* Colours and attributes alone. */
bool writer_same_look(const struct ink *a, const struct ink *b);
/* The look of an ink as far as the terminal has it, in the one of the two ways that is nearer to
 * what is set. */
struct ink writer_look_of(const struct writer *writer, const struct ink *ink);
/* Sets the look of an ink. */
void writer_set_look(struct writer *writer, const struct ink *ink);
/* Whether blanks show this ground as it is set. */
bool writer_shows_ground(const struct writer *writer, int bg);
/* The ground of blanks, and that of the ones after these (GROUND_OTHER: no blanks are).
 * GROUND_ERASED: they are erased, which knows no reverse. What is set for characters stays for
 * those that come next. */
enum { GROUND_OTHER = -2, GROUND_ERASED = -3 };
void writer_set_ground(struct writer *writer, int bg, int next);
