/* site_table: the sites of a unit (capture/lib/sites.h) as the definition of a constant in C or
 * C++; the types it needs are those of prologue.inc. */
#pragma once

#include "base/str.h"
#include "capture/lib/sites.h"

/* Appends the definition of tvi_unit. `strings` ends with a zero byte; `source` and `directory` are
 * offsets in it. */
void site_table_write(const struct tv_site *sites, size_t n, const struct str *strings,
		      uint32_t source, uint32_t directory, struct str *out);
/* Appends a literal of these bytes. */
void site_table_string(struct str *out, const char *bytes, size_t n);
