/* The functions of MPI by name: mpi.def, and the forms that follow from it by rule. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "model/meaning/meaning.h"

enum { I = 1, INIT = 2, C = 4 }; /* forms */

enum kind {
#define KIND(kind, ...) KIND_##kind,
#include "model/meaning/meaning_kinds.def"
};

static const struct meaning kinds[] = {
#define KIND(kind, cls, family, call, collective, sent, received, request, operation) \
	[KIND_##kind] = { CLASS_##cls,       FAMILY_##family,                         \
			  CALL_##call,       COLLECTIVE_##collective,                 \
			  BYTES_##sent,      BYTES_##received,                        \
			  REQUEST_##request, OPERATION_##operation,                   \
			  FORM_BLOCKING },
#include "model/meaning/meaning_kinds.def"
};

static const struct functions {
	const char *names; /* after "MPI_", a blank between two */
	uint8_t kind, forms;
} functions[] = {
#define MPI(kind, forms, names) { names, KIND_##kind, forms },
#include "model/meaning/mpi.def"
};

/* ---- spellings ---- */

static bool strip(char *word, size_t *n, const char *end)
{
	const size_t length = strlen(end);

	if (*n <= length || memcmp(word + *n - length, end, length) != 0)
		return false;
	*n -= length;
	word[*n] = '\0';
	return true;
}

/* Lower case, without "mpi_", Fortran's underscores and the endings of its module mpi_f08. */
static bool bare_name(const char *spelling, char bare[MPI_NAME_SIZE])
{
	size_t n = 0;

	if (tolower((unsigned char)*spelling) == 'p')
		spelling++;
	for (const char *prefix = "mpi_"; *prefix; prefix++, spelling++)
		if (tolower((unsigned char)*spelling) != *prefix)
			return false;
	for (; spelling[n]; n++) {
		if (n + 1 == MPI_NAME_SIZE)
			return false;
		bare[n] = (char)tolower((unsigned char)spelling[n]);
	}
	bare[n] = '\0';
	while (strip(bare, &n, "_"))
		;
	strip(bare, &n, "_large");
	if (!strip(bare, &n, "_f08ts"))
		strip(bare, &n, "_f08");
	return n > 0;
}

/* ---- the table ---- */

/* What a name is: a function of the table in one of its forms. */
struct found {
	const char *base; /* in the table */
	size_t length;
	uint8_t kind;
	enum meaning_form form;
	bool large;
};

static bool has_form(struct found *found, unsigned forms, const char *bare)
{
	found->form = FORM_BLOCKING;
	if (strncasecmp(bare, found->base, found->length) != 0) {
		if (!(forms & I) || *bare != 'i' ||
		    strncasecmp(++bare, found->base, found->length) != 0)
			return false;
		found->form = FORM_NONBLOCKING;
	}
	bare += found->length;
	if (forms & INIT && found->form == FORM_BLOCKING && strncmp(bare, "_init", 5) == 0) {
		found->form = FORM_PERSISTENT;
		bare += 5;
	}
	found->large = forms & C && strcmp(bare, "_c") == 0;
	return !*bare || found->large;
}

static bool look_up(const char *spelling, struct found *found)
{
	char bare[MPI_NAME_SIZE];

	if (!bare_name(spelling, bare))
		return false;
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		found->kind = functions[i].kind;
		for (const char *end, *base = functions[i].names; *base;
		     base = *end ? end + 1 : end) {
			end = strchrnul(base, ' ');
			if (tolower((unsigned char)*base) != *bare && *bare != 'i')
				continue;
			found->base = base;
			found->length = (size_t)(end - base);
			if (has_form(found, functions[i].forms, bare))
				return true;
		}
	}
	return false;
}

static void write_name(const struct found *found, char name[MPI_NAME_SIZE])
{
	const bool nonblocking = found->form == FORM_NONBLOCKING;
	const char first = *found->base;

	snprintf(name, MPI_NAME_SIZE, "MPI_%s%c%.*s%s%s", nonblocking ? "I" : "",
		 nonblocking ? tolower((unsigned char)first) : first, (int)found->length - 1,
		 found->base + 1, found->form == FORM_PERSISTENT ? "_init" : "",
		 found->large ? "_c" : "");
}

/* ---- what a form means ---- */

static struct meaning nonblocking(struct meaning m)
{
	switch (m.call) {
	case CALL_SEND:
	case CALL_SEND_LOCAL: m.call = CALL_SEND_LOCAL; break;
	case CALL_RECV:
	case CALL_SENDRECV: m.call = CALL_POST; break;
	default: m.call = CALL_OTHER; break;
	}
	m.request = REQUEST_STARTS;
	m.form = FORM_NONBLOCKING;
	return m;
}

static struct meaning persistent(struct meaning m)
{
	m.call = CALL_OTHER;
	m.request = REQUEST_CREATES;
	m.form = FORM_PERSISTENT;
	return m;
}

/* The interface for tools: a family, whatever its functions are. */
static bool is_tools(const char *spelling)
{
	char bare[MPI_NAME_SIZE];

	return bare_name(spelling, bare) && strncmp(bare, "t_", 2) == 0;
}

bool meaning_of_mpi(const char *spelling, struct meaning *meaning)
{
	struct found found;

	if (!look_up(spelling, &found)) {
		if (!is_tools(spelling))
			return false;
		*meaning = kinds[KIND_OTHER];
		return true;
	}
	*meaning = kinds[found.kind];
	if (found.form == FORM_NONBLOCKING)
		*meaning = nonblocking(*meaning);
	else if (found.form == FORM_PERSISTENT)
		*meaning = persistent(*meaning);
	return true;
}

bool mpi_standard_name(const char *spelling, char name[MPI_NAME_SIZE])
{
	struct found found;

	if (!look_up(spelling, &found))
		return false;
	write_name(&found, name);
	return true;
}

bool mpi_base_name(const char *spelling, char name[MPI_NAME_SIZE])
{
	struct found found;

	if (!look_up(spelling, &found))
		return false;
	found.form = FORM_BLOCKING;
	found.large = false;
	write_name(&found, name);
	return true;
}

uint64_t meaning_bytes(enum byte_rule rule, uint64_t part, uint32_t ranks, uint32_t rank,
		       bool is_root)
{
	switch (rule) {
	case BYTES_NONE: return 0;
	case BYTES_PART:
	case BYTES_SUM: return part;
	case BYTES_PARTS: return ranks * part;
	case BYTES_ABOVE: return (ranks - rank) * part;
	case BYTES_ABOVE_OWN: return (ranks - rank - 1) * part;
	case BYTES_BELOW: return (rank + 1) * part;
	case BYTES_BELOW_OWN: return rank * part;
	case BYTES_ROOT_PARTS: return is_root ? ranks * part : 0;
	case BYTES_ROOT_SUM: return is_root ? part : 0;
	}
	return 0;
}
