#define _GNU_SOURCE
#include "capture/lib/function_names.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/lib/main_name.h"
#include "capture/lib/record.h"

struct function {
	uint64_t start, end; /* as linked */
	const char *name;
};

/* A file, which stays mapped. */
struct table {
	struct table *next;
	uint64_t start, stop, bias; /* of its code, as places (lifetimes.h) */
	uint32_t n;
	struct function *functions; /* by start, once one was looked for (`sorted`) */
	bool sorted;
	const char *file; /* NULL: it cannot be read */
	size_t size;
};

static struct table *tables;

/* ---- which module ---- */

struct search {
	uint64_t address;
	uint64_t start, stop, bias;
	const char *path;
};

static int look_into(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		const uint64_t start = info->dlpi_addr + ph->p_vaddr;
		if (ph->p_type != PT_LOAD || search->address - start >= ph->p_memsz)
			continue;
		search->start = start;
		search->stop = start + ph->p_memsz;
		search->bias = info->dlpi_addr;
		search->path =
			info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
		return 1;
	}
	return 0;
}

/* ---- its symbols ---- */

/* Maps the whole file; NULL if there is none or it is not an ELF file of this machine. */
static const char *map_file(const char *path, size_t *size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *map = MAP_FAILED;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && st.st_size > (off_t)sizeof(ElfW(Ehdr))) {
		*size = (size_t)st.st_size;
		map = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	close(fd);
	if (map == MAP_FAILED)
		return NULL;
	if (!memcmp(map, ELFMAG, SELFMAG) && ((char *)map)[EI_CLASS] == ELFCLASS64)
		return map;
	munmap(map, *size);
	return NULL;
}

static const ElfW(Shdr) * sections_of(const char *file, size_t size)
{
	const ElfW(Ehdr) *head = (const void *)file;
	const uint64_t bytes = (uint64_t)head->e_shnum * sizeof(ElfW(Shdr));

	return head->e_shoff % 8 || head->e_shoff > size || size - head->e_shoff < bytes
		       ? NULL
		       : (const void *)(file + head->e_shoff);
}

static bool is_inside(const ElfW(Shdr) * section, size_t size)
{
	return section->sh_offset <= size && section->sh_size <= size - section->sh_offset;
}

/* The full symbol table if there is one, else the dynamic linker's; NULL: neither. */
static const ElfW(Shdr) * symbols_of(const char *file, size_t size)
{
	const ElfW(Ehdr) *head = (const void *)file;
	const ElfW(Shdr) *sections = sections_of(file, size), *found = NULL;

	for (unsigned i = 0; sections && i < head->e_shnum; i++) {
		const ElfW(Shdr) *s = &sections[i];
		if ((s->sh_type != SHT_SYMTAB && (s->sh_type != SHT_DYNSYM || found)) ||
		    s->sh_offset % 8 || !is_inside(s, size) || s->sh_link >= head->e_shnum ||
		    !is_inside(&sections[s->sh_link], size) || !sections[s->sh_link].sh_size)
			continue;
		found = s;
	}
	return found;
}

static int by_start(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static void read_symbols(struct table *table, const char *file, size_t size)
{
	const ElfW(Shdr) *symbols = symbols_of(file, size), *strings;
	const ElfW(Sym) * list;
	size_t n;

	if (!symbols)
		return;
	strings = &sections_of(file, size)[symbols->sh_link];
	list = (const void *)(file + symbols->sh_offset);
	n = symbols->sh_size / sizeof *list;
	if (file[strings->sh_offset + strings->sh_size - 1] ||
	    !(table->functions = malloc((n + 1) * sizeof *table->functions)))
		return;
	for (size_t i = 0; i < n; i++) {
		const ElfW(Sym) *s = &list[i];
		if ((ELF64_ST_TYPE(s->st_info) != STT_FUNC &&
		     ELF64_ST_TYPE(s->st_info) != STT_GNU_IFUNC) ||
		    !s->st_value || s->st_name >= strings->sh_size)
			continue;
		table->functions[table->n++] =
			(struct function){ s->st_value, s->st_value + (s->st_size ? s->st_size : 1),
					   file + strings->sh_offset + s->st_name };
	}
}

static struct table *table_of(uint64_t place)
{
	const uint64_t number = place >> TV_ADDRESS_BITS << TV_ADDRESS_BITS;
	struct search search = { .address = place - number };
	struct table *table;

	for (table = tables; table; table = table->next)
		if (place - table->start < table->stop - table->start)
			return table;
	if (!dl_iterate_phdr(look_into, &search) || !(table = calloc(1, sizeof *table)))
		return NULL;
	table->start = search.start + number;
	table->stop = search.stop + number;
	table->bias = search.bias + number;
	table->next = tables;
	tables = table;
	table->file = map_file(search.path, &table->size);
	if (table->file)
		read_symbols(table, table->file, table->size);
	return table;
}

const char *tv_function_name(uint64_t place)
{
	struct table *table = table_of(place);
	size_t low = 0, high = table ? table->n : 0;

	if (!high)
		return NULL;
	if (!table->sorted)
		qsort(table->functions, table->n, sizeof *table->functions, by_start);
	table->sorted = true;
	place -= table->bias;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (table->functions[middle].start <= place)
			low = middle + 1;
		else
			high = middle;
	}
	return low && place < table->functions[low - 1].end ? table->functions[low - 1].name : NULL;
}

const char *tv_main_name(uint64_t place)
{
	const struct table *table = table_of(place);

	return table && table->file ? tv_main_name_in(table->file, table->size) : NULL;
}

/* ---- module tview ---- */

static const char module_prefix[] = "__tview_MOD_";

struct tv_span tv_functions_of_module(void)
{
	/* What gfortran makes has its library. */
	const void *known = dlsym(RTLD_DEFAULT, "_gfortran_set_args");
	const void *begin = known ? dlsym(RTLD_DEFAULT, "__tview_MOD_tview_begin") : NULL;
	const struct table *table = NULL;
	uint64_t end = 0;
	struct tv_span span = { 0 };

	if (known)
		table = table_of(begin ? (uintptr_t)begin : getauxval(AT_ENTRY));
	for (size_t i = 0; table && i < table->n; i++) {
		const struct function *f = &table->functions[i];
		if (strncmp(f->name, module_prefix, sizeof module_prefix - 1) != 0)
			continue;
		if (!end || f->start < span.start)
			span.start = f->start;
		end = f->end > end ? f->end : end;
	}
	if (!end)
		return span;
	span.size = end - span.start;
	span.start += table->bias;
	return span;
}
