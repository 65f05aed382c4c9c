#include "base/notice.h"

#include <stdio.h>

#include "base/str.h"

void notice_print(const char *program, const char *fmt, ...)
{
	OWNED_STR text = STR_INIT, line = STR_INIT;
	va_list args;

	va_start(args, fmt);
	str_add_fmt_v(&text, fmt, args);
	va_end(args);
	str_add_clean_text(&line, program);
	str_add(&line, ": ");
	str_add_clean_text(&line, text.text);
	str_add_char(&line, '\n');
	fwrite(line.text, 1, line.n, stderr);
}
