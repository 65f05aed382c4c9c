/* The functions of MPI by name: mpi.def, and the forms that follow from it by rule. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

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

enum { FUNCTIONS = sizeof functions / sizeof *functions };

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

static const struct function *find(const char *bare)
{
	size_t low = 0, high = FUNCTIONS;

	while (low < high) {
		const size_t middle = (low + high) / 2;
		const char *a = functions[middle].name, *b = bare;
		int order;
		while (*a && tolower((unsigned char)*a) == *b)
			a++, b++;
		order = tolower((unsigned char)*a) - *b;
		if (order == 0)
			return &functions[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* What a name is: a function of the table in one of its forms. */
struct found {
	const struct function *function;
	enum meaning_form form;
	bool large;
};

static bool find_form(char *bare, struct found *found)
{
	size_t n = strlen(bare);

	found->function = find(bare);
	found->form = FORM_BLOCKING;
	if (found->function)
		return true;
	if (*bare == 'i' && (found->function = find(bare + 1)) != NULL) {
		found->form = FORM_NONBLOCKING;
		return found->function->forms & I;
	}
	if (strip(bare, &n, "_init") && (found->function = find(bare)) != NULL) {
		found->form = FORM_PERSISTENT;
		return found->function->forms & INIT;
	}
	return false;
}

static bool look_up(const char *spelling, struct found *found)
{
	char bare[MPI_NAME_SIZE], small[MPI_NAME_SIZE];
	size_t n;

	if (!bare_name(spelling, bare))
		return false;
	n = strlen(bare);
	memcpy(small, bare, n + 1);
	found->large = false;
	if (find_form(bare, found))
		return true;
	found->large = true;
	return strip(small, &n, "_c") && find_form(small, found) && found->function->forms & C;
}

static void write_name(const struct found *found, char name[MPI_NAME_SIZE])
{
	const char *base = found->function->name;
	size_t n = 4;

	memcpy(name, "MPI_", 4);
	if (found->form == FORM_NONBLOCKING)
		name[n++] = 'I';
	for (size_t i = 0; base[i]; i++)
		name[n++] = found->form == FORM_NONBLOCKING && i == 0
				    ? (char)tolower((unsigned char)base[i])
				    : base[i];
	snprintf(name + n, MPI_NAME_SIZE - n, "%s%s", found->form == FORM_PERSISTENT ? "_init" : "",
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
	*meaning = kinds[found.function->kind];
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

/* ---- all of them ---- */

static unsigned forms_of(const struct function *f)
{
	const unsigned shapes = 1u + (f->forms & I ? 1 : 0) + (f->forms & INIT ? 1 : 0);

	return f->forms & C ? 2 * shapes : shapes;
}

unsigned meaning_mpi_count(void)
{
	unsigned n = 0;

	for (size_t i = 0; i < FUNCTIONS; i++)
		n += forms_of(&functions[i]);
	return n;
}

void meaning_mpi_name(unsigned i, char name[MPI_NAME_SIZE])
{
	const struct function *f = functions;
	struct found found = { 0 };

	for (; i >= forms_of(f); f++)
		i -= forms_of(f);
	found.function = f;
	found.large = f->forms & C && i % 2;
	i = f->forms & C ? i / 2 : i;
	found.form = i == 0                   ? FORM_BLOCKING
		     : i == 1 && f->forms & I ? FORM_NONBLOCKING
					      : FORM_PERSISTENT;
	write_name(&found, name);
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
