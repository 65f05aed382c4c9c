/* stage_fortran: how f951 compiles a text with calls around loops (fortran_unit.h), and how what
 * they call gets into the same object: cc1 compiles it, and its assembly is appended to f951's. */
#pragma once

#include "capture/cc/driver/stage.h"
#include "capture/cc/fortran/fortran_lines.h"

/* NULL, or why the loops of a file cannot have calls. */
const char *stage_fortran_reason(const struct stage_plan *plan, char *const *argv);
struct fortran_form stage_fortran_form(const struct stage_plan *plan, char *const *argv);
/* What this compiler appends to names of procedures. */
const char *stage_fortran_underscore(char *const *argv);

/* The file that the compiler preprocesses it into (-save-temps keeps it), "" for none; NULL: it
 * does not preprocess. */
const char *stage_fortran_cpp(char *const *argv);
/* Whether it writes what the file depends on. */
bool stage_fortran_writes_dependencies(char *const *argv);

/* The folders in which the compiler searches files that are included. */
void stage_fortran_places(const struct stage_plan *plan, char *const *argv, struct words *out);

/* The arguments with which it only preprocesses. */
void stage_fortran_preprocess(const struct stage_plan *plan, char *const *argv, struct words *out);
/* The arguments for the text in `input`, and for cc1, which reads standard input. */
void stage_fortran_compile(const struct stage_plan *plan, char *const *argv, const char *input,
			   const char *output, bool warnings, struct words *out);
void stage_fortran_helpers(char *const *argv, const char *output, struct words *out);

/* Appends cc1's assembly without what would be there twice: names of files, local labels. */
void stage_fortran_append(struct str *out, const char *text, size_t n);
