/* fortran_lines: a source of Fortran as statements: comments, continuations and blanks are gone,
 * letters are small, the text of strings is left out. A line with several statements gives several,
 * marked so. Free and fixed form; the source must outlive it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"

enum fortran_statement_kind {
	FORTRAN_STATEMENT,
	FORTRAN_OPENMP, /* !$omp: what follows the sentinel */
	FORTRAN_OPENACC,
	FORTRAN_ADVICE, /* !GCC$: for the loop that follows */
};

struct fortran_statement {
	uint8_t kind;
	bool shared;          /* its lines have other statements, too */
	uint32_t first, last; /* its lines in the text, from 0 */
	uint32_t label;       /* 0: none */
	uint32_t text;        /* offset in `texts`, NUL-terminated */
};

struct fortran_line {
	uint32_t at, length; /* in the text; the line break is not counted */
	uint32_t file;       /* offset in `files` */
	uint32_t number;     /* in it */
};

struct fortran_form {
	bool fixed;
	bool openmp, openacc; /* directives are read, else they are comments */
	uint32_t columns;     /* of a line in fixed form; 0: no limit */
};

struct fortran_lines {
	const char *source;
	VEC(struct fortran_line) lines;
	VEC(struct fortran_statement) statements;
	struct str texts;
	struct str files;  /* names of files, the source's at 0 */
	bool preprocessor; /* it has lines that only a preprocessor understands */
};

/* `file` is the name of the source; marks of a preprocessor (fortran_include.h) may name others. */
void fortran_lines_init(struct fortran_lines *lines, const char *file, const char *source, size_t n,
			const struct fortran_form *form);
void fortran_lines_fini(struct fortran_lines *lines);

static inline const char *fortran_text(const struct fortran_lines *lines,
				       const struct fortran_statement *s)
{
	return lines->texts.text + s->text;
}
