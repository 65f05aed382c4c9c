#include "ui/terminal/clipboard.h"

#include <stdint.h>
#include <string.h>

static void add_base64(struct str *out, const char *text, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < n; i += 3) {
		const size_t left = n - i;
		uint32_t bits = (uint32_t)(unsigned char)text[i] << 16;
		bits |= left > 1 ? (uint32_t)(unsigned char)text[i + 1] << 8 : 0;
		bits |= left > 2 ? (uint32_t)(unsigned char)text[i + 2] : 0;
		str_add_char(out, digits[bits >> 18]);
		str_add_char(out, digits[bits >> 12 & 63]);
		str_add_char(out, left > 1 ? digits[bits >> 6 & 63] : '=');
		str_add_char(out, left > 2 ? digits[bits & 63] : '=');
	}
}

bool clipboard_sequence(struct str *out, const char *text)
{
	enum { BYTES_MAX = 74000 };
	const size_t n = strlen(text);

	if (n > BYTES_MAX)
		return false;
	str_add(out, "\033]52;c;");
	add_base64(out, text, n);
	str_add(out, "\007");
	return true;
}
