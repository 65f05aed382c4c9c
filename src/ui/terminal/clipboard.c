#include "ui/terminal/clipboard.h"

#include <string.h>

#include "ui/terminal/base64.h"

bool clipboard_sequence(struct str *out, const char *text)
{
	enum { BYTES_MAX = 74000 };
	const size_t n = strlen(text);

	if (n > BYTES_MAX)
		return false;
	str_add(out, "\033]52;c;");
	base64_add(out, text, n);
	str_add(out, "\007");
	return true;
}
