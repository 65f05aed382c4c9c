#include "model/formats/site_tables.h"

#include <assert.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/vec.h"

/* What a record has room for (TV_SLOTS_MAX of capture/lib/record.h). */
enum { SLOTS_MAX = 1 << 24 };

/* A procedure that other units may call. */
struct public
{
	const char *name;
	uint32_t section, site;
};

struct site_tables {
	VEC(struct static_site) sites;
	VEC(struct site_unit) units;
	VEC(struct site_section) sections;
	VEC(char *) bytes;          /* of the sections, which texts point into */
	VEC(struct public) publics; /* by name, section, site */
};

/* A section that is being read. */
struct reading {
	struct site_tables *tables;
	const char *path, *member;
	const char *bytes;
	size_t n;
	size_t at; /* of the unit */
	struct err *err;
};

/* ---- units ---- */

static bool damaged(const struct reading *r, const char *what)
{
	return err_set(r->err, STATUS_IO,
		       "%s%s%s%s: the tables of the program's statements are damaged at byte %zu "
		       "of section " TV_SITES_SECTION ": %s; compile it again with tvcc",
		       r->path, r->member ? "(" : "", r->member ? r->member : "",
		       r->member ? ")" : "", r->at, what);
}

static const char *text_of(const struct reading *r, const struct tv_unit *unit, uint32_t offset)
{
	return r->bytes + r->at + unit->text + offset;
}

static bool check_unit(const struct reading *r, const struct tv_unit *u)
{
	if (u->magic != TV_UNIT_MAGIC)
		return damaged(r, "a unit does not begin as units do");
	if (u->version != TV_UNIT_VERSION)
		return err_set(
			r->err, STATUS_IO,
			"%s: a unit's tables are of version %u, this program knows %d; compile "
			"with the tvcc that belongs to it",
			r->path, (unsigned)u->version, (int)TV_UNIT_VERSION);
	if (u->size % TV_SLOT_SIZE || u->size < sizeof *u || u->size > r->n - r->at)
		return damaged(r, "the size of a unit is not valid");
	if (u->sites > u->size / TV_SLOT_SIZE - 1)
		return damaged(r, "a unit has no room for its sites");
	if (u->text < (u->sites + 1) * TV_SLOT_SIZE || u->text > u->size ||
	    u->text_size > u->size - u->text || u->text_size == 0)
		return damaged(r, "a unit has no room for its text");
	if (*text_of(r, u, 0) || *text_of(r, u, u->text_size - 1))
		return damaged(r, "a unit's text does not begin and end with a NUL");
	if (u->source >= u->text_size || u->directory >= u->text_size)
		return damaged(r, "the name of a unit's source is outside its text");
	if (u->sites >= SLOTS_MAX || r->tables->sites.n + u->sites >= SITE_NONE)
		return damaged(r, "there are too many sites");
	return true;
}

static bool check_site(const struct reading *r, const struct tv_unit *u, const struct tv_site *all,
		       uint32_t i)
{
	const struct tv_site *s = &all[i];

	if (s->kind < TV_SITE_PROCEDURE || s->kind > TV_SITE_COMMUNICATION)
		return damaged(r, "the kind of a site is not known");
	if (s->name >= u->text_size || s->file >= u->text_size || s->reason >= u->text_size)
		return damaged(r, "a site's name is outside the text");
	if (s->parent != TV_NO_SITE) {
		if (s->kind == TV_SITE_PROCEDURE)
			return damaged(r, "a procedure is inside another site");
		if (s->parent >= i)
			return damaged(r, "a site is inside one that does not come before it");
		if (all[s->parent].kind != TV_SITE_PROCEDURE && all[s->parent].kind != TV_SITE_LOOP)
			return damaged(r, "a site is inside one that cannot contain sites");
	}
	if (s->callee != TV_NO_SITE && (s->kind != TV_SITE_CALL || s->callee >= u->sites ||
					all[s->callee].kind != TV_SITE_PROCEDURE))
		return damaged(r, "the callee is not a procedure");
	return true;
}

