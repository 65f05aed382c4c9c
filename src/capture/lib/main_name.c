/* DWARF 2 to 5, as far as it takes to find one procedure: units of Fortran, and in them what is in
 * no other procedure. */
#include "capture/lib/main_name.h"

#include <dwarf.h>
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CODES_MAX = 1024 };

struct bytes {
	const uint8_t *at, *end;
};

struct unit {
	struct bytes rest;
	const uint8_t *start;
	unsigned version, address_size;
	struct bytes abbreviation[CODES_MAX]; /* by code: from the tag on */
};

struct debug {
	struct bytes info, abbreviations, strings, lines;
};

/* ---- bytes ---- */

static uint64_t take(struct bytes *b, unsigned n)
{
	uint64_t value = 0;

	if ((size_t)(b->end - b->at) < n) {
		b->at = b->end;
		return 0;
	}
	memcpy(&value, b->at, n < sizeof value ? n : sizeof value);
	b->at += n;
	return value;
}

static void skip(struct bytes *b, uint64_t n)
{
	b->at = (uint64_t)(b->end - b->at) < n ? b->end : b->at + n;
}

/* A number of seven bits a byte; what has a sign is skipped alike. */
static uint64_t take_number(struct bytes *b)
{
	uint64_t value = 0;

	for (unsigned shift = 0; b->at < b->end; shift += 7) {
		const uint8_t byte = *b->at++;
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return value;
}

static const char *text_at(struct bytes b, uint64_t offset)
{
	skip(&b, offset);
	return memchr(b.at, '\0', (size_t)(b.end - b.at)) ? (const char *)b.at : NULL;
}

/* ---- sections ---- */

static bool is_within(uint64_t offset, uint64_t size, uint64_t all)
{
	return offset <= all && size <= all - offset;
}

static struct debug find_sections(const char *file, size_t size)
{
	const Elf64_Ehdr *head = (const void *)file;
	const Elf64_Shdr *list = (const void *)(file + head->e_shoff), *names;
	struct debug d = { .info = { NULL, NULL } };
	const struct {
		const char *name;
		struct bytes *to;
	} wanted[] = { { ".debug_info", &d.info },
		       { ".debug_abbrev", &d.abbreviations },
		       { ".debug_str", &d.strings },
		       { ".debug_line_str", &d.lines } };

	if (head->e_shoff % 8 ||
	    !is_within(head->e_shoff, (uint64_t)head->e_shnum * sizeof *list, size) ||
	    head->e_shstrndx >= head->e_shnum)
		return d;
	names = &list[head->e_shstrndx];
	if (!is_within(names->sh_offset, names->sh_size, size))
		return d;
	for (unsigned i = 0; i < head->e_shnum; i++) {
		const struct bytes text = { (const uint8_t *)file + names->sh_offset,
					    (const uint8_t *)file + names->sh_offset +
						    names->sh_size };
		const char *name = text_at(text, list[i].sh_name);
		for (unsigned w = 0; name && w < sizeof wanted / sizeof *wanted; w++)
			if (!strcmp(name, wanted[w].name) && list[i].sh_type == SHT_PROGBITS &&
			    !(list[i].sh_flags & SHF_COMPRESSED) &&
			    is_within(list[i].sh_offset, list[i].sh_size, size)) {
				wanted[w].to->at = (const uint8_t *)file + list[i].sh_offset;
				wanted[w].to->end = wanted[w].to->at + list[i].sh_size;
			}
	}
	return d;
}

/* ---- one unit ---- */

/* False: it is not one of code, or not as expected. */
static bool read_head(const struct debug *d, struct bytes *all, struct unit *u)
{
	struct bytes codes = d->abbreviations;
	uint64_t length, offset;
	bool whole = true;

	u->start = all->at;
	length = take(all, 4);
	if (length >= 0xfffffff0 || length > (uint64_t)(all->end - all->at)) {
		all->at = all->end; /* of 64-bit form, or damaged */
		return false;
	}
	u->rest = (struct bytes){ all->at, all->at + length };
	all->at += length;
	u->version = (unsigned)take(&u->rest, 2);
	if (u->version >= 5) {
		whole = take(&u->rest, 1) == DW_UT_compile;
		u->address_size = (unsigned)take(&u->rest, 1);
		offset = take(&u->rest, 4);
	} else {
		offset = take(&u->rest, 4);
		u->address_size = (unsigned)take(&u->rest, 1);
	}
	if (!whole || u->version < 2 || u->version > 5)
		return false;
	memset(u->abbreviation, 0, sizeof u->abbreviation);
	skip(&codes, offset);
	for (uint64_t code; (code = take_number(&codes)) != 0;) {
		if (code < CODES_MAX)
			u->abbreviation[code] = codes;
		take_number(&codes); /* tag */
		take(&codes, 1);
		for (uint64_t name = 1, form = 1; (name || form) && codes.at < codes.end;) {
			name = take_number(&codes);
			form = take_number(&codes);
			if (form == DW_FORM_implicit_const)
				take_number(&codes);
		}
	}
	return true;
}

/* What is of interest in an entry. */
struct entry {
	uint64_t tag;
	bool has_children, main;
	uint64_t language, sibling;
	const char *name;
};

/* Reads an attribute's value; false: its form is not known. */
static bool read_value(const struct debug *d, struct unit *u, uint64_t form, uint64_t *value,
		       const char **text)
{
	static const uint8_t fixed[] = {
		[DW_FORM_data1] = 1,    [DW_FORM_flag] = 1,       [DW_FORM_ref1] = 1,
		[DW_FORM_strx1] = 1,    [DW_FORM_addrx1] = 1,     [DW_FORM_data2] = 2,
		[DW_FORM_ref2] = 2,     [DW_FORM_strx2] = 2,      [DW_FORM_addrx2] = 2,
		[DW_FORM_strx3] = 3,    [DW_FORM_addrx3] = 3,     [DW_FORM_data4] = 4,
		[DW_FORM_ref4] = 4,     [DW_FORM_sec_offset] = 4, [DW_FORM_strx4] = 4,
		[DW_FORM_addrx4] = 4,   [DW_FORM_ref_sup4] = 4,   [DW_FORM_strp_sup] = 4,
		[DW_FORM_data8] = 8,    [DW_FORM_ref8] = 8,       [DW_FORM_ref_sig8] = 8,
		[DW_FORM_ref_sup8] = 8, [DW_FORM_data16] = 16,
	};

	switch (form) {
	case DW_FORM_flag_present: *value = 1; return true;
	case DW_FORM_implicit_const: return true; /* among the abbreviations */
	case DW_FORM_addr: skip(&u->rest, u->address_size); return true;
	case DW_FORM_ref_addr: skip(&u->rest, u->version == 2 ? u->address_size : 4); return true;
	case DW_FORM_string:
		*text = text_at(u->rest, 0);
		skip(&u->rest, *text ? strlen(*text) + 1 : UINT64_MAX);
		return true;
	case DW_FORM_strp: *text = text_at(d->strings, take(&u->rest, 4)); return true;
	case DW_FORM_line_strp: *text = text_at(d->lines, take(&u->rest, 4)); return true;
	case DW_FORM_block1: skip(&u->rest, take(&u->rest, 1)); return true;
	case DW_FORM_block2: skip(&u->rest, take(&u->rest, 2)); return true;
	case DW_FORM_block4: skip(&u->rest, take(&u->rest, 4)); return true;
	case DW_FORM_block:
	case DW_FORM_exprloc: skip(&u->rest, take_number(&u->rest)); return true;
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx: *value = take_number(&u->rest); return true;
	default:
		if (form >= sizeof fixed || !fixed[form])
			return false;
		*value = take(&u->rest, fixed[form]);
		return true;
	}
}

/* False: the end of the unit, or nothing that can be read. Code 0 has tag 0. */
static bool read_entry(const struct debug *d, struct unit *u, struct entry *e)
{
	const uint64_t code = u->rest.at < u->rest.end ? take_number(&u->rest) : UINT64_MAX;
	struct bytes names;

	*e = (struct entry){ .tag = 0 };
	if (code >= CODES_MAX || (code && !u->abbreviation[code].at))
		return false;
	if (!code)
		return true;
	names = u->abbreviation[code];
	e->tag = take_number(&names);
	e->has_children = take(&names, 1) != 0;
	while (names.at < names.end) {
		const uint64_t name = take_number(&names), form = take_number(&names);
		const char *text = NULL;
		uint64_t value = 0;
		if (!name && !form)
			break;
		if (form == DW_FORM_implicit_const)
			value = take_number(&names);
		if (!read_value(d, u, form, &value, &text))
			return false;
		switch (name) {
		case DW_AT_name: e->name = text; break;
		case DW_AT_language: e->language = value; break;
		case DW_AT_sibling: e->sibling = value; break;
		case DW_AT_main_subprogram: e->main = value != 0; break;
		case DW_AT_calling_convention: e->main |= value == DW_CC_program; break;
		default: break;
		}
	}
	return true;
}

static bool is_fortran(uint64_t language)
{
	return language == DW_LANG_Fortran77 || language == DW_LANG_Fortran90 ||
	       language == DW_LANG_Fortran95 || language == DW_LANG_Fortran03 ||
	       language == DW_LANG_Fortran08;
}

static const char *find_in_unit(const struct debug *d, struct unit *u)
{
	struct entry e;
	unsigned depth = 1;

	if (!read_entry(d, u, &e) || e.tag != DW_TAG_compile_unit || !is_fortran(e.language))
		return NULL;
	while (depth && read_entry(d, u, &e)) {
		if (e.tag == DW_TAG_subprogram && e.main)
			return e.name;
		if (!e.tag) {
			depth--;
		} else if (e.has_children && e.sibling > (uint64_t)(u->rest.at - u->start)) {
			u->rest.at = u->start;
			skip(&u->rest, e.sibling);
		} else {
			depth += e.has_children;
		}
	}
	return NULL;
}

const char *tv_main_name_in(const char *file, size_t size)
{
	const struct debug d = find_sections(file, size);
	struct unit *unit = malloc(sizeof *unit); /* too large for a stack of the program's */
	struct bytes all = d.info;
	const char *name = NULL;

	while (unit && !name && all.at < all.end)
		if (read_head(&d, &all, unit))
			name = find_in_unit(&d, unit);
	free(unit);
	return name;
}
