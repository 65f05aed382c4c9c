#include "capture/run/symbols.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/keymap.h"
#include "base/mem.h"
#include "base/vec.h"
#include "capture/run/cxx_names.h"

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

/* What was asked for. */
enum question { ASK_AT, ASK_FUNCTION, ASK_SCOPE };

struct symbols {
	Dwfl *dwfl;
	struct keymap known; /* (module, address, question) -> place in answers */
	VEC(struct symbol) answers;
	VEC(struct source) sources;
	VEC(struct module) modules;
	VEC(char *) names; /* what answers have of C++ */
	struct cxx_names *cxx;
};

/* Separate debug files are looked for where distributions put them; nothing is asked from the
 * network. */
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
	symbols->cxx = cxx_names_new();
	return symbols;
}

void symbols_free(struct symbols *symbols)
{
	struct module *module;
	const struct source *source;
	char **name;

	if (!symbols)
		return;
	vec_each (name, &symbols->names)
		free(*name);
	vec_fini(&symbols->names);
	cxx_names_free(symbols->cxx);
	vec_each (source, &symbols->sources)
		free(source->path);
	vec_fini(&symbols->sources);
	keymap_fini(&symbols->known);
	vec_fini(&symbols->answers);
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

/* ---- answers ---- */

/* A name of C++ as in the source; others as they are. */
static const char *source_name(struct symbols *symbols, const char *linked)
{
	struct str name = STR_INIT;

	if (!linked || !cxx_name(symbols->cxx, linked, &name))
		return linked;
	vec_push(&symbols->names, str_take(&name));
	return vec_last(&symbols->names)[0];
}

/* The compilation unit of an address. Without a table of addresses (clang makes none) all are
 * asked. */
static Dwarf_Die *unit_of(const struct module *module, uint64_t address, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module->dwfl, address + module->bias, bias);

	if (unit)
		return unit;
	while ((unit = dwfl_module_nextcu(module->dwfl, unit, bias)))
		if (dwarf_haspc(unit, address + module->bias - *bias) > 0)
			break;
	return unit;
}

static void look_in_unit(struct symbols *symbols, const struct module *module, uint64_t address,
			 struct symbol *symbol)
{
	Dwarf_Attribute folder;
	Dwarf_Addr bias;
	Dwarf_Die *unit = unit_of(module, address, &bias);
	Dwarf_Line *line = unit ? dwarf_getsrc_die(unit, address + module->bias - bias) : NULL;
	int number = 0;

	if (!line || dwarf_lineno(line, &number) != 0 || number <= 0)
		return;
	symbol->file = source_path(symbols, dwarf_linesrc(line, NULL, NULL),
				   dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &folder)));
	symbol->line = symbol->file ? (uint32_t)number : 0;
}

static bool is_header(const char *file)
{
	return file && (!strcmp(file, "tview.h") || str_ends_with(file, "/tview.h"));
}

/* A call of tview.h that was inlined: it is where it was called. */
static bool is_of_header(Dwarf_Die *scope)
{
	return dwarf_tag(scope) == DW_TAG_inlined_subroutine && is_header(dwarf_decl_file(scope));
}

/* Where an inlined function was called. */
static void look_at_call(struct symbols *symbols, Dwarf_Die *unit, Dwarf_Die *scope,
			 struct symbol *symbol)
{
	Dwarf_Attribute attribute, folder;
	Dwarf_Files *files;
	Dwarf_Word file, line;
	size_t n;

	if (dwarf_formudata(dwarf_attr(scope, DW_AT_call_line, &attribute), &line) != 0 ||
	    dwarf_formudata(dwarf_attr(scope, DW_AT_call_file, &attribute), &file) != 0 ||
	    dwarf_getsrcfiles(unit, &files, &n) != 0 || file >= n)
		return;
	symbol->file = source_path(symbols, dwarf_filesrc(files, file, NULL, NULL),
				   dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &folder)));
	symbol->line = symbol->file ? (uint32_t)line : 0;
}

/* A line of tview.h says nothing: that of its caller does. */
static void look_outside(struct symbols *symbols, const struct module *module, uint64_t address,
			 struct symbol *symbol)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = unit_of(module, address, &bias), *scopes = NULL;
	const int count = unit ? dwarf_getscopes(unit, address + module->bias - bias, &scopes) : 0;

	for (int i = 0; i < count && dwarf_tag(&scopes[i]) != DW_TAG_subprogram; i++)
		if (is_of_header(&scopes[i]))
			look_at_call(symbols, unit, &scopes[i], symbol);
	free(scopes);
}

static struct symbol look_at(struct symbols *symbols, const struct module *module, uint64_t address)
{
	struct symbol symbol = { .begin = address };
	Dwfl_Line *line;
	GElf_Off offset = 0;
	GElf_Sym entry;
	int number = 0;