/* The unit at `at`; `head` is a copy of its head. */
static bool take_unit(struct reading *r, const struct tv_unit *head)
{
	struct site_tables *t = r->tables;
	const uint32_t first = (uint32_t)t->sites.n;
	const struct tv_site *all;

	if (!check_unit(r, head))
		return false;
	/* The copy of the section is aligned, units are at multiples of the slots' size. */
	all = (const struct tv_site *)(const void *)(r->bytes + r->at + sizeof *head);
	vec_push(&t->units, ((struct site_unit){ .source = text_of(r, head, head->source),
						 .directory = text_of(r, head, head->directory),
						 .first = first,
						 .n = head->sites,
						 .section = (uint32_t)t->sections.n - 1,
						 .slot = (uint32_t)(r->at / TV_SLOT_SIZE) }));
	for (uint32_t i = 0; i < head->sites; i++) {
		const struct tv_site *s = &all[i];
		if (!check_site(r, head, all, i))
			return false;
		vec_push(&t->sites,
			 ((struct static_site){
				 .kind = s->kind,
				 .flags = s->flags,
				 .column = s->column,
				 .line = s->line,
				 .end_line = s->end_line,
				 .unit = (uint32_t)t->units.n - 1,
				 .parent = s->parent == TV_NO_SITE ? SITE_NONE : first + s->parent,
				 .callee = s->callee == TV_NO_SITE ? SITE_NONE : first + s->callee,
				 .name = text_of(r, head, s->name),
				 .file = text_of(r, head, s->file),
				 .reason = text_of(r, head, s->reason) }));
	}
	return true;
}

/* Units, and gaps of zeros between them. */
static bool take_units(struct reading *r)
{
	static const char zeros[TV_SLOT_SIZE];
	struct site_section *section = vec_last(&r->tables->sections);

	section->first = (uint32_t)r->tables->units.n;
	for (r->at = 0; r->at < r->n;) {
		const size_t rest = r->n - r->at;
		struct tv_unit head;
		if (memcmp(r->bytes + r->at, zeros, rest < sizeof zeros ? rest : sizeof zeros) ==
		    0) {
			r->at += rest < sizeof zeros ? rest : sizeof zeros;
			continue;
		}
		if (rest < sizeof head)
			return damaged(r, "its last unit is cut off");
		memcpy(&head, r->bytes + r->at, sizeof head);
		if (!take_unit(r, &head))
			return false;
		r->at += head.size;
	}
	section->n = (uint32_t)r->tables->units.n - section->first;
	return true;
}

/* Copies a section, so that texts stay and sites are aligned. */
static bool take_section(struct site_tables *t, const char *path, const char *member,
			 const void *bytes, size_t n, uint64_t address, struct err *err)
{
	struct reading r = { .tables = t, .path = path, .member = member, .n = n, .err = err };
	char *copy;

	if (n / TV_SLOT_SIZE >= SLOTS_MAX)
		return err_set(err, STATUS_IO, "%s: section " TV_SITES_SECTION " is too large",
			       path);
	copy = xmalloc(n + 1);
	if (n)
		memcpy(copy, bytes, n);
	r.bytes = copy;
	vec_push(&t->bytes, copy);
	vec_push(&t->sections,
		 ((struct site_section){ .address = address,
					 .member = member ? xstrdup(member) : NULL }));
	return take_units(&r);
}

/* ---- calls of other units ---- */

static int by_name(const void *one, const void *other)
{
	const struct public *a = one, *b = other;
	const int order = strcmp(a->name, b->name);

	if (order)
		return order;
	ORDER_BY(a->section, b->section);
	return ORDER(a->site, b->site);
}

static void list_publics(struct site_tables *t)
{
	for (size_t i = 0; i < t->sites.n; i++) {
		const struct static_site *s = &t->sites.data[i];
		if (s->kind == TV_SITE_PROCEDURE && !(s->flags & TV_SITE_LOCAL) && *s->name)
			vec_push(&t->publics,
				 ((struct public){ s->name, t->units.data[s->unit].section,
						   (uint32_t)i }));
	}
	vec_sort(&t->publics, by_name);
}

