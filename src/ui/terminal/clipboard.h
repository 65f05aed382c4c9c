/* clipboard: the sequence that lets a terminal copy text (OSC 52). */
#pragma once

#include <stdbool.h>

#include "base/str.h"

/* Appends it; false: the text is longer than terminals take. */
bool clipboard_sequence(struct str *out, const char *text);
