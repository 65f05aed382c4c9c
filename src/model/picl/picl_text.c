#include "model/picl/picl_text.h"

static bool is_odd(char c)
{
	return (unsigned char)c < ' ' || c == 127;
}

bool picl_text_is_odd(const char *text)
{
	while (*text && !is_odd(*text))
		text++;
	return *text;
}

void picl_add_pair(struct str *out, int32_t a, int32_t b)
{
	char *p = str_put_int(str_room(out, 2 * (STR_INT + 1)), a);

	*p++ = ' ';
	p = str_put_int(p, b);
	*p++ = ' ';
	str_end(out, p);
}

void picl_add_value(struct str *out, int64_t value)
{
	char *p = str_room(out, STR_INT + 1);

	*p++ = ' ';
	str_end(out, str_put_int(p, value));
}

void picl_add_values(struct str *out, const int64_t *v, int32_t n)
{
	char *p = str_put_int(str_room(out, STR_INT + 2 + (size_t)n * (STR_INT + 1)), n);

	if (n) {
		*p++ = ' ';
		*p++ = '2';
	}
	for (int32_t i = 0; i < n; i++) {
		*p++ = ' ';
		p = str_put_int(p, v[i]);
	}
	str_end(out, p);
}

void picl_add_text(struct str *out, const char *text, size_t n)
{
	str_add_fmt(out, "%zu \"%%c\" ", n);
	for (size_t i = 0; i < n; i++)
		str_add_char(out, is_odd(text[i]) ? ' ' : text[i]);
}
