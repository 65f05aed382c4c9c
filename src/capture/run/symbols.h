/* symbols: from addresses of a program that has ended to names, files and lines, with libdwfl.
 *
 * Addresses are given as module file and address within it (as linked, that is, less what the
 * loader added). Answers are remembered by module and address. Without debug information there
 * are names but no lines; without symbols neither. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct symbols;

struct symbols *symbols_new(void);
void symbols_free(struct symbols *symbols);

struct symbol {
	const char *function; /* NULL unknown; belongs to symbols */
	const char *file;     /* NULL unknown; belongs to symbols */
	uint32_t line;        /* 0 unknown */
	bool defined;         /* file and line are those of the function's definition */
	bool outlined;  /* the compiler made the function of the inside of a construct of OpenMP */
	uint64_t begin; /* address of the function's first instruction; the one asked for where that
			   is unknown */
};

/* The source line at an address of a module, and the symbol it is in. A file that the compiler
 * was given by a relative name is made absolute with the folder that it ran in. */
struct symbol symbols_at(struct symbols *symbols, const char *module, uint64_t address);

/* The same of the first instruction of a function: the line at which its definition begins. */
struct symbol symbols_begin(struct symbols *symbols, const char *module, uint64_t address);

/* The function at an address, with the place of its definition: the name is the source's, without
 * what the compiler appends to a clone's; of C++ with its namespaces and classes, but without
 * parameters (cxx_names.h). */
struct symbol symbols_function(struct symbols *symbols, const char *module, uint64_t address);

/* The function in whose source an address is: the one that was inlined there, if any; with the
 * place of its definition. No `function` if unknown. */
struct symbol symbols_scope(struct symbols *symbols, const char *module, uint64_t address);

/* How a function was entered. */
struct symbols_entry {
	bool inlined;         /* the compiler put it into another function, else it was called */
	struct symbol call;   /* if so, where that function calls it; no `file` if unknown */
	struct symbol around; /* and what symbols_function() would say of that function */
};

/* Of a function that symbols_function() found, with code at an address. */
struct symbols_entry symbols_entry(struct symbols *symbols, const char *module,
				   const struct symbol *function, uint64_t address);

/* Where a call of `function` would return to, if it is the only call of the function at `address`
 * that is a jump, with which that function ends; 0: it is not, or not known. */
uint64_t symbols_tail_call(struct symbols *symbols, const char *module, uint64_t address,
			   const struct symbol *function);

/* The compiler that says it made the module (section .comment); appends nothing where none does. */
void symbols_compiler(const char *module, struct str *out);