	symbol.function = dwfl_module_addrinfo(module->dwfl, address + module->bias, &offset,
					       &entry, NULL, NULL, NULL);
	symbol.begin -= symbol.function ? offset : 0;
	line = dwfl_module_getsrc(module->dwfl, address + module->bias);
	if (line)
		symbol.file =
			source_path(symbols, dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL),
				    dwfl_line_comp_dir(line));
	symbol.line = symbol.file && number > 0 ? (uint32_t)number : 0;
	if (!line)
		look_in_unit(symbols, module, address, &symbol);
	if (is_header(symbol.file))
		look_outside(symbols, module, address, &symbol);
	symbol.function = source_name(symbols, symbol.function);
	return symbol;
}

/* What a function of C++ is linked as has its classes; its name in the debug information has not.
 * `linked`: the symbol at its address, which a local function has alone. */
static const char *die_name(struct symbols *symbols, Dwarf_Die *die, const char *linked)
{
	Dwarf_Attribute attribute;
	const char *own =
		dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
	const char *name;

	if (!own && dwarf_tag(die) == DW_TAG_subprogram)
		own = linked;
	name = source_name(symbols, own);
	return name != own ? name : dwarf_diename(die);
}

static void define_symbol(struct symbols *symbols, Dwarf_Die *unit, Dwarf_Die *die,
			  const char *linked, struct symbol *symbol)
{
	Dwarf_Attribute folder;
	const char *name = die_name(symbols, die, linked);
	int line;

	if (name)
		symbol->function = name;
	if (dwarf_decl_line(die, &line) != 0 || !dwarf_decl_file(die))
		return;
	symbol->line = line > 0 ? (uint32_t)line : 0;
	symbol->file = source_path(symbols, dwarf_decl_file(die),
				   dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &folder)));
}

/* The innermost function around an address that is below `die`. */
static bool function_below(Dwarf_Die *die, Dwarf_Addr address, bool inlined, Dwarf_Die *function)
{
	Dwarf_Die *scopes = NULL;
	const int count = dwarf_getscopes(die, address, &scopes);
	bool found = false;

	for (int i = 0; i < count && !found; i++) {
		const int tag = dwarf_tag(&scopes[i]);
		found = tag == DW_TAG_subprogram ||
			(inlined && tag == DW_TAG_inlined_subroutine && !is_of_header(&scopes[i]));
		if (found)
			*function = scopes[i];
	}
	free(scopes);
	return found;
}

/* Modules of Fortran have no addresses of their own, and those of a procedure do not hold its
 * internal ones: what they contain is not found through the unit. */
static bool function_within(Dwarf_Die *die, Dwarf_Addr address, bool inlined, Dwarf_Die *function)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child) != 0)
		return false;
	do {
		const int tag = dwarf_tag(&child);
		if ((tag == DW_TAG_module || tag == DW_TAG_subprogram) &&
		    (function_below(&child, address, inlined, function) ||
		     (tag == DW_TAG_module && function_within(&child, address, inlined, function))))
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

static bool is_fortran(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08: return true;
	default: return false;
	}
}

static bool function_of(Dwarf_Die *unit, Dwarf_Addr address, bool inlined, Dwarf_Die *function)
{
	return function_below(unit, address, inlined, function) ||
	       (is_fortran(unit) && function_within(unit, address, inlined, function));
}

static struct symbol look_function(struct symbols *symbols, const struct module *module,
				   uint64_t address, bool inlined)
{
	struct symbol symbol = look_at(symbols, module, address);
	const char *linked = dwfl_module_addrname(module->dwfl, address + module->bias);
	Dwarf_Die *unit, function;
	Dwarf_Addr bias;

	unit = unit_of(module, address, &bias);
	if (unit && function_of(unit, address + module->bias - bias, inlined, &function))
		define_symbol(symbols, unit, &function, linked, &symbol);
	return symbol;
}

static struct symbol ask(struct symbols *symbols, const char *path, uint64_t address,
			 enum question question)
{
	const struct module *module = module_of(symbols, path);
	const uint32_t number = (uint32_t)(module - symbols->modules.data);
	uint32_t *known = keymap_add(&symbols->known,
				     (struct key){ { number, (uint32_t)address,
						     (uint32_t)(address >> 32), question } });
	struct symbol symbol = { .begin = address };

	if (*known != UINT32_MAX)
		return symbols->answers.data[*known];
	*known = (uint32_t)symbols->answers.n;
	if (module->dwfl)
		symbol = question == ASK_AT
				 ? look_at(symbols, module, address)
				 : look_function(symbols, module, address, question == ASK_SCOPE);
	vec_push(&symbols->answers, symbol);
	return symbol;
}

struct symbol symbols_at(struct symbols *symbols, const char *path, uint64_t address)
{
	return ask(symbols, path, address, ASK_AT);
}

struct symbol symbols_function(struct symbols *symbols, const char *path, uint64_t address)
{
	return ask(symbols, path, address, ASK_FUNCTION);
}

struct symbol symbols_scope(struct symbols *symbols, const char *path, uint64_t address)
{
	return ask(symbols, path, address, ASK_SCOPE);
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
