#include "patterns/analysis/pattern.h"

const struct pattern *const patterns[] = {
#define X(name) &name##_pattern,
#include "patterns/analysis/patterns.def"
#undef X
	NULL,
};
