#include "base/name_text.h"

#include <string.h>

#include "base/text.h"

/* Narrower than this, an end and a beginning tell nothing. */
enum { MIDDLE_FROM = 6 };
/* Brackets of longer names are not looked at. */
enum { LONGEST = 4096 };

/* The next part of a name after `at`: after "::" or " > " outside of brackets; NULL: none. */
static const char *next_part(const char *at)
{
	static const char operator_[] = "operator";
	int depth = 0;

	for (; *at; at++) {
		/* The signs of operators are not brackets. */
		if (!strncmp(at, operator_, sizeof operator_ - 1)) {
			at += sizeof operator_ - 1;
			at += !strncmp(at, "()", 2) ? 2 : strspn(at, "<>=-");
			if (!*at)
				return NULL;
		}
		if (depth == 0 && !strncmp(at, " > ", 3))
			return at + 3;
		if (depth == 0 && !strncmp(at, "::", 2) && at[2])
			return at + 2;
		depth += (*at == '<' || *at == '(') - (*at == '>' || *at == ')');
		depth = depth < 0 ? 0 : depth;
	}
	return NULL;
}

size_t name_text_last(const char *name)
{
	const char *last = name;

	for (const char *part = name; (part = next_part(part));)
		last = part;
	return (size_t)(last - name);
}

/* Bytes of text to where its last `width` columns begin. */
static size_t text_tail(const char *text, int width)
{
	const char *p = text, *before = text;
	int left = text_width(text), w;

	while (left > width && text_next(&p, &w)) {
		left -= w;
		before = p;
	}
	return (size_t)(before - text);
}

/* `tail` columns stay at the end. */
static void leave_out_middle(struct str *out, const char *name, int width, int tail,
			     const char *ellipsis)
{
	str_add_n(out, name, text_fit(name, width - 1 - tail));
	str_add(out, ellipsis);
	str_add(out, name + text_tail(name, tail));
}

/* Where the brackets end that begin at `open`; NULL: nowhere. */
static const char *closing(const char *open)
{
	const char from = *open, to = from == '(' ? ')' : '>';
	int depth = 0;

	for (const char *at = open; *at; at++) {
		depth += (*at == from) - (*at == to && at[-1] != '-');
		if (depth == 0)
			return at;
	}
	return NULL;
}

/* The bracket of the last arguments, which are not "()" alone: of functions `(`, of templates `<`;
 * outermost ones only. NULL: none. */
static const char *last_brackets(const char *name, char bracket)
{
	static const char operator_[] = "operator", anonymous[] = "(anonymous namespace)";
	const char *found = NULL, *end;

	for (const char *at = name; *at; at++) {
		if (!strncmp(at, operator_, sizeof operator_ - 1)) {
			at += sizeof operator_ - 1;
			at += !strncmp(at, "()", 2) ? 2 : strspn(at, "<>=-");
			if (!*at)
				break;
		}
		if (!strncmp(at, anonymous, sizeof anonymous - 1)) {
			at += sizeof anonymous - 2;
			continue;
		}
		if ((*at != '(' && *at != '<') || at == name)
			continue;
		if (!(end = closing(at)))
			break;
		if (*at == bracket && end > at + 1)
			found = at;
		at = end;
	}
	return found;
}

size_t name_text_bare(const char *name)
{
	const char *open = strlen(name) <= LONGEST ? last_brackets(name, '(') : NULL;

	return open ? (size_t)(open - name) : strlen(name);
}

/* Leaves arguments out, the last ones first, until the name fits: `f(a, b)` -> `f(~)`. Brackets
 * that hold no more than the ellipsis stay. */
static void leave_out_arguments(struct str *name, int width, char bracket, const char *ellipsis)
{
	for (size_t end = name->n; name->n <= LONGEST && text_width(name->text) > width;) {
		OWNED_STR head = STR_INIT, shorter = STR_INIT;
		const char *open;

		str_add_n(&head, name->text, end);
		open = last_brackets(head.text, bracket);
		if (!open)
			return;
		end = (size_t)(open - head.text);
		if (text_width(open) - text_width(closing(open)) <= 2)
			continue;
		str_add_n(&shorter, name->text, end + 1);
		str_add(&shorter, ellipsis);
		str_add(&shorter, closing(name->text + end));
		str_clear(name);
		str_add(name, shorter.text);
	}
}

void name_text_fit(struct str *name, int width, const char *ellipsis)
{
	const char *note = strstr(name->text, "  "), *part;
	OWNED_STR whole = STR_INIT;

	if (width < MIDDLE_FROM || text_width(name->text) <= width)
		return;
	str_add_n(&whole, name->text, note ? (size_t)(note - name->text) : name->n);
	if (note && text_width(whole.text) + 2 < width)
		return;
	str_clear(name);
	leave_out_arguments(&whole, width, '(', ellipsis);
	leave_out_arguments(&whole, width, '<', ellipsis);
	if (text_width(whole.text) <= width) {
		str_add(name, whole.text);
		return;
	}
	for (part = whole.text; (part = next_part(part));) {
		if (text_width(part) + 1 > width)
			continue;
		str_add(name, ellipsis);
		str_add(name, part);
		return;
	}
	leave_out_middle(name, whole.text + name_text_last(whole.text), width, (width - 1) / 2,
			 ellipsis);
}

void name_text_fit_title(struct str *title, int width, const char *ellipsis)
{
	OWNED_STR whole = STR_INIT;

	if (width < MIDDLE_FROM || text_width(title->text) <= width)
		return;
	str_add(&whole, title->text);
	str_clear(title);
	leave_out_middle(title, whole.text, width, width / 4, ellipsis);
}
