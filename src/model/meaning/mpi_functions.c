/* The functions of MPI by name: mpi.def, and the forms that follow from it by rule. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/order.h"
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

static const struct function {
	const char *name; /* after "MPI_" */
	uint8_t kind, forms;
} functions[] = {
#define MPI(name, kind, forms) { #name, KIND_##kind, forms },
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
	const struct function *function;
	enum meaning_form form;
	bool large;
};

/* Is it a function that has all these forms? O(log functions). */
static bool has_forms(const char *word, unsigned forms, struct found *found)
{
	const size_t n = sizeof functions / sizeof *functions;
	size_t low = 0, high = n;

	BISECT(low, high, i, strcasecmp(functions[i].name, word) < 0);
	found->function = &functions[low];
	return low < n && strcasecmp(functions[low].name, word) == 0 &&
	       !(forms & ~functions[low].forms);
}

/* The same, for the call itself or its nonblocking form. */
static bool has_call(const char *word, unsigned forms, struct found *found)
{
	found->form = FORM_BLOCKING;
	if (has_forms(word, forms, found))
		return true;
	found->form = FORM_NONBLOCKING;
	return *word == 'i' && has_forms(word + 1, forms | I, found);
}

static bool look_up(const char *spelling, struct found *found)
{
	char bare[MPI_NAME_SIZE];
	size_t n;

	if (!bare_name(spelling, bare))
		return false;
	n = strlen(bare);
	found->large = false;
	if (has_call(bare, 0, found))
		return true;
	found->large = strip(bare, &n, "_c");
	if (found->large && has_call(bare, C, found))
		return true;
	found->form = FORM_PERSISTENT;
	return strip(bare, &n, "_init") && has_forms(bare, found->large ? INIT | C : INIT, found);
}

static void write_name(const struct found *found, char name[MPI_NAME_SIZE])
{
	const bool nonblocking = found->form == FORM_NONBLOCKING;
	const char *base = found->function->name;

	snprintf(name, MPI_NAME_SIZE, "MPI_%s%c%s%s%s", nonblocking ? "I" : "",
		 nonblocking ? tolower((unsigned char)*base) : *base, base + 1,
		 found->form == FORM_PERSISTENT ? "_init" : "", found->large ? "_c" : "");
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

/* Functions of the MPI tool interface, recognised by prefix. */
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
	*meaning = kinds[found.function->kind];
	if (found.form == FORM_NONBLOCKING)
		*meaning = nonblocking(*meaning);
	else if (found.form == FORM_PERSISTENT)
		*meaning = persistent(*meaning);
	return true;
}

bool meaning_communicates(const struct meaning *m)
{
	return (m->call != CALL_OTHER && m->call != CALL_TEST && m->call != CALL_PEEK) ||
	       m->collective != COLLECTIVE_NONE || m->operation != OPERATION_PLAIN ||
	       (m->request >= REQUEST_STARTS && m->request <= REQUEST_COMPLETES_ALL) ||
	       m->family == FAMILY_RMA_PASSIVE || m->cls == CLASS_START_END;
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
