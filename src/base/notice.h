/* notice: a line for the user on standard error. Names in it may come from anywhere, so its text is
 * cleaned (str.h). */
#pragma once

/* "PROGRAM: TEXT". */
void notice_print(const char *program, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
