/* built: traces of tests that call the builder themselves. A tick is a nanosecond. What goes wrong
 * fails the test. */
#pragma once

#include "model/build/builder.h"

/* A builder with the locations of ranks 0 to n - 1. */
struct builder *built_begin(int32_t ranks);
uint32_t built_rank(struct builder *b, int32_t rank, int32_t thread);
/* A site of a region without a place in the source. */
uint32_t built_site(struct builder *b, const char *name, enum region_class cls, int32_t picl);
uint32_t built_string(struct builder *b, const char *text);
/* The trace, which must be sound. */
struct trace *built_end(struct builder *b);

/* ---- of any trace ---- */

/* What invariants.h names holds. */
void assert_sound(struct trace *trace);
void assert_path(const struct trace *trace, uint32_t path, const char *expected);
/* How often a finding was made. */
uint64_t found(const struct trace *trace, const char *code);