/* The first that does not come before (name, section). */
static size_t lower_bound(const struct site_tables *t, const char *name, uint32_t section)
{
	const struct public wanted = { name, section, 0 };
	size_t low = 0, high = t->publics.n;

	BISECT(low, high, middle, by_name(&t->publics.data[middle], &wanted) < 0);
	return low;
}

static bool is_named(const struct site_tables *t, size_t i, const char *name, uint32_t section)
{
	return i < t->publics.n && t->publics.data[i].section == section &&
	       strcmp(t->publics.data[i].name, name) == 0;
}

static void link_calls(struct site_tables *t)
{
	for (size_t i = 0; i < t->sites.n; i++) {
		struct static_site *s = &t->sites.data[i];
		const uint32_t section = t->units.data[s->unit].section;
		size_t at;
		if (s->kind != TV_SITE_CALL || s->callee != SITE_NONE ||
		    s->flags & TV_SITE_POINTER || !*s->name)
			continue;
		at = lower_bound(t, s->name, section);
		if (is_named(t, at, s->name, section) && !is_named(t, at + 1, s->name, section))
			s->callee = t->publics.data[at].site;
	}
}

static struct site_tables *complete(struct site_tables *t, bool ok)
{
	if (!ok) {
		site_tables_free(t);
		return NULL;
	}
	list_publics(t);
	link_calls(t);
	return t;
}

/* ---- files ---- */

static bool elf_says(const char *path, struct err *err)
{
	return err_set(err, STATUS_IO, "%s: cannot be read as a program or library: %s", path,
		       elf_errmsg(-1));
}

static bool take_found(struct site_tables *t, const char *path, const char *member, Elf_Scn *scn,
		       const GElf_Shdr *head, struct err *err)
{
	const Elf_Data *data;

	if (head->sh_type == SHT_NOBITS || head->sh_flags & SHF_COMPRESSED)
		return err_set(err, STATUS_IO,
			       "%s: section " TV_SITES_SECTION " has no content that can be read",
			       path);
	data = elf_rawdata(scn, NULL);
	if (!data || (data->d_size && !data->d_buf))
		return elf_says(path, err);
	return take_section(t, path, member, data->d_buf, data->d_size, head->sh_addr, err);
}

static bool take_object(struct site_tables *t, const char *path, const char *member, Elf *elf,
			struct err *err)
{
	const unsigned one = 1;
	const bool little = *(const unsigned char *)&one == 1;
	GElf_Ehdr ehdr;
	size_t names;

	if (!gelf_getehdr(elf, &ehdr) || elf_getshdrstrndx(elf, &names) != 0)
		return elf_says(path, err);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
		GElf_Shdr head;
		const char *name;
		if (!gelf_getshdr(scn, &head))
			return elf_says(path, err);
		name = elf_strptr(elf, names, head.sh_name);
		if (!name || strcmp(name, TV_SITES_SECTION) != 0)
			continue;
		if ((ehdr.e_ident[EI_DATA] == ELFDATA2LSB) != little)
			return err_set(err, STATUS_IO,
				       "%s: built for a machine with another byte order", path);
		if (!take_found(t, path, member, scn, &head, err))
			return false;
	}
	return true;
}

/* Members that are not objects are skipped, as linkers do. */
static bool take_archive(struct site_tables *t, const char *path, int fd, Elf *archive,
			 struct err *err)
{
	Elf_Cmd next = ELF_C_READ;
	bool ok = true;
	Elf *elf;

	while (ok && next != ELF_C_NULL && (elf = elf_begin(fd, ELF_C_READ, archive)) != NULL) {
		const Elf_Arhdr *head = elf_getarhdr(elf);
		if (elf_kind(elf) == ELF_K_ELF)
			ok = take_object(t, path, head && head->ar_name ? head->ar_name : "?", elf,
					 err);
		next = elf_next(elf);
		elf_end(elf);
	}
	return ok;
}

