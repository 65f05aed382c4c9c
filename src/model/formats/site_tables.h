/* site_tables: the static tables (paper 1: PL, PCom, PC, L, LCom, LC) of a program, a library, an
 * object file or an archive, as tvcc left them there (capture/lib/sites.h), without running it.
 *
 * Everything is checked before it is handed out, whatever the file holds: indices are those of
 * sites that exist, a parent is a procedure or a loop that comes before what it contains, a callee
 * is a procedure. Texts are as in the file, to be cleaned before they are shown. A call by name of
 * a procedure of another unit leads there, where one section has exactly one of that name that is
 * not static.
 *
 *	struct site_tables *tables = site_tables_read("app", &err);
 *	const uint32_t section = site_tables_section(tables, start - bias);
 *	const uint32_t site = site_tables_find(tables, section, slot);
 *	if (site != SITE_NONE)
 *		puts(site_tables_site(tables, site)->name);
 *	site_tables_free(tables);
 *
 * Ownership: texts are the tables'. Threads: reading by one, asking by any number. Errors: NULL
 * with err where the file cannot be read, is not an ELF file or its tables are damaged; a file
 * without tables has no sites. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "capture/lib/sites.h"

#define SITE_NONE UINT32_MAX

struct static_site {
	uint8_t kind;  /* enum tv_site_kind */
	uint8_t flags; /* enum tv_site_flag */
	uint16_t column;
	uint32_t line, end_line;
	uint32_t unit;
	uint32_t parent; /* site, smaller than its own; SITE_NONE: a procedure, or outside of all */
	uint32_t callee; /* of a call: site of the procedure; SITE_NONE unknown */
	const char *name, *file, *reason; /* never NULL; the file as the compiler knew it */
};

/* One translation unit; its sites follow each other. */
struct site_unit {
	const char *source, *directory; /* what was compiled, and where */
	uint32_t first, n;              /* sites */
	uint32_t section;
	uint32_t slot; /* of its head; those of its sites follow */
};

/* One section: a linked file has one, an archive one for each member. */
struct site_section {
	uint64_t address;  /* in the file's addresses; 0 in object files */
	uint32_t first, n; /* units */
	char *member;      /* of an archive: its name; NULL */
};

struct site_tables;

struct site_tables *site_tables_read(const char *path, struct err *err);
/* The same from the bytes of a section at `address`; `path` for messages. */
struct site_tables *site_tables_parse(const char *path, const void *bytes, size_t n,
				      uint64_t address, struct err *err);
void site_tables_free(struct site_tables *tables);

uint32_t site_tables_count(const struct site_tables *tables);
const struct static_site *site_tables_site(const struct site_tables *tables, uint32_t site);
uint32_t site_tables_unit_count(const struct site_tables *tables);
const struct site_unit *site_tables_unit(const struct site_tables *tables, uint32_t unit);
const struct site_section *site_tables_section_at(const struct site_tables *tables,
						  uint32_t section);

/* The section that begins at an address of the file; SITE_NONE without. */
uint32_t site_tables_section(const struct site_tables *tables, uint64_t address);
/* The site of a slot (capture/lib/sites.h), SITE_NONE without. O(log units). */
uint32_t site_tables_find(const struct site_tables *tables, uint32_t section, uint32_t slot);
/* The slot of a site in its section. */
uint32_t site_tables_slot(const struct site_tables *tables, uint32_t site);
/* Appends the path of a site's file: below the unit's directory, where it is relative. "" stays
 * "". */
void site_tables_path(const struct site_tables *tables, uint32_t site, struct str *out);
