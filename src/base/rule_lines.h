/* rule_lines: files of rules on what is recorded of a program, for tvcc and tvrun.
 *
 * A file has one rule a line: `only PATTERN`, `exclude PATTERN`, `no-loops [PATTERN]`,
 * `iterations [PATTERN]`; the pattern goes to the end of the line; empty lines and those that begin
 * with # mean nothing. What a pattern means is the reader's. */
#pragma once

#include <stdbool.h>

#include "base/err.h"

enum rule_kind {
	RULE_ONLY,
	RULE_EXCLUDE,
	RULE_NO_LOOPS,   /* the procedure's loops get no probe */
	RULE_ITERATIONS, /* a probe in every iteration of them */
	RULE_KINDS
};

/* "only", "exclude", "no-loops", "iterations". */
const char *rule_kind_name(enum rule_kind kind);

/* Takes a rule; `pattern` NULL: all procedures (RULE_NO_LOOPS, RULE_ITERATIONS). `place` is put
 * before messages ("rules.txt:3"). False with err ends the reading. */
typedef bool rule_taker(void *context, enum rule_kind kind, const char *pattern, const char *place,
			struct err *err);

/* Gives the rules of a file of 1 MiB at most to `take`. False with err where it cannot be read, has
 * another line, or a rule was refused. */
bool rule_lines_read(const char *path, rule_taker *take, void *context, struct err *err);
