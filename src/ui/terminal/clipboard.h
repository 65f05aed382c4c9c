/* clipboard: the sequence that lets a terminal copy text (OSC 52). */
#ifndef TVIEW_UI_TERMINAL_CLIPBOARD_H
#define TVIEW_UI_TERMINAL_CLIPBOARD_H

#include <stdbool.h>

#include "base/str.h"

/* Appends it; false: the text is longer than terminals take. */
bool clipboard_sequence(struct str *out, const char *text);

#endif
