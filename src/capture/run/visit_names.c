#include "capture/run/visit_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "model/formats/site_tables.h"

struct module {
	struct tv_def_module where;
	char *path;
};

struct site_module {
	uint64_t address; /* of the section, as linked */
	char *path;       /* NULL: never defined */
	struct site_tables *tables;
	uint32_t section; /* SITE_NONE: not read, or it cannot be */
};

struct string {
	uint32_t thread, id;
	char *text;
};

struct visit_names {
	struct symbols *symbols;
	VEC(struct module) modules;
	VEC(struct site_module) sites; /* by number */
	VEC(struct string) strings;
};

struct visit_names *visit_names_new(struct symbols *symbols)
{
	struct visit_names *names = xcalloc(1, sizeof *names);

	names->symbols = symbols;
	return names;
}

void visit_names_free(struct visit_names *names)
{
	struct module *module;
	struct site_module *site;
	struct string *string;

	vec_each (module, &names->modules)
		free(module->path);
	vec_each (site, &names->sites) {
		free(site->path);
		site_tables_free(site->tables);
	}
	vec_each (string, &names->strings)
		free(string->text);
	vec_fini(&names->modules);
	vec_fini(&names->sites);
	vec_fini(&names->strings);
	free(names);
}

/* ---- definitions ---- */

static void define_sites(struct visit_names *names, const struct tv_head *head)
{
	const struct tv_def_sites *where = rank_payload(head, sizeof *where, NULL);
	const char *path = rank_text(head, sizeof *where);
	const struct site_module none = { .section = SITE_NONE };
	struct site_module *module;

	if (!where || !path || head->id >= TV_SITE_MODULES_MAX)
		return;
	while (names->sites.n <= head->id)
		vec_push(&names->sites, none);
	module = &names->sites.data[head->id];
	free(module->path);
	site_tables_free(module->tables);
	*module = none;
	module->address = where->start - where->bias;
	module->path = xstrdup(path);
}

void visit_names_define(struct visit_names *names, uint32_t thread, const struct tv_head *head)
{
	const struct tv_def_module *where;
	const char *text;

	switch (head->call) {
	case TV_DEF_STRING:
		text = rank_text(head, 0);
		if (text)
			vec_push(&names->strings,
				 ((struct string){ thread, head->id, xstrdup(text) }));
		break;
	case TV_DEF_MODULE:
		where = rank_payload(head, sizeof *where, NULL);
		text = rank_text(head, sizeof *where);
		if (where && text)
			vec_push(&names->modules, ((struct module){ *where, xstrdup(text) }));
		break;
	case TV_DEF_SITES: define_sites(names, head); break;
	default: break;
	}
}

/* ---- names ---- */

struct visit_place visit_place_of(const struct tv_head *enter, uint32_t thread)
{
	const struct tv_function *f = (const struct tv_function *)(const void *)enter;

	switch (enter->kind) {
	case TV_FUNCTION_ENTER:
		return (struct visit_place){ enter->kind, 0, tv_function_address(f->what) };
	case TV_SITE_ENTER:
		return (struct visit_place){ enter->kind, 0,
					     (uint64_t)tv_site_module(f->what) << 32 |
						     tv_site_slot(f->what) };
	case TV_USER_ENTER: return (struct visit_place){ enter->kind, thread, enter->id };
	default: return (struct visit_place){ enter->kind, 0, enter->call };
	}
}

static void add_function(struct visit_names *names, uint64_t address, struct str *out)
{
	const struct module *module;

	vec_each (module, &names->modules) {
		struct symbol symbol;
		if (address < module->where.start || address >= module->where.end)
			continue;
		symbol = symbols_function(names->symbols, module->path,
					  address - module->where.bias);
		if (symbol.function)
			str_add(out, symbol.function);
		else
			str_add_fmt(out, "%s+0x%llx", path_name(module->path),
				    (unsigned long long)(address - module->where.bias));
		return;
	}
	str_add_fmt(out, "0x%llx", (unsigned long long)address);
}

static void read_tables(struct site_module *module)
{
	struct err ignored = ERR_INIT;

	if (module->tables || !module->path)
		return;
	module->tables = site_tables_read(module->path, &ignored);
	if (module->tables)
		module->section = site_tables_section(module->tables, module->address);
}

static void add_site(struct visit_names *names, uint32_t number, uint32_t slot, struct str *out)
{
	struct site_module *module = number < names->sites.n ? &names->sites.data[number] : NULL;
	const struct static_site *site;
	uint32_t found = SITE_NONE;

	if (module)
		read_tables(module);
	if (module && module->section != SITE_NONE)
		found = site_tables_find(module->tables, module->section, slot);
	if (found == SITE_NONE) {
		str_add_fmt(out, "site %u", slot);
		return;
	}
	site = site_tables_site(module->tables, found);
	str_add(out, site->name);
	if (site->kind == TV_SITE_LOOP && *site->file)
		str_add_fmt(out, " %s:%u", path_name(site->file), site->line);
}

static void add_string(const struct visit_names *names, uint32_t thread, uint64_t id,
		       struct str *out)
{
	const struct string *string;

	vec_each (string, &names->strings)
		if (string->thread == thread && string->id == id) {
			str_add(out, string->text);
			return;
		}
	str_add_fmt(out, "region %u", (unsigned)id);
}

void visit_names_add(struct visit_names *names, const struct tv_file *file,
		     struct visit_place place, struct str *out)
{
	char name[TV_NAME_MAX] = "MPI";

	switch (place.kind) {
	case TV_FUNCTION_ENTER: add_function(names, place.what, out); return;
	case TV_SITE_ENTER:
		add_site(names, (uint32_t)(place.what >> 32), (uint32_t)place.what, out);
		return;
	case TV_USER_ENTER: add_string(names, place.thread, place.what, out); return;
	default: break;
	}
	if (place.what < file->calls && place.what < TV_CALLS_MAX)
		memcpy(name, file->call[place.what].name, sizeof name);
	name[TV_NAME_MAX - 1] = '\0';
	str_add(out, name);
}
