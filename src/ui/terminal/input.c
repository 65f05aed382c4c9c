#include "ui/terminal/input.h"

#include <stdio.h>

bool input_char(struct input *input, wint_t ch)
{
	static const struct {
		wint_t ch;
		const char *name;
	} specials[] = { { 9, "Tab" },     { 10, "Enter" },      { 13, "Enter" },
			 { 27, "Escape" }, { 127, "Backspace" }, { 8, "Backspace" } };
	for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
		if (specials[i].ch == ch) {
			snprintf(input->key, sizeof input->key, "%s", specials[i].name);
			return true;
		}
	}
	if (ch < 32) {
		snprintf(input->key, sizeof input->key, "Ctrl-%c",
			 ch == 0 ? ' ' : (char)(ch + (ch < 27 ? 'a' - 1 : '@')));
		return true;
	}
	input->ch = (uint32_t)ch;
	if (ch == ' ')
		snprintf(input->key, sizeof input->key, "Space");
	else
		snprintf(input->key, sizeof input->key, "%lc", ch);
	return iswprint(ch);
}
