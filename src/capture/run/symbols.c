#include "capture/run/symbols.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"

struct module {
	char *path;
	Dwfl_Module *dwfl; /* NULL: cannot be read */
	GElf_Addr bias;    /* what libdwfl adds to the module's addresses */
};

/* A file's name as the compiler noted it, and from its folder. */
struct source {
	const char *noted; /* the pointer is the key: it belongs to libdwfl */
	char *path;
};

struct symbols {
	Dwfl *dwfl;
	VEC(struct source) sources;
	VEC(struct module) modules;
};

/* Separate debug files are looked for where distributions put them; nothing is asked from the network. */
static const Dwfl_Callbacks callbacks_template = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

struct symbols *symbols_new(void)
{
	struct symbols *symbols = xcalloc(1, sizeof *symbols);

	unsetenv("DEBUGINFOD_URLS");
	symbols->dwfl = dwfl_begin(&callbacks_template);
	return symbols;
}

void symbols_free(struct symbols *symbols)
{
	struct module *module;

	if (!symbols)
		return;
	vec_each (module, &symbols->modules)
		free(module->path);
	vec_fini(&symbols->modules);
	if (symbols->dwfl)
		dwfl_end(symbols->dwfl);
	free(symbols);
}

static struct module *module_of(struct symbols *symbols, const char *path)
{
	struct module *module;

	vec_each (module, &symbols->modules)
		if (!strcmp(module->path, path))
			return module;
	module = vec_add(&symbols->modules);
	module->path = xstrdup(path);
	if (!symbols->dwfl)
		return module;
	dwfl_report_begin_add(symbols->dwfl);
	module->dwfl = dwfl_report_offline(symbols->dwfl, path, path, -1);
	dwfl_report_end(symbols->dwfl, NULL, NULL);
	if (module->dwfl && !dwfl_module_getelf(module->dwfl, &module->bias))
		module->dwfl = NULL;
	return module;
}

static const char *source_path(struct symbols *symbols, const char *noted, const char *folder)
{
	struct str path = STR_INIT;
	const struct source *source;

	if (!noted || noted[0] == '/' || !folder || folder[0] != '/')
		return noted;
	vec_each (source, &symbols->sources) {
		if (source->noted == noted)
			return source->path;
	}
	str_add_fmt(&path, "%s/%s", folder, noted);
	vec_push(&symbols->sources, ((struct source){ noted, str_take(&path) }));
	return vec_last(&symbols->sources)->path;
}

struct symbol symbols_at(struct symbols *symbols, const char *path, uint64_t address)
{
	const struct module *module = module_of(symbols, path);
	struct symbol symbol = { NULL, NULL, 0 };
	Dwfl_Line *line;
	int number = 0;

	if (!module->dwfl)
		return symbol;
	symbol.function = dwfl_module_addrname(module->dwfl, address + module->bias);
	line = dwfl_module_getsrc(module->dwfl, address + module->bias);
	if (line)
		symbol.file =
			source_path(symbols, dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL),
				    dwfl_line_comp_dir(line));
	symbol.line = symbol.file && number > 0 ? (uint32_t)number : 0;
	return symbol;
}

struct symbol symbols_function(struct symbols *symbols, const char *path, uint64_t address)
{
	struct symbol symbol = symbols_at(symbols, path, address);
	const struct module *module = module_of(symbols, path);
	Dwarf_Die *scopes = NULL, *unit;
	Dwarf_Addr bias;
	Dwarf_Attribute folder;
	int count, line;

	if (!module->dwfl)
		return symbol;
	unit = dwfl_module_addrdie(module->dwfl, address + module->bias, &bias);
	count = unit ? dwarf_getscopes(unit, address + module->bias - bias, &scopes) : 0;
	for (int i = 0; i < count; i++) {
		if (dwarf_tag(&scopes[i]) != DW_TAG_subprogram)
			continue;
		if (dwarf_diename(&scopes[i]))
			symbol.function = dwarf_diename(&scopes[i]);
		if (dwarf_decl_line(&scopes[i], &line) == 0 && dwarf_decl_file(&scopes[i])) {
			symbol.line = line > 0 ? (uint32_t)line : 0;
			symbol.file = source_path(symbols, dwarf_decl_file(&scopes[i]),
						  dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir,
									      &folder)));
		}
		break;
	}
	free(scopes);
	return symbol;
}

void symbols_compiler(const char *path, struct str *out)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf;
	size_t names;

	if (fd < 0)
		return;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_getshdrstrndx(elf, &names) == 0) {
		for (Elf_Scn *section = elf_nextscn(elf, NULL); section;
		     section = elf_nextscn(elf, section)) {
			GElf_Shdr header;
			const Elf_Data *data;
			const char *name;
			if (!gelf_getshdr(section, &header))
				continue;
			name = elf_strptr(elf, names, header.sh_name);
			if (!name || strcmp(name, ".comment") != 0)
				continue;
			data = elf_getdata(section, NULL);
			if (data && data->d_size)
				str_add_n(out, data->d_buf, strnlen(data->d_buf, data->d_size));
			break;
		}
	}
	if (elf)
		elf_end(elf);
	close(fd);
}
