#include "model/chrome/chrome_record.h"

#include <string.h>

void chrome_record_init(struct chrome_record *r)
{
	*r = (struct chrome_record){ 0 };
	str_init(&r->name);
	str_init(&r->cat);
	str_init(&r->pid);
	str_init(&r->tid);
	str_init(&r->id);
	for (size_t i = 0; i < CHROME_ARGS; i++) {
		str_init(&r->args[i].key);
		str_init(&r->args[i].value);
	}
}

void chrome_record_fini(struct chrome_record *r)
{
	str_fini(&r->name);
	str_fini(&r->cat);
	str_fini(&r->pid);
	str_fini(&r->tid);
	str_fini(&r->id);
	for (size_t i = 0; i < CHROME_ARGS; i++) {
		str_fini(&r->args[i].key);
		str_fini(&r->args[i].value);
	}
}

/* ---- times ---- */

enum { DIGITS_MOST = 36, TO_NANOSECONDS = 3 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The digits of a number, up to DIGITS_MOST, and by how many powers of ten it is larger. */
static const char *take_digits(const char *p, unsigned __int128 *value, int *power)
{
	int digits = 0;
	bool point = false;

	*value = 0;
	*power = 0;
	for (; is_digit(*p) || (*p == '.' && !point); p++) {
		if (*p == '.') {
			point = true;
			continue;
		}
		if (digits < DIGITS_MOST) {
			*value = *value * 10 + (unsigned)(*p - '0');
			digits += *value != 0;
			*power -= point;
		} else {
			*power += !point;
		}
	}
	return p;
}

static const char *take_exponent(const char *p, int *power)
{
	int sign = 1, exponent = 0;

	if (*p != 'e' && *p != 'E')
		return p;
	p++;
	if (*p == '-' || *p == '+')
		sign = *p++ == '-' ? -1 : 1;
	if (!is_digit(*p))
		return NULL;
	for (; is_digit(*p); p++)
		exponent = exponent < 1000 ? 10 * exponent + (*p - '0') : exponent;
	*power += sign * exponent;
	return p;
}

bool chrome_nanoseconds(const char *text, int64_t *ns)
{
	const bool negative = *text == '-';
	unsigned __int128 value;
	const char *p = text + negative;
	int power;

	if (!is_digit(*p) && *p != '.')
		return false;
	p = take_digits(p, &value, &power);
	p = take_exponent(p, &power);
	if (!p || *p)
		return false;
	for (power += TO_NANOSECONDS; power > 0 && value && value <= INT64_MAX; power--)
		value *= 10;
	for (; power < -1 && value; power++)
		value /= 10;
	if (power == -1)
		value = (value + 5) / 10;
	if (value > INT64_MAX)
		return false;
	*ns = negative ? -(int64_t)value : (int64_t)value;
	return true;
}

/* ---- fields ---- */

static void clear(struct chrome_record *r)
{
	str_clear(&r->name);
	str_clear(&r->cat);
	str_clear(&r->pid);
	str_clear(&r->tid);
	str_clear(&r->id);
	r->phase = 0;
	r->has_ts = r->has_dur = r->bad_time = false;
	r->n_args = 0;
	r->left_out = 0;
}

/* Takes a nested value too, which says nothing. */
static void take_text(struct json_scan *s, struct str *text)
{
	const enum json_kind kind = json_scalar(s, text);

	if (kind == JSON_ARRAY || kind == JSON_OBJECT) {
		str_clear(text);
		json_skip(s);
	}
}

static void take_time(struct chrome_record *r, struct json_scan *s, struct str *text, bool *has,
		      int64_t *time)
{
	take_text(s, text);
	*has = chrome_nanoseconds(text->text, time);
	r->bad_time = r->bad_time || !*has;
}

static void take_args(struct chrome_record *r, struct json_scan *s, struct str *key)
{
	if (json_next(s) != JSON_OBJECT) {
		r->left_out += json_skip(s);
		return;
	}
	json_enter(s, '{');
	while (json_key(s, key)) {
		struct chrome_arg *arg = &r->args[r->n_args];
		if (r->n_args == CHROME_ARGS) {
			r->left_out += json_skip(s);
			continue;
		}
		arg->kind = json_scalar(s, &arg->value);
		if (arg->kind == JSON_ARRAY || arg->kind == JSON_OBJECT) {
			r->left_out += json_skip(s);
			continue;
		}
		str_clear(&arg->key);
		str_add_n(&arg->key, key->text, key->n);
		r->n_args++;
	}
}

/* {"local": "0x1"} or {"global": ...} */
static void take_id(struct json_scan *s, struct str *id, struct str *key)
{
	if (json_next(s) != JSON_OBJECT) {
		take_text(s, id);
		return;
	}
	json_enter(s, '{');
	while (json_key(s, key))
		take_text(s, id);
}

static void take_field(struct chrome_record *r, struct json_scan *s, struct str *key,
		       struct str *text)
{
	const char *k = key->text;

	if (strcmp(k, "name") == 0) {
		take_text(s, &r->name);
	} else if (strcmp(k, "ph") == 0) {
		take_text(s, text);
		r->phase = text->text[0];
	} else if (strcmp(k, "ts") == 0) {
		take_time(r, s, text, &r->has_ts, &r->ts);
	} else if (strcmp(k, "dur") == 0) {
		take_time(r, s, text, &r->has_dur, &r->dur);
	} else if (strcmp(k, "pid") == 0) {
		take_text(s, &r->pid);
	} else if (strcmp(k, "tid") == 0) {
		take_text(s, &r->tid);
	} else if (strcmp(k, "cat") == 0) {
		take_text(s, &r->cat);
	} else if (strcmp(k, "id") == 0 || strcmp(k, "id2") == 0) {
		take_id(s, &r->id, key);
	} else if (strcmp(k, "args") == 0) {
		take_args(r, s, key);
	} else {
		json_skip(s);
	}
}

bool chrome_record_read(struct chrome_record *r, struct json_scan *s)
{
	OWNED_STR key = STR_INIT, text = STR_INIT;

	clear(r);
	r->offset = json_offset(s);
	if (!json_enter(s, '{'))
		return false;
	while (json_key(s, &key))
		take_field(r, s, &key, &text);
	return !json_failed(s);
}

const struct chrome_arg *chrome_record_arg(const struct chrome_record *r, const char *key)
{
	for (size_t i = 0; i < r->n_args; i++)
		if (strcmp(r->args[i].key.text, key) == 0)
			return &r->args[i];
	return NULL;
}
