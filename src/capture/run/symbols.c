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
#include "capture/run/dwarf_functions.h"

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
enum question { ASK_AT, ASK_FUNCTION, ASK_SCOPE, ASK_BEGIN, ASK_ENTRY };

struct symbols {
	Dwfl *dwfl;
	struct keymap known; /* (module, address, question) -> place in answers, entries */
	VEC(struct symbol) answers;
	VEC(struct symbols_entry) entries;
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
	vec_fini(&symbols->entries);
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

static void set_line(struct symbols *symbols, Dwarf_Die *unit, Dwarf_Line *line,
		     struct symbol *symbol)
{
	Dwarf_Attribute folder;
	int number = 0;

	if (!line || dwarf_lineno(line, &number) != 0 || number <= 0)
		return;
	symbol->file = source_path(symbols, dwarf_linesrc(line, NULL, NULL),
				   dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &folder)));
	symbol->line = symbol->file ? (uint32_t)number : 0;
}

static void look_in_unit(struct symbols *symbols, const struct module *module, uint64_t address,
			 struct symbol *symbol)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = unit_of(module, address, &bias);

	set_line(symbols, unit, unit ? dwarf_getsrc_die(unit, address + module->bias - bias) : NULL,
		 symbol);
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
		if (dwarf_is_of_header(&scopes[i]))
			look_at_call(symbols, unit, &scopes[i], symbol);
	free(scopes);
}

/* What compilers call the function that they make of the inside of a construct of OpenMP. */
static bool is_outlined(const char *name)
{
	static const char parallel[] = ".omp_outlined.", task[] = ".omp_task_entry.";

	return name && (strstr(name, "._omp_fn.") || !strncmp(name, parallel, strlen(parallel)) ||
			!strncmp(name, task, strlen(task)));
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
	symbol.outlined = is_outlined(symbol.function);
	line = dwfl_module_getsrc(module->dwfl, address + module->bias);
	if (line)
		symbol.file =
			source_path(symbols, dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL),
				    dwfl_line_comp_dir(line));
	symbol.line = symbol.file && number > 0 ? (uint32_t)number : 0;
	if (!line)
		look_in_unit(symbols, module, address, &symbol);
	if (dwarf_is_header(symbol.file))
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
	const char *name = die_name(symbols, die, linked), *file;
	int line;

	symbol->outlined = dwarf_tag(die) == DW_TAG_subprogram &&
			   (is_outlined(dwarf_diename(die)) || is_outlined(linked));
	if (name)
		symbol->function = name;
	file = dwarf_definition_file(unit, die);
	if (dwarf_decl_line(die, &line) != 0 || !file)
		return;
	symbol->defined = line > 0;
	symbol->line = line > 0 ? (uint32_t)line : 0;
	symbol->file = source_path(symbols, file,
				   dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &folder)));
}

/* What was made of the inside of a construct has the name and the place of the function that the
 * construct is in. */
static void define_function(struct symbols *symbols, Dwarf_Die *unit, Dwarf_Die *function,
			    const char *linked, struct symbol *symbol)
{
	const char *name = linked;
	Dwarf_Die outer = *function;

	define_symbol(symbols, unit, function, linked, symbol);
	if (!symbol->outlined)
		return;
	while (is_outlined(name) && dwarf_function_around(&outer, &outer))
		name = dwarf_diename(&outer);
	if (!is_outlined(name)) {
		define_symbol(symbols, unit, &outer, NULL, symbol);
		symbol->outlined = true;
	}
}

static struct symbol look_function(struct symbols *symbols, const struct module *module,
				   uint64_t address, bool inlined)
{
	struct symbol symbol = look_at(symbols, module, address);
	const char *linked = dwfl_module_addrname(module->dwfl, address + module->bias);
	Dwarf_Die *unit, function;
	Dwarf_Addr bias;

	unit = unit_of(module, address, &bias);
	if (unit && dwarf_function_of(unit, address + module->bias - bias, inlined, &function))
		define_function(symbols, unit, &function, linked, &symbol);
	return symbol;
}

static struct symbol look_begin(struct symbols *symbols, const struct module *module,
				uint64_t address)
{
	struct symbol symbol = look_at(symbols, module, address);
	Dwarf_Addr bias;
	Dwarf_Die *unit = unit_of(module, address, &bias);
	Dwarf_Line *line = unit ? dwarf_first_line(unit, address + module->bias - bias) : NULL;

	set_line(symbols, unit, line, &symbol);
	return symbol;
}

/* ---- how a function was entered ---- */

/* The symbol of `address`, defined as a function of the debug information. */
static struct symbol symbol_of_die(struct symbols *symbols, const struct module *module,
				   Dwarf_Die *unit, Dwarf_Die *die, uint64_t address)
{
	struct symbol symbol = look_at(symbols, module, address);

	define_function(symbols, unit, die,
			dwfl_module_addrname(module->dwfl, address + module->bias), &symbol);
	return symbol;
}

/* `function` may be another library's, without debug information. */
static bool is_same(const struct symbol *code, const struct symbol *function)
{
	if (!code->function || !function->function || strcmp(code->function, function->function))
		return false;
	return !function->defined || (code->line == function->line && code->file &&
				      function->file && !strcmp(code->file, function->file));
}

