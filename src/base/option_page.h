/* option_page: one option of a command-line program, as lines of --help and of a manual page. */
#pragma once

#include "base/str.h"

struct option_page {
	const char *name; /* without its dashes */
	char letter;      /* 0: none */
	bool letters;     /* --help leaves room for letters: some option of the program has one */
	const char *argument; /* NULL: a flag */
	const char *help;
	const char
		*fallback; /* of the manual page: what holds without the option; NULL: not said */
};

/* "  -o, --output FILE  help", wrapped at column 78. */
void option_page_help(struct str *out, const struct option_page *option);
/* The same as an entry of a list in troff. */
void option_page_manual(struct str *out, const struct option_page *option);
/* Text with '-' and '\' as they are typed. */
void option_page_roff(struct str *out, const char *text);
