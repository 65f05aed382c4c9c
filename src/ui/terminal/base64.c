#include "ui/terminal/base64.h"

#include <stdint.h>

void base64_add(struct str *out, const void *bytes, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *in = bytes;

	for (size_t i = 0; i < n; i += 3) {
		const size_t left = n - i;
		uint32_t bits = (uint32_t)in[i] << 16;

		bits |= left > 1 ? (uint32_t)in[i + 1] << 8 : 0;
		bits |= left > 2 ? (uint32_t)in[i + 2] : 0;
		str_add_char(out, digits[bits >> 18]);
		str_add_char(out, digits[bits >> 12 & 63]);
		str_add_char(out, left > 1 ? digits[bits >> 6 & 63] : '=');
		str_add_char(out, left > 2 ? digits[bits & 63] : '=');
	}
}
