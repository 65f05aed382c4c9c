/* screen_ground: what screen_input.c needs of the screen to take the terminal's answer. */
#pragma once

#include "ui/terminal/ground.h"
#include "ui/terminal/screen.h"

struct ground *screen_ground(struct screen *screen);
/* Chooses the theme for what was answered, if the user has not chosen one. */
void screen_take_ground(struct screen *screen);
