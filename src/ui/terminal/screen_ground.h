/* screen_ground: what screen_input.c needs of the screen to take the terminal's answer, and what is
 * pasted. */
#pragma once

#include "ui/terminal/ground.h"
#include "ui/terminal/screen.h"

struct ground *screen_ground(struct screen *screen);
/* Chooses the theme for what was answered, if the user has not chosen one. */
void screen_take_ground(struct screen *screen);

/* What the terminal puts around a pasted text when asked (DEC mode 2004); their codes in curses,
 * above all of its own. */
#define PASTE_ON    "\033[?2004h"
#define PASTE_OFF   "\033[?2004l"
#define PASTE_BEGIN "\033[200~"
#define PASTE_END   "\033[201~"
enum { CODE_PASTE_BEGIN = 0x4000, CODE_PASTE_END };
/* Whether the begin of a pasted text was read, and not yet its end. */
bool *screen_pastes(struct screen *screen);
