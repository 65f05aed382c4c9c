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
	str_add_int(out, a);
	str_add_char(out, ' ');
	str_add_int(out, b);
	str_add_char(out, ' ');
}

void picl_add_value(struct str *out, int64_t value)
{
	str_add_char(out, ' ');
	str_add_int(out, value);
}

void picl_add_values(struct str *out, const int64_t *v, int32_t n)
{
	str_add_int(out, n);
	if (n)
		str_add(out, " 2");
	for (int32_t i = 0; i < n; i++)
		picl_add_value(out, v[i]);
}

void picl_add_text(struct str *out, const char *text, size_t n)
{
	str_add_fmt(out, "%zu \"%%c\" ", n);
	for (size_t i = 0; i < n; i++)
		str_add_char(out, is_odd(text[i]) ? ' ' : text[i]);
}
