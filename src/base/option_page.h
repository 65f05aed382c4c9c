/* option_page: one option of a command-line program, as lines of --help and of a manual page. */
#pragma once

#include "base/str.h"

struct option_page {
	const char *name; /* without its dashes */
	char letter;      /* 0: none */
	bool letters;     /* --help leaves room for letters: some option of the program has one */
	const char *argument; /* NULL: a flag */
	const char *help;
	const char *fallback; /* default, for the manual page; NULL: not printed */
};

/* "  -o, --output FILE  help", wrapped at column 78. */
void option_page_help(struct str *out, const struct option_page *option);
/* Appends the same as an entry of a list in troff. */
void option_page_manual(struct str *out, const struct option_page *option);
/* Appends text with '-' and '\' escaped for troff, so that they can be copied from the page. */
void option_page_roff(struct str *out, const char *text);
