/* libFuzzer target: the static tables of a program, as a section's bytes and as the content of an
 * ELF file (even and odd first byte). What is taken must keep the header's promises: every site is
 * found by its slot, parents come before what they contain, callees are procedures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/fuzz.h"
#include "model/formats/site_tables.h"

static struct site_tables *from_file(const uint8_t *data, size_t size, struct err *err)
{
	const int fd = fuzz_file(data, size);
	struct site_tables *tables;
	char path[64];

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	tables = site_tables_read(path, err);
	close(fd);
	return tables;
}

static void check_site(const struct site_tables *t, uint32_t i)
{
	const struct static_site *s = site_tables_site(t, i);
	const struct site_unit *unit = site_tables_unit(t, s->unit);
	struct str path = STR_INIT;

	if (site_tables_find(t, unit->section, site_tables_slot(t, i)) != i)
		abort();
	if (s->parent != SITE_NONE &&
	    (s->parent >= i || site_tables_site(t, s->parent)->kind > TV_SITE_LOOP))
		abort();
	if (s->callee != SITE_NONE && site_tables_site(t, s->callee)->kind != TV_SITE_PROCEDURE)
		abort();
	if (strlen(s->reason) + strlen(s->name) == SIZE_MAX)
		abort();
	site_tables_path(t, i, &path);
	str_fini(&path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = ERR_INIT;
	struct site_tables *t;

	if (size < 1)
		return 0;
	t = data[0] % 2 == 0 ? site_tables_parse("fuzz", data + 1, size - 1, 64, &err)
			     : from_file(data + 1, size - 1, &err);
	if (!t && !err.text[0])
		abort();
	if (!t)
		return 0;
	for (uint32_t i = 0; i < site_tables_count(t); i++)
		check_site(t, i);
	site_tables_free(t);
	return 0;
}