static bool take_file(struct site_tables *t, const char *path, int fd, struct err *err)
{
	bool ok;
	Elf *elf;

	if (elf_version(EV_CURRENT) == EV_NONE || !(elf = elf_begin(fd, ELF_C_READ, NULL)))
		return elf_says(path, err);
	switch (elf_kind(elf)) {
	case ELF_K_ELF: ok = take_object(t, path, NULL, elf, err); break;
	case ELF_K_AR: ok = take_archive(t, path, fd, elf, err); break;
	default:
		ok = err_set(err, STATUS_IO, "%s: not a program, library or object file (ELF)",
			     path);
		break;
	}
	elf_end(elf);
	return ok;
}

struct site_tables *site_tables_read(const char *path, struct err *err)
{
	struct site_tables *t;
	struct stat st;
	/* Does not wait for the writer of a pipe. */
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool ok;

	if (fd < 0 || fstat(fd, &st) != 0) {
		err_errno(err, STATUS_IO, "%s: cannot be opened", path);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	t = xcalloc(1, sizeof *t);
	ok = S_ISREG(st.st_mode) ? take_file(t, path, fd, err)
				 : err_set(err, STATUS_IO, "%s: not a regular file", path);
	close(fd);
	return complete(t, ok);
}

struct site_tables *site_tables_parse(const char *path, const void *bytes, size_t n,
				      uint64_t address, struct err *err)
{
	struct site_tables *t = xcalloc(1, sizeof *t);

	return complete(t, take_section(t, path, NULL, bytes, n, address, err));
}

void site_tables_free(struct site_tables *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->bytes.n; i++)
		free(t->bytes.data[i]);
	for (size_t i = 0; i < t->sections.n; i++)
		free(t->sections.data[i].member);
	vec_fini(&t->bytes);
	vec_fini(&t->sections);
	vec_fini(&t->units);
	vec_fini(&t->sites);
	vec_fini(&t->publics);
	free(t);
}

/* ---- asking ---- */

uint32_t site_tables_count(const struct site_tables *tables)
{
	return (uint32_t)tables->sites.n;
}

const struct static_site *site_tables_site(const struct site_tables *tables, uint32_t site)
{
	assert(site < tables->sites.n);
	return &tables->sites.data[site];
}

uint32_t site_tables_unit_count(const struct site_tables *tables)
{
	return (uint32_t)tables->units.n;
}

const struct site_unit *site_tables_unit(const struct site_tables *tables, uint32_t unit)
{
	assert(unit < tables->units.n);
	return &tables->units.data[unit];
}

const struct site_section *site_tables_section_at(const struct site_tables *tables,
						  uint32_t section)
{
	assert(section < tables->sections.n);
	return &tables->sections.data[section];
}

uint32_t site_tables_section(const struct site_tables *tables, uint64_t address)
{
	for (size_t i = 0; i < tables->sections.n; i++)
		if (tables->sections.data[i].address == address)
			return (uint32_t)i;
	return SITE_NONE;
}

uint32_t site_tables_find(const struct site_tables *tables, uint32_t section, uint32_t slot)
{
	const struct site_section *s;
	const struct site_unit *unit;
	uint32_t low, high;

	if (section >= tables->sections.n)
		return SITE_NONE;
	s = &tables->sections.data[section];
	/* The last unit that does not begin after the slot. */
	low = s->first;
	high = s->first + s->n;
	BISECT(low, high, middle, tables->units.data[middle].slot <= slot);
	if (low == s->first)
		return SITE_NONE;
	unit = &tables->units.data[low - 1];
	if (slot == unit->slot || slot - unit->slot > unit->n)
		return SITE_NONE;
	return unit->first + slot - unit->slot - 1;
}

uint32_t site_tables_slot(const struct site_tables *tables, uint32_t site)
{
	const struct site_unit *unit =
		site_tables_unit(tables, site_tables_site(tables, site)->unit);

	return unit->slot + 1 + site - unit->first;
}

void site_tables_path(const struct site_tables *tables, uint32_t site, struct str *out)
{
	const struct static_site *s = site_tables_site(tables, site);
	const char *directory = site_tables_unit(tables, s->unit)->directory;

	if (*s->file && *s->file != '/' && *s->file != '<' && *directory) {
		str_add(out, directory);
		if (directory[strlen(directory) - 1] != '/')
			str_add_char(out, '/');
	}
	str_add(out, s->file);
}
