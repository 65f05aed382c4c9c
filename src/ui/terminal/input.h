/* input: a key, a click, a drag or a turn of the mouse wheel. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

enum input_kind {
	INPUT_KEY,
	INPUT_CLICK,
	INPUT_DRAG,   /* the mouse has moved with its button held, or the button was let go there */
	INPUT_RIGHT,  /* the right button */
	INPUT_REDRAW, /* the screen has other colours */
	INPUT_WHEEL_UP,
	INPUT_WHEEL_DOWN
};

struct input {
	enum input_kind kind;
	char key[16];  /* as in the action table: "x", "Ctrl-r", "PageDown", "Space" */
	uint32_t ch;   /* the key's character, 0 if it is none */
	int x, y;      /* of the mouse */
	bool ctrl;     /* the wheel was turned with Ctrl */
	bool released; /* INPUT_DRAG: the button was let go */
	bool pasted;   /* the key is a character of a pasted text */
};

/* Sets the key for a character; false if it can neither be printed nor named. */
bool input_char(struct input *input, wint_t ch);
