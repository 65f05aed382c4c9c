#include "base/option_page.h"

void option_page_help(struct str *out, const struct option_page *o)
{
	enum { INDENT = 24, WIDTH = 78 };
	OWNED_STR left = STR_INIT;

	if (o->letter)
		str_add_fmt(&left, "  -%c, --%s", o->letter, o->name);
	else
		str_add_fmt(&left, "  %s--%s", o->letters ? "    " : "", o->name);
	if (o->argument)
		str_add_fmt(&left, " %s", o->argument);
	if (left.n < INDENT)
		str_add_fmt(out, "%-*s", INDENT, left.text);
	else
		str_add_fmt(out, "%s\n%*s", left.text, INDENT, "");
	str_add_wrapped(out, o->help, INDENT, WIDTH);
}

void option_page_roff(struct str *out, const char *text)
{
	str_add_escaped(out, text, "-\\");
}

void option_page_manual(struct str *out, const struct option_page *o)
{
	str_add(out, ".TP\n");
	if (o->letter)
		str_add_fmt(out, "\\fB\\-%c\\fR, ", o->letter);
	str_add(out, "\\fB\\-\\-");
	option_page_roff(out, o->name);
	str_add(out, "\\fR");
	if (o->argument) {
		str_add(out, " \\fI");
		option_page_roff(out, o->argument);
		str_add(out, "\\fR");
	}
	str_add_char(out, '\n');
	option_page_roff(out, o->help);
	if (o->fallback) {
		str_add(out, " (default: ");
		option_page_roff(out, o->fallback);
		str_add_char(out, ')');
	}
	str_add(out, ".\n");
}
