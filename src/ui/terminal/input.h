/* input: a key or a movement of the mouse. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

enum input_kind { INPUT_KEY, INPUT_CLICK, INPUT_WHEEL_UP, INPUT_WHEEL_DOWN };

struct input {
	enum input_kind kind;
	char key[16]; /* as in the action table: "x", "Ctrl-r", "PageDown", "Space" */
	uint32_t ch;  /* the character of a key that is one, else 0 */
	int x, y;     /* of the mouse */
	bool ctrl;    /* the wheel was turned with Ctrl */
};

/* Names the key of a character; false if it is none that can be printed or named. */
bool input_char(struct input *input, wint_t ch);
