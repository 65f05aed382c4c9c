/* cxx_names: names of C++ functions as the source has them, from those that were linked.
 *
 * A name keeps its namespaces, classes and template arguments, and loses its parameters, what it
 * returns and what the compiler appended for a clone: `geo::area(int) [clone .part.0]` is
 * `geo::area`. */
#pragma once

#include <stdbool.h>

#include "base/str.h"

struct cxx_names;

/* The C++ library does the work; where there is none, names stay as they are linked. */
struct cxx_names *cxx_names_new(void);
void cxx_names_free(struct cxx_names *names);

/* Appends the name; false, and appends nothing, where `linked` is not a name of C++. */
bool cxx_name(const struct cxx_names *names, const char *linked, struct str *out);

/* The same of a declaration that is readable already: `void geo::area(int) const`. */
void cxx_name_of_declaration(const char *declaration, struct str *out);
