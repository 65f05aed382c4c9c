/* clipboard: the escape sequence that puts text into the terminal's clipboard (OSC 52). */
#pragma once

#include <stdbool.h>

#include "base/str.h"

/* Appends it; false if the text is longer than terminals accept. */
bool clipboard_sequence(struct str *out, const char *text);
