#include "harness/notation_reading.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/meaning/meaning.h"

bool reading_wrong(struct reading *r, const char *what)
{
	const char *line = r->text;
	unsigned number = 1;

	if (r->failed)
		return false;
	for (const char *p = r->text; p < r->at; p++)
		if (*p == '\n') {
			number++;
			line = p + 1;
		}
	err_set(r->err, STATUS_USAGE, "line %u, column %u: %s: '%.*s'", number,
		(unsigned)(r->at - line) + 1, what, (int)strcspn(line, "\n"), line);
	r->failed = true;
	r->at = "";
	return false;
}

/* ---- words and numbers ---- */

void reading_blanks(struct reading *r)
{
	while (*r->at == ' ' || *r->at == '\t')
		r->at++;
	if (*r->at == '#')
		r->at += strcspn(r->at, "\n");
}

void reading_breaks(struct reading *r)
{
	for (reading_blanks(r); *r->at == '\n' || *r->at == ';'; reading_blanks(r))
		r->at++;
}

bool reading_sign(struct reading *r, const char *what)
{
	reading_blanks(r);
	if (strncmp(r->at, what, strlen(what)) != 0)
		return false;
	r->at += strlen(what);
	return true;
}

void reading_need(struct reading *r, const char *what)
{
	char text[24];

	snprintf(text, sizeof text, "%s is missing", what);
	if (!reading_sign(r, what))
		reading_wrong(r, text);
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_.$!", c));
}

bool reading_word(struct reading *r, const char *what)
{
	const size_t length = strlen(what);

	reading_blanks(r);
	if (strncmp(r->at, what, length) != 0 || is_name(r->at[length]))
		return false;
	r->at += length;
	return true;
}

bool reading_at_name(struct reading *r)
{
	reading_blanks(r);
	return isalpha((unsigned char)*r->at) || (*r->at && strchr("_$!'", *r->at));
}

const char *reading_name(struct reading *r, char text[NOTATION_WORD])
{
	size_t length = 0;

	*text = '\0';
	if (!reading_at_name(r)) {
		reading_wrong(r, "a name is missing");
		return text;
	}
	if (*r->at == '\'') {
		length = strcspn(++r->at, "'\n");
		snprintf(text, NOTATION_WORD, "%.*s", (int)length, r->at);
		r->at += length;
		reading_need(r, "'");
		return text;
	}
	while (is_name(r->at[length]))
		length++;
	snprintf(text, NOTATION_WORD, "%.*s", (int)length, r->at);
	r->at += length;
	return text;
}

bool reading_at_number(struct reading *r)
{
	reading_blanks(r);
	return isdigit((unsigned char)*r->at) ||
	       (*r->at == '-' && isdigit((unsigned char)r->at[1]));
}

int64_t reading_number(struct reading *r)
{
	char *end;
	long long value;

	if (!reading_at_number(r)) {
		reading_wrong(r, "a number is missing");
		return 0;
	}
	value = strtoll(r->at, &end, 10);
	r->at = end;
	return value;
}

struct notation_place *reading_place(const struct reading *r)
{
	return &r->n->places.data[r->place];
}

int64_t reading_time(struct reading *r)
{
	const bool relative = reading_sign(r, "+");
	const int64_t t = reading_number(r);

	return relative ? reading_place(r)->now + t : t;
}

int64_t reading_stamp(struct reading *r, int64_t t)
{
	struct notation_place *p = reading_place(r);

	p->now = t;
	return t + p->clock_offset + (int64_t)((double)t * p->clock_ppm / 1e6);
}

int64_t reading_own_time(struct reading *r, int64_t otherwise)
{
	if (reading_sign(r, "@"))
		return reading_stamp(r, reading_time(r));
	return reading_stamp(r, r->in_visit && otherwise != INT64_MIN ? otherwise
								      : reading_place(r)->now);
}

/* ---- what has a name ---- */

struct notation_name *notation_find(const struct notation *n, enum notation_kind kind,
				    const char *text)
{
	for (size_t i = 0; i < n->names.n; i++)
		if ((kind == NOTATION_ANY || n->names.data[i].kind == kind) &&
		    strcmp(n->names.data[i].name, text) == 0)
			return &n->names.data[i];
	return NULL;
}

uint32_t reading_string(const struct reading *r, const char *text)
{
	return builder_string(r->n->b, text, strlen(text));
}

void notation_define(struct notation *n, enum notation_kind kind, const char *name, uint32_t id,
		     int32_t picl)
{
	vec_push(&n->names, ((struct notation_name){ xstrdup(name), kind, id, picl }));
}

void reading_define(struct reading *r, enum notation_kind kind, const char *text, uint32_t id)
{
	notation_define(r->n, kind, text, id, NOTATION_PICL);
}

uint32_t reading_known(struct reading *r, enum notation_kind kind)
{
	char text[NOTATION_WORD];
	const struct notation_name *found = notation_find(r->n, kind, reading_name(r, text));

	if (!found)
		reading_wrong(r, "this name is not known before here");
	return found ? found->id : 0;
}

uint32_t reading_region(struct reading *r, const char *text)
{
	const struct notation_name *found = notation_find(r->n, NOTATION_REGION, text);
	struct meaning meaning;
	const bool mpi = strncmp(text, "MPI_", 4) == 0 || meaning_of_mpi(text, &meaning);

	if (!found) {
		reading_define(r, NOTATION_REGION, text,
			       builder_region(r->n->b, text, mpi ? r->n->mpi : CLASS_USER,
					      NOTATION_PICL));
		found = vec_last(&r->n->names);
	}
	return found->id;
}

uint32_t reading_site(struct reading *r, uint32_t *of_region)
{
	char text[NOTATION_WORD];
	const uint32_t id = reading_region(r, reading_name(r, text));
	const bool called = *r->at == ':' && isdigit((unsigned char)r->at[1]);
	const uint32_t line = called ? (uint32_t)(r->at++, reading_number(r)) : 0;
	const char *file = r->n->file ? r->n->file : "app.c";

	if (of_region)
		*of_region = id;
	return builder_site(r->n->b, id, line ? reading_string(r, file) : 0, line,
			    notation_find(r->n, NOTATION_REGION, text)->picl);
}
