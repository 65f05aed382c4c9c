#include "ui/options/settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ui/options/settings_take.h"

struct settings {
	struct options *options;
	struct bindings *bindings;
	VEC(char *) values; /* owned, by the number of the row; NULL: not set here */
};

static size_t row_of(const struct option_info *option)
{
	return (size_t)(option - option_table());
}

struct settings *settings_new(struct options *options, struct bindings *bindings)
{
	struct settings *s = xcalloc(1, sizeof *s);
	const struct option_info *end = option_table();

	s->options = options;
	s->bindings = bindings;
	while (end->name)
		end++;
	for (size_t i = 0; i < row_of(end); i++)
		vec_push(&s->values, NULL);
	return s;
}

void settings_free(struct settings *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->values.n; i++)
		free(s->values.data[i]);
	vec_fini(&s->values);
	free(s);
}

bool settings_has(const struct settings *s, const struct option_info *option)
{
	return s->values.data[row_of(option)] != NULL;
}

struct options *settings_options(const struct settings *s)
{
	return s->options;
}

const struct option_info *settings_next(const struct option_info *after)
{
	const struct option_info *o = after ? after + 1 : option_table();

	while (o->name && !(o->verbs & OPTION_SETTING))
		o++;
	return o->name ? o : NULL;
}

static const struct option_info *find(const char *name, size_t n, struct err *err)
{
	const char *names[64], *near;
	char typed[64];
	size_t known = 0;

	for (const struct option_info *o = NULL; (o = settings_next(o)) && known < 63;) {
		names[known++] = o->name;
		if (strlen(o->name) == n && memcmp(o->name, name, n) == 0)
			return o;
	}
	names[known] = NULL;
	snprintf(typed, sizeof typed, "%.*s", (int)(n < sizeof typed ? n : sizeof typed - 1), name);
	near = nearest_word(typed, names);
	if (near)
		err_set(err, STATUS_USAGE, "there is no setting '%s'; did you mean '%s'?", typed,
			near);
	else
		err_set(err, STATUS_USAGE, "there is no setting '%s' (:set lists them)", typed);
	return NULL;
}

/* Folders below the home begin with ~/, as in a shell. */
static void expand(const struct option_info *option, const char *text, struct str *out)
{
	const char *home = getenv("HOME");

	for (const char *p = text; *p; p++) {
		const bool begins = p == text || p[-1] == ':';
		if (strcmp(option->name, "source-path") == 0 && begins && home && p[0] == '~' &&
		    (p[1] == '/' || !p[1]))
			str_add(out, home);
		else
			str_add_char(out, *p);
	}
}

static bool set(struct settings *s, const struct option_info *option, const char *text,
		struct err *err)
{
	OWNED_STR value = STR_INIT;
	char *kept = NULL, **place = &s->values.data[row_of(option)];

	if ((text && *text) || option->kind == OPTION_FLAG) {
		expand(option, text && *text ? text : "yes", &value);
		kept = str_take(&value);
	} else if (option->kind != OPTION_FLAG) {
		return err_set(err, STATUS_USAGE, "%s needs a value: %s", option->name,
			       option->argument);
	}
	if (!option_set(s->options, option, kept, err)) {
		free(kept);
		return false;
	}
	free(*place);
	*place = kept;
	return true;
}

const struct option_info *settings_set(struct settings *s, const char *line, struct err *err)
{
	const size_t n = strcspn(line, " =");
	const struct option_info *option = find(line, n, err);

	line += n + strspn(line + n, " ");
	line += *line == '=';
	line += strspn(line, " ");
	return option && set(s, option, line, err) ? option : NULL;
}

bool settings_take(struct settings *s, const char *name, const char *value, struct err *err)
{
	const struct option_info *option;
	struct options scratch = *s->options;

	if (strcmp(name, "bind") == 0)
		return bindings_bind(s->bindings, value, err);
	option = find(name, strlen(name), err);
	if (!option)
		return false;
	/* What the command line says stays, but the line is looked at. */
	if (option_given(s->options, option))
		return option_set(&scratch, option,
				  *value || option->kind != OPTION_FLAG ? value : NULL, err);
	return set(s, option, value, err);
}

void settings_add_value(const struct settings *s, const struct option_info *option, struct str *out)
{
	const void *field = (const char *)s->options + option->field;
	const char *text;

	switch (option->kind) {
	case OPTION_FLAG: str_add(out, *(const bool *)field ? "yes" : "no"); break;
	case OPTION_INT:
		if (*(const int *)field)
			str_add_fmt(out, "%d", *(const int *)field);
		break;
	case OPTION_BYTES:
		if (*(const uint64_t *)field)
			str_add_fmt(out, "%" PRIu64, *(const uint64_t *)field);
		break;
	case OPTION_TEXT:
	case OPTION_WORD:
	case OPTION_VIEW:
		text = *(const char *const *)field;
		str_add_clean_text(out, text ? text : "");
		break;
	default: break; /* no setting is of such a kind */
	}
}
