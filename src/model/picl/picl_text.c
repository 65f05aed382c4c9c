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

char *picl_put_pair(char *p, int32_t a, int32_t b)
{
	p = str_put_int(p, a);
	*p++ = ' ';
	p = str_put_int(p, b);
	*p++ = ' ';
	return p;
}

void picl_add_pair(struct str *out, int32_t a, int32_t b)
{
	str_end(out, picl_put_pair(str_room(out, PICL_PAIR), a, b));
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
