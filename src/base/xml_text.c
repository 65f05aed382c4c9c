#include "base/xml_text.h"

#include <string.h>

void xml_text_add(struct str *out, const char *text)
{
	OWNED_STR clean = STR_INIT;

	str_add_clean(&clean, text, strlen(text));
	for (const char *p = clean.text; *p; p++) {
		switch (*p) {
		case '&': str_add(out, "&amp;"); break;
		case '<': str_add(out, "&lt;"); break;
		case '>': str_add(out, "&gt;"); break;
		case '"': str_add(out, "&quot;"); break;
		case '\'': str_add(out, "&apos;"); break;
		default:
			/* U+FFFE and U+FFFF are not allowed. */
			if (strncmp(p, "\xef\xbf\xbe", 3) == 0 ||
			    strncmp(p, "\xef\xbf\xbf", 3) == 0) {
				str_add_char(out, '?');
				p += 2;
			} else {
				str_add_char(out, *p);
			}
		}
	}
}