/* Without debug information: "leaf.constprop.0" is a copy of "leaf". */
static bool is_copy_of(const char *name, const char *function)
{
	const size_t n = name && function ? strlen(function) : 0;

	return n && !strncmp(name, function, n) && (name[n] == '\0' || name[n] == '.');
}

static struct symbols_entry look_entry(struct symbols *symbols, const struct module *module,
				       const struct symbol *function, uint64_t address)
{
	struct symbols_entry entry = { .around = look_at(symbols, module, address) };
	Dwarf_Die *unit, code, outer;
	struct symbol own;
	Dwarf_Addr bias;

	unit = unit_of(module, address, &bias);
	if (!unit || !dwarf_function_of(unit, address + module->bias - bias, true, &code)) {
		entry.inlined = entry.around.begin != function->begin &&
				!is_copy_of(entry.around.function, function->function);
		return entry;
	}
	own = entry.around = symbol_of_die(symbols, module, unit, &code, address);
	entry.inlined = dwarf_tag(&code) == DW_TAG_inlined_subroutine || !is_same(&own, function);
	if (entry.inlined && is_same(&own, function) && dwarf_function_around(&code, &outer)) {
		look_at_call(symbols, unit, &code, &entry.call);
		entry.around = symbol_of_die(symbols, module, unit, &outer, address);
	}
	return entry;
}

/* ---- calls that are jumps ---- */

static bool is_call_of(struct symbols *symbols, Dwarf_Die *unit, Dwarf_Die *call,
		       const struct symbol *function)
{
	Dwarf_Attribute attribute;
	Dwarf_Die callee;
	struct symbol symbol = { 0 };

	if (!dwarf_formref_die(dwarf_attr(call, DW_AT_call_origin, &attribute), &callee))
		return false;
	define_symbol(symbols, unit, &callee, NULL, &symbol);
	return is_same(&symbol, function);
}

uint64_t symbols_tail_call(struct symbols *symbols, const char *path, uint64_t address,
			   const struct symbol *function)
{
	const struct module *module = module_of(symbols, path);
	Dwarf_Attribute attribute;
	Dwarf_Die *unit, code, call;
	Dwarf_Addr bias, at;

	unit = module->dwfl ? unit_of(module, address, &bias) : NULL;
	if (!unit || !dwarf_function_of(unit, address + module->bias - bias, false, &code))
		return 0;
	if (!dwarf_tail_call(&code, &call) || !is_call_of(symbols, unit, &call, function) ||
	    dwarf_formaddr(dwarf_attr(&call, DW_AT_call_return_pc, &attribute), &at) != 0)
		return 0;
	return at + bias - module->bias;
}

/* ---- what was asked ---- */

static uint32_t *known(struct symbols *symbols, const struct module *module, uint64_t address,
		       enum question question)
{
	const uint32_t number = (uint32_t)(module - symbols->modules.data);

	return keymap_add(&symbols->known, (struct key){ { number, (uint32_t)address,
							   (uint32_t)(address >> 32), question } });
}

static struct symbol look(struct symbols *symbols, const struct module *module, uint64_t address,
			  enum question question)
{
	switch (question) {
	case ASK_AT: return look_at(symbols, module, address);
	case ASK_BEGIN: return look_begin(symbols, module, address);
	default: return look_function(symbols, module, address, question == ASK_SCOPE);
	}
}

static struct symbol ask(struct symbols *symbols, const char *path, uint64_t address,
			 enum question question)
{
	const struct module *module = module_of(symbols, path);
	uint32_t *answer = known(symbols, module, address, question);
	struct symbol symbol = { .begin = address };

	if (*answer != UINT32_MAX)
		return symbols->answers.data[*answer];
	*answer = (uint32_t)symbols->answers.n;
	if (module->dwfl)
		symbol = look(symbols, module, address, question);
	vec_push(&symbols->answers, symbol);
	return symbol;
}

struct symbol symbols_at(struct symbols *symbols, const char *path, uint64_t address)
{
	return ask(symbols, path, address, ASK_AT);
}

struct symbol symbols_begin(struct symbols *symbols, const char *path, uint64_t address)
{
	return ask(symbols, path, address, ASK_BEGIN);
}

struct symbol symbols_function(struct symbols *symbols, const char *path, uint64_t address)
{
	return ask(symbols, path, address, ASK_FUNCTION);
}

struct symbol symbols_scope(struct symbols *symbols, const char *path, uint64_t address)
{
	return ask(symbols, path, address, ASK_SCOPE);
}

struct symbols_entry symbols_entry(struct symbols *symbols, const char *path,
				   const struct symbol *function, uint64_t address)
{
	const struct module *module = module_of(symbols, path);
	uint32_t *answer = known(symbols, module, address, ASK_ENTRY);
	struct symbols_entry entry = { .inlined = false };

	if (*answer != UINT32_MAX)
		return symbols->entries.data[*answer];
	*answer = (uint32_t)symbols->entries.n;
	if (module->dwfl)
		entry = look_entry(symbols, module, function, address);
	vec_push(&symbols->entries, entry);
	return entry;
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
			if (data && data->d_buf)
				str_add_n(out, data->d_buf, strnlen(data->d_buf, data->d_size));
			break;
		}
	}
	if (elf)
		elf_end(elf);
	close(fd);
}
