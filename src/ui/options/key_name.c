/* key_name: the names of keys (bindings.h). */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "base/text.h"
#include "ui/options/bindings.h"

static const char *const names[] = { "Space",  "Tab",        "Shift-Tab",   "Enter",  "Escape",
				     "Up",     "Backspace",  "Down",        "Left",   "Right",
				     "Home",   "End",        "PageDown",    "PageUp", "Delete",
				     "Insert", "Shift-Left", "Shift-Right", NULL };

/* What terminals send for Ctrl and some letters is another key. */
static const char *same_as_ctrl(char letter)
{
	switch (letter) {
	case 'i': return "Tab";
	case 'j':
	case 'm': return "Enter";
	case 'h': return "Backspace";
	case '[': return "Escape";
	default: return NULL;
	}
}

static bool ctrl_name(char name[KEY_BYTES], const char *letter)
{
	const char c = (char)(*letter >= 'A' && *letter <= 'Z' ? *letter - 'A' + 'a' : *letter);
	const bool known = ((c >= 'a' && c <= 'z') || (c && strchr("[\\]^_", c))) && !letter[1];

	if (known && same_as_ctrl(c))
		snprintf(name, KEY_BYTES, "%s", same_as_ctrl(c));
	else if (known)
		snprintf(name, KEY_BYTES, "Ctrl-%c", c);
	return known;
}

static bool function_name(char name[KEY_BYTES], const char *typed)
{
	const char *digits = typed + 1;
	const size_t n = strspn(digits, "0123456789");
	int number = 0;

	if ((*typed != 'F' && *typed != 'f') || n < 1 || n > 2 || digits[n] || *digits == '0')
		return false;
	for (const char *p = digits; *p; p++)
		number = 10 * number + *p - '0';
	snprintf(name, KEY_BYTES, "F%d", number);
	return number <= 24;
}

/* One character that is seen. */
static bool is_character(const char *typed, size_t n)
{
	const size_t length = str_utf8_length(typed, n);
	char clean[KEY_BYTES];

	str_clean(clean, sizeof clean, typed, n);
	return length == n && strcmp(clean, typed) == 0 && *typed != ' ' && text_width(typed) > 0;
}

bool key_name(char name[KEY_BYTES], const char *typed, size_t n, struct err *err)
{
	char text[KEY_BYTES];
	const char *near;

	snprintf(text, sizeof text, "%.*s", (int)(n < sizeof text ? n : sizeof text - 1), typed);
	if (n > 0 && n < sizeof text && is_character(text, n)) {
		snprintf(name, KEY_BYTES, "%s", text);
		return true;
	}
	for (const char *const *known = names; *known; known++)
		if (strcasecmp(*known, text) == 0) {
			snprintf(name, KEY_BYTES, "%s", *known);
			return true;
		}
	if (function_name(name, text) ||
	    (strncasecmp(text, "Ctrl-", 5) == 0 && ctrl_name(name, text + 5)))
		return true;
	near = nearest_word(text, names);
	if (near)
		return err_set(err, STATUS_USAGE, "there is no key '%s'; did you mean %s?", text,
			       near);
	return err_set(err, STATUS_USAGE,
		       "there is no key '%s' (keys are x, Ctrl-x, F5, PageDown, Space ...; ? lists "
		       "them)",
		       text);
}
