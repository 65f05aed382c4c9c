/* critical_keep: the critical path of a whole run that is kept with its trace
 * (model/trace/piece.h), some 8 bytes a stretch. */
#pragma once

#include "patterns/causes/causes.h"

/* Keeps a copy of a path as causes_critical_path() gives it. Threads: as keep_give(). */
void critical_path_keep(const struct trace *trace, enum time_base base,
			const struct path_stretch *path, size_t n);
/* The one that was kept, the caller's; NULL: none, or it does not hold. */
struct path_stretch *critical_path_kept(const struct trace *trace, enum time_base base, size_t *n);
