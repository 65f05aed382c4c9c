/* screen_replies: what screen_input.c needs of the screen to take the terminal's answers. */
#pragma once

#include "ui/terminal/replies.h"
#include "ui/terminal/screen.h"

struct replies *screen_replies(struct screen *screen);
/* Does what an answer says; true: the screen looks different from now on. */
bool screen_take_answer(struct screen *screen, enum answer answer);

/* What the terminal puts around a pasted text in this DEC mode; their codes in curses,
 * above all of its own. */
#define PASTE_MODE  "2004"
#define PASTE_BEGIN "\033[200~"
#define PASTE_END   "\033[201~"
enum { CODE_PASTE_BEGIN = 0x4000, CODE_PASTE_END };
/* Whether the begin of a pasted text was read, and not yet its end. */
bool *screen_pastes(struct screen *screen);
