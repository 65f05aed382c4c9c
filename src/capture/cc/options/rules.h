/* rules: which procedures and loops of a program get probes, as a person chose it.
 *
 * Rules are ordered, and the last one that matches a procedure decides. A procedure that none
 * matches is in, unless the first rule of the kinds only and exclude is `only`: that rule selects.
 * A pattern is a PCRE2 expression that is searched in the procedure's name, or, where it begins
 * with "file:", in the path of the file that the procedure is in as the compiler has it.
 *
 *	struct rules *rules = rules_new();
 *	if (!rules_add(rules, RULE_ONLY, "^solve", "--only ^solve", &err)) ...
 *	if (rules_procedure(rules, "src/grid.c", "solve_row")) ...
 *	rules_free(rules);
 *
 * Files of rules are those of base/rule_lines.h. No pattern can hang: one that takes too long for a
 * name does not match it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/rule_lines.h"

enum rule_loops { LOOPS_NONE, LOOPS_WHOLE, LOOPS_ITERATIONS };

struct rules;

struct rules *rules_new(void);
void rules_free(struct rules *rules);

/* Appends a rule. `pattern` NULL: all procedures (RULE_NO_LOOPS, RULE_ITERATIONS). `place` is put
 * before messages ("--only", "rules.txt:3"). False with err, which says where the pattern is
 * wrong. */
bool rules_add(struct rules *rules, enum rule_kind kind, const char *pattern, const char *place,
	       struct err *err);
/* Appends the rules of a file of 1 MiB at most; messages name file and line. */
bool rules_add_file(struct rules *rules, const char *path, struct err *err);

/* A number that differs (FNV-1a, 64 bits) where the rules do, in themselves or in their order,
 * whatever file they came from. */
uint64_t rules_hash(const struct rules *rules);

/* Whether a procedure gets a probe, and what its loops get. Without rules: yes, and LOOPS_WHOLE. */
bool rules_procedure(const struct rules *rules, const char *file, const char *procedure);
enum rule_loops rules_loops(const struct rules *rules, const char *file, const char *procedure);
/* Whether a file whose procedures are not known yet (Fortran) gets probes: by the rules of files
 * alone. */
bool rules_file(const struct rules *rules, const char *file);
